// SPDX-License-Identifier: Apache-2.0
// Which fault the twins with faults (scripts/make-faults) show while they are evaluated.
#pragma once

namespace archipelago::rtl {

// Set by a twin before each evaluation; 0: none.
extern thread_local int selected_fault;

}  // namespace archipelago::rtl
