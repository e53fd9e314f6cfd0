// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/pm4/text.h"
#include "models/afuc/pm4/text_rules.h"
#include "models/front/text/packet_assembler.h"
#include "models/front/text/syntax.h"

namespace archipelago::afuc {
namespace {

using front::refuse;
using front::Token;
using front::TokenKind;

class Assembler final : public front::PacketAssembler {
  public:
    explicit Assembler(const Pm4Language& language)
        : PacketAssembler(language.registers(), {"body dwords", "its body", kMaxBodyDwords},
                          kTextRules),
          table_(language.packets()) {}

  private:
    struct Flags {
        const Token* count_token = nullptr;  // null: not given
        uint32_t count = 0;
        int opcode = -1;
    };

    Flags flags() {
        Flags flags;
        if (!take_mark('['))
            return flags;
        do {
            const Token& name = take();
            if (name.kind == TokenKind::Name && name.text == "opcode") {
                flags.opcode = static_cast<int>(flag_value(kMaxOpcode));
            } else if (name.kind == TokenKind::Name && name.text == "count") {
                flags.count_token = &name;
                flags.count = flag_value(kMaxBodyDwords);
            } else {
                refuse(name, fmt::format("unknown flag {}", quoted(name)), std::string(name.text),
                       {"count", "opcode"});
            }
        } while (take_mark(','));
        expect(']');
        return flags;
    }

    void packet(const Token& name) override {
        if (name.text == "PKT4")
            type4(name);
        else if (name.text == "PKT7")
            type7(name, raw_packet(), -1);
        else {
            const Packet& packet = row_of(table_, name, {"PKT4", "PKT7", ".word", ".byte"});
            type7(name, packet, packet.opcode);
        }
    }

    void type7(const Token& name, const front::PacketShape& packet, int opcode) {
        const Flags f = flags();
        if (f.opcode >= 0)
            opcode = f.opcode;
        if (opcode < 0)
            refuse(name, "PKT7 needs [opcode=...]");
        begin();
        items(packet, f.count);
        choose_fields(packet);
        const uint32_t size = body_size(packet, f, name);
        dwords_.resize(size);
        conditional_fields(packet, size);
        emit(make_type7_header(static_cast<unsigned>(opcode), size));
        for (const uint32_t dword : dwords_)
            emit(dword);
    }

    uint32_t body_size(const front::PacketShape& packet, const Flags& f, const Token& name) const {
        if (f.count_token != nullptr) {
            if (f.count < highest_)
                refuse(*f.count_token, fmt::format("the fields take {} body dwords, count says {}",
                                                   highest_, f.count));
            return f.count;
        }
        const uint32_t size = std::max(packet.min_dwords, highest_);
        if (size > packet.max_dwords)
            refuse(name,
                   fmt::format("{} has {}{} body dwords, the fields take {}; [count={}] if meant",
                               packet.name, packet.min_dwords == packet.max_dwords ? "" : "up to ",
                               packet.max_dwords, size, size));
        return size;
    }

    // ---- registers ----

    void type4(const Token& type) {
        if (take_mark('[')) {
            no_registers();
            return;
        }
        std::vector<uint32_t> values;
        uint32_t first = 0, next = 0;
        do {
            const Token& name = take();
            if (name.kind != TokenKind::Name && name.kind != TokenKind::Number)
                refuse(name, fmt::format("expected a register, found {}", quoted(name)));
            const uint32_t index = register_offset(name) / 4;
            if (values.empty())
                first = checked(name, index);
            else if (index != next)
                not_next(name, index, next);
            next = index + 1;
            expect('=');
            values.push_back(register_value(db_.find(index * 4), name.text));
            if (values.size() > kMaxRegisters)
                refuse(type, fmt::format("a packet writes at most {} registers", kMaxRegisters));
        } while (take_mark(','));
        emit(make_type4_header(first, static_cast<uint32_t>(values.size())));
        for (const uint32_t value : values)
            emit(value);
    }
    // [first=register]: a header that nothing follows.
    void no_registers() {
        const Token& flag = take();
        if (flag.text != "first")
            refuse(flag, fmt::format("unknown flag {}", quoted(flag)), std::string(flag.text),
                   {"first"});
        expect('=');
        const Token& name = take();
        if (name.kind != TokenKind::Name && name.kind != TokenKind::Number)
            refuse(name, fmt::format("expected a register, found {}", quoted(name)));
        const uint32_t first = checked(name, register_offset(name) / 4);
        expect(']');
        emit(make_type4_header(first, 0));
    }
    static uint32_t checked(const Token& name, uint32_t index) {
        if (index > kMaxRegister)
            refuse(name, fmt::format("PKT4 reaches register 0x{:x}, not {}", kMaxRegister,
                                     named(name, index)));
        return index;
    }
    [[noreturn]] void not_next(const Token& name, uint32_t index, uint32_t expected) const {
        const regs::RegisterInfo* info = db_.find(expected * 4);
        refuse(name, fmt::format("{} is not the next register, which is {}", named(name, index),
                                 info != nullptr ? std::string(info->name)
                                                 : fmt::format("0x{:x}", expected)));
    }
    // "CP_RB_CNTL (0x802)"; a number is its own name.
    static std::string named(const Token& name, uint32_t index) {
        return name.kind == TokenKind::Number ? std::string(name.text)
                                              : fmt::format("{} (0x{:x})", name.text, index);
    }

    const PacketTable& table_;
};

}  // namespace

front::PacketAssembly Pm4Language::assemble(std::string_view text) const {
    return Assembler(*this).run(text);
}

}  // namespace archipelago::afuc
