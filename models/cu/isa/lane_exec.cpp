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

const ValuTable& portable_table() {
    static const ValuTable table = [] {
        ValuTable t;
        portable::fill_valu_table(t.fn);
        return t;
    }();
    return table;
}

#if defined(ARCHIPELAGO_VALU_HAVE_AVX2)
bool host_has_avx2() {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

const ValuTable& avx2_table() {
    static const ValuTable table = [] {
        ValuTable t;
        avx2::fill_valu_table(t.fn);
        return t;
    }();
    return table;
}
#endif

const LaneMemory& portable_memory() {
    static const LaneMemory table = [] {
        LaneMemory t{};
        portable::fill_lane_memory(t);
        return t;
    }();
    return table;
}

const ImageLanes& portable_image() {
    static const ImageLanes table = [] {
        ImageLanes t{};
        portable::fill_image_lanes(t);
        return t;
    }();
    return table;
}

#if defined(ARCHIPELAGO_VALU_HAVE_AVX2)
const LaneMemory& avx2_memory() {
    static const LaneMemory table = [] {
        LaneMemory t{};
        avx2::fill_lane_memory(t);
        return t;
    }();
    return table;
}

const ImageLanes& avx2_image() {
    static const ImageLanes table = [] {
        ImageLanes t{};
        avx2::fill_image_lanes(t);
        return t;
    }();
    return table;
}
#endif

struct Backend {
    const char* name;
    const ValuTable* table;
    const LaneMemory* memory;
    const ImageLanes* image;
};

const Backend& backend() {
    static const Backend chosen = [] {
        const char* wanted = std::getenv("ARCHIPELAGO_LANES");
        if (wanted == nullptr || std::strcmp(wanted, "portable") != 0) {
            const ValuTable* table = valu_table("avx2");
            const LaneMemory* memory = lane_memory("avx2");
            const ImageLanes* image = image_lanes("avx2");
            if (table != nullptr && memory != nullptr && image != nullptr) {
                return Backend{"avx2", table, memory, image};
            }
        }
        return Backend{"portable", &portable_table(), &portable_memory(), &portable_image()};
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
    if (std::strcmp(level, "portable") == 0) {
        return &portable_table();
    }
#if defined(ARCHIPELAGO_VALU_HAVE_AVX2)
    if (std::strcmp(level, "avx2") == 0 && host_has_avx2()) {
        return &avx2_table();
    }
#endif
    return nullptr;
}

const LaneMemory* lane_memory(const char* level) {
    if (std::strcmp(level, "portable") == 0) {
        return &portable_memory();
    }
#if defined(ARCHIPELAGO_VALU_HAVE_AVX2)
    if (std::strcmp(level, "avx2") == 0 && host_has_avx2()) {
        return &avx2_memory();
    }
#endif
    return nullptr;
}

const LaneMemory& lane_memory() {
    static const LaneMemory& chosen = *backend().memory;
    return chosen;
}

const ImageLanes* image_lanes(const char* level) {
    if (std::strcmp(level, "portable") == 0) {
        return &portable_image();
    }
#if defined(ARCHIPELAGO_VALU_HAVE_AVX2)
    if (std::strcmp(level, "avx2") == 0 && host_has_avx2()) {
        return &avx2_image();
    }
#endif
    return nullptr;
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
