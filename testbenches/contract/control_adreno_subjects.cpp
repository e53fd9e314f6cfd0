// SPDX-License-Identifier: Apache-2.0
// The command processor of an Adreno, for the conformance test of the Control contract.
#include "models/afuc/cp/cp_core.h"
#include "models/asic/adreno/chip_config.h"
#include "models/asic/families.h"
#include "testbenches/contract/control_subject.h"

namespace archipelago::control_test {
namespace {

// It has been started, and its first instructions never come.
Subject make_adreno_cp() {
    struct All {
        std::unique_ptr<asic::ChipDescription> chip = asic::load_chip("a660", {});
        afuc::CpCore core{*chip->spec<afuc::CpSpec>()};
        Channel<RegResponse> back{{4, 1}};
        Channel<MemRequest> hub{{1, 1}};
        EventLink<Interrupt> interrupts;
    };
    auto all = std::make_shared<All>();
    all->core.to_register_response().connect(all->back);
    all->core.to_hub().connect(all->hub);
    all->core.to_interrupt().connect(all->interrupts);
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        const afuc::CpRegisterMap map(afuc::Names::A6xx);
        r.offset = 4 * map.index_of(afuc::CpRegister::Start);
        r.value = 1;
        r.write = true;
        all->core.register_request().push(now, r);
    };
    return {"adreno.cp",
            all->core.units(),
            &all->core,
            give,
            [all = all.get()] { return all->core.register_request().empty(); },
            all};
}

}  // namespace

std::vector<Block> adreno_blocks() {
    return {{"adreno_cp", make_adreno_cp}};
}

}  // namespace archipelago::control_test
