// SPDX-License-Identifier: Apache-2.0
// The micro engine: what an instruction does, for both modes. An issue cycle is one execution of
// one instruction, of (rep) one of several, with its extra moves and reads; an engine in cycle mode
// takes a cycle for it. Document "Adreno Five Microcode".
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/engine/control_map.h"
#include "models/afuc/engine/decoded.h"
#include "models/afuc/engine/engine_spec.h"
#include "models/afuc/engine/engine_state.h"

namespace archipelago::afuc {

// Instructions are fetched so many at a time: sections begin at multiples.
inline constexpr uint32_t kFetchWords = kSectionWords;
// Words of a stream that an issue cycle takes at most: both sources and three extra moves.
inline constexpr unsigned kIssueWords = 5;

// What an issue cycle takes of others.
struct Needs {
    bool any() const { return (data | memory | registers) != 0 || load || live || secure; }

    uint8_t data = 0;       // words of the stream
    uint8_t memory = 0;     // words of $memdata
    uint8_t registers = 0;  // words of $regdata, from `index` on,
    uint32_t index = 0;     // or, with bit 18 of a5xx's $addr, all of that register
    bool load = false;      // the dword at `address`
    bool live = false;      // the control register `address`, which others change, too
    bool secure = false;    // an answer to setsecure: secure mode is to be on if `address` is not 0
    uint64_t address = 0;
};

// Where a word of a stream is, counted from the next one: MEM_READ and REG_READ name the place of
// that and how many words are left; after those the place stays. `step`: from word to word.
template <class Place>
constexpr Place word_place(Place next, uint32_t left, unsigned word, unsigned step) {
    return next + static_cast<Place>(step) * (word < left ? word : left);
}
// Of MEM_READ, bytes; of a privileged address the upper half stays.
constexpr uint64_t memory_place(uint64_t next, uint32_t left, bool privileged, unsigned word) {
    const uint64_t place = word_place(next, left, word, 4);
    return privileged ? (next >> 32 << 32) | static_cast<uint32_t>(place) : place;
}

// How a write of a GPU register leaves an engine.
enum class RegisterPath : uint8_t {
    Internal,  // $addr: in the queue
    Packet,    // $usraddr: likewise, and CP_PROTECT is asked
    Direct     // REG_WRITE: past the queue
};

// What an engine reaches. Reads are asked for only after ready() was true, all of $memdata and
// $regdata before the issue cycle writes anything.
class EnginePorts {
  public:
    virtual ~EnginePorts() = default;
    virtual bool ready(const Needs& needs) = 0;
    // What messages say after the engine's own place: source, stream.
    virtual std::string context() const { return {}; }
    // " (a630.afuc:12) in CP_NOP" of an instruction; "": not known.
    virtual std::string source(uint32_t /*pc*/) const { return {}; }
    // The instructions `first` to `first` + kFetchWords - 1 of the section are wanted:
    // Engine::place() has been called, or false and the engine waits.
    virtual bool fetch(uint32_t first) = 0;

    // Words of the source of $data, side by side: the first that has not been taken. `take`:
    // they are gone then. The issue cycle reads them where they are.
    virtual const uint32_t* data(unsigned words, bool take) = 0;
    // The next word of $memdata, at a byte address; of EngineSpec::reads_nrt the port has it.
    virtual uint32_t memory(uint64_t address) = 0;
    // The dword that `load` names.
    virtual uint32_t load(uint64_t address) = 0;
    virtual void write_memory(uint64_t address, uint32_t value) = 0;
    // GPU registers by index; of a5xx's ME the one that $addr names, else of REG_READ_ADDR.
    virtual uint32_t gpu_register(uint32_t index) = 0;
    virtual void write_gpu_register(uint32_t index, uint32_t value, RegisterPath path) = 0;
    // A word for the queue of DataOut::Queue.
    virtual void push(uint32_t value) = 0;
    // A control register that others change, too (ControlMap::live()).
    virtual uint32_t live_control(uint32_t index) = 0;
    // $data gets another buffer at this level: so many dwords from a byte address.
    virtual void arm(unsigned level, uint64_t base, uint32_t dwords) = 0;
    // Another engine begins: BV, else LPAC.
    virtual void boot(bool bv, uint64_t base) = 0;
    // Secure mode on or off, once all before it is done; false: refused.
    virtual bool set_secure(bool) { return false; }
    // Others want the engine to go to its routine for preemption; preempted(): it does.
    virtual bool preempts() { return false; }
    virtual void preempted() {}
    // After the engine has executed what it does with them itself.
    virtual void wrote_pipe(uint32_t index, uint32_t value) = 0;
    virtual void wrote_control(uint32_t index, uint32_t value) = 0;
    virtual void wrote_sqe(uint32_t index, uint32_t value) = 0;
};

// What stopped an engine, as the CP's registers distinguish them.
enum class EngineFault : uint8_t { None, Opcode, Microcode, IllegalInstruction, Unimplemented };

// Stops the machine where a program does something wrong: BadInput.
class Engine {
  public:
    Engine(const EngineSpec& spec, EnginePorts& ports);

    // A section of so many words, from pc 0 on. None of them is there yet.
    void begin(uint32_t section_words);
    // Instructions that have been fetched. `first` is a multiple of kFetchWords, and `count` as
    // well, up to the end of the section.
    void place(uint32_t first, const uint32_t* words, uint32_t count);
    bool has(uint32_t pc) const { return present_[pc / kFetchWords] != 0; }
    uint32_t section_words() const { return static_cast<uint32_t>(words_.size()); }
    // Of an instruction that is there.
    uint32_t word_at(uint32_t pc) const { return words_[pc]; }
    // An issue cycle; false: it waits, and nothing has happened.
    bool step();

    // What an engine that another has booted finds its own image by: BvBase, LpacBase.
    void set_base(ControlRegister base, uint64_t address);
    // Adds to a counter of pending work, as pipe registers and events take away from it.
    void count(ControlRegister counter, int32_t by);
    EngineFault fault() const { return fault_; }
    const EngineState& state() const { return state_; }
    EngineState& state() { return state_; }
    const EngineSpec& spec() const { return spec_; }
    // Where the next word of $memdata is, bytes.
    uint64_t memory_address() const;
    // "cp.sqe: pc 12, mov, packet CP_NOP", of the instruction at hand or of another.
    std::string where() const { return where(state_.pc); }
    std::string where(uint32_t pc) const;
    // "pc 12, mov"
    std::string text_of(uint32_t pc) const;
    // With the ports' context.
    std::string where_and_context() const { return where() + ports_.context(); }

    // Back to the state after construction: not even begun.
    void reset();
    // State and instructions of another engine of the same kind.
    void take_over(const Engine& other);
    // What has been fetched is written with the state.
    template <class Archive>
    void archive(Archive& a) {
        a(state_, words_, present_);
        if (!a.saving())
            decode_again();
    }

  private:
    void decode_again();
    bool fetch();
    Decoded decoded(uint32_t word) const;
    Needs needs_of(const Decoded& d);
    void stop_if_place_is_read(const Decoded& d);
    void ask(const Decoded& d, Needs& needs);
    unsigned moves_of(const Decoded& d) const;
    void execute(const Decoded& d);
    void compute(const Decoded& d);
    uint32_t result_of(const Decoded& d, uint32_t a, uint32_t b);
    void extra_moves(const Decoded& d);
    void place_access(const Decoded& d);
    void flow(const Decoded& d);
    void take(Leads leads, uint32_t target);
    bool is_preempted();
    void preempt();
    void call(uint32_t returns_to);
    uint32_t pop_return();
    void end_preemption();
    void set_secure(bool on);
    uint32_t target_of(const Decoded& d) const {
        return static_cast<uint32_t>(d.absolute ? d.target
                                                : static_cast<int32_t>(state_.pc) + d.target);
    }
    void go_on();
    void begin_packet();
    std::string words_left_before() const;
    [[noreturn]] void leave_image();

    uint32_t read(uint8_t source);
    void write(uint8_t destination, uint32_t value);
    void write_port(uint32_t value);
    uint32_t memory_word();
    uint32_t register_word();
    uint32_t register_index() const;
    bool register_stays() const;
    uint32_t register_asked_for() const;
    // Where words of $memdata (bytes) and $regdata (indices) are, counted from the next one.
    uint64_t memory_place(unsigned word) const;
    uint32_t register_place(unsigned word) const;
    void read_ahead(const Needs& needs);
    uint64_t privileged_high() const;
    void write_control(uint32_t index, uint32_t value);
    void arm(unsigned level, uint32_t dwords_index);
    void boot(bool bv, uint32_t value);
    void set_draw_state(uint32_t header);
    void select_draw_state(uint32_t group);
    uint32_t& control(ControlRegister c) { return state_.control[map_.index_of(c)]; }
    uint32_t place_of(const Decoded& d);
    void extra_reads(const Decoded& d, uint32_t index);
    [[noreturn]] void bad(const std::string& reason, EngineFault fault = EngineFault::Microcode);

    const EngineSpec spec_;
    const ControlMap map_;
    std::bitset<kPipeRegisters> fires_;  // pipe registers that take no data
    EnginePorts& ports_;
    std::vector<uint32_t> words_;
    std::vector<Decoded> program_;  // null rows: not there yet, or no instruction
    std::vector<uint8_t> present_;  // by kFetchWords
    EngineState state_;

    EngineFault fault_ = EngineFault::None;
    uint32_t branch_ = 0;  // the last branch taken, for messages

    // Of the issue cycle at hand
    const uint32_t* data_ = nullptr;  // the next word that it reads of $data
    // $memdata and $regdata, and what it reads of them next.
    std::array<uint32_t, kIssueWords> memory_words_{}, register_words_{};
    const uint32_t *memory_next_ = nullptr, *register_next_ = nullptr;
    bool took_data_ = false;   // so $rem has been counted down
    bool peeks_ = false;       // reads leave the word
    unsigned moves_ = 0;       // extra ones
    Leads leads_ = Leads::On;  // a branch that is taken
    uint32_t target_ = 0;
    uint32_t advance_ = 1;  // words; 3: a setsecure that has been done
};

}  // namespace archipelago::afuc
