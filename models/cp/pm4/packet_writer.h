// SPDX-License-Identifier: Apache-2.0
// Packets written by the names of a table: opcodes, places of fields and sizes of bodies are those
// of the rows.
//
//   PacketWriter w(table);
//   w.packet("WRITE_DATA").set("DST_SEL", "MEMORY").address("DST_ADDR", 0x1000).data({1, 2});
//
// What a row has not, or a value that does not fit, throws std::invalid_argument with the name of
// the packet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/cp/pm4/packet_table.h"

namespace archipelago::cp {

class PacketWriter {
  public:
    explicit PacketWriter(const PacketTable& table) : table_(&table) {}

    // Starts a packet whose body is the least its row allows, all zeros. Fields and data beyond it
    // make it longer. What follows is said of this packet.
    PacketWriter& packet(const std::string& name);
    // SHADER_TYPE of the header.
    PacketWriter& compute();
    // A body of at least so many dwords.
    PacketWriter& dwords(uint32_t count);
    PacketWriter& set(const char* field, uint32_t value);
    PacketWriter& set(const char* field, std::string_view value_name);
    // FIELD_LO and FIELD_HI; bytes.
    PacketWriter& address(const std::string& field, uint64_t address);
    // Whole dwords, from the first that repeats up to the end of the body on.
    PacketWriter& data(const std::vector<uint32_t>& values);
    // Of a packet that sets registers: the first one's byte offset, and values of it and those
    // behind it.
    PacketWriter& registers(uint32_t first, const std::vector<uint32_t>& values);

    // All packets.
    const std::vector<uint32_t>& words() const { return words_; }
    operator std::vector<uint32_t>() const {
        return words_;
    }  // NOLINT(google-explicit-constructor)

  private:
    const PacketField& field_of(const char* name) const;
    uint32_t& dword(uint32_t index);  // of the body, from 1 on
    void write_header();
    [[noreturn]] void refuse(const std::string& reason) const;

    const PacketTable* table_;
    const PacketInfo* info_ = nullptr;
    size_t header_ = 0;  // of the packet, in words_
    bool compute_ = false;
    std::vector<uint32_t> words_;
};

}  // namespace archipelago::cp
