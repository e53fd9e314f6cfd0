// SPDX-License-Identifier: Apache-2.0
#include "models/cp/pm4/packet_program.h"

#include <algorithm>

#include "models/common/error.h"
#include "models/cp/gds_access.h"
#include "models/cp/pm4/packet_stop.h"

namespace archipelago::cp {

namespace {

constexpr uint32_t kRegisterSpace = 0x40000;  // bytes; a packet names registers with 16 bits

}  // namespace

GdsPartition DeState::gds_partition(unsigned ring) const {
    if (!gds_partitioned)
        return {0, kGdsBytes};
    const uint32_t start[] = {0, gds_start[0], gds_start[1], kGdsBytes};
    return {start[ring], start[ring + 1] - start[ring]};
}

// ---- services for programs ----------------------------------------------------------------------

void ProgramState::bad(const std::string& reason) const {
    throw MachineStop(StopKind::BadInput, to_string(location),
                      std::string("packet ") + info->name + ": " + reason);
}

void ProgramState::warn(Warning warning, const std::string& reason) const {
    de->warnings.add(warning, location, std::string("packet ") + info->name + ": " + reason);
}

void ProgramState::missing(const std::string& what) const {
    throw MachineStop(StopKind::Unimplemented, to_string(location),
                      std::string("packet ") + info->name + " " + what + " is not implemented");
}

uint32_t ProgramState::poll_cycles(uint32_t interval) const {
    return poll.unit_cycles * std::max(interval, poll.minimum);
}

uint64_t ProgramState::dword_address(uint32_t lo, uint64_t hi) const {
    const uint64_t at = hi << 32 | lo;
    if (at % 4 != 0)
        bad("address " + hex(at) + " is not dword aligned");
    return at;
}

void ProgramState::check_register_end(uint64_t end) const {
    if (end > kRegisterSpace)
        bad("writes registers up to " + hex(end - 4) + ", beyond the register space");
}

// ---- running a program -------------------------------------------------------------------------

void PacketProgram::start(const PacketInfo& row, uint32_t dword, const uint32_t* dwords,
                          const Location& at, ProgramEngine by, const PollTiming& timing,
                          DeState& state) {
    ProgramState::info = &row;
    ProgramState::de = &state;
    ProgramState::header = dword;
    ProgramState::location = at;
    engine = by;
    poll = timing;
    std::copy_n(dwords, row.fixed, ProgramState::body.begin());
    in_run = false;
    step = index = count = ProgramState::skip = 0;
    write_count = write_next = 0;
    address = sum = 0;
    result = {};
    dump_header_ = by == ProgramEngine::Me && state.header_dump.enabled;
    if (by == ProgramEngine::Me) {
        previous = ring().previous;
        ring().began(row);
    }
}

bool PacketProgram::run_program(MicroOp& op) {
    op.stream = op.wait = false;
    op.dwords = 1;
    op.swap = 0;
    op.path = MemPath::Hub;
    op.limit = PollLimit::None;
    op.kernel = false;
    op.packet = info().name;
    op.field = nullptr;
    if (dump_header_)
        return dump(op);
    return info().run != nullptr && info().run(*this, op);
}

// The header of each packet that ME executes goes to a ring in the kernel's memory
// (ME_INITIALIZE).
bool PacketProgram::dump(MicroOp& op) {
    DeState::HeaderDump& to = de().header_dump;
    dump_header_ = false;
    op.kind = OpKind::MemWrite;
    op.kernel = true;
    op.address = to.base + 4 * uint64_t{to.next};
    op.swap = to.swap;
    op.data[0] = header();
    to.next = to.next + 1 == to.dwords ? 0 : to.next + 1;
    return true;
}

void PacketProgram::check_special_write(uint32_t offset) const {
    const RegisterMap& registers = de().contexts.registers();
    // The prefetch parser is ahead of the packet by a time that no packet knows.
    if (registers.sets_up_ring(offset, location().ring))
        bad("writes register " + hex(offset) + ", which says where and how its own ring is read");
    if (!registers.in_context_window(offset))
        return;
    const char* const where =
        engine == ProgramEngine::Pfp ? "the prefetch parser" : "the constant engine";
    if (offset == registers.copy_state || offset == registers.compute_copy_state) {
        if (!info().is(kCopiesContexts))
            bad("writes register " + hex(offset) + ", with which CP itself copies contexts");
    } else if (offset == registers.draw_initiator) {
        if (location().ring != 0)
            bad("starts a draw on a compute ring");
        if (engine != ProgramEngine::Me)
            bad(std::string("starts a draw at ") + where);
    } else if (engine != ProgramEngine::Me && offset == registers.event_initiator) {
        bad(std::string("starts an event at ") + where);
    } else if (engine != ProgramEngine::Me && registers.of_context(offset)) {
        bad("writes context register " + hex(offset) + " at " + where +
            ", past draws that still use it");
    }
}

void PacketProgram::warn_register(const char* does, uint32_t offset) const {
    warn(Warning::UnknownRegister, std::string(does) + " unknown register " + hex(offset));
}

void PacketProgram::check_event_write(uint8_t type) const {
    const RegisterMap& registers = de().contexts.registers();
    if (registers.events.samples(type))
        missing("writes " + registers.events.name(type) + " to the event initiator, which");
}

std::string describe_wait(const PacketProgram& program, uint32_t last_read) {
    return program.info().wait_text(program.body(), last_read);
}

// ---- left out ----------------------------------------------------------------------------------

const char* to_string(ProgramEngine engine) {
    return engine == ProgramEngine::Me ? "ME" : engine == ProgramEngine::Pfp ? "PFP" : "CE";
}

void skips_too_far(const PacketInfo& skipper, const Location& location, uint32_t dwords,
                   std::optional<uint32_t> left) {
    throw PacketStop(StopKind::BadInput, location, ParseFault::SkipTooFar,
                     std::string("packet ") + skipper.name + " skips " + std::to_string(dwords) +
                         " dwords" + front::too_few_left(location, left));
}

void SkipWalk::take(uint32_t dword, const PacketTable& table, const PacketInfo& skipper,
                    const Location& location) {
    --left_;
    if (in_packet_ != 0) {
        --in_packet_;
        return;
    }
    const unsigned type = header_type(dword);
    if (type == 1 || type == 2)
        return;
    in_packet_ = header_body_dwords(dword);
    if (in_packet_ <= left_)
        return;
    const PacketInfo* info = type == 0 ? &table.type0() : table.find(header_opcode(dword));
    throw MachineStop(StopKind::BadInput, to_string(location),
                      std::string("packet ") + skipper.name + ": EXEC_COUNT ends inside packet " +
                          (info != nullptr ? info->name : "of unknown opcode") + ", which has " +
                          std::to_string(in_packet_ - left_) + " dwords behind it");
}

}  // namespace archipelago::cp
