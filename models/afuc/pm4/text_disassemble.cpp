// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/pm4/registers.h"
#include "models/afuc/pm4/text.h"
#include "models/afuc/pm4/text_rules.h"
#include "models/front/text/packet_lister.h"
#include "models/front/text/syntax.h"

namespace archipelago::afuc {
namespace {

const char* name_of(const Pm4Header& header, const Packet* info) {
    return info != nullptr ? info->name : header.type4 ? "PKT4" : "unknown packet";
}

class Lister final : public front::PacketLister {
  public:
    Lister(const Pm4Language& language, const front::PacketListing& listing)
        : PacketLister(language.registers(), listing, kTextRules), table_(language.packets()) {}

  private:
    size_t packet(const uint32_t* words, size_t count) override {
        const Pm4Header header = take_header(words[0]);
        if (header.error != nullptr) {
            write_word(words[0], header.error);
            return 1;
        }
        const Packet* info = header.type4 ? nullptr : table_.find(header.entry);
        if (header.words > count - 1)
            return write_cut_off(words, count,
                                 fmt::format("{}, cut off: {} of {} body dwords",
                                             name_of(header, info), count - 1, header.words));
        if (header.type4)
            type4(header, words + 1);
        else
            type7(header, info, words + 1);
        return size_t{1} + header.words;
    }

    void type4(const Pm4Header& header, const uint32_t* values) {
        if (header.words == 0) {
            const regs::RegisterInfo* reg = db_.find(header.first * 4);
            flags_.push_back(reg != nullptr ? fmt::format("first={}", reg->name)
                                            : fmt::format("first=0x{:x}", header.first));
        }
        registers(header.first * 4, values, header.words);
        write("PKT4", header.words > 1);
    }

    void type7(const Pm4Header& header, const Packet* info, const uint32_t* body) {
        const front::PacketShape& shape = info != nullptr ? *info : raw_packet();
        const uint32_t dwords = header.words;
        if (info == nullptr) {
            flags_.push_back(fmt::format("opcode=0x{:02x}", header.entry));
            note_ = "unknown opcode";
        }
        covered_.assign(dwords, 0);
        uint32_t size = std::max(shape.min_dwords, fields(shape, body, dwords));
        size = std::max(size, other_bits(body, dwords));
        count_flag(shape, size, dwords, "body dwords");
        write(shape.name);
    }

    const PacketTable& table_;
};

const PacketTable& packet_table(Names names) {
    static const std::array<PacketTable, 4> kAll{PacketTable(Names::A5xx), PacketTable(Names::A6xx),
                                                 PacketTable(Names::A7xx),
                                                 PacketTable(Names::A750)};
    return kAll[static_cast<size_t>(names)];
}

}  // namespace

Pm4Language::Pm4Language(Names names)
    : packets_(packet_table(names)), registers_(gpu_registers(names)) {}

// Of a packet of the user's own microcode, whose opcode no table has, the header tells the size
// too.
std::optional<front::PacketExtent> Pm4Language::extent(const uint32_t* words, size_t) const {
    const Pm4Header header = take_header(words[0]);
    if (header.error != nullptr)
        return {};
    return front::PacketExtent{
        name_of(header, header.type4 ? nullptr : packets_.find(header.entry)),
        uint64_t{1} + header.words};
}

std::string Pm4Language::disassemble(const uint32_t* words, size_t count,
                                     const front::PacketListing& listing) const {
    return Lister(*this, listing).run(words, count);
}

}  // namespace archipelago::afuc
