// SPDX-License-Identifier: Apache-2.0
// The command processor in functional mode: walks rings and indirect buffers and runs the same
// packet programs as ME and PFP at once. Effects and errors are those of the timed processor.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/common/gds_message.h"
#include "models/common/interrupt.h"
#include "models/common/memory_message.h"
#include "models/common/trace_sink.h"
#include "models/cp/ce_functional.h"
#include "models/cp/cp_spec.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/register_file.h"
#include "models/cp/ring_report.h"
#include "models/front/stream_reader.h"

namespace archipelago::cp {

// The machine around a functional command processor.
class CpBackend {
  public:
    virtual ~CpBackend() = default;
    virtual uint32_t reg_read(const RegRequest& request) = 0;
    virtual void reg_write(const RegRequest& request) = 0;
    // Writes `count` consecutive registers from request.offset on, when there are all of them, and
    // none does more than to keep its value. False: that is not so and nothing was written; they go
    // one by one.
    virtual bool reg_store(const RegRequest&, const uint32_t* /*values*/, uint32_t /*count*/) {
        return false;
    }
    // Register writes wait in front of the bus: a ring takes no further packet.
    virtual bool bus_waits() const { return false; }
    // False when any byte is unmapped.
    virtual bool mem_read(uint64_t address, void* to, size_t bytes, uint8_t vmid) = 0;
    virtual bool mem_write(uint64_t address, const void* from, size_t bytes, uint8_t vmid) = 0;
    // Where up to `bytes` bytes from the address on lie in the host's memory until the next call of
    // this interface but reg_store(), `bytes` made less where they lie apart; null: mem_read() has
    // to bring them.
    virtual const uint8_t* mem_view(uint64_t, size_t&, uint8_t) { return nullptr; }
    // All earlier work of the ring is complete when it returns.
    virtual void event(uint8_t ring, uint8_t type) = 0;
    virtual void cache_action(const CacheAction& action) = 0;
    virtual void interrupt(const Interrupt& interrupt) = 0;
    virtual uint64_t gpu_clock() = 0;
    // Null: there is none, and packets that need it stop by name.
    virtual GdsPort* gds_port() { return nullptr; }
    // Counters at a sample event of the graphics ring. Without a counting unit they are 0.
    virtual SampleCounts samples(uint8_t event_type) {
        SampleCounts counts;
        counts.event_type = event_type;
        return counts;
    }
};

class CpFunctional : public RegisterEffects {
  public:
    // `file` and `de` may be those of a CpCore; attach() makes register writes come here.
    CpFunctional(const Spec& spec, RegisterFile& file, DeState& de, CpBackend& backend);
    void attach() {
        file_.set_effects(this);
        ce_.set_halted(file_.ce_halted());
    }
    // For DATA_SEL 4 of EVENT_WRITE_EOP; without it, that stops the machine.
    void use_perfcounter(const PerfCounterSource& source) { perfcounter_ = &source; }

    enum class Outcome : uint8_t { Idle, Waiting };
    // Executes a ring until it is empty, or until a poll fails (or an engine is halted): then the
    // ring waits, and run() again polls again. Throws MachineStop.
    Outcome run(unsigned ring);
    // All rings in turns; Waiting when no ring that is left can go on.
    Outcome run_all();
    // Packets executed since construction: tells whether a run() moved anything.
    uint64_t packets() const { return packets_; }
    bool idle(unsigned ring) const;
    // The constant engine has executed all its buffers.
    bool constants_idle() const { return ce_.idle(); }
    std::string waiting_for() const;
    CpReport report() const;
    // See CpCore::warnings().
    std::vector<std::string> warnings() const;
    // The registers and the state of DE are the owner's to reset; packets() goes on.
    void reset();
    // The rings are in the registers and CpCore's state; the constant engine's part is apart.
    void archive(Archive& a);
    void archive_constants(Archive& a) { ce_.archive_constants(a); }
    void observe(const Observers& observers, const std::string& path);

    // RegisterEffects
    void ring_changed(unsigned, bool) override {}
    void halt_changed(bool, bool, bool ce_halted) override { ce_.set_halted(ce_halted); }
    void write_back(uint64_t address, uint32_t value) override;
    void start_coherency(const CacheAction& action) override;
    void raise(const Interrupt& interrupt) override { backend_.interrupt(interrupt); }

  private:
    static constexpr uint32_t kShortBody = 8;  // dwords of most; copied without a call
    static constexpr size_t kShortPacket = 4 * (1 + kShortBody);
    // Dwords of an indirect buffer in the host's memory, from the next packet on.
    struct View {
        const uint8_t* data = nullptr;
        size_t bytes = 0;
        // Nothing is left when there are fewer.
        void advance(uint32_t dwords) {
            const size_t passed = std::min(4 * size_t{dwords}, bytes);
            data += passed;
            bytes -= passed;
        }
    };
    struct Ring {
        front::StreamStack<> stream{Spec::kMaxLevels};  // its ring: as of the last stream()
        bool in_packet = false;
        PacketProgram program;
        std::vector<uint32_t> body = std::vector<uint32_t>(kShortBody);
        uint32_t taken = 0;  // dwords of the body given to the program
        uint32_t last_read = 0;
        uint32_t skip = 0;  // dwords to leave out after the last packet
        SkipWalk walk;
    };
    void reset_rings();
    bool begin(unsigned ring);
    bool take(unsigned ring, const PacketInfo& info, uint32_t header, const Location& location,
              bool skip);
    void start(unsigned ring, const PacketInfo& info, uint32_t header, const Location& location,
               Route route);
    bool set_at_once(Ring& r, const PacketInfo& info, uint32_t header, const Location& location);
    front::StreamStack<>& stream(unsigned ring);
    front::StreamStack<>& follow_ring(unsigned ring, front::StreamStack<>& stream) const;
    RegRequest write_request(const Location& location, uint32_t offset) const;
    uint32_t read_register(const Location& location, uint32_t offset);
    void write_register(Ring& r, uint32_t offset, uint32_t value);
    void roll_context(uint8_t ring, uint32_t offset);
    void close_context();
    void execute_gds(Ring& r, const MicroOp& op);
    void store_gds(const EopCommand& c);
    GdsPort& gds(const Location& location) const;
    bool execute(Ring& r, MicroOp& op);
    bool execute_other(Ring& r, MicroOp& op);
    void fetch(const Location& location, uint32_t dword, uint32_t count, uint32_t* to);
    View view_of(const front::StreamStack<>& stream);
    void dma(const DmaCommand& c);
    bool copy(const DmaCommand& c, uint32_t done, uint32_t bytes);
    void copy_lines(const DmaCommand& c, uint32_t done, uint32_t bytes);
    [[noreturn]] void fault_in_line(const DmaCommand& c, uint32_t done, uint32_t bytes);
    EopImage image(const EopCommand& c);
    void end_of_pipe(const EopCommand& c);
    void post_event(const Location& location, uint8_t type);
    void read_memory(const Location& location, const MicroOp& op, OpResult& result);
    void write_memory(const Location& location, MicroOp& op);
    void increment_de(const Location& location, const MicroOp& op);
    void atomic(const Location& location, const MicroOp& op, OpResult& result);
    [[noreturn]] void fault(const Location& location, const MicroOp& op, const char* what,
                            uint64_t address) const;
    std::string missing_at(unsigned ring) const;
    // Skips the dwords that the ring's program skips.
    void start_skip(unsigned ring, uint32_t dwords);
    bool skip_on(unsigned ring);
    void advance(unsigned ring, uint32_t dwords);
    [[noreturn]] void fault(const Location& location, const char* what, uint64_t address) const;

    const Spec spec_;
    RegisterFile& file_;
    DeState& de_;
    CpBackend& backend_;
    std::vector<Ring> rings_;
    CeFunctional ce_;
    const PerfCounterSource* perfcounter_ = nullptr;
    std::vector<uint8_t> copy_;
    uint64_t packets_ = 0;
    std::string error_;  // the packet the parser halted on, and why; empty: none
    Observers observers_;
    std::string path_;
};

}  // namespace archipelago::cp
