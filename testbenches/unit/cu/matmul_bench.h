// SPDX-License-Identifier: Apache-2.0
// Memory contents, launches and check of the matrix product in matmul_program.h.
#pragma once

#include <vector>

#include "models/common/memory_image.h"
#include "models/gcn/compute_message.h"
#include "testbenches/unit/cu/matmul_program.h"

namespace archipelago::cu::test {

class Matmul {
  public:
    static constexpr unsigned kSize = 256;
    static constexpr unsigned kGroups = kSize / 16 * (kSize / 16);
    static constexpr unsigned kWaves = 4;  // per group
    static constexpr uint64_t kProgram = 0x20000, kArgs = 0x30000, kA = 0x1000000, kB = 0x1100000,
                              kC = 0x1200000;

    explicit Matmul(MemoryImage& memory) : memory_(memory) {
        memory.map(kProgram, kMatmul.size() * 4 + 256);
        memory.write(kProgram, kMatmul.data(), kMatmul.size() * 4);
        memory.map(kArgs, 4096);
        const uint64_t args[3] = {kA, kB, kC};
        memory.write(kArgs + 36, args, sizeof args);
        for (unsigned i = 0; i < kSize * kSize; ++i) {
            a_.push_back(static_cast<float>(static_cast<int>(i * 7919 % 17) - 8));
            b_.push_back(static_cast<float>(static_cast<int>(i * 104729 % 13) - 6));
        }
        for (const uint64_t at : {kA, kB, kC})
            memory.map(at, kSize * kSize * 4);
        memory.write(kA, a_.data(), a_.size() * 4);
        memory.write(kB, b_.data(), b_.size() * 4);
    }
    WaveLaunch launch(unsigned group, unsigned wave) const {
        WaveLaunch l;
        l.dispatch = 1;
        l.group = group;
        l.wave_in_group = static_cast<uint8_t>(wave);
        l.waves_in_group = kWaves;
        l.pc = kProgram;
        l.exec = ~uint64_t{0};
        l.vgpr_count = 24;
        l.sgpr_count = 24;
        l.lds_bytes = 2048;
        l.float_mode = 0xF0;
        l.ieee = true;
        l.dx10_clamp = true;
        l.sgpr_init_count = 4;
        l.sgpr_init[0] = static_cast<uint32_t>(kArgs);
        l.sgpr_init[2] = group % (kSize / 16);
        l.sgpr_init[3] = group / (kSize / 16);
        l.id_components = 2;
        l.first_thread = 64 * wave;
        l.group_dim = {16, 16, 1};
        return l;
    }
    // The numbers are small integers: every order of summation is exact.
    bool right(unsigned group) const {
        for (unsigned y = group / 16 * 16; y < group / 16 * 16 + 16; ++y)
            for (unsigned x = group % 16 * 16; x < group % 16 * 16 + 16; ++x) {
                float sum = 0;
                for (unsigned k = 0; k < kSize; ++k)
                    sum += a_[y * kSize + k] * b_[k * kSize + x];
                float got = 0;
                memory_.read(kC + 4 * (y * kSize + x), &got, 4);
                if (got != sum)
                    return false;
            }
        return true;
    }

  private:
    MemoryImage& memory_;
    std::vector<float> a_, b_;
};

}  // namespace archipelago::cu::test
