// SPDX-License-Identifier: Apache-2.0
#include "models/common/clocked.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <typeindex>
#include <typeinfo>

#include "models/common/archive.h"

namespace archipelago {

Scheduler::Scheduler() = default;

void Scheduler::add(Clocked& clocked) {
    clocked.scheduler_ = this;
    clocked.index_ = static_cast<uint32_t>(members_.size());
    members_.push_back(&clocked);
    far_wake_.push_back(kNever);
    words_ = (members_.size() + 63) / 64;
    wheel_.resize(words_ * kHorizon, 0);
    late_.resize(words_, 0);
    place_members();
}

void Scheduler::replace(const Clocked& member, Clocked& by) {
    members_[member.index_] = &by;
    by.scheduler_ = this;
    by.due_ = member.due_;
    by.bit_ = member.bit_;
    by.word_ = member.word_;
    by.index_ = member.index_;
}

void Scheduler::place_members() {
    for (size_t i = 0; i < members_.size(); ++i) {
        members_[i]->index_ = static_cast<uint32_t>(i);
        members_[i]->due_ = &wheel_[i / 64 * kHorizon];
        members_[i]->bit_ = uint64_t{1} << (i % 64);
        members_[i]->word_ = word_bit(i / 64);
    }
}

// Before the first step: members of one type get neighbouring places, so that they are ticked one
// after the other and find their code and its branch history in the host's inner caches. Types keep
// the order in which the first of each was added.
void Scheduler::group_members() {
    std::vector<std::type_index> types;
    std::vector<std::pair<size_t, uint32_t>> places;  // type, place until now
    for (uint32_t i = 0; i < members_.size(); ++i) {
        const Clocked& member = *members_[i];
        const std::type_index type(typeid(member));
        const auto found = std::find(types.begin(), types.end(), type);
        places.emplace_back(found - types.begin(), i);
        if (found == types.end())
            types.push_back(type);
    }
    std::sort(places.begin(), places.end());
    const std::vector<Clocked*> members = members_;
    std::vector<uint32_t> moved_to(members.size());
    for (uint32_t i = 0; i < places.size(); ++i) {
        moved_to[places[i].second] = i;
        members_[i] = members[places[i].second];
    }
    place_members();
    // Wakes already scheduled move with their member.
    const std::vector<uint64_t> wheel = wheel_;
    std::fill(wheel_.begin(), wheel_.end(), 0);
    words_due_ = {};
    for (size_t slot = 0; slot < kHorizon; ++slot)
        for (size_t i = 0; i < members.size(); ++i)
            if ((wheel[i / 64 * kHorizon + slot] >> (i % 64) & 1) != 0) {
                members[i]->due_[slot] |= members[i]->bit_;
                words_due_[slot] |= members[i]->word_;
            }
    for (auto& entry : far_)
        entry.second = moved_to[entry.second];
    std::make_heap(far_.begin(), far_.end(), std::greater<>());
    const std::vector<Cycle> far_wake = far_wake_;
    for (size_t i = 0; i < members.size(); ++i)
        far_wake_[moved_to[i]] = far_wake[i];
}

void Scheduler::wake_otherwise(const Clocked& member, Cycle at) {
    if (at - now_ < kHorizon)
        set_bit(at, member);
    else
        wake_far(member.index_, at);
    if (near_ == 0 && at < announced_)
        announce(at);
}

void Scheduler::wake_far(uint32_t index, Cycle at) {
    if (far_wake_[index] == at)  // the same cycle again
        return;
    far_wake_[index] = at;
    far_.emplace_back(at, index);
    std::push_heap(far_.begin(), far_.end(), std::greater<>());
}

void Scheduler::announce(Cycle at) {
    announced_ = at;
    if (earlier_ != nullptr)
        earlier_(earlier_context_, at);
}

void Scheduler::pull_far() {
    while (!far_.empty() && far_.front().first < now_ + kHorizon) {
        const auto [at, index] = far_.front();
        std::pop_heap(far_.begin(), far_.end(), std::greater<>());
        far_.pop_back();
        if (far_wake_[index] == at)
            far_wake_[index] = kNever;
        set_bit(std::max(at, now_), *members_[index]);
    }
}

// A clock that slept may be woken "at once" by another one, for a cycle it never stepped.
void Scheduler::collect_passed(Cycle now) {
    const Cycle first = earliest_;
    const Cycle end = std::min(now, first + kHorizon);
    for (Cycle c = first; c < end; ++c) {
        const size_t slot = c % kHorizon;
        const uint64_t bit = uint64_t{1} << (slot % 64);
        if ((occupied_[slot / 64] & bit) == 0)
            continue;
        occupied_[slot / 64] &= ~bit;
        for (size_t w = 0; w < words_; ++w) {
            late_[w] |= wheel_[w * kHorizon + slot];
            wheel_[w * kHorizon + slot] = 0;
        }
        words_due_[slot] = 0;
        any_late_ = true;
    }
}

// Those of a word of the row that are due; returns the bits of those that are in the next cycle
// too.
inline uint64_t Scheduler::tick_word(Cycle now, size_t word) {
    uint64_t* const due = &wheel_[word * kHorizon];
    uint64_t bits = due[now % kHorizon];
    if (bits == 0)
        return 0;
    due[now % kHorizon] = 0;
    Clocked* const* const members = &members_[word * 64];
    uint64_t again = 0;
    do {
        const auto at = static_cast<unsigned>(__builtin_ctzll(bits));
        ++ticks_;
        again |= uint64_t{members[at]->tick(now)} << at;
        bits &= bits - 1;
    } while (bits != 0);
    due[(now + 1) % kHorizon] |= again;
    return again;
}

// Members of several words, or several of one.
[[gnu::noinline]] void Scheduler::tick_words(Cycle now, uint64_t words) {
    uint64_t again = 0;
    for (; words != 0; words &= words - 1) {
        const auto word = static_cast<size_t>(__builtin_ctzll(words));
        if (tick_word(now, word) != 0)
            again |= words & -words;
        if (word != 63)
            continue;
        for (size_t beyond = 64; beyond < words_; ++beyond)
            if (tick_word(now, beyond) != 0)
                again |= words;
    }
    if (again == 0)
        return;
    const size_t next = (now + 1) % kHorizon;
    words_due_[next] |= again;
    occupied_[next / 64] |= uint64_t{1} << (next % 64);
}

// Nearly always one member is due, of the only word of `words`. False: there are more.
inline bool Scheduler::tick_only_one(Cycle now, uint64_t words) {
    if (words == 0)
        return true;
    const auto word = static_cast<size_t>(__builtin_ctzll(words));
    uint64_t* const due = &wheel_[word * kHorizon];
    const uint64_t bit = due[now % kHorizon];
    if (bit == 0)
        return true;
    if ((bit & (bit - 1)) != 0)
        return false;
    due[now % kHorizon] = 0;
    ++ticks_;
    if (members_[word * 64 + static_cast<size_t>(__builtin_ctzll(bit))]->tick(now)) {
        const size_t next = (now + 1) % kHorizon;
        due[next] |= bit;
        words_due_[next] |= words;
        occupied_[next / 64] |= uint64_t{1} << (next % 64);
    }
    return true;
}

void Scheduler::call_before(Cycle at, BeforeTick fn, void* context) {
    observers_.push_back({at, fn, context});
    before_at_ = std::min(before_at_, at);
}

void Scheduler::call_before(Cycle at, const void* context) {
    for (Observer& observer : observers_)
        if (observer.context == context)
            observer.at = std::min(observer.at, at);
    before_at_ = std::min(before_at_, at);
}

[[gnu::noinline]] void Scheduler::call_observers(Cycle now) {
    before_at_ = kNever;
    for (Observer& observer : observers_) {
        if (now >= observer.at)
            observer.at = observer.call(observer.context, now);
        before_at_ = std::min(before_at_, observer.at);
    }
}

inline void Scheduler::tick_row(Cycle now) {
    if (now >= before_at_)
        call_observers(now);
    const size_t slot = now % kHorizon;
    const uint64_t slot_bit = uint64_t{1} << (slot % 64);
    if ((occupied_[slot / 64] & slot_bit) == 0)
        return;
    occupied_[slot / 64] &= ~slot_bit;
    // A tick schedules later cycles only, which have other rows.
    const uint64_t words = words_due_[slot];
    words_due_[slot] = 0;
    ++steps_;
    near_ = now + kHorizon;
    if (shuffle_state_ != 0)
        tick_shuffled(now, &wheel_[slot]);
    else if ((words & (words - 1)) != 0 || words >> 63 != 0 || !tick_only_one(now, words))
        tick_words(now, words);
    near_ = 0;
    announced_ = kNever;
}

void Scheduler::tick_shuffled(Cycle now, uint64_t* row) {
    order_.clear();
    for (size_t w = 0; w < words_; ++w) {
        for (uint64_t bits = row[w * kHorizon]; bits != 0; bits &= bits - 1)
            order_.push_back(static_cast<uint32_t>(w * 64) +
                             static_cast<uint32_t>(__builtin_ctzll(bits)));
        row[w * kHorizon] = 0;
    }
    for (size_t i = order_.size(); i > 1; --i) {
        shuffle_state_ ^= shuffle_state_ << 13;
        shuffle_state_ ^= shuffle_state_ >> 7;
        shuffle_state_ ^= shuffle_state_ << 17;
        std::swap(order_[i - 1], order_[shuffle_state_ % i]);
    }
    for (const uint32_t index : order_) {
        ++ticks_;
        if (members_[index]->tick(now))
            set_bit(now + 1, *members_[index]);
    }
}

void Scheduler::step(Cycle now) {
    if (earliest_ == 0)
        group_members();
    if (now > now_ + 1 && next_wake() < now)
        collect_passed(now);
    now_ = now;
    earliest_ = now + 1;
    if (!far_.empty() && far_.front().first < now + kHorizon)
        pull_far();
    if (any_late_) {
        any_late_ = false;
        for (size_t w = 0; w < words_; ++w) {
            if (late_[w] == 0)
                continue;
            const size_t slot = now % kHorizon;
            wheel_[w * kHorizon + slot] |= late_[w];
            words_due_[slot] |= word_bit(w);
            occupied_[slot / 64] |= uint64_t{1} << (slot % 64);
            late_[w] = 0;
        }
    }
    tick_row(now);
}

void Scheduler::step_on(Cycle now) {
    now_ = now;
    earliest_ = now + 1;
    if (!far_.empty() && far_.front().first < now + kHorizon)
        pull_far();
    tick_row(now);
}

Cycle Scheduler::look_for_wake() const {
    // The wheel holds cycles now_ .. now_ + kHorizon - 1; look through them in order.
    for (Cycle c = earliest_; c < now_ + kHorizon;) {
        const size_t slot = c % kHorizon;
        const uint64_t bits = occupied_[slot / 64] >> (slot % 64);
        if (bits != 0) {
            const Cycle found = c + static_cast<Cycle>(__builtin_ctzll(bits));
            if (found < now_ + kHorizon)
                return found;
            break;
        }
        c += 64 - slot % 64;
    }
    return far_.empty() ? kNever : far_.front().first;
}

std::vector<Scheduler::Due> Scheduler::all_due() const {
    std::vector<Due> due;
    for (Cycle at = earliest_; at < now_ + kHorizon; ++at)
        for (uint32_t i = 0; i < members_.size(); ++i)
            if ((wheel_[i / 64 * kHorizon + at % kHorizon] >> (i % 64) & 1) != 0)
                due.push_back({i, at});
    for (uint32_t i = 0; i < members_.size(); ++i)
        if ((late_[i / 64] >> (i % 64) & 1) != 0)
            due.push_back({i, earliest_});
    for (const auto& [at, index] : far_)
        due.push_back({index, at});
    return due;
}

void Scheduler::archive(Archive& a) {
    std::vector<Due> due;
    if (a.saving()) {
        due = all_due();
    } else {
        if (earliest_ == 0)
            group_members();
        std::fill(wheel_.begin(), wheel_.end(), 0);
        std::fill(std::begin(occupied_), std::end(occupied_), 0);
        words_due_ = {};
        std::fill(late_.begin(), late_.end(), 0);
        any_late_ = false;
        far_.clear();
        std::fill(far_wake_.begin(), far_wake_.end(), kNever);
    }
    a(now_, earliest_, steps_, ticks_, shuffle_state_, due);
    if (a.saving())
        return;
    announced_ = kNever;
    for (const Due& d : due)
        if (d.member < members_.size())
            wake(*members_[d.member], d.at);
}

void Scheduler::wake_all() {
    // A step that threw has left its row as it was.
    near_ = 0;
    announced_ = kNever;
    for (size_t w = 0; earliest_ > now_ && w < words_; ++w)
        wheel_[w * kHorizon + now_ % kHorizon] = 0;
    for (const Clocked* member : members_)
        wake(*member, 0);
}

Cycle Scheduler::run(Cycle limit) {
    for (Cycle at = next_wake(); at != kNever && at <= limit; at = next_wake())
        step(at);
    return now_;
}

}  // namespace archipelago
