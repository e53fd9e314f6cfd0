// SPDX-License-Identifier: Apache-2.0
// Packets to text: fields of a packet, raw words and the layout of lines. A family's lister says
// where a packet ends and what its header tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/register_info.h"
#include "models/front/field_names.h"
#include "models/front/packet_field.h"
#include "models/front/text/packet_language.h"

namespace archipelago::front {

class PacketLister {
  public:
    virtual ~PacketLister() = default;

    std::string run(const uint32_t* words, size_t count);

  protected:
    PacketLister(const regs::RegisterDatabase& registers, const PacketListing& listing,
                 const TextRules& rules = {})
        : db_(registers), listing_(listing), rules_(rules) {}

    // ---- what a family says ----

    // Writes the packet at `words`, of which `count` are there; how many it took.
    virtual size_t packet(const uint32_t* words, size_t count) = 0;

    // ---- what it makes of a packet ----

    // Of a packet of `count` dwords, what fields show; how many dwords those reach. `implied`: one
    // that the assembler finds without being told.
    uint32_t fields(const PacketShape& packet, const uint32_t* dwords, uint32_t count,
                    const PacketField* implied = nullptr);
    // And bits that nothing has shown.
    uint32_t other_bits(const uint32_t* dwords, uint32_t count);
    // Of a packet of `dwords` where what it shows makes `size`: the flag `count`, if it needs one,
    // and a note if its row has no such size. False: it has none.
    bool count_flag(const PacketShape& packet, uint32_t size, uint32_t dwords, const char* noun);
    void registers(uint32_t byte_offset, const uint32_t* values, uint32_t count);
    void list(const char* name, const uint32_t* words, uint32_t count);
    // The statement, its comment on the first line; `lines`: an item a line.
    void write(const std::string& name, bool lines = false);
    // A word that begins no packet.
    void write_word(uint32_t word, std::string note);
    // All words of a packet that is cut off.
    size_t write_cut_off(const uint32_t* words, size_t count, std::string note);

    const regs::RegisterDatabase& db_;
    std::string note_;  // after the statement
    std::vector<std::string> flags_;
    std::vector<uint32_t> covered_;  // bits of the dwords that items show

  private:
    uint32_t single_fields(const PacketShape& packet, const uint32_t* dwords, uint32_t count,
                           const PacketField* implied);
    uint32_t group(const PacketShape& packet, const std::vector<const PacketField*>& fields,
                   const uint32_t* dwords, uint32_t count, uint32_t shift);
    uint32_t repeated_fields(const PacketShape& packet, const uint32_t* dwords, uint32_t count);
    void add(const std::string& name, const std::string& value);
    std::string shown(const PacketField& field, const FieldMeaning& meaning, uint32_t value) const;
    std::string comment() const;

    const PacketListing listing_;
    const TextRules rules_;
    std::string out_;
    std::string head_;
    std::vector<std::string> items_;
};

}  // namespace archipelago::front
