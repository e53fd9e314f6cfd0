// SPDX-License-Identifier: Apache-2.0
// DS, buffers, images, exports.
#include "models/cu/isa/assemble_encoder.h"

#include <algorithm>

namespace archipelago::isa {

void Encoder::ds() {
    start(enc::ds::kId, enc::ds::kIdValue, 2);
    put(enc::ds::kOp, info_->number);
    if (info_->dst_dwords > 0) {
        put(enc::ds::kVdst, vgpr(info_->dst_dwords));
    }
    static const enc::Field kFields[3] = {enc::ds::kAddr, enc::ds::kData0, enc::ds::kData1};
    for (unsigned i = 0; i < info_->num_src; ++i) {
        if (info_->src_dwords[i] > 0) {
            put(kFields[i], vgpr(info_->src_dwords[i]));
        }
    }
    uint32_t offset = 0;
    uint32_t offset0 = 0;
    uint32_t offset1 = 0;
    bool has_offset = false;
    bool has_offset0 = false;
    bool has_offset1 = false;
    // These exist in the global data share only; LLVM leaves the word to the writer.
    const bool global = info_->mem == MemKind::Gws || info_->mem == MemKind::OrderedCount;
    bool gds = false;
    while (more()) {
        const bool pair = info_->mem_pair != 0;
        if (pair && (number("offset0", 255, offset0, has_offset0) ||
                     number("offset1", 255, offset1, has_offset1))) {
            continue;
        }
        if (!pair && cursor_.peek().is_name("offset") && cursor_.peek(1).is(":") &&
            cursor_.peek(2).is_name("swizzle") && op_ == Op::DS_SWIZZLE_B32) {
            flag("offset", has_offset);
            cursor_.take();
            offset = parse_swizzle(cursor_);
            modified_ = false;  // LLVM takes a comma after this one
            continue;
        }
        if ((!pair && number("offset", 65535, offset, has_offset)) || flag("gds", gds)) {
            continue;
        }
        unknown_modifier(pair ? std::vector<std::string>{"offset0", "offset1", "gds"}
                              : std::vector<std::string>{"offset", "gds"});
    }
    put(enc::ds::kOffset0, offset0 | (offset & 0xff));
    put(enc::ds::kOffset1, offset1 | offset >> 8);
    put(enc::ds::kGds, gds || global);
}

bool Encoder::address(Operand& operand) {
    separate();
    if (cursor_.accept_name("off")) {
        return false;
    }
    operand = cursor_.operand();
    return true;
}

// dfmt and nfmt of MTBUF stand in front of SOFFSET, format after it, as in LLVM.
bool Encoder::at_half_format(size_t ahead) const {
    const Token& token = cursor_.peek(ahead);
    return token.is_name("dfmt") || token.is_name("nfmt");
}

// What stands after SOFFSET.
void Encoder::buffer_modifiers(BufferModifiers& m, bool typed) {
    while (more()) {
        if (typed && at_half_format(0)) {
            cursor_.fail("dfmt and nfmt stand in front of the scalar offset");
        }
        if (typed && cursor_.peek().is_name("format")) {
            if (m.has_format) {
                cursor_.fail("the format is given twice");
            }
            m.has_format = true;
            m.format = parse_buffer_format(cursor_, m.format);
            modified_ = false;  // LLVM takes a comma after this one
        } else if (!flag("offen", m.offen) && !flag("idxen", m.idxen) &&
                   !flag("addr64", m.addr64) && !flag("glc", m.glc) && !flag("slc", m.slc) &&
                   !flag("tfe", m.tfe) && !(!typed && flag("lds", m.lds)) &&
                   !number("offset", 4095, m.offset, m.has_offset)) {
            std::vector<std::string> known = {"offen", "idxen", "addr64", "offset",
                                              "glc",   "slc",   "tfe"};
            known.emplace_back(typed ? "format" : "lds");
            unknown_modifier(std::move(known));
        }
    }
}

void Encoder::put_modifiers(const BufferModifiers& m, bool typed) {
    put(enc::mubuf::kOffset, m.offset);
    put(enc::mubuf::kOffen, m.offen);
    put(enc::mubuf::kIdxen, m.idxen);
    put(enc::mubuf::kGlc, m.glc);
    put(enc::mubuf::kAddr64, m.addr64);
    put(enc::mubuf::kSlc, m.slc);
    put(enc::mubuf::kTfe, m.tfe);
    if (typed) {
        put(enc::mtbuf::kDfmt, m.format & 15);
        put(enc::mtbuf::kNfmt, m.format >> 4);
    } else {
        put(enc::mubuf::kLds, m.lds);
    }
}

void Encoder::buffer() {
    const bool typed = info_->format == Format::Mtbuf;
    if (typed) {
        start(enc::mtbuf::kId, enc::mtbuf::kIdValue, 2);
        put(enc::mtbuf::kOp, info_->number);
    } else {
        start(enc::mubuf::kId, enc::mubuf::kIdValue, 2);
        put(enc::mubuf::kOp, info_->number);
    }
    if (info_->mem == MemKind::CacheInvalidate) {
        return;
    }
    BufferModifiers m;
    Operand data;
    const bool to_lds = !typed && cursor_.mentions("lds");
    if (!to_lds) {
        data = next();
    }
    Operand vaddr;
    const bool has_address = address(vaddr);
    put(enc::mubuf::kSrsrcQuad, scalar_register(4) / 4);
    while (typed && at_half_format(cursor_.peek().is(",") ? 1 : 0)) {
        cursor_.accept(",");
        m.format = parse_buffer_format(cursor_, m.format);
        m.has_format = true;
    }
    const Operand soffset = next();
    no_modifiers(soffset);
    put(enc::mubuf::kSoffset, source_code(soffset, 1, false, false));
    buffer_modifiers(m, typed);
    const unsigned wanted = m.addr64 || (m.offen && m.idxen) ? 2 : m.offen || m.idxen ? 1 : 0;
    if (has_address != (wanted > 0)) {
        fail(vaddr.column != 0 ? vaddr : soffset,
             wanted > 0 ? "offen, idxen and addr64 need address registers in place of \"off\""
                        : "address registers need offen, idxen or addr64");
    }
    if (has_address) {
        put(enc::mubuf::kVaddr, vgpr(vaddr, wanted));
    }
    if (!to_lds) {
        const unsigned dwords = std::max(info_->dst_dwords, info_->src_dwords[1]);
        // LLVM counts the status dword of TFE in some versions and not in others.
        const bool extended = m.tfe && data.dwords == dwords + 1;
        put(enc::mubuf::kVdata, vgpr(data, extended ? dwords + 1 : dwords));
    }
    put_modifiers(m, typed);
}

void Encoder::image() {
    start(enc::mimg::kId, enc::mimg::kIdValue, 2);
    put(enc::mimg::kOp, info_->number);
    const Operand data = next();
    const Operand vaddr = next();
    const Operand resource = next();
    const bool samples = info_->mem == MemKind::ImageSample || op_ == Op::IMAGE_GET_LOD;
    if (samples) {
        put(enc::mimg::kSsampQuad, scalar_register(4) / 4);
    }
    Inst inst;
    inst.op = op_;
    uint32_t dmask = 0;
    bool has_dmask = false;
    bool glc = false;
    bool slc = false;
    while (more()) {
        if (!number("dmask", 15, dmask, has_dmask) && !flag("unorm", inst.unorm) &&
            !flag("glc", glc) && !flag("slc", slc) && !flag("r128", inst.r128) &&
            !flag("tfe", inst.tfe) && !flag("lwe", inst.lwe) && !flag("da", inst.da)) {
            unknown_modifier({"dmask", "unorm", "glc", "slc", "r128", "tfe", "lwe", "da"});
        }
    }
    inst.dmask = static_cast<uint8_t>(dmask);
    put(enc::mimg::kVdata, vgpr(data, image_data_dwords(inst)));
    // How many address registers are read depends on the resource.
    if (vaddr.kind != Operand::Kind::Vgpr || vaddr.dwords > 16) {
        fail(vaddr, "expected up to 16 vector registers");
    }
    put(enc::mimg::kVaddr, vgpr(vaddr, vaddr.dwords));
    const bool short_resource = inst.r128 && resource.dwords == 4;
    put(enc::mimg::kSrsrcQuad, scalar_register(resource, short_resource ? 4 : 8) / 4);
    put(enc::mimg::kDmask, dmask);
    put(enc::mimg::kUnorm, inst.unorm);
    put(enc::mimg::kGlc, glc);
    put(enc::mimg::kSlc, slc);
    put(enc::mimg::kR128, inst.r128);
    put(enc::mimg::kTfe, inst.tfe);
    put(enc::mimg::kLwe, inst.lwe);
    put(enc::mimg::kDa, inst.da);
}

void Encoder::exp() {
    start(enc::exp::kId, enc::exp::kIdValue, 2);
    put(enc::exp::kTarget, parse_export_target(cursor_));
    first_ = false;
    Operand operands[4];
    uint32_t enabled = 0;
    cursor_.accept(",");
    for (unsigned i = 0; i < 4; ++i) {
        if (i > 0) {
            cursor_.accept(",");
        }
        operands[i].column = cursor_.peek().column;
        if (!cursor_.accept_name("off")) {
            operands[i] = cursor_.operand();
            enabled |= 1u << i;
        }
    }
    bool done = false;
    bool compr = false;
    bool vm = false;
    while (more()) {
        if (!flag("done", done) && !flag("compr", compr) && !flag("vm", vm)) {
            unknown_modifier({"done", "compr", "vm"});
        }
    }
    static const enc::Field kFields[4] = {enc::exp::kVsrc0, enc::exp::kVsrc1, enc::exp::kVsrc2,
                                          enc::exp::kVsrc3};
    for (unsigned i = 0; i < 4; ++i) {
        const uint32_t reg = (enabled >> i & 1) != 0 ? vgpr(operands[i], 1) : 0;
        if (!compr) {
            put(kFields[i], reg);
            continue;
        }
        // Packed components share a register.
        const Operand& other = operands[i ^ 1];
        if ((enabled >> i & 1) != (enabled >> (i ^ 1) & 1) || other.code != operands[i].code) {
            fail(operands[i | 1], "with compr, two components in a row name the same register");
        }
        if (i % 2 == 0) {
            put(kFields[i / 2], reg);
        }
    }
    put(enc::exp::kEn, enabled);
    put(enc::exp::kDone, done);
    put(enc::exp::kCompr, compr);
    put(enc::exp::kVm, vm);
}

// What buffer() relies on.
static_assert(enc::mubuf::kSrsrcQuad.low == enc::mtbuf::kSrsrcQuad.low &&
              enc::mubuf::kSoffset.low == enc::mtbuf::kSoffset.low &&
              enc::mubuf::kVaddr.low == enc::mtbuf::kVaddr.low &&
              enc::mubuf::kVdata.low == enc::mtbuf::kVdata.low &&
              enc::mubuf::kOffset.high == enc::mtbuf::kOffset.high &&
              enc::mubuf::kOffen.low == enc::mtbuf::kOffen.low &&
              enc::mubuf::kIdxen.low == enc::mtbuf::kIdxen.low &&
              enc::mubuf::kGlc.low == enc::mtbuf::kGlc.low &&
              enc::mubuf::kAddr64.low == enc::mtbuf::kAddr64.low &&
              enc::mubuf::kSlc.low == enc::mtbuf::kSlc.low &&
              enc::mubuf::kTfe.low == enc::mtbuf::kTfe.low);

}  // namespace archipelago::isa
