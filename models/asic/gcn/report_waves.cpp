// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/report_waves.h"

namespace archipelago::gcn {

void report_waves(const std::string& name, const cu::ComputeUnit& cu, asic::HangReport& report) {
    for (const cu::ResidentWave& wave : cu.resident_waves()) {
        asic::WaveReport w;
        w.cu = name;
        w.simd = wave.simd;
        w.slot = wave.slot;
        w.dispatch = wave.dispatch;
        w.pc = wave.pc;
        w.state = wave.state;
        w.vm_count = wave.vm_count;
        w.lgkm_count = wave.lgkm_count;
        w.exp_count = wave.exp_count;
        report.waves.push_back(w);
    }
}

}  // namespace archipelago::gcn
