// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/verilog_platform.h"

#include <algorithm>
#include <cstdio>
#include <stdexcept>

#include "models/common/page.h"

namespace archipelago::adapters {
namespace {

std::string hex(uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace

VerilogPlatform::VerilogPlatform(const sc_core::sc_module_name& name,
                                 std::vector<std::unique_ptr<VerilogModule>> modules,
                                 uint64_t engine_period_fs)
    : sc_core::sc_module(name) {
    struct Initiator {
        tlm::tlm_initiator_socket<>* socket;
        std::string name;
    };
    std::vector<Initiator> initiators;
    for (size_t m = 0; m < modules.size(); ++m) {
        const std::string block_name = modules[m]->name();
        const uint64_t period =
            modules[m]->period_fs() != 0 ? modules[m]->period_fs() : engine_period_fs;
        clocks_.push_back(std::make_unique<tlm_shell::ClockDomain>(("clock_" + block_name).c_str(),
                                                                   period, control_));
        blocks_.push_back(std::make_unique<VerilogBlock>(block_name.c_str(), std::move(modules[m]),
                                                         *clocks_.back()));
        VerilogBlock& block = *blocks_.back();
        for (unsigned i = 0; i < block.ports().size(); ++i) {
            const VerilogPort& p = block.ports()[i];
            const std::string port_name = block_name + "." + p.name;
            if (!p.target) {
                initiators.push_back({block.initiator(i), port_name});
                continue;
            }
            const uint64_t last = p.base + p.size - 1;
            if (p.size == 0 || p.base % kPageBytes != 0 || p.size % kPageBytes != 0 ||
                last < p.base)
                throw std::runtime_error(port_name + ": range " + hex(p.base) + ", " +
                                         std::to_string(p.size) + " bytes, is not whole pages of " +
                                         std::to_string(kPageBytes) + " bytes");
            for (const Range& r : ranges_)
                if (p.base <= r.last && r.first <= last)
                    throw std::runtime_error(port_name + ": range from " + hex(p.base) +
                                             " overlaps the one from " + hex(r.first));
            ranges_.push_back({p.base, last, &block, i});
        }
    }
    const auto targets = static_cast<unsigned>(ranges_.size() + 1);
    const auto sources = static_cast<unsigned>(initiators.size() + 1);
    // The memory may be anybody's and wait for END_RESP; our adapters do not.
    for (unsigned t = 0; t < targets; ++t)
        mergers_.push_back(std::make_unique<tlm_shell::MemoryArbiter>(
            ("merger" + std::to_string(t)).c_str(), sources, tlm_shell::ArbiterPayloads::Any,
            nullptr, t == 0 ? tlm_shell::MemoryPhases::Four : tlm_shell::MemoryPhases::Early));
    for (unsigned s = 0; s < sources; ++s) {
        splitters_.push_back(
            std::make_unique<AddressSplitter>(("splitter" + std::to_string(s)).c_str(), targets));
        for (unsigned t = 0; t < targets; ++t) {
            splitters_[s]->out(t).bind(mergers_[t]->input(s));
            if (t > 0)
                splitters_[s]->set_range(t, ranges_[t - 1].first, ranges_[t - 1].last);
        }
        if (s > 0) {
            checkers_.push_back(
                std::make_unique<tlm_shell::ProtocolChecker>(("from" + std::to_string(s)).c_str()));
            initiators[s - 1].socket->bind(checkers_.back()->in);
            checkers_.back()->out.bind(splitters_[s]->in);
        }
    }
    for (unsigned t = 1; t < targets; ++t) {
        checkers_.push_back(
            std::make_unique<tlm_shell::ProtocolChecker>(("to" + std::to_string(t)).c_str()));
        mergers_[t]->out.bind(checkers_.back()->in);
        checkers_.back()->out.bind(*ranges_[t - 1].block->target(ranges_[t - 1].port));
    }
}

void VerilogPlatform::add_stats(StatsRegistry& stats) {
    for (const auto& b : blocks_)
        b->add_stats(stats);
}

std::string VerilogPlatform::waiting_for() const {
    std::string text;
    for (const auto& b : blocks_)
        text += b->waiting_for();
    return text;
}

}  // namespace archipelago::adapters
