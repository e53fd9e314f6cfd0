// SPDX-License-Identifier: Apache-2.0
// What the words of a debugger's commands mean: numbers, names of registers and packets, places in
// the source. All throw std::invalid_argument with the reason.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/afuc/cp/processor.h"
#include "models/afuc/isa/names.h"
#include "models/common/register_info.h"

namespace archipelago::host {

// A number without a sign, as C writes it; `what` names it in the message.
uint64_t debug_number(const std::string& text, const char* what);
// How many: from 1 on.
uint64_t debug_count(const std::string& text);

// The index of a GPU register, by name or number.
uint32_t gpu_register_index(const regs::RegisterDatabase& registers, const std::string& text);
// The index of a register of `space`, Control or Sqe, by name or number.
uint32_t engine_register_index(afuc::Names names, afuc::Space space, const std::string& text);
// The number of $05, $rem, $addr …, as instructions write to it.
uint32_t general_register(const std::string& text);
// The entry of the packet table of a packet's name, PKT4 for type 4.
uint32_t packet_entry(afuc::Names names, const std::string& text);

// Refuses an instruction that none of these engines has.
void check_pc(const std::vector<const afuc::Processor*>& engines, uint64_t pc);
// Refuses "file:line" where no instruction of these engines comes from.
void check_source(const std::vector<const afuc::Processor*>& engines, const std::string& place);

}  // namespace archipelago::host
