// SPDX-License-Identifier: Apache-2.0
// Interrupt handler: takes the interrupts of all blocks, puts them as entries of four dwords into a
// ring in memory, mirrors its write pointer there, and then tells the host. Registers IH_* and
// INTERRUPT_CNTL; the ring as Linux radeon si.c sets it up and reads it. While the ring is not
// enabled interrupts go to the host as they are.
#pragma once

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "models/common/interrupt.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/ih/ih_spec.h"
#include "models/ih/ih_state.h"

namespace archipelago::ih {

// The host's side of the interrupt line. Called in the cycle in which the line is raised.
class InterruptLine {
  public:
    virtual ~InterruptLine() = default;
    virtual void raise(const Interrupt& interrupt) = 0;
};

// Memory of functional mode. False when a byte is not mapped.
class IhMemory {
  public:
    virtual ~IhMemory() = default;
    virtual bool write(uint64_t address, const void* from, unsigned bytes, uint8_t vmid) = 0;
};

constexpr unsigned kEntryBytes = 16;

class IhCore : public Unit, public RegisterTarget {
  public:
    explicit IhCore(const IhSpec& spec);

    Channel<RegRequest> registers;
    EventLink<Interrupt> in;
    std::array<EventLink<Interrupt>, 2> from_dma;  // async DMA engines
    EventLink<ReadError> read_errors;              // of GRBM
    EventLink<ReadError> system_read_errors;       // of SRBM
    Channel<MemResponse> from_memory;
    // High while the FIFO before the ring is over its high-water mark: the end-of-pipe unit and the
    // collector of shader messages send nothing then.
    Wire<bool> hold_end_of_pipe, hold_shaders;
    OutputChannel<RegResponse> to_registers{this};
    OutputChannel<MemRequest> to_memory{this};
    void connect_line(InterruptLine& line) { line_ = &line; }
    // The signals GRBM_STATUS.GUI_ACTIVE is made of. The engine is idle when all have been low for
    // `delay` cycles: what a register write of CP needs to make the block busy that it is for.
    void watch_engine(std::vector<const Wire<bool>*> busy, unsigned delay) {
        busy_ = std::move(busy);
        idle_delay_ = delay;
    }

    bool tick(Cycle now) override;

    // ---- functional mode: from now on everything happens at once -------------------------------
    void attach(IhMemory& memory) { memory_ = &memory; }
    void take(const Interrupt& interrupt);
    void engine_idle();  // CP has executed something, and nothing is left
    void read_error(const ReadError& error);

    // RegisterTarget
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;

    const IhState& state() const { return state_; }
    // ---- Control -------------------------------------------------------------------------------
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);

  private:
    struct Write {
        uint64_t address = 0;
        unsigned bytes = 0;
        Line data{};  // from `address` on
    };
    void enter(Cycle now, const Interrupt& interrupt);
    void hold_senders(Cycle now);
    void note_read_error(Cycle now, const ReadError& error);
    bool check_engine(Cycle now);
    void listen();
    uint32_t* slot(uint32_t offset);
    uint32_t reg(uint32_t offset) const;
    uint32_t reg(const regs::NamedField& field) const;
    uint32_t write_pointer() const;
    bool ring_enabled() const;
    uint32_t ring_bytes() const;
    bool full() const;
    void check_setup() const;
    Write entry_write();
    Write pointer_write();
    void entry_written(Cycle now);
    void pointer_written(Cycle now);
    void tell_host(Cycle now);
    void raise(Cycle now, const Interrupt& interrupt);
    void mark(Cycle now, const char* what, const Interrupt& interrupt);
    bool write_due(Cycle now) const;
    void pump();
    bool send(Cycle now);
    void swap(Write& write) const;
    [[noreturn]] void fault(uint64_t address, MemStatus status) const;

    const IhSpec spec_;
    const RegisterMap& m_ = spec_.map;
    IhState state_;
    InterruptLine* line_ = nullptr;
    std::vector<const Wire<bool>*> busy_;
    unsigned idle_delay_ = 0;
    IhMemory* memory_ = nullptr;
    Observers observers_;
    std::string path_;
    TrackId track_ = 0;
};

}  // namespace archipelago::ih
