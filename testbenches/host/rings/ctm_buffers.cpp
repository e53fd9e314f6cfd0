// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/rings/ctm_buffers.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/ctm/pe/registers.h"
#include "testbenches/host/machine.h"

namespace archipelago::host {
namespace {

constexpr uint64_t kArenaBytes =
    256 * 1024;                        // of command buffers, used again once all are consumed
constexpr uint64_t kBufferAlign = 64;  // a line: what the processor reads at a time
// Processors that go idle raise no interrupt: cycles between two looks at them.
constexpr uint64_t kIdlePoll = 100;

class CtmBuffers : public RingDriver {
  public:
    explicit CtmBuffers(Machine& machine) : machine_(machine) {}

    void bring_up() override {}
    void submit(unsigned ring, const std::vector<uint32_t>& dwords) override;
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) override;
    void set_program_info(unsigned, const ProgramInfo& info) override { info_ = info; }
    // Nothing is put behind the buffers: caches are the workload's to flush.
    void fence(unsigned) override {}
    void wait(unsigned ring) override;
    uint64_t fences(const std::string&) const override { return 0; }
    void archive(Archive& a) override {
        a(submitted_, arena_, arena_bytes_, used_, info_.full_flow_control, info_.uncached_outputs);
    }

  private:
    uint64_t place(uint64_t bytes);
    void wait_consumed();

    Machine& machine_;
    uint32_t submitted_ = 0;  // buffers; the number of the last
    uint64_t arena_ = 0;
    uint64_t arena_bytes_ = 0;
    uint64_t used_ = 0;  // of the arena, by buffers that may not have been consumed
    ProgramInfo info_;
};

void CtmBuffers::wait_consumed() {
    machine_.wait_until([this] { return machine_.read_register(ctm::kCbConsumed) == submitted_; },
                        "command buffer " + std::to_string(submitted_) + " to be consumed");
}

// Room for a buffer. One that is being read is not written over.
uint64_t CtmBuffers::place(uint64_t bytes) {
    const uint64_t need = (bytes + kBufferAlign - 1) & ~(kBufferAlign - 1);
    if (used_ + need > arena_bytes_) {
        if (submitted_ != 0)
            wait_consumed();
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

void CtmBuffers::submit(unsigned, const std::vector<uint32_t>& dwords) {
    const uint64_t bytes = dwords.size() * 4;
    const uint64_t address = place(bytes);
    machine_.memory().write(address, dwords.data(), bytes);
    submit_ib(0, address, static_cast<uint32_t>(dwords.size()), 0);
}

// A buffer that is in memory already.
void CtmBuffers::submit_ib(unsigned, uint64_t address, uint32_t dwords, uint32_t vmid) {
    if (vmid != 0)
        throw std::invalid_argument("ring ctm: command buffers have no VMID");
    if (address > ~uint32_t{0})
        throw std::invalid_argument("ring ctm: addresses of command buffers have 32 bits");
    ++submitted_;
    machine_.write_register(ctm::kProgInfo,
                            (info_.full_flow_control ? ctm::kFullFlowControl : 0) |
                                (info_.uncached_outputs ? ctm::kUncachedOutputs : 0));
    machine_.write_register(ctm::kCbAddress, static_cast<uint32_t>(address));
    machine_.write_register(ctm::kCbSize, dwords * 4);
}

void CtmBuffers::wait(unsigned) {
    if (submitted_ == 0)
        return;
    wait_consumed();
    machine_.wait_until([this] { return machine_.read_register(ctm::kStatus) == 0; },
                        "the processors to be idle", kIdlePoll);
}

}  // namespace

std::unique_ptr<RingDriver> make_ctm_buffers(Machine& machine, unsigned rings) {
    if (rings != 1)
        throw std::invalid_argument("a CTM chip takes one row of command buffers");
    return std::make_unique<CtmBuffers>(machine);
}

}  // namespace archipelago::host
