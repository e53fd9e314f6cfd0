// SPDX-License-Identifier: Apache-2.0
// Instructions must not allocate host memory: only programs that are new, launches and ends may.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>

#include "models/cu/isa/assemble.h"
#include "testbenches/unit/cu/cu_bench.h"

namespace {
bool counting = false;
uint64_t allocations = 0;
}  // namespace

// Not inline: compilers match allocation and release functions by what they see.
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    if (counting || archipelago::cu::test::ProbedCore::inside)
        ++allocations;
    const auto align = static_cast<std::size_t>(alignment);
    if (void* p = std::aligned_alloc(align, (size + align - 1) / align * align))
        return p;
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size) {
    return operator new (size, std::align_val_t{alignof(std::max_align_t)});
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
    try {
        return operator new(size);
    } catch (const std::bad_alloc&) {
        return nullptr;
    }
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
    std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t, std::align_val_t) noexcept {
    std::free(p);
}

namespace archipelago::cu::test {
namespace {

// s4 times: every class of instruction a kernel uses, an image excepted.
constexpr const char* kKernel = R"(
  v_lshlrev_b32_e32 v1, 2, v0
  s_mov_b32 m0, -1
loop:
  s_load_dword s5, s[0:1], 0x1
  buffer_load_dword v2, v1, s[0:3], 0 offen
  buffer_load_dwordx2 v[4:5], v1, s[0:3], 0 offen offset:4
  s_waitcnt vmcnt(0) lgkmcnt(0)
  v_mad_f32 v3, v2, v4, v5
  v_cmp_gt_f32_e32 vcc, 1.0, v3
  s_and_saveexec_b64 s[6:7], vcc
  v_add_i32_e32 v3, vcc, 1, v3
  s_mov_b64 exec, s[6:7]
  ds_write_b32 v1, v3
  ds_read2_b32 v[6:7], v1 offset1:1
  ds_add_rtn_u32 v8, v1, v3
  s_waitcnt lgkmcnt(0)
  buffer_store_dword v6, v1, s[0:3], 0 offen offset:2048
  buffer_atomic_add v8, v1, s[0:3], 0 offen offset:3072
  s_barrier
  s_sub_u32 s4, s4, 1
  s_cmp_lg_u32 s4, 0
  s_cbranch_scc1 loop
  s_endpgm
)";

std::vector<uint32_t> program() {
    const isa::Assembly assembly = isa::assemble(kKernel);
    EXPECT_TRUE(assembly.errors.empty())
        << (assembly.errors.empty() ? "" : assembly.errors.front().message);
    std::vector<uint32_t> words(assembly.bytes.size() / 4);
    std::memcpy(words.data(), assembly.bytes.data(), assembly.bytes.size());
    return words;
}

std::vector<WaveLaunch> group(uint32_t iterations) {
    std::vector<WaveLaunch> waves;
    for (unsigned i = 0; i < 8; ++i) {
        waves.push_back(make_launch(8, i));
        waves.back().sgpr_init[4] = iterations;
    }
    return waves;
}

uint64_t in_functional_mode(uint32_t iterations) {
    MemoryImage memory;
    ImageMemory view(memory);
    memory.map(kData, kDataBytes);
    memory.map(kCode, 0x1000);
    const std::vector<uint32_t> code = program();
    memory.write(kCode, code.data(), code.size() * 4);
    FunctionalCu cu({}, view, CuBench::identity());
    FunctionalStats stats;
    const std::vector<WaveLaunch> waves = group(iterations);
    allocations = 0;
    counting = true;
    cu.run_group(waves.data(), 8, stats);
    counting = false;
    EXPECT_EQ(stats.work.barriers, 8u * iterations);
    return allocations;
}

uint64_t in_cycle_mode(uint32_t iterations) {
    CuBench bench;
    bench.load(program());
    for (const WaveLaunch& wave : group(iterations))
        bench.launch(wave);
    allocations = 0;
    bench.run(10000000);
    EXPECT_EQ(bench.spi.ended.size(), 8u);
    EXPECT_EQ(bench.core.state().counters.work.barriers, 8u * iterations);
    return allocations;
}

TEST(Allocation, LongerLoopsAllocateNothingMoreInFunctionalMode) {
    const uint64_t few = in_functional_mode(10);
    EXPECT_GT(few, 0u) << "nothing was counted";
    EXPECT_EQ(in_functional_mode(1000), few);
}

TEST(Allocation, LongerLoopsAllocateNothingMoreInCycleMode) {
    in_cycle_mode(1);  // what the process needs once
    const uint64_t few = in_cycle_mode(10);
    EXPECT_GT(few, 0u) << "nothing was counted";
    EXPECT_EQ(in_cycle_mode(1000), few);
}

}  // namespace
}  // namespace archipelago::cu::test
