// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/ready_valid_core.h"

#include <stdexcept>

#include "models/common/error.h"

namespace archipelago::adapters {
namespace {

void validate(const ReadyValidSpec& spec, const std::string& name) {
    const std::string problem = spec.problem();
    if (!problem.empty())
        throw std::invalid_argument(name + ": " + problem);
}

}  // namespace

std::string ReadyValidSpec::problem() const {
    if (data_bits == 0 || data_bits > 8 * kMaxDataBytes)
        return "data_bits is " + std::to_string(data_bits) + ", expected 1 to 1024";
    if (depth == 0)
        return "depth must not be 0";
    if (gap != 0 && !strobe)
        return "gap is for strobes";
    if (stall_percent > 99)
        return "stall_percent is " + std::to_string(stall_percent) + ", expected 0 to 99";
    return {};
}

ReadyValidSourceCore::ReadyValidSourceCore(const ReadyValidSpec& spec, const std::string& name)
    : spec_(spec), random_(spec.seed) {
    validate(spec, name);
}

bool ReadyValidSourceCore::edge(bool ready, bool in_reset) {
    if (in_reset) {
        words_.clear();
        pins_ = {};
        gap_left_ = 0;
        return false;
    }
    const bool moves = pins_.valid && (ready || spec_.strobe);
    if (moves) {
        ++moved_;
        pins_.valid = false;
        gap_left_ = spec_.gap;
    } else if (gap_left_ > 0) {
        --gap_left_;
    }
    if (!pins_.valid && !words_.empty() && gap_left_ == 0 &&
        !random_.percent(spec_.stall_percent)) {
        pins_.valid = true;
        pins_.data = words_.front();
        words_.pop_front();
    }
    return moves;
}

ReadyValidSinkCore::ReadyValidSinkCore(const ReadyValidSpec& spec, std::string name)
    : spec_(spec), name_(std::move(name)), random_(spec.seed) {
    validate(spec, name_);
}

DataLanes ReadyValidSinkCore::pop() {
    const DataLanes word = words_.front();
    words_.pop_front();
    return word;
}

void ReadyValidSinkCore::edge(const ReadyValidPins& sender, bool in_reset) {
    if (in_reset) {
        ready_ = false;
        words_.clear();
        return;
    }
    if (sender.valid && (ready_ || spec_.strobe)) {
        if (words_.size() >= spec_.depth)
            throw MachineStop(StopKind::Hang, name_,
                              "a strobe came while " + std::to_string(spec_.depth) +
                                  " earlier ones were waiting; it cannot be refused");
        words_.push_back(sender.data);
        ++moved_;
    }
    ready_ = words_.size() < spec_.depth && !random_.percent(spec_.stall_percent);
}

const char* to_string(StreamRule rule) {
    switch (rule) {
        case StreamRule::Dropped:
            return "DROPPED: valid fell before ready";
        case StreamRule::Changed:
            return "CHANGED: the word changed while valid waited for ready";
        case StreamRule::InReset:
            return "IN_RESET: valid in reset";
        case StreamRule::NotTaken:
            return "NOT_TAKEN: valid waits longer than the time-out";
        case StreamRule::TooWide:
            return "TOO_WIDE: bits beyond the width of the word";
        case StreamRule::TooLong:
            return "TOO_LONG: a strobe of more than one cycle";
        case StreamRule::kCount:
            break;
    }
    return "?";
}

ReadyValidCheckerCore::ReadyValidCheckerCore(const ReadyValidSpec& spec, std::string name)
    : spec_(spec), name_(std::move(name)) {
    validate(spec, name_);
}

void ReadyValidCheckerCore::breach(StreamRule rule) {
    found_.push_back(
        {cycle_, rule, name_ + ", cycle " + std::to_string(cycle_) + ": " + to_string(rule)});
}

const std::vector<StreamViolation>& ReadyValidCheckerCore::edge(const ReadyValidPins& sender,
                                                                bool ready, bool in_reset) {
    ++cycle_;
    found_.clear();
    if (in_reset) {
        // A synchronous reset acts with the edge that ends its first cycle.
        if (sender.valid && in_reset_)
            breach(StreamRule::InReset);
        in_reset_ = true;
        last_ = {};
        waited_ = 0;
        return found_;
    }
    in_reset_ = false;
    if (!spec_.strobe && last_.valid && !last_ready_) {
        if (!sender.valid)
            breach(StreamRule::Dropped);
        else if (sender.data != last_.data)
            breach(StreamRule::Changed);
    }
    if (spec_.strobe && spec_.gap != 0 && last_.valid && sender.valid)
        breach(StreamRule::TooLong);
    if (sender.valid) {
        bool wide = spec_.data_bits % 8 != 0 &&
                    sender.data[spec_.data_bytes() - 1] >> (spec_.data_bits % 8) != 0;
        for (unsigned i = spec_.data_bytes(); i < kMaxDataBytes; ++i)
            wide = wide || sender.data[i] != 0;
        if (wide)
            breach(StreamRule::TooWide);
    }
    waited_ = sender.valid && !ready && !spec_.strobe ? waited_ + 1 : 0;
    if (spec_.timeout != 0 && waited_ == spec_.timeout + 1)
        breach(StreamRule::NotTaken);
    last_ = sender;
    last_ready_ = ready;
    return found_;
}

}  // namespace archipelago::adapters
