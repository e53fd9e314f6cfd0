// SPDX-License-Identifier: Apache-2.0
// destinations() and lds_places() against what instructions of every opcode do to a wave.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "models/cu/isa/effects.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/special.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::isa::test {
namespace {

constexpr unsigned kVgprs = 256;
constexpr unsigned kLdsBytes = 1 << 16;  // as far as offsets reach
constexpr unsigned kSamples = 16;        // of each opcode

struct alignas(64) Registers {
    VReg v[kVgprs];
};

// A wave of random registers and LDS.
struct RandomWave {
    explicit RandomWave(std::mt19937_64& random) : regs(std::make_unique<Registers>()) {
        uint64_t next = random();
        for (auto& row : regs->v)
            for (uint32_t& lane : row)
                lane = static_cast<uint32_t>((next = next * 6364136223846793005u + 1) >> 32);
        for (uint32_t& s : w.s)
            s = static_cast<uint32_t>(random());
        w.s[kM0] = random() % 16;
        w.v = regs->v;
        w.num_vgprs = kVgprs;
        w.num_sgprs = kSgprLast + 1;
        w.scc = random() % 2 != 0;
        w.lds_size = kLdsBytes;
        w.pc = 0x1000;
        lds.resize(kLdsBytes);
        for (uint8_t& byte : lds)
            byte = static_cast<uint8_t>((next = next * 6364136223846793005u + 1) >> 56);
    }
    WaveState w;
    std::unique_ptr<Registers> regs;
    std::vector<uint8_t> lds;
};

// Makes it what a DS instruction can use: addresses in range, in a register of its own.
void aim_at_lds(const Inst& inst, RandomWave& wave) {
    wave.w.s[kM0] = kLdsBytes;
    for (uint32_t& lane : wave.regs->v[inst.vaddr])
        lane %= 4096;
}

bool run(const Inst& inst, RandomWave& wave) {
    if (inst.format == Format::Ds)
        return execute_lds(inst, wave.w, wave.lds.data(), kLdsBytes, nullptr);
    if (inst.exec == nullptr || inst.src[0] == kLdsDirect)
        return false;
    inst.exec(inst, wave.w);
    return true;
}

bool is_fork(Op op) {
    return op == Op::S_CBRANCH_G_FORK || op == Op::S_CBRANCH_I_FORK;
}

// Operand codes of scalar registers, and numbers of vector registers from 256 on.
using Set = std::set<unsigned>;

Set changed(const RandomWave& before, const RandomWave& after) {
    Set out;
    for (unsigned code = 0; code < 128; ++code)
        if (before.w.s[code] != after.w.s[code])
            out.insert(code);
    for (unsigned n = 0; n < kVgprs; ++n)
        if (std::memcmp(before.regs->v[n], after.regs->v[n], sizeof(VReg)) != 0)
            out.insert(kVgprFirst + n);
    return out;
}

Set listed(const Destinations& d) {
    Set out;
    for (unsigned i = 0; i < d.sgprs; ++i)
        out.insert(d.sgpr + i);
    for (unsigned i = 0; i < d.vgprs; ++i)
        out.insert(kVgprFirst + d.vgpr + i);
    return out;
}

void copy(const RandomWave& from, RandomWave& to) {
    to.w = from.w;
    std::memcpy(to.regs.get(), from.regs.get(), sizeof(Registers));
    to.w.v = to.regs->v;
    to.lds = from.lds;
}

// A run of one opcode on random registers, again and again.
class OpcodeRuns {
  public:
    explicit OpcodeRuns(std::mt19937_64& random)
        : random_(random), before_(random), after_(random) {}

    // Samples that could be executed.
    unsigned run_all(Op op) {
        SampleMaker maker(2 * static_cast<unsigned>(op) + 1);
        never_changed_ = {0, 1, 2, 3, 4, 5};
        most_ = 0;
        unsigned ran = 0;
        for (unsigned n = 0; n < kSamples; ++n) {
            const Sample sample = maker.make(op, n % 2 != 0 && op_info(op).cls == Class::Valu);
            const Inst inst = decode(sample.words, sample.dwords);
            if (inst.format != Format::Illegal && inst.vgprs_used <= 256 && !inst.gds)
                ran += run_one(inst) ? 1 : 0;
        }
        return ran;
    }
    // Places in the list of destinations that no sample has changed.
    unsigned unchanged() const {
        unsigned n = 0;
        for (size_t place = 0; place < most_; ++place)
            n += static_cast<unsigned>(never_changed_.count(static_cast<unsigned>(place)));
        return n;
    }

  private:
    bool run_one(const Inst& inst) {
        copy(RandomWave(random_), before_);
        if (inst.format == Format::Ds)
            aim_at_lds(inst, before_);
        copy(before_, after_);
        const Destinations d = destinations(inst, before_.w);
        if (!run(inst, after_))
            return false;
        const Set change = changed(before_, after_);
        unsigned place = 0;
        const Set list = listed(d);
        most_ = std::max(most_, list.size());
        for (const unsigned reg : list) {
            if (change.count(reg) != 0)
                never_changed_.erase(place);
            ++place;
        }
        for (const unsigned reg : change)
            check(inst, d, list, reg);
        return true;
    }
    void check(const Inst& inst, const Destinations& d, const Set& list, unsigned reg) const {
        const bool exec = reg == kExecLo || reg == kExecHi;
        if (exec &&
            (op_info(inst.op).has(kOpExecOut) || is_fork(inst.op) || inst.op == Op::S_CBRANCH_JOIN))
            return;
        EXPECT_TRUE(list.count(reg) != 0 || (is_fork(inst.op) && reg < kVccLo))
            << disassemble(inst, 0) << " changes register " << reg;
        for (unsigned lane = 0; reg >= kVgprFirst && lane < kLanes; ++lane)
            EXPECT_TRUE((d.lanes >> lane & 1) != 0 ||
                        before_.w.v[reg - kVgprFirst][lane] == after_.w.v[reg - kVgprFirst][lane])
                << disassemble(inst, 0) << " changes lane " << lane;
    }

    std::mt19937_64& random_;
    RandomWave before_, after_;
    Set never_changed_;
    size_t most_ = 0;
};

TEST(Destinations, AreAllAnInstructionChangesAndNoOthers) {
    std::mt19937_64 random(3);
    OpcodeRuns runs(random);
    unsigned opcodes = 0;
    for (unsigned number = 0; number < kOpCount; ++number) {
        const Op op{static_cast<uint16_t>(number)};
        const unsigned ran = runs.run_all(op);
        opcodes += ran != 0 ? 1 : 0;
        EXPECT_TRUE(ran < kSamples / 4 || runs.unchanged() == 0)
            << op_info(op).name << " never changes one of its destinations";
    }
    EXPECT_GT(opcodes, 400u);
}

// Every byte of LDS that one DS instruction changes; the bytes it accesses.
unsigned check_places(const Inst& inst, const RandomWave& before, RandomWave& after) {
    LdsPlaces places;
    lds_places(inst, after.w, after.lds.data(), kLdsBytes, places);
    EXPECT_TRUE(changed(before, after).empty() && before.lds == after.lds);
    if (!run(inst, after))
        return 0;
    unsigned bytes = 0;
    std::vector<bool> written(kLdsBytes);
    for (unsigned e = 0; e < places.count; ++e) {
        const LdsPlaces::Element& element = places.element[e];
        for (uint64_t m = element.lanes; m != 0; m &= m - 1) {
            const uint32_t at = element.address[__builtin_ctzll(m)];
            EXPECT_LE(at + places.bytes, kLdsBytes);
            for (unsigned b = 0; at + b < kLdsBytes && b < places.bytes; ++b, ++bytes)
                written[at + b] = written[at + b] || element.kind != LdsPlaces::Kind::Load;
        }
    }
    for (unsigned at = 0; at < kLdsBytes; ++at)
        EXPECT_TRUE(before.lds[at] == after.lds[at] || written[at])
            << disassemble(inst, 0) << " writes byte " << at;
    return bytes;
}

TEST(LdsPlaces, AreThoseTheInstructionAccesses) {
    std::mt19937_64 random(5);
    RandomWave before(random), after(random);
    for (unsigned number = 0; number < kOpCount; ++number) {
        const Op op{static_cast<uint16_t>(number)};
        if (op_info(op).format != Format::Ds || op_info(op).mem == MemKind::LdsSwizzle)
            continue;
        SampleMaker maker(2 * number + 1);
        unsigned ran = 0, bytes = 0;
        for (unsigned n = 0; n < kSamples; ++n) {
            const Sample sample = maker.make(op, false);
            const Inst inst = decode(sample.words, sample.dwords);
            if (inst.format == Format::Illegal || inst.vgprs_used > 256 || inst.cls != Class::Lds)
                continue;
            copy(RandomWave(random), before);
            aim_at_lds(inst, before);
            copy(before, after);
            bytes += check_places(inst, before, after);
            ++ran;
        }
        EXPECT_TRUE(ran < kSamples / 4 || !is_implemented(decode(maker.make(op, false).words, 2)) ||
                    bytes > 0)
            << op_info(op).name << " accesses nothing";
    }
}

}  // namespace
}  // namespace archipelago::isa::test
