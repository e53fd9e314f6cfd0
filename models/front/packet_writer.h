// SPDX-License-Identifier: Apache-2.0
// Packets written by the names of their rows: places of fields, names of values and sizes are those
// of the rows. A family's writer derives from PacketWriter<itself>, finds the row and writes the
// header.
//
// A name that the row does not have, or a value that does not fit, throws std::invalid_argument
// with the name of the packet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "models/front/packet_field.h"

namespace archipelago::front {

// The words, and the last packet of them, to which fields go.
class PacketWords {
  public:
    virtual ~PacketWords() = default;

    // All packets.
    const std::vector<uint32_t>& words() const { return words_; }
    operator std::vector<uint32_t>() const {
        return words_;
    }  // NOLINT(google-explicit-constructor)

  protected:
    explicit PacketWords(const char* dwords) : noun_(dwords) {}
    PacketWords(const PacketWords&) = default;
    PacketWords& operator=(const PacketWords&) = default;

    // The packet at hand has so many dwords now: for headers that say so.
    virtual void resized(uint32_t dwords) = 0;
    uint32_t size() const { return static_cast<uint32_t>(words_.size() - first_); }

    // Starts a packet with the least dwords its row allows, all zeros, after `header_dwords` that
    // are none of them.
    void start(const PacketShape& shape, uint32_t header_dwords);
    void reach(uint32_t dwords);
    uint32_t& dword(uint32_t index);  // from 1 on
    uint32_t& header() { return words_[first_ - 1]; }
    void set_field(const char* name, uint32_t value);
    void set_field(const char* name, std::string_view value_name);
    void set_address(const std::string& name, uint64_t address);
    void set_data(const std::vector<uint32_t>& values);
    [[noreturn]] void refuse(const std::string& reason) const;

  private:
    const PacketField& field_of(const char* name) const;

    const char* noun_;  // what messages call the dwords that fields number
    const PacketShape* shape_ = nullptr;
    size_t first_ = 0;  // dword 1 of the packet, in words_
    std::vector<uint32_t> words_;
};

template <class Writer>
class PacketWriter : public PacketWords {
  public:
    // At least so many dwords; fields and data beyond them make a packet longer, too.
    Writer& dwords(uint32_t count) {
        reach(count);
        return self();
    }
    Writer& set(const char* field, uint32_t value) {
        set_field(field, value);
        return self();
    }
    Writer& set(const char* field, std::string_view value_name) {
        set_field(field, value_name);
        return self();
    }
    // FIELD_LO and FIELD_HI; bytes.
    Writer& address(const std::string& field, uint64_t address) {
        set_address(field, address);
        return self();
    }
    // Whole dwords, from the first that repeats up to the end of the packet on.
    Writer& data(const std::vector<uint32_t>& values) {
        set_data(values);
        return self();
    }

  protected:
    using PacketWords::PacketWords;
    template <class Table>
    static auto& row_of(const Table& table, const std::string& name) {
        const auto* const row = table.find_by_name(name);
        if (row == nullptr)
            throw std::invalid_argument(std::string("generation ") + table.generation() +
                                        " has no packet " + name);
        return *row;
    }
    Writer& self() { return static_cast<Writer&>(*this); }
};

}  // namespace archipelago::front
