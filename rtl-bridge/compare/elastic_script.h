// SPDX-License-Identifier: Apache-2.0
// What the model takes and gives under the stimulus of its lockstep bench, as events in their
// order.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "rtl-bridge/compare/elastic.h"
#include "rtl-bridge/compare/elastic_ports.h"

namespace archipelago::rtl::elastic {

// Values of all input or output pins; of a type that is not known here, but plain.
class Buffer {
  public:
    explicit Buffer(size_t bytes) : words_((bytes + 7) / 8) {}
    void* data() { return words_.data(); }
    const void* data() const { return words_.data(); }
    size_t words() const { return words_.size(); }

  private:
    std::vector<uint64_t> words_;
};

struct Event {
    // Rest: nothing continues until both blocks have come to rest.
    enum class Kind : uint8_t { Input, Level, Output, Fault, Rest, Reset };
    Kind kind;
    bool waits() const { return kind == Kind::Rest || kind == Kind::Reset; }
    unsigned port = kNoPort;
    uint64_t key = 0, number = 0;  // outputs: the number-th of the key, from 1
    std::shared_ptr<const Buffer> in;
};
using KeyOfPort = std::pair<unsigned, uint64_t>;

class Script {
  public:
    // Resets the model.
    Script(const ElasticBench& bench, const Ports& ports, const ElasticWorld* world);

    uint64_t cycles() const { return cycles_; }
    bool ended() const { return ended_; }
    void end();
    // Null: not there yet.
    const Event* at(uint64_t number) const {
        return number - first_ < events_.size() ? &events_[number - first_] : nullptr;
    }
    uint64_t last() const { return first_ + events_.size(); }
    void drop_before(uint64_t number);
    // A cycle of the model.
    void advance();

  private:
    // A reset, which the blocks are at rest before.
    void rest(const Buffer& in);
    void inputs();
    // Levels are 0 in a reset.
    bool changed(unsigned i);
    void outputs();

    const ElasticBench& bench_;
    const Ports& ports_;
    const ElasticWorld* world_;
    std::shared_ptr<Buffer> in_;
    Buffer out_;
    std::deque<Event> events_;
    uint64_t first_ = 0;  // number of the first of them
    std::map<KeyOfPort, uint64_t> counts_;
    std::map<unsigned, std::vector<uint64_t>> levels_;
    uint64_t cycles_ = 0;
    bool broken_ = false, ended_ = false;
};

}  // namespace archipelago::rtl::elastic
