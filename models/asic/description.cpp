// SPDX-License-Identifier: Apache-2.0
#include "models/asic/description.h"

#include "models/asic/asic.h"
#include "models/common/error.h"

namespace archipelago::asic {

ChipDescription::~ChipDescription() = default;

std::unique_ptr<Asic> ChipDescription::build(const char*, const ChipOptions&) const {
    throw MachineStop(StopKind::Unimplemented, identity().name,
                      "of this generation (" + identity().generation + ") " + instead_of_a_chip() +
                          ", a chip that runs workloads is not");
}

}  // namespace archipelago::asic
