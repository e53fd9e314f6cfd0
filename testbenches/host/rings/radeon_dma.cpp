// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/rings/radeon_dma.h"

#include <algorithm>
#include <stdexcept>

#include "models/asic/async_dma.h"
#include "models/common/archive.h"
#include "models/common/page.h"
#include "models/dma/packet_text.h"
#include "models/dma/packet_writer.h"
#include "models/dma/register_file.h"
#include "registers/si_names.h"
#include "registers/si_srbm.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/interrupt_ring.h"
#include "testbenches/host/rings/soft_reset.h"
#include "testbenches/host/whole_packets.h"

namespace archipelago::host {
namespace {

constexpr uint32_t kDmaRingLog2 = 14;
constexpr uint32_t kDmaRingDwords = 1u << kDmaRingLog2;
constexpr uint32_t kFenceData = 1;  // what a fence writes
constexpr uint32_t kFencesInFlight = 256;
constexpr uint32_t kAlignment = 8;  // dwords; what buffers and their calls are padded to

class RadeonDma : public RingDriver {
  public:
    explicit RadeonDma(Machine& machine, const asic::AsyncDma& engines) : machine_(machine) {
        for (const dma::Spec& spec : engines.engines)
            rings_.push_back(
                {&spec, spec.generation->sdma ? dma::kSdmaRegisters : dma::kOldRegisters});
    }

    // Rings are set up when they are first used: a run without them is as if they were not there.
    void bring_up() override {}
    void submit(unsigned ring, const std::vector<uint32_t>& dwords) override;
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) override;
    uint32_t fence(unsigned ring) override;
    bool passed(unsigned ring, uint32_t number) override;
    void wait(unsigned ring, uint32_t number) override;
    uint64_t fences(const std::string& interrupt) const override;
    void set_up_interrupt_ring(uint64_t address, uint64_t bytes) override {
        start_interrupt_ring(machine_, address, bytes);
    }
    void reset() override;
    void archive(Archive& a) override {
        for (Ring& ring : rings_)
            a(ring.base, ring.page, ring.wptr, ring.fences, ring.is_up);
    }

  private:
    struct Ring {
        const dma::Spec* spec;
        dma::RegisterMap map;
        uint64_t base = 0;
        uint64_t page = 0;  // of the read pointer's mirror, and of fences
        uint32_t wptr = 0;  // dwords
        uint32_t fences = 0;
        bool is_up = false;
        // Each fence in flight has an address of its own: as the document has the packet, all write
        // the same.
        uint64_t fence(uint32_t number) const { return page + 64 + number % kFencesInFlight * 8; }
    };
    void set_up(Ring& ring);
    Ring& used(unsigned index);
    void set(const Ring& ring, uint32_t offset, uint32_t value) {
        machine_.write_register(ring.spec->register_base + offset, value);
    }
    uint32_t room(const Ring& ring);
    bool passed(const Ring& ring, uint32_t number) const;
    void put(Ring& ring, const std::vector<uint32_t>& dwords);
    void pad(Ring& ring, uint32_t to);
    static dma::PacketWriter write(const Ring& ring) {
        return dma::PacketWriter(*ring.spec->packets);
    }

    Machine& machine_;
    std::vector<Ring> rings_;
};

// The order of the registers is Linux's.
void RadeonDma::set_up(Ring& ring) {
    if (ring.base == 0) {
        ring.base = machine_.allocate(uint64_t{kDmaRingDwords} * 4);
        ring.page = machine_.allocate(kPageBytes);
    }
    ring.is_up = true;
    const dma::RegisterMap& m = ring.map;
    const uint64_t mirror = ring.page;
    constexpr uint32_t kMirror = 1u << 12, kEnable = 1, kForceVmid = 1u << 31, kTrap = 1;
    const uint32_t control = kDmaRingLog2 << 1 | kMirror;
    if (m.me_cntl != 0)
        set(ring, m.me_cntl, 0);
    set(ring, m.semaphore_incomplete, 0);
    set(ring, m.semaphore_wait, 0);
    set(ring, m.rb_cntl, kDmaRingLog2 << 1);
    set(ring, m.rb_rptr, 0);
    set(ring, m.rb_wptr, 0);
    set(ring, m.rptr_addr_hi, static_cast<uint32_t>(mirror >> 32));
    set(ring, m.rptr_addr_lo, static_cast<uint32_t>(mirror) & ~3u);
    set(ring, m.rb_cntl, control);
    set(ring, m.rb_base, static_cast<uint32_t>(ring.base >> 8));
    if (m.rb_base_hi != 0)
        set(ring, m.rb_base_hi, static_cast<uint32_t>(ring.base >> 40));
    set(ring, m.ib_cntl, kEnable | (ring.spec->generation->sdma ? 0 : kForceVmid));
    set(ring, m.cntl, kTrap);
    set(ring, m.rb_cntl, control | kEnable);
}

RadeonDma::Ring& RadeonDma::used(unsigned index) {
    Ring& ring = rings_[index];
    if (!ring.is_up)
        set_up(ring);
    return ring;
}

uint32_t RadeonDma::room(const Ring& ring) {
    const uint32_t rptr = machine_.read_register(ring.spec->register_base + ring.map.rb_rptr) >> 2 &
                          (kDmaRingDwords - 1);
    return (rptr - ring.wptr - 1) & (kDmaRingDwords - 1);
}

// Whole packets that fit the ring; more waits for room.
void RadeonDma::put(Ring& ring, const std::vector<uint32_t>& dwords) {
    const dma::TextLanguage language(*ring.spec->packets);
    size_t done = 0;
    while (done < dwords.size()) {
        const auto want = static_cast<uint32_t>(
            whole_packets(language, dwords, done, kDmaRingDwords / 2, kDmaRingDwords - 1));
        uint32_t have = room(ring);
        if (have < want)
            machine_.wait_until(
                [&] {
                    have = room(ring);
                    return have >= want;
                },
                "room in ring " + ring.spec->name());
        for (uint32_t i = 0; i < want; ++i) {
            machine_.memory().write(ring.base + uint64_t{ring.wptr} * 4, &dwords[done + i], 4);
            ring.wptr = (ring.wptr + 1) & (kDmaRingDwords - 1);
        }
        done += want;
        set(ring, ring.map.rb_wptr, 4 * ring.wptr);
    }
}

// NOPs up to a place that is `to` after a boundary.
void RadeonDma::pad(Ring& ring, uint32_t to) {
    std::vector<uint32_t> nops;
    while ((ring.wptr + nops.size()) % kAlignment != to)
        nops.push_back(ring.spec->generation->nop);
    put(ring, nops);
}

void RadeonDma::submit(unsigned index, const std::vector<uint32_t>& dwords) {
    Ring& ring = used(index);
    pad(ring, 0);
    put(ring, dwords);
}

// The packet ends at a boundary.
void RadeonDma::submit_ib(unsigned index, uint64_t address, uint32_t dwords, uint32_t vmid) {
    Ring& ring = used(index);
    dma::PacketWriter call = write(ring);
    call.packet("INDIRECT_BUFFER").address("IB_BASE", address).set("IB_SIZE", dwords);
    if (ring.spec->packets->find_by_name("INDIRECT_BUFFER")->field("VMID") != nullptr)
        call.set("VMID", vmid);
    else if (vmid != 0)
        throw std::invalid_argument("ring " + ring.spec->name() +
                                    ": this generation has no VMID for buffers");
    pad(ring, static_cast<uint32_t>(kAlignment - call.words().size()));
    put(ring, call);
}

uint32_t RadeonDma::fence(unsigned index) {
    Ring& ring = used(index);
    if (ring.fences >= kFencesInFlight)
        wait(index, ring.fences + 1 - kFencesInFlight);
    dma::PacketWriter p = write(ring);
    ++ring.fences;
    p.packet("FENCE").address("ADDRESS", ring.fence(ring.fences));
    if (ring.spec->packets->find_by_name("FENCE")->field("DATA") != nullptr)
        p.set("DATA", kFenceData);
    p.packet("TRAP");
    const uint32_t none = 0;
    machine_.memory().write(ring.fence(ring.fences), &none, 4);
    put(ring, p);
    return ring.fences;
}

bool RadeonDma::passed(const Ring& ring, uint32_t number) const {
    if (ring.fences - number >= kFencesInFlight)  // another has its address
        return true;
    uint32_t seen = 0;
    machine_.memory().read(ring.fence(number), &seen, 4);
    return seen == kFenceData;
}

bool RadeonDma::passed(unsigned ring, uint32_t number) {
    return passed(rings_[ring], number);
}

void RadeonDma::wait(unsigned index, uint32_t number) {
    const Ring& ring = rings_[index];
    machine_.wait_until([&] { return passed(ring, number); },
                        "the fence of ring " + ring.spec->name());
}

uint64_t RadeonDma::fences(const std::string& interrupt) const {
    uint64_t sum = 0;
    for (const Ring& ring : rings_) {
        uint32_t last = ring.fences;  // that has passed
        while (last != 0 && !passed(ring, last))
            --last;
        if (interrupt == ring.spec->name())
            sum += last;
    }
    return sum;
}

// The bits are those of RV770 to CIK; the model has them there on R6xx, too. Fences that were in
// flight count as passed: nothing else would write them.
void RadeonDma::reset() {
    const uint32_t bits =
        regs::si::typed::SRBM_SOFT_RESET{}.set_SOFT_RESET_DMA(1).set_SOFT_RESET_DMA1(1).raw;
    soft_reset(machine_, regs::si::SRBM_SOFT_RESET, bits);
    for (Ring& ring : rings_) {
        ring.is_up = false;
        ring.wptr = 0;
        for (uint32_t i = 0; ring.base != 0 && i < kFencesInFlight; ++i)
            machine_.memory().write(ring.fence(i), &kFenceData, sizeof kFenceData);
    }
}

}  // namespace

std::unique_ptr<RingDriver> make_radeon_dma(Machine& machine, unsigned rings) {
    const auto* engines = machine.chip().description().spec<asic::AsyncDma>();
    if (engines == nullptr || engines->engines.size() != rings)
        throw std::invalid_argument("as many rings as there are async DMA engines");
    return std::make_unique<RadeonDma>(machine, *engines);
}

}  // namespace archipelago::host
