// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/cp/pm4/text.h"
#include "models/front/text/packet_assembler.h"
#include "models/front/text/syntax.h"

namespace archipelago::cp {

namespace {

using front::HeaderFlag;
using front::refuse;
using front::Token;

class Assembler final : public front::PacketAssembler {
  public:
    explicit Assembler(const Pm4Language& language)
        : PacketAssembler(language.registers, {"body dwords", "its body", kMaxBodyDwords}),
          table_(language.packets) {}

  private:
    void packet(const Token& name) override {
        if (name.text == "TYPE0")
            return type0();
        if (name.text == "TYPE2") {
            HeaderFlag reserved{"reserved", 0x3FFFFFFF};
            header_flags({&reserved});
            return emit(0x80000000u | reserved.value);
        }
        type3(name, name.text == "PACKET3"
                        ? nullptr
                        : &row_of(table_, name, {"TYPE0", "TYPE2", "PACKET3", ".word", ".byte"}));
    }

    // `info` null: a packet of any opcode.
    void type3(const Token& name, const PacketInfo* info) {
        HeaderFlag compute{"compute"}, predicate{"predicate"}, count{"count", kMaxBodyDwords},
            opcode{"opcode", 0xFF}, reserved{"reserved", 0x3F};
        header_flags({&compute, &predicate, &count, &opcode, &reserved});
        if (count.given != nullptr && count.value == 0)
            refuse(*count.given, "a packet has at least 1 body dword");
        if (info == nullptr && opcode.given == nullptr)
            refuse(name, "PACKET3 needs [opcode=...]");
        if (opcode.given == nullptr)
            opcode.value = info->opcodes[0];
        begin();
        if (info == nullptr) {
            raw_items();
        } else {
            next_register_ = 0;
            items(*info, count.value);
        }
        const uint32_t least =
            info != nullptr ? std::max(front::default_dwords(*info), wanted_) : 1;
        const uint32_t size = counted_dwords(info, least, count, name);
        dwords_.resize(size);
        if (info != nullptr)
            conditional_fields(*info, size);
        emit_packet(make_header(static_cast<uint8_t>(opcode.value), size, compute.value != 0) |
                    reserved.value << 2 | predicate.value);
    }

    void raw_items() {
        uint32_t next = 1;
        while (at_item()) {
            const Token& name = take();
            if (!raw_dword(name)) {
                if (name.text != "DATA")
                    refuse(name, fmt::format("unknown field {}", quoted(name)),
                           std::string(name.text), {"DATA", "DW1"});
                expect('=');
                const bool list = take_mark('[');
                do {
                    const uint32_t value = word("a number");
                    touch(next, name);
                    dwords_[next++ - 1] |= value;
                } while (list && take_mark(','));
                if (list)
                    expect(']');
            }
            if (!take_mark(','))
                return;
        }
    }

    // ---- registers ----
    // REGISTER = value of a SET_*_REG; the first one sets REG_OFFSET.
    bool other_item(const front::PacketShape& packet, const Token& name) override {
        const auto& info = static_cast<const PacketInfo&>(packet);
        if (!info.is(kSetsRegisters))
            return false;
        const uint32_t window = info.window->start;
        const uint32_t offset = register_offset(name);
        if (next_register_ == 0 && (offset < window || (offset - window) / 4 > 0xFFFF))
            refuse(name, fmt::format("{} writes registers from 0x{:05x} on, {} is 0x{:05x}",
                                     info.name, window, name.text, offset));
        if (next_register_ == 0) {
            touch(1, name);
            dwords_[0] |= (offset - window) / 4;
            first_register_ = offset;
        } else if (offset != next_register_) {
            not_next(name, offset, next_register_);
        }
        next_register_ = offset + 4;
        expect('=');
        const uint32_t value = register_value(db_.find(offset), name.text);
        const uint32_t dword = 2 + (offset - first_register_) / 4;
        touch(dword, name);
        dwords_[dword - 1] |= value;
        return true;
    }
    void type0() {
        header_flags({});
        const front::RegisterRun run = register_run(
            kMaxBodyDwords, fmt::format("a packet has at most {} body dwords", kMaxBodyDwords),
            [](const Token& name, uint32_t offset) {
                if (offset / 4 > 0xFFFF)
                    refuse(name,
                           fmt::format("TYPE0 reaches 0x3fffc, {} is 0x{:05x}", name.text, offset));
            });
        dwords_ = run.values;
        emit_packet(make_type0_header(run.first, static_cast<uint32_t>(run.values.size())));
    }

    const PacketTable& table_;
    // Of the packet at hand.
    uint32_t next_register_ = 0, first_register_ = 0;
};

}  // namespace

front::PacketAssembly Pm4Language::assemble(std::string_view text) const {
    return Assembler(*this).run(text);
}

}  // namespace archipelago::cp
