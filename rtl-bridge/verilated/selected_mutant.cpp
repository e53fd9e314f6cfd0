// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/selected_mutant.h"

thread_local int archipelago::rtl::selected_mutant = 0;

// Imported by mutants (scripts/make-mutants).
extern "C" int archipelago_selected_mutant() {
    return archipelago::rtl::selected_mutant;
}
