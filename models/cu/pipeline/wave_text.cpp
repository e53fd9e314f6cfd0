// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/wave_text.h"

#include "models/common/text.h"
#include "models/common/transaction_id.h"
#include "models/cu/isa/isa.h"
#include "models/cu/pipeline/wave_init.h"
#include "models/gcn/wave_name.h"

namespace archipelago::cu {
namespace {

// "saxpy.cl:7" of "/home/me/saxpy.cl".
std::string short_line(const SourceLine& line) {
    return line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.line);
}

}  // namespace

WaveText wave_text(const WaveLaunch& launch, const TraceSink& sink,
                   std::optional<uint64_t> last_pc) {
    const bool compute = launch.stage == ShaderStage::Cs;
    const std::string number = std::to_string(launch.dispatch);
    WaveText text{sink.program_name(launch.pc), {}, 0};
    text.name += text.name.empty() ? "" : ", ";
    text.name += compute ? "group " + std::to_string(launch.group) + " w " +
                               std::to_string(launch.wave_in_group)
                         : wave_name(launch);
    text.detail = (compute ? "dispatch " : "draw ") + number;
    if (compute)
        text.detail += ", work-group " + std::to_string(launch.group) + ", wave " +
                       std::to_string(launch.wave_in_group) + " of " +
                       std::to_string(launch.waves_in_group);
    text.detail += ", pc " + hex(launch.pc);
    if (last_pc)
        text.detail += "-" + hex(*last_pc);
    if (launch.group == 0 && launch.wave_in_group == 0)
        text.flow = compute ? launch.dispatch : draw_flow(launch.dispatch);
    return text;
}

std::string_view InstructionTexts::of(uint64_t program, uint64_t pc, const Decoded* decoded,
                                      const TraceSink& sink) {
    Entry& entry = entries_[pc];
    const bool same_program = !entry.text.empty() && entry.program == program;
    if (same_program && (decoded == nullptr || entry.decoded == decoded))
        return entry.text;
    entry = {program, decoded, {}};
    if (decoded != nullptr && decoded->action != Action::Illegal)
        entry.text = isa::disassemble(decoded->inst, pc) + "; ";
    entry.text += "pc " + hex(pc);
    if (sink.programs() == nullptr)
        return entry.text;
    if (const auto line = sink.programs()->source(program, pc))
        entry.text += "; " + short_line(*line);
    return entry.text;
}

}  // namespace archipelago::cu
