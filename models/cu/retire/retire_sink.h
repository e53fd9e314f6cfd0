// SPDX-License-Identifier: Apache-2.0
// What waves do as a program sees it: instruction by instruction, in program order, with the values
// it leaves in registers and the memory it accesses. Both modes say the same of a program whose
// waves do not race.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/clocked.h"
#include "models/cu/isa/wave_state.h"
#include "models/cu/pipeline/decoded.h"
#include "models/gcn/compute_message.h"

namespace archipelago::cu {

// One value for each lane, kept from record to record for its memory.
template <class T>
class LaneRows {
  public:
    using Row = std::array<T, isa::kLanes>;
    // What it holds is left from before.
    Row& add() {
        if (used_ == rows_.size())
            rows_.emplace_back();
        return rows_[used_++];
    }
    const Row& operator[](size_t i) const { return rows_[i]; }
    size_t size() const { return used_; }
    void clear() { used_ = 0; }

  private:
    std::vector<Row> rows_;
    size_t used_ = 0;
};

// A register an instruction wrote. VCC, EXEC and M0 are no writes: every record has their values.
struct ScalarWrite {
    uint16_t code = 0;  // operand code
    uint32_t value = 0;
};
struct VectorWrite {
    uint16_t vgpr = 0;
    uint64_t lanes = 0;
    uint32_t row = 0;  // in Retired::values
};

struct MemoryAccess {
    enum class Space : uint8_t { Scalar, Global, Image, Lds, Gds };
    enum class Kind : uint8_t { Load, Store, Atomic };
    Space space = Space::Global;
    Kind kind = Kind::Load;
    uint8_t bytes = 4;   // of a lane; scalar loads: all of them, for lane 0
    uint8_t dwords = 1;  // rows of values: those loaded or stored, of atomics the operands
    uint64_t lanes = 0;
    uint32_t address_row = 0;  // in Retired::addresses; bytes, in LDS from the group's part on
    uint32_t row = 0;          // in Retired::values
};

// One instruction of one wave.
struct Retired {
    uint64_t pc = 0;
    Cycle cycle = 0;  // of its issue; in functional mode its number among the unit's instructions
    const Decoded* decoded = nullptr;
    bool finished = false;  // false: the machine stopped before its results were there
    // After the instruction.
    uint64_t exec = 0, vcc = 0;
    uint32_t m0 = 0;
    bool scc = false;
    std::vector<ScalarWrite> scalars;
    std::vector<VectorWrite> vectors;
    std::vector<MemoryAccess> accesses;
    LaneRows<uint32_t> values;
    LaneRows<uint64_t> addresses;
};

// Which wave, and where it runs.
struct RetiredWave {
    WaveLaunch launch;
    std::string name;      // wave_name()
    std::string unit;      // compute unit
    bool accesses = true;  // its records have those of memory
};

class RetireSink {
  public:
    virtual ~RetireSink() = default;
    // In front of the first instruction of a wave, whose registers may be changed here. False:
    // its instructions are not wanted.
    virtual bool starts(const RetiredWave& wave, isa::WaveState& registers) = 0;
    virtual void retired(const RetiredWave& wave, const Retired& instruction) = 0;
    // After the last one.
    virtual void ends(const RetiredWave& /*wave*/, const isa::WaveState& /*registers*/) {}
};

}  // namespace archipelago::cu
