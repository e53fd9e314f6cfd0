// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm_config.h"

#include <utility>

#include "models/asic/block_specs.h"
#include "models/config/reader.h"

namespace archipelago::asic {
namespace {

using config::range;
using config::Reader;

// Parts of the chip somebody may look for.
void refuse(Reader& r, std::initializer_list<std::pair<const char*, const char*>> parts) {
    for (const auto& [key, what] : parts)
        if (r.has(key))
            r.error(key, std::string(what) +
                             " is not modelled, expected the memory controller's address "
                             "translation alone (ctm.mc.address)");
}

}  // namespace

CtmConfig read_ctm(const config::Node& tree, config::Diagnostics& diagnostics,
                   config::Records& records) {
    CtmConfig c;
    c.hash = config::config_hash(tree);
    Reader root(tree, diagnostics, "", &records);
    c.name = root.required<std::string>("name", "what the chip is called");
    c.generation = root.required<std::string>("generation", "selects what is read");
    c.product = root.optional<std::string>("product", "", "a board that carried it");
    refuse(root, {{"clocks", "a clock domain of this chip"},
                  {"memory", "the memory of this chip"},
                  {"cp", "the command processor of this chip"}});
    Reader ctm = root.map("ctm");
    refuse(ctm, {{"pe", "the processor execution unit"},
                 {"co", "the conditional operation unit"},
                 {"dpp", "the data parallel processor array"}});
    Reader mc = ctm.map("mc");
    refuse(mc, {{"caches", "the memory controller's caches"},
                {"memory", "the memory behind the controller"}});
    Reader r = mc.map("address");
    ctm::AddressSpec& s = c.address;
    s.latency = r.timing("latency", range(1u, ctm::AddressSpec::kMaxLatency),
                         "request to addresses; as many requests are inside");
    s.requests = read_channel(r, "requests", "index pairs of the clients");
    s.commands = read_channel(r, "commands", "set_*_fmt commands");
    return c;
}

std::variant<LoadedChip, LoadedCtm> load_any(const std::string& name_or_file,
                                             const std::vector<std::string>& overrides,
                                             const std::string& folder) {
    config::Node tree = load_description(name_or_file, overrides, folder);
    if (generation_of(tree) != kCtmGeneration)
        return load_chip(name_or_file, overrides, folder);
    config::Diagnostics diagnostics;
    LoadedCtm loaded;
    loaded.tree = std::move(tree);
    loaded.config = read_ctm(loaded.tree, diagnostics, loaded.records);
    diagnostics.throw_if_errors();
    return loaded;
}

}  // namespace archipelago::asic
