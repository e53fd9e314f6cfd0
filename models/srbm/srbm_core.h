// SPDX-License-Identifier: Apache-2.0
// System register bus manager: takes register requests of the host, of the DMA engines and, through
// GRBM, of CP, sends them to GRBM or the engine that owns the register, and keeps the registers of
// blocks that have no model. Writes are posted and not answered; reads are. A write of some bytes
// of a register becomes a read and a write of all. Order per source and port is kept.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/srbm/srbm_spec.h"
#include "models/srbm/srbm_state.h"

namespace archipelago::srbm {

class SrbmCore : public Unit {
  public:
    // Throws std::invalid_argument naming what is wrong with the spec.
    explicit SrbmCore(const Spec& spec);

    std::vector<Channel<RegRequest>> request;    // by Source
    std::vector<Channel<RegResponse>> response;  // by Port; that of kSelf stays unused
    Wire<uint32_t> soft_reset;                   // SRBM_SOFT_RESET

    // A port that is not connected is that of a block the chip is without: its registers read 0,
    // a write stops by name.
    std::vector<OutputChannel<RegRequest>> to_port;     // by Port
    std::vector<OutputChannel<RegResponse>> to_source;  // by Source
    // Reads of unknown registers: in cycle mode, and in functional mode.
    OutputEvent<ReadError> to_read_errors{this};
    std::function<void(const ReadError&)> on_read_error;
    // Bit `bit` of a status register (Answer::Levels) is high while the wire is; several wires may
    // share a bit.
    void add_busy(uint32_t status, unsigned bit, const Wire<bool>* wire);

    // ---- functional mode: straight to the blocks ------------------------------------------------
    void attach(unsigned port, RegisterTarget* target) { target_[port] = target; }
    // The value of a register; nothing where there is none.
    std::optional<uint32_t> find(const RegRequest& request);
    // The same for a debugger: changes, counts and reports nothing.
    std::optional<uint32_t> inspect(const RegRequest& request) const;
    uint32_t read(const RegRequest& request) { return find(request).value_or(0); }
    void write(const RegRequest& request);

    bool tick(Cycle now) override;
    const State& state() const { return state_; }
    // ---- Control -------------------------------------------------------------------------------
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

  private:
    // What a dword of the aperture is.
    struct Decode {
        uint8_t range = 0;  // + 1; 0 for a hole
        uint8_t port = kSelf;
        uint8_t rule = 0;        // + 1; 0 for none
        bool known = false;      // the database has the register
        bool read_only = false;  // by the database
    };
    struct BusyInput {
        uint32_t status;
        uint8_t bit;
        const Wire<bool>* wire;
    };
    void find_registers();
    Decode decode(uint32_t offset) const {
        return offset % 4 == 0 && offset / 4 < decode_.size() ? decode_[offset / 4] : Decode{};
    }
    const char* range_name(uint32_t offset) const;  // null for a hole
    unsigned reads_under_way() const;

    // Registers that no port has. False: there is no such register.
    bool own_write(Cycle now, const Decode& decode, const RegRequest& r);
    bool own_read(Cycle now, const Decode& decode, uint32_t offset, uint32_t& value) const;
    uint32_t levels(Cycle now, uint32_t status) const;
    [[noreturn]] void stop_absent(uint8_t port, uint32_t offset) const;

    // Without the ports; kAtOnce: in functional mode.
    bool read_here(Cycle now, const RegRequest& r, uint32_t& value);
    void write_here(Cycle now, RegRequest& r);

    Stall forward(Cycle now, unsigned source);
    Stall merge(Cycle now, unsigned source, Channel<RegRequest>& port);
    void send_read(Cycle now, Channel<RegRequest>& port, const RegRequest& r, unsigned source,
                   bool merges);
    void send_write(Cycle now, Channel<RegRequest>& port, const RegRequest& r);
    bool pass_answer(Cycle now, unsigned port);
    uint64_t ready_sources(Cycle now) const;

    void unknown(Cycle now, const RegRequest& r);
    bool logs() const {
        return observers_.log != nullptr && observers_.log->enabled(LogCategory::Reg);
    }
    void log(Cycle now, uint8_t port, unsigned source, bool write, uint32_t offset,
             uint32_t value) const;

    const Spec spec_;
    State state_;
    RoundRobin turn_{kSources};
    std::vector<Decode> decode_;  // by dword of the aperture
    std::array<RegisterTarget*, kPorts> target_{};
    uint64_t asked_ = 0;     // a bit for each source whose requests are not empty
    uint64_t answered_ = 0;  // a bit for each port whose responses are not empty
    std::vector<BusyInput> busy_;
    Observers observers_;
    std::string path_;
};

}  // namespace archipelago::srbm
