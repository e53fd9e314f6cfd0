// SPDX-License-Identifier: Apache-2.0
// Verilog modules around a chip, between its memory socket and the memory. Ports that
// are targets take their address ranges, ports that are initiators reach all of the address space.
#pragma once

#include <exception>
#include <memory>
#include <string>
#include <systemc>
#include <vector>

#include "rtl-bridge/adapters/address_splitter.h"
#include "rtl-bridge/adapters/verilog_block.h"
#include "tlm/memory_arbiter.h"
#include "tlm/protocol_checker.h"

namespace archipelago::adapters {

class VerilogPlatform : public sc_core::sc_module {
  public:
    // To the memory that holds the rest, and from the chip.
    tlm::tlm_target_socket<>& from_chip() { return splitters_[0]->in; }
    tlm::tlm_initiator_socket<>& to_memory() { return mergers_[0]->out; }

    // `engine_period_fs`: the clock of modules that name none. Throws std::runtime_error when
    // address ranges overlap or are not whole pages.
    VerilogPlatform(const sc_core::sc_module_name& name,
                    std::vector<std::unique_ptr<VerilogModule>> modules, uint64_t engine_period_fs);

    struct Range {
        uint64_t first, last;
        VerilogBlock* block;
        unsigned port;
    };
    const std::vector<Range>& ranges() const { return ranges_; }
    std::vector<std::unique_ptr<VerilogBlock>>& blocks() { return blocks_; }
    // Why a module stopped the simulation, if one did.
    std::exception_ptr error() const { return control_.error(); }
    std::string waiting_for() const;
    void add_stats(StatsRegistry& stats);  // of all its blocks

  private:
    tlm_shell::RunControl control_;
    std::vector<std::unique_ptr<tlm_shell::ClockDomain>> clocks_;
    std::vector<std::unique_ptr<VerilogBlock>> blocks_;
    std::vector<Range> ranges_;
    std::vector<std::unique_ptr<AddressSplitter>> splitters_;  // per initiator, the chip first
    std::vector<std::unique_ptr<tlm_shell::MemoryArbiter>>
        mergers_;  // per target, the memory first
    std::vector<std::unique_ptr<tlm_shell::ProtocolChecker>> checkers_;
};

}  // namespace archipelago::adapters
