// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace archipelago::rtl {

// The mutant to evaluate, from 1; set before each evaluation. 0: none.
extern thread_local int selected_mutant;

}  // namespace archipelago::rtl
