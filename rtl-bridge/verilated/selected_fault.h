// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace archipelago::rtl {

// Which fault mutants show; set before each evaluation. 0: none.
extern thread_local int selected_fault;

}  // namespace archipelago::rtl
