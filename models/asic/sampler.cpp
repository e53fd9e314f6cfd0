// SPDX-License-Identifier: Apache-2.0
#include "models/asic/sampler.h"

#include <algorithm>
#include <numeric>

#include "models/asic/unit_names.h"

namespace archipelago::asic {

Sampler::Sampler(const StatsRegistry& stats, Scheduler& clock, Cycle interval)
    : clock_(clock), interval_(interval) {
    const std::string* path = nullptr;  // of the counters of one unit, which follow each other
    void (Sampler::*take)(const Counter&) = nullptr;
    for (const Counter& c : stats.counters()) {
        if (path == nullptr || *path != c.unit_path) {
            path = &c.unit_path;
            take = is_compute_unit(*path)    ? &Sampler::take_unit
                   : ends_with(*path, ".l1") ? &Sampler::take_l1
                   : numbered(*path, "tcc")  ? &Sampler::take_l2
                   : numbered(*path, "mc")   ? &Sampler::take_memory
                                             : nullptr;
        }
        if (take != nullptr)
            (this->*take)(c);
    }
    if (interval != 0)
        next_ = interval;
    clock.call_before(
        next_, [](void* self, Cycle now) { return sample(self, now); }, this);
}

void Sampler::take_unit(const Counter& c) {
    if (c.name == "waves")
        launched_.push_back(c.value);
    else if (c.name == "waves_ended")
        ended_.push_back(c.value);
    else if (ends_with(c.name, "_instructions"))
        instructions_.push_back(c.value);
}

void Sampler::take_memory(const Counter& c) {
    if (c.name == "bytes_read")
        dram_read_.push_back(c.value);
    else if (c.name == "bytes_written")
        dram_written_.push_back(c.value);
}

void Sampler::take_cache(const Counter& c, const char* bytes_read, CacheValues& to) {
    const std::pair<const char*, Values*> wanted[] = {
        {"reads", &to.reads},   {"read_hits", &to.hits}, {"read_merged", &to.merged},
        {"writes", &to.writes}, {bytes_read, &to.bytes}, {"bytes_written", &to.bytes},
    };
    for (const auto& [name, values] : wanted)
        if (c.name == name)
            values->push_back(c.value);
}

uint64_t Sampler::sum(const Values& values) {
    return std::accumulate(values.begin(), values.end(), uint64_t{0},
                           [](uint64_t n, const uint64_t* value) { return n + *value; });
}

CacheCounts Sampler::sum(const CacheValues& values) {
    return {sum(values.reads), sum(values.hits), sum(values.merged), sum(values.writes),
            sum(values.bytes)};
}

Sample Sampler::read(Cycle at) const {
    Sample s;
    s.cycle = at;
    s.waves_launched = sum(launched_);
    s.waves_ended = sum(ended_);
    s.instructions = sum(instructions_);
    s.l1 = sum(l1_);
    s.l2 = sum(l2_);
    for (const uint64_t* value : dram_read_)
        s.dram_read.push_back(*value);
    for (const uint64_t* value : dram_written_)
        s.dram_written.push_back(*value);
    return s;
}

void Sampler::watch(cu::WaveLedger& ledger) {
    ledger.watch([this](size_t record, Cycle now) {
        if (record >= readings_.size()) {
            readings_.resize(record + 1);
            readings_[record].before_due = true;
        }
        readings_[record].after_due = true;
        due_.push_back(record);
        // What is ticked after the compute unit in this cycle counts, too.
        clock_.call_before(std::min(next_, now + 1), this);
    });
}

void Sampler::archive(Archive& a) {
    Cycle interval = interval_;
    a(interval, next_, series_, readings_, due_);
    if (a.saving())
        return;
    if (interval != interval_) {
        series_.clear();
        next_ = interval_ == 0 ? kNever : (clock_.now() / interval_ + 1) * interval_;
    }
    clock_.call_before(due_.empty() ? next_ : std::min(next_, clock_.now() + 1), this);
}

Cycle Sampler::sample(void* self, Cycle now) {
    return static_cast<Sampler*>(self)->sample(now);
}

Cycle Sampler::sample(Cycle now) {
    const Sample reading = read(now);
    for (const size_t record : due_) {
        Readings& r = readings_[record];
        if (r.before_due)
            r.before = reading;
        if (r.after_due)
            r.after = reading;
        r.before_due = r.after_due = false;
    }
    due_.clear();
    for (; next_ <= now; next_ += interval_) {
        series_.push_back(reading);
        series_.back().cycle = next_;
    }
    return next_;
}

Sample Sampler::before(size_t record, Cycle now) const {
    return readings_[record].before_due ? read(now) : readings_[record].before;
}

// A dispatch that has not ended has done what is counted by now.
Sample Sampler::after(size_t record, Cycle now) const {
    return readings_[record].after_due ? read(now) : readings_[record].after;
}

std::vector<Sample> Sampler::series(Cycle now) const {
    std::vector<Sample> all = series_;
    if (interval_ == 0)
        return all;
    for (Cycle at = next_; at < now; at += interval_) {
        all.push_back(read(at));
    }
    if (all.empty() || all.back().cycle < now)
        all.push_back(read(now));
    return all;
}

}  // namespace archipelago::asic
