// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/cu_decode_core.h"

#include <fmt/core.h>

#include <string>

#include "models/common/error.h"
#include "models/common/pins/pin_block.h"
#include "models/common/text.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::cu {
namespace {

using isa::Format;
using isa::Inst;
using rtl::CuDecodePins;
using Result = CuDecodePins::Result;

// Where the opcodes of a vector encoding stand in VOP3's.
constexpr unsigned first_in_vop3(Format format) {
    return format == Format::Vop2 ? 256 : format == Format::Vop1 ? 384 : 0;
}

template <class T>
uint8_t byte(T value) {
    return static_cast<uint8_t>(value);
}

// Visits every member that pins and model have under different or the same names; the enumerations,
// the opcode and what the model holds in another form are left out.
template <class R, class D, class Visit>
void each_field(R& r, D& d, Visit&& visit) {
    auto& i = d.inst;
    visit(r.num_src, i.num_src);
    visit(r.src0, i.src[0]);
    visit(r.src1, i.src[1]);
    visit(r.src2, i.src[2]);
    visit(r.vdst, i.vdst);
    visit(r.sdst, i.sdst);
    visit(r.literal, i.literal);
    visit(r.neg, i.neg);
    visit(r.abs, i.abs);
    visit(r.omod, i.omod);
    visit(r.clamp, i.clamp);
    visit(r.imm, i.imm);
    visit(r.offen, i.offen);
    visit(r.idxen, i.idxen);
    visit(r.addr64, i.addr64);
    visit(r.glc, i.glc);
    visit(r.slc, i.slc);
    visit(r.tfe, i.tfe);
    visit(r.lds, i.lds);
    visit(r.gds, i.gds);
    visit(r.offset, i.offset);
    visit(r.vaddr, i.vaddr);
    visit(r.data0, i.data0);
    visit(r.data1, i.data1);
    visit(r.srsrc, i.srsrc);
    visit(r.ssamp, i.ssamp);
    visit(r.soffset, i.soffset);
    visit(r.dfmt, i.dfmt);
    visit(r.nfmt, i.nfmt);
    visit(r.dmask, i.dmask);
    visit(r.unorm, i.unorm);
    visit(r.da, i.da);
    visit(r.r128, i.r128);
    visit(r.lwe, i.lwe);
    visit(r.exp_target, i.exp_target);
    visit(r.exp_en, i.exp_en);
    visit(r.exp_compr, i.exp_compr);
    visit(r.exp_done, i.exp_done);
    visit(r.exp_vm, i.exp_vm);
    visit(r.attr, i.attr);
    visit(r.attr_chan, i.attr_chan);
    visit(r.vgprs_used, i.vgprs_used);
    visit(r.sgprs_used, i.sgprs_used);
    visit(r.wait_vm, d.wait_vm);
    visit(r.wait_exp, d.wait_exp);
    visit(r.wait_lgkm, d.wait_lgkm);
    visit(r.lds_operands, d.lds_operands);
    visit(r.lds_dwords, d.lds_dwords);
    visit(r.sgprs[0], d.sgprs[0]);
    visit(r.sgprs[1], d.sgprs[1]);
    visit(r.status_tested, d.status_tested);
    visit(r.status_changed, d.status_changed);
    visit(r.compares, d.compares);
    visit(r.halts, d.halts);
    visit(r.drains, d.drains);
}

template <class To, class From>
void assign(To& to, const From& from) {
    to = static_cast<To>(from);
}

// "0x5, the model says 0x4"; of more than 64 bits nothing.
template <class T>
std::string both_values([[maybe_unused]] const T& theirs, [[maybe_unused]] const T& ours) {
    if constexpr (rtl::Elements<T>::kArray)
        return "not what the model says";
    else
        return hex(theirs) + ", the model says " + hex(ours);
}

// Throws when a field differs from the model's, and names the first.
void expect_model(const CuDecodePins::Words& words, const CuDecodePins::Out& theirs) {
    CuDecodePins::Out ours = theirs;
    ours.out = decode_on_pins(words);
    CuDecodePins::outputs([&](auto pin) {
        const auto& says = pin.member(theirs);
        if (says == pin.member(ours))
            return;
        throw MachineStop(StopKind::Protocol, CuDecodePins::kName,
                          fmt::format("instruction 0x{:08x} 0x{:08x}: {}_{} is ", words.first,
                                      words.second, pin.port, pin.field) +
                              both_values(says, pin.member(ours)));
    });
}

}  // namespace

unsigned pin_opcode(const Inst& inst) {
    if (inst.format == Format::Illegal)
        return 0;
    const isa::OpInfo& info = isa::op_info(inst.op);
    return info.number + first_in_vop3(info.format);
}

isa::Op opcode_from_pins(Format format, unsigned number) {
    if (format == Format::Vop3)
        return isa::op_from_number(format, number);
    const unsigned first = first_in_vop3(format);
    return number < first ? isa::Op::Illegal : isa::op_from_number(format, number - first);
}

Result decode_on_pins(const CuDecodePins::Words& words) {
    const uint32_t both[2] = {words.first, words.second};
    const Decoded d = make_decoded(both, 2, words.skip != 0);
    Result r;
    r.format = byte(d.inst.format);
    r.cls = byte(d.inst.cls);
    r.rate = byte(d.inst.rate);
    r.action = byte(d.action);
    r.op = static_cast<uint16_t>(pin_opcode(d.inst));
    r.two = d.dwords == 2 ? 1 : 0;
    r.simm16 = static_cast<uint16_t>(d.inst.simm16);
    r.vmem_cost = byte(d.vmem_cost);
    each_field(r, d, [](auto& pin, const auto& field) { assign(pin, field); });
    return r;
}

Decoded decoded_from_pins(const CuDecodePins::Words& words, const Result& r) {
    Decoded d;
    d.inst.format = static_cast<Format>(r.format);
    d.inst.cls = static_cast<isa::Class>(r.cls);
    d.inst.rate = static_cast<isa::Rate>(r.rate);
    d.action = static_cast<Action>(r.action);
    d.inst.op = opcode_from_pins(d.inst.format, r.op);
    d.inst.exec = isa::find_exec(d.inst.op);
    d.dwords = d.inst.dwords = r.two != 0 ? 2 : 1;
    d.inst.words[0] = words.first;
    d.inst.words[1] = r.two != 0 ? words.second : 0;
    d.inst.simm16 = static_cast<int16_t>(r.simm16);
    d.vmem_cost = static_cast<VmemCost>(r.vmem_cost);
    each_field(r, d, [](const auto& pin, auto& field) { assign(field, pin); });
    if (d.action == Action::Valu || d.action == Action::LdsDirect)
        find_flops(d);
    return d;
}

void CuDecodeCore::step(const In& in, Out& out) {
    out.out = state_.valid ? state_.result : Result{};
    out.out_valid = state_.valid ? 1 : 0;
    out.in_ready = !state_.valid || in.out_ready != 0 ? 1 : 0;
    if (out.in_ready != 0) {
        state_.valid = in.in_valid != 0;
        if (state_.valid)
            state_.result = decode_on_pins(in.in);
    }
    if (in.rst != 0)
        state_.valid = false;
}

PinDecodeUnit::PinDecodeUnit(rtl::PinBlock<CuDecodePins>& decoder) : decoder_(decoder) {
    rtl::reset_block(decoder_);
    in_.out_ready = 1;
}

Decoded PinDecodeUnit::decode(uint32_t first, uint32_t second, bool skip) {
    // The twin takes an instruction at once and decodes it in the next cycle; another block may
    // take longer.
    constexpr unsigned kStuckCycles = 10'000;
    CuDecodePins::Out out;
    in_.in = {first, second, byte(skip)};
    in_.in_valid = 1;
    if (!rtl::step_until(decoder_, in_, out, &CuDecodePins::Out::in_ready, kStuckCycles))
        throw MachineStop(StopKind::Hang, CuDecodePins::kName, "the decoder takes no instruction");
    in_.in_valid = 0;
    if (!rtl::step_until(decoder_, in_, out, &CuDecodePins::Out::out_valid, kStuckCycles))
        throw MachineStop(StopKind::Hang, CuDecodePins::kName,
                          "the decoder gives no decoded instruction");
    expect_model(in_.in, out);
    return decoded_from_pins(in_.in, out.out);
}

}  // namespace archipelago::cu
