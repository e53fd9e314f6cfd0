// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/gpu_driver.h"

#include <algorithm>
#include <map>

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::host {

GpuDriver::GpuDriver(Machine& machine, const RingDriverKinds& kinds) : machine_(machine) {
    const std::vector<asic::Ring> rings = machine.chip().description().rings();
    std::map<std::string, RingDriver*> driver_of;
    for (const asic::Ring& ring : rings) {
        const auto same_kind = [&](const asic::Ring& other) { return other.kind == ring.kind; };
        RingDriver*& driver = driver_of[ring.kind];
        if (driver == nullptr) {
            const auto row =
                std::find_if(kinds.begin(), kinds.end(),
                             [&](const RingDriverKind& kind) { return kind.kind == ring.kind; });
            if (row == kinds.end())
                throw MachineStop(StopKind::Unimplemented, "ring " + ring.name,
                                  "a host's driver for rings of kind " + ring.kind);
            drivers_.push_back(row->make(machine, static_cast<unsigned>(std::count_if(
                                                      rings.begin(), rings.end(), same_kind))));
            driver = drivers_.back().get();
        }
        const auto before = std::count_if(rings_.begin(), rings_.end(),
                                          [&](const Ring& r) { return r.driver == driver; });
        rings_.push_back({driver, static_cast<unsigned>(before), false, 0, 0, {}});
    }
}

GpuDriver::Ring& GpuDriver::used(unsigned ring) {
    Ring& used = rings_.at(ring);
    used.pending = true;
    return used;
}

void GpuDriver::bring_up() {
    for (const auto& driver : drivers_)
        driver->bring_up();
    is_up_ = true;
}

void GpuDriver::reset() {
    is_up_ = false;
    if (!machine_.chip().resume())
        throw MachineStop(StopKind::Unimplemented, "host",
                          "a reset of " + machine_.chip().description().identity().name);
    for (const auto& driver : drivers_)
        driver->reset();
    ++resets_;
    for (Ring& ring : rings_) {
        ring.at_reset.push_back(ring.passed);
        ring.pending = false;
        ring.passed = ring.last;
    }
    machine_.restart_limit();  // the time that a reset is held is no wait
    machine_.settle();
    bring_up();
}

void GpuDriver::set_up_interrupt_ring(uint64_t address, uint64_t bytes) {
    if (drivers_.empty())
        throw MachineStop(StopKind::Unimplemented, "host", "an interrupt ring of this chip");
    drivers_.front()->set_up_interrupt_ring(address, bytes);
}

void GpuDriver::submit(unsigned ring, const std::vector<uint32_t>& dwords) {
    const Ring& r = used(ring);
    r.driver->submit(r.index, dwords);
}

void GpuDriver::submit_ib(unsigned ring, uint64_t address, uint32_t dwords, uint32_t vmid) {
    const Ring& r = used(ring);
    r.driver->submit_ib(r.index, address, dwords, vmid);
}

void GpuDriver::set_program_info(unsigned ring, const ProgramInfo& info) {
    const Ring& r = rings_.at(ring);
    r.driver->set_program_info(r.index, info);
}

std::unique_ptr<HostKernel> GpuDriver::load_kernel(unsigned ring, const KernelSpec& spec,
                                                   const HostKernel* same_code) {
    return rings_.at(ring).driver->load_kernel(spec, same_code);
}

std::unique_ptr<KernelLaunch> GpuDriver::wave_launch(unsigned ring, const WaveSpec& spec,
                                                     uint64_t code) {
    return rings_.at(ring).driver->wave_launch(spec, code);
}

void GpuDriver::launch(unsigned ring, const KernelLaunch& launch, uint32_t repeat) {
    const Ring& r = used(ring);
    r.driver->launch(r.index, launch, repeat);
}

Fence GpuDriver::fence(unsigned ring) {
    Ring& r = rings_.at(ring);
    r.last = r.driver->fence(r.index);
    r.pending = false;
    return {ring, r.last, resets_};
}

bool GpuDriver::passed(const Fence& fence) {
    Ring& r = rings_.at(fence.ring);
    if (fence.resets == resets_ && !known(fence) && r.driver->passed(r.index, fence.number))
        r.passed = fence.number;
    return known(fence);
}

void GpuDriver::wait(const Fence& fence) {
    if (lost(fence))
        throw MachineStop(
            StopKind::Hang, "host",
            "waits for a fence of ring " + std::to_string(fence.ring) + " that a reset has lost");
    if (fence.resets != resets_)
        return;
    Ring& r = rings_.at(fence.ring);
    r.driver->wait(r.index, fence.number);
    if (!known(fence))
        r.passed = fence.number;
}

void GpuDriver::drain() {
    for (unsigned ring = 0; ring < rings(); ++ring)
        if (rings_[ring].pending)
            fence_and_wait(ring);
        else if (rings_[ring].last != rings_[ring].passed)
            wait({ring, rings_[ring].last, resets_});
}

bool GpuDriver::busy() {
    bool busy = false;
    for (unsigned ring = 0; ring < rings(); ++ring)
        busy = busy || rings_[ring].pending || !passed({ring, rings_[ring].last, resets_});
    return busy;
}

void GpuDriver::wait_for_outside(const OutsideWork& work) {
    machine_.wait_for_outside(
        work, [this] { return busy(); }, "the rings to run empty");
}

void GpuDriver::archive(Archive& a) {
    for (const auto& driver : drivers_)
        driver->archive(a);
    for (Ring& ring : rings_)
        a(ring.pending, ring.last, ring.passed, ring.at_reset);
    a(is_up_, resets_);
}

uint64_t GpuDriver::fences(const std::string& interrupt) const {
    uint64_t sum = 0;
    for (const auto& driver : drivers_)
        sum += driver->fences(interrupt);
    return sum;
}

}  // namespace archipelago::host
