// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/cp/pm4/text.h"
#include "models/front/text/packet_assembler.h"
#include "models/front/text/syntax.h"

namespace archipelago::cp {

namespace {

using front::refuse;
using front::Token;
using front::TokenKind;

class Assembler final : public front::PacketAssembler {
  public:
    explicit Assembler(const Pm4Language& language)
        : PacketAssembler(language.registers, {"body dwords", "its body", kMaxBodyDwords}),
          table_(language.packets) {}

  private:
    struct Flags {
        bool compute = false, predicate = false;
        uint32_t reserved = 0;
        uint32_t count = 0;  // 0: not given
        const Token* count_token = nullptr;
        int opcode = -1;
    };

    Flags flags(bool type3, bool type2) {
        Flags flags;
        if (!take_mark('['))
            return flags;
        do {
            const Token& name = take();
            if (name.kind == TokenKind::Name && name.text == "compute" && type3) {
                flags.compute = true;
            } else if (name.kind == TokenKind::Name && name.text == "predicate" && type3) {
                flags.predicate = true;
            } else if (name.kind == TokenKind::Name && name.text == "reserved" &&
                       (type3 || type2)) {
                flags.reserved = flag_value(type2 ? 0x3FFFFFFF : 0x3F);
            } else if (name.kind == TokenKind::Name && name.text == "opcode" && type3) {
                flags.opcode = static_cast<int>(flag_value(0xFF));
            } else if (name.kind == TokenKind::Name && name.text == "count" && type3) {
                flags.count_token = &name;
                flags.count = flag_value(kMaxBodyDwords);
                if (flags.count == 0)
                    refuse(name, "a packet has at least 1 body dword");
            } else {
                std::vector<std::string> known;
                if (type3)
                    known = {"compute", "predicate", "count", "opcode", "reserved"};
                else if (type2)
                    known = {"reserved"};
                refuse(name, fmt::format("unknown flag {}", quoted(name)), std::string(name.text),
                       std::move(known));
            }
        } while (take_mark(','));
        expect(']');
        return flags;
    }

    void packet(const Token& name) override {
        if (name.text == "TYPE2") {
            const Flags f = flags(false, true);
            emit(0x80000000u | f.reserved);
            return;
        }
        if (name.text == "TYPE0") {
            flags(false, false);
            type0(name);
            return;
        }
        const PacketInfo* info =
            name.text == "PACKET3"
                ? nullptr
                : &row_of(table_, name, {"TYPE0", "TYPE2", "PACKET3", ".word", ".byte"});
        const Flags f = flags(true, false);
        if (info == nullptr && f.opcode < 0)
            refuse(name, "PACKET3 needs [opcode=...]");
        const auto opcode = static_cast<uint8_t>(f.opcode >= 0 ? f.opcode : info->opcodes[0]);
        begin();
        if (info == nullptr) {
            raw_items();
        } else {
            next_register_ = 0;
            items(*info, f.count);
        }
        const uint32_t size = body_size(info, f, name);
        dwords_.resize(size);
        if (info != nullptr)
            conditional_fields(*info, size);
        emit(0xC0000000u | (size - 1) << 16 | uint32_t{opcode} << 8 | f.reserved << 2 |
             (f.compute ? 2u : 0u) | (f.predicate ? 1u : 0u));
        for (const uint32_t dword : dwords_)
            emit(dword);
    }

    uint32_t body_size(const PacketInfo* info, const Flags& f, const Token& name) const {
        uint32_t size = f.count;
        if (size == 0)
            size =
                std::max({info != nullptr ? front::default_dwords(*info) : 1, highest_, wanted_});
        if (size < highest_)
            refuse(*f.count_token,
                   fmt::format("the fields take {} body dwords, count says {}", highest_, size));
        if (info != nullptr && f.count == 0 && (size < info->min_dwords || size > info->max_dwords))
            refuse(name,
                   fmt::format("{} has {}{} body dwords, the fields take {}; [count={}] if meant",
                               info->name, info->min_dwords == info->max_dwords ? "" : "up to ",
                               info->max_dwords, size, size));
        return size;
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
    [[noreturn]] void not_next(const Token& name, uint32_t offset, uint32_t expected) const {
        refuse(name,
               fmt::format("{} (0x{:05x}) is not the next register, which is {}", name.text, offset,
                           db_.find(expected) != nullptr ? std::string(db_.find(expected)->name)
                                                         : fmt::format("0x{:05x}", expected)));
    }
    void type0(const Token& type) {
        std::vector<uint32_t> values;
        uint32_t first = 0, next = 0;
        do {
            const Token& name = take();
            if (name.kind != TokenKind::Name && name.kind != TokenKind::Number)
                refuse(name, fmt::format("expected a register, found {}", quoted(name)));
            const uint32_t offset = register_offset(name);
            if (values.empty()) {
                if (offset / 4 > 0xFFFF)
                    refuse(name,
                           fmt::format("TYPE0 reaches 0x3fffc, {} is 0x{:05x}", name.text, offset));
                first = offset;
            } else if (offset != next) {
                not_next(name, offset, next);
            }
            next = offset + 4;
            expect('=');
            values.push_back(register_value(db_.find(offset), name.text));
            if (values.size() > kMaxBodyDwords)
                refuse(type, fmt::format("a packet has at most {} body dwords", kMaxBodyDwords));
        } while (take_mark(','));
        emit(make_type0_header(first, static_cast<uint32_t>(values.size())));
        for (const uint32_t value : values)
            emit(value);
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
