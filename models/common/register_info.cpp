// SPDX-License-Identifier: Apache-2.0
#include "models/common/register_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace archipelago::regs {

namespace {

// The last entry whose start does not exceed `offset`, or nullptr.
template <typename T, typename StartOf>
const T* last_at_or_below(const TableSpan<T>& table, uint32_t offset, StartOf start_of) {
    const T* after =
        std::upper_bound(table.begin(), table.end(), offset,
                         [&](uint32_t value, const T& entry) { return value < start_of(entry); });
    return after == table.begin() ? nullptr : std::prev(after);
}

// The entry of a table sorted by name, or nullptr.
template <typename T>
const T* find_named(const TableSpan<T>& table, std::string_view name) {
    const T* entry =
        std::lower_bound(table.begin(), table.end(), name,
                         [](const T& e, std::string_view value) { return e.name < value; });
    return entry != table.end() && entry->name == name ? entry : nullptr;
}

}  // namespace

std::string_view EnumInfo::name_of(uint32_t value) const {
    for (const EnumValueInfo& entry : values) {
        if (entry.value == value) {
            return entry.name;
        }
    }
    return {};
}

const FieldInfo* RegisterInfo::field(std::string_view field_name) const {
    for (const FieldInfo& entry : fields) {
        if (entry.name == field_name) {
            return &entry;
        }
    }
    return nullptr;
}

const RegisterInfo* RegisterDatabase::find(uint32_t byte_offset) const {
    const RegisterInfo* entry =
        last_at_or_below(registers, byte_offset, [](const RegisterInfo& r) { return r.offset; });
    return entry != nullptr && entry->offset == byte_offset ? entry : nullptr;
}

const RegisterInfo* RegisterDatabase::find_by_name(std::string_view name) const {
    const NameInfo* entry = find_named(names, name);
    return entry != nullptr ? &registers[entry->index] : nullptr;
}

const RegisterInfo* RegisterDatabase::find_layout(std::string_view name) const {
    return find_named(layouts, name);
}

const RangeInfo* RegisterDatabase::range_of(uint32_t byte_offset) const {
    const RangeInfo* entry =
        last_at_or_below(ranges, byte_offset, [](const RangeInfo& r) { return r.start; });
    return entry != nullptr && entry->contains(byte_offset) ? entry : nullptr;
}

std::string RegisterDatabase::name_of(uint32_t byte_offset) const {
    if (const RegisterInfo* info = find(byte_offset)) {
        return std::string(info->name);
    }
    if (const RangeInfo* range = range_of(byte_offset)) {
        return fmt::format("unknown register 0x{:05x} in range {}", byte_offset, range->name);
    }
    return fmt::format("unknown register 0x{:05x} outside every range", byte_offset);
}

std::string RegisterDatabase::decode(uint32_t byte_offset, uint32_t value) const {
    if (const RegisterInfo* info = find(byte_offset)) {
        return regs::decode(*info, value);
    }
    return fmt::format("{} = 0x{:08x}", name_of(byte_offset), value);
}

std::string decode(const RegisterInfo& info, uint32_t value) {
    std::string text = fmt::format("{} = 0x{:08x}", info.name, value);
    if (info.fields.empty() || (info.fields.size() == 1 && info.fields[0].width() == 32)) {
        return text;
    }
    const char* separator = " {";
    uint32_t rest = value;
    for (const FieldInfo& field : info.fields) {
        const uint32_t part = field.get(value);
        rest &= ~field.mask();
        text += field.width() >= 16 ? fmt::format("{}{}=0x{:x}", separator, field.name, part)
                                    : fmt::format("{}{}={}", separator, field.name, part);
        if (field.values != nullptr) {
            const std::string_view name = field.values->name_of(part);
            if (!name.empty()) {
                text += fmt::format("({})", name);
            }
        }
        separator = ", ";
    }
    if (rest != 0) {
        text += fmt::format("{}other bits=0x{:x}", separator, rest);
    }
    return text + "}";
}

const char* to_string(Access access) {
    switch (access) {
        case Access::Unknown:
            return "unknown";
        case Access::ReadWrite:
            return "rw";
        case Access::ReadOnly:
            return "ro";
        case Access::WriteOnly:
            return "wo";
    }
    return "invalid";
}

const char* to_string(RangeKind kind) {
    switch (kind) {
        case RangeKind::System:
            return "system";
        case RangeKind::Config:
            return "config";
        case RangeKind::Sh:
            return "sh";
        case RangeKind::Context:
            return "context";
        case RangeKind::CpRing:
            return "cp_ring";
        case RangeKind::Dma:
            return "dma";
    }
    return "invalid";
}

}  // namespace archipelago::regs
