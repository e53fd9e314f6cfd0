// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/rings/adreno_cp.h"

#include <algorithm>
#include <stdexcept>

#include "models/afuc/cp/cp_spec.h"
#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/names.h"
#include "models/common/archive.h"
#include "models/common/page.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/rings/soft_reset.h"

namespace archipelago::host {
namespace {

using afuc::CpRegister;
using Packets = std::vector<uint32_t>;

constexpr uint32_t kRingDwordsLog2 = 12;
constexpr uint32_t kRingDwords = 1u << kRingDwordsLog2;
// Of the page of what the chip writes: read pointers, fences.
constexpr uint32_t kReadPointer = 0, kBvReadPointer = 64, kFence = 128;
constexpr uint32_t kInterrupts = 1u << afuc::kInterruptSoftware | 1u << afuc::kInterruptCpError |
                                 1u << afuc::kInterruptCacheFlush | 1u << afuc::kInterruptTrust;

class AdrenoCp : public RingDriver {
  public:
    AdrenoCp(Machine& machine, const afuc::CpSpec& cp)
        : machine_(machine),
          cp_(cp),
          names_(cp.generation->names),
          registers_(names_),
          has_bv_(std::any_of(cp.processors.begin(), cp.processors.end(),
                              [](const auto& p) { return p.role == afuc::Role::Bv; })) {}

    void bring_up() override;
    void submit(unsigned ring, const Packets& dwords) override;
    void submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) override;
    uint32_t fence(unsigned ring) override;
    bool passed(unsigned, uint32_t number) override { return has_passed(number, last_fence()); }
    void wait(unsigned ring, uint32_t number) override;
    uint64_t fences(const std::string& interrupt) const override {
        return interrupt == "cache_flush_ts" ? last_fence() : 0;
    }
    void archive(Archive& a) override { a(images_, ring_, page_, wptr_, fences_); }
    void reset() override;

  private:
    void load_microcode();
    void set_up_ring();
    void start();
    void initialize();
    void set(CpRegister reg, uint32_t value, uint32_t offset = 0) {
        machine_.write_register(4 * (registers_.index_of(reg) + offset), value);
    }
    void set_64(CpRegister reg, uint64_t value) {
        if (registers_.index_of(reg) == afuc::CpRegisterMap::kNowhere)
            return;
        set(reg, static_cast<uint32_t>(value));
        set(reg, static_cast<uint32_t>(value >> 32), 1);
    }
    void add(Packets& to, const char* packet, const Packets& body) const;
    // Number of the last fence that has passed.
    uint32_t last_fence() const {
        uint32_t seen = 0;
        machine_.memory().read(page_ + kFence, &seen, sizeof seen);
        return seen;
    }
    uint32_t room();

    Machine& machine_;
    const afuc::CpSpec& cp_;
    const afuc::Names names_;
    const afuc::CpRegisterMap registers_;
    const bool has_bv_;
    std::vector<uint64_t> images_;  // addresses of the microcode
    uint64_t ring_ = 0;
    uint64_t page_ = 0;
    uint32_t wptr_ = 0;  // dwords
    uint32_t fences_ = 0;
};

void AdrenoCp::add(Packets& to, const char* packet, const Packets& body) const {
    const int opcode = afuc::packet_opcode(names_, packet);
    to.push_back(
        afuc::make_type7_header(static_cast<unsigned>(opcode), static_cast<uint32_t>(body.size())));
    to.insert(to.end(), body.begin(), body.end());
}

void AdrenoCp::load_microcode() {
    for (size_t i = 0; i < cp_.images.size(); ++i) {
        const std::vector<uint32_t>& words = cp_.images[i].words;
        if (images_.size() == i)
            images_.push_back(machine_.allocate(4 * words.size()));
        machine_.memory().write(images_[i], words.data(), 4 * words.size());
    }
    if (names_ == afuc::Names::A5xx) {
        set_64(CpRegister::PfpBase, images_[0]);
        set_64(CpRegister::MeBase, images_[1]);
    } else {
        set_64(CpRegister::MainBase, images_[0]);
    }
}

void AdrenoCp::set_up_ring() {
    if (ring_ == 0) {  // else after a reset
        ring_ = machine_.allocate(uint64_t{kRingDwords} * 4);
        page_ = machine_.allocate(kPageBytes);
    }
    set_64(CpRegister::RingBase, ring_);
    set(CpRegister::RingControl, kRingDwordsLog2 - 1);  // of 8 bytes
    set_64(CpRegister::ReadPointerAddress, page_ + kReadPointer);
    set_64(CpRegister::BvReadPointerAddress, page_ + kBvReadPointer);
    set(CpRegister::InterruptMask, kInterrupts);
}

void AdrenoCp::start() {
    set(CpRegister::Start, names_ == afuc::Names::A5xx ? 0 : 1);
}

// CP_ME_INIT as the driver writes it; from a7xx on after a CP_THREAD_CONTROL.
void AdrenoCp::initialize() {
    Packets p;
    constexpr uint32_t kMask = 0x2F, kErrors = 0x3, kDefaults = 0x2000'0000;
    if (names_ == afuc::Names::A5xx) {
        constexpr uint32_t kWorkarounds = 0xB;  // of a530
        add(p, "CP_ME_INIT", {kMask, kErrors, kDefaults, 0, 0, kWorkarounds, 0, 0});
    } else if (names_ == afuc::Names::A6xx) {
        add(p, "CP_ME_INIT", {kMask, kErrors, kDefaults, 0, 0, 0, 0, 0});
    } else {
        constexpr uint32_t kNoConcurrentBinning = 1u << 27;
        constexpr uint32_t kMaskOfA7xx = 1u << 0 | 1u << 1 | 1u << 3 | 1u << 8;
        add(p, "CP_THREAD_CONTROL", {kNoConcurrentBinning});
        add(p, "CP_ME_INIT", {kMaskOfA7xx, kErrors, kDefaults, 2, 0, 0, 0});
    }
    submit(0, p);
}

void AdrenoCp::bring_up() {
    load_microcode();
    set_up_ring();
    start();
    initialize();
}

// As a5xx_recover() and a6xx_gpu_sw_reset() of Linux's driver. The ring begins again at its first
// dword, for the chip and for its read pointers in memory.
void AdrenoCp::reset() {
    soft_reset(machine_, 4 * registers_.index_of(CpRegister::SoftReset), afuc::kSoftResetBit);
    wptr_ = 0;
    for (const uint32_t pointer : {kReadPointer, kBvReadPointer})
        machine_.memory().write(page_ + pointer, &wptr_, sizeof wptr_);
}

uint32_t AdrenoCp::room() {
    uint32_t room =
        (machine_.read_register(4 * registers_.index_of(CpRegister::ReadPointer)) - wptr_ - 1) &
        (kRingDwords - 1);
    if (has_bv_) {
        uint32_t bv = 0;
        machine_.memory().read(page_ + kBvReadPointer, &bv, sizeof bv);
        room = std::min(room, (bv - wptr_ - 1) & (kRingDwords - 1));
    }
    return room;
}

// What fits the ring; more waits for room.
void AdrenoCp::submit(unsigned, const Packets& dwords) {
    constexpr uint64_t kPoll = 1000;  // cycles: words that are taken raise no interrupt
    size_t done = 0;
    while (done < dwords.size()) {
        const auto want =
            static_cast<uint32_t>(std::min<size_t>(dwords.size() - done, kRingDwords / 2));
        if (room() < want)
            machine_.wait_until([&] { return room() >= want; }, "room in ring cp", kPoll);
        for (uint32_t i = 0; i < want; ++i) {
            machine_.memory().write(ring_ + uint64_t{wptr_} * 4, &dwords[done + i], 4);
            wptr_ = (wptr_ + 1) & (kRingDwords - 1);
        }
        done += want;
        set(CpRegister::WritePointer, wptr_);
    }
}

void AdrenoCp::submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) {
    if (vmid != 0)
        throw std::invalid_argument("ring cp: buffers have no VMID");
    Packets p;
    add(p, "CP_INDIRECT_BUFFER",
        {static_cast<uint32_t>(address), static_cast<uint32_t>(address >> 32), dwords});
    submit(ring, p);
}

uint32_t AdrenoCp::fence(unsigned ring) {
    constexpr uint32_t kCacheFlushTs = 4, kCacheClean = 31;
    constexpr uint32_t kInterrupt = 1u << 31, kWrites = 1u << 27;
    const uint64_t at = page_ + kFence;
    const bool seven = names_ == afuc::Names::A7xx || names_ == afuc::Names::A750;
    Packets p;
    add(p, "CP_EVENT_WRITE",
        {kInterrupt | (seven ? kCacheClean | kWrites : kCacheFlushTs), static_cast<uint32_t>(at),
         static_cast<uint32_t>(at >> 32), ++fences_});
    submit(ring, p);
    return fences_;
}

void AdrenoCp::wait(unsigned ring, uint32_t number) {
    machine_.wait_until(
        [&] {
            const bool seen = passed(ring, number);
            if (seen)
                set(CpRegister::InterruptClear, kInterrupts);
            return seen;
        },
        "the fence of ring cp");
}

}  // namespace

std::unique_ptr<RingDriver> make_adreno_cp(Machine& machine, unsigned rings) {
    const auto* cp = machine.chip().description().spec<afuc::CpSpec>();
    if (cp == nullptr || rings != 1)
        throw std::invalid_argument("a command processor of Adreno has one ring");
    return std::make_unique<AdrenoCp>(machine, *cp);
}

}  // namespace archipelago::host
