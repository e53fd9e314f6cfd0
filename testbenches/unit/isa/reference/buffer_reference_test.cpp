// SPDX-License-Identifier: Apache-2.0
// Addresses, range checks and element formats of MUBUF and MTBUF against a reference written from
// CLRX's GcnMemHandling.md; where models/cu/isa/DECISIONS.md states a choice, that choice.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "testbenches/unit/isa/machine.h"
#include "testbenches/unit/isa/reference/valu_bench.h"

namespace archipelago::isa::reference {
namespace {

struct Buffer {
    uint64_t base = 0;
    uint32_t stride = 0, num_records = 0, element_size = 4, index_stride = 8;
    bool swizzle = false, add_tid = false;
    unsigned nfmt = 4, dfmt = 4;

    void put_into(test::Machine& m, unsigned first) const {
        const auto log = [](unsigned x) { return static_cast<unsigned>(__builtin_ctz(x)); };
        m.w.s[first] = static_cast<uint32_t>(base);
        m.w.s[first + 1] =
            static_cast<uint32_t>(base >> 32) | stride << 16 | (swizzle ? 0x80000000u : 0u);
        m.w.s[first + 2] = num_records;
        m.w.s[first + 3] = (4 | 5 << 3 | 6 << 6 | 7 << 9) | nfmt << 12 | dfmt << 15 |
                           (log(element_size) - 1) << 19 | (log(index_stride) - 3) << 21 |
                           (add_tid ? 1u << 23 : 0u);
    }
};

struct Place {
    uint64_t address = 0;
    bool inside = true;
};
// Where dword `k` of a lane's access lies.
Place place(const Buffer& b, bool indexed, uint32_t index, uint32_t offset, uint32_t soffset,
            unsigned k) {
    const uint32_t at = offset + 4 * k;
    Place p;
    uint64_t in_buffer = 0;
    if (b.swizzle) {
        in_buffer = at % b.element_size + b.element_size * (index % b.index_stride) +
                    uint64_t{b.index_stride} * (uint64_t{index / b.index_stride} * b.stride +
                                                at / b.element_size * b.element_size);
    } else {
        in_buffer = uint64_t{index * b.stride} + at;
    }
    if (b.stride == 0) {
        p.inside = in_buffer + soffset < b.num_records;
    } else if (indexed) {
        p.inside = index < b.num_records && at < b.stride;
    }
    p.address = (b.base + soffset + in_buffer) & 0xffffffffffff;
    return p;
}

TEST(BufferReference, EveryDwordOfEveryLaneHasItsAddressAndRange) {
    Rng rng(1);
    const struct {
        Op op;
        unsigned bytes;
    } ops[] = {{Op::BUFFER_LOAD_UBYTE, 1},    {Op::BUFFER_LOAD_SSHORT, 2},
               {Op::BUFFER_LOAD_DWORD, 4},    {Op::BUFFER_LOAD_DWORDX2, 8},
               {Op::BUFFER_LOAD_DWORDX4, 16}, {Op::BUFFER_STORE_BYTE, 1},
               {Op::BUFFER_STORE_SHORT, 2},   {Op::BUFFER_STORE_DWORD, 4},
               {Op::BUFFER_STORE_DWORDX2, 8}, {Op::BUFFER_STORE_DWORDX4, 16}};
    auto mem_storage = std::make_unique<VectorMemOp>();
    VectorMemOp& mem = *mem_storage;
    for (unsigned round = 0; round < 6000; ++round) {
        test::Machine m;
        Buffer b;
        b.base = (rng() & 0xffffffff00) + (rng() % 2 == 0 ? 0 : 4 * (rng() % 64));
        const bool structured = rng() % 3 != 0;
        b.stride = structured ? 4 + static_cast<uint32_t>(rng() % 32) * 4 : 0;
        b.num_records = static_cast<uint32_t>(rng() % 4 == 0 ? rng() : rng() % 400);
        b.swizzle = structured && rng() % 2 == 0;
        b.element_size = 2u << (1 + rng() % 3);  // 4, 8, 16
        b.index_stride = 8u << rng() % 4;
        b.add_tid = structured && rng() % 4 == 0;
        b.put_into(m, 8);
        const auto& [op, bytes] = ops[rng() % 10];
        test::Mubuf f;
        f.vdata = 20;
        f.vaddr = 2;
        f.srsrc = 8;
        f.addr64 = !structured && rng() % 4 == 0;
        f.offen = !f.addr64 && rng() % 2 == 0;
        f.idxen = !f.addr64 && (rng() % 2 == 0 || (structured && !b.add_tid));
        f.offset = static_cast<unsigned>(rng() % 4 == 0 ? rng() % 4096 : rng() % 32 * 4);
        m.w.s[40] = static_cast<uint32_t>(rng() % 3 == 0 ? rng() % 2000 : 0);
        f.soffset = 40;
        m.w.set_exec(rng() % 3 == 0 ? rng() : ~uint64_t{0});
        // index first when there are both
        m.fill(2, [&](unsigned) { return rng() % 16 == 0 ? rng() : rng() % 300; });
        m.fill(3, [&](unsigned) { return rng() % 16 == 0 ? rng() & 0xffff : rng() % 40 * 4; });
        if (f.offen && !f.idxen) {
            m.fill(2, [&](unsigned) { return rng() % 16 == 0 ? rng() : rng() % 600; });
        }
        const Inst inst = test::mubuf(op, f);
        ASSERT_NE(inst.format, Format::Illegal);
        vector_mem(inst, m.w, mem);
        ASSERT_EQ(mem.unsupported, nullptr) << mem.unsupported;
        const bool is_store = mem.kind == VectorMemOp::Kind::Store;
        const unsigned dwords = bytes > 4 ? bytes / 4 : 1;
        const uint64_t align = bytes >= 4 ? 4 : bytes;
        for (unsigned l = 0; l < kLanes; ++l) {
            const bool active = (m.w.exec() >> l & 1) != 0;
            const uint32_t index = (f.idxen ? m.w.v[2][l] : 0) + (b.add_tid && !f.addr64 ? l : 0);
            const uint32_t offset = f.offset + (f.offen ? m.w.v[f.idxen ? 3 : 2][l] : 0);
            bool any = false;
            for (unsigned k = 0; k < dwords; ++k) {
                Place p = place(b, f.idxen || b.add_tid, index, offset, m.w.s[40], k);
                if (f.addr64) {
                    p.inside = true;
                    p.address = b.base + (m.w.v[2][l] | uint64_t{m.w.v[3][l]} << 32) + f.offset +
                                m.w.s[40] + 4 * k;
                }
                p.address &= ~(align - 1);
                any = any || p.inside;
                if (!active) {
                    continue;
                }
                const bool accessed = (mem.lanes >> l & 1) != 0 &&
                                      (mem.contiguous || (mem.dword_lanes[k] >> l & 1) != 0);
                ASSERT_EQ(accessed, p.inside)
                    << disassemble(inst, 0) << " lane " << l << " dword " << k << " index " << index
                    << " offset " << offset << " stride " << b.stride << " records "
                    << b.num_records << " soffset " << m.w.s[40];
                if (accessed) {
                    const uint64_t address =
                        mem.contiguous ? mem.addr[0][l] + 4 * k : mem.addr[k][l];
                    ASSERT_EQ(address & 0xffffffffffff, p.address & 0xffffffffffff)
                        << disassemble(inst, 0) << " lane " << l << " dword " << k << " index "
                        << index << " offset " << offset << " stride " << b.stride << " swizzle "
                        << b.swizzle << " element " << b.element_size << " every "
                        << b.index_stride;
                }
            }
            if (!active) {
                ASSERT_EQ(mem.lanes >> l & 1, 0u);
            }
            const bool zeroed = (mem.zero_lanes >> l & 1) != 0;
            ASSERT_EQ(zeroed, active && !any && !is_store) << disassemble(inst, 0) << " lane " << l;
        }
    }
}

// ---- formats ---------------------------------------------------------------------------------

// Component widths of a data format, lowest bits first.
std::vector<unsigned> widths(unsigned dfmt) {
    static const std::vector<unsigned> all[16] = {{},
                                                  {8},
                                                  {16},
                                                  {8, 8},
                                                  {32},
                                                  {16, 16},
                                                  {11, 11, 10},
                                                  {10, 11, 11},
                                                  {2, 10, 10, 10},
                                                  {10, 10, 10, 2},
                                                  {8, 8, 8, 8},
                                                  {32, 32},
                                                  {16, 16, 16, 16},
                                                  {32, 32, 32},
                                                  {32, 32, 32, 32},
                                                  {}};
    return all[dfmt];
}
uint32_t float_bits(double x) {
    const float f = static_cast<float>(x);
    uint32_t b = 0;
    std::memcpy(&b, &f, 4);
    return b;
}
uint32_t half_to_single(uint32_t raw) {
    if (is_nan(kF16, raw)) {
        return (raw & 0x8000) << 16 | 0x7f800000 | (raw & 0x3ff) << 13;
    }
    return static_cast<uint32_t>(pack(kF32, unpack(kF16, raw), kNearestEven, false));
}
// Unsigned floats of 11 and 10 bits: five bits of exponent, bias 15.
uint32_t small_float(uint32_t raw, unsigned width) {
    const unsigned places = width - 5;
    const uint32_t fraction = raw & ((1u << places) - 1);
    const uint32_t exponent = raw >> places;
    if (exponent == 31) {
        return 0x7f800000 | fraction << (23 - places);
    }
    const double one = std::ldexp(1.0, static_cast<int>(places));
    return float_bits(exponent == 0
                          ? std::ldexp(fraction / one, -14)
                          : std::ldexp(1 + fraction / one, static_cast<int>(exponent) - 15));
}
// A raw component to the register.
uint32_t loaded(unsigned nfmt, unsigned width, uint32_t raw) {
    const int64_t s = static_cast<int64_t>(uint64_t{raw} << (64 - width)) >> (64 - width);
    const double top = std::ldexp(1.0, static_cast<int>(width)) - 1;
    const double half = std::ldexp(1.0, static_cast<int>(width) - 1) - 1;
    switch (nfmt) {
        case 0:
            return float_bits(raw / top);
        case 1:
            return float_bits(std::max(static_cast<double>(s) / half, -1.0));
        case 2:
            return float_bits(raw);
        case 3:
            return float_bits(static_cast<double>(s));
        case 4:
            return raw;
        case 5:
            return static_cast<uint32_t>(s);
        case 6:
            return float_bits((2.0 * static_cast<double>(s) + 1) / top);
        default:
            return width == 32 ? raw : width == 16 ? half_to_single(raw) : small_float(raw, width);
    }
}

// Loads of every executed format: typed by the instruction and by the resource.
TEST(BufferReference, LoadsConvertEveryComponent) {
    Rng rng(2);
    unsigned formats = 0;
    auto mem_storage = std::make_unique<VectorMemOp>();
    VectorMemOp& mem = *mem_storage;
    for (unsigned dfmt = 1; dfmt < 15; ++dfmt) {
        for (unsigned nfmt = 0; nfmt < 8; ++nfmt) {
            test::Machine m;
            Buffer b;
            b.base = 0x10000;
            b.num_records = 0x100000;
            b.dfmt = dfmt;
            b.nfmt = nfmt;
            b.put_into(m, 8);
            test::Mubuf f;
            f.vdata = 20;
            f.vaddr = 2;
            f.srsrc = 8;
            f.offen = true;
            m.fill(2, [](unsigned l) { return l * 16; });
            const std::vector<unsigned> w = widths(dfmt);
            const bool integer = nfmt == 4 || nfmt == 5;
            for (const bool typed : {false, true}) {
                const Inst inst = typed ? test::mtbuf(Op::TBUFFER_LOAD_FORMAT_XYZW, dfmt, nfmt, f)
                                        : test::mubuf(Op::BUFFER_LOAD_FORMAT_XYZW, f);
                ASSERT_NE(inst.format, Format::Illegal);
                vector_mem(inst, m.w, mem);
                if (mem.unsupported != nullptr) {
                    continue;  // a known gap, stopped by name
                }
                formats += typed ? 0 : 1;
                for (unsigned round = 0; round < 20; ++round) {
                    uint32_t raw[4][kLanes] = {};
                    for (unsigned l = 0; l < kLanes; ++l) {
                        for (unsigned k = 0; k < 4; ++k) {
                            const uint32_t edge[] = {0,          0xffffffff, 0x80808080,
                                                     0x7f7f7f7f, 0x80008000, 0x7fff7fff,
                                                     0x80000000, 0x7fffffff};
                            raw[k][l] =
                                rng() % 2 == 0 ? static_cast<uint32_t>(rng()) : edge[rng() % 8];
                            // the memory side delivers only the element's bytes
                            unsigned bits = 0;
                            for (const unsigned x : w) {
                                bits += x;
                            }
                            const unsigned left = bits > 32 * k ? bits - 32 * k : 0;
                            raw[k][l] &= left >= 32 ? 0xffffffff : (1u << left) - 1;
                            mem.data[k][l] = raw[k][l];
                        }
                    }
                    VectorMemOp copy = mem;
                    vector_mem_complete(copy, m.w);
                    for (unsigned l = 0; l < kLanes; ++l) {
                        unsigned at = 0;
                        for (unsigned c = 0; c < 4; ++c) {
                            uint32_t want = c == 3 ? (integer ? 1 : 0x3f800000) : 0;
                            if (c < w.size()) {
                                const uint64_t two =
                                    raw[at / 32][l] |
                                    (at / 32 < 3 ? uint64_t{raw[at / 32 + 1][l]} << 32 : 0);
                                const uint64_t mask = (uint64_t{1} << w[c]) - 1;
                                want = loaded(nfmt, w[c],
                                              static_cast<uint32_t>(two >> at % 32 & mask));
                                at += w[c];
                            }
                            ASSERT_EQ(m.w.v[20 + c][l], want)
                                << disassemble(inst, 0) << " dfmt " << dfmt << " nfmt " << nfmt
                                << " component " << c << std::hex << " raw " << raw[0][l] << " "
                                << raw[1][l];
                        }
                    }
                }
            }
        }
    }
    EXPECT_GE(formats, 80u);
}

}  // namespace
}  // namespace archipelago::isa::reference
