// SPDX-License-Identifier: Apache-2.0
#include "models/gds/gds_conflicts.h"

#include <algorithm>
#include <array>

namespace archipelago::gds {
namespace {

// The dwords of up to lanes_per_cycle elements.
class Group {
  public:
    explicit Group(unsigned banks) : banks_(banks) {}
    void add(uint32_t address, unsigned bytes) {
        for (uint32_t dword = address / 4; dword <= (address + bytes - 1) / 4; ++dword)
            dwords_[count_++] = dword;
        ++elements_;
    }
    unsigned elements() const { return elements_; }
    void end(bool changes, Occupancy& o) {
        std::sort(dwords_.begin(), dwords_.begin() + count_);
        std::array<uint8_t, 64> distinct{}, all{};
        for (unsigned i = 0; i < count_; ++i) {
            const unsigned bank = dwords_[i] % banks_;
            ++all[bank];
            if (i == 0 || dwords_[i] != dwords_[i - 1])
                ++distinct[bank];
        }
        const unsigned apart = *std::max_element(distinct.begin(), distinct.end());
        const unsigned cycles = changes ? *std::max_element(all.begin(), all.end()) : apart;
        o.cycles += cycles;
        o.bank_conflicts += apart - 1;
        o.address_conflicts += cycles - apart;
        count_ = elements_ = 0;
    }

  private:
    unsigned banks_;
    unsigned count_ = 0, elements_ = 0;
    std::array<uint32_t, 2 * GdsRequest::kLanes> dwords_;
};

}  // namespace

Occupancy occupancy(const GdsSpec& spec, const GdsRequest& r) {
    Occupancy o;
    const unsigned bytes = std::min<unsigned>(std::max<unsigned>(r.bytes, 1), 8);
    Group group(spec.banks);
    for (unsigned e = 0; e < 2; ++e) {
        // The second element of FromMemory is read.
        const bool changes =
            r.command != GdsCommand::Read && !(r.command == GdsCommand::FromMemory && e == 1);
        for (uint64_t lanes = r.lanes[e]; lanes != 0; lanes &= lanes - 1) {
            group.add(r.address[e][static_cast<unsigned>(__builtin_ctzll(lanes))], bytes);
            ++o.accesses;
            if (group.elements() == spec.lanes_per_cycle)
                group.end(changes, o);
        }
        if (group.elements() != 0)
            group.end(changes, o);
    }
    o.cycles = std::max(o.cycles, spec.request_cycles);
    return o;
}

}  // namespace archipelago::gds
