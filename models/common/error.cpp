// SPDX-License-Identifier: Apache-2.0
#include "models/common/error.h"

namespace archipelago {

const char* to_string(StopKind kind) {
    switch (kind) {
        case StopKind::BadInput:
            return "bad input";
        case StopKind::Unimplemented:
            return "unimplemented";
        case StopKind::Fault:
            return "access fault";
        case StopKind::Protocol:
            return "protocol violation";
        case StopKind::Hang:
            return "hang";
        case StopKind::Internal:
            return "broken invariant";
    }
    return "stop";
}

}  // namespace archipelago
