// SPDX-License-Identifier: Apache-2.0
#include "models/front/packet_writer.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/front/field_names.h"

namespace archipelago::front {

void PacketWords::refuse(const std::string& reason) const {
    throw std::invalid_argument("packet " + std::string(shape_->name) + ": " + reason);
}

void PacketWords::start(const PacketShape& shape, uint32_t header_dwords) {
    shape_ = &shape;
    first_ = words_.size() + header_dwords;
    words_.resize(first_ + shape.min_dwords);
    resized(size());
}

void PacketWords::reach(uint32_t dwords) {
    if (dwords > shape_->max_dwords)
        refuse(fmt::format("{} {}, must have at most {}", dwords, noun_, shape_->max_dwords));
    if (dwords > size()) {
        words_.resize(first_ + dwords);
        resized(dwords);
    }
}

uint32_t& PacketWords::dword(uint32_t index) {
    reach(index);
    return words_[first_ + index - 1];
}

const PacketField& PacketWords::field_of(const char* name) const {
    const PacketField* field = shape_->field(name);
    if (field == nullptr || field->dword == 0)
        refuse(std::string("has no field ") + name);
    return *field;
}

void PacketWords::set_field(const char* name, uint32_t value) {
    const PacketField& field = field_of(name);
    if (field.of(value << field.lsb) != value)
        refuse(fmt::format("0x{:x} does not fit {}", value, name));
    uint32_t& word = dword(field.dword);
    word = (word & ~field.mask()) | value << field.lsb;
}

void PacketWords::set_field(const char* name, std::string_view value_name) {
    for (const PacketField& field : shape_->fields) {
        uint32_t value = 0;
        if (std::strcmp(field.name, name) == 0 &&
            value_of_name(meaning_of(*shape_, field), value_name, value))
            return set_field(name, value);
    }
    field_of(name);
    refuse(std::string(name) + " has no value " + std::string(value_name));
}

void PacketWords::set_address(const std::string& name, uint64_t address) {
    const PacketField& low = field_of((name + "_LO").c_str());
    const auto low_bits = static_cast<uint32_t>(address);
    if ((low_bits & ~low.mask()) != 0)
        refuse(fmt::format("0x{:x} is not aligned for {}", address, name));
    uint32_t& word = dword(low.dword);
    word = (word & ~low.mask()) | low_bits;
    set_field((name + "_HI").c_str(), static_cast<uint32_t>(address >> 32));
}

void PacketWords::set_data(const std::vector<uint32_t>& values) {
    const PacketField* field = std::find_if(shape_->fields.begin(), shape_->fields.end(),
                                            [](const PacketField& f) { return f.repeat == 1; });
    if (field == shape_->fields.end())
        refuse("has no data");
    if (!values.empty()) {
        dword(field->dword + static_cast<uint32_t>(values.size()) - 1);
        std::copy(values.begin(), values.end(), &dword(field->dword));
    }
}

}  // namespace archipelago::front
