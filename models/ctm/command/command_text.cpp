// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/command/command_text.h"

#include <fmt/format.h>

#include "models/common/register_info.h"
#include "models/ctm/command/command.h"
#include "models/front/text/packet_assembler.h"
#include "models/front/text/packet_lister.h"

namespace archipelago::ctm {
namespace {

// Commands name no registers.
const regs::RegisterDatabase& no_registers() {
    static const regs::RegisterDatabase kNone{};
    return kNone;
}

class Assembler final : public front::PacketAssembler {
  public:
    Assembler() : PacketAssembler(no_registers(), {"parameters", "it", kMaxParameters}) {}

  private:
    void packet(const front::Token& name) override {
        const CommandInfo& info = row_of(commands(), name, {".word", ".byte"});
        begin();
        touch(info.parameters, name);
        items(info, 0);
        if (highest_ > info.parameters)
            front::refuse(name, fmt::format("{} has {} parameters, the fields take {}", info.name,
                                            info.parameters, highest_));
        emit_packet(info.header);
    }
};

class Lister final : public front::PacketLister {
  public:
    explicit Lister(const front::PacketListing& listing) : PacketLister(no_registers(), listing) {}

  private:
    size_t packet(const uint32_t* words, size_t count) override {
        const CommandInfo* info = commands().find(words[0]);
        if (info == nullptr) {
            write_word(words[0], "no command has this header");
            return 1;
        }
        if (count <= info->parameters)
            return write_cut_off(words, count,
                                 fmt::format("{}, cut off: {} of {} parameters", info->name,
                                             count - 1, info->parameters));
        covered_.assign(info->parameters, 0);
        fields(*info, words + 1, info->parameters);
        other_bits(words + 1, info->parameters);
        write(info->name);
        return size_t{1} + info->parameters;
    }
};

}  // namespace

front::PacketAssembly CommandLanguage::assemble(std::string_view text) const {
    return Assembler().run(text);
}

std::string CommandLanguage::disassemble(const uint32_t* words, size_t count,
                                         const front::PacketListing& listing) const {
    return Lister(listing).run(words, count);
}

}  // namespace archipelago::ctm
