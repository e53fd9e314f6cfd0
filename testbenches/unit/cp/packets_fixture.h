// SPDX-License-Identifier: Apache-2.0
// Tests of packets run in all modes: timed, timed with stalled channels, and in functional mode.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/common/error.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test {

enum class Mode { Timed, Functional, Stalled };

class PacketsTest : public ::testing::TestWithParam<Mode> {
  protected:
    void SetUp() override { start(); }
    void start(const Spec& spec = si_spec()) {
        if (GetParam() == Mode::Functional) {
            machine_ = std::make_unique<FunctionalMachine>(spec);
        } else {
            BenchOptions options;
            options.spec = spec;
            options.stall_percent = GetParam() == Mode::Stalled ? 35 : 0;
            machine_ = std::make_unique<TimedMachine>(options);
        }
        machine_->setup_rings();
    }
    bool strict = false;  // Spec::strict of the machines of reason()
    Machine& m() { return *machine_; }
    const Recorded& seen() { return machine_->seen; }
    bool functional() const { return GetParam() == Mode::Functional; }
    // Null in functional mode.
    TimedMachine* timed() { return dynamic_cast<TimedMachine*>(machine_.get()); }
    DeState& de() {
        return functional() ? static_cast<FunctionalMachine&>(m()).de : timed()->core().de_state();
    }
    void stop_early(Cycle cycles) {
        if (timed() != nullptr)
            timed()->limit(timed()->now() + cycles);
    }
    // The text of the MachineStop that the packets end in.
    std::string stop(const std::vector<uint32_t>& words, StopKind kind = StopKind::BadInput,
                     unsigned ring = 0) {
        try {
            m().submit(words, ring);
        } catch (const MachineStop& e) {
            EXPECT_EQ(e.kind(), kind) << e.what();
            return e.what();
        }
        return "no stop";
    }
    // The same, without the place, on a machine of its own.
    std::string reason(const std::vector<uint32_t>& words, StopKind kind = StopKind::BadInput,
                       unsigned ring = 0) {
        Spec spec = si_spec();
        spec.strict = strict;
        start(spec);
        const std::string text = stop(words, kind, ring);
        const size_t colon = text.find(": ");
        return colon == std::string::npos ? text : text.substr(colon + 2);
    }

  private:
    std::unique_ptr<Machine> machine_;
};

inline std::string mode_name(const ::testing::TestParamInfo<Mode>& info) {
    return info.param == Mode::Timed        ? "Timed"
           : info.param == Mode::Functional ? "Functional"
                                            : "Stalled";
}
inline auto all_modes() {
    return ::testing::Values(Mode::Timed, Mode::Functional, Mode::Stalled);
}

// ---- packets of sections 2.7 and 2.8
inline std::vector<uint32_t> cond_exec(uint64_t address, uint32_t count, uint32_t command = 0) {
    return packet("COND_EXEC", {lo(address), hi(address) | command << 28, count, 7});
}
inline std::vector<uint32_t> pred_exec(uint32_t devices, uint32_t count) {
    return packet("PRED_EXEC", {devices << 24 | count});
}
inline std::vector<uint32_t> predicated(std::vector<uint32_t> words) {
    words[0] |= 1;
    return words;
}
struct Predicate {
    uint32_t operation = 1;
    bool boolean = true;
    bool hint = false;
    bool go_on = false;
};
inline std::vector<uint32_t> set_predication(uint64_t address, const Predicate& p) {
    return packet("SET_PREDICATION",
                  {lo(address), hi(address) | (p.boolean ? 1u << 8 : 0) | (p.hint ? 1u << 12 : 0) |
                                    p.operation << 16 | (p.go_on ? 1u << 31 : 0)});
}
inline std::vector<uint32_t> sync_pfp() {
    return packet("PFP_SYNC_ME", {0});
}

}  // namespace archipelago::cp::test
