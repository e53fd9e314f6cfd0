// SPDX-License-Identifier: Apache-2.0
// A Spec of a compute unit at random, within what the model and the pins take.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "models/cu/pins/cu_pin_core.h"
#include "models/cu/pipeline/cu_spec.h"
#include "pins/cu_pins.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

class CuSpecChoice {
  public:
    explicit CuSpecChoice(Random& random) : random_(random) {
        organisation();
        style_ = random_.below(4);
        if (style_ != 0)
            times();
    }
    CuPins::Config config() const {
        const cu::CuPosition place{static_cast<uint8_t>(random_.below(4)),
                                   static_cast<uint8_t>(random_.below(4)),
                                   static_cast<uint8_t>(random_.below(16))};
        return cu::config_to_pins(spec_, place);
    }

  private:
    static bool is_good(const cu::CuSpec& spec) {
        try {
            spec.validate();
            cu::config_to_pins(spec, {});
            return true;
        } catch (const std::invalid_argument&) {
            return false;
        }
    }
    void organisation() {
        static constexpr unsigned kVgprs[] = {256, 256, 128, 64, 100};
        static constexpr unsigned kSgprs[] = {512, 512, 256, 128, 104, 40};
        static constexpr unsigned kLds[] = {65536, 65536, 32768, 4096, 256, 0};
        spec_.simds = random_.one_in(2) ? 4 : 1 + random_.below(4);
        spec_.wave_slots = random_.one_in(3) ? 10 : random_.one_in(2) ? 16 : 1 + random_.below(16);
        spec_.vgprs = random_.pick(kVgprs);
        spec_.sgprs = random_.pick(kSgprs);
        spec_.lds_bytes = random_.pick(kLds);
        spec_.group_slots = random_.one_in(2) ? 40 : 1 + random_.below(64);
    }
    void times() {
#define NUMBER(field, bits) \
    choose(                 \
        [](cu::CuSpec & s) -> auto& { return s.field; }, bits);
#define LIST(field, elements, bits)           \
    for (unsigned i = 0; i < (elements); ++i) \
        choose(                               \
            [i](cu::CuSpec & s) -> auto& { return s.field[i]; }, bits);
        ARCHIPELAGO_CU_TIMES(NUMBER, LIST)
#undef NUMBER
#undef LIST
        // Powers of two.
        spec_.fetch_blocks = 2u << random_.below(3);
        spec_.lds_banks = 2u << random_.below(6);
    }
    template <class Field>
    void choose(const Field& field, unsigned bits) {
        cu::CuSpec changed = spec_;
        field(changed) = value(field(changed), bits);
        if (is_good(changed))
            spec_ = changed;
    }
    unsigned value(unsigned usual, unsigned bits) const {
        const unsigned all = 1u << bits;
        if (random_.one_in(200))
            return random_.below(all);
        if (style_ == 1)
            return random_.below(4);
        switch (random_.below(5)) {
            case 0:
                return random_.below(4);
            case 1:
                return random_.below(std::min(all, 24u));
            case 2:
                return bits <= 7 ? random_.below(all) : random_.below(2 * usual + 1);
            default:
                return usual;
        }
    }

    Random& random_;
    cu::CuSpec spec_;
    unsigned style_ = 0;  // 0 the defaults, 1 small, else mixed
};

}  // namespace archipelago::rtl
