// SPDX-License-Identifier: Apache-2.0
// COPY_DW: one dword between memory and registers, as the Linux radeon driver checks it; older than
// COPY_DATA.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"

namespace archipelago::cp::si {

namespace copy_dw {
enum f : uint8_t {
    kSource,
    kDestination,
    kSourceRegister,
    kSourceLo,
    kSourceHi,
    kRegister,
    kAddressLo,
    kAddressHi
};
constexpr FieldCondition kFromRegister = when({"SRC_SPACE", 1, 0, 0}, {0});
constexpr FieldCondition kFromMemory = when({"SRC_SPACE", 1, 0, 0}, {1});
constexpr FieldCondition kToRegister = when({"DST_SPACE", 1, 1, 1}, {0});
constexpr FieldCondition kToMemory = when({"DST_SPACE", 1, 1, 1}, {1});
constexpr PacketField kFields[] = {
    {"SRC_SPACE", 1, 0, 0, &kSpaces},
    {"DST_SPACE", 1, 1, 1, &kSpaces},
    PacketField{"SRC_REGISTER", 2, 0, 15, &kAnyRegister}.when(kFromRegister),
    PacketField{"SRC_ADDR_LO", 2, 2, 31, &kAddress}.when(kFromMemory),
    PacketField{"SRC_ADDR_HI", 3, 0, 15}.when(kFromMemory),
    PacketField{"DST_REGISTER", 4, 0, 15, &kAnyRegister}.when(kToRegister),
    PacketField{"DST_ADDR_LO", 4, 2, 31, &kAddress}.when(kToMemory),
    PacketField{"DST_ADDR_HI", 5, 0, 15}.when(kToMemory),
};

// One dword between memory and registers; older than COPY_DATA.
bool run(ProgramState& p, MicroOp& op) {
    if (p.step == 0) {
        if (p[f::kDestination] == 0)
            p.check_register_end(4 * uint64_t{p[f::kRegister]} + 4);
        else
            p.dword_address(p.dword(f::kAddressLo), p[f::kAddressHi]);
        if (p[f::kSource] == 0) {
            read_register(op, 4 * p[f::kSourceRegister]);
        } else {
            p.address_in(f::kSourceLo, op);
            read_memory(op, p.dword_address(p.dword(f::kSourceLo), p[f::kSourceHi]));
        }
        p.step = 1;
        return true;
    }
    if (p.step++ == 2)
        return false;
    if (p[f::kDestination] == 0) {
        write_register(op, 4 * p[f::kRegister], static_cast<uint32_t>(p.result.value));
    } else {
        p.address_in(f::kAddressLo, op);
        write_dword(op, p.dword_address(p.dword(f::kAddressLo), p[f::kAddressHi]),
                    static_cast<uint32_t>(p.result.value));
    }
    return true;
}
}  // namespace copy_dw
constexpr PacketInfo kCopyDw =
    packet("COPY_DW", 0x3B, PacketClass::Data).body(5).program(copy_dw::kFields, copy_dw::run);

}  // namespace archipelago::cp::si
