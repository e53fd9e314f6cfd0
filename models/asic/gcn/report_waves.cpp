// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/report_waves.h"

namespace archipelago::gcn {
namespace {

const char* state_name(cu::WaveStatus status) {
    switch (status) {
        case cu::WaveStatus::Free:
            return "free";
        case cu::WaveStatus::Ready:
            return "ready";
        case cu::WaveStatus::NeedsFetch:
            return "fetch";
        case cu::WaveStatus::Waiting:
            return "memory";
        case cu::WaveStatus::AtBarrier:
            return "barrier";
        case cu::WaveStatus::Halted:
            return "halted";
        case cu::WaveStatus::Ending:
            return "ending";
    }
    return "?";
}

}  // namespace

void report_waves(const std::string& name, const cu::CuCore& cu, asic::HangReport& report) {
    const archipelago::cu::State& state = cu.state();
    for (unsigned simd = 0; simd < cu.spec().simds; ++simd) {
        for (unsigned i = 0; i < state.simds[simd].waves; ++i) {
            const unsigned slot = state.simds[simd].order[i];
            const archipelago::cu::Wave& wave = state.waves[simd][slot];
            asic::WaveReport w;
            w.cu = name;
            w.simd = simd;
            w.slot = slot;
            w.dispatch = wave.launch.dispatch;
            w.pc = wave.regs.pc;
            w.state = state_name(wave.status);
            w.vm_count = wave.vm_count;
            w.lgkm_count = wave.lgkm_count;
            w.exp_count = wave.exp_count;
            report.waves.push_back(w);
        }
    }
}

}  // namespace archipelago::gcn
