// SPDX-License-Identifier: Apache-2.0
// An async DMA engine's parser and registers in cycle mode: takes dwords of the ring and of
// indirect buffers, one a cycle, collects packets and carries out their programs. Document "Async
// DMA".
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/dma/dma_spec.h"
#include "models/dma/op_engine.h"
#include "models/dma/register_file.h"
#include "models/dma/transfer_core.h"
#include "models/front/ring_message.h"
#include "models/front/stream_reader.h"

namespace archipelago::dma {

struct EngineState {
    enum class Phase : uint8_t { Header, Collect, Microcode, Execute };
    Phase phase = Phase::Header;
    front::StreamReader stream{2};  // ring, indirect buffer
    bool halted = false;
    const PacketInfo* info = nullptr;
    front::Location location;
    std::array<uint32_t, kMaxFixedDwords> dwords{};
    uint32_t have = 0;
    uint64_t payload = 0;  // dwords not taken
    uint32_t skip = 0;     // dwords to leave out
    Cycle ready_at = 0;
    Cycle began = 0;
    OpState op;
    // Read pointer in memory.
    bool mirror_old = false;
    bool mirror_in_flight = false;
    Cycle mirror_due = 0;
    uint64_t uid = 0;
    // counters
    uint64_t packets = 0;
    uint64_t dwords_taken = 0;
    uint64_t buffers = 0;
    uint64_t register_writes = 0;
    StallCycles<Stall> stalls;
};

class EngineCore : public Unit, public RegisterTarget {
  public:
    explicit EngineCore(const Spec& spec);

    Channel<RegRequest> registers;           // from SRBM: the engine's own
    Channel<RegResponse> register_response;  // to what packets read
    Channel<MemResponse> memory_response;
    Channel<MemResponse> mirror_response;
    Channel<MemResponse> semaphore_response;
    std::array<Channel<front::RoqLine>, 2> roq;
    EventLink<TransferDone> transfer_done;
    Wire<bool> busy;

    OutputChannel<RegResponse> to_registers{this};
    OutputEvent<front::RingUpdate> to_fetch{this};
    OutputEvent<front::RoqCredit> to_credit{this};
    OutputChannel<front::FetchCommand> to_command{this};
    OutputChannel<MemRequest> to_mirror{this};  // the read pointer in memory

  private:
    OpEngine engine_;

  public:
    OutputChannel<RegRequest>& to_bus = engine_.to_bus;
    OutputChannel<MemRequest>& to_memory = engine_.to_hub;
    OutputChannel<MemRequest>& to_semaphore = engine_.to_l2;
    OutputChannel<Transfer>& to_transfer = engine_.to_transfer;
    OutputEvent<Interrupt>& to_interrupt = engine_.to_interrupt;

    bool tick(Cycle now) override;
    bool idle() const override;
    // Memory has the read pointer, as far as the host asks for it.
    bool mirrored() const { return !state_.mirror_old && !state_.mirror_in_flight; }
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

    // RegisterTarget: offsets of the register aperture.
    bool write_register(const RegRequest& request) override;
    bool read_register(const RegRequest& request, uint32_t& value) override;

    RegisterFile& file() { return file_; }
    // See DmaCore::announce().
    void announce(Cycle now) { change_ring(now, RegisterChange::ReadPointer); }
    uint64_t packets() const { return state_.packets; }

  private:
    bool take_inputs(Cycle now);
    bool serve_registers(Cycle now);
    void change_ring(Cycle now, RegisterChange change);
    bool mirror(Cycle now);
    bool run(Cycle now, Stall& reason);
    bool run_header(Cycle now, Stall& reason);
    bool run_execute(Cycle now, Stall& reason);
    bool take_dword(Cycle now, uint32_t& dword);
    void after_program(Cycle now);
    void finish(Cycle now);
    void trace_packet(Cycle end) const;
    void publish_pointers();
    bool at_write_pointer() const;

    const Spec spec_;
    const front::RingNames names_;
    const ProgramSettings settings_;
    RegisterFile file_;
    EngineState state_;
    RegisterChange changed_ = RegisterChange::None;
    Observers observers_;
    std::string path_;
    TrackId track_ = 0;
};

// Checks a header, of which `dwords_left` dwords are left with it: in a ring, what it can hold, as
// those beyond the write pointer are waited for. Throws MachineStop.
const PacketInfo& check_header(const PacketTable& table, uint32_t header, uint32_t dwords_left,
                               const front::Location& location, const front::RingNames& names);
// Checks a packet whose fixed dwords are there.
void check_size(const PacketInfo& info, const uint32_t* dwords, uint32_t dwords_left,
                const front::Location& location, const front::RingNames& names);
// Checks how many dwords after a packet its program leaves out.
void check_skip(const PacketInfo& info, uint32_t dwords, uint32_t dwords_left,
                const front::Location& location, const front::RingNames& names);
// What an engine waits for that has a part of a packet, or of what one leaves out.
std::string beyond_write_pointer(const front::Location& location, const front::RingNames& names);
void log_packet(const Observers& observers, const std::string& path, Cycle now,
                const std::string& place, const PacketInfo& info, const uint32_t* dwords,
                const regs::RegisterDatabase* registers);
// One line: name and fields.
std::string describe_packet(const PacketInfo& info, const uint32_t* dwords,
                            const regs::RegisterDatabase* registers);

}  // namespace archipelago::dma
