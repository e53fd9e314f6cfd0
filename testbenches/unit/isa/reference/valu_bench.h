// SPDX-License-Identifier: Apache-2.0
// Encodes one vector ALU instruction in any operand form, says what the whole wave must look like
// afterwards according to the reference, and compares that with both host levels.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/valu_table.h"
#include "testbenches/unit/isa/reference/valu_ops.h"

namespace archipelago::isa::reference {

constexpr unsigned kRegs = 32;

struct WaveImage {
    alignas(64) VReg v[kRegs];
    WaveState w;
};
inline void copy_wave(WaveImage& to, const WaveImage& from) {
    to = from;
    to.w.v = to.v;
}

inline Op find_op(const std::string& name) {
    static const std::map<std::string, Op> ops = [] {
        std::map<std::string, Op> m;
        for (unsigned n = 0; n < kOpCount; ++n) {
            m[op_info(static_cast<Op>(n)).name] = static_cast<Op>(n);
        }
        return m;
    }();
    const auto it = ops.find(name);
    return it == ops.end() ? Op::Illegal : it->second;
}

// An instruction as an assembler sees it.
struct Form {
    bool vop3 = false;
    unsigned src[3] = {kVgprFirst + 2, kVgprFirst + 4, kVgprFirst + 6};
    unsigned vdst = 10, sdst = kVccLo, mask_src = kVccLo;
    uint32_t literal = 0;
    unsigned neg = 0, abs = 0, omod = 0;
    bool clamp = false;
};

inline bool wide(char type) {
    return type == 'F' || type == 'A' || type == 'U' || type == 'I';
}
inline bool modified(char type) {
    return type == 'f' || type == 'F' || type == 'h' || type == 'b';
}
inline bool has(const ValuOp& op, char mask) {
    return op.mask.find(mask) != std::string::npos;
}

inline Inst encode(const ValuOp& op, const Form& f) {
    const OpInfo& info = op_info(find_op(op.name));
    const std::string sources = op.sources();
    uint64_t word = 0;
    if (f.vop3) {
        const uint32_t base = info.format == Format::Vop2   ? 256
                              : info.format == Format::Vop1 ? 384
                                                            : 0;
        word = enc::vop3::kId.put(enc::vop3::kIdValue) | enc::vop3::kOp.put(base + info.number) |
               enc::vop3::kSrc0.put(f.src[0]) | enc::vop3::kOmod.put(f.omod) |
               enc::vop3::kNeg.put(f.neg);
        if (sources.size() > 1) {
            word |= enc::vop3::kSrc1.put(f.src[1]);
        }
        if (sources.size() > 2) {
            word |= enc::vop3::kSrc2.put(f.src[2]);
        } else if (has(op, 'i')) {
            word |= enc::vop3::kSrc2.put(f.mask_src);
        }
        word |= enc::vop3::kVdst.put(op.dst() == 'm' ? f.sdst : f.vdst);
        if (has(op, 'o') && op.dst() != 'm') {
            word |= enc::vop3::kSdst.put(f.sdst);
        } else {
            word |= enc::vop3::kAbs.put(f.abs) | enc::vop3::kClamp.put(f.clamp ? 1 : 0);
        }
    } else if (info.format == Format::Vop1) {
        word = enc::vop1::kId.put(enc::vop1::kIdValue) | enc::vop1::kOp.put(info.number) |
               enc::vop1::kVdst.put(f.vdst) | enc::vop1::kSrc0.put(f.src[0]);
    } else if (info.format == Format::Vop2) {
        word = enc::vop2::kId.put(enc::vop2::kIdValue) | enc::vop2::kOp.put(info.number) |
               enc::vop2::kVdst.put(f.vdst) | enc::vop2::kSrc0.put(f.src[0]) |
               enc::vop2::kVsrc1.put(f.src[1] - kVgprFirst);
    } else {
        word = enc::vopc::kId.put(enc::vopc::kIdValue) | enc::vopc::kOp.put(info.number) |
               enc::vopc::kSrc0.put(f.src[0]) | enc::vopc::kVsrc1.put(f.src[1] - kVgprFirst);
    }
    const uint32_t words[2] = {static_cast<uint32_t>(word),
                               f.vop3 ? static_cast<uint32_t>(word >> 32) : f.literal};
    return decode(words, 2);
}

// Value of a source that is no VGPR.
inline uint64_t scalar_value(const WaveState& w, unsigned code, char type, uint32_t literal) {
    static const uint32_t kSingle[8] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000,
                                        0x40000000, 0xc0000000, 0x40800000, 0xc0800000};
    if (code < 128) {
        return w.s[code] | (wide(type) ? uint64_t{w.s[code + 1]} << 32 : 0);
    }
    uint64_t x = 0;
    if (code >= kFloatFirst && code <= kFloatLast) {
        const uint64_t single = kSingle[code - kFloatFirst];
        // widened by hand: sign, exponent rebiased, mantissa 0
        return !wide(type)
                   ? single
                   : (single & 0x80000000) << 32 | ((single >> 23 & 0xff) + 1023 - 127) << 52;
    } else if (code >= kConstZero && code <= kIntPosLast) {
        x = static_cast<uint64_t>(code) - 128;
    } else if (code >= kIntNegFirst && code <= kIntNegLast) {
        x = ~uint64_t{0} - (code - kIntNegFirst);
    } else if (code == kVccz) {
        x = w.vcc() == 0;
    } else if (code == kExecz) {
        x = w.exec() == 0;
    } else if (code == kScc) {
        x = w.scc;
    } else if (code == kLiteral) {
        x = type == 'F'   ? uint64_t{literal} << 32
            : type == 'I' ? static_cast<uint64_t>(int64_t{static_cast<int32_t>(literal)})
                          : literal;
    }
    return wide(type) ? x : x & 0xffffffff;
}
inline uint64_t operand(const WaveImage& image, unsigned code, char type, unsigned lane,
                        uint32_t literal) {
    if (code < kVgprFirst) {
        return scalar_value(image.w, code, type, literal);
    }
    const unsigned r = code - kVgprFirst;
    return image.v[r][lane] | (wide(type) ? uint64_t{image.v[r + 1][lane]} << 32 : 0);
}
inline uint64_t with_modifiers(uint64_t x, char type, bool abs, bool neg) {
    if (!modified(type)) {
        return x;
    }
    const uint64_t sign = type == 'F' ? kF64.sign() : type == 'h' ? kF16.sign() : kF32.sign();
    x = abs ? x & ~sign : x;
    return neg ? x ^ sign : x;
}

// The wave after the instruction.
inline void expect(const ValuOp& op, const Form& f, const WaveImage& before, WaveImage& after) {
    copy_wave(after, before);
    const std::string sources = op.sources();
    const bool vop3b = has(op, 'o') && op.dst() != 'm';
    const uint64_t exec = before.w.exec();
    const uint64_t mask_in = !f.vop3 || has(op, 'v') ? before.w.vcc() : before.w.s64(f.mask_src);
    uint64_t mask_out = 0;
    for (unsigned l = 0; l < kLanes; ++l) {
        if ((exec >> l & 1) == 0) {
            continue;
        }
        Lane lane;
        lane.mode = before.w.mode;
        lane.index = l;
        lane.mask_in = (mask_in >> l & 1) != 0;
        lane.old_dst = before.v[f.vdst][l];
        lane.constant = f.literal;
        uint64_t src[3] = {};
        for (unsigned n = 0; n < sources.size(); ++n) {
            const bool abs = f.vop3 && !vop3b && (f.abs >> n & 1) != 0;
            const bool neg = f.vop3 && (f.neg >> n & 1) != 0;
            const char type = sources[n];
            uint64_t x = operand(before, f.src[n], type, l, f.literal);
            x = type == 'h' ? x & 0xffff : x;
            src[n] = with_modifiers(x, type, abs, neg);
        }
        const uint64_t r =
            evaluate(op, lane, src, f.vop3 ? f.omod : 0, f.vop3 && !vop3b && f.clamp);
        if (op.dst() != 'm') {
            after.v[f.vdst][l] = static_cast<uint32_t>(r);
            if (wide(op.dst())) {
                after.v[f.vdst + 1][l] = static_cast<uint32_t>(r >> 32);
            }
        }
        mask_out |= uint64_t{lane.mask_out} << l;
    }
    if (has(op, 'o')) {
        after.w.set_s64(f.vop3 ? f.sdst : unsigned{kVccLo}, mask_out);
        if (op.writes_exec) {
            after.w.set_exec(mask_out);
        }
    }
}

inline bool same_wave(const WaveImage& a, const WaveImage& b) {
    return std::memcmp(a.v, b.v, sizeof a.v) == 0 && std::memcmp(a.w.s, b.w.s, sizeof a.w.s) == 0 &&
           a.w.scc == b.w.scc;
}

// Runs the instruction on both levels; false and a report when either differs from the reference.
class Comparison {
  public:
    Comparison() {
        for (const char* name : {"portable", "avx2"}) {
            if (valu_table(name) != nullptr) {
                levels_.push_back(name);
            }
        }
    }
    bool run(const ValuOp& op, const Form& f, const WaveImage& before) {
        const Inst inst = encode(op, f);
        if (inst.format == Format::Illegal || inst.exec == nullptr) {
            ADD_FAILURE() << op.name << " does not decode: " << describe(op, f, before, 0);
            return false;
        }
        return run_decoded(op, f, inst, before);
    }
    // The same with an instruction decoded elsewhere; `f` says what it is.
    bool run_decoded(const ValuOp& op, const Form& f, const Inst& inst, const WaveImage& before) {
        expect(op, f, before, expected_);
        for (const char* level : levels_) {
            copy_wave(actual_, before);
            valu_table(level)->fn[static_cast<unsigned>(inst.op)](inst, actual_.w);
            if (!same_wave(expected_, actual_)) {
                report(op, f, before, level, disassemble(inst, 0));
                return false;
            }
        }
        return true;
    }

  private:
    static std::string hex(uint64_t x) {
        char text[24];
        std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(x));
        return text;
    }
    static std::string describe(const ValuOp& op, const Form& f, const WaveImage& before,
                                unsigned lane) {
        std::string t = "(";
        const std::string sources = op.sources();
        for (unsigned n = 0; n < sources.size(); ++n) {
            t += (n != 0 ? ", " : "") + hex(operand(before, f.src[n], sources[n], lane, f.literal));
        }
        const Mode& m = before.w.mode;
        t += ") old " + hex(before.v[f.vdst][lane]) + " mask " +
             hex(before.w.s64(f.mask_src) >> lane & 1) + " neg " + hex(f.neg) + " abs " +
             hex(f.abs) + " omod " + hex(f.omod) + " clamp " + hex(f.clamp) + " round " +
             hex(m.fp_round_32) + "," + hex(m.fp_round_64) + " denorm " + hex(m.fp_denorm_32) +
             "," + hex(m.fp_denorm_64) + (m.ieee ? " ieee" : "") + (m.dx10_clamp ? " dx10" : "");
        return t;
    }
    void report(const ValuOp& op, const Form& f, const WaveImage& before, const char* level,
                const std::string& text) {
        for (unsigned r = 0; r < kRegs; ++r) {
            for (unsigned l = 0; l < kLanes; ++l) {
                if (expected_.v[r][l] != actual_.v[r][l]) {
                    const bool pair = wide(op.dst());
                    const auto value = [&](const WaveImage& i) {
                        return pair ? uint64_t{i.v[f.vdst + 1][l]} << 32 | i.v[f.vdst][l]
                                    : uint64_t{i.v[r][l]};
                    };
                    ADD_FAILURE() << level << ": " << text << " lane " << l << " v" << r << ": "
                                  << describe(op, f, before, l) << " gives " << hex(value(actual_))
                                  << ", reference " << hex(value(expected_));
                    return;
                }
            }
        }
        for (unsigned s = 0; s < 128; ++s) {
            if (expected_.w.s[s] != actual_.w.s[s]) {
                const uint32_t diff = expected_.w.s[s] ^ actual_.w.s[s];
                const unsigned lane =
                    static_cast<unsigned>(__builtin_ctz(diff)) + (s % 2 != 0 ? 32 : 0);
                ADD_FAILURE() << level << ": " << text << " scalar " << s << " is "
                              << hex(actual_.w.s[s]) << ", reference " << hex(expected_.w.s[s])
                              << "; lane " << lane << " " << describe(op, f, before, lane);
                return;
            }
        }
        ADD_FAILURE() << level << ": " << text << " changes SCC";
    }

    std::vector<const char*> levels_;
    WaveImage expected_, actual_;
};

// ---- values ----------------------------------------------------------------------------------

inline const std::vector<uint64_t>& edges(char type) {
    static const std::vector<uint64_t> f32 = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000, 0x3fc00000,
        0xbfc00000, 0x40200000, 0xc0200000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff,
        0x00400000, 0x00800000, 0x80800000, 0x00800001, 0x00ffffff, 0x7f7fffff, 0xff7fffff,
        0x7f000000, 0x7e800000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc00000, 0xffc12345,
        0x7f800001, 0xff800001, 0x7fa00005, 0x3effffff, 0xbeffffff, 0x3f7fffff, 0xbf7fffff,
        0x3f800001, 0x33800000, 0xb3000000, 0x33000001, 0x4b000001, 0x4affffff, 0xcaffffff,
        0x4b800000, 0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f7fffff, 0x4f800000,
        0x437f0000, 0x437f8000, 0x43000000, 0xc2fe0000, 0x38800000, 0x38000000, 0x33c00000,
        0x477fe000, 0x477ff000, 0x477fefff, 0x387fc000, 0x20000000, 0x5f000000, 0x00100000,
        0x7e7fffff, 0x0b800000, 0x6f800000};
    static const std::vector<uint64_t> f64 = {
        0x0000000000000000, 0x8000000000000000, 0x3ff0000000000000, 0xbff0000000000000,
        0x3fe0000000000000, 0xbfe0000000000000, 0x3ff8000000000000, 0xc004000000000000,
        0x0000000000000001, 0x8000000000000001, 0x000fffffffffffff, 0x800fffffffffffff,
        0x0008000000000000, 0x0010000000000000, 0x8010000000000000, 0x001fffffffffffff,
        0x7fefffffffffffff, 0xffefffffffffffff, 0x7fe0000000000000, 0x7ff0000000000000,
        0xfff0000000000000, 0x7ff8000000000000, 0xfff8000000012345, 0x7ff0000000000001,
        0xfff4000000000001, 0x7ff8000012345678, 0x3fefffffffffffff, 0xbfefffffffffffff,
        0x3ff0000000000001, 0x3ca0000000000000, 0xbc90000000000000, 0x41dfffffffc00000,
        0x41e0000000000000, 0xc1e0000000000000, 0xc1e0000000200000, 0x41efffffffe00000,
        0x41f0000000000000, 0x4330000000000001, 0xc32fffffffffffff, 0x36a0000000000000,
        0x3690000000000000, 0xb690000000000001, 0x3810000000000000, 0x380fffffffffffff,
        0x380fffffe0000000, 0x380ffffff0000000, 0x47efffffe0000000, 0x47effffff0000000,
        0x47efffffefffffff, 0x47f0000000000000, 0x3ff0000010000000, 0x3ff0000030000000,
        0x0350000000000000, 0x7fd0000000000000, 0x4350000000000000, 0x7ae0000000000000,
        0x7b00000000000000};
    static const std::vector<uint64_t> f16 = {
        0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x0400, 0x8400, 0x3800, 0x3c00, 0xbc00, 0x3bff,
        0x3c01, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfe01, 0x7c01, 0xfd00, 0x1234, 0xdeadbeef};
    static const std::vector<uint64_t> i32 = {
        0,          1,          2,          3,          4,          7,          8,
        15,         16,         23,         24,         31,         32,         33,
        63,         64,         100,        0x7f,       0x80,       0xff,       0x100,
        0x3ff,      0x7fff,     0x8000,     0xffff,     0x10000,    0x7fffff,   0x800000,
        0xffffff,   0x1000000,  0x1000001,  0x7fffff80, 0x7fffffff, 0x80000000, 0x80000001,
        0xfffffffe, 0xffffffff, 0xffffff80, 0x00ff00ff, 0x01020304, 0xf0e0d0c0, 0x80ff7f00,
        0xffff0000, 0xffffff6a, 0xffffff00, 0xfffffbcc, 0x00000432};
    static const std::vector<uint64_t> i64 = {0,
                                              1,
                                              2,
                                              0x7fffffff,
                                              0x80000000,
                                              0xffffffff,
                                              0x100000000,
                                              0x7fffffffffffffff,
                                              0x8000000000000000,
                                              0x8000000000000001,
                                              0xffffffffffffffff,
                                              0xfffffffffffffffe,
                                              0xffffffff00000000,
                                              0xffffffff7fffffff,
                                              0x0123456789abcdef,
                                              0x00ff00ff00ff00ff,
                                              0xffffffff80000000,
                                              0x8000000080000000,
                                              0x7fffffff80000000,
                                              0x00000001ffffffff};
    switch (type) {
        case 'f':
        case 'b':
            return f32;
        case 'F':
            return f64;
        case 'h':
            return f16;
        case 'U':
        case 'I':
            return i64;
        default:
            return i32;
    }
}

using Rng = std::mt19937_64;

inline uint64_t any_value(char type, Rng& rng) {
    const std::vector<uint64_t>& e = edges(type);
    const uint64_t r = rng();
    switch (r % 5) {
        case 0:
            return e[rng() % e.size()];
        case 1: {  // near an edge
            const uint64_t x = e[rng() % e.size()];
            return x + (r >> 8) % 5 - 2;
        }
        case 2: {  // floats of like size, so that sums cancel and round; few mantissa bits or many
            const uint64_t bits = r >> 8 & 4 ? rng() : rng() & rng() & rng() & rng();
            if (type == 'F') {
                return (bits & 0x800fffffffffffff) | (1023 + (r >> 16) % 8) << 52;
            }
            return type == 'f' || type == 'b' ? (bits & 0x807fffff) | (127 + (r >> 16) % 8) << 23
                                              : bits;
        }
        case 3: {  // extreme exponents
            const uint64_t low = (r >> 16) % 40;
            const bool top = (r >> 32 & 1) != 0;
            if (type == 'F') {
                return (rng() & 0x800fffffffffffff) | (top ? 2046 - low : low) << 52;
            }
            return type == 'f' || type == 'b' ? (rng() & 0x807fffff) | (top ? 254 - low : low) << 23
                                              : rng() & 0xff;
        }
        default:
            return rng();
    }
}

inline void put(WaveImage& image, unsigned vgpr, char type, unsigned lane, uint64_t x) {
    image.v[vgpr][lane] = static_cast<uint32_t>(x);
    if (wide(type)) {
        image.v[vgpr + 1][lane] = static_cast<uint32_t>(x >> 32);
    }
}

inline void scramble(WaveImage& image, Rng& rng) {
    image.w = WaveState{};
    image.w.v = image.v;
    image.w.num_vgprs = kRegs;
    image.w.num_sgprs = 104;
    for (VReg& r : image.v) {
        for (uint32_t& x : r) {
            x = static_cast<uint32_t>(rng());
        }
    }
    for (uint32_t& x : image.w.s) {
        x = static_cast<uint32_t>(rng());
    }
    image.w.set_exec(~uint64_t{0});
}

inline Mode mode_number(unsigned n) {  // 0..63: round, denorm, dx10_clamp, ieee
    Mode m;
    m.fp_round_32 = m.fp_round_64 = static_cast<uint8_t>(n & 3);
    m.fp_denorm_32 = m.fp_denorm_64 = static_cast<uint8_t>(n >> 2 & 3);
    m.dx10_clamp = (n >> 4 & 1) != 0;
    m.ieee = (n >> 5 & 1) != 0;
    // the other width must not matter where only one does: give it another setting
    return m;
}

}  // namespace archipelago::isa::reference
