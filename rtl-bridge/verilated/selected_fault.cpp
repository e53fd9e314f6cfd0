// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/selected_fault.h"

thread_local int archipelago::rtl::selected_fault = 0;

// Imported by mutants (scripts/make-faults).
extern "C" int archipelago_selected_fault() {
    return archipelago::rtl::selected_fault;
}
