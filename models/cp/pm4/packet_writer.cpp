// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/packet_writer.h"

#include <algorithm>
#include <cinttypes>
#include <cstring>
#include <stdexcept>

#include "models/common/text.h"
#include "models/cp/pm4/names.h"

namespace archipelago::cp {

void PacketWriter::refuse(const std::string& reason) const {
    throw std::invalid_argument("packet " + std::string(info_->name) + ": " + reason);
}

PacketWriter& PacketWriter::packet(const std::string& name) {
    info_ = table_->find_by_name(name);
    if (info_ == nullptr)
        throw std::invalid_argument(std::string("generation ") + table_->generation() +
                                    " has no packet " + name);
    header_ = words_.size();
    compute_ = false;
    words_.resize(header_ + 1 + info_->min_dwords);
    write_header();
    return *this;
}

PacketWriter& PacketWriter::compute() {
    compute_ = true;
    write_header();
    return *this;
}

PacketWriter& PacketWriter::dwords(uint32_t count) {
    if (count > info_->max_dwords)
        refuse(format_text("%u body dwords, must have at most %u", count, info_->max_dwords));
    words_.resize(std::max(words_.size(), header_ + 1 + count));
    write_header();
    return *this;
}

PacketWriter& PacketWriter::set(const char* name, uint32_t value) {
    const PacketField& field = field_of(name);
    if (field.of(value << field.lsb) != value)
        refuse(format_text("0x%x does not fit %s", value, name));
    uint32_t& word = dword(field.dword);
    word = (word & ~field.mask()) | value << field.lsb;
    return *this;
}

PacketWriter& PacketWriter::set(const char* name, std::string_view value_name) {
    for (const PacketField& field : info_->fields) {
        uint32_t value = 0;
        if (std::strcmp(field.name, name) == 0 &&
            value_of_name(meaning_of(*info_, field), value_name, value))
            return set(name, value);
    }
    field_of(name);
    refuse(std::string(name) + " has no value " + std::string(value_name));
}

PacketWriter& PacketWriter::address(const std::string& name, uint64_t address) {
    const PacketField& low = field_of((name + "_LO").c_str());
    const auto low_bits = static_cast<uint32_t>(address);
    if ((low_bits & ~low.mask()) != 0)
        refuse(format_text("0x%" PRIx64 " is not aligned for %s", address, name.c_str()));
    uint32_t& word = dword(low.dword);
    word = (word & ~low.mask()) | low_bits;
    return set((name + "_HI").c_str(), static_cast<uint32_t>(address >> 32));
}

PacketWriter& PacketWriter::data(const std::vector<uint32_t>& values) {
    const PacketField* field = std::find_if(info_->fields.begin(), info_->fields.end(),
                                            [](const PacketField& f) { return f.repeat == 1; });
    if (field == info_->fields.end())
        refuse("has no data");
    if (!values.empty()) {
        const auto count = static_cast<uint32_t>(values.size());
        dword(field->dword + count - 1);
        std::copy(values.begin(), values.end(), &dword(field->dword));
    }
    return *this;
}

PacketWriter& PacketWriter::registers(uint32_t first, const std::vector<uint32_t>& values) {
    const RegisterWindow* window = info_->window;
    if (!info_->is(kSetsRegisters) || window == nullptr)
        refuse("does not set registers");
    if (first < window->start || first + 4 * values.size() > window->end || first % 4 != 0)
        refuse(format_text("%zu registers from 0x%05x on are not all in its window", values.size(),
                           first));
    return set("REG_OFFSET", (first - window->start) / 4).data(values);
}

const PacketField& PacketWriter::field_of(const char* name) const {
    const PacketField* field = info_->field(name);
    if (field == nullptr || field->dword == 0)
        refuse(std::string("has no field ") + name);
    return *field;
}

uint32_t& PacketWriter::dword(uint32_t index) {
    dwords(index);
    return words_[header_ + index];
}

void PacketWriter::write_header() {
    words_[header_] = make_header(info_->opcodes[0],
                                  static_cast<uint32_t>(words_.size() - header_ - 1), compute_);
}

}  // namespace archipelago::cp
