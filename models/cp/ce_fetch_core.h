// SPDX-License-Identifier: Apache-2.0
// Reads constant buffers, a line at a time and ahead, and hands the constant engine their packets
// dword by dword. A constant buffer may call another, after whose end the fetch
// returns. Boundaries of partitions that a SET_BASE on the ring names go the same way, in the order
// of the ring. "Radeon Southern Islands Acceleration" 1.3.3, 2.2.3, 2.3.3.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/arbiter.h"
#include "models/common/memory_message.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "models/common/wire.h"
#include "models/cp/ce_message.h"
#include "models/cp/cp_message.h"
#include "models/cp/cp_spec.h"
#include "models/cp/op_engine.h"
#include "models/front/line_stream.h"

namespace archipelago::cp {

// Reads the constant engine's buffers and hands their packets on. Packets that move data between
// registers and memory (kCeFetch) are executed here, after everything before them.
class CeFetchCore : public Unit {
  public:
    explicit CeFetchCore(const Spec& spec);

    std::vector<Channel<CeCommand>> command;  // one per ring, from PFP
    Channel<MemResponse> response;            // from the memory interface
    EventLink<CePacketDone> done;             // from the engine
    // Of the packets executed here.
    Channel<MemResponse> hub_response, l2_response;
    Channel<RegResponse> register_response;
    Wire<bool> busy;

  private:
    OpEngine engine_;

  public:
    OutputChannel<MemRequest> to_memory{this};           // lines of buffers
    std::vector<OutputChannel<MeqEntry>> to_engine;      // by ring
    OutputChannel<MemRequest>& to_hub = engine_.to_hub;  // of the packets executed here
    OutputChannel<MemRequest>& to_l2 = engine_.to_l2;
    OutputChannel<RegRequest>& to_bus = engine_.to_bus;
    OutputEvent<PrivilegeFault>& to_privilege = engine_.to_privilege;

    bool tick(Cycle now) override;
    bool idle() const override;
    void reset() override;
    void archive(Archive& a) override;
    std::string waiting_for() const override;
    const Warnings& warnings() const { return unused_de_.warnings; }
    void register_stats(StatsRegistry& stats, const std::string& path) const;
    void observe(const Observers& observers, const std::string& path);
    void finish_trace(Cycle now) const;

  private:
    // Of a packet that is executed here.
    enum class Data : uint8_t { None, Before, Collect, Execute, Drop };
    // A constant buffer that is read.
    struct Buffer {
        CeCommand command;
        uint32_t given = 0;  // dwords
        front::LineStream lines;
    };
    static constexpr unsigned kLevels = 2;  // called by the ring, called by a constant buffer
    struct Ring {
        bool active = false;
        std::array<Buffer, kLevels> buffers;
        uint8_t level = 0;
        Location location;    // of the packet being passed on
        uint32_t left = 0;    // body dwords of the packet still to be given
        uint32_t engine = 0;  // packets that the engine has not executed
        Data data = Data::None;
        const PacketInfo* info = nullptr;
        uint32_t header = 0;
        std::array<uint32_t, 8> body{};
        uint32_t have = 0;
        Cycle began = 0;  // timeline
        OpState op;

        Buffer& buffer() { return buffers[level]; }
        const Buffer& buffer() const { return buffers[level]; }
    };
    struct State {
        std::vector<Ring> rings;
        unsigned in_flight = 0;
        uint64_t uid = 0;
        uint64_t buffers = 0;
        uint64_t requests = 0;
        uint64_t fetched = 0;
        uint64_t data_packets = 0;
    };
    bool take_data_responses(Cycle now);
    void trace_packet(unsigned ring, Cycle end) const;
    bool carry_out(Cycle now, unsigned ring);
    bool next_dword(const Buffer& b, uint32_t& dword) const;
    static void took_dword(Buffer& b);
    void enter(Ring& r, const CeCommand& command);
    static void leave_finished(Ring& r);
    void call(Cycle now, unsigned ring);
    bool starts_data(unsigned ring, uint32_t dword);
    void arrive(const MemResponse& r);
    bool issue(Cycle now);
    bool give(Cycle now, unsigned ring);
    void hand_on(Cycle now, unsigned ring, uint32_t dword);

    const Spec spec_;
    State state_;
    RoundRobin turn_;
    DeState unused_de_{spec_.de_state()};  // its packets leave nothing but warnings
    Observers observers_;
    std::string path_;
    std::vector<TrackId> track_;
};

// The packet a SET_BASE of partitions on the ring becomes.
std::array<uint32_t, 4> partition_packet(const PacketTable& packets, const CeCommand& command);

}  // namespace archipelago::cp
