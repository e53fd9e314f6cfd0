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

using front::HeaderFlag;
using front::refuse;
using front::Token;

class Assembler final : public front::PacketAssembler {
  public:
    explicit Assembler(const Pm4Language& language)
        : PacketAssembler(language.registers(), {"body dwords", "its body", kMaxBodyDwords},
                          kTextRules),
          table_(language.packets()) {}

  private:
    void packet(const Token& name) override {
        if (name.text == "PKT4")
            type4();
        else if (name.text == "PKT7")
            type7(name, raw_packet(), -1);
        else {
            const Packet& packet = row_of(table_, name, {"PKT4", "PKT7", ".word", ".byte"});
            type7(name, packet, packet.opcode);
        }
    }

    void type7(const Token& name, const front::PacketShape& packet, int opcode) {
        HeaderFlag count{"count", kMaxBodyDwords}, other_opcode{"opcode", kMaxOpcode};
        header_flags({&count, &other_opcode});
        if (other_opcode.given != nullptr)
            opcode = static_cast<int>(other_opcode.value);
        if (opcode < 0)
            refuse(name, "PKT7 needs [opcode=...]");
        begin();
        items(packet, count.value);
        choose_fields(packet);
        const uint32_t size = counted_dwords(&packet, packet.min_dwords, count, name);
        dwords_.resize(size);
        conditional_fields(packet, size);
        emit_packet(make_type7_header(static_cast<unsigned>(opcode), size));
    }

    // ---- registers ----

    void type4() {
        if (take_mark('[')) {
            no_registers();
            return;
        }
        const front::RegisterRun run = register_run(
            kMaxRegisters, fmt::format("a packet writes at most {} registers", kMaxRegisters),
            [this](const Token& name, uint32_t offset) { check_reach(name, offset); });
        dwords_ = run.values;
        emit_packet(make_type4_header(run.first / 4, static_cast<uint32_t>(run.values.size())));
    }
    // [first=register]: a header that nothing follows.
    void no_registers() {
        const Token& flag = take();
        if (flag.text != "first")
            refuse(flag, fmt::format("unknown flag {}", quoted(flag)), std::string(flag.text),
                   {"first"});
        expect('=');
        const Token& name = register_token();
        const uint32_t offset = register_offset(name);
        check_reach(name, offset);
        expect(']');
        emit(make_type4_header(offset / 4, 0));
    }
    void check_reach(const Token& name, uint32_t offset) const {
        if (offset / 4 > kMaxRegister)
            refuse(name, fmt::format("PKT4 reaches register 0x{:x}, not {}", kMaxRegister,
                                     register_text(name, offset)));
    }

    const PacketTable& table_;
};

}  // namespace

front::PacketAssembly Pm4Language::assemble(std::string_view text) const {
    return Assembler(*this).run(text);
}

}  // namespace archipelago::afuc
