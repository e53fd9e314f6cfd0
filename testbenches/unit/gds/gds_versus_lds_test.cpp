// SPDX-License-Identifier: Apache-2.0
// DS instructions do to the global data share what they do to local memory.
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "models/cu/isa/special.h"
#include "models/gds/gds_execute.h"
#include "rtl-bridge/compare/random.h"
#include "testbenches/unit/gds/map.h"
#include "testbenches/unit/isa/machine.h"

namespace archipelago::gds {
namespace {

using isa::Op;

TEST(GdsVersusLds, EveryMemoryOpcodeActsAlike) {
    constexpr unsigned kBytes = 1024;
    Random<XorShift<16>> random(1);
    unsigned opcodes = 0;
    for (unsigned i = 0; i < isa::kOpCount; ++i) {
        const Op op{static_cast<uint16_t>(i)};
        const isa::OpInfo& info = isa::op_info(op);
        if (info.mem < isa::MemKind::LdsRead || info.mem > isa::MemKind::LdsWriteSrc2)
            continue;
        ++opcodes;
        for (unsigned round = 0; round < 20; ++round) {
            isa::test::Machine local, global;
            std::vector<uint8_t> lds(kBytes);
            for (uint8_t& byte : lds)
                byte = static_cast<uint8_t>(random.next());
            Contents contents;
            contents.memory = lds;
            const uint64_t exec =
                round % 4 == 0 ? ~uint64_t{0} : uint64_t{random.next()} << 32 | random.next();
            for (unsigned v = 1; v < 16; ++v)
                for (unsigned lane = 0; lane < 64; ++lane)
                    local.w.v[v][lane] = global.w.v[v][lane] =
                        v == 1 ? random.next() % (kBytes + 128) : random.next();
            isa::test::Ds d;
            d.addr = 1;
            d.data0 = 2;
            d.data1 = 4;
            d.vdst = 8;
            d.offset = info.mem_pair == 64 ? 1 : random.next() & (info.mem_pair ? 0x0f0f : 0x807f);
            const unsigned limit = round % 2 == 0 ? kBytes : 512;
            for (isa::test::Machine* m : {&local, &global}) {
                m->w.set_exec(exec);
                m->w.lds_size = kBytes;
                m->w.s[isa::kM0] = limit;
            }
            ASSERT_TRUE(
                isa::execute_lds(isa::test::ds(op, d), local.w, lds.data(), kBytes, nullptr));
            d.gds = true;
            const isa::Inst inst = isa::test::ds(op, d);
            GdsRequest request;
            isa::gds_request(inst, global.w, request);
            std::vector<GdsResponse> done;
            execute(map(), contents, request, done);
            ASSERT_EQ(done.size(), 1u);
            isa::gds_complete(inst, exec, done[0], global.w);
            ASSERT_EQ(contents.memory, lds) << info.name << " round " << round;
            for (unsigned v = 0; v < 16; ++v)
                ASSERT_EQ(std::memcmp(local.w.v[v], global.w.v[v], sizeof(isa::VReg)), 0)
                    << info.name << " v" << v << " round " << round;
        }
    }
    EXPECT_EQ(opcodes, 122u);
}

}  // namespace
}  // namespace archipelago::gds
