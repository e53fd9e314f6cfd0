// SPDX-License-Identifier: Apache-2.0
// A decoded instruction with its properties for the pipeline, computed once.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "models/cu/isa/isa.h"

namespace archipelago::isa {
struct OpInfo;
}

namespace archipelago::cu {

// Which part of the compute unit carries an instruction out.
enum class Action : uint8_t {
    Valu,    // Inst::exec on the vector ALU
    Scalar,  // Inst::exec on the scalar ALU; cannot change the program counter
    Branch,  // Inst::exec, may change the program counter
    ScalarMem,
    VectorMem,
    Lds,
    LdsDirect,    // vector ALU with an operand from LDS
    Interpolate,  // VINTRP
    Gds,
    Export,
    Message,  // s_sendmsg, s_sendmsghalt
    Control,  // isa::execute_control(): halting, traps, vector skip
    Nop,
    Wait,  // s_waitcnt
    Barrier,
    End,
    Sleep,
    SetPriority,
    InvalidateInst,  // s_icache_inv
    Mark,            // a program's own performance levels and thread trace words
    NoEffect,        // what vector skip mode skips
    Illegal,
    Unimplemented,
};

// Which of the Spec's issue costs a vector memory instruction has.
enum class VmemCost : uint8_t { Load, WideLoad, Store, Atomic, CompareSwap };

constexpr unsigned kClasses = static_cast<unsigned>(isa::Class::kCount);
constexpr unsigned kRates = static_cast<unsigned>(isa::Rate::kCount);
const char* class_name(isa::Class cls);

// What a conditional branch tests; bits.
enum Status : uint8_t { kStatusScc = 1, kStatusVcc = 2, kStatusExec = 4 };

struct Decoded {
    isa::Inst inst;
    Action action = Action::Illegal;
    uint8_t dwords = 1;
    // s_waitcnt: its limits. The all-ones fields wait for nothing.
    uint8_t wait_vm = 0, wait_exp = 0, wait_lgkm = 0;
    VmemCost vmem_cost = VmemCost::Load;
    // DS: VGPRs read per lane (address and data), dwords accessed per lane.
    uint8_t lds_operands = 0, lds_dwords = 0;
    // Scalar registers (bit = operand code 0..127) read by a SALU or branch instruction, or
    // written by a VALU instruction. For the VALU -> SALU hazard.
    uint64_t sgprs[2] = {0, 0};
    // Status bits a branch waits for, and those a scalar or vector ALU instruction changes.
    uint8_t status_tested = 0, status_changed = 0;
    bool compares = false;  // VALU: the scalar result is that of a comparison (VOPC)
    bool halts = false;     // s_sendmsghalt
    bool f64 = false;       // flops are those of doubles
    uint8_t flops = 0;      // of an active lane: add and mul 1, fma and mad 2
    bool drains = false;    // s_trap: waits for everything the wave has started
};

// What one instruction fetch brings.
constexpr unsigned kFetchBytes = 32;
constexpr unsigned kFetchDwords = kFetchBytes / 4;

// A fetched block with its instructions by the dword they start at. An entry is null until the
// instruction is first looked up, and stays so for one that ends in the next block.
struct DecodedBlock {
    std::array<uint32_t, kFetchDwords> words{};
    std::array<const Decoded*, kFetchDwords> at{};
};

// The words of an instruction, the first one low, 0 after a lone one.
inline uint64_t words_of(const Decoded& d) {
    return d.inst.words[0] | (d.dwords > 1 ? uint64_t{d.inst.words[1]} << 32 : 0);
}

// Stops the machine because of an instruction that `wave` cannot execute: illegal, not implemented,
// or with registers beyond the wave's allocation. `place` names wave and program counter.
[[noreturn]] void stop_for(const Decoded& decoded, const isa::WaveState& wave,
                           const std::string& place);

// Stops the machine: the wave at `place` has executed all that one may.
[[noreturn]] void stop_endless(const std::string& place, uint64_t executed);

// `avail` dwords at `words` may be read; see isa::decode(). `skip`: for waves in vector skip mode,
// where vector, LDS, GDS and export instructions have no effect (they then are of class Internal).
Decoded make_decoded(const uint32_t* words, size_t avail, bool skip = false);

// Floating-point operations of an active lane.
struct Flops {
    bool f64 = false;
    uint8_t count = 0;
};
Flops flops_of(isa::Op op);
// Fills Decoded::f64 and flops from the opcode; for Action::Valu and LdsDirect.
void find_flops(Decoded& decoded);

// What a DS instruction moves per lane: Decoded::lds_operands and lds_dwords.
struct LdsCost {
    uint8_t operands = 0, dwords = 0;
};
LdsCost lds_cost(const isa::OpInfo& info);

// Decodes in place of make_decoded(): a Verilog decoder, or an observer.
class DecodeUnit {
  public:
    virtual ~DecodeUnit() = default;
    // As make_decoded() of both dwords; the second is any where the instruction has one only.
    virtual Decoded decode(uint32_t first, uint32_t second, bool skip) = 0;
};

// Remembers decoded instructions by their encoding. A pure memo: what is in it changes no result,
// so that all compute units of a chip may share one, and nothing ever has to be invalidated.
// References stay valid for the life of the cache.
class DecodeCache {
  public:
    // `unit`: decodes what is not remembered yet, and must outlive this; null: make_decoded().
    explicit DecodeCache(bool skip = false, DecodeUnit* unit = nullptr);

    // Length in dwords of the instruction that starts with `first`.
    unsigned length(uint32_t first) { return find_first(first).dwords; }
    // `second` is read only when the length is 2.
    const Decoded& get(uint32_t first, uint32_t second) {
        const First& f = find_first(first);
        return f.dwords == 1 ? *f.decoded : get_pair(first, second);
    }
    // The one block with these words. Loops fetch the same blocks again and again: they are decoded
    // once, and a wave finds its next instruction without looking for its encoding.
    DecodedBlock& block(const std::array<uint32_t, kFetchDwords>& words) {
        for (size_t i = hash(words);; ++i) {
            DecodedBlock* b = block_table_[i & block_mask_];
            if (b == nullptr)
                return add_block(words);
            if (same(b->words, words))
                return *b;
        }
    }
    size_t size() const { return pool_.size(); }
    // The same for waves in vector skip mode.
    DecodeCache& skipping() {
        if (skipping_ == nullptr)
            skipping_ = std::make_unique<DecodeCache>(true, unit_);
        return *skipping_;
    }

  private:
    struct First {
        uint32_t word = 0;
        uint32_t dwords = 0;  // 0: free entry
        const Decoded* decoded = nullptr;
    };
    struct Pair {
        uint64_t words = 0;
        const Decoded* decoded = nullptr;
    };
    static size_t hash(uint64_t x) { return static_cast<size_t>((x * 0x9e3779b97f4a7c15u) >> 24); }
    static bool same(const std::array<uint32_t, kFetchDwords>& a,
                     const std::array<uint32_t, kFetchDwords>& b) {
        uint32_t difference = 0;
        for (unsigned i = 0; i < kFetchDwords; ++i)
            difference |= a[i] ^ b[i];
        return difference == 0;
    }
    static size_t hash(const std::array<uint32_t, kFetchDwords>& words) {
        uint64_t sum = 0;
        for (unsigned i = 0; i < kFetchDwords; i += 2)
            sum = (sum ^ (words[i] | uint64_t{words[i + 1]} << 32)) * 0x9e3779b97f4a7c15u;
        return hash(sum ^ sum >> 32);
    }
    const First& find_first(uint32_t word) {
        for (size_t i = hash(word);; ++i) {
            const First& f = firsts_[i & first_mask_];
            if (f.dwords == 0)
                return add_first(word);
            if (f.word == word)
                return f;
        }
    }
    const Decoded& get_pair(uint32_t first, uint32_t second) {
        const uint64_t words = first | uint64_t{second} << 32;
        for (size_t i = hash(words);; ++i) {
            const Pair& p = pairs_[i & pair_mask_];
            if (p.decoded == nullptr)
                return add_pair(words);
            if (p.words == words)
                return *p.decoded;
        }
    }
    Decoded decode(uint32_t first, uint32_t second) const;
    const First& add_first(uint32_t word);
    const Decoded& add_pair(uint64_t words);
    DecodedBlock& add_block(const std::array<uint32_t, kFetchDwords>& words);

    std::deque<Decoded> pool_;
    std::vector<First> firsts_;
    std::vector<Pair> pairs_;
    size_t first_mask_;
    size_t pair_mask_;
    size_t first_count_ = 0;
    size_t pair_count_ = 0;
    std::deque<DecodedBlock> blocks_;
    std::vector<DecodedBlock*> block_table_;
    size_t block_mask_;
    bool skip_;
    DecodeUnit* unit_;
    std::unique_ptr<DecodeCache> skipping_;
};

}  // namespace archipelago::cu
