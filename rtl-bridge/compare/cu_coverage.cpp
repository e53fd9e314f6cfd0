// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/cu_coverage.h"

#include <bitset>

#include "models/cu/pipeline/decoded.h"

namespace archipelago::rtl {
namespace {

using Pins = CuPins;
using In = Pins::In;
using Out = Pins::Out;

}  // namespace

CuCoverage::CuCoverage(Coverage& coverage) : coverage_(coverage) {
    add_bins();
}

void CuCoverage::add_bins() {
    unit_ = coverage_.add_group(
        "unit", {"launch", "launch waits", "wave ends", "lone wave ends", "wave in slot 15 ends",
                 "pause amid waves", "cycles passed over", "reset amid waves", "row of a VGPR",
                 "row of LDS", "row with the launch", "held amid waves", "row while held"});
    port_ = coverage_.add_group("ports", {"fetch",
                                          "fetch from another place",
                                          "jump amid fetches",
                                          "fetch of nothing mapped",
                                          "scalar load",
                                          "scalar invalidation",
                                          "all scalar operations in flight",
                                          "a wave's scalar loads at its counter's limit",
                                          "two requests",
                                          "four requests",
                                          "four answers",
                                          "read",
                                          "write",
                                          "atomic",
                                          "atomic that returns",
                                          "answer: nothing mapped",
                                          "all vector operations in flight",
                                          "L1 invalidation",
                                          "instruction cache invalidation",
                                          "GDS",
                                          "GDS that returns",
                                          "GDS, two elements",
                                          "all GDS operations in flight",
                                          "export",
                                          "compressed export",
                                          "last export",
                                          "interrupt",
                                          "message to graphics",
                                          "end of a wave that has exported"});
    executed_ =
        coverage_.add_group("a wave has executed", {"vector ALU",
                                                    "scalar ALU",
                                                    "branch",
                                                    "scalar memory",
                                                    "vector memory",
                                                    "LDS",
                                                    "control",
                                                    "s_nop",
                                                    "s_waitcnt",
                                                    "s_barrier of several waves",
                                                    "s_endpgm",
                                                    "s_sleep",
                                                    "s_setprio",
                                                    "s_icache_inv",
                                                    "mark",
                                                    "GDS",
                                                    "export",
                                                    "message",
                                                    "skipped vector instruction",
                                                    "operand from LDS",
                                                    "interpolation",
                                                    "load to LDS",
                                                    "instruction in two blocks",
                                                    "the same alone",
                                                    "loop",
                                                    "the same alone",
                                                    "more vector memory than vmcnt counts",
                                                    "more stores than expcnt counts",
                                                    "buffer of 2 blocks",
                                                    "buffer of 4 blocks",
                                                    "buffer of 8 blocks",
                                                    "one SIMD",
                                                    "two SIMDs",
                                                    "three SIMDs",
                                                    "four SIMDs",
                                                    "load into what vector instructions write",
                                                    "GDS into what vector instructions write",
                                                    "scalar load into what they write"});
    images_ = coverage_.add_group(
        "image instructions",
        {"load", "store", "atomic", "atomic that returns", "sample", "gather", "image_get_resinfo",
         "image_get_lod", "status register", "resource of 128 bits", "linear", "micro tiles",
         "macro tiles", "3D", "cube", "array", "several samples", "more than 64 requests",
         "register written amid waves"});
    stops_ = coverage_.add_group(
        "stops", {"not implemented", "fault of a scalar load", "fault of an answer", "other fault",
                  "wrong use", "protocol broken"});
}

void CuCoverage::reset(unsigned resident) {
    coverage_.hit(unit_, kResetAmidWaves, resident != 0);
    waves_.fill({});
    vector_.clear();
    gds_open_ = 0;
}

void CuCoverage::passed_over() {
    coverage_.hit(unit_, kCycleJump);
}

void CuCoverage::count(const In& in, const Out& out, unsigned resident) {
    const bool launch = in.launch_valid != 0;
    coverage_.hit(unit_, kLaunch, launch && out.launch_ready != 0);
    coverage_.hit(unit_, kLaunchWaits, launch && out.launch_ready == 0 && out.stop_valid == 0);
    coverage_.hit(images_, kTilingAmidWaves, in.tiling_valid != 0 && resident != 0);
    coverage_.hit(unit_, kPause, in.pause != 0 && resident != 0);
    coverage_.hit(unit_, kHeldAmidWaves, in.hold != 0 && resident != 0);
    if (in.init_valid != 0 && out.init_ready != 0) {
        coverage_.hit(unit_, kHeldRow, in.hold != 0);
        coverage_.hit(unit_, in.init.lds != 0 ? kLdsRow : kVgprRow);
        coverage_.hit(unit_, kRowWithLaunch, launch && out.launch_ready != 0);
    }
    count_fetch(in, out);
    count_scalar(in, out);
    count_vector(in, out);
    coverage_.hit(port_, kInvalidate, out.invalidate_valid != 0);
    coverage_.hit(port_, kInstructionInvalidate, out.icache_valid != 0);
    count_outside(in, out);
}

void CuCoverage::count_outside(const In& in, const Out& out) {
    if (in.gdsdata_valid != 0 && out.gdsdata_ready != 0)
        gds_open_ &= ~(uint64_t{1} << (in.gdsdata_tag & 63));
    if (out.gds_valid != 0) {
        gds_open_ |= uint64_t{1} << (out.gds.tag & 63);
        coverage_.hit(port_, kGds);
        coverage_.hit(port_, kGdsReturns, out.gds.returns != 0);
        coverage_.hit(port_, kGdsTwoElements, out.gds.elements == 2);
        coverage_.hit(port_, kGdsFull,
                      std::bitset<64>(gds_open_).count() >= in.cfg.gds_outstanding);
    }
    if (out.export_valid != 0) {
        coverage_.hit(port_, kExport);
        coverage_.hit(port_, kCompressedExport, out.exp.compressed != 0);
        coverage_.hit(port_, kLastExport, out.exp.done != 0);
    }
    if (out.message_valid != 0)
        coverage_.hit(port_, out.message.kind == 1 ? kInterrupt : kGraphicsMessage);
    coverage_.hit(port_, kExportsSent, out.done_valid != 0 && out.done_exports != 0);
}

void CuCoverage::count_fetch(const In& in, const Out& out) {
    if (in.fetched_valid != 0 && out.fetched_ready != 0) {
        unsigned& fetches = waves_[in.fetched.wave].fetches;
        fetches -= fetches != 0 ? 1 : 0;
        coverage_.hit(port_, kFetchFault, in.fetched.fault != 0);
    }
    if (out.fetch_valid == 0)
        return;
    Wave& wave = waves_[out.fetch_wave];
    coverage_.hit(port_, kFetch);
    coverage_.hit(port_, kNewFetch, wave.tag != out.fetch_tag);
    coverage_.hit(port_, kJumpAmidFetches, wave.tag != out.fetch_tag && wave.fetches != 0);
    wave.tag = out.fetch_tag;
    ++wave.fetches;
}

void CuCoverage::count_scalar(const In& in, const Out& out) {
    if (in.loaded_valid != 0 && out.loaded_ready != 0) {
        unsigned& loads = waves_[in.loaded.wave].loads;
        loads -= loads != 0 ? 1 : 0;
    }
    if (out.scalar_valid == 0)
        return;
    ++waves_[out.scalar_wave].loads;
    unsigned all = 0;
    for (const Wave& wave : waves_)
        all += wave.loads;
    coverage_.hit(port_, kScalar);
    coverage_.hit(port_, kScalarInvalidate, out.scalar_invalidate != 0);
    coverage_.hit(port_, kScalarFull, all >= in.cfg.smem_outstanding);
    coverage_.hit(port_, kWaveScalarsFull, waves_[out.scalar_wave].loads >= in.cfg.lgkm_max);
}

void CuCoverage::count_vector(const In& in, const Out& out) {
    for (unsigned i = 0; i < Pins::kRequests && out.answer_ready[i] != 0; ++i) {
        auto& open = vector_[in.answer[i].tag >> 16 & 63];
        open -= open != 0 ? 1 : 0;
        coverage_.hit(port_, kFourAnswers, i == 3);
        coverage_.hit(port_, kUnmappedStatus, in.answer[i].status != 0);
    }
    for (unsigned i = 0; i < Pins::kRequests && out.request_valid[i] != 0; ++i) {
        const Pins::Request& r = out.request[i];
        ++vector_[r.tag >> 16 & 63];
        coverage_.hit(images_, kManyRequests, (r.tag & 0xffff) >= 64 && r.command == 0);
        coverage_.hit(port_, kTwoRequests, i == 1);
        coverage_.hit(port_, kFourRequests, i == 3);
        coverage_.hit(port_, kRead + std::min<unsigned>(r.command, 2));
        coverage_.hit(port_, kAtomicReturns, r.command == 2 && r.returns != 0);
    }
    if (out.request_valid[0] != 0)
        coverage_.hit(port_, kVectorFull, vector_.open() >= in.cfg.vmem_outstanding);
}

void CuCoverage::ended(unsigned wave, bool several, bool lone, const CuProgram& program,
                       const CuPins::Config& config) {
    using cu::Action;
    static constexpr Action kActions[] = {Action::Valu,        Action::Scalar,
                                          Action::Branch,      Action::ScalarMem,
                                          Action::VectorMem,   Action::Lds,
                                          Action::Control,     Action::Nop,
                                          Action::Wait,        Action::Barrier,
                                          Action::End,         Action::Sleep,
                                          Action::SetPriority, Action::InvalidateInst,
                                          Action::Mark,        Action::Gds,
                                          Action::Export,      Action::Message,
                                          Action::NoEffect,    Action::LdsDirect,
                                          Action::Interpolate};
    unsigned bin = 0;
    for (const Action action : kActions) {
        const bool counts = action != Action::Barrier || several;
        coverage_.hit(executed_, bin++, counts && program.executes(action));
    }
    coverage_.hit(executed_, bin++, program.loads_to_lds());
    for (const bool there : {program.crosses(), program.loops()}) {
        coverage_.hit(executed_, bin++, there);
        coverage_.hit(executed_, bin++, there && lone);
    }
    coverage_.hit(executed_, bin++, program.vectors_in_a_row() > config.vm_max);
    coverage_.hit(executed_, bin++, program.stores_in_a_row() > config.exp_max);
    for (const unsigned blocks : {2u, 4u, 8u})
        coverage_.hit(executed_, bin++, config.fetch_blocks == blocks);
    for (const unsigned n : {1u, 2u, 3u, 4u})
        coverage_.hit(executed_, bin++, config.simds == n);
    for (unsigned n = 0; n < CuProgram::kRaces; ++n)
        coverage_.hit(executed_, bin++, program.executes(static_cast<CuProgram::Race>(n)));
    for (unsigned use = 0; use < CuProgram::kImageUses; ++use)
        coverage_.hit(images_, use, program.executes(static_cast<CuProgram::ImageUse>(use)));
    coverage_.hit(unit_, kEnd);
    coverage_.hit(unit_, kLoneEnd, lone);
    coverage_.hit(unit_, kSlot15, wave % 16 == 15);
}

void CuCoverage::stopped(const In& in, const Out& out) {
    bool refused = false;
    for (unsigned i = 0; i < Pins::kRequests; ++i)
        refused |= in.answer_valid[i] != 0 && in.answer[i].status != 0;
    switch (out.stop_reason) {
        case Pins::kNotImplemented:
            coverage_.hit(stops_, 0);
            break;
        case Pins::kFault:
            coverage_.hit(stops_, in.loaded_valid != 0 && in.loaded.fault != 0 ? 1
                                  : refused                                    ? 2
                                                                               : 3);
            break;
        case Pins::kBadInput:
            coverage_.hit(stops_, 4);
            break;
        default:
            coverage_.hit(stops_, 5);
            break;
    }
}

}  // namespace archipelago::rtl
