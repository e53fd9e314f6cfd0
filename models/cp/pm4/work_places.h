// SPDX-License-Identifier: Apache-2.0
// The packets that began draws and dispatches, as numbers for RegRequest::place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/cp/cp_location.h"

namespace archipelago::cp {

// Remembers the last ones: more than the blocks after CP have at work or queued.
class WorkPlaces {
  public:
    // Never 0. `packet` outlives this.
    uint16_t note(const Location& location, const char* packet) {
        if (places_.size() < kKept)
            places_.resize(places_.size() + 1);
        next_ = static_cast<uint16_t>(next_ % kKept + 1);
        places_[next_ - 1u] = {location, packet};
        return next_;
    }
    // Empty: there is no such number.
    std::string text(uint16_t number) const {
        if (number == 0 || number > places_.size())
            return "";
        const Place& place = places_[number - 1u];
        return to_string(place.location) + ": packet " + place.packet;
    }
    template <class Archive>
    void archive(Archive& a) {
        a(places_, next_);
        for (Place& place : places_)
            if (place.packet == nullptr)
                place.packet = "(before the checkpoint)";
    }

  private:
    static constexpr uint16_t kKept = 1024;
    struct Place {
        Location location;
        const char* packet = nullptr;
    };
    std::vector<Place> places_;
    uint16_t next_ = 0;
};

}  // namespace archipelago::cp
