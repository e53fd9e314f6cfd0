// SPDX-License-Identifier: Apache-2.0
// Verilog in a SystemC platform: clocks a VerilogModule and gives each of its ports a TLM-2.0
// socket, with a protocol checker on the pins.
#pragma once

#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "rtl-bridge/adapters/axi_ports.h"
#include "rtl-bridge/adapters/verilog_module.h"
#include "tlm/clock_domain.h"

namespace archipelago::adapters {

// Loads what archipelago_verilog() built. Throws std::runtime_error that names the file.
std::unique_ptr<VerilogModule> load_verilog_module(const std::string& file, uint64_t seed = 1);

class VerilogBlock : public sc_core::sc_module, public Clocked {
  public:
    VerilogBlock(const sc_core::sc_module_name& name, std::unique_ptr<VerilogModule> module,
                 tlm_shell::ClockDomain& clock);
    ~VerilogBlock() override;

    const std::vector<VerilogPort>& ports() const { return module_->ports(); }
    // The socket of a port: targets take transactions, initiators send them; null for the other
    // kind.
    tlm::tlm_target_socket<>* target(unsigned port);
    tlm::tlm_initiator_socket<>* initiator(unsigned port);

    // Asserts the reset for `cycles` of its clock; what is on the pins fails (BusStatus::Reset).
    void reset(unsigned cycles);
    void set_checked(bool on);
    VerilogModule& module() { return *module_; }
    // Declares the counters of its ports and those the Verilog names, below "verilog.NAME", as
    // they are when it is called.
    void add_stats(StatsRegistry& stats);
    // Bytes of a port's address space by the back door; false when it has none there.
    bool read(unsigned port, uint64_t address, uint8_t* to, size_t bytes);
    bool write(unsigned port, uint64_t address, const uint8_t* from, size_t bytes);

    bool tick(Cycle now) override;
    std::string waiting_for() const;
    // What passed its ports: "ram: 512 reads, 98 writes".
    std::string traffic() const;

  private:
    struct Port;
    static constexpr unsigned kSettle = 16;  // cycles without work before the clock may stop

    std::unique_ptr<VerilogModule> module_;
    tlm_shell::ClockDomain& clock_;
    std::vector<std::unique_ptr<Port>> ports_;
    unsigned reset_left_;
    unsigned idle_cycles_ = 0;
    uint64_t module_cycles_ = 0;  // as add_stats() found them
    std::vector<uint64_t> module_counters_;
};

}  // namespace archipelago::adapters
