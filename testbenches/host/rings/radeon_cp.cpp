// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/rings/radeon_cp.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/cp/ce_spec.h"
#include "models/cp/pm4/packet_writer.h"
#include "models/cp/pm4/text.h"
#include "models/gb/gb_spec.h"
#include "models/gcn/vgt_event.h"
#include "models/ih/ih_spec.h"
#include "registers/si_compute.h"
#include "registers/si_cp.h"
#include "registers/si_grbm.h"
#include "registers/si_names.h"
#include "registers/si_srbm.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/interrupt_ring.h"
#include "testbenches/host/rings/soft_reset.h"
#include "testbenches/host/whole_packets.h"

namespace archipelago::host {
namespace {

namespace r = regs::si;
using Words = std::vector<uint32_t>;

constexpr unsigned kRings = 3;
constexpr unsigned kGraphicsRing = 0;

// Poll interval of a fence on a chip that raises no interrupt.
constexpr uint64_t kPollCycles = 1000;

struct RingRegisters {
    uint32_t base, cntl, rptr_addr, rptr_addr_hi, rptr, wptr;
};
constexpr RingRegisters kRingRegisters[kRings] = {
    {r::CP_RB0_BASE, r::CP_RB0_CNTL, r::CP_RB0_RPTR_ADDR, r::CP_RB0_RPTR_ADDR_HI, r::CP_RB0_RPTR,
     r::CP_RB0_WPTR},
    {r::CP_RB1_BASE, r::CP_RB1_CNTL, r::CP_RB1_RPTR_ADDR, r::CP_RB1_RPTR_ADDR_HI, r::CP_RB1_RPTR,
     r::CP_RB1_WPTR},
    {r::CP_RB2_BASE, r::CP_RB2_CNTL, r::CP_RB2_RPTR_ADDR, r::CP_RB2_RPTR_ADDR_HI, r::CP_RB2_RPTR,
     r::CP_RB2_WPTR},
};

// The least n with 2^n of at least `value`.
uint32_t log2_up(uint64_t value) {
    uint32_t n = 0;
    while ((uint64_t{1} << n) < value)
        ++n;
    return n;
}

// Waits for the shaders that `event`, one of *_PARTIAL_FLUSH, is about.
void wait_for_shaders(cp::PacketWriter& p, uint8_t event) {
    p.packet("EVENT_WRITE").set("EVENT_TYPE", event).set("EVENT_INDEX", 4);
}

// L2 is written back, too.
void sync_caches(cp::PacketWriter& p, KernelSync sync = KernelSync::All) {
    if (sync == KernelSync::None)
        return;
    const uint32_t all = sync == KernelSync::All ? 1 : 0;
    p.packet("SURFACE_SYNC")
        .set("ENGINE", "ME")
        .set("COHER_CNTL", r::typed::CP_COHER_CNTL{}
                               .set_TC_ACTION_ENA(all)
                               .set_TCL1_ACTION_ENA(1)
                               .set_SH_KCACHE_ACTION_ENA(1)
                               .set_SH_ICACHE_ACTION_ENA(all)
                               .raw)
        .set("COHER_SIZE", 0xFFFFFFFF)
        .set("POLL_INTERVAL", 10);
}

class RadeonCp : public RingDriver {
  public:
    explicit RadeonCp(Machine& machine)
        : machine_(machine), language_(*machine.chip().description().spec<cp::Pm4Language>()) {}

    void bring_up() override;
    void submit(unsigned ring, const Words& dwords) override;
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) override;
    uint32_t fence(unsigned ring) override;
    bool passed(unsigned ring, uint32_t number) override {
        return has_passed(number, last_fence(rings_[ring]));
    }
    void wait(unsigned ring, uint32_t number) override;
    uint64_t fences(const std::string& interrupt) const override {
        uint64_t sum = 0;
        for (const Ring& ring : rings_)
            sum += last_fence(ring);
        return interrupt == "eop" ? sum : 0;
    }
    std::unique_ptr<HostKernel> load_kernel(const KernelSpec& spec,
                                            const HostKernel* same_code) override {
        return load_gcn_kernel(machine_, spec, same_code);
    }
    std::unique_ptr<KernelLaunch> wave_launch(const WaveSpec& spec, uint64_t code) override {
        return std::make_unique<GcnLaunch>(gcn_wave_launch(spec, code));
    }
    void launch(unsigned ring, const KernelLaunch& launch, uint32_t repeat) override;
    void archive(Archive& a) override { a(rings_, interrupts_); }
    void set_up_interrupt_ring(uint64_t address, uint64_t bytes) override {
        start_interrupt_ring(machine_, address, bytes);
    }
    void reset() override;

  private:
    struct Ring {
        uint64_t base = 0;
        uint64_t fence = 0;  // address of the fence value
        uint32_t wptr = 0;   // dwords
        uint32_t fence_value = 0;
    };
    void set_up_registers();
    void put(Ring& ring, const uint32_t* dwords, uint32_t count);
    uint32_t room(unsigned ring);
    // Number of the last fence of the ring that has passed; the one before has, by then.
    uint32_t last_fence(const Ring& ring) const {
        uint32_t seen = 0;
        machine_.memory().read(ring.fence, &seen, 4);
        return seen;
    }
    cp::PacketWriter write() const { return cp::PacketWriter(language_.packets); }

    Machine& machine_;
    const cp::Pm4Language& language_;
    Ring rings_[kRings];
    bool interrupts_ = false;  // the chip raises them
};

void RadeonCp::set_up_registers() {
    const asic::ChipDescription& chip = machine_.chip().description();
    machine_.write_register(r::GB_ADDR_CONFIG, chip.spec<gb::GbSpec>()->gb_addr_config);
    machine_.write_register(r::CP_ME_CNTL, 0);
    machine_.write_register(r::SCRATCH_UMSK, 0);
    // End-of-pipe interrupts of each ring.
    interrupts_ = chip.spec<ih::IhSpec>() != nullptr;
    const uint32_t int_cntl =
        r::typed::CP_INT_CNTL_RING0{}.set_TIME_STAMP_INT_ENABLE(interrupts_ ? 1 : 0).raw;
    for (const uint32_t cntl : {r::CP_INT_CNTL_RING0, r::CP_INT_CNTL_RING1, r::CP_INT_CNTL_RING2})
        machine_.write_register(cntl, int_cntl);
    for (unsigned i = 0; i < kRings; ++i) {
        Ring& ring = rings_[i];
        const RingRegisters& reg = kRingRegisters[i];
        if (ring.base == 0) {
            ring.base = machine_.allocate(uint64_t{kRadeonRingDwords} * 4);
            ring.fence = machine_.allocate(4096);
        }
        // The read pointer is reported in blocks of 4 KiB.
        auto cntl =
            r::typed::CP_RB0_CNTL{}.set_RB_BUFSZ(log2_up(kRadeonRingDwords / 2)).set_RB_BLKSZ(9);
        machine_.write_register(reg.cntl, cntl.set_RB_RPTR_WR_ENA(1).raw);
        machine_.write_register(reg.wptr, 0);
        machine_.write_register(reg.rptr_addr, static_cast<uint32_t>(ring.fence + 64) & ~3u);
        machine_.write_register(reg.rptr_addr_hi, static_cast<uint32_t>((ring.fence + 64) >> 32));
        machine_.write_register(reg.cntl, cntl.set_RB_RPTR_WR_ENA(0).raw);
        machine_.write_register(reg.base, static_cast<uint32_t>(ring.base >> 8));
    }
}

void RadeonCp::bring_up() {
    set_up_registers();
    cp::PacketWriter start = write();
    start.packet("ME_INITIALIZE")
        .set("DEFAULT_RESET_CONTROL", 1)
        .set("MAX_CONTEXT", 7)
        .set("DEVICE_ID", 1);
    if (machine_.chip().description().spec<cp::CeSpec>() != nullptr)  // partitions of its memory
        start.packet("SET_BASE")
            .set("BASE_INDEX", "CE_PARTITIONS")
            .set("CS1_INDEX", 0xC000)
            .set("CS2_INDEX", 0xE000);
    start.packet("PREAMBLE_CNTL").set("COMMAND", "CLEAR_STATE_BEGIN");
    start.packet("PREAMBLE_CNTL").set("COMMAND", "CLEAR_STATE_END");
    start.packet("CLEAR_STATE");
    start.packet("SET_CONTEXT_REG").registers(r::VGT_VERTEX_REUSE_BLOCK_CNTL, {0xE, 0x10});
    submit(0, start);
    for (unsigned i = 1; i < kRings; ++i)
        submit(i, write().packet("CLEAR_STATE").compute());
    for (unsigned i = 0; i < kRings; ++i)
        wait(i, fence(i));
}

// Halts the engines and holds every block in reset; the order is that of Linux radeon
// si_gpu_soft_reset().
void RadeonCp::reset() {
    machine_.write_register(
        r::CP_ME_CNTL, r::typed::CP_ME_CNTL{}.set_ME_HALT(1).set_PFP_HALT(1).set_CE_HALT(1).raw);
    soft_reset(machine_, r::GRBM_SOFT_RESET,
               r::typed::GRBM_SOFT_RESET{}
                   .set_SOFT_RESET_CP(1)
                   .set_SOFT_RESET_CB(1)
                   .set_SOFT_RESET_DB(1)
                   .set_SOFT_RESET_GDS(1)
                   .set_SOFT_RESET_PA(1)
                   .set_SOFT_RESET_SC(1)
                   .set_SOFT_RESET_BCI(1)
                   .set_SOFT_RESET_SPI(1)
                   .set_SOFT_RESET_SX(1)
                   .set_SOFT_RESET_TC(1)
                   .set_SOFT_RESET_TA(1)
                   .set_SOFT_RESET_VGT(1)
                   .set_SOFT_RESET_IA(1)
                   .raw);
    soft_reset(machine_, r::SRBM_SOFT_RESET,
               r::typed::SRBM_SOFT_RESET{}.set_SOFT_RESET_IH(1).set_SOFT_RESET_SEM(1).raw);
    for (Ring& ring : rings_)
        ring.wptr = 0;
}

uint32_t RadeonCp::room(unsigned index) {
    const Ring& ring = rings_[index];
    const uint32_t rptr =
        machine_.read_register(kRingRegisters[index].rptr) & (kRadeonRingDwords - 1);
    return (rptr - ring.wptr - 1) & (kRadeonRingDwords - 1);
}

void RadeonCp::put(Ring& ring, const uint32_t* dwords, uint32_t count) {
    while (count != 0) {
        const uint32_t piece = std::min(count, kRadeonRingDwords - ring.wptr);
        machine_.memory().write(ring.base + uint64_t{ring.wptr} * 4, dwords, size_t{piece} * 4);
        ring.wptr = (ring.wptr + piece) & (kRadeonRingDwords - 1);
        dwords += piece;
        count -= piece;
    }
}

void RadeonCp::submit(unsigned index, const std::vector<uint32_t>& dwords) {
    Ring& ring = rings_[index];
    // What fits the ring goes in one piece; more is cut into halves of the ring, between packets.
    size_t done = 0;
    while (done < dwords.size()) {
        const size_t want = dwords.size() < kRadeonRingDwords
                                ? dwords.size()
                                : whole_packets(language_, dwords, done, kRadeonRingDwords / 2,
                                                kRadeonRingDwords - 1);
        uint32_t have = room(index);
        if (have < want) {
            machine_.wait_until(
                [&] {
                    have = room(index);
                    return have >= want;
                },
                "room in ring " + std::to_string(index));
        }
        put(ring, dwords.data() + done, static_cast<uint32_t>(want));
        done += want;
        machine_.write_register(kRingRegisters[index].wptr, ring.wptr);
    }
}

void RadeonCp::submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) {
    submit(ring, write()
                     .packet("INDIRECT_BUFFER")
                     .address("IB_BASE", address)
                     .set("IB_SIZE", dwords)
                     .set("VMID", vmid));
}

// SURFACE_SYNC writes back what L2 holds, so all shaders end before it: those of draws first, as
// Mesa's radeonsi ends a submission (PS_PARTIAL_FLUSH waits for the vertex shaders, too).
uint32_t RadeonCp::fence(unsigned index) {
    Ring& ring = rings_[index];
    cp::PacketWriter p = write();
    if (index == kGraphicsRing)
        wait_for_shaders(p, vgt_event::kPsPartialFlush);
    wait_for_shaders(p, vgt_event::kCsPartialFlush);
    sync_caches(p);
    p.packet("EVENT_WRITE_EOP")
        .set("EVENT_TYPE", vgt_event::kCacheFlushAndInvTsEvent)
        .set("EVENT_INDEX", 5)
        .address("ADDRESS", ring.fence)
        .set("DATA_SEL", "DATA32")
        .set("INT_SEL", "ON_CONFIRM")
        .set("DATA_LO", ++ring.fence_value);
    submit(index, p);
    return ring.fence_value;
}

void RadeonCp::wait(unsigned index, uint32_t number) {
    machine_.wait_until([&] { return passed(index, number); },
                        "the fence of ring " + std::to_string(index),
                        interrupts_ ? 0 : kPollCycles);
}

void RadeonCp::launch(unsigned ring, const KernelLaunch& launch, uint32_t repeat) {
    const auto* const gcn = dynamic_cast<const GcnLaunch*>(&launch);
    if (gcn == nullptr)
        throw MachineStop(StopKind::Unimplemented, "host", "a kernel of another family");
    const std::vector<uint32_t> first = radeon_dispatch(language_.packets, *gcn, launch.first);
    const std::vector<uint32_t> next = radeon_dispatch(language_.packets, *gcn, launch.sync);
    for (uint32_t i = 0; i < repeat; ++i) {
        // One repetition sees what the one before wrote, unless nobody asks for that.
        if (i == 0 ? launch.waits : launch.sync != KernelSync::None) {
            cp::PacketWriter wait = write();
            wait_for_shaders(wait, vgt_event::kCsPartialFlush);
            submit(ring, wait);
        }
        submit(ring, i == 0 ? first : next);
    }
}

}  // namespace

std::vector<uint32_t> radeon_dispatch(const cp::PacketTable& packets, const GcnLaunch& l,
                                      KernelSync sync) {
    cp::PacketWriter p(packets);
    sync_caches(p, sync);
    const auto set = [&](uint32_t first, const Words& values) {
        p.packet("SET_SH_REG").compute().registers(first, values);
    };
    set(r::COMPUTE_START_X, {0, 0, 0});
    const bool partial = std::any_of(l.partial_size.begin(), l.partial_size.end(),
                                     [](uint32_t size) { return size != 0; });
    // With PARTIAL_TG_EN every dimension says how large its last group is.
    const auto threads = [&](unsigned i) {
        const uint32_t full = partial ? l.local_size[i] : 0;
        return r::typed::COMPUTE_NUM_THREAD_X{}
            .set_NUM_THREAD_FULL(l.local_size[i])
            .set_NUM_THREAD_PARTIAL(l.partial_size[i] != 0 ? l.partial_size[i] : full)
            .raw;
    };
    set(r::COMPUTE_NUM_THREAD_X, {threads(0), threads(1), threads(2)});
    set(r::COMPUTE_PGM_LO,
        {static_cast<uint32_t>(l.code >> 8), static_cast<uint32_t>(l.code >> 40)});
    set(r::COMPUTE_PGM_RSRC1, {l.rsrc1, l.rsrc2});
    set(r::COMPUTE_RESOURCE_LIMITS, {0, 0xFFFFFFFF, 0xFFFFFFFF});
    set(r::COMPUTE_TMPRING_SIZE, {r::typed::COMPUTE_TMPRING_SIZE{}
                                      .set_WAVES(l.scratch_waves)
                                      .set_WAVESIZE(l.scratch_bytes_per_wave / 1024)
                                      .raw});
    if (!l.user_sgprs.empty())
        set(r::COMPUTE_USER_DATA_0, l.user_sgprs);
    p.packet("DISPATCH_DIRECT")
        .compute()
        .set("DIM_X", l.groups[0])
        .set("DIM_Y", l.groups[1])
        .set("DIM_Z", l.groups[2])
        .set("DISPATCH_INITIATOR", r::typed::COMPUTE_DISPATCH_INITIATOR{}
                                       .set_COMPUTE_SHADER_EN(1)
                                       .set_PARTIAL_TG_EN(partial ? 1 : 0)
                                       .set_FORCE_START_AT_000(1)
                                       .raw);
    return p;
}

std::unique_ptr<RingDriver> make_radeon_cp(Machine& machine, unsigned rings) {
    if (rings != kRings)
        throw std::invalid_argument("a Radeon command processor has three rings");
    return std::make_unique<RadeonCp>(machine);
}

}  // namespace archipelago::host
