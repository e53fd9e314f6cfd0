// SPDX-License-Identifier: Apache-2.0
// Random programs with control flow: loops, divergent branches, barriers between waves that talk
// through local memory, scalar loads, changes of rounding and denormal modes.
#pragma once

#include <cstdint>
#include <vector>

#include "testbenches/unit/cu/compare_modes.h"

namespace archipelago::cu::test {

// Every program ends, and none depends on the order in which waves run: between two barriers a wave
// writes its own part of local and global memory only, and reads other waves' parts only in phases
// without writes. Registers with a job are kept out of the random instructions:
//   v0      the thread's number in the group
//   s20-s23 descriptor of the data      s24 wave in group      s25, s26 its byte offsets in data
//   and LDS s28-s33 loop counters               s34-s45 saved execution masks
class StructuredProgram {
  public:
    explicit StructuredProgram(uint64_t seed);
    const std::vector<uint32_t>& words() const { return words_; }

  private:
    void prologue();
    void block(unsigned depth);
    void if_else(unsigned depth);
    void loop(unsigned depth);
    void exchange();
    void alu();
    void local_memory();
    void global_memory();
    void scalar_load();
    void change_mode();

    void emit(uint32_t word) { words_.push_back(word); }
    void sop2(unsigned op, unsigned dst, unsigned a, unsigned b);
    void sop1(unsigned op, unsigned dst, unsigned a);
    void sopp(unsigned op, uint32_t immediate);
    void s_mov(unsigned dst, uint32_t value);
    void descriptor();
    void wait() { sopp(12, 0); }
    size_t branch(unsigned op);  // to be aimed later
    void aim(size_t branch, size_t target);

    Random random_;
    std::vector<uint32_t> words_;
    unsigned loops_ = 0;
    unsigned masks_ = 0;
    bool divergent_ = false;  // inside a branch that some waves may not take: no barriers
};

}  // namespace archipelago::cu::test
