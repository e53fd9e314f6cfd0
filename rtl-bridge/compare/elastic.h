// SPDX-License-Identifier: Apache-2.0
// The contract `elastic`: two blocks that take the same transactions at their inputs give the same
// ones at each output port, regardless of the cycles these take. What passes the inputs is taken
// from the model under the stimulus of the lockstep bench; each block then gets it at its own pace,
// in the order in which the model took it, an input after the outputs that the model gave before
// it. What of a port is compared, and in which order, is Pins::kElastic.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "rtl-bridge/compare/lockstep.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

// What stands around one of the blocks beside the transactions: the ports of kElastic.served.
// In and Out are those of the block's pins.
class ElasticWorld {
  public:
    virtual ~ElasticWorld() = default;
    virtual void reset() {}
    // Before a cycle: sets the inputs of served ports. After it: what has passed.
    virtual void drive(void* in, Random& random) = 0;
    virtual void observe(const void* in, const void* out) = 0;
    // Nothing is on its way.
    virtual bool quiet() const = 0;
    // Sets what is not compared of outputs that leave in this cycle to zero.
    virtual void trim(void* out) = 0;
    // A last transaction before the blocks come to rest, on the port that is returned; null: none.
    virtual const char* flush(void* in) const = 0;
    // Of a port's transaction that leaves in this cycle, what explain() is told of it.
    virtual uint64_t mark(const std::string& /*port*/, const void* /*out*/) const { return 0; }
    // Where a port's transactions first differ, in the words of the block: place and field. `value`
    // gives the reference's fields. Empty: port and field say it.
    using Values = std::function<uint64_t(const char* field)>;
    virtual std::string explain(const std::string& /*port*/, const std::string& /*field*/,
                                uint64_t /*mark*/, const Values& /*value*/) const {
        return {};
    }
    // The same of an output of kElastic.faults that is high.
    virtual std::string explain_fault(const void* /*out*/) const { return {}; }
    // In what the two differ when both are at rest; empty: in nothing. `other` is that of the
    // Verilog, this of what it is compared with.
    virtual std::string difference(const ElasticWorld& other) const = 0;
};

struct ElasticSide {
    std::string name;  // "model", "Verilog"
    std::function<void(const void* in, void* out)> step;
    std::unique_ptr<ElasticWorld> world;  // null: no port is served
};

// A block with its stimulus, by their pins.
struct ElasticBench {
    explicit ElasticBench(const PinTable& pins) : table(pins) {}

    const PinTable& table;
    uint64_t seed = 1;
    std::function<void(void* in)> fresh;  // as it is before anything was set
    std::function<void(void* in)> next;
    std::function<void(const void* in, void* out)> model;  // that the stimulus sees
    std::function<void(const void* in, const void* out)> observe;
    std::function<bool()> finished;
    ElasticSide reference, candidate;
};

struct ElasticResult {
    uint64_t cycles = 0;        // of the stimulus
    uint64_t transactions = 0;  // compared
    std::optional<Difference> difference;
};
ElasticResult run_elastic(ElasticBench& bench, uint64_t cycles,
                          const std::function<void(uint64_t)>& progress);

template <class Pins>
std::function<void(const void*, void*)> step_of(PinBlock<Pins>& block) {
    return [&block](const void* in, void* out) {
        block.step(*static_cast<const typename Pins::In*>(in),
                   *static_cast<typename Pins::Out*>(out));
    };
}

}  // namespace archipelago::rtl
