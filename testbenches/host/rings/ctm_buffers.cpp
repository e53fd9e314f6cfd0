// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/rings/ctm_buffers.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/ctm/pe/registers.h"
#include "testbenches/host/ctm/loader.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/soft_reset.h"

namespace archipelago::host {
namespace {

constexpr uint64_t kArenaBytes =
    256 * 1024;                        // of command buffers, used again once all are consumed
constexpr uint64_t kBufferAlign = 64;  // a line: what the processor reads at a time
// Processors that go idle raise no interrupt: cycles between two inspections.
constexpr uint64_t kIdlePoll = 100;

// Code of an executable that the driver has put into memory; it stays there, for a program may run
// that a buffer before has started.
struct PlacedCode {
    uint32_t address = 0;
    std::vector<uint32_t> words;
};

class CtmBuffers : public CtmRing {
  public:
    explicit CtmBuffers(Machine& machine) : machine_(machine) {}

    void bring_up() override {}
    void submit(unsigned ring, const std::vector<uint32_t>& dwords) override;
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) override;
    void set_program_info(unsigned, const ProgramInfo& info) override {
        loader_.given = loader_.in_force = info;
    }
    uint32_t submitted() const override { return submitted_; }
    // Nothing is put after the buffers: caches are the workload's to flush. The number is that of
    // the last buffer.
    uint32_t fence(unsigned) override { return submitted_; }
    bool passed(unsigned, uint32_t number) override;
    void wait(unsigned ring, uint32_t number) override;
    uint64_t fences(const std::string&) const override { return 0; }
    void archive(Archive& a) override {
        a(submitted_, before_reset_, arena_, arena_bytes_, used_, loader_, programs_);
    }
    void reset() override;

  private:
    uint64_t place(uint64_t bytes);
    uint64_t place(const std::vector<uint32_t>& dwords);
    uint32_t place_code(const std::vector<uint32_t>& words);
    void send(uint64_t address, uint64_t dwords, const ProgramInfo& info);
    void wait_consumed(uint32_t number);
    // The chip counts from 1 after each reset.
    uint32_t consumed() { return before_reset_ + machine_.read_register(ctm::kCbConsumed); }

    Machine& machine_;
    uint32_t submitted_ = 0;     // buffers; the number of the last
    uint32_t before_reset_ = 0;  // buffers submitted until the last reset
    uint64_t arena_ = 0;
    uint64_t arena_bytes_ = 0;
    uint64_t used_ = 0;  // of the arena, by buffers that may not have been consumed
    LoaderState loader_;
    std::vector<PlacedCode> programs_;
};

void CtmBuffers::wait_consumed(uint32_t number) {
    machine_.wait_until([&] { return has_passed(number, consumed()); },
                        "command buffer " + std::to_string(number) + " to be consumed");
}

// Room for a buffer. One that is being read is not written over.
uint64_t CtmBuffers::place(uint64_t bytes) {
    const uint64_t need = (bytes + kBufferAlign - 1) & ~(kBufferAlign - 1);
    if (used_ + need > arena_bytes_) {
        if (submitted_ != 0)
            wait_consumed(submitted_);
        used_ = 0;
    }
    if (need > arena_bytes_) {
        arena_bytes_ = std::max(need, kArenaBytes);
        arena_ = machine_.allocate(arena_bytes_);
    }
    const uint64_t address = arena_ + used_;
    used_ += need;
    return address;
}

uint64_t CtmBuffers::place(const std::vector<uint32_t>& dwords) {
    const uint64_t address = place(dwords.size() * 4);
    machine_.memory().write(address, dwords.data(), dwords.size() * 4);
    return address;
}

uint32_t CtmBuffers::place_code(const std::vector<uint32_t>& words) {
    for (const PlacedCode& code : programs_)
        if (code.words == words)
            return code.address;
    PlacedCode code;
    code.address = static_cast<uint32_t>(machine_.allocate(words.size() * 4));
    code.words = words;
    machine_.memory().write(code.address, words.data(), words.size() * 4);
    programs_.push_back(std::move(code));
    return programs_.back().address;
}

// Executables are in memory that the host can read, also when a buffer is.
void CtmBuffers::submit(unsigned, const std::vector<uint32_t>& dwords) {
    for (const LoadedBuffer& part : load_programs(
             dwords, machine_.memory(), "command buffer " + std::to_string(submitted_ + 1), loader_,
             [this](const std::vector<uint32_t>& words) { return place_code(words); }))
        send(place(part.words), part.words.size(), part.info);
}

// A buffer that is in memory already. It stays there as it is, and is read there unless it has to
// be changed.
void CtmBuffers::submit_ib(unsigned, uint64_t address, uint32_t dwords, uint32_t vmid) {
    if (vmid != 0)
        throw std::invalid_argument("ring ctm: command buffers have no VMID");
    if (address > ~uint32_t{0})
        throw std::invalid_argument("ring ctm: addresses of command buffers have 32 bits");
    if (!machine_.memory().is_mapped(address, uint64_t{dwords} * 4)) {
        send(address, dwords, loader_.in_force);  // the machine says so when it reads it
        return;
    }
    std::vector<uint32_t> words(dwords);
    machine_.memory().read(address, words.data(), words.size() * 4);
    const std::string where =
        "command buffer " + std::to_string(submitted_ + 1) + fmt::format(" at 0x{:x}", address);
    const std::vector<LoadedBuffer> parts =
        load_programs(words, machine_.memory(), where, loader_,
                      [this](const std::vector<uint32_t>& code) { return place_code(code); });
    if (parts.size() == 1 && parts[0].words == words) {
        send(address, dwords, parts[0].info);
        return;
    }
    for (const LoadedBuffer& part : parts)
        send(place(part.words), part.words.size(), part.info);
}

void CtmBuffers::send(uint64_t address, uint64_t dwords, const ProgramInfo& info) {
    ++submitted_;
    machine_.write_register(ctm::kProgInfo,
                            (info.full_flow_control ? ctm::kFullFlowControl : 0) |
                                (info.uncached_outputs ? ctm::kUncachedOutputs : 0) |
                                uint32_t{info.temporaries} << ctm::kTemporariesShift);
    machine_.write_register(ctm::kCbAddress, static_cast<uint32_t>(address));
    machine_.write_register(ctm::kCbSize, static_cast<uint32_t>(dwords * 4));
}

// As Linux's rs600_asic_reset(): vertex and geometry units, then CP. Buffers that were not consumed
// are lost.
void CtmBuffers::reset() {
    soft_reset(machine_, ctm::kSoftReset, ctm::kSoftResetVap | ctm::kSoftResetGa);
    soft_reset(machine_, ctm::kSoftReset, ctm::kSoftResetCp);
    before_reset_ = submitted_;
    used_ = 0;
    loader_ = {};
}

// Processors may still work on what a consumed buffer has started.
bool CtmBuffers::passed(unsigned, uint32_t number) {
    return has_passed(number, consumed()) && machine_.read_register(ctm::kStatus) == 0;
}

void CtmBuffers::wait(unsigned, uint32_t number) {
    if (number == 0)
        return;
    wait_consumed(number);
    machine_.wait_until([this] { return machine_.read_register(ctm::kStatus) == 0; },
                        "the processors to be idle", kIdlePoll);
}

}  // namespace

std::unique_ptr<CtmRing> make_ctm_ring(Machine& machine, unsigned rings) {
    if (rings != 1)
        throw std::invalid_argument("a CTM chip takes one row of command buffers");
    return std::make_unique<CtmBuffers>(machine);
}

std::unique_ptr<RingDriver> make_ctm_buffers(Machine& machine, unsigned rings) {
    return make_ctm_ring(machine, rings);
}

}  // namespace archipelago::host
