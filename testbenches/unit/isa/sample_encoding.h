// SPDX-License-Identifier: Apache-2.0
// Random legal encodings of every opcode, built from the field tables only.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/opcodes.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::isa::test {

using Random = archipelago::Random<XorShift<20>>;

struct Sample {
    Op op;
    bool e64;
    uint32_t words[2] = {};
    unsigned dwords = 1;
};

// Makes samples an assembler accepts: it respects what the encoding alone does not say (one SGPR
// per vector instruction, no modifiers on integers, enabled exports only, ...).
class SampleMaker {
  public:
    explicit SampleMaker(uint64_t seed) : r_(seed) {}

    Sample make(Op op, bool e64) {
        info_ = &op_info(op);
        sample_ = {};
        sample_.op = op;
        sample_.e64 = e64;
        bits_ = 0;
        literal_ = false;
        switch (e64 ? Format::Vop3 : info_->format) {
            case Format::Sop2:
                id(enc::sop2::kId, enc::sop2::kIdValue);
                put(enc::sop2::kOp, info_->number);
                put(enc::sop2::kSdst, scalar_dst(info_->dst_dwords));
                put(enc::sop2::kSsrc0, scalar_src(0));
                put(enc::sop2::kSsrc1, scalar_src(1));
                break;
            case Format::Sopk:
                sopk();
                break;
            case Format::Sop1:
                id(enc::sop1::kId, enc::sop1::kIdValue);
                put(enc::sop1::kOp, info_->number);
                put(enc::sop1::kSdst, scalar_dst(info_->dst_dwords));
                put(enc::sop1::kSsrc0, scalar_src(0));
                break;
            case Format::Sopc:
                id(enc::sopc::kId, enc::sopc::kIdValue);
                put(enc::sopc::kOp, info_->number);
                put(enc::sopc::kSsrc0, scalar_src(0));
                put(enc::sopc::kSsrc1, scalar_src(1));
                break;
            case Format::Sopp:
                sopp();
                break;
            case Format::Smrd:
                smrd();
                break;
            case Format::Vop2:
                vop2();
                break;
            case Format::Vop1:
                id(enc::vop1::kId, enc::vop1::kIdValue);
                put(enc::vop1::kOp, info_->number);
                if (info_->num_src > 0) {
                    put(enc::vop1::kVdst, vector_dst());
                    put(enc::vop1::kSrc0, vector_src0());
                }
                break;
            case Format::Vopc:
                id(enc::vopc::kId, enc::vopc::kIdValue);
                put(enc::vopc::kOp, info_->number);
                put(enc::vopc::kSrc0, vector_src0());
                put(enc::vopc::kVsrc1, vgpr(info_->src_dwords[1]));
                break;
            case Format::Vop3:
                vop3(e64);
                break;
            case Format::Vintrp:
                id(enc::vintrp::kId, enc::vintrp::kIdValue);
                put(enc::vintrp::kOp, info_->number);
                put(enc::vintrp::kVdst, vgpr(1));
                put(enc::vintrp::kAttr, r_.below(33));
                put(enc::vintrp::kAttrChan, r_.below(4));
                put(enc::vintrp::kVsrc, info_->num_src > 0 ? vgpr(1) : r_.below(3));
                break;
            case Format::Ds:
                ds();
                break;
            case Format::Mubuf:
                mubuf();
                break;
            case Format::Mtbuf:
                mtbuf();
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
        sample_.words[0] = static_cast<uint32_t>(bits_);
        if (sample_.dwords == 2) {
            sample_.words[1] = static_cast<uint32_t>(bits_ >> 32);
        } else if (literal_ || info_->has(kOpConstant)) {
            sample_.dwords = 2;
            sample_.words[1] = 0x10000 + r_.below(0x3e000000);
        }
        return sample_;
    }

  private:
    void id(enc::Field field, uint32_t value) { put(field, value); }
    void put(enc::Field field, uint32_t value) { bits_ |= field.put(value); }
    bool named(const char* part) const {
        return std::string(info_->name).find(part) != std::string::npos;
    }

    uint32_t sgpr(unsigned dwords) {
        const unsigned align = dwords == 1 ? 1 : dwords == 2 ? 2 : 4;
        return r_.below((104 - dwords) / align + 1) * align;
    }
    uint32_t scalar_dst(unsigned dwords) {
        if (dwords == 0) {
            return 0;
        }
        if (dwords <= 2 && r_.below(4) == 0) {
            static const uint32_t kSpecial[] = {kVccLo, kTbaLo, kTmaLo, kTtmpFirst + 4, kExecLo};
            return kSpecial[r_.below(5)];
        }
        return dwords == 1 && r_.below(8) == 0 ? uint32_t{kM0} : sgpr(dwords);
    }
    uint32_t constant() {
        static const uint32_t kFirst[] = {kConstZero, kIntNegFirst, kFloatFirst};
        static const uint32_t kCount[] = {65, 16, 8};
        const unsigned k = r_.below(3);
        return kFirst[k] + r_.below(kCount[k]);
    }
    uint32_t scalar_src(unsigned slot) {
        if (slot >= info_->num_src) {
            return 0;
        }
        const unsigned dwords = info_->src_dwords[slot];
        const bool register_only = named("s_setpc") || named("s_swappc") || named("s_rfe") ||
                                   named("s_movrels") || named("s_cbranch");
        if (register_only) {
            return sgpr(dwords);
        }
        switch (r_.below(5)) {
            case 0:
                return constant();
            case 1:
                if (slot == 0 && !literal_) {
                    literal_ = true;
                    return kLiteral;
                }
                return constant();
            case 2:
                return scalar_dst(dwords);
            default:
                return sgpr(dwords);
        }
    }
    uint32_t vgpr(unsigned dwords) { return r_.below(257 - (dwords == 0 ? 1 : dwords)); }
    uint32_t vector_dst() { return info_->has(kOpSgprDst) ? sgpr(1) : vgpr(info_->dst_dwords); }
    uint32_t vector_src0() {
        const bool vgpr_only = named("v_readfirstlane") || named("v_movrel") || named("f32_f16");
        const bool reads_vcc = info_->has(kOpMaskIn) || info_->has(kOpVccIn);
        switch (vgpr_only ? 3 : r_.below(4)) {
            case 0:
                return constant();
            case 1:
                if (reads_vcc || info_->has(kOpConstant)) {
                    return constant();
                }
                return sgpr(info_->src_dwords[0]);
            case 2:
                if (reads_vcc || info_->has(kOpConstant)) {
                    return constant();
                }
                literal_ = true;
                return kLiteral;
            default:
                return kVgprFirst + vgpr(info_->src_dwords[0]);
        }
    }

    void sopk() {
        id(enc::sopk::kId, enc::sopk::kIdValue);
        put(enc::sopk::kOp, info_->number);
        const unsigned dwords = info_->has(kOpSdstIn) ? info_->src_dwords[0] : info_->dst_dwords;
        put(enc::sopk::kSdst, dwords == 0 ? 0 : sgpr(dwords));
        put(enc::sopk::kSimm16, r_.next() & 0xffff);
    }
    void sopp() {
        id(enc::sopp::kId, enc::sopp::kIdValue);
        put(enc::sopp::kOp, info_->number);
        uint32_t k = r_.next() & 0xffff;
        switch (sample_.op) {
            case Op::S_BARRIER:
            case Op::S_ICACHE_INV:
            case Op::S_TTRACEDATA:
            case Op::S_ENDPGM:
                k = 0;
                break;
            case Op::S_WAITCNT:
                k &= 0xf7f;
                break;
            case Op::S_SENDMSG:
            case Op::S_SENDMSGHALT: {
                static const uint32_t kMessages[] = {0x1,   0x3,  0x12,  0x122,
                                                     0x232, 0x33, 0x213, 0x4};
                k = kMessages[r_.below(8)];
                break;
            }
            default:
                break;
        }
        put(enc::sopp::kSimm16, k);
    }
    void smrd() {
        id(enc::smrd::kId, enc::smrd::kIdValue);
        put(enc::smrd::kOp, info_->number);
        if (info_->dst_dwords > 0) {
            put(enc::smrd::kSdst, sgpr(info_->dst_dwords));
        }
        if (info_->num_src > 0) {
            put(enc::smrd::kSbasePair, sgpr(info_->src_dwords[0]) / 2);
            const bool imm = r_.coin();
            put(enc::smrd::kImm, imm ? 1 : 0);
            put(enc::smrd::kOffset, imm ? r_.below(256) : sgpr(1));
        }
    }
    void vop2() {
        id(enc::vop2::kId, enc::vop2::kIdValue);
        put(enc::vop2::kOp, info_->number);
        put(enc::vop2::kVdst, vector_dst());
        if (info_->has(kOpLaneSel)) {
            const uint32_t scalar = sgpr(1);
            put(enc::vop2::kSrc0, info_->has(kOpSgprDst) ? kVgprFirst + vgpr(1) : scalar);
            put(enc::vop2::kVsrc1, r_.coin() ? scalar : kConstZero + r_.below(64));
        } else {
            put(enc::vop2::kSrc0, vector_src0());
            put(enc::vop2::kVsrc1, vgpr(info_->src_dwords[1]));
        }
    }
    // Slots that are floating point, where the assembler takes |x| and -x.
    uint32_t float_slots() const {
        const std::string name = info_->name;
        if (name.find("_f32") == std::string::npos && name.find("_f64") == std::string::npos) {
            return 0;
        }
        for (const char* integer :
             {"v_cvt_f32_i", "v_cvt_f32_u", "v_cvt_f64_i", "v_cvt_f64_u", "v_cvt_off",
              "v_cvt_f32_f16", "v_div_scale", "v_cvt_pk_u8", "v_cvt_pkaccum"}) {
            if (name.find(integer) != std::string::npos) {
                return 0;
            }
        }
        const bool first_only = name.find("ldexp") != std::string::npos ||
                                name.find("class") != std::string::npos ||
                                name.find("trig_preop") != std::string::npos;
        return first_only ? 1 : (1u << info_->num_src) - 1;
    }
    void vop3(bool e64) {
        id(enc::vop3::kId, enc::vop3::kIdValue);
        const uint32_t base = !e64                            ? 0
                              : info_->format == Format::Vop2 ? 256
                              : info_->format == Format::Vop1 ? 384
                                                              : 0;
        put(enc::vop3::kOp, info_->number + base);
        sample_.dwords = 2;
        const enc::Field fields[3] = {enc::vop3::kSrc0, enc::vop3::kSrc1, enc::vop3::kSrc2};
        const bool vgpr_only = named("v_movrel") || named("f32_f16");
        const bool distinct = named("sad_pk");  // destination must differ from the sources
        // One SGPR at most, and the mask pair is one.
        bool sgpr_free = !info_->has(kOpMaskIn) && !info_->has(kOpVccIn) && !vgpr_only;
        for (unsigned i = 0; i < info_->num_src; ++i) {
            uint32_t code =
                kVgprFirst + (distinct ? 8 + r_.below(200) : vgpr(info_->src_dwords[i]));
            if (sgpr_free && r_.below(3) == 0) {
                code = sgpr(info_->src_dwords[i]);
                sgpr_free = false;
            } else if (!vgpr_only && r_.below(4) == 0) {
                code = constant();
            }
            put(fields[i], code);
        }
        if (info_->has(kOpMaskIn)) {
            put(enc::vop3::kSrc2, r_.coin() ? uint32_t{kVccLo} : sgpr(2));
        }
        if (info_->format == Format::Vopc) {
            put(enc::vop3::kVdst, r_.coin() ? uint32_t{kVccLo} : sgpr(2));
        } else if (info_->dst_dwords > 0) {
            put(enc::vop3::kVdst, distinct ? r_.below(6) : vector_dst());
        }
        const bool has_sdst = info_->has(kOpMaskOut) && info_->format != Format::Vopc;
        if (has_sdst) {
            put(enc::vop3::kSdst, r_.coin() ? uint32_t{kVccLo} : sgpr(2));
        }
        const uint32_t slots = float_slots();
        if (slots != 0 && r_.coin()) {
            put(enc::vop3::kNeg, r_.below(8) & slots);
            if (!has_sdst) {
                put(enc::vop3::kAbs, r_.below(8) & slots);
            }
        }
        const std::string name = info_->name;
        const bool float_result =
            slots != 0 && info_->format != Format::Vopc && name.find("v_cvt_") != 0 &&
            name.find("frexp_exp") == std::string::npos && name.find("v_mov") != 0;
        if (float_result && r_.coin()) {
            put(enc::vop3::kClamp, r_.below(2));
            put(enc::vop3::kOmod, r_.below(4));
        }
    }
    void ds() {
        id(enc::ds::kId, enc::ds::kIdValue);
        sample_.dwords = 2;
        put(enc::ds::kOp, info_->number);
        const bool always_gds = info_->mem == MemKind::Gws || info_->mem == MemKind::OrderedCount;
        const bool never_gds = info_->mem == MemKind::LdsSwizzle;
        put(enc::ds::kGds, always_gds || (!never_gds && r_.coin()) ? 1 : 0);
        put(enc::ds::kOffset0, r_.below(256));
        put(enc::ds::kOffset1, r_.below(256));
        const enc::Field fields[3] = {enc::ds::kAddr, enc::ds::kData0, enc::ds::kData1};
        for (unsigned i = 0; i < info_->num_src; ++i) {
            if (info_->src_dwords[i] > 0) {
                put(fields[i], vgpr(info_->src_dwords[i]));
            }
        }
        if (info_->dst_dwords > 0) {
            put(enc::ds::kVdst, vgpr(info_->dst_dwords));
        }
    }
    void mubuf() {
        id(enc::mubuf::kId, enc::mubuf::kIdValue);
        sample_.dwords = 2;
        put(enc::mubuf::kOp, info_->number);
        if (info_->mem == MemKind::CacheInvalidate) {
            return;
        }
        const uint32_t mode = r_.below(5);  // none, offen, idxen, both, addr64
        put(enc::mubuf::kOffen, mode & 1 & (mode < 4 ? 1 : 0));
        put(enc::mubuf::kIdxen, mode < 4 ? mode >> 1 : 0);
        put(enc::mubuf::kAddr64, mode == 4 ? 1 : 0);
        put(enc::mubuf::kVaddr, mode == 0 ? 0 : vgpr(2));
        put(enc::mubuf::kOffset, r_.coin() ? r_.below(4096) : 0);
        put(enc::mubuf::kGlc, r_.below(2));
        put(enc::mubuf::kSlc, r_.below(2));
        const bool to_lds =
            info_->mem == MemKind::Load && info_->mem_bytes <= 4 && r_.below(4) == 0;
        put(enc::mubuf::kLds, to_lds ? 1 : 0);
        const unsigned data =
            info_->dst_dwords > info_->src_dwords[1] ? info_->dst_dwords : info_->src_dwords[1];
        put(enc::mubuf::kVdata, to_lds ? 0 : vgpr(data));
        put(enc::mubuf::kSrsrcQuad, sgpr(4) / 4);
        put(enc::mubuf::kSoffset, soffset());
        put(enc::mubuf::kTfe, !to_lds && info_->mem == MemKind::Load && r_.below(4) == 0 ? 1 : 0);
    }
    uint32_t soffset() {
        switch (r_.below(3)) {
            case 0:
                return sgpr(1);
            case 1:
                return kM0;
            default:
                return kConstZero + r_.below(65);
        }
    }
    void mtbuf() {
        id(enc::mtbuf::kId, enc::mtbuf::kIdValue);
        sample_.dwords = 2;
        put(enc::mtbuf::kOp, info_->number);
        put(enc::mtbuf::kDfmt, 1 + r_.below(14));
        put(enc::mtbuf::kNfmt, r_.below(8));
        const uint32_t mode = r_.below(5);
        put(enc::mtbuf::kOffen, mode & 1 & (mode < 4 ? 1 : 0));
        put(enc::mtbuf::kIdxen, mode < 4 ? mode >> 1 : 0);
        put(enc::mtbuf::kAddr64, mode == 4 ? 1 : 0);
        put(enc::mtbuf::kVaddr, mode == 0 ? 0 : vgpr(2));
        put(enc::mtbuf::kOffset, r_.coin() ? r_.below(4096) : 0);
        put(enc::mtbuf::kGlc, r_.below(2));
        put(enc::mtbuf::kSlc, r_.below(2));
        put(enc::mtbuf::kVdata, vgpr(4));
        put(enc::mtbuf::kSrsrcQuad, sgpr(4) / 4);
        put(enc::mtbuf::kSoffset, soffset());
    }
    void mimg() {
        id(enc::mimg::kId, enc::mimg::kIdValue);
        sample_.dwords = 2;
        put(enc::mimg::kOp, info_->number);
        uint32_t dmask = 1 + r_.below(15);
        const bool gather = named("gather4");
        const bool atomic = info_->mem == MemKind::ImageAtomic;
        if (gather) {
            dmask = 1u << r_.below(4);
        }
        if (atomic) {
            dmask = named("cmpswap") ? (r_.coin() ? 3 : 15) : (r_.coin() ? 1 : 3);
        }
        put(enc::mimg::kDmask, dmask);
        put(enc::mimg::kUnorm, r_.below(2));
        put(enc::mimg::kGlc, atomic ? 1 : r_.below(2));
        put(enc::mimg::kSlc, r_.below(2));
        put(enc::mimg::kDa, r_.below(2));
        put(enc::mimg::kLwe, r_.below(2));
        put(enc::mimg::kR128, r_.below(2));
        put(enc::mimg::kVaddr, vgpr(info_->src_dwords[0] + 4));
        put(enc::mimg::kVdata, vgpr(5));
        put(enc::mimg::kSrsrcQuad, sgpr(8) / 4);
        if (info_->mem == MemKind::ImageSample || sample_.op == Op::IMAGE_GET_LOD) {
            put(enc::mimg::kSsampQuad, sgpr(4) / 4);
        }
    }
    void exp() {
        id(enc::exp::kId, enc::exp::kIdValue);
        sample_.dwords = 2;
        static const uint32_t kTargets[] = {0, 7, 8, 9, 12, 15, 32, 63};
        put(enc::exp::kTarget, kTargets[r_.below(8)]);
        const bool compr = r_.coin();
        static const uint32_t kPairs[] = {0, 3, 12, 15};
        const uint32_t en = compr ? kPairs[r_.below(4)] : r_.below(16);
        put(enc::exp::kEn, en);
        put(enc::exp::kCompr, compr ? 1 : 0);
        put(enc::exp::kDone, r_.below(2));
        put(enc::exp::kVm, r_.below(2));
        const enc::Field fields[4] = {enc::exp::kVsrc0, enc::exp::kVsrc1, enc::exp::kVsrc2,
                                      enc::exp::kVsrc3};
        for (unsigned i = 0; i < (compr ? 2u : 4u); ++i) {
            if ((en >> (compr ? 2 * i : i) & 1) != 0) {
                put(fields[i], vgpr(1));
            }
        }
    }

    Random r_;
    const OpInfo* info_ = nullptr;
    Sample sample_{};
    uint64_t bits_ = 0;
    bool literal_ = false;
};

// `variants` samples of every opcode in every encoding it has.
inline std::vector<Sample> all_samples(unsigned variants, uint64_t seed) {
    SampleMaker maker(seed);
    std::vector<Sample> samples;
    for (unsigned i = 0; i < kOpCount; ++i) {
        const Op op{static_cast<uint16_t>(i)};
        const OpInfo& info = op_info(op);
        const bool vector = info.format == Format::Vop1 || info.format == Format::Vop2 ||
                            info.format == Format::Vopc;
        for (unsigned v = 0; v < variants; ++v) {
            samples.push_back(maker.make(op, false));
            if (vector && !info.has(kOpNoVop3)) {
                samples.push_back(maker.make(op, true));
            }
        }
    }
    return samples;
}

}  // namespace archipelago::isa::test
