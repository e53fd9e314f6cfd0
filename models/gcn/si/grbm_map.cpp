// SPDX-License-Identifier: Apache-2.0
// The graphics register bus of Southern Islands: configs/registers/si_bus.yaml.
#include "models/gcn/si/front_end.h"
#include "models/gcn/si/windows.h"
#include "registers/si_bus_map.h"
#include "registers/si_register_table.h"

namespace archipelago::gcn::si {

namespace reg = regs::si;

grbm::Spec grbm_spec() {
    grbm::Spec spec;
    spec.database = &reg::database();
    spec.map = grbm::RegisterMap{spec.database, context_window()};
    for (const reg::BusRange& r : reg::kBusRanges)
        spec.ranges.push_back({r.name, r.start, r.end, r.port, r.also});
    for (const reg::BusSideEffect& e : reg::kBusSideEffects)
        spec.side_effects.push_back({e.offset, e.name});
    for (const reg::BusCopies& c : reg::kBusCopies)
        spec.copied.push_back(
            {c.start, c.end,
             static_cast<uint8_t>((c.se ? grbm::kPerSe : 0) | (c.sh ? grbm::kPerSh : 0) |
                                  (c.instance ? grbm::kPerInstance : 0))});
    spec.most = {reg::kBusMostSe, reg::kBusMostSh, reg::kBusMostInstance};
    spec.ports = bus::kPorts;
    spec.system_port = bus::kSrbm;
    return spec;
}

}  // namespace archipelago::gcn::si
