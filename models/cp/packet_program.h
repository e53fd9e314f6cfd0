// SPDX-License-Identifier: Apache-2.0
// What the packets do, written once for both modes: a packet is a small program that emits
// micro-operations and sees their results. "Radeon Southern Islands Acceleration" section 2.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/cp/context_state.h"
#include "models/cp/micro_op.h"
#include "models/cp/packet_table.h"

namespace archipelago::cp {

// A ring's part of the global data share, in bytes.
struct GdsPartition {
    uint32_t start = 0;
    uint32_t bytes = 0;
};

// Kinds of registers that SET_*_REG, LOAD_*_REG and CONTEXT_CONTROL tell apart.
enum RegisterSpace : uint8_t {
    kConfigRegisters,
    kContextRegisters,
    kGfxShRegisters,
    kComputeShRegisters,
    kRegisterSpaces,
};

// What packets leave behind in the drawing engine for later packets.
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
        // The packet ME began before the present one, but none of these (2.1.5).
        PacketId previous = PacketId::Nop;
        void began(PacketId id) {
            if (id != PacketId::EventWriteEos)
                previous = id;
        }
        std::array<uint64_t, 2> base{};  // SET_BASE 0 and 1; bytes
        std::array<bool, 2> base_set{};
        std::array<uint32_t, 2> ce_partition{};
        // CONTEXT_CONTROL: bits of RegisterSpace. Where LOAD_*_REG and shadowed SET_*_REG find the
        // registers of each space in memory.
        uint8_t load_enable = 0;
        uint8_t shadow_enable = 0;
        std::array<uint64_t, kRegisterSpaces> register_base{};
        std::array<bool, kRegisterSpaces> register_base_set{};
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
    std::array<Ring, kRings> rings{};
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
};

enum class ProgramEngine : uint8_t { Me, Pfp, Ce };

// Timing that the packet definitions themselves give.
struct PollTiming {
    uint32_t unit_cycles = 16;  // a poll interval of 1
    uint32_t minimum = 4;       // smaller intervals are taken as this
};

class PacketProgram {
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
        if (!in_run_)
            return next_step(op);
        if (index_ == count_)
            return false;
        op.offset = static_cast<uint32_t>(address_) + 4 * index_++;
        return true;
    }
    // In the middle of a run: what next() does next is a register write and nothing else.
    bool run_goes_on() const { return in_run_ && index_ != count_; }
    uint32_t run_offset() const { return static_cast<uint32_t>(address_) + 4 * index_; }
    bool in_run() const { return in_run_; }
    uint32_t run_left() const { return count_ - index_; }

    // Filled by whoever carried out the last operation. After a streamed RegWrite, `value` is what
    // was written.
    OpResult result;

    // Dwords behind the packet, once it is done, that the prefetch parser does not execute.
    uint32_t skip() const { return skip_; }

    const PacketInfo& info() const { return *info_; }
    uint32_t header() const { return header_; }
    const Location& location() const { return location_; }
    DeState& de() const { return *state_; }
    // Whether the packet says itself which registers it writes.
    bool names_registers() const;
    // Throws MachineStop when the packet must not write the register.
    void check_register_write(uint32_t offset) const {
        if (!plain_write(offset))
            check_special_write(offset);
    }
    bool plain_write(uint32_t offset) const {
        return engine_ == ProgramEngine::Me && !starts_something(offset);
    }
    const uint32_t* body() const { return body_.data(); }
    // Dwords of the body that operations with `stream` take; may be fewer than there are.
    uint32_t body_dwords() const {
        return header_type(header_) == 2 ? 0 : header_body_dwords(header_);
    }
    static std::string hex(uint64_t value);

  private:
    void check_special_write(uint32_t offset) const;
    bool next_step(MicroOp& op);
    bool set_registers(MicroOp& op);
    bool set_context_indirect(MicroOp& op);
    bool set_sh_offset(MicroOp& op);
    bool load_registers(MicroOp& op);
    bool dump_header(MicroOp& op);
    uint32_t register_start(uint32_t offset, uint32_t count) const;
    bool begin_shadow(uint32_t offset);
    bool shadow(MicroOp& op, uint32_t value, bool last);
    bool clear_state(MicroOp& op);
    bool type0(MicroOp& op);
    bool one_reg_write(MicroOp& op);
    bool set_base();
    bool context_control();
    bool me_initialize(MicroOp& op);
    bool preamble_control();
    bool dispatch_direct(MicroOp& op);
    bool dispatch_indirect(MicroOp& op);
    bool draw(MicroOp& op);
    bool draw_simple();
    bool draw_indirect(MicroOp& op, bool indexed);
    bool draw_indirect_multi(MicroOp& op, bool indexed);
    void queue_indirect(bool indexed, const uint32_t* args, uint32_t initiator);
    bool draw_immediate(MicroOp& op);
    bool draw_multi_auto(MicroOp& op);
    bool mpeg_index(MicroOp& op);
    void queue_write(uint32_t offset, uint32_t value);
    void queue_draw(uint32_t initiator, uint32_t source);
    void queue_fetch(uint64_t base, uint32_t max, uint32_t count);
    uint64_t index_buffer(uint64_t first) const;
    uint32_t indices_behind(uint32_t first) const;
    void check_indirect_indices() const;
    uint32_t user_data(const char* field, uint32_t location) const;
    bool event_write(MicroOp& op);
    bool event_write_eop(MicroOp& op);
    bool event_write_eos(MicroOp& op);
    bool surface_sync(MicroOp& op);
    bool wait_reg_mem(MicroOp& op);
    bool cond_write(MicroOp& op);
    bool set_predication(MicroOp& op);
    bool cond_exec(MicroOp& op);
    bool pred_exec();
    bool occlusion_query(MicroOp& op);
    bool read_pair(MicroOp& op, uint64_t start);
    bool pair_is_there() const;
    uint64_t pair_difference() const;
    bool atomic(MicroOp& op);
    bool mem_semaphore(MicroOp& op);
    bool strmout_buffer_update(MicroOp& op);
    bool copy_dw(MicroOp& op);
    bool me_write(MicroOp& op);
    bool scratch_ram_write(MicroOp& op);
    bool reg_rmw(MicroOp& op);
    bool write_data(MicroOp& op);
    bool copy_data(MicroOp& op);
    bool mem_write(MicroOp& op);
    bool cp_dma(MicroOp& op);
    bool cp_dma_dwords(MicroOp& op);
    bool alloc_gds(MicroOp& op);
    bool write_gds_ram(MicroOp& op);
    bool atomic_gds(MicroOp& op);
    bool write_data_gds(MicroOp& op);
    bool write_gds_stream(MicroOp& op, bool one_address);
    static uint32_t copy_source_register(uint32_t source, uint32_t dword);
    void confirm_gds(MicroOp& op, uint64_t address) const;
    bool store_gds_at_end_of_shader(MicroOp& op, uint8_t event_type);
    void gds_dma(DmaCommand& dma, bool from, bool to) const;
    void set_gds_partitions(uint32_t cs1, uint32_t cs2);
    uint32_t gds_address(uint64_t offset, uint64_t bytes) const;
    uint32_t gds_dwords(uint32_t offset, uint64_t dwords) const;
    bool increment_de_counter(MicroOp& op);
    bool wait_on_ce_counter(MicroOp& op);
    bool wait_on_avail_buffer(MicroOp& op);
    bool ce_write(MicroOp& op);
    void check_constant_engine() const;

    void begun();
    void end_of_pipe(MicroOp& op, uint8_t event_type) const;
    void poll_op(MicroOp& op, bool memory, const PacketField& lo, const PacketField& hi) const;
    bool compare(uint32_t function, uint32_t value, uint32_t mask, uint32_t reference) const;
    [[noreturn]] void bad(const std::string& reason) const;
    [[noreturn]] void missing(const std::string& what) const;
    uint32_t poll_cycles(uint32_t interval) const;
    uint64_t dword_address(uint32_t lo, uint64_t hi) const;
    void check_register_end(uint64_t end) const;

    const PacketInfo* info_ = nullptr;
    DeState* state_ = nullptr;
    uint32_t header_ = 0;
    std::array<uint32_t, kMaxFixedDwords> body_{};
    Location location_;
    ProgramEngine engine_ = ProgramEngine::Me;
    PollTiming poll_;
    PacketId previous_ = PacketId::Nop;  // what ME began before
    bool in_run_ = false;                // registers of consecutive offsets, nothing in between
    uint32_t step_ = 0;                  // where the program is
    uint32_t index_ = 0;                 // which of several like operations
    uint32_t count_ = 0;
    uint32_t skip_ = 0;
    uint64_t address_ = 0;
    uint64_t sum_ = 0;
    std::array<uint32_t, 3> words_{};
    // Draw packets: register writes that are prepared and not yet issued.
    struct RegisterWrite {
        uint32_t offset = 0;
        uint32_t value = 0;
    };
    std::array<RegisterWrite, 11> writes_{};
    uint8_t write_count_ = 0;
    uint8_t write_next_ = 0;
    // SET_*_REG with shadowing, LOAD_*_REG: registers of one line of memory.
    std::array<uint32_t, kLineBytes / 4> line_{};
    uint32_t line_have_ = 0;
    uint64_t memory_ = 0;  // where the next register goes to or comes from
    bool shadowing_ = false;
    bool dump_header_ = false;
    std::array<uint32_t, 4> found_{};  // ATOMIC_GDS
};

// "WAIT_REG_MEM memory 0x1000 >= 0x1 (last 0x0)", for hang reports.
std::string describe_wait(const PacketProgram& program, uint32_t last_read);

// " until 0x5 is at GDS 0x40 (last 0x3)" for an ATOMIC_GDS that repeats.
std::string describe_gds_wait(const uint32_t* body, uint32_t last_read);

// What an INDIRECT_BUFFER_CONST asks of the fetch of the constant engine. Throws MachineStop.
CeCommand constant_buffer(const PacketInfo& info, const uint32_t* body, const Location& location);
// Packets that the constant engine's fetch carries out itself, in the order of the buffer.
bool ce_data_packet(PacketId id);
// Whether a SET_BASE on a ring sets the partitions of the constant engine, and which.
bool ce_partition(const PacketInfo& info, const uint32_t* body, CeCommand& command);

bool is_draw(PacketId id);
bool is_dispatch(PacketId id);

// A sample event needs a place for its counters, which EVENT_WRITE has and a plain write of the
// event initiator has not: stops the machine.
void refuse_sample(const Location& location, const PacketInfo& info, uint32_t type);

// What the prefetch parser notes of a packet that it hands to ME.
void note_for_pfp(const PacketInfo& info, const uint32_t* body, DeState& state);

// The dwords that COND_EXEC and PRED_EXEC leave out, packet by packet.
class SkipWalk {
  public:
    void begin(uint32_t dwords) {
        left_ = dwords;
        in_packet_ = 0;
    }
    bool active() const { return left_ != 0; }
    // The next of them. Throws MachineStop when it begins a packet that does not end with them.
    void take(uint32_t dword, const PacketTable& table, const PacketInfo& skipper,
              const Location& location);

  private:
    uint32_t left_ = 0;
    uint32_t in_packet_ = 0;
};

// The cache action of a CP_COHER_CNTL value; false when it asks nothing of the caches there are
// (colour and depth caches do not exist yet). `size` and `base` in units of 256 bytes.
bool coherency_action(uint32_t control, uint32_t size, uint32_t base, CacheAction& action);

}  // namespace archipelago::cp
