// SPDX-License-Identifier: Apache-2.0
#include "models/common/invariant.h"

#include "models/common/error.h"

namespace archipelago {

void stop_broken(const std::string& where, const char* rule, Cycle now) {
    throw MachineStop(StopKind::Internal, where.empty() ? "a channel without a name" : where,
                      rule + (now != kNever ? " in cycle " + std::to_string(now) : "") +
                          ": a mistake of the model");
}
void stop_broken(const char* where, const char* rule) {
    stop_broken(std::string(where), rule, kNever);
}

}  // namespace archipelago
