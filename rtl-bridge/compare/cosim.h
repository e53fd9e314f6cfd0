// SPDX-License-Identifier: Apache-2.0
// The blocks that have pins, each with its lockstep bench: what `archipelago cosim` runs.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rtl-bridge/compare/coverage.h"
#include "rtl-bridge/compare/lockstep.h"
#include "rtl-bridge/pins/pin_table.h"

namespace archipelago::asic {
struct ChipOptions;
}

namespace archipelago::rtl {

struct PlaceModule;

// What passed a block's ports while a chip ran.
class Recording {
  public:
    virtual ~Recording() = default;
    // To be called before the chip is made; the recording must outlive it.
    virtual void attach(asic::ChipOptions& options) = 0;
    virtual uint64_t size() const = 0;    // transactions recorded, the first ones
    virtual uint64_t passed() const = 0;  // all of them
};

struct CosimOptions {
    uint64_t cycles = 1'000'000;
    uint64_t seed = 1;
    const Recording* recording = nullptr;  // of the same bench; null: random stimulus
    unsigned mutant = 0;                   // 1 + index in mutants(); 0: none
    std::string waveform;                  // FST of the last cycles; empty: none
    std::string place;  // a user's Verilog under its contract, in the twin's place; empty: none
    bool against_twin = false;  // compared with the twin, not the model
    bool elastic = false;       // the twin itself under that contract
    bool toggles = false;       // notes which bits of the inputs toggle
    std::function<void(uint64_t)> progress;
};

struct CosimResult {
    uint64_t cycles = 0;  // compared; under elastic: of the stimulus
    bool elastic = false;
    uint64_t transactions = 0;  // compared under elastic
    std::optional<Difference> difference;
    Coverage coverage;
    std::vector<std::string> still;  // with `toggles`: bits of inputs that had one value only
};

// Exchanges a block of a chip for its Verilog twin: made before the chip and alive as long.
class BlockSwap {
  public:
    virtual ~BlockSwap() = default;
    virtual void attach(asic::ChipOptions& options) = 0;
    // Exchanges only that instance. Throws std::invalid_argument when the block cannot.
    virtual void only(unsigned instance);
    // Whether the chip that was made has what was to be exchanged.
    virtual bool placed() const { return true; }
    virtual void open_waveform(const std::string& file) = 0;
    virtual uint64_t cycles() const = 0;  // the twin has been stepped, its reset included
};

class CosimBench {
  public:
    virtual ~CosimBench() = default;
    virtual const char* block() const = 0;
    virtual const char* description() const = 0;
    virtual bool has_twin() const = 0;         // else only a user's Verilog stands there
    virtual const PinTable& pins() const = 0;  // what is driven and compared
    // Names of the block's mutants; none where the plain twins are linked.
    virtual std::vector<std::string> mutants() const = 0;
    // A recording with room for so many transactions.
    virtual std::unique_ptr<Recording> make_recording(uint64_t limit) const = 0;
    virtual CosimResult run(const CosimOptions& options) const = 0;
    virtual std::unique_ptr<BlockSwap> make_swap(const TwinOptions& options) const = 0;
    // A user's Verilog in the block's place; throws std::invalid_argument as open_place() does.
    virtual const PlaceModule& place(const std::string& file) const = 0;
};

// In order of name. Throws std::invalid_argument when the twins are not built.
const std::vector<const CosimBench*>& cosim_benches();
// Null when no block of that name has a twin.
const CosimBench* find_cosim_bench(const std::string& block);

// Throws std::invalid_argument naming what is wrong: an unknown block, or twins that are not built.
std::unique_ptr<BlockSwap> make_block_swap(const std::string& block, const TwinOptions& options);

}  // namespace archipelago::rtl
