// SPDX-License-Identifier: Apache-2.0
// DS reads, writes, atomics, swizzle and the forms with two addresses against a reference written
// from CLRX's GcnInstrsDs.md and AMD's GCN3 guide; the whole LDS and wave must be as expected. The
// buffer atomics share the arithmetic: their operand order is checked here too.
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "models/common/atomic_op.h"
#include "testbenches/unit/isa/machine.h"
#include "testbenches/unit/isa/reference/valu_bench.h"

namespace archipelago::isa::reference {
namespace {

// The new value of a location. `bits` 32 or 64; a the first, b the second data operand.
using Change = std::function<uint64_t(unsigned bits, uint64_t old, uint64_t a, uint64_t b)>;

int64_t signed_of(unsigned bits, uint64_t x) {
    return bits == 32 ? static_cast<int32_t>(x) : static_cast<int64_t>(x);
}
Fmt format_of(unsigned bits) {
    return bits == 32 ? kF32 : kF64;
}
// By mnemonic part, with the type's letter for min and max.
const std::map<std::string, Change>& changes() {
    static const std::map<std::string, Change> all = {
        {"add", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return m + a; }},
        {"sub", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return m - a; }},
        {"rsub", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return a - m; }},
        {"inc", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return a > m ? m + 1 : 0; }},
        {"dec",
         [](unsigned, uint64_t m, uint64_t a, uint64_t) { return a >= m && m != 0 ? m - 1 : a; }},
        {"min_i", [](unsigned n, uint64_t m, uint64_t a,
                     uint64_t) { return signed_of(n, a) < signed_of(n, m) ? a : m; }},
        {"max_i", [](unsigned n, uint64_t m, uint64_t a,
                     uint64_t) { return signed_of(n, a) > signed_of(n, m) ? a : m; }},
        {"min_u", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return a < m ? a : m; }},
        {"max_u", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return a > m ? a : m; }},
        {"and", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return m & a; }},
        {"or", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return m | a; }},
        {"xor", [](unsigned, uint64_t m, uint64_t a, uint64_t) { return m ^ a; }},
        {"mskor", [](unsigned, uint64_t m, uint64_t a, uint64_t b) { return (m & ~a) | b; }},
        {"wrxchg", [](unsigned, uint64_t, uint64_t a, uint64_t) { return a; }},
        {"cmpst_b", [](unsigned, uint64_t m, uint64_t a, uint64_t b) { return m == a ? b : m; }},
        {"cmpst_f", [](unsigned n, uint64_t m, uint64_t a,
                       uint64_t b) { return compare(format_of(n), m, a) == 0 ? b : m; }},
        {"min_f", [](unsigned n, uint64_t m, uint64_t a,
                     uint64_t) { return compare(format_of(n), a, m) == -1 ? a : m; }},
        {"max_f", [](unsigned n, uint64_t m, uint64_t a,
                     uint64_t) { return compare(format_of(n), a, m) == 1 ? a : m; }},
        {"write", [](unsigned, uint64_t, uint64_t a, uint64_t) { return a; }},
    };
    return all;
}

constexpr unsigned kLdsBytes = 4096;
constexpr unsigned kAddr = 1, kData0 = 2, kData1 = 6, kDst = 10;

// What a mnemonic says, decoded.
struct DsName {
    std::string base;  // key of changes(), or "read", "write"
    unsigned bits = 32;
    bool returns = false, src2 = false, pair = false, st64 = false, is_signed = false;
};
DsName parse(const std::string& name) {
    DsName d;
    std::vector<std::string> parts;
    std::string part;
    for (const char c : name + "_") {
        if (c == '_') {
            parts.push_back(part);
            part.clear();
        } else {
            part += c;
        }
    }
    d.base = parts[1];
    const std::string type = parts.back();
    d.bits = static_cast<unsigned>(std::stoul(type.substr(1)));
    d.is_signed = type[0] == 'i';
    for (const std::string& p : parts) {
        d.returns = d.returns || p == "rtn";
        d.src2 = d.src2 || p == "src2";
    }
    for (const char* suffix : {"2st64", "2"}) {
        const std::string s = suffix;
        if (!d.pair && d.base.size() > s.size() &&
            d.base.compare(d.base.size() - s.size(), s.size(), s) == 0) {
            d.pair = true;
            d.st64 = s == "2st64";
            d.base.resize(d.base.size() - s.size());
        }
    }
    if (d.base == "min" || d.base == "max") {
        d.base += std::string("_") + type[0];
    }
    if (d.base == "cmpst") {
        d.base += type[0] == 'f' ? "_f" : "_b";
    }
    return d;
}

struct DsState {
    WaveImage wave;
    std::vector<uint8_t> lds;
    uint32_t base = 0, limit = 0;  // the group's part of the LDS; limit: bytes accessible
};
uint64_t load(const DsState& s, uint32_t at, unsigned bytes, bool& inside) {
    uint64_t x = 0;
    inside = uint64_t{at} + bytes <= s.limit;
    if (inside) {
        std::memcpy(&x, &s.lds[s.base + at], bytes);
    }
    return x;
}
void store(DsState& s, uint32_t at, unsigned bytes, uint64_t x) {
    if (uint64_t{at} + bytes <= s.limit) {
        std::memcpy(&s.lds[s.base + at], &x, bytes);
    }
}
uint64_t vgpr(const WaveImage& w, unsigned r, unsigned lane, unsigned bits) {
    return w.v[r][lane] | (bits == 64 ? uint64_t{w.v[r + 1][lane]} << 32 : 0);
}
void set_vgpr(WaveImage& w, unsigned r, unsigned lane, unsigned bits, uint64_t x) {
    w.v[r][lane] = static_cast<uint32_t>(x);
    if (bits == 64) {
        w.v[r + 1][lane] = static_cast<uint32_t>(x >> 32);
    }
}

void expect_ds(const DsName& d, unsigned offset, const DsState& before, DsState& after) {
    after.lds = before.lds;
    after.base = before.base;
    after.limit = before.limit;
    copy_wave(after.wave, before.wave);
    const unsigned bytes = d.bits / 8, bits = d.bits < 32 ? 32 : d.bits;
    for (unsigned l = 0; l < kLanes; ++l) {
        if ((before.wave.w.exec() >> l & 1) == 0) {
            continue;
        }
        const uint32_t address = before.wave.v[kAddr][l];
        for (unsigned k = 0; k < (d.pair ? 2 : 1); ++k) {
            uint64_t sum = 0;
            if (d.pair) {
                const unsigned unit = bytes * (d.st64 ? 64 : 1);
                sum = uint64_t{address} + (k == 0 ? offset & 0xff : offset >> 8) * unit;
            } else if (!d.src2) {
                sum = uint64_t{address} + offset;
            } else {
                sum = (offset & 0x8000) != 0 ? address & 0x1ffff : address;
            }
            const uint32_t at =
                sum > 0xffffffff ? 0xfffffff8 : static_cast<uint32_t>(sum) & ~(bytes - 1);
            bool inside = false;
            const uint64_t old = load(after, at, bytes, inside);
            uint64_t a = vgpr(before.wave, k == 0 ? kData0 : kData1, l, bits);
            const uint64_t b = vgpr(before.wave, kData1, l, bits);
            if (d.src2) {
                const uint32_t distance = (offset & 0x8000) != 0
                                              ? (address >> 17 | (address >> 16 & 0x8000)) & 0xffff
                                              : (offset & 0x7fff) | (offset << 1 & 0x8000);
                const uint32_t second = (at + distance * 4) & 0xffff & ~(bytes - 1);
                bool second_inside = false;
                a = load(after, second, bytes, second_inside);
            }
            if (d.base == "read") {
                uint64_t x = old;
                if (d.bits < 32 && d.is_signed && (x >> (d.bits - 1) & 1) != 0) {
                    x |= 0xffffffff << d.bits & 0xffffffff;
                }
                set_vgpr(after.wave, kDst + k * bits / 32, l, bits, x);
                continue;
            }
            if (inside) {
                store(after, at, bytes, changes().at(d.base)(d.bits, old, a, b));
            }
            if (d.returns) {
                set_vgpr(after.wave, kDst + k * bits / 32, l, bits, old);
            }
        }
    }
}

std::vector<std::string> ds_names() {
    std::vector<std::string> names;
    for (unsigned n = 0; n < kOpCount; ++n) {
        const OpInfo& info = op_info(static_cast<Op>(n));
        const std::string name = info.name;
        if (info.format == Format::Ds && name.find("gws") == std::string::npos &&
            name != "ds_swizzle_b32" && name != "ds_append" && name != "ds_consume" &&
            name != "ds_ordered_count") {
            names.push_back(name);
        }
    }
    return names;
}

class EveryDsOpcode : public ::testing::TestWithParam<std::string> {};

TEST_P(EveryDsOpcode, ChangesLdsAndRegistersAsTheReferenceSays) {
    const Op op = find_op(GetParam());
    const DsName d = parse(GetParam());
    ASSERT_TRUE(d.base == "read" || changes().count(d.base) == 1) << d.base;
    Rng rng(1);
    DsState before, expected, actual;
    const char type = d.base.find("_f") != std::string::npos ? (d.bits == 64 ? 'F' : 'f')
                                                             : (d.bits == 64 ? 'U' : 'u');
    for (unsigned round = 0; round < 300; ++round) {
        scramble(before.wave, rng);
        before.lds.resize(kLdsBytes);
        for (unsigned at = 0; at < kLdsBytes; at += 8) {
            uint64_t x = any_value(type, rng);
            x = d.bits == 64 ? x : (x & 0xffffffff) | any_value(type, rng) << 32;
            std::memcpy(&before.lds[at], &x, 8);
        }
        before.base = static_cast<uint32_t>(rng() % 3) * 256;
        before.wave.w.lds_base = before.base;
        before.wave.w.lds_size = 1024 + static_cast<uint32_t>(rng() % 4) * 512;
        before.wave.w.s[kM0] =
            rng() % 2 == 0 ? 0xffffffff : 512 + static_cast<uint32_t>(rng() % 64) * 8;
        before.limit = std::min(before.wave.w.lds_size, before.wave.w.s[kM0]);
        const uint64_t execs[] = {~uint64_t{0}, rng(), 0, uint64_t{1} << rng() % 64};
        before.wave.w.set_exec(execs[rng() % 4]);
        before.wave.w.mode = Mode::from_float_mode(static_cast<uint8_t>(rng()), true, true);
        const bool collide = !d.pair && !d.src2 && rng() % 4 == 0;
        // two-address forms: a lane's places apart from every other lane's
        const unsigned stride = d.st64 ? d.bits / 8 : d.pair || d.src2 ? 16 : collide ? 0 : 8;
        for (unsigned l = 0; l < kLanes; ++l) {
            uint32_t address = 128 + l * stride + static_cast<uint32_t>(rng() % 4);
            if (rng() % 16 == 0) {
                address = static_cast<uint32_t>(rng());  // beyond
            }
            before.wave.v[kAddr][l] = address;
            put(before.wave, kData0, type, l, any_value(type, rng));
            put(before.wave, kData1, type, l, any_value(type, rng));
            if (rng() % 3 == 0) {  // equal to the location: compares and swaps
                const unsigned at = (address & ~(d.bits / 8 - 1)) & 0x3ff;
                uint64_t x = 0;
                std::memcpy(&x, &before.lds[before.base + at], 8);
                put(before.wave, kData0, type, l, x);
            }
        }
        unsigned offset = rng() % 3 == 0 ? 0 : static_cast<unsigned>(rng() % 256);
        if (d.pair) {
            offset = 0x0100;  // a lane's two places next to each other, or 64 elements apart
            for (unsigned l = 0; l < kLanes; ++l) {
                before.wave.v[kAddr][l] &= ~(d.bits / 8 - 1);
            }
        }
        if (d.src2) {
            // the second places above every first (or below), so that the order of lanes is
            // immaterial
            for (unsigned l = 0; l < kLanes; ++l) {
                before.wave.v[kAddr][l] = (before.wave.v[kAddr][l] & 0x3ff) / 16 * 8;
            }
            offset = 600 / 4;
            if (rng() % 2 == 0) {  // or below: a negative distance of 15 bits
                for (unsigned l = 0; l < kLanes; ++l) {
                    before.wave.v[kAddr][l] += 608;
                }
                offset = (0 - 600 / 4) & 0x7fff;
            }
            if (rng() % 2 == 0) {  // distance in the address register
                for (unsigned l = 0; l < kLanes; ++l) {
                    before.wave.v[kAddr][l] |= offset << 17;
                }
                offset = 0x8000;
            }
        }
        expect_ds(d, offset, before, expected);
        copy_wave(actual.wave, before.wave);
        actual.lds = before.lds;
        test::Ds form;
        form.vdst = kDst;
        form.addr = kAddr;
        form.data0 = kData0;
        form.data1 = kData1;
        form.offset = offset;
        const Inst inst = test::ds(op, form);
        ASSERT_NE(inst.format, Format::Illegal) << GetParam();
        unsigned cycles = 0;
        ASSERT_TRUE(execute_lds(inst, actual.wave.w, actual.lds.data(), kLdsBytes, &cycles));
        for (unsigned at = 0; at < kLdsBytes; ++at) {
            ASSERT_EQ(actual.lds[at], expected.lds[at])
                << disassemble(inst, 0) << " byte " << at - before.base << " of the group, round "
                << round;
        }
        for (unsigned r = 0; r < kRegs; ++r) {
            for (unsigned l = 0; l < kLanes; ++l) {
                ASSERT_EQ(actual.wave.v[r][l], expected.wave.v[r][l])
                    << disassemble(inst, 0) << " v" << r << " lane " << l << " address " << std::hex
                    << before.wave.v[kAddr][l] << " limit " << before.limit;
            }
        }
    }
}

// "ds_" is left out of the test names.
INSTANTIATE_TEST_SUITE_P(Ds, EveryDsOpcode, ::testing::ValuesIn(ds_names()),
                         [](const ::testing::TestParamInfo<std::string>& info) {
                             return info.param.substr(3);
                         });

TEST(DsReference, SwizzleReadsTheLaneItsOffsetSelects) {
    Rng rng(2);
    for (unsigned round = 0; round < 2000; ++round) {
        WaveImage before, after;
        scramble(before, rng);
        before.w.set_exec(rng() | rng());
        const unsigned offset = static_cast<unsigned>(rng() & 0xffff);
        test::Ds form;
        form.vdst = kDst;
        form.addr = kAddr;
        form.offset = offset;
        const Inst inst = test::ds(Op::DS_SWIZZLE_B32, form);
        copy_wave(after, before);
        unsigned cycles = 0;
        std::vector<uint8_t> lds(64);
        ASSERT_TRUE(execute_lds(inst, after.w, lds.data(), 64, &cycles));
        for (unsigned l = 0; l < kLanes; ++l) {
            unsigned from = 0;
            if ((offset & 0x8000) != 0) {
                from = (l & ~3u) | (offset >> (2 * (l & 3)) & 3);
            } else {
                from = (l & 32) |
                       ((((l & 31) & (offset & 31)) | (offset >> 5 & 31)) ^ (offset >> 10 & 31));
            }
            const bool active = (before.w.exec() >> l & 1) != 0;
            const bool source = (before.w.exec() >> from & 1) != 0;
            const uint32_t want = !active ? before.v[kDst][l] : source ? before.v[kAddr][from] : 0;
            ASSERT_EQ(after.v[kDst][l], want) << std::hex << offset << " lane " << std::dec << l;
        }
    }
}

// The arithmetic shared by L2, LDS and images, by its own names.
TEST(AtomicReference, EveryOperationGivesTheReferenceBits) {
    const std::pair<AtomicOp, const char*> ops[] = {
        {AtomicOp::Swap, "wrxchg"}, {AtomicOp::Add, "add"},    {AtomicOp::Sub, "sub"},
        {AtomicOp::RSub, "rsub"},   {AtomicOp::SMin, "min_i"}, {AtomicOp::UMin, "min_u"},
        {AtomicOp::SMax, "max_i"},  {AtomicOp::UMax, "max_u"}, {AtomicOp::And, "and"},
        {AtomicOp::Or, "or"},       {AtomicOp::Xor, "xor"},    {AtomicOp::Inc, "inc"},
        {AtomicOp::Dec, "dec"},     {AtomicOp::FMin, "min_f"}, {AtomicOp::FMax, "max_f"}};
    for (const auto& [op, name] : ops) {
        const Change& change = changes().at(name);
        for (const char type : {'u', 'f'}) {
            for (const uint64_t m : edges(type)) {
                for (const uint64_t a : edges(type)) {
                    EXPECT_EQ(atomic32(op, static_cast<uint32_t>(m), static_cast<uint32_t>(a), 0),
                              static_cast<uint32_t>(change(32, m, a, 0)))
                        << name << std::hex << " " << m << " " << a;
                }
            }
        }
        for (const char type : {'U', 'F'}) {
            for (const uint64_t m : edges(type)) {
                for (const uint64_t a : edges(type)) {
                    EXPECT_EQ(atomic64(op, m, a, 0), change(64, m, a, 0))
                        << name << std::hex << " " << m << " " << a;
                }
            }
        }
    }
    for (const char type : {'u', 'f'}) {
        for (const uint64_t m : edges(type)) {
            for (const uint64_t c : edges(type)) {
                const uint32_t old = static_cast<uint32_t>(m), cmp = static_cast<uint32_t>(c);
                EXPECT_EQ(atomic32(AtomicOp::CmpSwap, old, 77, cmp), old == cmp ? 77 : old);
                EXPECT_EQ(atomic32(AtomicOp::FCmpSwap, old, 77, cmp),
                          compare(kF32, m, c) == 0 ? 77 : old)
                    << std::hex << m << " " << c;
            }
        }
    }
    for (const char type : {'U', 'F'}) {
        for (const uint64_t m : edges(type)) {
            for (const uint64_t c : edges(type)) {
                EXPECT_EQ(atomic64(AtomicOp::CmpSwap, m, 77, c), m == c ? 77 : m);
                EXPECT_EQ(atomic64(AtomicOp::FCmpSwap, m, 77, c),
                          compare(kF64, m, c) == 0 ? 77 : m);
            }
        }
    }
}

// Buffer atomics: data register(s), then the value to compare with; DS has them the other way
// round.
TEST(AtomicReference, EveryBufferAtomicNamesItsOperationWidthAndOperands) {
    const std::map<std::string, AtomicOp> by_name = {
        {"swap", AtomicOp::Swap}, {"cmpswap", AtomicOp::CmpSwap}, {"add", AtomicOp::Add},
        {"sub", AtomicOp::Sub},   {"rsub", AtomicOp::RSub},       {"smin", AtomicOp::SMin},
        {"umin", AtomicOp::UMin}, {"smax", AtomicOp::SMax},       {"umax", AtomicOp::UMax},
        {"and", AtomicOp::And},   {"or", AtomicOp::Or},           {"xor", AtomicOp::Xor},
        {"inc", AtomicOp::Inc},   {"dec", AtomicOp::Dec},         {"fcmpswap", AtomicOp::FCmpSwap},
        {"fmin", AtomicOp::FMin}, {"fmax", AtomicOp::FMax}};
    unsigned seen = 0;
    for (unsigned n = 0; n < kOpCount; ++n) {
        const Op op = static_cast<Op>(n);
        const std::string name = op_info(op).name, prefix = "buffer_atomic_";
        if (name.compare(0, prefix.size(), prefix) != 0) {
            continue;
        }
        ++seen;
        std::string base = name.substr(prefix.size());
        const bool x2 = base.size() > 3 && base.compare(base.size() - 3, 3, "_x2") == 0;
        base = x2 ? base.substr(0, base.size() - 3) : base;
        ASSERT_EQ(by_name.count(base), 1u) << name;
        for (const bool glc : {false, true}) {
            test::Machine m;
            m.resource(4, 0x1000, 0, 0x10000, 0x00027fac);
            for (unsigned r = 0; r < 8; ++r) {
                m.fill(r, [r](unsigned l) { return r * 1000 + l * 8; });
            }
            test::Mubuf f;
            f.vdata = 4;
            f.vaddr = 0;
            f.srsrc = 4;
            f.offen = true;
            f.glc = glc;
            const Inst inst = test::mubuf(op, f);
            ASSERT_NE(inst.format, Format::Illegal) << name;
            VectorMemOp mem;
            vector_mem(inst, m.w, mem);
            ASSERT_EQ(mem.unsupported, nullptr) << name;
            EXPECT_EQ(mem.kind, VectorMemOp::Kind::Atomic) << name;
            EXPECT_EQ(mem.atomic, by_name.at(base)) << name;
            EXPECT_EQ(mem.bytes, x2 ? 8 : 4) << name;
            EXPECT_EQ(mem.returns, glc) << name;
            EXPECT_EQ(mem.lanes, ~uint64_t{0}) << name;
            const bool two = base == "cmpswap" || base == "fcmpswap";
            for (unsigned l = 0; l < kLanes; ++l) {
                for (unsigned k = 0; k < (x2 ? 2u : 1u) * (two ? 2 : 1); ++k) {
                    EXPECT_EQ(mem.data[k][l], (4 + k) * 1000 + l * 8) << name;
                }
                EXPECT_EQ(mem.addr[0][l], 0x1000 + l * 8) << name;
            }
        }
    }
    EXPECT_EQ(seen, 34u);
}

}  // namespace
}  // namespace archipelago::isa::reference
