// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/common/memory_image.h"
#include "models/gcn/si/front_end.h"
#include "models/ih/ih_core.h"
#include "registers/si_grbm.h"
#include "registers/si_ih.h"
#include "registers/si_names.h"

namespace archipelago::ih {
namespace {

namespace si = regs::si;
namespace typed = regs::si::typed;

constexpr uint64_t kRing = 0x10000;
constexpr uint64_t kMirror = 0x20000;
constexpr unsigned kRingLog2 = 4;  // 16 dwords: four entries, three of them usable
constexpr uint32_t kRingBytes = 4u << kRingLog2;

Interrupt interrupt(uint8_t source, uint8_t ring = 0, uint8_t vmid = 0, uint32_t data = 0) {
    Interrupt i;
    i.source_id = source;
    i.ring = ring;
    i.vmid = vmid;
    i.data = data;
    return i;
}

// An interrupt handler with its registers, a memory and the host's end of the line, in either mode.
class Bench : public InterruptLine, public IhMemory {
  public:
    Bench() {
        memory.map(kRing, 0x1000);
        memory.map(kMirror, 0x1000);
    }
    ~Bench() override = default;
    virtual void write_reg(uint32_t offset, uint32_t value) = 0;
    virtual uint32_t read_reg(uint32_t offset) = 0;
    virtual void send(const Interrupt& i) = 0;
    virtual IhCore& ih() = 0;

    void raise(const Interrupt& i) override { raised.push_back(i); }
    bool write(uint64_t address, const void* from, unsigned bytes, uint8_t vmid) override {
        vmids.push_back(vmid);
        return memory.write(address, from, bytes);
    }

    static uint32_t control(unsigned log2 = kRingLog2) {
        return typed::IH_RB_CNTL{}
            .set_RB_ENABLE(1)
            .set_RB_SIZE(log2)
            .set_WPTR_OVERFLOW_ENABLE(1)
            .set_WPTR_WRITEBACK_ENABLE(1)
            .raw;
    }
    void setup(uint32_t rb_cntl = control(),
               uint32_t ih_cntl = typed::IH_CNTL{}.set_ENABLE_INTR(1).raw) {
        write_reg(si::IH_RB_CNTL, 0);
        write_reg(si::IH_RB_BASE, kRing >> 8);
        write_reg(si::IH_RB_WPTR_ADDR_LO, kMirror);
        write_reg(si::IH_RB_WPTR_ADDR_HI, 0);
        write_reg(si::IH_RB_RPTR, 0);
        write_reg(si::IH_RB_WPTR, 0);
        write_reg(si::IH_CNTL, ih_cntl);
        write_reg(si::IH_RB_CNTL, rb_cntl);
    }
    std::vector<uint32_t> entry(unsigned n) const {
        std::vector<uint32_t> words(4);
        memory.read(kRing + n * kEntryBytes, words.data(), kEntryBytes);
        return words;
    }
    uint32_t mirror() const {
        uint32_t value = 0;
        memory.read(kMirror, &value, 4);
        return value;
    }

    MemoryImage memory;
    std::vector<Interrupt> raised;
    std::vector<uint8_t> vmids;
};

class Timed : public Bench, public Clocked {
  public:
    Timed() : core(gcn::si::ih_spec()), requests_({2, 1}), answers_({4, 1}) {
        requests_.set_consumer(this);
        answers_.set_consumer(this);
        core.to_memory.connect(requests_);
        core.to_registers.connect(answers_);
        core.connect_line(*this);
        scheduler.add(core);
        scheduler.add(*this);
    }
    IhCore& ih() override { return core; }
    void write_reg(uint32_t offset, uint32_t value) override {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        core.registers.push(scheduler.now(), r);
        run();
    }
    uint32_t read_reg(uint32_t offset) override {
        RegRequest r;
        r.offset = offset;
        core.registers.push(scheduler.now(), r);
        run();
        return answer;
    }
    void send(const Interrupt& i) override {
        core.in.send(scheduler.now(), i);
        run();
    }
    void run() { scheduler.run(scheduler.now() + 100000); }
    bool tick(Cycle now) override {
        bool progress = false;
        if (answers_.can_pop(now)) {
            const RegResponse r = answers_.pop(now);
            answer = r.status == RegStatus::Ok ? r.value : 0xDEAD;
            progress = true;
        }
        if (!hold && requests_.can_pop(now) && core.from_memory.can_push(now)) {
            const MemRequest q = requests_.pop(now);
            MemResponse a;
            a.tag = q.tag;
            a.line = q.line;
            a.command = q.command;
            for (unsigned i = 0; i < kLineBytes; ++i)
                if ((q.byte_mask >> i & 1) != 0 && !memory.write(q.line + i, &q.data[i], 1))
                    a.status = MemStatus::Unmapped;
            vmids.push_back(q.vmid);
            times.push_back(now);
            core.from_memory.push(now, a);
            progress = true;
        }
        return progress;
    }
    IhCore core;
    Scheduler scheduler;
    bool hold = false;
    uint32_t answer = 0;
    std::vector<Cycle> times;

  private:
    Channel<MemRequest> requests_;
    Channel<RegResponse> answers_;
};

class Functional : public Bench {
  public:
    Functional() : core(gcn::si::ih_spec()) {
        core.connect_line(*this);
        core.attach(*this);
    }
    IhCore& ih() override { return core; }
    void write_reg(uint32_t offset, uint32_t value) override {
        RegRequest r;
        r.offset = offset;
        r.value = value;
        r.write = true;
        core.write_register(r);
    }
    uint32_t read_reg(uint32_t offset) override {
        RegRequest r;
        r.offset = offset;
        uint32_t value = 0xDEAD;
        core.read_register(r, value);
        return value;
    }
    void send(const Interrupt& i) override { core.take(i); }
    IhCore core;
};

class Both : public ::testing::TestWithParam<bool> {
  protected:
    Both() {
        if (GetParam())
            bench = std::make_unique<Timed>();
        else
            bench = std::make_unique<Functional>();
    }
    void read_error(const ReadError& error) {
        if (auto* timed = dynamic_cast<Timed*>(bench.get())) {
            timed->core.read_errors.send(timed->scheduler.now(), error);
            timed->run();
        } else {
            bench->ih().read_error(error);
        }
    }
    std::unique_ptr<Bench> bench;
};

std::string stop_text(const std::function<void()>& f) {
    try {
        f();
    } catch (const MachineStop& stop) {
        return stop.what();
    }
    return "";
}

// ---- the graphics engine ------------------------------------------------------------------------

constexpr uint32_t kIdleEnable = typed::GRBM_INT_CNTL{}.set_GUI_IDLE_INT_ENABLE(1).raw;
constexpr uint32_t kReadErrorEnable = typed::GRBM_INT_CNTL{}.set_RDERR_INT_ENABLE(1).raw;

TEST(GuiIdle, ComesOnceWhenAllSignalsHaveBeenLowForAsLongAsAWriteTravels) {
    Timed b;
    Wire<bool> cp, spi;
    b.core.watch_engine({&cp, &spi}, 10);
    const auto set = [&](Wire<bool>& wire, Cycle at, bool level) {
        b.scheduler.run(at);
        wire.set(at, level);
    };
    b.write_reg(si::GRBM_INT_CNTL, kIdleEnable);
    EXPECT_EQ(b.read_reg(si::GRBM_INT_CNTL), kIdleEnable);
    Cycle at = b.scheduler.now() + 100;
    set(cp, at, true);
    set(cp, at + 20, false);
    set(spi, at + 28, true);  // before the write was there
    set(spi, at + 60, false);
    b.scheduler.run(at + 70);  // low from + 61 on
    EXPECT_TRUE(b.raised.empty());
    b.scheduler.run(at + 71);
    ASSERT_EQ(b.raised.size(), 1u);
    EXPECT_EQ(b.raised[0].source_id, 233);
    b.run();
    EXPECT_EQ(b.raised.size(), 1u) << "once for each time";
    at = b.scheduler.now() + 1000;
    set(spi, at, true);
    set(spi, at + 1, false);
    b.run();
    EXPECT_EQ(b.raised.size(), 2u);
    b.setup();
    at = b.scheduler.now() + 1000;
    set(cp, at, true);
    set(cp, at + 50, false);
    b.run();
    EXPECT_EQ(b.entry(0), (std::vector<uint32_t>{233, 0, 0, 0}));
}

TEST(GuiIdle, WakesNoUnitWhileItIsOff) {
    Timed b;
    Wire<bool> cp;
    b.core.watch_engine({&cp}, 10);
    const auto toggle = [&] {
        const uint64_t ticks = b.scheduler.ticks();
        for (unsigned n = 0; n < 100; ++n) {
            cp.set(b.scheduler.now(), n % 2 == 0);
            b.scheduler.run(b.scheduler.now() + 1);
        }
        b.run();
        return b.scheduler.ticks() - ticks;
    };
    EXPECT_LE(toggle(), 2u);
    EXPECT_TRUE(b.raised.empty());
    b.write_reg(si::GRBM_INT_CNTL, kIdleEnable);
    EXPECT_GT(toggle(), 50u);
    EXPECT_EQ(b.raised.size(), 1u);
    b.write_reg(si::GRBM_INT_CNTL, 0);
    EXPECT_LE(toggle(), 2u);
    b.write_reg(si::GRBM_INT_CNTL, kIdleEnable);
    b.core.reset();
    toggle();
    EXPECT_EQ(b.raised.size(), 1u);
}

TEST(GuiIdle, WithoutTimeItComesWhenNothingIsLeft) {
    Functional b;
    b.core.engine_idle();
    EXPECT_TRUE(b.raised.empty());
    b.write_reg(si::GRBM_INT_CNTL, kIdleEnable);
    b.core.engine_idle();
    ASSERT_EQ(b.raised.size(), 1u);
    EXPECT_EQ(b.raised[0].source_id, 233);
}

TEST_P(Both, ReadsOfUnknownRegistersAreKeptAndRaiseAnInterruptWhenEnabled) {
    const auto read = [&](uint32_t offset) { read_error({offset, kRegFromCp}); };
    read(0x2A34C);
    EXPECT_EQ(bench->read_reg(si::GRBM_READ_ERROR), 0x8002A34Cu);
    EXPECT_TRUE(bench->raised.empty());
    bench->write_reg(si::GRBM_READ_ERROR, 0);
    EXPECT_EQ(bench->read_reg(si::GRBM_READ_ERROR), 0u);
    bench->write_reg(si::GRBM_INT_CNTL, kReadErrorEnable);
    read(0x8FF8);
    EXPECT_EQ(bench->read_reg(si::GRBM_READ_ERROR), 0x80008FF8u);
    ASSERT_EQ(bench->raised.size(), 1u);
    EXPECT_EQ(bench->raised[0].source_id, 232);
    bench->setup();
    read(0xFFFC);
    EXPECT_EQ(bench->entry(0), (std::vector<uint32_t>{232, 0, 0, 0}));
    EXPECT_EQ(bench->read_reg(si::SRBM_READ_ERROR), 0u);
}

TEST_P(Both, ReadsOutsideTheGraphicsRegistersAreTheSystemBussOnceUntilAcknowledged) {
    read_error({0x7FFC, kRegFromHost});
    EXPECT_EQ(bench->read_reg(si::SRBM_READ_ERROR), 0x81007FFCu);  // the host interface asked
    EXPECT_EQ(bench->read_reg(si::SRBM_INT_STATUS), 1u);
    EXPECT_TRUE(bench->raised.empty());
    bench->write_reg(si::SRBM_INT_STATUS, 0);
    EXPECT_EQ(bench->read_reg(si::SRBM_INT_STATUS), 1u) << "read only";
    bench->write_reg(si::SRBM_INT_CNTL, 1);
    bench->write_reg(si::SRBM_INT_ACK, 1);
    EXPECT_EQ(bench->read_reg(si::SRBM_INT_STATUS), 0u);
    read_error({0x10000, kRegFromCp});
    EXPECT_EQ(bench->read_reg(si::SRBM_READ_ERROR), 0x82010000u);  // GRBM asked
    ASSERT_EQ(bench->raised.size(), 1u);
    EXPECT_EQ(bench->raised[0].source_id, 96);
    read_error({0x3000, kRegFromCp});
    EXPECT_EQ(bench->read_reg(si::SRBM_READ_ERROR), 0x82003000u);
    EXPECT_EQ(bench->raised.size(), 1u);
    bench->write_reg(si::SRBM_INT_ACK, 1);
    read_error({0x3000, kRegFromCp});
    EXPECT_EQ(bench->raised.size(), 2u);
    EXPECT_EQ(bench->read_reg(si::GRBM_READ_ERROR), 0u);
}

TEST_P(Both, WithoutARingInterruptsGoToTheHostAsTheyAre) {
    bench->send(interrupt(181, 2, 5, 7));
    ASSERT_EQ(bench->raised.size(), 1u);
    EXPECT_EQ(bench->raised[0].source_id, 181);
    EXPECT_EQ(bench->raised[0].ring, 2);
    EXPECT_TRUE(bench->vmids.empty());
    EXPECT_TRUE(bench->ih().idle());
}

TEST_P(Both, AnEntryHoldsSourceDataRingAndVmid) {
    bench->setup();
    bench->send(interrupt(177, 1, 9, 0xFABCDEF0));
    EXPECT_EQ(bench->entry(0), (std::vector<uint32_t>{177, 0xABCDEF0, 0x901, 0}));
    EXPECT_EQ(bench->read_reg(si::IH_RB_WPTR), 16u);
    EXPECT_EQ(bench->mirror(), 16u);
    ASSERT_EQ(bench->raised.size(), 1u);
    EXPECT_EQ(bench->raised[0].source_id, 177);
    EXPECT_TRUE(bench->ih().idle());
}

TEST_P(Both, TheRingWrapsAtItsSize) {
    bench->setup();
    for (unsigned i = 0; i < 6; ++i) {
        bench->send(interrupt(static_cast<uint8_t>(10 + i)));
        bench->write_reg(si::IH_RB_RPTR, bench->read_reg(si::IH_RB_WPTR));
    }
    EXPECT_EQ(bench->read_reg(si::IH_RB_WPTR), 6 * kEntryBytes % kRingBytes);
    EXPECT_EQ(bench->entry(0)[0], 14u);
    EXPECT_EQ(bench->entry(1)[0], 15u);
    EXPECT_EQ(bench->entry(2)[0], 12u);
    EXPECT_EQ(bench->ih().state().overwritten, 0u);
}

TEST_P(Both, AFullRingOverwritesTheOldestAndSaysSo) {
    bench->setup();
    for (unsigned i = 0; i < 5; ++i)
        bench->send(interrupt(static_cast<uint8_t>(10 + i)));
    const typed::IH_RB_WPTR pointer{bench->read_reg(si::IH_RB_WPTR)};
    EXPECT_EQ(pointer.RB_OVERFLOW(), 1u);
    EXPECT_EQ(pointer.OFFSET() * 4, 16u);
    EXPECT_EQ(bench->mirror(), pointer.raw);
    EXPECT_EQ(bench->entry(0)[0], 14u);
    EXPECT_EQ(typed::IH_STATUS{bench->read_reg(si::IH_STATUS)}.RB_OVERFLOW(), 1u);
    // The host's way out: the first whole entry is after the pointer; then the bit is cleared.
    bench->write_reg(si::IH_RB_RPTR, (16 + kEntryBytes) % kRingBytes);
    bench->write_reg(si::IH_RB_CNTL,
                     typed::IH_RB_CNTL{Bench::control()}.set_WPTR_OVERFLOW_CLEAR(1).raw);
    EXPECT_EQ(bench->read_reg(si::IH_RB_WPTR), 16u);
    EXPECT_EQ(bench->read_reg(si::IH_RB_CNTL), Bench::control());
}

TEST_P(Both, WithoutOverflowEntriesWaitForRoom) {
    bench->setup(typed::IH_RB_CNTL{Bench::control()}.set_WPTR_OVERFLOW_ENABLE(0).raw);
    for (unsigned i = 0; i < 5; ++i)
        bench->send(interrupt(static_cast<uint8_t>(10 + i)));
    EXPECT_EQ(bench->read_reg(si::IH_RB_WPTR), 48u);
    EXPECT_EQ(bench->raised.size(), 3u);
    EXPECT_EQ(typed::IH_STATUS{bench->read_reg(si::IH_STATUS)}.RB_FULL(), 1u);
    EXPECT_NE(bench->ih().waiting_for().find("2 entries wait for the host"), std::string::npos)
        << bench->ih().waiting_for();
    bench->write_reg(si::IH_RB_RPTR, 48);
    EXPECT_EQ(bench->raised.size(), 5u);
    EXPECT_EQ(bench->read_reg(si::IH_RB_WPTR), 5 * kEntryBytes % kRingBytes);
    EXPECT_EQ(bench->ih().waiting_for(), "");
}

// A host that never moves its pointer: what waits is bounded, and what is lost is counted.
TEST(IhFifo, AStormIntoAFullRingIsHeldAndThenLostByNumber) {
    Timed bench;
    bench.setup(typed::IH_RB_CNTL{Bench::control()}.set_WPTR_OVERFLOW_ENABLE(0).raw);
    StatsRegistry stats;
    bench.core.register_stats(stats, "ih");
    const IhSpec spec;
    for (unsigned i = 0; i < spec.fifo + 100; ++i) {
        // Three are in the ring.
        EXPECT_EQ(bench.core.hold_shaders.latest(), i >= 3 + spec.high_water) << i;
        EXPECT_EQ(bench.core.hold_end_of_pipe.latest(), i >= 3 + spec.high_water) << i;
        bench.send(interrupt(181));
    }
    EXPECT_EQ(bench.core.state().waiting.size(), spec.fifo);
    EXPECT_EQ(bench.core.state().lost, 97u);
    EXPECT_EQ(bench.raised.size(), 3u);
    // The host goes round its ring until nothing waits.
    for (unsigned i = 0; i < 200; ++i)
        bench.write_reg(si::IH_RB_RPTR, bench.read_reg(si::IH_RB_WPTR));
    EXPECT_EQ(bench.raised.size(), 3 + spec.fifo);
    EXPECT_FALSE(bench.core.hold_shaders.latest());
}

TEST(IhFifo, WithoutTimeAFullFifoIsAHang) {
    Functional bench;
    bench.setup(typed::IH_RB_CNTL{Bench::control()}.set_WPTR_OVERFLOW_ENABLE(0).raw);
    const std::string text = stop_text([&] {
        for (unsigned i = 0; i < 4 + IhSpec{}.fifo; ++i)
            bench.send(interrupt(181));
    });
    EXPECT_NE(text.find("wait for the host to move IH_RB_RPTR"), std::string::npos) << text;
}

TEST(IhFifo, EntriesOverwrittenBeforeTheirInterruptRaiseNothing) {
    Timed bench;
    bench.setup(typed::IH_RB_CNTL{Bench::control()}.set_WPTR_WRITEBACK_TIMER(16).raw);
    for (unsigned i = 0; i < 50; ++i)
        bench.core.in.send(bench.scheduler.now(), interrupt(181));
    bench.scheduler.run(bench.scheduler.now() + 1000);
    EXPECT_EQ(bench.core.state().entries, 50u);
    EXPECT_LE(bench.core.state().unnoticed.size(), 3u);
    bench.run();
    EXPECT_EQ(bench.raised.size(), 3u);
}

TEST_P(Both, WithoutWriteBackThePointerStaysInItsRegister) {
    bench->setup(typed::IH_RB_CNTL{Bench::control()}.set_WPTR_WRITEBACK_ENABLE(0).raw);
    bench->send(interrupt(181));
    EXPECT_EQ(bench->read_reg(si::IH_RB_WPTR), 16u);
    EXPECT_EQ(bench->mirror(), 0u);
    EXPECT_EQ(bench->raised.size(), 1u);
}

TEST_P(Both, WithoutEnableIntrTheRingFillsInSilence) {
    bench->setup(Bench::control(), 0);
    bench->send(interrupt(181));
    EXPECT_EQ(bench->mirror(), 16u);
    EXPECT_TRUE(bench->raised.empty());
}

TEST_P(Both, RptrRearmRaisesOncePerMoveOfTheReadPointer) {
    bench->setup(Bench::control(), typed::IH_CNTL{}.set_ENABLE_INTR(1).set_RPTR_REARM(1).raw);
    bench->send(interrupt(1));
    bench->send(interrupt(2));
    EXPECT_EQ(bench->raised.size(), 1u);
    bench->write_reg(si::IH_RB_RPTR, 32);
    bench->send(interrupt(3));
    ASSERT_EQ(bench->raised.size(), 2u);
    EXPECT_EQ(bench->raised[1].source_id, 3);
}

TEST_P(Both, McSwapAppliesToEntriesAndPointer) {
    const struct {
        uint32_t code;
        uint32_t source, pointer;
    } cases[] = {{1, 0xB500, 0x1000}, {2, 0xB5000000, 0x10000000}};
    for (const auto& c : cases) {
        bench->setup(Bench::control(), typed::IH_CNTL{}.set_ENABLE_INTR(1).set_MC_SWAP(c.code).raw);
        bench->send(interrupt(181));
        EXPECT_EQ(bench->entry(0)[0], c.source);
        EXPECT_EQ(bench->mirror(), c.pointer);
    }
}

TEST_P(Both, McSwapOfQwordsNeedsAPointerThatStays) {
    const uint32_t swap3 = typed::IH_CNTL{}.set_ENABLE_INTR(1).set_MC_SWAP(3).raw;
    bench->setup(typed::IH_RB_CNTL{Bench::control()}.set_WPTR_WRITEBACK_ENABLE(0).raw, swap3);
    bench->send(interrupt(181, 1, 2, 3));
    EXPECT_EQ(bench->entry(0), (std::vector<uint32_t>{0x03000000, 0xB5000000, 0, 0x01020000}));
    EXPECT_NE(stop_text([&] {
                  bench->write_reg(si::IH_RB_CNTL, Bench::control());
              }).find("MC_SWAP 8IN64 is not implemented"),
              std::string::npos);
}

TEST_P(Both, WritesGoToTheAddressSpaceOfMcVmid) {
    bench->setup(Bench::control(), typed::IH_CNTL{}.set_ENABLE_INTR(1).set_MC_VMID(6).raw);
    bench->send(interrupt(181));
    EXPECT_EQ(bench->vmids, (std::vector<uint8_t>{6, 6}));
}

TEST_P(Both, RegistersKeepWhatTheyAreFor) {
    bench->write_reg(si::INTERRUPT_CNTL, 0x108);
    bench->write_reg(si::INTERRUPT_CNTL2, 0x1234);
    bench->write_reg(si::IH_RB_RPTR, 0xFFFFFFFF);
    bench->write_reg(si::IH_STATUS, 0);
    EXPECT_EQ(bench->read_reg(si::INTERRUPT_CNTL), 0x108u);
    EXPECT_EQ(bench->read_reg(si::INTERRUPT_CNTL2), 0x1234u);
    EXPECT_EQ(bench->read_reg(si::IH_RB_RPTR), 0x3FFFCu);
    EXPECT_EQ(typed::IH_STATUS{bench->read_reg(si::IH_STATUS)}.IDLE(), 1u);
    EXPECT_EQ(bench->read_reg(0x3E40), 0xDEADu);
}

TEST_P(Both, SetupsThatCannotBeStopByName) {
    EXPECT_NE(stop_text([&] { bench->setup(Bench::control(2)); }).find("a ring of 2^2 dwords"),
              std::string::npos);
    EXPECT_NE(stop_text([&] { bench->setup(Bench::control(17)); }).find("a ring of 2^17 dwords"),
              std::string::npos);
    const typed::IH_RB_CNTL good{Bench::control()};
    EXPECT_NE(stop_text([&] {
                  bench->setup(typed::IH_RB_CNTL{good}.set_RB_GPU_TS_ENABLE(1).raw);
              }).find("RB_GPU_TS_ENABLE is not implemented"),
              std::string::npos);
    EXPECT_NE(stop_text([&] {
                  bench->setup(typed::IH_RB_CNTL{good}.set_RB_FULL_DRAIN_ENABLE(1).raw);
              }).find("RB_FULL_DRAIN_ENABLE is not implemented"),
              std::string::npos);
    EXPECT_NE(stop_text([&] {
                  bench->write_reg(si::IH_PERFMON_CNTL, 1);
              }).find("IH_PERFMON_CNTL are not implemented"),
              std::string::npos);
}

TEST_P(Both, ARingInUnmappedMemoryIsAFault) {
    bench->setup();
    bench->write_reg(si::IH_RB_BASE, 0x900000 >> 8);
    const std::string text = stop_text([&] { bench->send(interrupt(181)); });
    EXPECT_NE(text.find("write of the interrupt ring to unmapped address 0x900000"),
              std::string::npos)
        << text;
}

INSTANTIATE_TEST_SUITE_P(Modes, Both, ::testing::Bool(),
                         [](const ::testing::TestParamInfo<bool>& i) {
                             return i.param ? "Cycle" : "Functional";
                         });

TEST(IhTiming, TheHostHearsOfAnEntryWhenEntryAndPointerAreInMemory) {
    Timed bench;
    bench.setup();
    bench.hold = true;
    bench.send(interrupt(181));
    EXPECT_TRUE(bench.raised.empty());
    EXPECT_FALSE(bench.core.idle());
    EXPECT_EQ(bench.core.waiting_for(), "interrupt ring: waits for memory to take an entry");
    EXPECT_EQ(bench.read_reg(si::IH_RB_WPTR), 0u);
    bench.hold = false;
    bench.wake_at(0);
    bench.run();
    EXPECT_EQ(bench.raised.size(), 1u);
    ASSERT_EQ(bench.times.size(), 2u);
}

TEST(IhTiming, TheWriteBackTimerCountsPowersOfTwo) {
    Timed bench;
    bench.setup(typed::IH_RB_CNTL{Bench::control()}.set_WPTR_WRITEBACK_TIMER(6).raw);
    bench.send(interrupt(181));
    ASSERT_EQ(bench.times.size(), 2u);
    // The entry is acknowledged a cycle after memory has it; the pointer is sent 64 cycles later
    // and reaches memory after one more.
    EXPECT_EQ(bench.times[1] - bench.times[0], 1 + 64 + 1u);
}

}  // namespace
}  // namespace archipelago::ih
