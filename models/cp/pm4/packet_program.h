// SPDX-License-Identifier: Apache-2.0
// What the packets do, written once for both modes: a packet's program emits micro-operations and
// sees their results. "Radeon Southern Islands Acceleration" section 2.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/common/text.h"
#include "models/cp/context_state.h"
#include "models/cp/micro_op.h"
#include "models/cp/pm4/packet_table.h"
#include "models/cp/pm4/warnings.h"
#include "models/cp/pm4/work_places.h"

namespace archipelago::cp {

// A ring's part of the global data share, in bytes.
struct GdsPartition {
    uint32_t start = 0;
    uint32_t bytes = 0;
};

// What packets leave in the drawing engine for later packets.
struct DeState {
    // Of SET_PREDICATION (2.7.4); PFP's.
    struct Predication {
        bool skip = false;       // packets with the PREDICATE bit
        uint8_t operation = 0;   // that a continuing packet goes on with; 0: none
        bool undecided = false;  // hint: a count was not there, so draw
        bool overflow = false;
        uint64_t zpass = 0;
    };
    struct Ring {
        Predication predication;
        uint64_t atomic_return = 0;  // what the last ATOMIC found
        // Whether the packet ME began before the present one starts a draw or a dispatch: kStarts*;
        // EVENT_WRITE_EOS does not count (2.1.5).
        uint16_t previous = 0;
        void began(const PacketInfo& info) {
            if (!info.is(kEndsShader))
                previous = info.flags & (kStartsDraw | kStartsDispatch);
        }
        std::array<uint64_t, 2> base{};  // SET_BASE 0 and 1; bytes
        std::array<bool, 2> base_set{};
        std::array<uint32_t, 2> ce_partition{};
        // CONTEXT_CONTROL: bits of RegisterSpace. Where LOAD_*_REG and shadowed SET_*_REG find the
        // registers of each space in memory.
        uint16_t load_enable = 0;
        uint16_t shadow_enable = 0;
        std::array<uint64_t, kMaxRegisterSpaces> register_base{};
        std::array<bool, kMaxRegisterSpaces> register_base_set{};
        // Buffers of the constant engine: DE1 DE0 of 2.5.15, the one in use, and
        // INCREMENT_DE_COUNTERs of each that have not left the pipe.
        uint8_t ce_buffers = 0;
        uint8_t ce_buffer = 0;
        std::array<uint32_t, 2> increments{};
        // An increment of `buffer` has left the pipe; true: DE has left the buffer with it.
        bool incremented(unsigned buffer) {
            --increments[buffer];
            return leave(buffer);
        }
        bool leave(unsigned buffer) {
            const unsigned bit = 1u << buffer;
            if (increments[buffer] != 0 || ce_buffer == buffer || (ce_buffers & bit) == 0)
                return false;
            ce_buffers &= static_cast<uint8_t>(~bit);
            return true;
        }
    };
    DeState(const RegisterMap& registers, unsigned ring_count, bool strict)
        : rings(ring_count), warnings(strict), contexts(registers) {}
    std::vector<Ring> rings;
    Warnings warnings;
    WorkPlaces places;
    Contexts contexts;
    // Draw packets, ring 0.
    struct Draw {
        uint64_t base = 0;  // INDEX_BASE, bytes
        uint32_t size = 0;  // INDEX_BUFFER_SIZE, indices
        bool base_set = false, size_set = false;
        bool index32 = false;  // INDEX_TYPE
    } draw;
    // ME_INITIALIZE.
    // SET_BASE 2: the starts of rings 1 and 2. Before it, each ring has all of the GDS.
    bool gds_partitioned = false;
    std::array<uint32_t, 2> gds_start{};
    GdsPartition gds_partition(unsigned ring) const;
    bool initialized = false;
    uint8_t device_id = 0;
    uint8_t pfp_device_id = 0;  // PFP sees ME_INITIALIZE before ME executes it
    uint8_t external_swap = 0;  // of LOAD_*, shadowed SET_* and dumped headers
    struct HeaderDump {
        bool enabled = false;
        uint8_t swap = 0;
        uint64_t base = 0;    // bytes
        uint32_t dwords = 0;  // size of the ring
        uint32_t next = 0;
    } header_dump;
    static constexpr size_t kFields = 12;
};

enum class ProgramEngine : uint8_t { Me, Pfp, Ce };
// "ME", "PFP", "CE".
const char* to_string(ProgramEngine engine);

// Timing that the packet definitions themselves give.
struct PollTiming {
    uint32_t unit_cycles = 16;  // a poll interval of 1
    uint32_t minimum = 4;       // smaller intervals are taken as this
};

// What a packet's program works on: the packet, what earlier ones left, and where the
// program stands. `run` of the packet's row is called for each operation.
struct ProgramState {
    const PacketInfo* info = nullptr;
    DeState* de = nullptr;
    uint32_t header = 0;
    std::array<uint32_t, kMaxFixedDwords> body{};
    Location location;
    ProgramEngine engine = ProgramEngine::Me;
    PollTiming poll;
    uint16_t previous = 0;  // of DeState::Ring, when ME began the packet

    // Filled by the engine that executed the last operation. After a streamed RegWrite, `value`
    // is what was written.
    OpResult result;

    bool in_run = false;  // registers of consecutive offsets from `address` on, nothing in between
    uint32_t step = 0;    // where the program is
    uint32_t index = 0;   // which of several like operations
    uint32_t count = 0;
    uint32_t skip = 0;  // dwords after the packet that the prefetch parser does not execute
    uint64_t address = 0;
    uint64_t sum = 0;
    std::array<uint32_t, 4> words{};
    // Register writes that are prepared and not yet issued.
    struct RegisterWrite {
        uint32_t offset = 0;
        uint32_t value = 0;
    };
    std::array<RegisterWrite, 11> writes{};
    uint8_t write_count = 0;
    uint8_t write_next = 0;
    // SET_*_REG with shadowing, LOAD_*_REG: registers of one line of memory.
    std::array<uint32_t, kLineBytes / 4> line{};
    uint32_t line_have = 0;
    uint64_t memory = 0;  // where the next register goes to or comes from
    bool shadowing = false;

    // A field, by its place in the row's list; and the whole dword that it is in.
    uint32_t operator[](unsigned field) const { return info->fields[field].in(body.data()); }
    uint32_t dword(unsigned field) const { return body[info->fields[field].dword - 1]; }
    // Two fields as one number of up to 64 bits.
    uint64_t wide(unsigned low, unsigned high) const {
        return uint64_t{(*this)[high]} << 32 | (*this)[low];
    }
    // Dwords of the body that operations with `stream` take; may be fewer than there are.
    uint32_t body_dwords() const {
        return header_type(header) == 2 ? 0 : header_body_dwords(header);
    }
    DeState::Ring& ring() const { return de->rings[location.ring]; }
    // The access to memory `op` has its address in this field.
    void address_in(unsigned field, MicroOp& op) const { op.field = info->fields[field].name; }
    uint32_t poll_cycles(uint32_t interval) const;
    // Checks that throw MachineStop.
    uint64_t dword_address(uint32_t lo, uint64_t hi) const;
    void check_register_end(uint64_t end) const;
    [[noreturn]] void bad(const std::string& reason) const;
    void warn(Warning warning, const std::string& reason) const;  // bad() when Spec::strict
    [[noreturn]] void missing(const std::string& what) const;
};

// A packet's program as the engine that runs it sees it.
class PacketProgram : private ProgramState {
  public:
    // `body` holds at least info.fixed dwords of the body and outlives nothing: they are copied.
    // Dwords beyond them reach the program through operations with `stream` set.
    void start(const PacketInfo& info, uint32_t header, const uint32_t* body,
               const Location& location, ProgramEngine engine, const PollTiming& poll,
               DeState& state);

    // The next operation, or false when the packet is done. Throws MachineStop for what the
    // hardware would not accept and for what is not implemented.
    // `op` is the one the operation before was put into.
    bool next(MicroOp& op) {
        // In the middle of a run of registers only the offset moves on.
        if (!in_run)
            return run_program(op);
        if (index == count)
            return false;
        op.offset = static_cast<uint32_t>(address) + 4 * index++;
        return true;
    }

    using ProgramState::body_dwords;
    using ProgramState::result;

    uint32_t skip() const { return ProgramState::skip; }
    const PacketInfo& info() const { return *ProgramState::info; }
    uint32_t header() const { return ProgramState::header; }
    const Location& location() const { return ProgramState::location; }
    ProgramEngine runs_on() const { return ProgramState::engine; }
    DeState& de() const { return *ProgramState::de; }
    const uint32_t* body() const { return ProgramState::body.data(); }
    // Throws MachineStop when the packet must not write the register.
    void check_register_write(uint32_t offset) const {
        if (engine != ProgramEngine::Me || de().contexts.registers().acts(offset))
            check_special_write(offset);
    }
    // The packet reads or writes (`does`) a register that is in no list of those there are.
    void warn_register(const char* does, uint32_t offset) const;
    // RegRequest::place of a write.
    uint16_t place_of_work(uint32_t offset) const {
        return de().contexts.registers().begins_work(offset)
                   ? de().places.note(location(), info().name)
                   : uint16_t{0};
    }
    // A sample event needs a place for its counters, which a plain write of the event initiator has
    // not: stops the machine.
    void check_event_write(uint8_t type) const;

  private:
    void check_special_write(uint32_t offset) const;
    bool run_program(MicroOp& op);
    bool dump(MicroOp& op);

    bool dump_header_ = false;
};

// "WAIT_REG_MEM memory 0x1000 >= 0x1 (last 0x0)", for hang reports.
std::string describe_wait(const PacketProgram& program, uint32_t last_read);

// A program leaves out more dwords than are left of the stream; throws PacketStop.
[[noreturn]] void skips_too_far(const PacketInfo& skipper, const Location& location,
                                uint32_t dwords, std::optional<uint32_t> left);

// The dwords that COND_EXEC and PRED_EXEC leave out, packet by packet.
class SkipWalk {
  public:
    void begin(uint32_t dwords) {
        left_ = dwords;
        in_packet_ = 0;
    }
    bool active() const { return left_ != 0; }
    template <class Archive>
    void archive(Archive& a) {
        a(left_, in_packet_);
    }
    // The next of them. Throws MachineStop when it begins a packet that does not end with them.
    void take(uint32_t dword, const PacketTable& table, const PacketInfo& skipper,
              const Location& location);

  private:
    uint32_t left_ = 0;
    uint32_t in_packet_ = 0;
};

}  // namespace archipelago::cp
