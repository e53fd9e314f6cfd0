// SPDX-License-Identifier: Apache-2.0
// Foreign Verilog on pins, as scripts/verilog-wrapper generates it from a YAML description.
// No SystemC, no Verilator: the generated code is a shared library that shows only this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "rtl-bridge/adapters/axi_pins.h"
#include "rtl-bridge/adapters/axi_spec.h"
#include "rtl-bridge/adapters/ready_valid_core.h"

namespace archipelago::adapters {

// Raised with every change of what this header shows; libraries of another number are refused.
constexpr int kVerilogModuleVersion = 2;

// Part of a port's range with a memory that the back door reaches; offset from the port's first
// byte.
struct BackDoorRange {
    uint64_t first = 0, size = 0;
};

// One port of the Verilog: an AXI interface or a stream.
struct VerilogPort {
    std::string name;
    bool stream = false;
    // AXI: it is the target (subordinate). Stream: it receives.
    bool target = true;
    AxiSpec axi;
    ReadyValidSpec words;
    // Targets: the port's range of the address space, and whether the pins see addresses from
    // `base` on or offsets to it. Initiators: what is added to the addresses of the pins; streams
    // write every word to `base`.
    uint64_t base = 0, size = 0;
    bool offset = true;
    unsigned line_bytes = 64;  // initiators: no transaction crosses a multiple
    std::vector<BackDoorRange> back_doors;
};

class VerilogModule {
  public:
    virtual ~VerilogModule() = default;
    virtual const std::string& name() const = 0;
    virtual const std::vector<VerilogPort>& ports() const = 0;
    virtual uint64_t period_fs() const = 0;  // 0: the chip's engine clock
    virtual unsigned reset_cycles() const = 0;
    // Its clock may stop while no port has anything to do.
    virtual bool may_sleep() const = 0;

    // One cycle: settle() with the clock low, sample pins, edge(), drive pins.
    virtual void settle() = 0;
    virtual void edge() = 0;
    virtual void reset(bool asserted) = 0;
    virtual uint64_t cycles() const = 0;

    virtual void drive(unsigned port, const AxiInitiatorPins& pins) = 0;
    virtual void sample(unsigned port, AxiTargetPins& pins) = 0;
    virtual void drive(unsigned port, const AxiTargetPins& pins) = 0;
    virtual void sample(unsigned port, AxiInitiatorPins& pins) = 0;
    virtual void drive(unsigned port, const ReadyValidPins& pins) = 0;
    virtual bool ready(unsigned port) = 0;
    virtual void sample(unsigned port, ReadyValidPins& pins) = 0;
    virtual void drive_ready(unsigned port, bool ready) = 0;

    // The memory downstream of a port, by the back door; offsets from its first byte. False, and
    // nothing is copied, when some byte lies in none of its back_doors.
    virtual bool peek(unsigned port, uint64_t offset, uint8_t* to, size_t bytes) = 0;
    virtual bool poke(unsigned port, uint64_t offset, const uint8_t* from, size_t bytes) = 0;

    // Pins and signals that count, by name, and what they show now.
    virtual const std::vector<std::string>& counters() const = 0;
    virtual uint64_t counter(unsigned index) = 0;

    // FST. Throws std::runtime_error when the file cannot be written.
    virtual void open_waveform(const std::string& file) = 0;
};

// What the shared library exports under these names.
using VerilogModuleVersion = int (*)();
using MakeVerilogModule = VerilogModule* (*)(uint64_t seed);
constexpr const char* kVerilogModuleVersionSymbol = "archipelago_verilog_module_version";
constexpr const char* kMakeVerilogModuleSymbol = "archipelago_make_verilog_module";

}  // namespace archipelago::adapters
