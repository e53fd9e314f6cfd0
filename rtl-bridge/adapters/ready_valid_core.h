// SPDX-License-Identifier: Apache-2.0
// Streams with ready/valid pins and one-cycle strobes, both directions, and their checkers. No
// SystemC. The handshake is that of IHI 0022, A3.2.1: a word moves in the cycle in which both are
// high; valid and the word stay until then; ready may come and go.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "rtl-bridge/adapters/bus_request.h"

namespace archipelago::adapters {

struct ReadyValidSpec {
    unsigned data_bits = 32;  // 1 to 1024
    // No ready pin: the receiver takes every word, valid is a strobe of one cycle per word.
    bool strobe = false;
    // Strobes: cycles of low after each, so that a receiver may look at edges. 0: may follow at
    // once, every cycle of high is one event.
    unsigned gap = 0;
    unsigned depth = 16;         // words kept on our side
    unsigned stall_percent = 0;  // test mode
    uint64_t seed = 1;
    uint64_t timeout = 0;  // checker: cycles valid may wait; 0: for ever

    unsigned data_bytes() const { return (data_bits + 7) / 8; }
    std::string problem() const;
};

// `ready` is the receiver's, the rest the sender's.
struct ReadyValidPins {
    bool valid = false;
    DataLanes data{};
};

// Words to pins.
class ReadyValidSourceCore {
  public:
    explicit ReadyValidSourceCore(const ReadyValidSpec& spec, const std::string& name = "stream");
    bool can_push() const { return words_.size() < spec_.depth; }
    void push(const DataLanes& word) { words_.push_back(word); }
    const ReadyValidPins& pins() const { return pins_; }
    // Ends a cycle in which the receiver drove `ready` (strobes: not looked at). Returns whether
    // a word moved. Words of before a reset are lost with it.
    bool edge(bool ready, bool in_reset = false);
    bool idle() const { return words_.empty() && !pins_.valid; }
    uint64_t moved() const { return moved_; }

  private:
    ReadyValidSpec spec_;
    ReadyValidPins pins_;
    AdapterRandom random_;
    std::deque<DataLanes> words_;
    unsigned gap_left_ = 0;  // cycles of low still owed
    uint64_t moved_ = 0;
};

// Pins to words.
class ReadyValidSinkCore {
  public:
    explicit ReadyValidSinkCore(const ReadyValidSpec& spec, std::string name = "stream");
    bool has_word() const { return !words_.empty(); }
    DataLanes pop();
    bool ready() const { return ready_; }
    // Throws MachineStop(Hang) when a strobe comes and `depth` words wait: it cannot be refused.
    void edge(const ReadyValidPins& sender, bool in_reset = false);
    uint64_t moved() const { return moved_; }

  private:
    ReadyValidSpec spec_;
    std::string name_;
    bool ready_ = false;
    AdapterRandom random_;
    std::deque<DataLanes> words_;
    uint64_t moved_ = 0;
};

enum class StreamRule : uint8_t {
    Dropped,   // valid fell before ready
    Changed,   // the word changed while valid waited
    InReset,   // valid in reset, its first cycle excepted
    NotTaken,  // valid waits longer than the time-out
    TooWide,   // bits beyond the width of the word
    TooLong,   // a strobe with a gap that is high in two cycles running
    kCount,
};
const char* to_string(StreamRule rule);

struct StreamViolation {
    uint64_t cycle = 0;
    StreamRule rule = StreamRule::kCount;
    std::string text;
};

class ReadyValidCheckerCore {
  public:
    explicit ReadyValidCheckerCore(const ReadyValidSpec& spec, std::string name = "stream");
    const std::vector<StreamViolation>& edge(const ReadyValidPins& sender, bool ready,
                                             bool in_reset = false);

  private:
    void breach(StreamRule rule);
    ReadyValidSpec spec_;
    std::string name_;
    std::vector<StreamViolation> found_;
    ReadyValidPins last_;
    bool last_ready_ = false;
    bool in_reset_ = false;
    uint64_t waited_ = 0;
    uint64_t cycle_ = 0;
};

}  // namespace archipelago::adapters
