// SPDX-License-Identifier: Apache-2.0
// Image instructions of functional mode: a whole wave in one piece of host memory, or lane by lane
// on host pages.
#include "models/cu/functional/functional_cu.h"

namespace archipelago::cu {

using isa::ImageOp;
using isa::VectorMemOp;

void FunctionalCu::image_mem(Wave& wave, uint64_t pc, const Decoded& d, WorkCounters& work) {
    if (image_wave_ == nullptr)
        image_wave_ = std::make_unique<isa::ImageWave>();
    if (ports_.accesses == nullptr && !wave.recorded &&
        image_wave_->prepare(d.inst, wave.regs, tiling_, image_unit_)) {
        const HostWindow* w = window(image_wave_->address(), image_window_);
        if (w != nullptr && image_wave_->execute(*w)) {
            work.vmem_lanes += lane_count(image_wave_->lanes());
            return;
        }
    }
    if (image_op_ == nullptr)
        image_op_ = std::make_unique<ImageOp>();
    ImageOp& image = *image_op_;
    isa::image_mem(d.inst, wave.regs, tiling_, image_unit_, op_, image);
    if (op_.unsupported != nullptr)
        throw MachineStop(image.bad_input ? StopKind::BadInput : StopKind::Unimplemented,
                          place(wave, pc, &d), op_.unsupported);
    if (ports_.accesses != nullptr)
        observe_vector(wave, &image);
    work.vmem_lanes += lane_count(op_.lanes);
    if (retire_ != nullptr)
        retire_->sends(op_);
    const auto record = [&](const ImageOp* read) {
        if (retire_ != nullptr)
            retire_->loaded(wave.number, RetireRecorder::kNow, op_, read, wave.regs);
    };
    if (op_.kind == VectorMemOp::Kind::Store) {
        store(wave, pc, d);
        return;
    }
    if (op_.kind == VectorMemOp::Kind::Atomic) {
        atomic(wave, pc, d);
        if (op_.returns)
            isa::vector_mem_complete(op_, wave.regs);
        record(nullptr);
        return;
    }
    for (uint64_t m = op_.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        for (unsigned t = 0; t < image.count[lane]; ++t) {
            uint64_t bad = 0;
            if (image.in_memory(lane, t) &&
                !read_bytes(image.addr[lane][t], image.data[lane][t], image.size(lane, t), bad))
                fault(wave, pc, d, "read of unmapped address", bad, lane);
        }
    }
    isa::image_complete(op_, image, wave.regs);
    record(&image);
}

}  // namespace archipelago::cu
