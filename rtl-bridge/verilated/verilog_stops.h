// SPDX-License-Identifier: Apache-2.0
// What $finish, $stop, $fatal and faults of Verilator's runtime do: they stop the machine, by
// MachineStop. Verilator's own functions, which VL_USER_FINISH and so on leave out, end the
// process. For one source of the runtime alone: the functions are defined here.
#pragma once

#include <string>

#include "models/common/error.h"

namespace archipelago::rtl {

[[noreturn]] inline void stop_by_verilog(const char* file, int line, const std::string& what) {
    const std::string where = file != nullptr && *file != '\0' ? file : "Verilog";
    throw MachineStop(StopKind::Protocol, where + ":" + std::to_string(line), what);
}

}  // namespace archipelago::rtl

void vl_finish(const char* file, int line, const char* /*scope*/) {
    archipelago::rtl::stop_by_verilog(file, line, "$finish");
}

void vl_stop(const char* file, int line, const char* /*scope*/) {
    archipelago::rtl::stop_by_verilog(file, line, "$stop, $fatal or a failed assertion");
}

void vl_fatal(const char* file, int line, const char* /*scope*/, const char* what) {
    std::string text = what;
    if (text.find("did not converge") != std::string::npos)
        text += " The Verilog has a combinational loop.";
    archipelago::rtl::stop_by_verilog(file, line, text);
}
