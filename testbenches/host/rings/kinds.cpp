// SPDX-License-Identifier: Apache-2.0
#include "models/common/error.h"
#include "testbenches/host/ring_driver.h"
#include "testbenches/host/rings/adreno_cp.h"
#include "testbenches/host/rings/ctm_buffers.h"
#include "testbenches/host/rings/radeon_cp.h"
#include "testbenches/host/rings/radeon_dma.h"

namespace archipelago::host {

namespace {
[[noreturn]] void stop_without_kernels() {
    throw MachineStop(StopKind::Unimplemented, "host", "kernels on a ring of this kind");
}
}  // namespace

std::unique_ptr<HostKernel> RingDriver::load_kernel(const KernelSpec&, const HostKernel*) {
    stop_without_kernels();
}

std::unique_ptr<KernelLaunch> RingDriver::wave_launch(const WaveSpec&, uint64_t) {
    stop_without_kernels();
}

void RingDriver::launch(unsigned, const KernelLaunch&, uint32_t) {
    stop_without_kernels();
}

void RingDriver::set_up_interrupt_ring(uint64_t, uint64_t) {
    throw MachineStop(StopKind::Unimplemented, "host", "an interrupt ring of this chip");
}

void RingDriver::set_program_info(unsigned, const ProgramInfo&) {
    throw MachineStop(StopKind::Unimplemented, "host", "program registers of a ring of this kind");
}

void RingDriver::reset() {
    throw MachineStop(StopKind::Unimplemented, "host", "a reset of rings of this kind");
}

const RingDriverKinds& ring_driver_kinds() {
    static const RingDriverKinds all = {
        {"adreno_cp", make_adreno_cp},
        {"ctm", make_ctm_buffers},
        {"radeon_cp", make_radeon_cp},
        {"radeon_dma", make_radeon_dma},
    };
    return all;
}

}  // namespace archipelago::host
