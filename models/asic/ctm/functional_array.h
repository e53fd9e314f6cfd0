// SPDX-License-Identifier: Apache-2.0
// The DPP array in functional mode: a thread runs to its end when it is launched. What instructions
// do is models/ctm/isa, as in cycle mode.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/trace_sink.h"
#include "models/ctm/dpp/decode_cache.h"
#include "models/ctm/dpp/thread_rules.h"
#include "models/ctm/isa/semantics.h"
#include "models/ctm/messages.h"

namespace archipelago::ctm {

// The units that threads ask.
class ArrayClient {
  public:
    // An element for each lane wanted of its index.
    virtual void read_lanes(uint8_t client, isa::LaneMask lanes, const Point* index,
                            isa::Register& texels) = 0;
    virtual void write_elements(const ElementRequest& request) = 0;
    virtual WordsResponse words(const WordsRequest& request) = 0;
    virtual uint8_t test_output(const ConditionRequest& request) = 0;

  protected:
    ~ArrayClient() = default;
};

class FunctionalArray {
  public:
    struct Work {
        uint64_t threads = 0;
        std::array<uint64_t, 4> instructions{};  // by isa::Type
        uint64_t total() const {
            return instructions[0] + instructions[1] + instructions[2] + instructions[3];
        }
    };

    // `units` must outlive this. A thread that executes more instructions than `limit` stops the
    // machine.
    FunctionalArray(ArrayClient& units, uint64_t limit) : units_(units) {
        limits_.instructions = limit;
    }

    // Of the memory controller: sizes of inputs.
    void apply(const UnitCommand& command) { dpp::set_extent(command, extents_); }
    void run(const ThreadLaunch& launch);
    const Work& work() const { return work_; }
    const std::array<isa::Extent, kInputs>& extents() const { return extents_; }
    void observe(const Observers& observers, std::string path);
    // Back to the state after construction, counters included.
    void reset();
    void archive(Archive& a);

  private:
    // What the threads of a start have read: instructions and constants are asked for once.
    struct Program {
        uint32_t number = ~uint32_t{0};
        isa::ProgramMode mode;
        std::array<const dpp::Decoded*, isa::kMaxInstructions> code{};
        std::array<std::array<float, isa::kChannels>, isa::kFloatConstants> floats{};
        std::array<std::array<uint8_t, 3>, 32> integers{};
        std::array<bool, 32> booleans{};
        std::array<uint64_t, isa::kFloatConstants / 64> has_float{};
        uint32_t has_integer = 0, has_boolean = 0;
    };

    void begin(const ThreadLaunch& launch);
    const dpp::Decoded& fetch();
    void execute(const dpp::Decoded& d);
    void look_up(const dpp::Decoded& d);
    void write_uncached();
    void end(const ThreadLaunch& launch);
    isa::LaneMask test(isa::LaneMask writing);
    void read_constants(const isa::ConstantNeeds& needs);
    const std::array<float, isa::kChannels>& float_constant(unsigned index);
    void log(const dpp::Decoded& d) const;

    ArrayClient& units_;
    dpp::Limits limits_;
    dpp::DecodeCache decode_;
    dpp::Extents extents_{};
    Program program_;
    isa::Thread thread_;
    isa::ConstantValues values_;
    isa::Effects effects_;
    isa::TextureRequest wanted_;
    isa::Register texels_{};
    Work work_;
    Observers observers_;
    std::string path_;
};

}  // namespace archipelago::ctm
