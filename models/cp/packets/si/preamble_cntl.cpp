// SPDX-License-Identifier: Apache-2.0
// PREAMBLE_CNTL: what public drivers emit around the clear state.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_program.h"

namespace archipelago::cp::si {

constexpr ValueName kPreambleNames[] = {
    {0, "PREAMBLE_BEGIN"}, {1, "PREAMBLE_END"}, {2, "CLEAR_STATE_BEGIN"}, {3, "CLEAR_STATE_END"}};
constexpr FieldMeaning kPreamble = value_names(kPreambleNames);
namespace preamble_cntl {
enum f : uint8_t { kCommand };
constexpr PacketField kFields[] = {
    {"COMMAND", 1, 28, 31, &kPreamble},
};

bool run(ProgramState& p, MicroOp&) {
    const uint32_t command = p[f::kCommand];
    if ((p.body[0] & 0x0FFFFFFFu) != 0)
        p.bad("reserved bits beside COMMAND in " + hex(p.body[0]));
    if (command > 3)
        p.bad("reserved COMMAND " + std::to_string(command));
    bool& open = p.de->contexts.preamble;
    if (command >= 2 && open == (command == 2))
        p.bad(open ? "begins a clear state inside a clear state"
                   : "ends a clear state that has not begun");
    if (command >= 2)
        open = command == 2;
    return false;
}
}  // namespace preamble_cntl
constexpr PacketInfo kPreambleCntl = packet("PREAMBLE_CNTL", 0x4A, PacketClass::State)
                                         .body(1)
                                         .program(preamble_cntl::kFields, preamble_cntl::run);

}  // namespace archipelago::cp::si
