// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/chip_config.h"

#include <utility>

#include "models/asic/spec_readers.h"
#include "models/config/reader.h"

namespace archipelago::ctm {
namespace {

using config::range;
using config::Reader;

// Parts of the chip a description may be expected to have.
void refuse(Reader& r, std::initializer_list<std::pair<const char*, const char*>> parts) {
    for (const auto& [key, what] : parts)
        if (r.has(key))
            r.error(key, std::string(what) +
                             " is not modelled, expected the memory controller's address "
                             "translation alone (ctm.mc.address)");
}

}  // namespace

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records) {
    ChipConfig c;
    Reader root(tree, diagnostics, "", &records);
    c.identity = asic::read_identity(root);
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
    AddressSpec& s = c.address;
    s.latency = r.timing("latency", range(1u, AddressSpec::kMaxLatency),
                         "request to addresses; as many requests are inside");
    s.requests = asic::read_channel(r, "requests", "index pairs of the clients");
    s.commands = asic::read_channel(r, "commands", "set_*_fmt commands");
    return c;
}

}  // namespace archipelago::ctm
