// SPDX-License-Identifier: Apache-2.0
// Command processor after the real register bus: the driver's bring-up and ring test as it does
// them, and CP reading its own and the bus's registers.
#include <gtest/gtest.h>

#include <cstring>
#include <deque>

#include "models/common/memory_image.h"
#include "models/cp/cp_core.h"
#include "models/cp/registers/si/si_registers.h"
#include "models/gcn/si/front_end.h"
#include "models/grbm/grbm_core.h"
#include "registers/si_names.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test::bus_test {
namespace {

// CP, GRBM, a memory without bandwidth limits, and a host at the bus.
class Chip : public Clocked {
  public:
    Chip()
        : cp(si_spec()),
          grbm(gcn::si::grbm_spec()),
          hub_({8, 1}),
          l2_({8, 1}),
          caches_({2, 1}),
          spi_({4, 1}),
          answers_({4, 1}) {
        grbm.to_port[gcn::si::bus::kCp].connect(cp.register_request());
        grbm.to_port[gcn::si::bus::kSpi].connect(spi_);
        cp.to_register_response().connect(grbm.response[gcn::si::bus::kCp]);
        cp.to_register_bus().connect(grbm.request[kRegFromCp]);
        grbm.to_source[kRegFromCp].connect(cp.register_bus_response());
        grbm.to_source[kRegFromHost].connect(answers_);
        grbm.request[kRegFromHost].set_producer(this);
        cp.to_hub().connect(hub_);
        cp.to_l2().connect(l2_);
        cp.to_caches().connect(caches_);
        cp.to_interrupt().connect(interrupt);
        for (const Wire<bool>* wire : cp.busy_wires())
            grbm.add_busy(grbm::Status::Status, 29, wire);
        hub_.set_consumer(this);
        l2_.set_consumer(this);
        caches_.set_consumer(this);
        spi_.set_consumer(this);
        answers_.set_consumer(this);
        interrupt.set_consumer(this);
        scheduler.add(*this);
        scheduler.add(grbm);
        cp.add_to(scheduler);
        memory.map(0x100000, 0x10000);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        if (!todo_.empty() && grbm.request[kRegFromHost].can_push(now)) {
            grbm.request[kRegFromHost].push(now, todo_.front());
            todo_.pop_front();
            progress = true;
        }
        if (answers_.can_pop(now)) {
            answer_ = answers_.pop(now).value;
            progress = true;
        }
        progress |= serve(now, hub_, cp.hub_response());
        progress |= serve(now, l2_, cp.l2_response());
        if (caches_.can_pop(now) && cp.cache_done().can_push(now)) {
            cp.cache_done().push(now, {caches_.pop(now).tag});
            progress = true;
        }
        if (spi_.can_pop(now) && cp.event_done().can_push(now)) {
            const RegRequest r = spi_.pop(now);
            if (r.offset == si::VGT_EVENT_INITIATOR)
                cp.event_done().push(now, {r.ring, static_cast<uint8_t>(r.value)});
            progress = true;
        }
        while (interrupt.ready(now)) {
            interrupt.take();
            ++interrupts;
            progress = true;
        }
        return progress;
    }
    void write(uint32_t offset, uint32_t value) {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        go(r);
    }
    uint32_t read(uint32_t offset) {
        RegRequest r;
        r.offset = offset;
        go(r);
        return answer_;
    }
    void ring(const std::vector<uint32_t>& words) {
        memory.write(0x100000 + 4 * tail_, words.data(), 4 * words.size());
        tail_ += static_cast<uint32_t>(words.size());
        write(si::CP_RB0_WPTR, tail_);
    }

    Scheduler scheduler;
    MemoryImage memory;
    CpCore cp;
    grbm::GrbmCore grbm;
    EventLink<Interrupt> interrupt;
    unsigned interrupts = 0;

  private:
    void go(const RegRequest& r) {
        todo_.push_back(r);
        wake_at(0);
        scheduler.run(scheduler.now() + 20000);
    }
    bool serve(Cycle now, Channel<MemRequest>& in, Channel<MemResponse>& out) {
        if (!in.can_pop(now) || !out.can_push(now))
            return false;
        const MemRequest q = in.pop(now);
        MemResponse r;
        r.tag = q.tag;
        r.line = q.line;
        r.status =
            memory.read(q.line, r.data.data(), kLineBytes) ? MemStatus::Ok : MemStatus::Unmapped;
        if (q.command == MemCommand::Write) {
            for (unsigned i = 0; i < kLineBytes; ++i)
                if ((q.byte_mask >> i & 1) != 0)
                    r.data[i] = q.data[i];
            memory.write(q.line, r.data.data(), kLineBytes);
        }
        out.push(now, r);
        return true;
    }
    Channel<MemRequest> hub_, l2_;
    Channel<CacheAction> caches_;
    Channel<RegRequest> spi_;
    Channel<RegResponse> answers_;
    std::deque<RegRequest> todo_;
    uint32_t answer_ = 0;
    uint32_t tail_ = 0;
};

void bring_up(Chip& chip) {
    chip.write(si::CP_ME_CNTL, 0x15000000);  // all halted
    for (uint32_t i = 0; i < 16; ++i) {
        chip.write(si::CP_PFP_UCODE_DATA, i);
        chip.write(si::CP_ME_RAM_DATA, i);
    }
    chip.write(si::CP_SEM_WAIT_TIMER, 0);
    chip.write(si::CP_RB0_CNTL, 9 | 8 << 8 | 0x80000000u);
    chip.write(si::CP_RB0_WPTR, 0);
    chip.write(si::CP_RB0_RPTR_ADDR, 0x108000);
    chip.write(si::CP_RB0_CNTL, 9 | 8 << 8);
    chip.write(si::CP_RB0_BASE, 0x100000 >> 8);
    chip.write(si::CP_INT_CNTL_RING0, 1u << 26);
    chip.write(si::CP_ME_CNTL, 0);
}

TEST(CpOnTheBus, TheRingTestOfTheDriverPasses) {
    Chip chip;
    bring_up(chip);
    chip.write(si::SCRATCH_REG0, 0xCAFEDEAD);
    EXPECT_EQ(chip.read(si::SCRATCH_REG0), 0xCAFEDEADu);
    chip.ring(set_config(si::SCRATCH_REG0, {0xDEADBEEF}));
    EXPECT_EQ(chip.read(si::SCRATCH_REG0), 0xDEADBEEFu);
    EXPECT_EQ(chip.read(si::CP_RB0_RPTR), 3u);
    EXPECT_EQ(chip.read(si::GRBM_STATUS), 0x3000u);  // idle
}

TEST(CpOnTheBus, MeReadsRegistersOfBothBlocksAndOfTheStore) {
    Chip chip;
    bring_up(chip);
    chip.ring(
        set_config(si::SCRATCH_REG0, {0x11}) + set_context(0x28350, {0x22}) +
        packet("WAIT_REG_MEM", {3, si::SCRATCH_REG0 / 4, 0, 0x11, ~0u, 4}) +
        packet("WAIT_REG_MEM", {3, 0x28350 / 4, 0, 0x22, ~0u, 4}) +
        packet("WAIT_REG_MEM", {3, si::GRBM_STATUS / 4, 0, 1u << 29, 1u << 29, 4}) +  // CP is busy
        eop(0x108010, 1, 2, 99));
    uint32_t fence = 0;
    chip.memory.read(0x108010, &fence, 4);
    EXPECT_EQ(fence, 99u);
    EXPECT_EQ(chip.interrupts, 1u);
    EXPECT_TRUE(chip.cp.idle()) << chip.cp.waiting_for();
    EXPECT_TRUE(chip.grbm.idle());
}

TEST(CpOnTheBus, ARegisterThatNeverComesIsNamedInTheHangReport) {
    Chip chip;
    bring_up(chip);
    chip.ring(packet("WAIT_REG_MEM", {3, si::SCRATCH_REG5 / 4, 0, 1, ~0u, 4}));
    EXPECT_FALSE(chip.cp.idle());
    EXPECT_EQ(chip.cp.waiting_for(),
              "ring gfx: ME waits for WAIT_REG_MEM register 0x8514 == 0x1 (last 0x0) at ring gfx "
              "dword 0");
    EXPECT_EQ(chip.read(si::GRBM_STATUS), 0x3000u | 1u << 29 | 1u << 31);
}

}  // namespace
}  // namespace archipelago::cp::test::bus_test
