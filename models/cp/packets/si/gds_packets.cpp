// SPDX-License-Identifier: Apache-2.0
// The global data share: ALLOC_GDS, WRITE_GDS_RAM and ATOMIC_GDS. "Radeon Southern Islands
// Acceleration" 2.8.2, 2.9.1, 2.9.3.
#include <algorithm>

#include "models/cp/gds_access.h"
#include "models/cp/packets/si/field_values.h"
#include "models/cp/packets/si/gds.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/operations.h"
#include "models/gcn/gds_atom.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"

namespace archipelago::cp::si {

namespace alloc_gds {
enum f : uint8_t { kSize };
constexpr PacketField kFields[] = {
    {"SEGMENT_SIZE", 1, 0, 15},
};

bool run(ProgramState& p, MicroOp& op) {
    const uint32_t size = p[f::kSize];
    switch (p.step++) {
        case 0:
            return issue(op, OpKind::WaitGdsStore);
        case 1:
            if (size <= p.de->gds_partition(p.location.ring).bytes)
                return false;
            op.kind = OpKind::RingError;
            op.value =
                regs::si::typed::CP_INT_STATUS_RING0{}.set_RESERVED_BIT_ERROR_INT_STAT(1).raw;
            return true;
        default:
            return false;
    }
}
}  // namespace alloc_gds
constexpr PacketInfo kAllocGds = packet("ALLOC_GDS", 0x1B, PacketClass::State)
                                     .body(1)
                                     .program(alloc_gds::kFields, alloc_gds::run);

namespace write_gds_ram {
enum f : uint8_t { kIndex, kData };
constexpr PacketField kFields[] = {
    {"GDS_INDEX", 1, 0, 15},
    PacketField{"DATA", 2, 0, 31}.every(1),
};

bool run(ProgramState& p, MicroOp& op) {
    if (p.step == 0) {
        p.step = 1;
        p.count = p.body_dwords() - 1;
        p.address = gds_dwords(p, p[f::kIndex], p.count);
    }
    if (write_gds_stream(p, op, false))
        return true;
    // There is no bit for a write confirmation: what follows finds the data there.
    op.kind = OpKind::WaitGds;
    return p.step++ == 1;
}
}  // namespace write_gds_ram
constexpr PacketInfo kWriteGdsRam = packet("WRITE_GDS_RAM", 0x1C, PacketClass::Data)
                                        .body(2, kMaxBodyDwords, 1)
                                        .program(write_gds_ram::kFields, write_gds_ram::run);

namespace atomic_gds {
enum f : uint8_t {
    kOp,
    kCompareSwap,
    kComplete,
    kRead,
    kReadControl,
    kAutoIncrement,
    kDmode,
    kBase,
    kSize,
    kOffset0,
    kOffset1,
    kDestination,
    kSource0,
    kSource0Hi,
    kSource1,
    kSource1Hi,
    kControl
};
constexpr PacketField kFields[] = {
    {"ATOM_OP", 1, 0, 6},       {"ATOM_CMP_SWAP", 1, 16, 16}, {"ATOM_COMPLETE", 1, 17, 17},
    {"ATOM_READ", 1, 18, 18},   {"ATOM_RD_CNTL", 1, 19, 20},  {"AUTO_INCREMENT", 2, 0, 5},
    {"DMODE", 2, 8, 8},         {"ATOM_BASE", 3, 0, 15},      {"ATOM_SIZE", 4, 0, 15},
    {"ATOM_OFFSET0", 5, 0, 7},  {"ATOM_OFFSET1", 5, 16, 23},  {"ATOM_DST", 6, 0, 31},
    {"ATOM_SRC0", 7, 0, 31},    {"ATOM_SRC0_U", 8, 0, 31},    {"ATOM_SRC1", 9, 0, 31},
    {"ATOM_SRC1_U", 10, 0, 31}, {"ATOM_CNTL", 2, 0, 8},
};
constexpr size_t kShown = 16;  // after them: whole dwords, for the program

// Fields that do not go together.
void check(const ProgramState& p) {
    const bool read = p[f::kRead] != 0;
    const uint32_t control = p[f::kReadControl];
    const uint32_t number = p[f::kOp];
    GdsOpcode opcode;
    if (!gds_opcode(number, opcode))
        p.bad("ATOM_OP " + std::to_string(number) + " is not an operation of one lane on memory");
    if (p[f::kComplete] != 0 && read)
        p.bad("ATOM_COMPLETE and ATOM_READ are both set");
    if (p[f::kCompareSwap] != 0) {
        if (!compares(opcode.atomic) || !opcode.returns)
            p.bad("ATOM_CMP_SWAP with ATOM_OP " + std::to_string(number) +
                  ", which is not a compare-and-swap that returns");
        if (!read)
            p.bad("ATOM_CMP_SWAP without ATOM_READ");
        if (control != (opcode.bytes == 8 ? 2u : 0u))
            p.bad("ATOM_CMP_SWAP with ATOM_RD_CNTL " + std::to_string(control) + " and " +
                  std::to_string(8 * opcode.bytes) + " bits");
    }
    if (read && !opcode.returns)
        p.bad("ATOM_READ with ATOM_OP " + std::to_string(number) + ", which returns nothing");
    if (p[f::kControl] >> 6 & 3)
        p.bad("reserved bits of ATOM_CNTL");
}

GdsAtom atom_of(const ProgramState& p) {
    GdsAtom atom;
    atom.op = p[f::kOp];
    atom.cntl = p[f::kControl];
    atom.offset0 = p[f::kOffset0];
    atom.offset1 = p[f::kOffset1];
    atom.dst = p[f::kDestination];
    atom.src0 = p[f::kSource0];
    atom.src0_u = p[f::kSource0Hi];
    atom.src1 = p[f::kSource1];
    atom.src1_u = p[f::kSource1Hi];
    return atom;
}

bool run(ProgramState& p, MicroOp& op) {
    const bool loop = p[f::kCompareSwap] != 0;
    const bool complete = p[f::kComplete] != 0;
    const bool read = p[f::kRead] != 0;
    const uint32_t control = p[f::kReadControl];  // two values in bit 0, 64 bits in bit 1
    enum : uint32_t { kIssue, kFound, kStore, kAgain };
    if (p.step == kIssue)
        check(p);
    GdsOpcode opcode;
    gds_opcode(p[f::kOp], opcode);
    GdsAtom atom = atom_of(p);
    switch (p.step) {
        case kAgain:
        case kIssue: {
            const uint32_t base = p[f::kBase];
            atom.base = gds_address(p, base, 0);
            // Clamping never begins after the ring's partition.
            atom.size = std::min(p[f::kSize], p.de->gds_partition(p.location.ring).bytes - base);
            op.kind = OpKind::GdsAtomic;
            op.atom = atom;
            op.wait = read;
            p.step = kFound;
            return true;
        }
        case kFound:
            if (!read) {
                op.kind = OpKind::WaitGds;
                p.step = kStore;
                p.index = 4;
                return complete;
            }
            if (loop && !gds_compare_passed(atom, opcode, p.result.value)) {
                p.step = kAgain;
                return delay(op, p.poll_cycles(0));
            }
            std::copy_n(p.result.data.begin(), 4, p.words.begin());
            p.step = kStore;
            break;
        default:
            break;
    }
    // 0 and 2 are the lower halves of the two values, 1 and 3 the upper ones.
    while (p.index < 4) {
        const uint32_t i = p.index++;
        if ((i >= 2 && (control & 1) == 0) || (i % 2 != 0 && (control & 2) == 0))
            continue;
        return write_register(op, regs::si::CP_GDS_ATOMIC0_PREOP_LO + 4 * i, p.words[i]);
    }
    return false;
}

std::string describe_wait(const PacketInfo& info, const uint32_t* body, uint32_t last_read) {
    const auto field = [&](unsigned i) { return info.fields[i].in(body); };
    if (field(f::kCompareSwap) == 0)
        return {};
    const uint32_t place = field(f::kBase) + field(f::kDestination) + field(f::kOffset0);
    return " until " + hex(field(f::kSource0)) + " is at GDS " + hex(place) + " (last " +
           hex(last_read) + ")";
}
}  // namespace atomic_gds
constexpr PacketInfo kAtomicGds = packet("ATOMIC_GDS", 0x1D, PacketClass::Sync)
                                      .body(10)
                                      .flags(kOwnRegisters)
                                      .fields(atomic_gds::kFields, atomic_gds::kShown)
                                      .waits(atomic_gds::describe_wait)
                                      .runs(atomic_gds::run);

}  // namespace archipelago::cp::si
