// SPDX-License-Identifier: Apache-2.0
// Buffer instructions of a whole wave end as the same instructions lane by lane: registers, memory
// and the lanes that count as accesses; or they do nothing. What goes in one piece is counted.
#include "models/cu/isa/buffer_wave.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "testbenches/unit/isa/float_bits.h"
#include "testbenches/unit/isa/machine.h"

namespace archipelago::isa::buffer_wave_test {
namespace {

using test::bits;
using test::Machine;
using test::Mubuf;

constexpr uint64_t kBase = 0x12'3456'0000;
constexpr uint64_t kBytes = 1 << 16;
constexpr uint64_t kAll = ~uint64_t{0};
constexpr unsigned kVgprs = 32, kVdata = 16, kSrsrc = 8, kSoffset = 40;

using Memory = std::vector<uint8_t>;

// The instruction lane by lane. False: a fault, or refused; nothing was done.
bool run_lanes(const Inst& inst, WaveState& w, Memory& memory, const HostWindow& piece,
               VectorMemOp& op) {
    vector_mem(inst, w, op);
    if (op.unsupported != nullptr) {
        return false;
    }
    const unsigned dwords = (op.bytes + 3u) / 4;
    const auto active = [&](unsigned lane, unsigned k) {
        return ((op.contiguous ? op.lanes : op.dword_lanes[k]) >> lane & 1) != 0;
    };
    const auto address = [&](unsigned lane, unsigned k) {
        return op.contiguous ? op.addr[0][lane] + 4 * k : op.addr[k][lane];
    };
    const auto size = [&](unsigned k) { return std::min(4u, op.bytes - 4 * k); };
    const bool atomic = op.kind == VectorMemOp::Kind::Atomic;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned k = 0; k < dwords; ++k) {
            const uint64_t at = address(lane, k);
            if (active(lane, k) && (at < piece.first || at - piece.first + size(k) > piece.bytes ||
                                    (atomic && k == 0 && at % op.bytes != 0))) {
                return false;
            }
        }
    }
    for (unsigned lane = 0; lane < kLanes; ++lane) {
        for (unsigned k = 0; k < dwords && !atomic; ++k) {
            uint8_t* const at = memory.data() + (address(lane, k) - kBase);
            uint32_t& data = op.data[k][lane];
            if (op.kind == VectorMemOp::Kind::Store && active(lane, k)) {
                std::memcpy(at, &data, size(k));
            } else if (op.kind == VectorMemOp::Kind::Load) {
                data = 0;
                if (active(lane, k)) {
                    std::memcpy(&data, at, size(k));
                }
            }
        }
        if (!atomic || !active(lane, 0)) {
            continue;
        }
        uint8_t* const at = memory.data() + (address(lane, 0) - kBase);
        const auto word = [&](unsigned k) { return op.data[k][lane] | uint64_t{0}; };
        const bool wide = op.bytes == 8;
        uint64_t old = 0;
        std::memcpy(&old, at, op.bytes);
        const uint64_t value =
            wide ? atomic64(op.atomic, old, word(0) | word(1) << 32, word(2) | word(3) << 32)
                 : atomic32(op.atomic, static_cast<uint32_t>(old), op.data[0][lane],
                            op.data[1][lane]);
        std::memcpy(at, &value, op.bytes);
        op.data[0][lane] = static_cast<uint32_t>(old);
        op.data[1][lane] = static_cast<uint32_t>(old >> 32);
    }
    vector_mem_complete(op, w);
    return true;
}

// Two machines and their memories, which have to stay alike.
class Pair {
  public:
    explicit Pair(const char* level) : wave(*lane_memory(level), *format_lanes(level)) {
        std::mt19937_64 random(7);
        for (uint8_t& b : memory) {
            b = static_cast<uint8_t>(random());
        }
    }

    // Runs both with the piece of memory given. True: the wave did it.
    bool run(const Inst& inst, uint64_t first = kBase, uint64_t bytes = kBytes) {
        wave_memory = memory;
        std::memcpy(lanes.w.s, scalar.w.s, sizeof scalar.w.s);
        std::memcpy(lanes.w.v, scalar.w.v, kVgprs * sizeof(VReg));
        std::memcpy(before, scalar.w.v, sizeof before);
        const Memory memory_before = memory;
        HostWindow piece{first, bytes, wave_memory.data() + (first - kBase)};
        done = run_lanes(inst, scalar.w, memory, piece, *op);
        const auto form = BufferWave::form(inst);
        const bool taken = form && wave.prepare(inst, *form, lanes.w) && wave.execute(piece);
        if (taken) {
            EXPECT_TRUE(done) << "what faults or is refused is not for whole waves";
            EXPECT_EQ(wave.lanes(), op->lanes);
            EXPECT_TRUE(memory == wave_memory);
            compare();
        } else {
            EXPECT_EQ(std::memcmp(before, lanes.w.v, sizeof before), 0);
            EXPECT_TRUE(wave_memory == memory_before);
        }
        return taken;
    }

    Machine scalar, lanes;
    Memory memory = Memory(kBytes), wave_memory;
    std::unique_ptr<VectorMemOp> op{new VectorMemOp};
    BufferWave wave;
    bool done = false;  // lane by lane

  private:
    void compare() {
        for (unsigned v = 0; v < kVgprs; ++v) {
            for (unsigned l = 0; l < kLanes; ++l) {
                ASSERT_EQ(scalar.w.v[v][l], lanes.w.v[v][l]) << "v" << v << " lane " << l;
            }
        }
    }
    VReg before[kVgprs];
};

std::vector<Op> buffer_ops() {
    std::vector<Op> ops;
    for (unsigned i = 0; i < kOpCount; ++i) {
        const auto op = static_cast<Op>(i);
        const Format format = op_info(op).format;
        if (format == Format::Mubuf || format == Format::Mtbuf) {
            ops.push_back(op);
        }
    }
    return ops;
}

struct Resource {
    uint64_t base = kBase + 0x100;
    uint32_t stride = 0, records = 0x4000;
    bool swizzle = false, add_tid = false;
    unsigned element_size = 1, index_stride = 3;  // codes: 4 bytes, 64 records
    unsigned dst_sel = kIdentitySelect, dfmt = 4, nfmt = 7, type = 0;

    void put_into(Machine& m) const {
        m.resource(kSrsrc, base, stride, records,
                   dst_sel | nfmt << 12 | dfmt << 15 | element_size << 19 | index_stride << 21 |
                       (add_tid ? 1u << 23 : 0) | type << 30);
        m.w.s[kSrsrc + 1] |= swizzle ? 0x80000000u : 0;
    }
};

class BufferWaveLevels : public ::testing::TestWithParam<const char*> {
  protected:
    void SetUp() override {
        if (lane_memory(GetParam()) == nullptr) {
            GTEST_SKIP() << "this host has no " << GetParam();
        }
        pair = std::make_unique<Pair>(GetParam());
    }
    uint32_t below(uint32_t n) { return static_cast<uint32_t>(random() % n); }
    bool chance(uint32_t n) { return below(n) == 0; }

    // Values that conversions of numbers find hard, and others.
    uint32_t value() {
        static constexpr uint32_t kHard[] = {0x7f800000, 0xff800000, 0x7fc01234, 0xffa54321, 1,
                                             0x807fffff, 0x7f7fffff, 0x7fffffff, 0x80000000, 127,
                                             128,        0xffffff80, 0xffffff7f, 255,        256,
                                             0x3f800000, 0xbf800000, 0x477fe000, 0x33800000, 65536};
        switch (below(4)) {
            case 0:
                return static_cast<uint32_t>(random());
            case 1:
                return kHard[below(sizeof kHard / sizeof *kHard)];
            default:
                return bits(static_cast<float>(below(6000)) / 2000.0f - 1.5f);
        }
    }
    uint64_t exec() {
        switch (below(6)) {
            case 0:
                return uint64_t{1} << below(64);
            case 1:
                return chance(8) ? 0 : 0xffffffff;
            case 2:
                return random();
            default:
                return kAll;
        }
    }
    Resource resource() {
        Resource r;
        r.base += chance(4) ? below(64) : 4 * below(64);
        if (chance(2)) {
            r.stride = chance(4) ? below(64) : 4 * below(16);
        }
        r.records = chance(8) ? static_cast<uint32_t>(random()) : below(r.stride == 0 ? 2000 : 80);
        r.swizzle = chance(6);
        r.add_tid = chance(r.swizzle ? 2 : 6);
        if (r.swizzle && chance(2)) {  // scratch
            r.records = 0x4000;
            r.add_tid = true;
            r.stride = chance(2) ? 0 : 64;
        }
        r.element_size = chance(6) ? below(4) : 1;
        r.index_stride = chance(6) ? below(4) : 3;
        r.dfmt = below(16);
        r.nfmt = below(8);
        if (chance(2)) {
            r.dst_sel = 0;
            for (unsigned c = 0; c < 4; ++c) {
                static constexpr unsigned kSelectors[] = {0, 1, 4, 5, 6, 7, 4, 5};
                r.dst_sel |= (chance(60) ? below(8) : kSelectors[below(8)]) << (3 * c);
            }
        }
        r.type = chance(100) ? 1 : 0;
        return r;
    }
    Mubuf fields() {
        Mubuf f;
        f.vdata = kVdata;
        f.vaddr = chance(4) ? kVdata - below(2) : 2;  // overlapping what is loaded, too
        f.srsrc = kSrsrc;
        f.soffset = chance(2) ? kSoffset : static_cast<unsigned>(kConstZero);
        f.addr64 = chance(8);
        f.offen = !f.addr64 && !chance(3);
        f.idxen = !f.addr64 && chance(2);
        f.offset = chance(2) ? 0 : chance(4) ? below(4096) : 4 * below(16);
        f.glc = chance(2);
        f.tfe = chance(40);
        f.lds = chance(40);
        return f;
    }
    // Addresses from `first` on: rows, scattered, with lanes out of range.
    void addresses(const Mubuf& f, const Resource& r, unsigned bytes) {
        const unsigned step = chance(4) ? 4 * below(5) : bytes;
        const bool row = chance(2);
        const uint32_t origin = chance(3) ? below(64) * 4 : 0;
        const uint32_t limit = chance(3) ? r.records : std::min(r.records, 500u);
        const bool far = chance(4);
        const auto place = [&](unsigned l) {
            const uint32_t at =
                row ? origin + step * l : below(limit + 1) & (chance(20) ? ~0u : ~3u);
            return far && chance(30) ? static_cast<uint32_t>(random()) : at;
        };
        Machine& m = pair->scalar;
        const bool index_first = f.idxen;
        const uint32_t same = 4 * below(r.stride / 4 + 1);
        const bool uniform = chance(2);
        if (f.addr64) {
            m.fill(f.vaddr, [&](unsigned l) { return place(l) & 0xffff; });
            m.fill(f.vaddr + 1, [&](unsigned) { return far && chance(40) ? 1 : 0; });
            return;
        }
        m.fill(f.vaddr, [&](unsigned l) {
            return !index_first ? place(l)
                   : row        ? origin / 4 + l
                                : below(std::min(r.records, 300u) + 1);
        });
        if (index_first && f.offen) {
            m.fill(f.vaddr + 1, [&](unsigned l) {
                return r.stride == 0 ? place(l) : uniform ? same : 4 * below(r.stride / 4 + 1);
            });
        }
    }

    std::mt19937_64 random{20261123};
    std::unique_ptr<Pair> pair;
};

Inst instruction(Op op, const Mubuf& f, unsigned dfmt, unsigned nfmt) {
    return op_info(op).format == Format::Mtbuf ? test::mtbuf(op, dfmt, nfmt, f)
                                               : test::mubuf(op, f);
}

// Anything that decodes.
TEST_P(BufferWaveLevels, AnyAccessEndsAsLaneByLane) {
    std::map<std::string, unsigned> taken;
    for (const Op op : buffer_ops()) {
        for (unsigned turn = 0; turn < 400; ++turn) {
            const Resource r = resource();
            const Mubuf f = fields();
            const Inst inst = instruction(op, f, below(16), below(8));
            if (inst.format == Format::Illegal || !is_implemented(inst)) {
                continue;
            }
            Machine& m = pair->scalar;
            for (unsigned v = 0; v < kVgprs; ++v) {
                m.fill(v, [&](unsigned) { return value(); });
            }
            r.put_into(m);
            m.w.s[kSoffset] = chance(2) ? 0 : 4 * below(32);
            m.w.set_exec(exec());
            addresses(f, r, std::max<unsigned>(1, op_info(op).mem_bytes));
            const bool part = chance(6);
            const uint64_t first = part ? kBase + 64 * below(12) : kBase;  // pieces are pages
            SCOPED_TRACE(disassemble(inst, 0) + " turn " + std::to_string(turn));
            taken[op_info(op).name] += pair->run(inst, first, part ? 0x400 : kBytes) ? 1 : 0;
            if (HasFailure()) {
                return;
            }
        }
    }
    for (const auto& [name, count] : taken) {
        if (name.find("wbinvl1") == std::string::npos) {
            EXPECT_GT(count, 40u) << name;
        }
    }
}

// Loads and stores of every format and any DST_SEL: in one piece regardless of what EXEC and
// however many lanes are out of range.
TEST_P(BufferWaveLevels, EveryFormatIsConvertedForWholeWaves) {
    static constexpr Op kOps[] = {
        Op::BUFFER_LOAD_FORMAT_X,     Op::BUFFER_LOAD_FORMAT_XY,    Op::BUFFER_LOAD_FORMAT_XYZ,
        Op::BUFFER_LOAD_FORMAT_XYZW,  Op::BUFFER_STORE_FORMAT_X,    Op::BUFFER_STORE_FORMAT_XY,
        Op::BUFFER_STORE_FORMAT_XYZ,  Op::BUFFER_STORE_FORMAT_XYZW, Op::TBUFFER_LOAD_FORMAT_X,
        Op::TBUFFER_LOAD_FORMAT_XY,   Op::TBUFFER_LOAD_FORMAT_XYZ,  Op::TBUFFER_LOAD_FORMAT_XYZW,
        Op::TBUFFER_STORE_FORMAT_X,   Op::TBUFFER_STORE_FORMAT_XY,  Op::TBUFFER_STORE_FORMAT_XYZ,
        Op::TBUFFER_STORE_FORMAT_XYZW};
    for (unsigned turn = 0; turn < 16 * 8 * 16 * 4; ++turn) {
        Resource r;
        r.dfmt = turn % 16;
        r.nfmt = turn / 16 % 8;
        const Op op = kOps[turn / 128 % 16];
        const bool store = op_info(op).mem == MemKind::StoreFormat;
        const char* why =
            store ? unsupported_store(r.dfmt, r.nfmt) : unsupported_load(r.dfmt, r.nfmt);
        if (why != nullptr || r.dfmt == 0) {
            continue;
        }
        const unsigned bytes = data_format(r.dfmt).bytes;
        const bool records = chance(2);
        const bool end = chance(2);  // within the wave
        r.stride = records ? bytes * (1 + below(3)) : 0;
        r.records = (end ? 2 + below(60) : 64) * (records ? 1 : bytes);
        r.dst_sel = 0;
        for (unsigned c = 0; c < 4; ++c) {
            static constexpr unsigned kSelectors[] = {0, 1, 4, 5, 6, 7};
            r.dst_sel |= (chance(2) ? 4 + c : kSelectors[below(6)]) << (3 * c);
        }
        Machine& m = pair->scalar;
        for (unsigned v = 0; v < kVgprs; ++v) {
            m.fill(v, [&](unsigned) { return value(); });
        }
        r.put_into(m);
        m.w.set_exec(chance(2) ? kAll : random() | 1);
        Mubuf f;
        f.vdata = kVdata;
        f.vaddr = 2;
        f.srsrc = kSrsrc;
        f.idxen = records;
        f.offen = !records;
        const bool row = chance(2);
        const unsigned least = records ? 1 : bytes;
        m.fill(2, [&](unsigned l) { return least * (row ? l : l == 0 ? 0 : below(64)); });
        const Inst inst = instruction(op, f, r.dfmt, r.nfmt);
        SCOPED_TRACE(disassemble(inst, 0) + " dfmt " + std::to_string(r.dfmt) + " nfmt " +
                     std::to_string(r.nfmt) + " turn " + std::to_string(turn));
        EXPECT_TRUE(pair->run(inst));
        if (HasFailure()) {
            return;
        }
    }
}

// An element that begins in the piece of memory and ends outside is a fault, even where the
// registers take only its first components.
TEST_P(BufferWaveLevels, ElementsHaveToLieInTheMemoryWhole) {
    Resource r;
    r.base = kBase;
    r.dfmt = 14;  // 32_32_32_32
    r.put_into(pair->scalar);
    pair->scalar.fill(2, [](unsigned l) { return 16 * l; });
    Mubuf f;
    f.vdata = kVdata;
    f.vaddr = 2;
    f.srsrc = kSrsrc;
    f.offen = true;
    for (const Op op : {Op::BUFFER_LOAD_FORMAT_X, Op::BUFFER_LOAD_FORMAT_XYZW}) {
        const Inst inst = test::mubuf(op, f);
        EXPECT_TRUE(pair->run(inst, kBase, 1024));
        EXPECT_FALSE(pair->run(inst, kBase, 1023));
        EXPECT_FALSE(pair->run(inst, kBase, 1012));
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, BufferWaveLevels, ::testing::Values("portable", "avx2"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace archipelago::isa::buffer_wave_test
