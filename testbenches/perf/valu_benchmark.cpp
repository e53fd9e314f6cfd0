// SPDX-License-Identifier: Apache-2.0
// Host cost of vector instructions, in nanoseconds per 64-lane instruction, for each host level.
#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <string>

#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/valu_env.h"
#include "models/cu/isa/valu_table.h"

namespace archipelago::isa {
namespace {

struct Registers {
    alignas(64) VReg v[16];
};

enum class Operands { Vector, Scalar, PartialExec };

struct Case {
    const char* name;
    Op op;
    Format format;
    Operands operands;
    uint8_t float_mode;
};

constexpr uint8_t kFlushF32 = 0xc0;  // what compilers ask for by default on this family
constexpr uint8_t kKeepAll = 0xf0;

constexpr Case kCases[] = {
    {"v_mov_b32", Op::V_MOV_B32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_mov_b32/s", Op::V_MOV_B32, Format::Vop1, Operands::Scalar, kFlushF32},
    {"v_add_f32", Op::V_ADD_F32, Format::Vop2, Operands::Vector, kFlushF32},
    {"v_add_f32/s", Op::V_ADD_F32, Format::Vop2, Operands::Scalar, kFlushF32},
    {"v_add_f32/partial", Op::V_ADD_F32, Format::Vop2, Operands::PartialExec, kFlushF32},
    {"v_add_f32/denormals", Op::V_ADD_F32, Format::Vop2, Operands::Vector, kKeepAll},
    {"v_mul_f32", Op::V_MUL_F32, Format::Vop2, Operands::Vector, kFlushF32},
    {"v_mac_f32", Op::V_MAC_F32, Format::Vop2, Operands::Vector, kFlushF32},
    {"v_mad_f32", Op::V_MAD_F32, Format::Vop3, Operands::Vector, kFlushF32},
    {"v_mad_f32/s", Op::V_MAD_F32, Format::Vop3, Operands::Scalar, kFlushF32},
    {"v_fma_f32", Op::V_FMA_F32, Format::Vop3, Operands::Vector, kFlushF32},
    {"v_min_f32", Op::V_MIN_F32, Format::Vop2, Operands::Vector, kFlushF32},
    {"v_add_i32", Op::V_ADD_I32, Format::Vop2, Operands::Vector, kFlushF32},
    {"v_add_i32/s", Op::V_ADD_I32, Format::Vop2, Operands::Scalar, kFlushF32},
    {"v_add_i32/partial", Op::V_ADD_I32, Format::Vop2, Operands::PartialExec, kFlushF32},
    {"v_lshlrev_b32/s", Op::V_LSHLREV_B32, Format::Vop2, Operands::Scalar, kFlushF32},
    {"v_and_b32", Op::V_AND_B32, Format::Vop2, Operands::Vector, kFlushF32},
    {"v_mul_lo_u32", Op::V_MUL_LO_U32, Format::Vop3, Operands::Vector, kFlushF32},
    {"v_mul_hi_u32", Op::V_MUL_HI_U32, Format::Vop3, Operands::Vector, kFlushF32},
    {"v_cndmask_b32", Op::V_CNDMASK_B32, Format::Vop2, Operands::Vector, kFlushF32},
    {"v_cmp_lt_f32", Op::V_CMP_LT_F32, Format::Vopc, Operands::Vector, kFlushF32},
    {"v_cmp_lt_i32", Op::V_CMP_LT_I32, Format::Vopc, Operands::Vector, kFlushF32},
    {"v_cvt_f32_i32", Op::V_CVT_F32_I32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_cvt_i32_f32", Op::V_CVT_I32_F32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_cvt_f16_f32", Op::V_CVT_F16_F32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_rcp_f32", Op::V_RCP_F32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_exp_f32", Op::V_EXP_F32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_log_f32", Op::V_LOG_F32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_sin_f32", Op::V_SIN_F32, Format::Vop1, Operands::Vector, kFlushF32},
    {"v_add_f64", Op::V_ADD_F64, Format::Vop3, Operands::Vector, kFlushF32},
    {"v_fma_f64", Op::V_FMA_F64, Format::Vop3, Operands::Vector, kFlushF32},
    {"v_div_scale_f32", Op::V_DIV_SCALE_F32, Format::Vop3, Operands::Vector, kFlushF32},
    {"v_div_fixup_f32", Op::V_DIV_FIXUP_F32, Format::Vop3, Operands::Vector, kFlushF32},
};

void fill(Registers& r) {
    for (unsigned n = 0; n < 16; ++n) {
        for (unsigned lane = 0; lane < kLanes; ++lane) {
            const float x = 1.0f + 0.25f * static_cast<float>(n) + 0.01f * static_cast<float>(lane);
            std::memcpy(&r.v[n][lane], &x, 4);
        }
    }
}

void run(benchmark::State& state, const Case& c, ExecFn fn, bool guarded) {
    auto registers = std::make_unique<Registers>();
    fill(*registers);
    WaveState w;
    w.v = registers->v;
    w.num_vgprs = 16;
    w.mode = Mode::from_float_mode(c.float_mode, true, true);
    w.set_exec(c.operands == Operands::PartialExec ? 0x5555aaaa0f0f3333ull : ~0ull);
    w.s[4] = 0x40000000;
    Inst i;
    i.op = c.op;
    i.format = c.format;
    i.num_src = 3;
    i.src[0] = c.operands == Operands::Scalar ? 4 : kVgprFirst + 2;
    i.src[1] = kVgprFirst + 4;
    i.src[2] = kVgprFirst + 6;
    i.vdst = 8;
    i.sdst = kVccLo;
    if (guarded) {
        const FpEnvGuard guard;
        for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): its idiom
            fn(i, w);
            benchmark::ClobberMemory();
        }
    } else {
        for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores): its idiom
            fn(i, w);
            benchmark::ClobberMemory();
        }
    }
}

void register_all() {
    for (const char* level : {"avx2", "portable"}) {
        const ValuTable* table = valu_table(level);
        if (table == nullptr) {
            continue;
        }
        for (const Case& c : kCases) {
            const ExecFn fn = table->fn[static_cast<unsigned>(c.op)];
            const std::string name = std::string(level) + "/" + c.name;
            benchmark::RegisterBenchmark(name.c_str(),
                                         [c, fn](benchmark::State& s) { run(s, c, fn, true); });
        }
        const ExecFn fn = table->fn[static_cast<unsigned>(kCases[2].op)];
        benchmark::RegisterBenchmark((std::string(level) + "/v_add_f32/no_guard").c_str(),
                                     [fn](benchmark::State& s) { run(s, kCases[2], fn, false); });
    }
}

}  // namespace
}  // namespace archipelago::isa

int main(int argc, char** argv) {
    archipelago::isa::register_all();
    benchmark::Initialize(&argc, argv);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
