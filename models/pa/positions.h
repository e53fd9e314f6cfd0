// SPDX-License-Identifier: Apache-2.0
// What VS waves have exported to POS slots and primitives still need.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "models/gcn/draw_message.h"

namespace archipelago::pa {

class Positions {
  public:
    void add(VertexExports exports) {
        const Key key{exports.draw, exports.wave};
        waves_[key] = std::move(exports);
        last_ = nullptr;
    }
    // nullptr: they have not come, or are released.
    const VertexExports* find(uint32_t draw, uint32_t wave) const {
        if (last_ == nullptr || last_->draw != draw || last_->wave != wave) {
            const auto found = waves_.find({draw, wave});
            if (found == waves_.end())
                return nullptr;
            last_ = &found->second;
        }
        return last_;
    }
    // Drops the waves of `draw` up to `last`; `released` is called with each.
    template <class Released>
    void release(uint32_t draw, uint32_t last, const Released& released) {
        auto wave = waves_.lower_bound({draw, 0});
        while (wave != waves_.end() && wave->first.first == draw && wave->first.second <= last) {
            released(wave->first.second);
            wave = waves_.erase(wave);
        }
        last_ = nullptr;
    }
    // Drops all waves of the draws up to `draw`; `released` is called with draw and wave of each.
    template <class Released>
    void release_through(uint32_t draw, const Released& released) {
        auto wave = waves_.begin();
        while (wave != waves_.end() && wave->first.first <= draw) {
            released(wave->first.first, wave->first.second);
            wave = waves_.erase(wave);
        }
        last_ = nullptr;
    }
    void release_through(uint32_t draw) {
        release_through(draw, [](uint32_t, uint32_t) {});
    }
    void clear() {
        waves_.clear();
        last_ = nullptr;
    }
    bool empty() const { return waves_.empty(); }
    size_t size() const { return waves_.size(); }
    template <class Archive>
    void archive(Archive& a) {
        a(waves_);
        last_ = nullptr;
    }

  private:
    using Key = std::pair<uint32_t, uint32_t>;  // draw, wave
    std::map<Key, VertexExports> waves_;
    mutable const VertexExports* last_ = nullptr;  // found last: primitives come by wave
};

}  // namespace archipelago::pa
