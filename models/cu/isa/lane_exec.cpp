// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/lane_exec.h"

#include <cstdlib>
#include <cstring>

#include "models/cu/isa/format_lanes.h"
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

// The tables of a level of the host's instructions.
template <class Table, void (*Portable)(Table&), void (*Wide)(Table&)>
struct Levels {
    static const Table& of(bool avx2) {
        return avx2 ? filled<Table, Wide>() : filled<Table, Portable>();
    }
    // Null: the build or the host does not have the level.
    static const Table* named(const char* level) {
        const bool avx2 = std::strcmp(level, "avx2") == 0;
        const bool there = avx2 ? host_is_wide() : std::strcmp(level, "portable") == 0;
        return there ? &of(avx2) : nullptr;
    }
};
using ValuLevels = Levels<ValuTable, portable::fill_valu_table, wide::fill_valu_table>;
using MemoryLevels = Levels<LaneMemory, portable::fill_lane_memory, wide::fill_lane_memory>;
using FormatLevels = Levels<FormatLanes, portable::fill_format_lanes, wide::fill_format_lanes>;
using ImageLevels = Levels<ImageLanes, portable::fill_image_lanes, wide::fill_image_lanes>;

bool uses_avx2() {
    static const bool chosen = [] {
        const char* wanted = std::getenv("ARCHIPELAGO_LANES");
        return host_is_wide() && (wanted == nullptr || std::strcmp(wanted, "portable") != 0);
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
    return ValuLevels::named(level);
}

const LaneMemory* lane_memory(const char* level) {
    return MemoryLevels::named(level);
}

const FormatLanes* format_lanes(const char* level) {
    return FormatLevels::named(level);
}

const ImageLanes* image_lanes(const char* level) {
    return ImageLevels::named(level);
}

const LaneMemory& lane_memory() {
    static const LaneMemory& chosen = MemoryLevels::of(uses_avx2());
    return chosen;
}

const FormatLanes& format_lanes() {
    static const FormatLanes& chosen = FormatLevels::of(uses_avx2());
    return chosen;
}

const ImageLanes& image_lanes() {
    static const ImageLanes& chosen = ImageLevels::of(uses_avx2());
    return chosen;
}

ExecFn find_valu(Op op) {
    const auto index = static_cast<unsigned>(op);
    return index < kValuTableSize ? ValuLevels::of(uses_avx2()).fn[index] : nullptr;
}

const char* lane_backend() {
    return uses_avx2() ? "avx2" : "portable";
}

}  // namespace archipelago::isa
