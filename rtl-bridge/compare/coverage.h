// SPDX-License-Identifier: Apache-2.0
// What the stimulus of a lockstep run has reached: named bins in groups, each with a count.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace archipelago::rtl {

class Coverage {
  public:
    struct Bin {
        std::string name;
        uint64_t count = 0;
    };
    struct Group {
        std::string name;
        std::vector<Bin> bins;
    };

    // Index of the group; its bins are counted by hit(group, bin).
    size_t add_group(std::string name, std::vector<std::string> bins) {
        Group group{std::move(name), {}};
        for (std::string& bin : bins)
            group.bins.push_back({std::move(bin), 0});
        groups_.push_back(std::move(group));
        return groups_.size() - 1;
    }
    void hit(size_t group, size_t bin, bool when = true) {
        groups_[group].bins[bin].count += when ? 1 : 0;
    }
    const std::vector<Group>& groups() const { return groups_; }

    // Bins with a lower count, as "group: bin".
    std::vector<std::string> below(uint64_t floor) const {
        std::vector<std::string> r;
        for (const Group& group : groups_)
            for (const Bin& bin : group.bins)
                if (bin.count < floor)
                    r.push_back(group.name + ": " + bin.name);
        return r;
    }

  private:
    std::vector<Group> groups_;
};

}  // namespace archipelago::rtl
