// SPDX-License-Identifier: Apache-2.0
// The GB block: reset values, register access, and that every write reaches every unit, late.
#include <gtest/gtest.h>

#include "models/cu/pipeline/cu_core.h"
#include "models/gb/gb_core.h"
#include "models/gcn/si/front_end.h"
#include "registers/si_gb.h"
#include "registers/si_names.h"
#include "testbenches/unit/mc/tile_tables.h"

namespace archipelago::gb {
namespace {

namespace si = regs::si;

GbSpec spec() {
    GbSpec s = gcn::si::gb_spec();
    s.gb_addr_config = 0x12011003;
    s.tile_modes[14] = 0x00321291;
    s.broadcast = 3;
    return s;
}

RegRequest request(uint32_t offset, uint32_t value, bool write) {
    RegRequest r;
    r.offset = offset;
    r.value = value;
    r.write = write;
    return r;
}

// What a texture unit does with its copy.
class Unit : public Clocked {
  public:
    explicit Unit(GbCore& gb) : in(gb.add_unit()), tiling(gb.tiling()) { in.set_consumer(this); }
    bool tick(Cycle now) override {
        bool progress = false;
        while (in.ready(now)) {
            tiling.write(in.take());
            changed_at = now;
            progress = true;
        }
        return progress;
    }
    EventLink<surface::TilingWrite>& in;
    surface::TilingRegisters tiling;
    Cycle changed_at = 0;
};

TEST(GbCore, StartsWithTheChipsTables) {
    GbCore gb(spec());
    EXPECT_EQ(gb.tiling().address.pipes, 8u);
    EXPECT_EQ(gb.tiling().modes[14].array, surface::ArrayMode::Tiled2dThin);
    uint32_t value = 0;
    EXPECT_TRUE(gb.read_register(request(si::GB_ADDR_CONFIG, 0, false), value));
    EXPECT_EQ(value, 0x12011003u);
    EXPECT_TRUE(gb.read_register(request(si::GB_TILE_MODE0 + 4 * 14, 0, false), value));
    EXPECT_EQ(value, 0x00321291u);
    EXPECT_FALSE(gb.read_register(request(si::GB_BACKEND_MAP, 0, false), value));
    EXPECT_FALSE(gb.write_register(request(si::GB_TILE_MODE0 + 4 * 32, 0, true)));
}

TEST(GbCore, RegisterDatabaseAndDecodingAgreeOnTheFields) {
    for (const surface::SiTable& table : surface::kSiTables) {
        for (const uint32_t value : table.modes) {
            const regs::si::typed::GB_TILE_MODE0 fields{value};
            const surface::TileMode mode = surface::decode_si_tile_mode(value);
            EXPECT_EQ(fields.MICRO_TILE_MODE(), static_cast<uint32_t>(mode.micro));
            EXPECT_EQ(fields.ARRAY_MODE(), static_cast<uint32_t>(mode.array));
            EXPECT_EQ(fields.PIPE_CONFIG(), static_cast<uint32_t>(mode.pipe));
            EXPECT_EQ(64u << fields.TILE_SPLIT(), mode.tile_split);
            EXPECT_EQ(1u << fields.BANK_WIDTH(), mode.bank_width);
            EXPECT_EQ(1u << fields.BANK_HEIGHT(), mode.bank_height);
            EXPECT_EQ(1u << fields.MACRO_TILE_ASPECT(), mode.macro_aspect);
            EXPECT_EQ(2u << fields.NUM_BANKS(), mode.banks);
        }
    }
}

TEST(GbCore, WritesReachEveryUnitAfterTheBroadcastLatency) {
    GbCore gb(spec());
    Channel<RegResponse> back{{4, 1}};
    gb.to_registers.connect(back);
    Unit a(gb);
    Unit b(gb);
    Scheduler scheduler;
    scheduler.add(gb);
    scheduler.add(a);
    scheduler.add(b);
    gb.registers.push(0, request(si::GB_TILE_MODE31, 0x00202291, true));
    EXPECT_FALSE(gb.idle());
    scheduler.run(20);
    EXPECT_TRUE(gb.idle());
    EXPECT_EQ(gb.tiling().tile_mode[31], 0x00202291u);
    EXPECT_EQ(a.tiling.tile_mode[31], 0x00202291u);
    EXPECT_EQ(b.tiling.modes[31].array, surface::ArrayMode::Tiled2dThin);
    EXPECT_EQ(a.changed_at, 4u);  // one cycle from GRBM, three to the unit
    EXPECT_EQ(b.changed_at, 4u);
}

TEST(GbCore, AComputeUnitKeepsItsCopyUpToDateUntilReset) {
    GbCore gb(spec());
    Channel<RegResponse> back{{4, 1}};
    gb.to_registers.connect(back);
    cu::CuCore cu(cu::CuSpec(), {});
    cu.set_tiling(gb.tiling());
    cu.connect_tiling(gb.add_unit());
    EXPECT_EQ(cu.tiling().tile_mode[14], 0x00321291u);
    Scheduler scheduler;
    scheduler.add(gb);
    scheduler.add(cu);
    gb.registers.push(0, request(si::GB_TILE_MODE0 + 4 * 14, 0x00350288, true));
    scheduler.run(20);
    EXPECT_EQ(cu.tiling().modes[14].array, surface::ArrayMode::Tiled1dThin);
    EXPECT_TRUE(cu.idle());
    cu.reset();
    EXPECT_EQ(cu.tiling().tile_mode[14], 0x00321291u);
}

TEST(GbCore, ReadsAreAnsweredAndUnknownOffsetsSaySo) {
    GbCore gb(spec());
    Channel<RegResponse> back{{4, 1}};
    gb.to_registers.connect(back);
    Scheduler scheduler;
    scheduler.add(gb);
    RegRequest r = request(si::GB_ADDR_CONFIG, 0, false);
    r.tag = 7;
    gb.registers.push(0, r);
    gb.registers.push(0, request(si::GB_ADDR_CONFIG + 4, 0, false));
    scheduler.run(20);
    ASSERT_TRUE(back.can_pop(20));
    const RegResponse first = back.pop(20);
    EXPECT_EQ(first.value, 0x12011003u);
    EXPECT_EQ(first.tag, 7u);
    ASSERT_TRUE(back.can_pop(20));
    EXPECT_EQ(back.pop(20).status, RegStatus::Unknown);
}

TEST(GbCore, ResetRestoresTheTablesAndForgetsWritesOnTheirWay) {
    GbCore gb(spec());
    Unit unit(gb);
    gb.write_register(request(si::GB_ADDR_CONFIG, 0, true));
    gb.registers.push(0, request(si::GB_ADDR_CONFIG, 1, true));
    unit.in.send(0, {0, 5});
    EXPECT_FALSE(gb.idle());
    gb.reset();
    EXPECT_TRUE(gb.idle());
    EXPECT_EQ(gb.tiling().gb_addr_config, 0x12011003u);
}

TEST(GbCore, FunctionalWritesAreHandedOnAtOnce) {
    GbCore gb(spec());
    std::vector<surface::TilingWrite> seen;
    gb.on_write = [&](const surface::TilingWrite& write) { seen.push_back(write); };
    EXPECT_TRUE(gb.write_register(request(si::GB_TILE_MODE0, 9, true)));
    ASSERT_EQ(seen.size(), 1u);
    EXPECT_EQ(seen[0].index, 1u);
    EXPECT_EQ(seen[0].value, 9u);
}

}  // namespace
}  // namespace archipelago::gb
