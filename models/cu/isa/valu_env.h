// SPDX-License-Identifier: Apache-2.0
// The host's floating-point environment while vector instructions execute.
//
// A wave's MODE register selects a rounding direction and whether denormals are flushed; on the
// host the MXCSR register does. Each floating-point instruction installs the value it needs.
// Without a guard it also puts the caller's value back, so that other code never notices. With a
// guard on the stack the value is left in place and written again only when the next instruction
// needs another one; the guard restores the caller's value when it goes out of scope.
#pragma once

#include <cstdint>

namespace archipelago::isa {

// What this thread's MXCSR holds while at least one FpEnvGuard is alive.
struct FpEnvState {
    uint32_t depth;    // number of live guards
    uint32_t current;  // MXCSR control bits installed last; meaningful when depth > 0
};

// Constant-initialised, hence no initialisation wrapper is called on each access.
extern __thread FpEnvState fp_env_state __attribute__((tls_model("initial-exec")));

// Put one around a run of ExecFn calls: it saves two MXCSR writes per instruction. Between the
// guard's construction and destruction the caller must not do floating-point work of its own.
// Guards nest; a guard belongs to the thread that made it.
class FpEnvGuard {
  public:
    FpEnvGuard();
    ~FpEnvGuard();
    FpEnvGuard(const FpEnvGuard&) = delete;
    FpEnvGuard& operator=(const FpEnvGuard&) = delete;

  private:
    uint32_t saved_;  // MXCSR of the surrounding code, restored by the outermost guard
};

// Host floating-point work inside a guard (conversions of typed buffers): the default environment
// while it lives, round to nearest with denormals.
class FpEnvPause {
  public:
    FpEnvPause();
    ~FpEnvPause();
    FpEnvPause(const FpEnvPause&) = delete;
    FpEnvPause& operator=(const FpEnvPause&) = delete;

  private:
    uint32_t saved_;
};

}  // namespace archipelago::isa
