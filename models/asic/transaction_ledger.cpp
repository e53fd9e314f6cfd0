// SPDX-License-Identifier: Apache-2.0
#include "models/asic/transaction_ledger.h"

#include <algorithm>

namespace archipelago::asic {

void TransactionLedger::begin(const std::string& name, Place at, const CycleTap& tap,
                              uint64_t period_fs) {
    client(name).push_back({&tap, period_fs, false});
    place(at).push_back({&tap, period_fs, false});
}

void TransactionLedger::end(const std::string& name, Place at, const CycleTap& tap,
                            uint64_t period_fs) {
    client(name).push_back({&tap, period_fs, true});
    place(at).push_back({&tap, period_fs, true});
}

void TransactionLedger::move(Place from, Place to, const CycleTap& tap, uint64_t period_fs) {
    place(from).push_back({&tap, period_fs, true});
    place(to).push_back({&tap, period_fs, false});
}

TransactionLedger::Passages& TransactionLedger::client(const std::string& name) {
    const auto known = std::find_if(clients_.begin(), clients_.end(),
                                    [&](const auto& c) { return c.first == name; });
    if (known != clients_.end())
        return known->second;
    clients_.emplace_back(name, Passages{});
    return clients_.back().second;
}

// The times at which they leave less those at which they enter, where those that have not left
// leave now. Modulo 2^64 like the sums; the result is far below.
uint64_t TransactionLedger::time(const Passages& passages, uint64_t now_fs) {
    uint64_t time = 0;
    for (const Passage& p : passages) {
        const uint64_t before_now = now_fs * p.tap->count - p.tap->sum * p.period_fs;
        time += p.leaves ? 0 - before_now : before_now;
    }
    return time;
}

TransactionTimes TransactionLedger::times(uint64_t now_fs) const {
    TransactionTimes times;
    for (size_t i = 0; i < kPlaces; ++i)
        times.places[i] = time(places_[i], now_fs);
    for (const auto& [name, passages] : clients_) {
        times.clients.emplace_back(name, time(passages, now_fs));
        times.total += times.clients.back().second;
        for (const Passage& p : passages) {
            times.transactions += p.leaves ? 0 : p.tap->count;
            times.open += p.leaves ? 0 - p.tap->count : p.tap->count;
        }
    }
    return times;
}

}  // namespace archipelago::asic
