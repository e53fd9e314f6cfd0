// SPDX-License-Identifier: Apache-2.0
#include "models/front/packet_field.h"

#include <cstring>

namespace archipelago::front {

const PacketField* PacketShape::field(const char* field_name) const {
    for (unsigned i = fields.all; i-- > 0;)
        if (std::strcmp(fields[i].name, field_name) == 0)
            return &fields[i];
    return nullptr;
}

}  // namespace archipelago::front
