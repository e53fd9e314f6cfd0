// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/lane_exec.h"

#include <cstdlib>
#include <cstring>

#include "models/cu/isa/image_lanes.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/valu_env.h"
#include "models/cu/isa/valu_table.h"

namespace archipelago::isa {
namespace {

static_assert(static_cast<unsigned>(Op::Illegal) < kValuTableSize,
              "kValuTableSize must hold every opcode");

uint32_t read_mxcsr() {
    uint32_t value;
    __asm__ volatile("stmxcsr %0" : "=m"(value) : : "memory");
    return value;
}

void write_mxcsr(uint32_t value) {
    __asm__ volatile("ldmxcsr %0" : : "m"(value) : "memory");
}

// Bits of MXCSR that choose behaviour; the low six are sticky exception flags.
constexpr uint32_t kMxcsrControl = 0xffc0;

#if defined(ARCHIPELAGO_VALU_HAVE_AVX2)
namespace wide = avx2;
bool host_is_wide() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
#else
namespace wide = portable;  // never used
bool host_is_wide() {
    return false;
}
#endif

template <class Table, void (*Fill)(Table&)>
const Table& filled() {
    static const Table table = [] {
        Table t{};
        Fill(t);
        return t;
    }();
    return table;
}

// Null: the build or the host does not have the level.
template <class Table, void (*Portable)(Table&), void (*Wide)(Table&)>
const Table* of_level(const char* level) {
    if (std::strcmp(level, "portable") == 0) {
        return &filled<Table, Portable>();
    }
    return std::strcmp(level, "avx2") == 0 && host_is_wide() ? &filled<Table, Wide>() : nullptr;
}

struct Backend {
    const char* name;
    const ValuTable* table;
    const LaneMemory* memory;
    const ImageLanes* image;
};

const Backend& backend() {
    static const Backend chosen = [] {
        const char* wanted = std::getenv("ARCHIPELAGO_LANES");
        const bool avx2 =
            host_is_wide() && (wanted == nullptr || std::strcmp(wanted, "portable") != 0);
        const char* level = avx2 ? "avx2" : "portable";
        return Backend{level, valu_table(level), lane_memory(level), image_lanes(level)};
    }();
    return chosen;
}

}  // namespace

__thread FpEnvState fp_env_state = {0, 0};

FpEnvGuard::FpEnvGuard() : saved_(read_mxcsr()) {
    if (fp_env_state.depth++ == 0) {
        fp_env_state.current = saved_ & kMxcsrControl;
    }
}

FpEnvGuard::~FpEnvGuard() {
    if (--fp_env_state.depth == 0) {
        write_mxcsr(saved_);
    }
}

FpEnvPause::FpEnvPause() : saved_(read_mxcsr()) {
    constexpr uint32_t kDefault = 0x1F80;  // after reset: all exceptions masked, nearest
    write_mxcsr(kDefault);
}

FpEnvPause::~FpEnvPause() {
    write_mxcsr(saved_);
}

const ValuTable* valu_table(const char* level) {
    return of_level<ValuTable, portable::fill_valu_table, wide::fill_valu_table>(level);
}

const LaneMemory* lane_memory(const char* level) {
    return of_level<LaneMemory, portable::fill_lane_memory, wide::fill_lane_memory>(level);
}

const ImageLanes* image_lanes(const char* level) {
    return of_level<ImageLanes, portable::fill_image_lanes, wide::fill_image_lanes>(level);
}

const LaneMemory& lane_memory() {
    static const LaneMemory& chosen = *backend().memory;
    return chosen;
}

const ImageLanes& image_lanes() {
    static const ImageLanes& chosen = *backend().image;
    return chosen;
}

ExecFn find_valu(Op op) {
    const auto index = static_cast<unsigned>(op);
    return index < kValuTableSize ? backend().table->fn[index] : nullptr;
}

const char* lane_backend() {
    return backend().name;
}

}  // namespace archipelago::isa
