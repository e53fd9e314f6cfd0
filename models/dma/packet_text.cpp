// SPDX-License-Identifier: Apache-2.0
#include "models/dma/packet_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "models/front/text/packet_assembler.h"
#include "models/front/text/packet_lister.h"

namespace archipelago::dma {

namespace {

using front::refuse;
using front::Token;

// What the longest payload and the dwords in front of it make.
constexpr uint32_t kMaxDwords = 0xFFFFF + kMaxFixedDwords;

class Assembler final : public front::PacketAssembler {
  public:
    Assembler(const PacketTable& table, const regs::RegisterDatabase& registers)
        : PacketAssembler(registers, {"dwords", "it", kMaxDwords}), table_(table) {}

  private:
    void packet(const Token& name) override {
        const PacketInfo& info = row_of(table_, name, {".word", ".byte"});
        begin();
        touch(info.fixed, name);
        dwords_[0] = info.header;
        items(info, 0);
        if (info.payload != nullptr)
            count_data(info, name);
        else if (highest_ > info.fixed)
            refuse(name, fmt::format("{} has {} dwords, the fields take {}", info.name, info.fixed,
                                     highest_));
        const uint64_t size = info.dwords_of(dwords_.data());
        if (table_.find(dwords_[0]) != &info || size < highest_)
            refuse(name,
                   fmt::format("0x{:08x} is not the header of such a {}", dwords_[0], info.name));
        dwords_.resize(size);
        conditional_fields(info, static_cast<uint32_t>(size));
        for (const uint32_t dword : dwords_)
            emit(dword);
    }

    // The field that counts data: what was given is that many; more that it counts are zero.
    void count_data(const PacketInfo& info, const Token& name) {
        const PacketField& count = *info.payload;
        const uint32_t data = highest_ - info.fixed;
        const bool given = given_[static_cast<size_t>(&count - info.fields.begin())] != 0;
        if (!given)
            dwords_[count.dword - 1] |= front::fitting(name, data, count.of(0xFFFFFFFF), count.name)
                                        << count.lsb;
        else if (data > count.in(dwords_.data()))
            refuse(name, fmt::format("{} says {} dwords of data, there are {}", count.name,
                                     count.in(dwords_.data()), data));
    }

    const PacketTable& table_;
};

// Dwords of a packet; those in front of its payload where the one that counts it is not there.
uint64_t dwords_known(const PacketInfo& info, const uint32_t* words, size_t count) {
    return info.fixed <= count ? info.dwords_of(words) : info.fixed;
}

class Lister final : public front::PacketLister {
  public:
    Lister(const PacketTable& table, const regs::RegisterDatabase& registers,
           const front::PacketListing& listing)
        : PacketLister(registers, listing), table_(table) {}

  private:
    size_t packet(const uint32_t* words, size_t count) override {
        const PacketInfo* info = table_.find(words[0]);
        if (info == nullptr) {
            write_word(words[0], "no packet has this header");
            return 1;
        }
        const uint64_t size = dwords_known(*info, words, count);
        if (size > count)
            return write_cut_off(
                words, count, fmt::format("{}, cut off: {} of {} dwords", info->name, count, size));
        const auto dwords = static_cast<uint32_t>(size);
        covered_.assign(dwords, 0);
        covered_[0] = info->header_mask;
        fields(*info, words, dwords, info->payload);
        other_bits(words, dwords);
        write(info->name);
        return dwords;
    }

    const PacketTable& table_;
};

}  // namespace

front::PacketAssembly TextLanguage::assemble(std::string_view text) const {
    return Assembler(packets_, registers_).run(text);
}

std::optional<front::PacketExtent> TextLanguage::extent(const uint32_t* words, size_t count) const {
    const PacketInfo* info = packets_.find(words[0]);
    if (info == nullptr)
        return {};
    return front::PacketExtent{info->name, dwords_known(*info, words, count),
                               count < info->fixed && info->payload != nullptr};
}

std::string TextLanguage::disassemble(const uint32_t* words, size_t count,
                                      const front::PacketListing& listing) const {
    return Lister(packets_, registers_, listing).run(words, count);
}

const regs::RegisterDatabase& TextLanguage::no_registers() {
    static const regs::RegisterDatabase kNone{};
    return kNone;
}

}  // namespace archipelago::dma
