// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/field_names.h"
#include "models/cu/isa/lane_exec.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"
#include "models/cu/isa/scalar.h"

namespace archipelago::isa {
namespace {

// Semantics of every opcode, looked up once.
struct ExecTable {
    ExecFn fn[kOpCount + 1] = {};

    ExecTable() {
        for (unsigned i = 0; i < kOpCount; ++i) {
            const Op op{static_cast<uint16_t>(i)};
            switch (op_info(op).format) {
                case Format::Sop2:
                case Format::Sopk:
                case Format::Sop1:
                case Format::Sopc:
                case Format::Sopp:
                    fn[i] = find_scalar(op);
                    break;
                case Format::Vop2:
                case Format::Vop1:
                case Format::Vopc:
                case Format::Vop3:
                    fn[i] = find_valu(op);
                    break;
                default:
                    break;
            }
        }
    }
};

Format classify(uint32_t word) {
    const auto is = [word](enc::Field id, uint32_t value) { return id.get(word) == value; };
    if (word >> 31 == 0) {
        return is(enc::vop1::kId, enc::vop1::kIdValue)   ? Format::Vop1
               : is(enc::vopc::kId, enc::vopc::kIdValue) ? Format::Vopc
                                                         : Format::Vop2;
    }
    if (word >> 30 == 2) {
        return is(enc::sop1::kId, enc::sop1::kIdValue)   ? Format::Sop1
               : is(enc::sopc::kId, enc::sopc::kIdValue) ? Format::Sopc
               : is(enc::sopp::kId, enc::sopp::kIdValue) ? Format::Sopp
               : is(enc::sopk::kId, enc::sopk::kIdValue) ? Format::Sopk
                                                         : Format::Sop2;
    }
    if (is(enc::smrd::kId, enc::smrd::kIdValue)) {
        return Format::Smrd;
    }
    switch (word >> 26) {
        case enc::vintrp::kIdValue:
            return Format::Vintrp;
        case enc::vop3::kIdValue:
            return Format::Vop3;
        case enc::ds::kIdValue:
            return Format::Ds;
        case enc::mubuf::kIdValue:
            return Format::Mubuf;
        case enc::mtbuf::kIdValue:
            return Format::Mtbuf;
        case enc::mimg::kIdValue:
            return Format::Mimg;
        case enc::exp::kIdValue:
            return Format::Exp;
        default:
            return Format::Illegal;
    }
}

unsigned encoded_dwords(Format format) {
    switch (format) {
        case Format::Vop3:
        case Format::Ds:
        case Format::Mubuf:
        case Format::Mtbuf:
        case Format::Mimg:
        case Format::Exp:
            return 2;
        default:
            return 1;
    }
}

// The first thing that makes words no instruction.
struct Problem {
    enum class Kind : uint8_t {
        None,
        NoEncoding,
        NoOpcode,       // value: the number in the opcode field
        SecondMissing,  // of two dwords
        LiteralMissing,
        LiteralInVop3,
        LiteralHere,   // in a field that holds no literal
        Registers,     // value, dwords: operand code of a range that is none
        Operand,       // value: reserved operand code
        LaneValue,     // v_readlane reads a vector register, v_writelane does not
        Parameter,     // value: of v_interp_mov
        ExportTarget,  // value
    };
    Kind kind = Kind::None;
    unsigned value = 0;
    unsigned dwords = 0;
};

const char* const kFormatNames[] = {"SOP2",  "SOPK",  "SOP1", "SOPC", "SOPP",   "SMRD",
                                    "VOP2",  "VOP1",  "VOPC", "VOP3", "VINTRP", "DS",
                                    "MUBUF", "MTBUF", "MIMG", "EXP"};

// Why `dwords` registers from operand code `code` on are no range.
std::string range_problem(unsigned code, unsigned dwords) {
    const bool trap = code >= kTtmpFirst && code <= kTtmpLast;
    if (code > kSgprLast && !trap) {
        return fmt::format("operand code {} is reserved, or no range of {} scalar registers", code,
                           dwords);
    }
    const char* const file = trap ? "ttmp" : "s";
    const unsigned first = trap ? code - kTtmpFirst : code;
    const std::string range = fmt::format("{}[{}:{}]", file, first, first + dwords - 1);
    if (first % (dwords == 2 ? 2 : 4) != 0) {
        return range + (dwords == 2 ? " is no register pair, a pair starts at an even number"
                                    : " is no range, one starts at a multiple of four");
    }
    return range +
           fmt::format(" reaches beyond {}{}", file, trap ? kTtmpLast - kTtmpFirst : kSgprLast);
}

std::string describe(const Problem& problem, Format format) {
    switch (problem.kind) {
        case Problem::Kind::NoEncoding:
            return "no encoding has these upper bits";
        case Problem::Kind::NoOpcode:
            return fmt::format("no such opcode, {} {}", kFormatNames[static_cast<unsigned>(format)],
                               problem.value);
        case Problem::Kind::SecondMissing:
            return "its second dword is missing";
        case Problem::Kind::LiteralMissing:
            return "its literal constant is missing";
        case Problem::Kind::LiteralInVop3:
            return "VOP3 takes no literal constant";
        case Problem::Kind::LiteralHere:
            return "a literal constant in a field that takes none";
        case Problem::Kind::Registers:
            return range_problem(problem.value, problem.dwords);
        case Problem::Kind::Operand:
            return fmt::format("operand code {} is reserved here", problem.value);
        case Problem::Kind::LaneValue:
            return "v_readlane_b32 reads a vector register, v_writelane_b32 a scalar";
        case Problem::Kind::Parameter:
            return fmt::format("interpolation parameter {} is reserved", problem.value);
        case Problem::Kind::ExportTarget:
            return fmt::format("export target {} is reserved", problem.value);
        case Problem::Kind::None:
            break;
    }
    return "there are no words";
}

class Decoder {
  public:
    Decoder(const uint32_t* words, size_t avail) : words_(words), avail_(avail) {}

    Inst run() {
        if (!decode_fields()) {
            return illegal();
        }
        inst_.exec = find_exec(inst_.op);
        return inst_;
    }

    // After run() has found an illegal instruction.
    std::string reason() const { return describe(problem_, inst_.format); }

  private:
    // An illegal instruction is as long as its encoding says, so that a listing goes on after it.
    Inst illegal() const {
        Inst inst;
        inst.op = Op::Illegal;
        const bool two = inst_.dwords == 2 || (info_ != nullptr && wants_literal());
        inst.dwords = two && avail_ >= 2 ? 2 : 1;
        for (unsigned i = 0; i < inst.dwords && i < avail_; ++i) {
            inst.words[i] = words_[i];
        }
        return inst;
    }

    bool fail(Problem::Kind kind, unsigned value = 0, unsigned dwords = 0) {
        if (problem_.kind == Problem::Kind::None) {
            problem_ = {kind, value, dwords};
        }
        return false;
    }

    void require(bool condition, Problem::Kind kind, unsigned value = 0, unsigned dwords = 0) {
        if (!condition) {
            fail(kind, value, dwords);
        }
    }

    bool decode_fields() {
        if (!find_encoding()) {
            return false;
        }
        read_fields();
        if (problem_.kind != Problem::Kind::None) {
            return false;
        }
        inst_.words[0] = words_[0];
        if (inst_.dwords == 2) {
            inst_.words[1] = words_[1];
        }
        return literal();
    }

    // Format, length and bits of the encoding, without a literal constant after it.
    bool find_encoding() {
        const Format format = avail_ == 0 ? Format::Illegal : classify(words_[0]);
        if (format == Format::Illegal) {
            return fail(Problem::Kind::NoEncoding);
        }
        const unsigned dwords = encoded_dwords(format);
        if (avail_ < dwords) {
            return fail(Problem::Kind::SecondMissing);
        }
        bits_ = words_[0] | (dwords == 2 ? static_cast<uint64_t>(words_[1]) << 32 : 0);
        inst_.format = format;
        inst_.dwords = static_cast<uint8_t>(dwords);
        return true;
    }

    void read_fields() {
        switch (inst_.format) {
            case Format::Sop2:
                return sop2();
            case Format::Sopk:
                return sopk();
            case Format::Sop1:
                return sop1();
            case Format::Sopc:
                return sopc();
            case Format::Sopp:
                return sopp();
            case Format::Smrd:
                return smrd();
            case Format::Vop2:
                return vop2();
            case Format::Vop1:
                return vop1();
            case Format::Vopc:
                return vopc();
            case Format::Vop3:
                return vop3();
            case Format::Vintrp:
                return vintrp();
            case Format::Ds:
                return ds();
            case Format::Mubuf:
                return mubuf();
            case Format::Mtbuf:
                return mtbuf();
            case Format::Mimg:
                return mimg();
            case Format::Exp:
                return exp();
            case Format::Illegal:  // find_encoding() has refused it
                return;
        }
    }

    uint32_t get(enc::Field field) const { return field.get(bits_); }

    void start(uint32_t number) {
        inst_.op = op_from_number(inst_.format, number);
        info_ = &op_info(inst_.op);
        inst_.cls = info_->cls;
        inst_.rate = info_->rate;
        inst_.num_src = info_->num_src;
        require(inst_.op != Op::Illegal, Problem::Kind::NoOpcode, number);
    }

    // Sources with code 255 and the "constant" opcodes are followed by a 32-bit constant.
    bool wants_literal() const {
        bool needed = info_->has(kOpConstant);
        for (unsigned i = 0; i < inst_.num_src; ++i) {
            needed = needed || inst_.src[i] == kLiteral;
        }
        return needed && inst_.dwords == 1;
    }

    bool literal() {
        if (!wants_literal()) {
            return true;
        }
        if (avail_ < 2u) {
            return fail(Problem::Kind::LiteralMissing);
        }
        inst_.dwords = 2;
        inst_.literal = words_[1];
        inst_.words[1] = words_[1];
        return true;
    }

    void use_sgprs(unsigned first, unsigned dwords) {
        if (dwords > 0 && first <= kSgprLast) {
            inst_.sgprs_used =
                static_cast<uint16_t>(std::max<unsigned>(inst_.sgprs_used, first + dwords));
        }
    }

    void use_vgprs(unsigned first, unsigned dwords) {
        if (dwords > 0) {
            inst_.vgprs_used =
                static_cast<uint16_t>(std::max<unsigned>(inst_.vgprs_used, first + dwords));
        }
    }

    void scalar_dst(uint32_t code) {
        if (info_->dst_dwords == 0) {
            return;
        }
        mask_dst(code, info_->dst_dwords);
    }

    void require_range(unsigned code, unsigned dwords) {
        require(valid_scalar_range(code, dwords),
                dwords == 1 ? Problem::Kind::Operand : Problem::Kind::Registers, code, dwords);
    }

    void require_source(unsigned code, unsigned dwords) {
        if (code < 128) {
            require_range(code, dwords);
        } else {
            require(valid_scalar_source(code, dwords), Problem::Kind::Operand, code);
        }
    }

    void mask_dst(uint32_t code, unsigned dwords) {
        require_range(code, dwords);
        inst_.sdst = static_cast<uint16_t>(code);
        use_sgprs(code, dwords);
    }

    void scalar_src(unsigned slot, uint32_t code) {
        if (slot >= info_->num_src) {
            return;
        }
        scalar_value(slot, code, info_->src_dwords[slot]);
    }

    void scalar_value(unsigned slot, uint32_t code, unsigned dwords) {
        require_source(code, dwords);
        inst_.src[slot] = static_cast<uint16_t>(code);
        use_sgprs(code, code <= kSgprLast ? dwords : 0);
    }

    void vector_dst(uint32_t number) {
        if (info_->dst_dwords == 0) {
            return;
        }
        inst_.vdst = static_cast<uint16_t>(number);
        if (info_->has(kOpSgprDst)) {
            require(number < 128, Problem::Kind::Operand, number);
            mask_dst(number, 1);
        } else {
            use_vgprs(number, info_->dst_dwords);
        }
    }

    void vector_src(unsigned slot, uint32_t code) {
        if (slot >= info_->num_src) {
            return;
        }
        const unsigned dwords = info_->src_dwords[slot];
        if (code >= kVgprFirst) {
            inst_.src[slot] = static_cast<uint16_t>(code);
            use_vgprs(code - kVgprFirst, dwords);
        } else if (code == kLdsDirect && slot == 0 && dwords == 1 && inst_.format != Format::Vop3) {
            inst_.src[slot] = kLdsDirect;
        } else {
            scalar_value(slot, code, dwords);
        }
    }

    void sop2() {
        start(get(enc::sop2::kOp));
        scalar_dst(get(enc::sop2::kSdst));
        scalar_src(0, get(enc::sop2::kSsrc0));
        scalar_src(1, get(enc::sop2::kSsrc1));
    }

    void sop1() {
        start(get(enc::sop1::kOp));
        scalar_dst(get(enc::sop1::kSdst));
        scalar_src(0, get(enc::sop1::kSsrc0));
    }

    void sopc() {
        start(get(enc::sopc::kOp));
        scalar_src(0, get(enc::sopc::kSsrc0));
        scalar_src(1, get(enc::sopc::kSsrc1));
    }

    void sopp() {
        start(get(enc::sopp::kOp));
        inst_.simm16 = static_cast<int16_t>(get(enc::sopp::kSimm16));
    }

    void sopk() {
        start(get(enc::sopk::kOp));
        inst_.simm16 = static_cast<int16_t>(get(enc::sopk::kSimm16));
        const uint32_t sdst = get(enc::sopk::kSdst);
        scalar_dst(sdst);
        if (info_->has(kOpSdstIn)) {
            // The field names a source; it is a register all the same.
            mask_dst(sdst, info_->src_dwords[0]);
        }
        if (info_->has(kOpSdstIn) || info_->has(kOpDstIn)) {
            inst_.src[0] = static_cast<uint16_t>(sdst);
            inst_.num_src = 1;
        }
    }

    void smrd() {
        start(get(enc::smrd::kOp));
        scalar_dst(get(enc::smrd::kSdst));
        inst_.num_src = 0;
        if (info_->num_src == 0) {
            return;
        }
        inst_.imm = get(enc::smrd::kImm) != 0;
        inst_.offset = static_cast<uint16_t>(get(enc::smrd::kOffset));
        inst_.srsrc = static_cast<uint16_t>(get(enc::smrd::kSbasePair) * 2);
        require_range(inst_.srsrc, info_->src_dwords[0]);
        use_sgprs(inst_.srsrc, info_->src_dwords[0]);
        if (!inst_.imm) {
            require_range(inst_.offset, 1);
            inst_.soffset = inst_.offset;
            use_sgprs(inst_.offset, 1);
        }
    }

    void vop1() {
        start(get(enc::vop1::kOp));
        vector_dst(get(enc::vop1::kVdst));
        vector_src(0, get(enc::vop1::kSrc0));
    }

    void vopc() {
        start(get(enc::vopc::kOp));
        inst_.sdst = kVccLo;
        vector_src(0, get(enc::vopc::kSrc0));
        vector_src(1, kVgprFirst + get(enc::vopc::kVsrc1));
    }

    void vop2() {
        start(get(enc::vop2::kOp));
        vector_dst(get(enc::vop2::kVdst));
        const uint32_t src0 = get(enc::vop2::kSrc0);
        const uint32_t src1 = get(enc::vop2::kVsrc1);
        if (info_->has(kOpLaneSel)) {
            // SRC1 is a lane number in an SGPR, M0 or a constant; v_writelane's value is scalar
            // too.
            const bool writes_lane = info_->has(kOpDstIn);
            require((src0 >= kVgprFirst) != writes_lane, Problem::Kind::LaneValue);
            require(src1 != kLiteral, Problem::Kind::LiteralHere);
            vector_src(0, src0);
            scalar_value(1, src1, 1);
        } else {
            vector_src(0, src0);
            vector_src(1, kVgprFirst + src1);
        }
        if (info_->has(kOpMaskOut)) {
            inst_.sdst = kVccLo;
        }
        if (info_->has(kOpMaskIn)) {
            inst_.src[2] = kVccLo;
            inst_.num_src = 3;
        }
    }

    void vop3() {
        start(get(enc::vop3::kOp));
        const uint32_t sources[3] = {get(enc::vop3::kSrc0), get(enc::vop3::kSrc1),
                                     get(enc::vop3::kSrc2)};
        const auto read = std::min<size_t>(info_->num_src, std::size(sources));
        for (unsigned i = 0; i < read; ++i) {
            require(sources[i] != kLiteral, Problem::Kind::LiteralInVop3);
            vector_src(i, sources[i]);
        }
        inst_.omod = static_cast<uint8_t>(get(enc::vop3::kOmod));
        inst_.neg = static_cast<uint8_t>(get(enc::vop3::kNeg));
        if (info_->format == Format::Vopc) {
            mask_dst(get(enc::vop3::kVdst), 2);
        } else {
            vector_dst(get(enc::vop3::kVdst));
        }
        if (info_->has(kOpMaskOut) && info_->format != Format::Vopc) {
            mask_dst(get(enc::vop3::kSdst), 2);
        } else {
            inst_.clamp = get(enc::vop3::kClamp) != 0;
            inst_.abs = static_cast<uint8_t>(get(enc::vop3::kAbs));
        }
        if (info_->has(kOpMaskIn)) {
            require(sources[2] < 128, Problem::Kind::Operand, sources[2]);
            scalar_value(2, sources[2], 2);
            inst_.num_src = 3;
        }
    }

    void vintrp() {
        start(get(enc::vintrp::kOp));
        inst_.attr = static_cast<uint8_t>(get(enc::vintrp::kAttr));
        inst_.attr_chan = static_cast<uint8_t>(get(enc::vintrp::kAttrChan));
        vector_dst(get(enc::vintrp::kVdst));
        const uint32_t vsrc = get(enc::vintrp::kVsrc);
        if (info_->num_src > 0) {
            vector_src(0, kVgprFirst + vsrc);
        } else {
            // v_interp_mov: which of P10, P20, P0.
            require(vsrc < 3, Problem::Kind::Parameter, vsrc);
            inst_.src[0] = static_cast<uint16_t>(vsrc);
        }
    }

    void ds() {
        start(get(enc::ds::kOp));
        inst_.num_src = 0;
        inst_.gds = get(enc::ds::kGds) != 0;
        // The lane permutation touches no memory of either kind.
        if (inst_.gds && info_->mem != MemKind::LdsSwizzle) {
            inst_.cls = Class::Gds;
        }
        inst_.offset = static_cast<uint16_t>(get(enc::ds::kOffset0) | get(enc::ds::kOffset1) << 8);
        inst_.vaddr = static_cast<uint16_t>(get(enc::ds::kAddr));
        inst_.data0 = static_cast<uint16_t>(get(enc::ds::kData0));
        inst_.data1 = static_cast<uint16_t>(get(enc::ds::kData1));
        inst_.vdst = static_cast<uint16_t>(get(enc::ds::kVdst));
        use_vgprs(inst_.vaddr, info_->src_dwords[0]);
        use_vgprs(inst_.data0, info_->src_dwords[1]);
        use_vgprs(inst_.data1, info_->src_dwords[2]);
        use_vgprs(inst_.vdst, info_->dst_dwords);
    }

    void buffer_registers(uint32_t soffset) {
        inst_.num_src = 0;
        if (info_->mem == MemKind::CacheInvalidate) {
            return;
        }
        inst_.soffset = static_cast<uint16_t>(soffset);
        require(soffset != kLiteral, Problem::Kind::LiteralHere);
        require_source(soffset, 1);
        use_sgprs(soffset, 1);
        require_range(inst_.srsrc, 4);
        use_sgprs(inst_.srsrc, 4);
        const bool pair = inst_.addr64 || (inst_.offen && inst_.idxen);
        use_vgprs(inst_.vaddr, pair ? 2 : inst_.offen || inst_.idxen ? 1 : 0);
        if (inst_.lds) {
            return;
        }
        unsigned data = std::max(info_->dst_dwords, info_->src_dwords[1]);
        data += inst_.tfe && info_->dst_dwords > 0 ? 1 : 0;
        use_vgprs(inst_.vdst, data);
    }

    void mubuf() {
        start(get(enc::mubuf::kOp));
        inst_.lds = get(enc::mubuf::kLds) != 0;
        buffer();
    }

    void mtbuf() {
        start(get(enc::mtbuf::kOp));
        inst_.dfmt = static_cast<uint8_t>(get(enc::mtbuf::kDfmt));
        inst_.nfmt = static_cast<uint8_t>(get(enc::mtbuf::kNfmt));
        buffer();
    }

    // The fields that both have, at the same places (asserted in assemble_memory.cpp).
    void buffer() {
        inst_.addr64 = get(enc::mubuf::kAddr64) != 0;
        inst_.glc = get(enc::mubuf::kGlc) != 0;
        inst_.idxen = get(enc::mubuf::kIdxen) != 0;
        inst_.offen = get(enc::mubuf::kOffen) != 0;
        inst_.offset = static_cast<uint16_t>(get(enc::mubuf::kOffset));
        inst_.vaddr = static_cast<uint16_t>(get(enc::mubuf::kVaddr));
        inst_.vdst = static_cast<uint16_t>(get(enc::mubuf::kVdata));
        inst_.srsrc = static_cast<uint16_t>(get(enc::mubuf::kSrsrcQuad) * 4);
        inst_.slc = get(enc::mubuf::kSlc) != 0;
        inst_.tfe = get(enc::mubuf::kTfe) != 0;
        buffer_registers(get(enc::mubuf::kSoffset));
    }

    void mimg() {
        start(get(enc::mimg::kOp));
        inst_.num_src = 0;
        inst_.slc = get(enc::mimg::kSlc) != 0;
        inst_.lwe = get(enc::mimg::kLwe) != 0;
        inst_.tfe = get(enc::mimg::kTfe) != 0;
        inst_.r128 = get(enc::mimg::kR128) != 0;
        inst_.da = get(enc::mimg::kDa) != 0;
        inst_.glc = get(enc::mimg::kGlc) != 0;
        inst_.unorm = get(enc::mimg::kUnorm) != 0;
        inst_.dmask = static_cast<uint8_t>(get(enc::mimg::kDmask));
        inst_.vaddr = static_cast<uint16_t>(get(enc::mimg::kVaddr));
        inst_.vdst = static_cast<uint16_t>(get(enc::mimg::kVdata));
        inst_.srsrc = static_cast<uint16_t>(get(enc::mimg::kSrsrcQuad) * 4);
        const unsigned resource = inst_.r128 ? 4 : 8;
        require_range(inst_.srsrc, resource);
        use_sgprs(inst_.srsrc, resource);
        if (info_->mem == MemKind::ImageSample || inst_.op == Op::IMAGE_GET_LOD) {
            inst_.ssamp = static_cast<uint16_t>(get(enc::mimg::kSsampQuad) * 4);
            require_range(inst_.ssamp, 4);
            use_sgprs(inst_.ssamp, 4);
        }
        // How many address registers are read depends on the resource's type; this is the least.
        use_vgprs(inst_.vaddr, info_->src_dwords[0]);
        use_vgprs(inst_.vdst, image_data_dwords(inst_));
    }

    void exp() {
        start(0);
        inst_.exp_vm = get(enc::exp::kVm) != 0;
        inst_.exp_done = get(enc::exp::kDone) != 0;
        inst_.exp_compr = get(enc::exp::kCompr) != 0;
        inst_.exp_target = static_cast<uint8_t>(get(enc::exp::kTarget));
        require(valid_export_target(inst_.exp_target), Problem::Kind::ExportTarget,
                inst_.exp_target);
        inst_.exp_en = static_cast<uint8_t>(get(enc::exp::kEn));
        const uint32_t v[4] = {get(enc::exp::kVsrc0), get(enc::exp::kVsrc1), get(enc::exp::kVsrc2),
                               get(enc::exp::kVsrc3)};
        // The fourth register has no slot among the sources; it travels as data1.
        for (unsigned i = 0; i < 3; ++i) {
            inst_.src[i] = static_cast<uint16_t>(kVgprFirst + v[i]);
        }
        inst_.data1 = static_cast<uint16_t>(v[3]);
        for (unsigned i = 0; i < 4; ++i) {
            if (inst_.exp_en >> i & 1) {
                use_vgprs(v[inst_.exp_compr ? i / 2 : i], 1);
            }
        }
    }

    const uint32_t* words_;
    size_t avail_;
    uint64_t bits_ = 0;
    const OpInfo* info_ = nullptr;
    Problem problem_;
    Inst inst_;
};

}  // namespace

decltype(Inst::exec) find_exec(Op op) {
    static const ExecTable table;
    return table.fn[std::min<unsigned>(static_cast<unsigned>(op), kOpCount)];
}

unsigned image_data_dwords(const Inst& inst) {
    const OpInfo& info = op_info(inst.op);
    unsigned count = 0;
    for (unsigned mask = inst.dmask; mask != 0; mask &= mask - 1) {
        ++count;
    }
    if (inst.op >= Op::IMAGE_GATHER4 && inst.op <= Op::IMAGE_GATHER4_C_LZ_O) {
        count = 4;
    }
    const bool tfe = inst.tfe && info.mem != MemKind::ImageStore;
    return std::max(count, 1u) + (tfe ? 1 : 0);
}

Inst decode(const uint32_t* words, size_t avail) {
    return Decoder(words, avail).run();
}

std::string illegal_reason(const Inst& inst) {
    Decoder decoder(inst.words, inst.dwords);
    decoder.run();
    return decoder.reason();
}

const char* mnemonic(const Inst& inst) {
    return op_info(inst.format == Format::Illegal ? Op::Illegal : inst.op).name;
}

}  // namespace archipelago::isa
