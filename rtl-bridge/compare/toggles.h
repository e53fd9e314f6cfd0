// SPDX-License-Identifier: Apache-2.0
// Toggle coverage of inputs: the bits of each input pin that a stimulus has driven both high and
// low. Fields of a message count while its `valid` is high.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rtl-bridge/compare/lockstep.h"
#include "rtl-bridge/pins/pin_table.h"

namespace archipelago::rtl {

class Toggles {
  public:
    explicit Toggles(const PinTable& table);
    void add(const void* in);
    // Bits that have always had one value, as "upd_dwords[31:9]"; of an array's element
    // "roq_count[2][4]".
    std::vector<std::string> still() const;

  private:
    // Bytes of the struct In, one behind the other, that count in the same cycles.
    struct Run {
        size_t offset, bytes;
        const PinRow* valid;  // null: in all
        size_t element;       // of `valid`
    };
    void add_run(const Run& run);

    const PinTable& table_;
    std::vector<Run> runs_;
    std::vector<uint8_t> high_, low_;  // as In: the bits that have been so
};

// Another stimulus, whose inputs are noted.
template <class Pins>
class NotedStimulus : public Stimulus<Pins> {
  public:
    NotedStimulus(Stimulus<Pins>& stimulus, Toggles& toggles)
        : stimulus_(stimulus), toggles_(toggles) {}
    void next(typename Pins::In& in) override {
        stimulus_.next(in);
        toggles_.add(&in);
    }
    void observe(const typename Pins::In& in, const typename Pins::Out& out) override {
        stimulus_.observe(in, out);
    }
    bool finished() const override { return stimulus_.finished(); }
    const Coverage& coverage() const override { return stimulus_.coverage(); }

  private:
    Stimulus<Pins>& stimulus_;
    Toggles& toggles_;
};

}  // namespace archipelago::rtl
