// SPDX-License-Identifier: Apache-2.0
// The registers of the global data share, in functional mode. SI document 2.8.2 says what the
// GDS_ATOM_* registers do; what the others do is concluded from their names and fields (README).
#pragma once

#include <cstdint>
#include <vector>

#include "models/gds/gds_state.h"
#include "models/gds/register_map.h"

namespace archipelago::gds {

// Whether the access reaches the memory: it takes its turn there, as a request of one element.
bool touches_memory(const RegisterMap& map, uint32_t offset, bool write);

// Appends the answers of waves that a write releases. False: no register of the GDS. Throws
// MachineStop(BadInput) when GDS_ATOM_SRC0 starts an operation that GDS_ATOM_OP does not have.
bool write_register(const RegisterMap& map, Contents& contents, uint32_t offset, uint32_t value,
                    std::vector<GdsResponse>& done);
// Reading GDS_RD_BURST_DATA and, with AUTO_INC_INDEX, GDS_GWS_RESOURCE goes on to the next. All
// earlier operations count as complete.
bool read_register(const RegisterMap& map, Contents& contents, uint32_t offset, uint32_t& value);
// The same for a debugger: nothing goes on, and no clamp is noted.
bool inspect_register(const RegisterMap& map, const Contents& contents, uint32_t offset,
                      uint32_t& value);

// GdsCommand::RegisterAtomic: as writes of all GDS_ATOM_* registers, SRC0 last.
GdsResponse register_atomic(const RegisterMap& map, Contents& contents, const GdsRequest& request);

}  // namespace archipelago::gds
