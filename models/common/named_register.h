// SPDX-License-Identifier: Apache-2.0
// Registers and fields by the names of the documents. A block lists those it uses (its
// register_map.h); the register database of a chip's family says where they are.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "models/common/register_info.h"

namespace archipelago::regs {

class NamedRegister {
  public:
    // Without a database, or in a family that has no register of this name, it is nowhere:
    // kNoOffset, and its fields read 0.
    NamedRegister(const RegisterDatabase* database, std::string_view name)
        : info_(database != nullptr ? database->find_by_name(name) : nullptr),
          offset_(info_ != nullptr ? info_->offset : kNoOffset) {}
    bool exists() const { return offset_ != kNoOffset; }
    operator uint32_t() const { return offset_; }  // bytes
    const FieldInfo* field(std::string_view name) const {
        return info_ != nullptr ? info_->field(name) : nullptr;
    }

  private:
    const RegisterInfo* info_;
    uint32_t offset_;
};

// NAME0, NAME1, ...
template <size_t Count>
using NamedRegisters = std::array<NamedRegister, Count>;
template <size_t... Numbers>
NamedRegisters<sizeof...(Numbers)> numbered(const RegisterDatabase* database,
                                            const std::string& name,
                                            std::index_sequence<Numbers...>) {
    return {NamedRegister(database, name + std::to_string(Numbers))...};
}
template <size_t Count>
NamedRegisters<Count> numbered(const RegisterDatabase* database, const std::string& name) {
    return numbered(database, name, std::make_index_sequence<Count>());
}

class NamedField {
  public:
    NamedField(const NamedRegister& of, std::string_view name) : offset_(of) {
        if (const FieldInfo* info = of.field(name)) {
            lsb_ = info->lsb;
            ones_ = info->mask() >> info->lsb;
            values_ = info->values;
        }
    }
    uint32_t offset() const { return offset_; }  // of its register, bytes
    // Its value in a word of the register.
    uint32_t operator()(uint32_t word) const { return word >> lsb_ & ones_; }
    // The word with another value; bits beyond the field are dropped.
    uint32_t set(uint32_t word, uint32_t value) const {
        return (word & ~(ones_ << lsb_)) | (value & ones_) << lsb_;
    }

    const EnumInfo* values() const { return values_; }

  private:
    uint32_t offset_;
    uint32_t lsb_ = 0;
    uint32_t ones_ = 0;
    const EnumInfo* values_ = nullptr;
};

// A word of the given values of fields, 0 elsewhere.
struct FieldValue {
    const NamedField& field;
    uint32_t value;
};
inline uint32_t word(std::initializer_list<FieldValue> values) {
    uint32_t bits = 0;
    for (const FieldValue& v : values)
        bits = v.field.set(bits, v.value);
    return bits;
}

// A value that a field may have, by its name among the field's enumerators. No value of any field
// in a family without it.
class NamedValue {
  public:
    NamedValue(const NamedField& of, std::string_view name) {
        if (of.values() == nullptr)
            return;
        for (const EnumValueInfo& info : of.values()->values)
            if (info.name == name)
                value_ = info.value;
    }
    operator uint32_t() const { return value_; }

  private:
    uint32_t value_ = ~0u;
};

}  // namespace archipelago::regs
