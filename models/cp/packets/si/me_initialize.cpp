// SPDX-License-Identifier: Apache-2.0
// ME_INITIALIZE: "Radeon Southern Islands Acceleration" 2.4.3.
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace me_initialize {
enum f : uint8_t {
    kReset,
    kMaxContext,
    kDevice,
    kSwap,
    kDumpBase,
    kDumpSwap,
    kHeaderDump,
    kDumpSize
};
constexpr PacketField kFields[] = {
    {"DEFAULT_RESET_CONTROL", 1, 0, 0},
    {"MAX_CONTEXT", 3, 0, 2},
    {"DEVICE_ID", 4, 16, 23},
    {"EXTERNAL_MEM_SWAP", 4, 0, 1, &kSwaps},
    {"HEADER_DUMP_BASE", 5, 4, 31, &kAddress},
    {"HEADER_DUMP_SWAP", 5, 0, 1, &kSwaps},
    {"HEADER_DUMP_ENABLE", 6, 31, 31},
    {"HEADER_DUMP_SIZE", 6, 0, 29},
};

// Contexts change hands when none is in the pipe. DEFAULT_RESET_CONTROL also forgets what packets
// have left for later ones on all rings.
bool run(ProgramState& p, MicroOp& op) {
    if (p.engine != ProgramEngine::Me)
        return false;  // the constant engine keeps nothing that it sets
    const uint32_t* body = p.body.data();
    const uint32_t contexts = p[f::kMaxContext];
    Contexts& c = p.de->contexts;
    const bool reset = p[f::kReset] != 0;
    if (p.step == 0) {
        if (p.location.vmid != 0)
            p.bad("is the kernel's: it sets up all rings and dumps headers to the kernel's memory");
        if (body[0] >> 1 != 0 || body[1] != 0 || body[2] >> 3 != 0 ||
            (body[3] & 0xFF00FFFCu) != 0 || (body[4] & 0xC) != 0 || (body[5] >> 30 & 1) != 0)
            p.bad("reserved bits are not zero");
        if (contexts == 0)
            p.bad("MAX_CONTEXT 0");
        const uint32_t device = p[f::kDevice];
        if (device == 0 || (device & (device - 1)) != 0)
            p.bad("DEVICE_ID " + hex(device) + " is not one-hot");
        if (p[f::kSwap] > kMaxDwordSwap || p[f::kDumpSwap] > kMaxDwordSwap)
            p.bad("reserved swap code 3");
        if (p[f::kHeaderDump] != 0 && p[f::kDumpSize] == 0)
            p.bad("HEADER_DUMP_SIZE 0");
        p.step = 1;
        if (reset || contexts != c.max)
            return issue(op, OpKind::ContextsIdle);
    }
    if (p.step != 1)
        return false;
    p.step = 2;
    DeState::HeaderDump& dump = p.de->header_dump;
    p.de->initialized = true;
    p.de->device_id = static_cast<uint8_t>(p[f::kDevice]);
    p.de->external_swap = static_cast<uint8_t>(p[f::kSwap]);
    dump.enabled = p[f::kHeaderDump] != 0;
    dump.base = uint64_t{p[f::kDumpBase]} << 12;
    dump.dwords = p[f::kDumpSize];
    dump.next = 0;
    // The swap of headers has a field of its own; 0 leaves it to the one for all transactions.
    dump.swap = static_cast<uint8_t>(p[f::kDumpSwap] != 0 ? p[f::kDumpSwap] : p[f::kSwap]);
    c.max = static_cast<uint8_t>(contexts);
    const uint8_t from = reset ? 0 : c.current;
    if (reset) {
        for (DeState::Ring& ring : p.de->rings) {
            ring.base = {};
            ring.base_set = {};
            ring.load_enable = ring.shadow_enable = 0;
            ring.register_base = {};
            ring.register_base_set = {};
        }
    } else if (c.current <= c.max) {
        return false;
    }
    c.current = 1;
    c.drawn = c.closed = c.preamble = false;
    return write_register(op, regs::si::GFX_COPY_STATE, from);
}

void note(const PacketInfo& info, const uint32_t* body, DeState& state) {
    state.pfp_device_id = static_cast<uint8_t>(info.fields[f::kDevice].in(body));
}
}  // namespace me_initialize
constexpr PacketInfo kMeInitialize = packet("ME_INITIALIZE", 0x44, PacketClass::State)
                                         .rings(kRingGfx)
                                         .engine(PacketEngine::Both)
                                         .body(6)
                                         .flags(kCopiesContexts | kOwnRegisters | kCeFetch)
                                         .fields(me_initialize::kFields)
                                         .noted(me_initialize::note)
                                         .runs(me_initialize::run);

}  // namespace archipelago::cp::si
