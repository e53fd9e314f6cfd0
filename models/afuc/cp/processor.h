// SPDX-License-Identifier: Apache-2.0
// What the instructions of a micro engine come to in its command processor, regardless of the mode:
// the levels of $data, GPU registers, pipe registers and events, control registers that all engines
// see. What follows from them happens through carry_out(), in program order. Document "Adreno Five
// Microcode".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/afuc/cp/cp_spec.h"
#include "models/afuc/cp/debug_registers.h"
#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/cp/levels_state.h"
#include "models/afuc/cp/shared_control.h"
#include "models/afuc/engine/engine.h"
#include "models/afuc/engine/nrt.h"

namespace archipelago::afuc {

// What comes after the last word of a buffer: the header of a packet of the hardware's, whose
// handler goes back to the level below (IN_IB_END).
extern const uint32_t kBufferEnd;

// What a processor does to the rest of the machine.
struct Action {
    enum class Kind : uint8_t {
        Register,    // GPU register `index` <- value
        Memory,      // dword at `address` <- value
        Timestamp,   // 64 bits at `address` <- the always-on counter
        Shared,      // control register `index` that all see <- value
        Interrupt,   // bit `index` of RBBM_INT_0_STATUS
        Decrement,   // the counter `index`, a Control, of this engine
        WaitWrites,  // until the memory writes before it are acknowledged
        WaitIdle     // and the register writes are done
    };
    Kind kind = Kind::Register;
    bool direct = false;   // a register write that passes the queue (REG_WRITE)
    bool checked = false;  // and one that CP_PROTECT may forbid
    uint8_t processor = 0;
    uint32_t index = 0;
    uint32_t value = 0;
    uint32_t pc = 0;      // of the instruction; in cycle mode
    uint32_t packet = 0;  // at work, see Processor::where_at()
    uint64_t address = 0;
};

// Told of what a processor does, as it happens.
class ProcessorListener {
  public:
    virtual ~ProcessorListener() = default;
    virtual void took(uint32_t word) = 0;  // of $data
    virtual void does(const Action& action) = 0;
    virtual void wrote_control(uint32_t index, uint32_t value) = 0;
    // setsecure; `done`: or refused.
    virtual void set_secure(bool /*on*/, bool /*done*/) {}
};

class Processor {
  public:
    // All must outlive the processor.
    Processor(const CpSpec& cp, unsigned number, SharedControl& shared);
    virtual ~Processor() = default;
    Processor(const Processor&) = delete;
    Processor& operator=(const Processor&) = delete;

    const ProcessorSpec& spec() const { return spec_; }
    bool running() const { return running_; }
    // Executes from pc 0 of its section, which memory has at `base`.
    virtual void start(uint64_t base);

    // The ring as its registers describe it.
    void set_ring(const RingSettings& ring) { ring_ = ring; }
    // Dwords of the ring taken, of its size.
    uint32_t read_pointer() const { return levels_.level[0].position; }
    // Where memory has a shadow of it, bytes; 0: nowhere.
    uint64_t shadow_address() const;
    // Grows with every word taken and everything written.
    uint64_t activity() const { return activity_; }
    EngineView view(bool busy) const { return {read_pointer(), busy}; }
    unsigned level() const;  // that $data comes from
    // "ring cp, IB1 0x208000 dword 13": where the next word is.
    // `back`: words before it.
    std::string place_in_stream(uint32_t back = 0) const;
    // Engine, pc, instruction, packet, source, stream: what errors begin with.
    std::string where() const { return where_in_program() + context_of_place(); }
    // The same of an instruction that has been executed, for a packet by its number: where that
    // stands. Of packets long past only the instruction.
    std::string where_at(uint32_t pc, uint32_t packet) const;
    // "file:line" of the microcode's source that an instruction stands on; "": not known.
    std::string source_of(uint32_t pc) const;
    // The label of the microcode's source that an instruction has; "": none, or not known.
    std::string label_at(uint32_t pc) const;
    // "brne $02, b3, #loop"; "" of a twin in the engine's place.
    std::string instruction(uint32_t pc) const;
    // What a debug register shows now; 0 where a twin does not.
    uint32_t debug_value(const DebugRead& read) const {
        const std::optional<Stream> stream = stream_of(roq_, read);
        return debug_value(read, stream ? queued_words(*stream) : std::vector<uint32_t>());
    }
    // The level whose queued words that is about.
    std::optional<unsigned> level_shown(const DebugRead& read) const {
        const std::optional<Stream> stream = stream_of(roq_, read);
        return stream ? level_of(names_, *stream) : std::nullopt;
    }
    // Told from now on; must outlive the processor.
    void add_listener(ProcessorListener& listener) { listeners_.push_back(&listener); }

    // The engine: its state where the model has it, else null (a twin in its place).
    virtual const Engine* engine() const = 0;
    virtual uint32_t pc() const = 0;
    // Of the packet at work.
    virtual uint32_t header() const = 0;

  protected:
    virtual std::string where_in_program() const = 0;
    virtual Cycle now() const = 0;
    virtual uint64_t always_on() const = 0;
    virtual void carry_out(const Action& action) = 0;
    // Words of a level that are there, without the one at a buffer's end; of ME, of its queue.
    virtual uint32_t words_there(unsigned level) const = 0;
    // The first of them side by side. `take`: they are gone then, but stay where they are until
    // others are asked for.
    virtual const uint32_t* words_of(unsigned level, unsigned words, bool take) = 0;

    // Words of a stream that wait for the engine, the next one first; of ME its queue's.
    virtual std::vector<uint32_t> queued_words(Stream stream) const = 0;
    // The same with those words, of stream_of() the read.
    uint32_t debug_value(const DebugRead& read, std::vector<uint32_t> queued) const;

    // `words` can be taken. Stops where a packet is cut off.
    bool has_data(unsigned words);
    // The next words, likewise. `header`: waitin looks for a packet.
    const uint32_t* next_words(unsigned words, bool take, bool header);
    void arm_level(unsigned level, uint64_t base, uint32_t dwords);
    void store(uint64_t address, uint32_t value) { act(Action::Kind::Memory, 0, value, address); }
    void write_register(uint32_t index, uint32_t value, RegisterPath path);
    void write_pipe(uint32_t index, uint32_t value);
    void write_control(uint32_t index, uint32_t value);
    uint32_t read_live_control(uint32_t index);
    void tell_secure(bool on, bool done);
    void archive_rules(Archive& a);
    void take_over_rules(const Processor& other);
    void reset();
    // " (a630.afuc:12) in CP_NOP, ring cp dword 5"
    std::string context_of_place(uint32_t back = 0) const;
    // " (a630.afuc:12) in CP_NOP"
    std::string source_text(uint32_t pc) const;
    // where_at() without the place in the stream.
    std::string instruction_at(uint32_t pc, uint32_t packet) const;
    uint32_t packet() const { return packet_; }
    [[noreturn]] void stop(const std::string& reason) const;
    // So many instructions, and no word of the ring has been taken meanwhile: it will not end.
    [[noreturn]] void stop_as_endless(uint64_t instructions) const;

    const CpSpec& cp_;
    const ProcessorSpec& spec_;
    const unsigned number_;
    const Names names_;
    const ControlMap map_;
    const uint32_t wait_register_;  // of the GPU, in whose place newer ones have a pipe register
    SharedControl& shared_;
    LevelsState levels_;
    NrtAddress nrt_;
    RingSettings ring_;
    uint64_t activity_ = 0;
    uint64_t base_ = 0;
    bool running_ = false;
    bool preempt_ = false;  // it is to go to its routine for preemption
    const RoqLayout roq_;

  private:
    // Where a packet stands.
    struct PacketPlace {
        uint32_t header = 0;
        uint32_t level = 0, dword = 0;
        uint64_t base = 0;  // of the level's buffer
    };
    // More than can wait in an engine's queue and beyond.
    static constexpr uint32_t kPacketsKept = 1024;

    // A buffer, or what MEM_READ is to read.
    struct BufferView {
        uint64_t base = 0;  // bytes
        uint32_t dwords = 0, taken = 0;
        uint32_t left() const { return dwords - taken; }
    };
    BufferView buffer_to_show(Stream stream) const;
    uint32_t engine_word(const DebugRead& read) const;
    uint32_t twin_word(const DebugRead& read) const;
    uint32_t place_in_part(Stream stream) const;
    uint32_t roq_word(uint32_t place, const std::vector<uint32_t>& queued) const;
    uint32_t microcode_word(uint32_t at, const EngineState& state) const;
    uint32_t draw_state_word(uint32_t at, const EngineState& state) const;

    std::string stream_text(unsigned level, uint64_t base, uint32_t dword) const;
    const PacketPlace* find_packet(uint32_t packet) const;
    void note_packet(uint32_t header, unsigned level, uint32_t dword);
    const uint32_t* words_of_level(unsigned words, bool take, bool header);
    void submit(const Action& action);
    void finish_event(uint32_t command);
    void store_timestamp(uint64_t address);
    void write_timestamp_a6xx(uint64_t address, uint32_t control);
    void write_timestamp_a7xx(uint64_t address, uint32_t control);
    void act(Action::Kind kind, uint32_t index = 0, uint32_t value = 0, uint64_t address = 0);

    uint32_t level_ = 0;                              // IB_LEVEL
    uint32_t packet_ = 0;                             // number of the one at work, from 1
    std::vector<PacketPlace> packets_{kPacketsKept};  // by number, the last ones
    std::array<uint32_t, kPipeRegisters> pipe_{};
    std::vector<ProcessorListener*> listeners_;  // logs, debuggers
};

}  // namespace archipelago::afuc
