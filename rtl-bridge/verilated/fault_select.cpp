// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/fault_select.h"

namespace archipelago::rtl {

thread_local int selected_fault = 0;

}  // namespace archipelago::rtl

// Imported by the Verilog that scripts/make-faults writes.
extern "C" int archipelago_selected_fault() {
    return archipelago::rtl::selected_fault;
}
