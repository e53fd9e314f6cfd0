// SPDX-License-Identifier: Apache-2.0
// The registers of the raster back end (PA, SC, DB, CB) as each of its blocks holds a copy: a set
// of context registers for each render context. A block decodes the set of a draw once, and again
// when the set has changed.
#pragma once

#include <array>
#include <cstdint>
#include <utility>
#include <vector>

#include "models/common/context_registers.h"
#include "models/common/memory_message.h"

namespace archipelago::raster {

class RegisterSets {
  public:
    // `window`: the family's context registers; `copy_state`: the register whose write copies a
    // set.
    RegisterSets(const ContextWindow& window, uint32_t copy_state)
        : window_(window), copy_state_(copy_state), values_(window, copy_state) {}

    // What a register is in every context from reset on: as the kernel driver leaves it.
    void preset(uint32_t offset, uint32_t value) {
        presets_.emplace_back(offset, value);
        apply_presets();
    }
    // False: neither a context register nor the copying one.
    bool write(const RegRequest& request) {
        if (!values_.write(request))
            return false;
        ++version_[request.context % kContexts];
        return true;
    }
    uint32_t get(uint32_t offset, unsigned context) const {
        return values_.has(offset) ? values_.get(offset, context) : 0;
    }
    // Changes with every write of a register of the set. Never 0 once written.
    uint32_t version(unsigned context) const { return version_[context % kContexts]; }
    void reset() {
        values_ = ContextRegisters(window_, copy_state_);
        apply_presets();
    }
    template <class Archive>
    void archive(Archive& a) {
        a(values_);
        if (!a.saving())
            for (uint32_t& v : version_)
                ++v;
    }

  private:
    void apply_presets() {
        for (const auto& [offset, value] : presets_)
            for (unsigned context = 0; context < window_.contexts; ++context)
                values_.set(offset, context, value);
        for (uint32_t& v : version_)
            ++v;
    }

    ContextWindow window_;
    uint32_t copy_state_;
    std::vector<std::pair<uint32_t, uint32_t>> presets_;
    ContextRegisters values_;
    std::array<uint32_t, kContexts> version_{};
};

// One set, as a block's decoder reads it: registers and fields by the names of its register map.
struct RegisterView {
    const RegisterSets& sets;
    unsigned context;
    uint32_t operator()(uint32_t offset) const { return sets.get(offset, context); }
    template <class Field>
    uint32_t field(const Field& f) const {
        return f((*this)(f.offset()));
    }
};

// A decoded set for each context, made anew when registers of the set have changed.
template <class Decoded>
class DecodedSets {
  public:
    // decode(RegisterView) -> Decoded; may throw MachineStop.
    template <class Decode>
    const Decoded& get(const RegisterSets& sets, unsigned context, const Decode& decode) {
        Entry& e = entries_[context % kContexts];
        if (!e.valid || e.version != sets.version(context)) {
            e.valid = false;
            e.decoded = decode(RegisterView{sets, context});
            e.version = sets.version(context);
            e.valid = true;
        }
        return e.decoded;
    }
    void forget() {
        for (Entry& e : entries_)
            e.valid = false;
    }

  private:
    struct Entry {
        bool valid = false;
        uint32_t version = 0;
        Decoded decoded{};
    };
    std::array<Entry, kContexts> entries_;
};

}  // namespace archipelago::raster
