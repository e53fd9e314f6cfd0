// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/cp/micro_op.h"
#include "models/cp/pm4/packet_stop.h"
#include "models/cp/pm4/text.h"
#include "models/front/text/packet_lister.h"
#include "models/front/text/syntax.h"

namespace archipelago::cp {

namespace {

// Which buffer a packet calls; why it calls none.
std::string buffer_note(const PacketInfo& info, const uint32_t* body) {
    try {
        const IndirectBuffer buffer = info.buffer(info, body, {});
        return fmt::format("{} dwords at 0x{:x}", buffer.dwords, buffer.base);
    } catch (const PacketStop& stop) {
        return stop.what();
    }
}

class Lister final : public front::PacketLister {
  public:
    Lister(const Pm4Language& language, const front::PacketListing& listing)
        : PacketLister(language.registers, listing), table_(language.packets) {}

  private:
    size_t packet(const uint32_t* words, size_t count) override {
        const uint32_t header = words[0];
        const unsigned type = header_type(header);
        if (type == 2) {
            if ((header & 0x3FFFFFFF) != 0)
                flags_.push_back(fmt::format("reserved=0x{:x}", header & 0x3FFFFFFF));
            write("TYPE2");
            return 1;
        }
        if (type == 1) {
            write_word(header, "no packet has type 1");
            return 1;
        }
        const uint32_t body = header_body_dwords(header);
        const PacketInfo* info = type == 0 ? &table_.type0() : table_.find(header_opcode(header));
        if (body > count - 1)
            return write_cut_off(
                words, count,
                fmt::format("{}, cut off: {} of {} body dwords",
                            info != nullptr ? info->name : "unknown packet", count - 1, body));
        if (type == 0)
            type0(header, words + 1, body);
        else
            type3(info, header, words + 1, body);
        return size_t{1} + body;
    }

    void type0(uint32_t header, const uint32_t* body, uint32_t dwords) {
        registers((header & 0xFFFF) * 4, body, dwords);
        write("TYPE0", dwords > 1);
    }

    void type3(const PacketInfo* info, uint32_t header, const uint32_t* body, uint32_t dwords) {
        const uint8_t opcode = header_opcode(header);
        if ((header & 2) != 0)
            flags_.emplace_back("compute");
        if ((header & 1) != 0)
            flags_.emplace_back("predicate");
        if ((header & 0xFC) != 0)
            flags_.push_back(fmt::format("reserved=0x{:x}", header >> 2 & 0x3F));
        if (info == nullptr || info->opcodes[0] != opcode)
            flags_.push_back(fmt::format("opcode=0x{:02x}", opcode));
        if (info == nullptr) {
            note_ = "unknown opcode";
            list("DATA", body, dwords);
            write("PACKET3");
            return;
        }
        const bool assigns = info->is(kSetsRegisters) && dwords >= 2;
        uint32_t size = front::default_dwords(*info);
        covered_.assign(dwords, 0);
        if (assigns) {
            const uint32_t offset = body[0] & 0xFFFF;
            registers(info->window->start + 4 * offset, body + 1, dwords - 1);
            covered_.assign(dwords, 0xFFFFFFFFu);
            covered_[0] = 0xFFFF;
            size = dwords;
        } else {
            size = std::max(size, fields(*info, body, dwords));
        }
        size = std::max(size, other_bits(body, dwords));
        const bool fits = count_flag(*info, size, dwords, "body dwords");
        if (fits && info->buffer != nullptr)
            note_ = buffer_note(*info, body);
        else if (fits && !info->implemented())
            note_ = "stops by name";
        write(info->name, assigns && dwords > 2);
    }

    const PacketTable& table_;
};

}  // namespace

std::optional<front::PacketExtent> Pm4Language::extent(const uint32_t* words, size_t) const {
    const uint32_t header = words[0];
    const unsigned type = header_type(header);
    if (type == 2)
        return front::PacketExtent{"type-2", 1};
    const PacketInfo* info = type == 3   ? packets.find(header_opcode(header))
                             : type == 0 ? &packets.type0()
                                         : nullptr;
    if (info == nullptr)
        return {};
    return front::PacketExtent{info->name, uint64_t{1} + header_body_dwords(header)};
}

std::string Pm4Language::disassemble(const uint32_t* words, size_t count,
                                     const front::PacketListing& listing) const {
    return Lister(*this, listing).run(words, count);
}

}  // namespace archipelago::cp
