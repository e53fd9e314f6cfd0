// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/twin.h"

#include <iterator>
#include <stdexcept>

#include "rtl-bridge/verilated/selected_mutant.h"
#include "rtl-bridge/verilated/verilated_twin.h"
#include "rtl/all_pins.h"
#include "rtl/verilated_twins.h"
#include "verilated.h"
#include "verilated_fst_c.h"

namespace archipelago::rtl {
namespace {

// With one of its mutants, where they are linked.
template <class P, class Top>
class MutableTwin final : public VerilatedTwin<P, Top, VerilatedContext, VerilatedFstC> {
  public:
    using Base = VerilatedTwin<P, Top, VerilatedContext, VerilatedFstC>;

    explicit MutableTwin(const TwinOptions& options)
        : Base(select(options)), mutant_(options.mutant) {}

    void step(const typename P::In& in, typename P::Out& out) override {
        selected_mutant = static_cast<int>(mutant_);
        Base::step(in, out);
    }

  private:
    static const TwinOptions& select(const TwinOptions& options) {
        selected_mutant = static_cast<int>(options.mutant);
        return options;
    }
    unsigned mutant_;
};

// What Verilator has made of a block: the class of its top module, and its mutants.
template <class Pins>
struct Verilated;

}  // namespace

template <class Pins>
std::unique_ptr<Twin<Pins>> make_twin(const TwinOptions& options) {
    if (options.mutant > Verilated<Pins>::kMutants.size())
        throw std::invalid_argument(std::string(Pins::kName) + ": no mutant " +
                                    std::to_string(options.mutant) + " is in this Verilog");
    return std::make_unique<MutableTwin<Pins, typename Verilated<Pins>::Top>>(options);
}

template <class Pins>
std::vector<std::string> twin_mutants() {
    const auto& names = Verilated<Pins>::kMutants;
    return {std::begin(names), std::end(names)};
}

// Template arguments cannot stand in parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ARCHIPELAGO_TWIN(block, Pins)                                         \
    namespace {                                                               \
    template <>                                                               \
    struct Verilated<Pins> {                                                  \
        using Top = V##block;                                                 \
        static constexpr const auto& kMutants = k_##block##_mutants;          \
    };                                                                        \
    }                                                                         \
    template <>                                                               \
    bool has_twin<Pins>() {                                                   \
        return true;                                                          \
    }                                                                         \
    template std::unique_ptr<Twin<Pins>> make_twin<Pins>(const TwinOptions&); \
    template std::vector<std::string> twin_mutants<Pins>();
#define ARCHIPELAGO_TWINLESS(block, Pins)                                          \
    template <>                                                                    \
    bool has_twin<Pins>() {                                                        \
        return false;                                                              \
    }                                                                              \
    template <>                                                                    \
    std::unique_ptr<Twin<Pins>> make_twin<Pins>(const TwinOptions&) {              \
        throw std::invalid_argument(#block                                         \
                                    " has pins and no Verilog twin: name "         \
                                    "Verilog of your own, --rtl " #block "=FILE"); \
    }                                                                              \
    template <>                                                                    \
    std::vector<std::string> twin_mutants<Pins>() {                                \
        return {};                                                                 \
    }
// NOLINTEND(bugprone-macro-parentheses)
#include "rtl/blocks.inc"

}  // namespace archipelago::rtl
