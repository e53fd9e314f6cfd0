// SPDX-License-Identifier: Apache-2.0
// Every opcode in every encoding with every kind of operand in every slot and every modifier, one
// change at a time. Built from the field tables only.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::isa::test {

struct Form {
    Op op{};
    std::string name;  // "e64/src1=scalar:m0": encoding of vector instructions, field, value
    uint32_t words[2] = {};
    unsigned dwords = 1;
};

class FormMaker {
  public:
    std::vector<Form> all() {
        for (unsigned i = 0; i < kOpCount; ++i) {
            op_ = Op{static_cast<uint16_t>(i)};
            info_ = &op_info(op_);
            const bool shorter = info_->format == Format::Vop1 || info_->format == Format::Vop2 ||
                                 info_->format == Format::Vopc;
            encoding_ = shorter ? "e32/" : "";
            make(info_->format);
            if (shorter && !info_->has(kOpNoVop3)) {
                encoding_ = "e64/";
                make(Format::Vop3);
            }
        }
        return std::move(forms_);
    }

  private:
    struct Choice {
        std::string label;
        uint64_t bits;         // of the whole encoding
        bool literal = false;  // a literal follows
        uint32_t value = 0;
    };
    struct Slot {
        std::string name;
        uint64_t mask;  // bits the choices replace
        std::vector<Choice> choices;
    };

    static uint64_t mask(enc::Field field) { return field.put(~0u); }

    // ---- choices of one field -----------------------------------------------------------------

    Slot slot(const char* name, enc::Field field, const std::vector<uint32_t>& values) {
        Slot s{name, mask(field), {}};
        for (const uint32_t v : values) {
            s.choices.push_back({std::to_string(v), field.put(v)});
        }
        return s;
    }

    static std::string range(const char* file, unsigned first, unsigned dwords) {
        return dwords == 1 ? file + std::to_string(first)
                           : file + ("[" + std::to_string(first)) + ":" +
                                 std::to_string(first + dwords - 1) + "]";
    }

    // Registers that can be written, of one width.
    static void add_scalar_registers(Slot& s, enc::Field field, unsigned dwords) {
        const auto add = [&](const std::string& label, uint32_t code) {
            s.choices.push_back({"scalar:" + label, field.put(code)});
        };
        const unsigned last =
            (104 - dwords) / (dwords > 2 ? 4 : dwords) * (dwords > 2 ? 4 : dwords);
        add(range("s", 0, dwords), 0);
        add(range("s", last, dwords), last);
        if (dwords <= 2) {
            const bool pair = dwords == 2;
            add(pair ? "vcc" : "vcc_lo", kVccLo);
            add(pair ? "tba" : "tba_lo", kTbaLo);
            add(pair ? "tma" : "tma_lo", kTmaLo);
            add(pair ? "exec" : "exec_lo", kExecLo);
            if (!pair) {
                add("vcc_hi", kVccHi);
                add("tba_hi", kTbaLo + 1);
                add("tma_hi", kTmaLo + 1);
                add("exec_hi", kExecHi);
                add("m0", kM0);
            }
        }
        if (dwords <= 8) {
            const unsigned top =
                (12 - dwords) / (dwords > 2 ? 4 : dwords) * (dwords > 2 ? 4 : dwords);
            add(range("ttmp", 0, dwords), kTtmpFirst);
            add(range("ttmp", top, dwords), kTtmpFirst + top);
        }
    }

    Slot scalar_destination(const char* name, enc::Field field, unsigned dwords) {
        Slot s{name, mask(field), {}};
        add_scalar_registers(s, field, dwords);
        return s;
    }

    static void add_constants(Slot& s, enc::Field field, bool literal) {
        static const char* const kFloats[] = {"0.5", "-0.5", "1.0", "-1.0",
                                              "2.0", "-2.0", "4.0", "-4.0"};
        for (uint32_t i = 0; i <= 64; ++i) {
            s.choices.push_back({"int:" + std::to_string(i), field.put(kConstZero + i)});
        }
        for (uint32_t i = 1; i <= 16; ++i) {
            s.choices.push_back({"int:-" + std::to_string(i), field.put(kIntPosLast + i)});
        }
        for (uint32_t i = 0; i < 8; ++i) {
            s.choices.push_back({std::string("float:") + kFloats[i], field.put(kFloatFirst + i)});
        }
        s.choices.push_back({"flag:vccz", field.put(kVccz)});
        s.choices.push_back({"flag:execz", field.put(kExecz)});
        s.choices.push_back({"flag:scc", field.put(kScc)});
        if (literal) {
            // Above and below the inline integers, -0.0, a float, a 16-bit number, a large one.
            for (const uint32_t value :
                 {65u, 0xffffffefu, 0x80000000u, 0x3fc00000u, 0x7fffu, 0x12345678u}) {
                char text[24];
                std::snprintf(text, sizeof text, "literal:%#x", value);
                s.choices.push_back({text, field.put(kLiteral), true, value});
            }
        }
    }

    Slot scalar_source(const char* name, enc::Field field, unsigned dwords, bool literal = true) {
        Slot s = scalar_destination(name, field, dwords);
        add_constants(s, field, literal);
        return s;
    }

    Slot vgpr(const char* name, enc::Field field, unsigned dwords, uint32_t base = 0) {
        const unsigned last = 256 - dwords;
        Slot s{name, mask(field), {}};
        for (const unsigned first : {4u, 1u, 0u, last}) {
            s.choices.push_back({range("v", first, dwords), field.put(base + first)});
        }
        return s;
    }

    Slot vector_source(const char* name, enc::Field field, unsigned dwords, bool literal) {
        Slot s = vgpr(name, field, dwords, kVgprFirst);
        add_scalar_registers(s, field, dwords);
        add_constants(s, field, literal);
        if (literal && dwords == 1) {
            s.choices.push_back({"lds_direct", field.put(kLdsDirect)});
        }
        return s;
    }

    Slot flag(const char* name, enc::Field field) {
        return {name, mask(field), {{"0", 0}, {"1", field.put(1)}}};
    }

    // ---- formats ------------------------------------------------------------------------------

    void make(Format format) {
        slots_.clear();
        base_ = 0;
        dwords_ = 1;
        constant_ = info_->has(kOpConstant);
        const OpInfo& info = *info_;
        switch (format) {
            case Format::Sop2:
                begin(enc::sop2::kId, enc::sop2::kIdValue, enc::sop2::kOp, info.number);
                add_destination(enc::sop2::kSdst);
                slots_.push_back(scalar_source("src0", enc::sop2::kSsrc0, info.src_dwords[0]));
                slots_.push_back(scalar_source("src1", enc::sop2::kSsrc1, info.src_dwords[1]));
                break;
            case Format::Sopk:
                sopk();
                break;
            case Format::Sop1:
                begin(enc::sop1::kId, enc::sop1::kIdValue, enc::sop1::kOp, info.number);
                add_destination(enc::sop1::kSdst);
                if (info.num_src > 0) {
                    slots_.push_back(scalar_source("src0", enc::sop1::kSsrc0, info.src_dwords[0]));
                }
                break;
            case Format::Sopc:
                begin(enc::sopc::kId, enc::sopc::kIdValue, enc::sopc::kOp, info.number);
                slots_.push_back(scalar_source("src0", enc::sopc::kSsrc0, info.src_dwords[0]));
                slots_.push_back(scalar_source("src1", enc::sopc::kSsrc1, info.src_dwords[1]));
                break;
            case Format::Sopp:
                sopp();
                break;
            case Format::Smrd:
                smrd();
                break;
            case Format::Vop2:
                begin(enc::vop2::kId, enc::vop2::kIdValue, enc::vop2::kOp, info.number);
                add_vector_destination(enc::vop2::kVdst);
                if (info.has(kOpLaneSel)) {
                    if (info.has(kOpSgprDst)) {
                        slots_.push_back(vgpr("src0", enc::vop2::kSrc0, 1, kVgprFirst));
                    } else {
                        slots_.push_back(scalar_source("src0", enc::vop2::kSrc0, 1));
                    }
                    slots_.push_back(scalar_source("src1", enc::vop2::kVsrc1, 1, false));
                } else {
                    slots_.push_back(
                        vector_source("src0", enc::vop2::kSrc0, info.src_dwords[0], true));
                    slots_.push_back(vgpr("src1", enc::vop2::kVsrc1, info.src_dwords[1]));
                }
                break;
            case Format::Vop1:
                begin(enc::vop1::kId, enc::vop1::kIdValue, enc::vop1::kOp, info.number);
                add_vector_destination(enc::vop1::kVdst);
                if (info.num_src > 0) {
                    slots_.push_back(
                        vector_source("src0", enc::vop1::kSrc0, info.src_dwords[0], true));
                }
                break;
            case Format::Vopc:
                begin(enc::vopc::kId, enc::vopc::kIdValue, enc::vopc::kOp, info.number);
                slots_.push_back(vector_source("src0", enc::vopc::kSrc0, info.src_dwords[0], true));
                slots_.push_back(vgpr("src1", enc::vopc::kVsrc1, info.src_dwords[1]));
                break;
            case Format::Vop3:
                vop3();
                break;
            case Format::Vintrp:
                begin(enc::vintrp::kId, enc::vintrp::kIdValue, enc::vintrp::kOp, info.number);
                slots_.push_back(vgpr("dst", enc::vintrp::kVdst, 1));
                if (info.num_src > 0) {
                    slots_.push_back(vgpr("src0", enc::vintrp::kVsrc, 1));
                } else {
                    slots_.push_back(slot("src0", enc::vintrp::kVsrc, {0, 1, 2}));
                }
                slots_.push_back(slot("attr", enc::vintrp::kAttr, {0, 1, 31, 32, 33, 63}));
                slots_.push_back(slot("chan", enc::vintrp::kAttrChan, {0, 1, 2, 3}));
                break;
            case Format::Ds:
                ds();
                break;
            case Format::Mubuf:
                begin(enc::mubuf::kId, enc::mubuf::kIdValue, enc::mubuf::kOp, info.number, 2);
                buffer();
                break;
            case Format::Mtbuf:
                begin(enc::mtbuf::kId, enc::mtbuf::kIdValue, enc::mtbuf::kOp, info.number, 2);
                buffer();
                slots_.push_back(slot("dfmt", enc::mtbuf::kDfmt,
                                      {4, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0}));
                slots_.push_back(slot("nfmt", enc::mtbuf::kNfmt, {0, 1, 2, 3, 4, 5, 6, 7}));
                break;
            case Format::Mimg:
                mimg();
                break;
            case Format::Exp:
                exp();
                break;
            case Format::Illegal:
                break;
        }
        emit();
    }

    void begin(enc::Field id, uint32_t value, enc::Field op, uint32_t number, unsigned dwords = 1) {
        base_ = id.put(value) | op.put(number);
        dwords_ = dwords;
    }

    void add_destination(enc::Field field) {
        if (info_->dst_dwords > 0) {
            slots_.push_back(scalar_destination("dst", field, info_->dst_dwords));
        }
    }
    void add_vector_destination(enc::Field field) {
        if (info_->has(kOpSgprDst)) {
            slots_.push_back(scalar_destination("dst", field, 1));
        } else if (info_->dst_dwords > 0) {
            slots_.push_back(vgpr("dst", field, info_->dst_dwords));
        }
    }

    void sopk() {
        begin(enc::sopk::kId, enc::sopk::kIdValue, enc::sopk::kOp, info_->number);
        const unsigned dwords = info_->dst_dwords > 0 ? info_->dst_dwords
                                : info_->num_src > 0  ? info_->src_dwords[0]
                                                      : 0;
        if (dwords > 0) {
            slots_.push_back(scalar_destination("dst", enc::sopk::kSdst, dwords));
        }
        if (std::string(info_->name).find("etreg") != std::string::npos) {
            const auto hwreg = [](uint32_t id, uint32_t offset, uint32_t width) {
                return id | offset << 6 | (width - 1) << 11;
            };
            std::vector<uint32_t> values;
            for (uint32_t id = 0; id < 64; ++id) {
                values.push_back(hwreg(id, 0, 32));
            }
            for (uint32_t bit = 0; bit < 32; ++bit) {
                values.push_back(hwreg(1, bit, 1));
                values.push_back(hwreg(2, 0, bit + 1));
            }
            slots_.push_back(slot("hwreg", enc::sopk::kSimm16, values));
        } else {
            slots_.push_back(slot("simm", enc::sopk::kSimm16, {0, 1, 0x7fff, 0x8000, 0xffff}));
        }
    }

    void sopp() {
        begin(enc::sopp::kId, enc::sopp::kIdValue, enc::sopp::kOp, info_->number);
        std::vector<uint32_t> values = {0, 1, 2, 15, 0x7fff, 0x8000, 0xffff};
        switch (op_) {
            case Op::S_BARRIER:
            case Op::S_ICACHE_INV:
            case Op::S_TTRACEDATA:
                values = {0};
                break;
            case Op::S_WAITCNT:
                for (uint32_t n = 0; n < 16; ++n) {
                    values.push_back(0xf70 | n);
                    values.push_back(0x7f | n << 8);
                    values.push_back(0xf0f | (n & 7) << 4);
                }
                values.push_back(0xf7f);
                break;
            case Op::S_SENDMSG:
            case Op::S_SENDMSGHALT:
                for (uint32_t id = 0; id < 16; ++id) {
                    for (uint32_t op = 0; op < 5; ++op) {
                        values.push_back(id | op << 4);
                        values.push_back(id | op << 4 | 2 << 8);
                    }
                }
                break;
            default:
                break;
        }
        slots_.push_back(slot("simm", enc::sopp::kSimm16, values));
    }

    void smrd() {
        begin(enc::smrd::kId, enc::smrd::kIdValue, enc::smrd::kOp, info_->number);
        add_destination(enc::smrd::kSdst);
        if (info_->num_src == 0) {
            return;
        }
        Slot base{"base", mask(enc::smrd::kSbasePair), {}};
        Slot registers{"", 0, {}};
        add_scalar_registers(registers, {0, 6}, info_->src_dwords[0]);
        for (const Choice& c : registers.choices) {
            base.choices.push_back(
                {c.label, enc::smrd::kSbasePair.put(static_cast<uint32_t>(c.bits) / 2)});
        }
        slots_.push_back(base);
        Slot offset{"offset", mask(enc::smrd::kOffset) | mask(enc::smrd::kImm), {}};
        for (const uint32_t value : {0u, 1u, 127u, 128u, 255u}) {
            offset.choices.push_back(
                {std::to_string(value), enc::smrd::kImm.put(1) | enc::smrd::kOffset.put(value)});
        }
        add_scalar_registers(offset, enc::smrd::kOffset, 1);
        slots_.push_back(offset);
    }

    void vop3() {
        const OpInfo& info = *info_;
        const uint32_t base = info.format == Format::Vop2   ? 256
                              : info.format == Format::Vop1 ? 384
                                                            : 0;
        begin(enc::vop3::kId, enc::vop3::kIdValue, enc::vop3::kOp, info.number + base, 2);
        const bool has_sdst = info.has(kOpMaskOut) && info.format != Format::Vopc;
        if (info.format == Format::Vopc) {
            slots_.push_back(scalar_destination("dst", enc::vop3::kVdst, 2));
        } else if (info.dst_dwords > 0) {
            // Apart from the sources: the SAD instructions want it so.
            Slot dst{"dst", mask(enc::vop3::kVdst), {}};
            for (const unsigned first : {20u, 0u, 256u - info.dst_dwords}) {
                dst.choices.push_back(
                    {range("v", first, info.dst_dwords), enc::vop3::kVdst.put(first)});
            }
            slots_.push_back(dst);
        }
        if (has_sdst) {
            slots_.push_back(scalar_destination("sdst", enc::vop3::kSdst, 2));
        }
        const enc::Field fields[3] = {enc::vop3::kSrc0, enc::vop3::kSrc1, enc::vop3::kSrc2};
        const char* const names[3] = {"src0", "src1", "src2"};
        for (unsigned i = 0; i < info.num_src; ++i) {
            slots_.push_back(vector_source(names[i], fields[i], info.src_dwords[i], false));
        }
        if (info.has(kOpMaskIn)) {
            slots_.push_back(scalar_destination("mask", enc::vop3::kSrc2, 2));
        }
        for (unsigned i = info.num_src; i < (info.has(kOpMaskIn) ? 2u : 3u); ++i) {
            // AMD's compilers leave constant 0 there.
            const std::string name = "unread" + std::to_string(i);
            slots_.push_back(slot(name.c_str(), fields[i], {0, kConstZero, 1, 511}));
        }
        if (info.num_src == 0) {
            return;
        }
        for (unsigned i = 0; i < info.num_src; ++i) {
            const std::string n = std::to_string(i);
            slots_.push_back({"neg" + n, 0, {{"0", 0}, {"1", enc::vop3::kNeg.put(1u << i)}}});
            if (!has_sdst) {
                slots_.push_back({"abs" + n, 0, {{"0", 0}, {"1", enc::vop3::kAbs.put(1u << i)}}});
                slots_.push_back(
                    {"negabs" + n,
                     0,
                     {{"0", 0},
                      {"1", enc::vop3::kNeg.put(1u << i) | enc::vop3::kAbs.put(1u << i)}}});
                // A sign in front of a constant is not a modifier.
                slots_.push_back({"abs_of_constant" + n,
                                  mask(fields[i]),
                                  {{"0", fields[i].put(kVgprFirst + 4)},
                                   {"1", enc::vop3::kAbs.put(1u << i) | fields[i].put(242)}}});
            }
            slots_.push_back({"neg_of_constant" + n,
                              mask(fields[i]),
                              {{"0", fields[i].put(kVgprFirst + 4)},
                               {"1", enc::vop3::kNeg.put(1u << i) | fields[i].put(242)}}});
        }
        if (!has_sdst) {
            slots_.push_back(flag("clamp", enc::vop3::kClamp));
        }
        slots_.push_back(slot("omod", enc::vop3::kOmod, {0, 1, 2, 3}));
    }

    void ds() {
        begin(enc::ds::kId, enc::ds::kIdValue, enc::ds::kOp, info_->number, 2);
        if (info_->dst_dwords > 0) {
            slots_.push_back(vgpr("dst", enc::ds::kVdst, info_->dst_dwords));
        }
        const enc::Field fields[3] = {enc::ds::kAddr, enc::ds::kData0, enc::ds::kData1};
        const char* const names[3] = {"addr", "data0", "data1"};
        for (unsigned i = 0; i < info_->num_src; ++i) {
            if (info_->src_dwords[i] > 0) {
                slots_.push_back(vgpr(names[i], fields[i], info_->src_dwords[i]));
            }
        }
        slots_.push_back(slot("offset0", enc::ds::kOffset0, {0, 1, 128, 255}));
        slots_.push_back(slot("offset1", enc::ds::kOffset1, {0, 1, 128, 255}));
        const bool global = info_->mem == MemKind::Gws || info_->mem == MemKind::OrderedCount;
        slots_.push_back(slot("gds", enc::ds::kGds, {global ? 1u : 0u, global ? 0u : 1u}));
    }

    // MUBUF and MTBUF have these fields at the same places.
    void buffer() {
        if (info_->mem == MemKind::CacheInvalidate) {
            return;
        }
        const unsigned data =
            info_->dst_dwords > info_->src_dwords[1] ? info_->dst_dwords : info_->src_dwords[1];
        slots_.push_back(vgpr("data", enc::mubuf::kVdata, data));
        Slot quad{"srsrc", mask(enc::mubuf::kSrsrcQuad), {}};
        for (const uint32_t first : {0u, 4u, 100u, 112u, 120u}) {
            quad.choices.push_back(
                {first < 104 ? range("s", first, 4) : range("ttmp", first - 112, 4),
                 enc::mubuf::kSrsrcQuad.put(first / 4)});
        }
        slots_.push_back(quad);
        slots_.push_back(scalar_source("soffset", enc::mubuf::kSoffset, 1, false));
        const auto mode = [](uint32_t offen, uint32_t idxen, uint32_t addr64, uint32_t vaddr) {
            return enc::mubuf::kOffen.put(offen) | enc::mubuf::kIdxen.put(idxen) |
                   enc::mubuf::kAddr64.put(addr64) | enc::mubuf::kVaddr.put(vaddr);
        };
        slots_.push_back({"address",
                          mode(1, 1, 1, 255),
                          {{"off", 0},
                           {"offen:v7", mode(1, 0, 0, 7)},
                           {"offen:v0", mode(1, 0, 0, 0)},
                           {"offen:v255", mode(1, 0, 0, 255)},
                           {"idxen:v7", mode(0, 1, 0, 7)},
                           {"idxen:v255", mode(0, 1, 0, 255)},
                           {"both:v[7:8]", mode(1, 1, 0, 7)},
                           {"both:v[254:255]", mode(1, 1, 0, 254)},
                           {"addr64:v[7:8]", mode(0, 0, 1, 7)},
                           {"addr64:v[254:255]", mode(0, 0, 1, 254)},
                           {"addr64+offen", mode(1, 0, 1, 7)},
                           {"addr64+idxen", mode(0, 1, 1, 7)},
                           {"addr64+both", mode(1, 1, 1, 7)}}});
        slots_.push_back(slot("offset", enc::mubuf::kOffset, {0, 1, 2048, 4095}));
        slots_.push_back(flag("glc", enc::mubuf::kGlc));
        slots_.push_back(flag("slc", enc::mubuf::kSlc));
        slots_.push_back(flag("tfe", enc::mubuf::kTfe));
        if (info_->format == Format::Mubuf) {
            slots_.push_back({"lds",
                              mask(enc::mubuf::kLds) | mask(enc::mubuf::kVdata),
                              {{"0", enc::mubuf::kVdata.put(4)}, {"1", enc::mubuf::kLds.put(1)}}});
        }
    }

    void mimg() {
        begin(enc::mimg::kId, enc::mimg::kIdValue, enc::mimg::kOp, info_->number, 2);
        const bool atomic = info_->mem == MemKind::ImageAtomic;
        const bool exchange = std::string(info_->name).find("cmpswap") != std::string::npos;
        std::vector<uint32_t> masks = {exchange ? 3u : 1u};
        for (uint32_t m = 0; m < 16; ++m) {
            if (m != masks[0]) {
                masks.push_back(m);
            }
        }
        slots_.push_back(slot("dmask", enc::mimg::kDmask, masks));
        slots_.push_back(vgpr("data", enc::mimg::kVdata, 5));
        slots_.push_back(vgpr("vaddr", enc::mimg::kVaddr, info_->src_dwords[0]));
        Slot resource{"srsrc", mask(enc::mimg::kSrsrcQuad), {}};
        for (const uint32_t first : {0u, 8u, 12u, 96u, 112u, 116u}) {
            resource.choices.push_back(
                {first < 104 ? range("s", first, 8) : range("ttmp", first - 112, 8),
                 enc::mimg::kSrsrcQuad.put(first / 4)});
        }
        slots_.push_back(resource);
        if (info_->mem == MemKind::ImageSample || op_ == Op::IMAGE_GET_LOD) {
            Slot sampler{"ssamp", mask(enc::mimg::kSsampQuad), {}};
            for (const uint32_t first : {0u, 4u, 100u, 112u, 120u}) {
                sampler.choices.push_back(
                    {first < 104 ? range("s", first, 4) : range("ttmp", first - 112, 4),
                     enc::mimg::kSsampQuad.put(first / 4)});
            }
            slots_.push_back(sampler);
        }
        slots_.push_back(slot("glc", enc::mimg::kGlc, {atomic ? 1u : 0u, atomic ? 0u : 1u}));
        slots_.push_back(flag("unorm", enc::mimg::kUnorm));
        slots_.push_back(flag("slc", enc::mimg::kSlc));
        slots_.push_back(flag("r128", enc::mimg::kR128));
        slots_.push_back(
            {"r128_at_end",
             mask(enc::mimg::kSrsrcQuad),
             {{"0", 0}, {"1", enc::mimg::kR128.put(1) | enc::mimg::kSrsrcQuad.put(25)}}});
        slots_.push_back(flag("tfe", enc::mimg::kTfe));
        slots_.push_back(flag("lwe", enc::mimg::kLwe));
        slots_.push_back(flag("da", enc::mimg::kDa));
    }

    void exp() {
        begin(enc::exp::kId, enc::exp::kIdValue, {18, 18}, 0, 2);
        std::vector<uint32_t> targets;
        for (uint32_t t = 0; t < 64; ++t) {
            if (t <= 9 || (t >= 12 && t <= 15) || t >= 32) {
                targets.push_back(t);
            }
        }
        slots_.push_back(slot("target", enc::exp::kTarget, targets));
        const auto v = [](uint32_t a, uint32_t b, uint32_t c, uint32_t d) {
            return enc::exp::kVsrc0.put(a) | enc::exp::kVsrc1.put(b) | enc::exp::kVsrc2.put(c) |
                   enc::exp::kVsrc3.put(d);
        };
        Slot data{"data", mask(enc::exp::kEn) | mask(enc::exp::kCompr) | v(255, 255, 255, 255), {}};
        for (uint32_t en = 0; en < 16; ++en) {
            data.choices.push_back({"en:" + std::to_string(en),
                                    enc::exp::kEn.put(en) | v(en & 1 ? 1 : 0, en & 2 ? 255 : 0,
                                                              en & 4 ? 3 : 0, en & 8 ? 4 : 0)});
        }
        for (const uint32_t en : {0u, 3u, 12u, 15u}) {
            data.choices.push_back(
                {"compr:" + std::to_string(en), enc::exp::kCompr.put(1) | enc::exp::kEn.put(en) |
                                                    v(en & 1 ? 1 : 0, en & 4 ? 255 : 0, 0, 0)});
        }
        slots_.push_back(data);
        slots_.push_back(flag("done", enc::exp::kDone));
        slots_.push_back(flag("vm", enc::exp::kVm));
        slots_.push_back(
            {"flags",
             0,
             {{"0", 0},
              {"all", enc::exp::kDone.put(1) | enc::exp::kVm.put(1) | enc::exp::kCompr.put(1)}}});
    }

    // ---- one change at a time ------------------------------------------------------------------

    void add(const std::string& name, uint64_t bits, const Choice* literal) {
        Form form;
        form.op = op_;
        form.name = encoding_ + name;
        form.words[0] = static_cast<uint32_t>(bits);
        form.dwords = dwords_;
        if (dwords_ == 2) {
            form.words[1] = static_cast<uint32_t>(bits >> 32);
        } else if (literal != nullptr || constant_) {
            form.dwords = 2;
            form.words[1] = literal != nullptr ? literal->value : 0x12345678;
        }
        forms_.push_back(form);
    }

    // The first choice of every slot makes the base; then each slot in turn takes its others.
    void emit() {
        uint64_t bits = base_;
        for (const Slot& s : slots_) {
            bits |= s.choices[0].bits;
        }
        add("base", bits, nullptr);
        for (const Slot& s : slots_) {
            for (size_t i = 1; i < s.choices.size(); ++i) {
                const Choice& c = s.choices[i];
                // A literal in front of a constant of its own would be a third word.
                if (c.literal && constant_) {
                    add(s.name + "=" + c.label, (bits & ~s.mask) | c.bits, nullptr);
                    continue;
                }
                add(s.name + "=" + c.label, (bits & ~s.mask) | c.bits, c.literal ? &c : nullptr);
            }
        }
    }

    Op op_{};
    const OpInfo* info_ = nullptr;
    std::string encoding_;
    std::vector<Slot> slots_;
    uint64_t base_ = 0;
    unsigned dwords_ = 1;
    bool constant_ = false;
    std::vector<Form> forms_;
};

}  // namespace archipelago::isa::test
