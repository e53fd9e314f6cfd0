// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/gpu_driver.h"

#include <algorithm>
#include <map>

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::host {

GpuDriver::GpuDriver(Machine& machine, const RingDriverKinds& kinds) {
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
        rings_.push_back({driver, static_cast<unsigned>(before)});
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

void GpuDriver::launch(unsigned ring, const KernelLaunch& launch, uint32_t repeat) {
    const Ring& r = used(ring);
    r.driver->launch(r.index, launch, repeat);
}

void GpuDriver::fence_and_wait(unsigned ring) {
    Ring& r = rings_.at(ring);
    r.driver->fence(r.index);
    r.driver->wait(r.index);
    r.pending = false;
}

void GpuDriver::archive(Archive& a) {
    for (const auto& driver : drivers_)
        driver->archive(a);
    for (Ring& ring : rings_)
        a(ring.pending);
}

uint64_t GpuDriver::fences(const std::string& interrupt) const {
    uint64_t sum = 0;
    for (const auto& driver : drivers_)
        sum += driver->fences(interrupt);
    return sum;
}

}  // namespace archipelago::host
