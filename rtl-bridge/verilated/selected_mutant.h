// SPDX-License-Identifier: Apache-2.0
// Which of the mutants (rtl-bridge/mutations) that are built into a Verilated block is evaluated.
#pragma once

namespace archipelago::rtl {

// The mutant to evaluate, from 1; set before each evaluation. 0: none. Verilated code reads it at
// every mutated expression; thread_local would let each read ask whether it is initialized.
extern __thread int selected_mutant;

}  // namespace archipelago::rtl
