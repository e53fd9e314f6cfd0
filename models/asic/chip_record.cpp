// SPDX-License-Identifier: Apache-2.0
#include "models/asic/chip_record.h"

#include <map>

#include "models/config/node.h"

namespace archipelago::asic {
namespace {

using Leaves = std::map<std::string, std::string>;

void add_leaves(const config::Node& node, const std::string& path, Leaves& leaves) {
    if (node.is_map())
        for (const config::MapEntry& entry : node.entries())
            add_leaves(entry.value, config::join_path(path, entry.key), leaves);
    else if (node.is_sequence())
        for (size_t i = 0; i < node.items().size(); ++i)
            add_leaves(node.items()[i], config::join_path(path, i), leaves);
    else
        leaves[path] = node.text();
}

struct ChipRecord {
    std::string name;
    std::string hash;
    Leaves keys;
};

ChipRecord record_of(const ChipDescription& chip) {
    ChipRecord record{chip.identity().name, chip.identity().hash, {}};
    add_leaves(chip.tree(), "", record.keys);
    return record;
}

// A delay is {cycles, source, ref}, or a number alone.
bool is_delay(const std::string& path, const ChipDescription& chip) {
    const auto& timings = chip.records().timings;
    return timings.find(path) != nullptr ||
           timings.find(path.substr(0, path.rfind('.'))) != nullptr;
}

// The first key whose value State may depend on and that differs; empty: none.
std::string differing_key(const Leaves& written, const Leaves& now, const ChipDescription& chip) {
    const auto differs = [&](const Leaves& a, const Leaves& b) -> std::string {
        for (const auto& [path, value] : a) {
            const auto other = b.find(path);
            if ((other == b.end() || other->second != value) && !is_delay(path, chip))
                return path;
        }
        return {};
    };
    const std::string key = differs(now, written);
    return !key.empty() ? key : differs(written, now);
}

std::string value_of(const Leaves& leaves, const std::string& path) {
    const auto found = leaves.find(path);
    return found != leaves.end() ? found->second : "nothing";
}

}  // namespace

std::string archive_chip(Archive& a, const ChipDescription& chip, const std::string& who) {
    const ChipRecord now = record_of(chip);
    ChipRecord written = now;
    a.block("chip", [&] { a(written); });
    const auto refuse = [&who](const std::string& was, const std::string& is) {
        throw ArchiveError(who + "the checkpoint is of " + was + ", this run is of " + is);
    };
    if (written.name != now.name)
        refuse("the chip " + written.name, now.name);
    if (written.hash == now.hash)
        return written.hash;
    if (const std::string key = differing_key(written.keys, now.keys, chip); !key.empty())
        refuse(
            "configuration " + written.hash + " with " + key + ": " + value_of(written.keys, key),
            now.hash + " with " + value_of(now.keys, key) +
                "; only delays may differ from those of the checkpoint");
    return written.hash;
}

}  // namespace archipelago::asic
