// SPDX-License-Identifier: Apache-2.0
// Registers that only keep their values, written in runs: the bus and its blocks must end as when
// the registers are written one after the other, and nothing may have been started.
#include <gtest/gtest.h>

#include <random>
#include <string_view>
#include <vector>

#include "models/common/error.h"
#include "models/cp/registers/si/si_register_file.h"
#include "models/cp/registers/si/si_registers.h"
#include "models/gcn/si/front_end.h"
#include "models/grbm/grbm_core.h"
#include "models/raster/raster_core.h"
#include "models/spi/spi_core.h"
#include "models/vgt/vgt_core.h"
#include "registers/si_names.h"
#include "registers/si_register_table.h"
#include "testbenches/unit/grbm/si_bus.h"

namespace archipelago::grbm {
namespace {

namespace si = regs::si;
constexpr uint32_t kAperture = 0x40000;  // bytes

// The bus with the blocks that take most of what packets write.
struct Bus {
    Bus()
        : bus(spec()),
          spi(gcn::si::spi_spec()),
          vgt(gcn::si::vgt_spec()),
          cp(cp::si_spec()),
          raster(gcn::si::raster_spec()) {
        bus.attach(bus::kRaster, &raster);
        bus.attach(bus::kSpi, &spi);
        bus.attach(bus::kVgt, &vgt);
        bus.attach(bus::kCp, &cp);
        bus.register_stats(stats, "grbm");
        spi.register_stats(stats, "spi");
        vgt.register_stats(stats, "vgt");
        raster.register_stats(stats, "raster");
    }
    static Spec spec() {
        Spec spec = without_names();
        spec.database = &si::database();
        return spec;
    }
    // One after the other; false when one throws.
    bool write(RegRequest r, const std::vector<uint32_t>& values) {
        for (const uint32_t value : values) {
            r.value = value;
            try {
                bus.write(r);
            } catch (const MachineStop&) {
                return false;
            }
            r.offset += 4;
        }
        return true;
    }
    bool work() {
        return !spi.take_dispatches().empty() || !vgt.state().queue.empty() ||
               !spi.state().graphics.draws.empty();
    }
    // Every register in every context, and every counter.
    std::vector<uint64_t> everything() {
        std::vector<uint64_t> all;
        for (const Counter& counter : stats.counters())
            all.push_back(*counter.value);
        RegRequest r;
        for (r.offset = 0; r.offset < kAperture; r.offset += 4) {
            const bool shared = r.offset < 0x28000;
            for (r.context = 0; r.context < (shared ? 1 : kContexts); ++r.context) {
                for (RegisterTarget* block :
                     {static_cast<RegisterTarget*>(&spi), static_cast<RegisterTarget*>(&vgt)}) {
                    for (r.ring = 0; r.ring < 3; ++r.ring) {
                        uint32_t value = 0;
                        all.push_back(block->read_register(r, value) ? value : ~uint64_t{0});
                    }
                }
                all.push_back(raster.sets(0).get(r.offset, r.context));
                if (bus.state().contexts.has(r.offset))
                    all.push_back(bus.state().contexts.get(r.offset, r.context));
            }
            all.push_back(bus.state().store[r.offset / 4]);
        }
        all.push_back(spi.state().graphics.sh_writes);
        all.push_back(spi.state().graphics.snapshot != nullptr);
        return all;
    }

    GrbmCore bus;
    spi::SpiCore spi;
    vgt::VgtCore vgt;
    cp::SiRegisterFile cp;
    raster::RasterCore raster;
    StatsRegistry stats;
};

RegRequest from_cp(uint32_t offset, unsigned context = 1, unsigned ring = 0) {
    RegRequest r;
    r.offset = offset;
    r.write = true;
    r.source = kRegFromCp;
    r.ring = static_cast<uint8_t>(ring);
    r.context = static_cast<uint8_t>(context);
    return r;
}

TEST(Keep, EveryRegisterTheBusKeepsEndsAsWhenWritten) {
    Bus runs, ones;
    unsigned kept = 0;
    for (uint32_t offset = 0; offset < kAperture; offset += 4) {
        const uint32_t value = offset * 0x9E3779B1u;
        if (!runs.bus.store(from_cp(offset), &value, 1))
            continue;
        ++kept;
        ASSERT_TRUE(ones.write(from_cp(offset), {value})) << std::hex << offset;
        ASSERT_FALSE(ones.work()) << std::hex << offset;
    }
    EXPECT_GT(kept, 1000u);
    EXPECT_EQ(runs.everything(), ones.everything());
}

TEST(Keep, RandomRunsEndAsWhenWrittenOneByOne) {
    Bus runs, ones;
    std::mt19937 random(7);
    const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
    constexpr uint32_t kWindows[][2] = {
        {0x8000, 0x3000}, {0xB000, 0x1000}, {0x28000, 0x1000}, {0x28000, 0x1000}, {0, kAperture}};
    unsigned taken = 0, refused = 0;
    for (unsigned n = 0; n < 30000; ++n) {
        const auto& window = kWindows[below(5)];
        const RegRequest first =
            from_cp(window[0] + 4 * below(window[1] / 4), below(kContexts), below(3));
        std::vector<uint32_t> values(1 + below(below(4) == 0 ? 300 : 12));
        for (uint32_t& value : values)
            value = random();
        if (runs.bus.store(first, values.data(), static_cast<uint32_t>(values.size()))) {
            ++taken;
            ASSERT_TRUE(ones.write(first, values));
        } else {
            ++refused;
        }
    }
    EXPECT_GT(taken, 3000u);
    EXPECT_GT(refused, 1000u);
    EXPECT_FALSE(ones.work());
    EXPECT_FALSE(runs.work());
    EXPECT_EQ(runs.everything(), ones.everything());
}

TEST(Keep, RunsAreForAllCopies) {
    Bus b;
    const auto steer = [&b](uint32_t index) {
        RegRequest r = from_cp(si::GRBM_GFX_INDEX);
        r.value = index;
        b.bus.write(r);
    };
    const auto read = [&b] {
        RegRequest r = from_cp(si::PA_SC_RASTER_CONFIG);
        r.write = false;
        return b.bus.read(r);
    };
    constexpr uint32_t kOneEngine = 0x60010000, kEveryEngine = 0xE0000000;
    const uint32_t value = 5;
    steer(kOneEngine);
    EXPECT_FALSE(b.bus.store(from_cp(si::PA_SC_RASTER_CONFIG), &value, 1));
    ASSERT_TRUE(b.write(from_cp(si::PA_SC_RASTER_CONFIG), {7}));
    steer(kEveryEngine);
    EXPECT_EQ(read(), 0u);
    EXPECT_TRUE(b.bus.store(from_cp(si::PA_SC_RASTER_CONFIG), &value, 1));
    steer(kOneEngine);
    EXPECT_EQ(read(), 5u);
}

// Drivers write these runs: a colour target has a dword without a register.
TEST(Keep, RunsOverReservedDwordsAreTaken) {
    Bus b;
    const std::vector<uint32_t> values(13, 0x55);
    for (unsigned target = 0; target < 8; ++target)
        EXPECT_TRUE(b.bus.store(from_cp(si::CB_COLOR0_BASE + 60 * target), values.data(), 13))
            << target;
    EXPECT_EQ(b.bus.activity().unknown, 0u);
}

TEST(Keep, RefusesWhatDoesMore) {
    Bus b;
    const uint32_t value = 1;
    for (const uint32_t offset :
         {si::VGT_DRAW_INITIATOR, si::VGT_EVENT_INITIATOR, si::VGT_IMMED_DATA,
          si::VGT_STRMOUT_BUFFER_OFFSET_0, si::VGT_STRMOUT_BUFFER_OFFSET_3, si::GFX_COPY_STATE,
          si::CS_COPY_STATE, si::COMPUTE_DISPATCH_INITIATOR, si::SPI_STATIC_THREAD_MGMT_1,
          si::GRBM_GFX_INDEX, si::GRBM_SOFT_RESET, si::CP_RB0_WPTR, si::SCRATCH_REG0,
          si::CP_COHER_CNTL, si::CP_ME_CNTL})
        EXPECT_FALSE(b.bus.store(from_cp(offset), &value, 1)) << std::hex << offset;
    EXPECT_EQ(b.bus.activity().writes[kRegFromCp], 0u);
}

TEST(Keep, RefusesRunsThatCannotGoTogether) {
    Bus b;
    const std::vector<uint32_t> values(64, 1);
    // Not a dword; nothing; beyond the aperture; a hole; the host, whose context the bus knows.
    EXPECT_FALSE(b.bus.store(from_cp(si::SPI_SHADER_PGM_LO_PS + 2), values.data(), 1));
    EXPECT_FALSE(b.bus.store(from_cp(si::SPI_SHADER_PGM_LO_PS), values.data(), 0));
    EXPECT_FALSE(b.bus.store(from_cp(kAperture), values.data(), 1));
    EXPECT_FALSE(b.bus.store(from_cp(0xFFFFFFFC), values.data(), 2));
    EXPECT_FALSE(b.bus.store(from_cp(0x100), values.data(), 1));
    RegRequest host = from_cp(si::SPI_SHADER_PGM_LO_PS);
    host.source = kRegFromHost;
    EXPECT_FALSE(b.bus.store(host, values.data(), 1));
    // Another block's registers follow, or one that starts something does.
    const uint32_t last = si::SPI_SHADER_COL_FORMAT;
    EXPECT_EQ(b.bus.activity().writes[kRegFromCp], 0u);
    EXPECT_TRUE(b.bus.store(from_cp(last), values.data(), 1));
    EXPECT_FALSE(b.bus.store(from_cp(last), values.data(), 2));
    EXPECT_TRUE(b.bus.store(from_cp(si::VGT_PRIMITIVEID_RESET), values.data(), 1));
    EXPECT_FALSE(b.bus.store(from_cp(si::VGT_PRIMITIVEID_RESET), values.data(), 2));
    EXPECT_EQ(b.bus.activity().writes[kRegFromCp], 2u);
}

TEST(Keep, RegistersOfABlockThatIsNotThereGoOneByOne) {
    GrbmCore bus(Bus::spec());
    const uint32_t value = 5;
    EXPECT_FALSE(bus.store(from_cp(si::SPI_SHADER_PGM_LO_PS), &value, 1));
    EXPECT_FALSE(bus.store(from_cp(si::CB_BLEND0_CONTROL), &value, 1));
    // Once they come, the bus retries.
    raster::RasterCore raster(gcn::si::raster_spec());
    bus.attach(bus::kRaster, &raster);
    EXPECT_TRUE(bus.store(from_cp(si::CB_BLEND0_CONTROL), &value, 1));
    spi::SpiCore spi(gcn::si::spi_spec());
    bus.attach(bus::kSpi, &spi);
    EXPECT_TRUE(bus.store(from_cp(si::SPI_SHADER_PGM_LO_PS), &value, 1));
}

TEST(Keep, LoggedRegistersGoOneByOne) {
    struct Lines : LogSink {
        explicit Lines(LogCategory category) { mask_ = 1u << static_cast<unsigned>(category); }
        void line(LogCategory, Cycle, std::string_view, std::string_view) override {}
    };
    Bus b;
    const uint32_t value = 5;
    Lines registers(LogCategory::Reg), packets(LogCategory::Pm4);
    b.bus.observe({nullptr, &registers, 0}, "grbm");
    EXPECT_FALSE(b.bus.store(from_cp(si::CB_BLEND0_CONTROL), &value, 1));
    b.bus.observe({nullptr, &packets, 0}, "grbm");
    EXPECT_TRUE(b.bus.store(from_cp(si::CB_BLEND0_CONTROL), &value, 1));
}

}  // namespace
}  // namespace archipelago::grbm
