// SPDX-License-Identifier: Apache-2.0
// Disassembly in the syntax of LLVM's assembler for GFX6. llvm-mc turns every line back into the
// same words, apart from don't-care bits and literals that fit an inline constant.
#include <algorithm>

#include "models/common/text.h"
#include "models/cu/isa/effects.h"
#include "models/cu/isa/field_names.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {
namespace {

// Text under construction.
class Line {
  public:
    explicit Line(std::string text) : text_(std::move(text)) {}

    // One more operand.
    Line& operand(const std::string& text) {
        text_ += first_ ? " " : ", ";
        text_ += text;
        first_ = false;
        return *this;
    }
    // A word after the operands.
    Line& word(const std::string& text) {
        text_ += " " + text;
        first_ = false;
        return *this;
    }
    Line& word_if(bool condition, const char* text) { return condition ? word(text) : *this; }

    std::string take() { return std::move(text_); }

  private:
    std::string text_;
    bool first_ = true;
};

std::string number(long long value) {
    return std::to_string(value);
}

// v3, v[3:4], s[8:11]
std::string registers(const char* file, unsigned first, unsigned dwords) {
    if (dwords <= 1) {
        return file + number(first);
    }
    return file + ("[" + number(first)) + ":" + number(first + dwords - 1) + "]";
}

std::string vgprs(unsigned first, unsigned dwords) {
    return registers("v", first, dwords);
}

const char* special_register(unsigned code, unsigned dwords) {
    switch (code) {
        case kVccLo:
            return dwords == 2 ? "vcc" : "vcc_lo";
        case kVccHi:
            return "vcc_hi";
        case kTbaLo:
            return dwords == 2 ? "tba" : "tba_lo";
        case kTbaLo + 1:
            return "tba_hi";
        case kTmaLo:
            return dwords == 2 ? "tma" : "tma_lo";
        case kTmaLo + 1:
            return "tma_hi";
        case kM0:
            return "m0";
        case kExecLo:
            return dwords == 2 ? "exec" : "exec_lo";
        case kExecHi:
            return "exec_hi";
        case kVccz:
            return "src_vccz";
        case kExecz:
            return "src_execz";
        case kScc:
            return "src_scc";
        case kLdsDirect:
            return "src_lds_direct";
        default:
            return "reserved";  // decode() rejects such codes
    }
}

const char* const kFloatConstants[] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};

bool is_constant(unsigned code) {
    return (code >= kConstZero && code <= kFloatLast) || code == kLiteral;
}

// Any source or scalar destination by operand code.
std::string operand(const Inst& inst, unsigned code, unsigned dwords) {
    if (code >= kVgprFirst) {
        return vgprs(code - kVgprFirst, dwords);
    }
    if (code <= kSgprLast) {
        return registers("s", code, dwords);
    }
    if (code >= kTtmpFirst && code <= kTtmpLast) {
        return registers("ttmp", code - kTtmpFirst, dwords);
    }
    if (code >= kConstZero && code <= kIntPosLast) {
        return number(static_cast<int>(code) - kConstZero);
    }
    if (code >= kIntNegFirst && code <= kIntNegLast) {
        return number(static_cast<int>(kIntPosLast) - static_cast<int>(code));
    }
    if (code >= kFloatFirst && code <= kFloatLast) {
        return kFloatConstants[code - kFloatFirst];
    }
    if (code == kLiteral) {
        return hex(inst.literal);
    }
    return special_register(code, dwords);
}

std::string source(const Inst& inst, const OpInfo& info, unsigned slot) {
    const unsigned code = inst.src[slot];
    std::string text = operand(inst, code, info.src_dwords[slot]);
    if ((inst.abs >> slot & 1) != 0) {
        text = "|" + text + "|";
    }
    if ((inst.neg >> slot & 1) != 0) {
        // A minus in front of a constant would be read as another constant.
        text = is_constant(code) && (inst.abs >> slot & 1) == 0 ? "neg(" + text + ")" : "-" + text;
    }
    return text;
}

std::string branch_target(const Inst& inst, uint64_t pc) {
    const uint64_t target = pc + 4 + static_cast<uint64_t>(int64_t{inst.simm16} * 4);
    return number(inst.simm16) + "  // " + hex(target);
}

// ---- SOPP operands ------------------------------------------------------------------------------

std::string waitcnt(unsigned simm16) {
    const unsigned vmcnt = simm16 & 15;
    const unsigned expcnt = simm16 >> 4 & 7;
    const unsigned lgkmcnt = simm16 >> 8 & 15;
    std::string text;
    const auto add = [&text](const char* name, unsigned value) {
        text += text.empty() ? "" : " & ";
        text += name + ("(" + number(value)) + ")";
    };
    if (vmcnt != 15) {
        add("vmcnt", vmcnt);
    }
    if (expcnt != 7) {
        add("expcnt", expcnt);
    }
    if (lgkmcnt != 15) {
        add("lgkmcnt", lgkmcnt);
    }
    return text.empty() ? hex(simm16) : text;
}

std::string message(unsigned simm16) {
    const unsigned id = simm16 & 15;
    const unsigned op = simm16 >> 4 & 3;
    const unsigned stream = simm16 >> 8 & 3;
    const bool plain = (simm16 & ~0x33fu) == 0;
    if (simm16 == 1) {
        return "sendmsg(MSG_INTERRUPT)";
    }
    if (plain && id == 3 && op == 0 && stream == 0) {
        return "sendmsg(MSG_GS_DONE, GS_OP_NOP)";
    }
    if (plain && (id == 2 || id == 3) && op != 0) {
        return std::string("sendmsg(") + (id == 2 ? "MSG_GS" : "MSG_GS_DONE") + ", " +
               kStreamOperationNames[op] + ", " + number(stream) + ")";
    }
    return hex(simm16);
}

std::string hwreg(unsigned simm16) {
    const unsigned id = simm16 & 63;
    const unsigned offset = simm16 >> 6 & 31;
    const unsigned width = (simm16 >> 11 & 31) + 1;
    const std::string name = id >= 1 && id <= 7 ? kHardwareRegisterNames[id] : number(id);
    if (offset == 0 && width == 32) {
        return "hwreg(" + name + ")";
    }
    return "hwreg(" + name + ", " + number(offset) + ", " + number(width) + ")";
}

std::string sopp(const Inst& inst, uint64_t pc) {
    const OpInfo& info = op_info(inst.op);
    const unsigned k = static_cast<unsigned>(inst.simm16) & 0xffff;
    Line line(info.name);
    if (inst.cls == Class::Branch) {
        return line.operand(branch_target(inst, pc)).take();
    }
    switch (inst.op) {
        case Op::S_BARRIER:
        case Op::S_ICACHE_INV:
        case Op::S_TTRACEDATA:
            return line.take();
        case Op::S_ENDPGM:
            return k == 0 ? line.take() : line.operand(number(k)).take();
        case Op::S_WAITCNT:
            return line.operand(waitcnt(k)).take();
        case Op::S_SENDMSG:
        case Op::S_SENDMSGHALT:
            return line.operand(message(k)).take();
        default:
            return line.operand(number(k)).take();
    }
}

// ---- scalar formats -----------------------------------------------------------------------------

std::string sop(const Inst& inst) {
    const OpInfo& info = op_info(inst.op);
    Line line(info.name);
    if (info.dst_dwords > 0) {
        line.operand(operand(inst, inst.sdst, info.dst_dwords));
    }
    for (unsigned i = 0; i < info.num_src; ++i) {
        line.operand(source(inst, info, i));
    }
    return line.take();
}

std::string sopk(const Inst& inst, uint64_t pc) {
    const OpInfo& info = op_info(inst.op);
    const unsigned k = static_cast<unsigned>(inst.simm16) & 0xffff;
    Line line(info.name);
    const unsigned dwords = info.dst_dwords > 0 ? info.dst_dwords : info.src_dwords[0];
    const std::string sdst = operand(inst, inst.sdst, dwords);
    switch (inst.op) {
        case Op::S_SETREG_IMM32_B32:
            return line.operand(hwreg(k)).operand(hex(inst.literal)).take();
        case Op::S_SETREG_B32:
            return line.operand(hwreg(k)).operand(sdst).take();
        case Op::S_GETREG_B32:
        case Op::S_GETREG_REGRD_B32:
            return line.operand(sdst).operand(hwreg(k)).take();
        case Op::S_CBRANCH_I_FORK:
            return line.operand(sdst).operand(branch_target(inst, pc)).take();
        default:
            return line.operand(sdst).operand(hex(k)).take();
    }
}

std::string smrd(const Inst& inst) {
    const OpInfo& info = op_info(inst.op);
    Line line(info.name);
    if (info.dst_dwords > 0) {
        line.operand(operand(inst, inst.sdst, info.dst_dwords));
    }
    if (info.num_src > 0) {
        line.operand(operand(inst, inst.srsrc, info.src_dwords[0]));
        line.operand(inst.imm ? hex(inst.offset) : operand(inst, inst.soffset, 1));
    }
    return line.take();
}

// ---- vector ALU ---------------------------------------------------------------------------------

std::string vector_alu(const Inst& inst) {
    const OpInfo& info = op_info(inst.op);
    std::string name = info.name;
    // Only opcodes that exist in VOP3 and in a 32-bit encoding have a suffix that says which.
    if (inst.format == Format::Vop3 && info.format != Format::Vop3) {
        name += "_e64";
    } else if (inst.format != Format::Vop3 && !info.has(kOpNoVop3) && info.num_src > 0) {
        name += "_e32";
    }
    Line line(name);
    if (info.format == Format::Vopc) {
        line.operand(operand(inst, inst.sdst, 2));
    } else if (info.has(kOpSgprDst)) {
        line.operand(operand(inst, inst.sdst, 1));
    } else if (info.dst_dwords > 0) {
        line.operand(vgprs(inst.vdst, info.dst_dwords));
    }
    if (info.has(kOpMaskOut) && info.format != Format::Vopc) {
        line.operand(operand(inst, inst.sdst, 2));
    }
    for (unsigned i = 0; i < info.num_src; ++i) {
        if (inst.op == Op::V_MADMK_F32 && i == 1) {
            line.operand(hex(inst.literal));
        }
        line.operand(source(inst, info, i));
    }
    if (inst.op == Op::V_MADAK_F32) {
        line.operand(hex(inst.literal));
    }
    if (info.has(kOpMaskIn)) {
        line.operand(operand(inst, inst.src[2], 2));
    }
    static const char* const kOmod[] = {"", "mul:2", "mul:4", "div:2"};
    line.word_if(inst.clamp, "clamp");
    line.word_if(inst.omod != 0, kOmod[inst.omod & 3]);
    return line.take();
}

std::string vintrp(const Inst& inst) {
    static const char* const kParameters[] = {"p10", "p20", "p0"};
    const OpInfo& info = op_info(inst.op);
    Line line(info.name);
    line.operand(vgprs(inst.vdst, 1));
    line.operand(info.num_src > 0 ? source(inst, info, 0) : kParameters[inst.src[0] % 3]);
    line.operand("attr" + number(inst.attr) + "." + "xyzw"[inst.attr_chan & 3]);
    return line.take();
}

// ---- memory -------------------------------------------------------------------------------------

std::string ds(const Inst& inst) {
    const OpInfo& info = op_info(inst.op);
    Line line(info.name);
    if (info.dst_dwords > 0) {
        line.operand(vgprs(inst.vdst, info.dst_dwords));
    }
    const unsigned numbers[3] = {inst.vaddr, inst.data0, inst.data1};
    for (unsigned i = 0; i < info.num_src; ++i) {
        if (info.src_dwords[i] > 0) {
            line.operand(vgprs(numbers[i], info.src_dwords[i]));
        }
    }
    if (info.mem_pair != 0) {
        const unsigned offset0 = inst.offset & 0xff;
        const unsigned offset1 = inst.offset >> 8;
        if (offset0 != 0) {
            line.word("offset0:" + number(offset0));
        }
        if (offset1 != 0) {
            line.word("offset1:" + number(offset1));
        }
    } else if (inst.offset != 0) {
        line.word("offset:" + number(inst.offset));
    }
    line.word_if(inst.gds, "gds");
    return line.take();
}

std::string buffer_format(const Inst& inst) {
    return std::string("format:[BUF_DATA_FORMAT_") + kDataFormatNames[inst.dfmt & 15] +
           ",BUF_NUM_FORMAT_" + kNumberFormatNames[inst.nfmt & 7] + "]";
}

std::string buffer(const Inst& inst) {
    const OpInfo& info = op_info(inst.op);
    Line line(info.name);
    if (info.mem == MemKind::CacheInvalidate) {
        return line.take();
    }
    if (!inst.lds) {
        line.operand(vgprs(inst.vdst, std::max(info.dst_dwords, info.src_dwords[1])));
    }
    const bool pair = inst.addr64 || (inst.offen && inst.idxen);
    if (pair) {
        line.operand(vgprs(inst.vaddr, 2));
    } else {
        line.operand(inst.offen || inst.idxen ? vgprs(inst.vaddr, 1) : "off");
    }
    line.operand(operand(inst, inst.srsrc, 4));
    line.operand(operand(inst, inst.soffset, 1));
    if (inst.format == Format::Mtbuf) {
        line.word(buffer_format(inst));
    }
    line.word_if(inst.idxen, "idxen");
    line.word_if(inst.offen, "offen");
    line.word_if(inst.addr64, "addr64");
    if (inst.offset != 0) {
        line.word("offset:" + number(inst.offset));
    }
    line.word_if(inst.glc, "glc");
    line.word_if(inst.slc, "slc");
    line.word_if(inst.tfe, "tfe");
    line.word_if(inst.lds, "lds");
    return line.take();
}

std::string image(const Inst& inst) {
    const OpInfo& info = op_info(inst.op);
    Line line(info.name);
    line.operand(vgprs(inst.vdst, image_data_dwords(inst)));
    line.operand(vgprs(inst.vaddr, info.src_dwords[0]));
    // LLVM writes eight registers even for R128, whose resource takes four (128 bits). Where
    // eight would pass the last scalar register, four are written.
    line.operand(operand(inst, inst.srsrc, valid_scalar_range(inst.srsrc, 8) ? 8 : 4));
    if (info.mem == MemKind::ImageSample || inst.op == Op::IMAGE_GET_LOD) {
        line.operand(operand(inst, inst.ssamp, 4));
    }
    line.word("dmask:" + hex(inst.dmask));
    line.word_if(inst.unorm, "unorm");
    line.word_if(inst.glc, "glc");
    line.word_if(inst.slc, "slc");
    line.word_if(inst.r128, "r128");
    line.word_if(inst.tfe, "tfe");
    line.word_if(inst.lwe, "lwe");
    line.word_if(inst.da, "da");
    return line.take();
}

std::string exp(const Inst& inst) {
    Line line("exp");
    line.operand(export_target_name(inst.exp_target));
    const unsigned v[4] = {inst.src[0] - kVgprFirst * 1u, inst.src[1] - kVgprFirst * 1u,
                           inst.src[2] - kVgprFirst * 1u, inst.data1};
    for (unsigned i = 0; i < 4; ++i) {
        const unsigned reg = v[inst.exp_compr ? i / 2 : i];
        const std::string text = (inst.exp_en >> i & 1) != 0 ? vgprs(reg, 1) : "off";
        // No comma after the target.
        if (i == 0) {
            line.word(text);
        } else {
            line.operand(text);
        }
    }
    line.word_if(inst.exp_done, "done");
    line.word_if(inst.exp_compr, "compr");
    line.word_if(inst.exp_vm, "vm");
    return line.take();
}

}  // namespace

std::string scalar_register_name(unsigned code) {
    return operand({}, code, 1);
}

std::string disassemble(const Inst& inst, uint64_t pc) {
    switch (inst.format) {
        case Format::Sop2:
        case Format::Sop1:
        case Format::Sopc:
            return sop(inst);
        case Format::Sopk:
            return sopk(inst, pc);
        case Format::Sopp:
            return sopp(inst, pc);
        case Format::Smrd:
            return smrd(inst);
        case Format::Vop2:
        case Format::Vop1:
        case Format::Vopc:
        case Format::Vop3:
            return vector_alu(inst);
        case Format::Vintrp:
            return vintrp(inst);
        case Format::Ds:
            return ds(inst);
        case Format::Mubuf:
        case Format::Mtbuf:
            return buffer(inst);
        case Format::Mimg:
            return image(inst);
        case Format::Exp:
            return exp(inst);
        case Format::Illegal:
            break;
    }
    // A directive, which assembles to the same words.
    return ".long " + hex(inst.words[0]) + (inst.dwords == 2 ? ", " + hex(inst.words[1]) : "");
}

}  // namespace archipelago::isa
