// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cu_retire_coverage.h"

#include "models/cu/isa/opcodes.h"

namespace archipelago::rtl {

using isa::Format;
using isa::Op;

CuRetireCoverage::CuRetireCoverage(Coverage& coverage)
    : coverage_(coverage),
      group_(coverage.add_group("retire", {"instruction",
                                           "two scalar registers",
                                           "sixteen scalar registers",
                                           "two VGPRs",
                                           "five VGPRs",
                                           "scalar registers and VGPRs",
                                           "some lanes of a VGPR",
                                           "end of a wave",
                                           "beat of a wave that has ended",
                                           "switched on",
                                           "switched off",
                                           "scalar load",
                                           "load of VCC",
                                           "load of EXEC",
                                           "load of M0",
                                           "instruction held behind a load of these",
                                           "instruction held behind another load",
                                           "buffer load",
                                           "atomic that returns",
                                           "image",
                                           "LDS",
                                           "GDS",
                                           "interpolation",
                                           "lane mask",
                                           "comparison",
                                           "lane written by its number",
                                           "relative move, scalar",
                                           "relative move, vector",
                                           "entry of the branch stack",
                                           "trap"})) {}

void CuRetireCoverage::begin() {
    wanted_ = open_ = loads_status_ = loads_ = false;
    done_ = {};
}

void CuRetireCoverage::count(const CuPins::In& in, const CuPins::Out& out, unsigned resident) {
    ++cycle_;
    if (resident == 0 && wanted_ != (in.retire != 0)) {
        wanted_ = in.retire != 0;
        hit(wanted_ ? kSwitchedOn : kSwitchedOff);
    }
    if (in.launch_valid != 0 && out.launch_ready != 0)
        done_[in.launch.wave] = false;
    if (out.retire_valid != 0)
        count_port(out);
    if (out.done_valid != 0 && wanted_)
        done_[out.done_wave] = true;
}

void CuRetireCoverage::count_port(const CuPins::Out& out) {
    hit(kBacklog, done_[out.retire.wave] && out.retire.end == 0);
    if (out.retire.end != 0) {
        hit(kEnd);
        done_[out.retire.wave] = false;
    } else {
        count_beat(out.retire);
    }
}

void CuRetireCoverage::begin_instruction(const CuPins::Retire& beat) {
    const uint32_t words[2] = {static_cast<uint32_t>(beat.words),
                               static_cast<uint32_t>(beat.words >> 32)};
    inst_ = isa::decode(words, 2);
    open_ = true;
    beat_ = scalars_ = 0;
    // What was complete when the load's last transfer was given.
    const bool held = ended_wave_ == beat.wave && ended_at_ + 1 == cycle_;
    hit(kBehindStatus, held && loads_status_);
    hit(kBehindLoads, held && loads_);
}

void CuRetireCoverage::count_beat(const CuPins::Retire& beat) {
    if (!open_)
        begin_instruction(beat);
    scalars_ += beat.scalar;
    hit(kScalarAndVector, beat.scalar != 0 && beat.vector != 0);
    hit(kSomeLanes, beat.vector != 0 && beat.lanes != ~uint64_t{0});
    hit(kTwoScalars, beat_ == 1 && beat.scalar != 0);
    hit(kSixteenScalars, beat_ == 15 && beat.scalar != 0);
    hit(kTwoVectors, beat_ == 1 && beat.vector != 0);
    hit(kFiveVectors, beat_ == 4 && beat.vector != 0);
    ++beat_;
    if (beat.last == 0)
        return;
    hit(kInstruction);
    count_registers(beat);
    count_load(beat);
    open_ = false;
    ended_at_ = cycle_;
    ended_wave_ = beat.wave;
}

void CuRetireCoverage::count_registers(const CuPins::Retire& beat) {
    const isa::OpInfo& info = isa::op_info(inst_.op);
    const bool vector_alu = inst_.format == Format::Vop2 || inst_.format == Format::Vop3;
    hit(kLds, inst_.format == Format::Ds && inst_.cls == isa::Class::Lds && beat.vector != 0);
    hit(kGds, inst_.format == Format::Ds && inst_.cls == isa::Class::Gds && beat.vector != 0);
    hit(kInterpolation, inst_.format == Format::Vintrp && beat.vector != 0);
    hit(kLaneMask, vector_alu && info.has(isa::kOpMaskOut) && scalars_ != 0);
    hit(kComparison, info.format == Format::Vopc && scalars_ != 0);
    hit(kLaneWritten, inst_.op == Op::V_WRITELANE_B32);
    hit(kRelativeScalar, (inst_.op == Op::S_MOVRELD_B32 || inst_.op == Op::S_MOVRELD_B64) &&
                             beat.scalar != 0 && beat.code != inst_.sdst);
    hit(kRelativeVector,
        inst_.op == Op::V_MOVRELD_B32 && beat.vector != 0 && beat.vgpr != inst_.vdst);
    hit(kFork,
        (inst_.op == Op::S_CBRANCH_G_FORK || inst_.op == Op::S_CBRANCH_I_FORK) && scalars_ == 4);
    hit(kTrap, inst_.op == Op::S_TRAP && scalars_ == 2);
}

void CuRetireCoverage::count_load(const CuPins::Retire& beat) {
    const isa::OpInfo& info = isa::op_info(inst_.op);
    const bool scalar = inst_.format == Format::Smrd && info.dst_dwords != 0;
    const bool buffer = inst_.format == Format::Mubuf || inst_.format == Format::Mtbuf;
    const bool image = inst_.format == Format::Mimg;
    loads_status_ = scalar && scalars_ == 0;
    loads_ = (scalar && !loads_status_) || ((buffer || image) && beat.vector != 0);
    hit(kScalarLoad, scalar);
    hit(kVccLoaded, loads_status_ && (inst_.sdst & ~1u) == isa::kVccLo);
    hit(kExecLoaded, loads_status_ && (inst_.sdst & ~1u) == isa::kExecLo);
    hit(kM0Loaded, loads_status_ && inst_.sdst == isa::kM0);
    hit(kBufferLoad, buffer && info.mem != isa::MemKind::Atomic && beat.vector != 0);
    hit(kAtomicReturns, info.mem == isa::MemKind::Atomic && buffer && beat.vector != 0);
    hit(kImage, image && beat.vector != 0);
}

}  // namespace archipelago::rtl
