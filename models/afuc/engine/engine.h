// SPDX-License-Identifier: Apache-2.0
// The micro engine: what an instruction does, for both modes. A beat is one execution of one
// instruction, of (rep) one of several, with its extra moves and reads; an engine in time takes a
// cycle for it. Document "Adreno Five Microcode".
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/engine/control_map.h"
#include "models/afuc/engine/decoded.h"
#include "models/afuc/engine/engine_spec.h"
#include "models/afuc/engine/engine_state.h"

namespace archipelago::afuc {

// What a beat takes of others.
struct Needs {
    bool any() const { return (data | memory | registers) != 0 || load; }

    uint8_t data = 0;       // words of the stream
    uint8_t memory = 0;     // words of $memdata
    uint8_t registers = 0;  // words of $regdata
    bool load = false;      // the dword at `address`
    uint64_t address = 0;
};

// What an engine reaches. Reads are asked for only after ready() was true.
class EnginePorts {
  public:
    virtual ~EnginePorts() = default;
    virtual bool ready(const Needs& needs) = 0;

    // Words of the source of $data: the first that nobody has taken.
    virtual uint32_t data(bool take) = 0;
    // A dword that MEM_READ_ADDR or `load` names; byte addresses.
    virtual uint32_t memory(uint64_t address) = 0;
    virtual void write_memory(uint64_t address, uint32_t value) = 0;
    // GPU registers by index. `checked`: the address came from a packet.
    virtual uint32_t gpu_register(uint32_t index) = 0;
    virtual void write_gpu_register(uint32_t index, uint32_t value, bool checked) = 0;
    // After the engine has carried out what it does with them itself.
    virtual void wrote_pipe(uint32_t index, uint32_t value) = 0;
    virtual void wrote_control(uint32_t index, uint32_t value) = 0;
    virtual void wrote_sqe(uint32_t index, uint32_t value) = 0;
};

// Stops the machine where a program does something wrong: BadInput.
class Engine {
  public:
    Engine(const EngineSpec& spec, EnginePorts& ports);

    // Takes over the words of its section, which begin at pc 0.
    void load(const uint32_t* words, uint32_t count);
    // A beat; false: it waits, and nothing has happened.
    bool step();

    const EngineState& state() const { return state_; }
    EngineState& state() { return state_; }
    const EngineSpec& spec() const { return spec_; }
    // "cp.sqe: pc 12, mov, packet CP_NOP".
    std::string place() const;

  private:
    Needs needs_of(const Decoded& d) const;
    void count_reads(uint8_t source, unsigned times, Needs& needs) const;
    unsigned moves_of(const Decoded& d) const;
    void execute(const Decoded& d);
    void compute(const Decoded& d);
    uint32_t result_of(const Decoded& d, uint32_t a, uint32_t b);
    void extra_moves(const Decoded& d, unsigned moves);
    void place_access(const Decoded& d);
    void flow(const Decoded& d);
    void take(Leads leads, uint32_t target);
    void call();
    uint32_t pop_return();
    uint32_t target_of(const Decoded& d) const {
        return static_cast<uint32_t>(d.absolute ? d.target
                                                : static_cast<int32_t>(state_.pc) + d.target);
    }
    void go_on();
    void begin_packet();

    uint32_t read(uint8_t source);
    void write(uint8_t destination, uint32_t value);
    void write_port(uint32_t value);
    uint32_t memory_word();
    uint32_t register_word();
    void write_pipe(uint32_t index, uint32_t value);
    void write_control(uint32_t index, uint32_t value);
    void set_draw_state(uint32_t header);
    void select_draw_state(uint32_t group);
    uint32_t& control(Control c) { return state_.control[map_.index_of(c)]; }
    uint32_t place_of(const Decoded& d);
    void extra_reads(const Decoded& d, uint32_t index);
    [[noreturn]] void bad(const std::string& reason) const;

    const EngineSpec spec_;
    const ControlMap map_;
    std::bitset<kPipeRegisters> fires_;  // pipe registers that take no data
    EnginePorts& ports_;
    std::vector<Decoded> program_;
    EngineState state_;

    // Of the beat at hand
    bool took_data_ = false;   // so $rem has been counted down
    bool peeks_ = false;       // reads leave the word
    Leads leads_ = Leads::On;  // a branch that is taken
    uint32_t target_ = 0;
};

}  // namespace archipelago::afuc
