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
    void release(uint32_t draw, uint32_t wave) {
        waves_.erase({draw, wave});
        last_ = nullptr;
    }
    // All waves of the draws up to `draw`.
    void release_through(uint32_t draw) {
        waves_.erase(waves_.begin(), waves_.upper_bound({draw, ~0u}));
        last_ = nullptr;
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
