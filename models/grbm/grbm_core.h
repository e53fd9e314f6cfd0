// SPDX-License-Identifier: Apache-2.0
// Graphics register bus manager: takes register accesses of the host and of CP, decodes them to the
// block that owns the register, steers them by GRBM_GFX_INDEX and reports what is busy.
// Registers: configs/registers/si/grbm.yaml; apertures: SI document 2.1.1, 2.2.2, 2.4.4, 2.4.7.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "models/common/channel.h"
#include "models/common/control.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/wire.h"
#include "models/grbm/grbm_spec.h"
#include "models/grbm/grbm_state.h"

namespace archipelago::grbm {

// The order of a source's accesses to one block is kept; accesses to different blocks may take
// effect in another order, as their ways differ.
class GrbmCore : public Clocked, public Control, public RegisterTarget {
  public:
    // Throws MachineStop(BadInput) when ranges overlap or name a port that does not exist.
    explicit GrbmCore(const GrbmSpec& spec);

    Channel<RegRequest>& from_source(unsigned source) { return *from_source_[source]; }
    Channel<RegResponse>& from_port(unsigned port) { return *from_port_[port]; }
    void connect_source(unsigned source, Channel<RegResponse>& out);
    void connect_port(unsigned port, Channel<RegRequest>& out);

    // GRBM_STATUS and friends: bit `bit` of the register at `offset` shows the wire.
    void connect_busy(uint32_t offset, unsigned bit, const Wire<bool>& wire);

    bool tick(Cycle now) override;

    void reset() override;
    bool idle() const override;
    void pause() override { state_.run = RunState::Paused; }
    void resume() override;
    void drain() override { state_.run = RunState::Draining; }
    std::string waiting_for() const override;

    // Functional mode: the block behind a port, called directly.
    void attach(unsigned port, RegisterTarget& target) { targets_[port] = &target; }
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

    const GrbmSpec& spec() const { return spec_; }
    const GrbmState& state() const { return state_; }

  private:
    struct BusyBit {
        uint32_t offset;
        unsigned bit;
        const Wire<bool>* wire;
    };
    int port_of(uint32_t offset) const;
    void steer(RegRequest& request) const;
    bool own_write(const RegRequest& request);
    bool own_read(const RegRequest& request, uint32_t& value, bool latest, Cycle now);
    void check_offset(const RegRequest& request) const;
    void log(Cycle now, const RegRequest& request, uint32_t value) const;
    std::string name_of(uint32_t offset) const;

    const GrbmSpec spec_;
    GrbmState state_;
    std::vector<std::unique_ptr<Channel<RegRequest>>> from_source_;
    std::vector<std::unique_ptr<Channel<RegResponse>>> from_port_;
    std::vector<Channel<RegResponse>*> to_source_;
    std::vector<Channel<RegRequest>*> to_port_;
    std::vector<RegisterTarget*> targets_;
    std::vector<BusyBit> busy_;
    std::vector<uint8_t> port_of_dword_;  // 0xFF: none
    Observers observers_;
    std::string path_ = "grbm";
};

}  // namespace archipelago::grbm
