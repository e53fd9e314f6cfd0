// SPDX-License-Identifier: Apache-2.0
// Levels that blocks drive: their bits in the status registers of GRBM, and the events of the
// performance counters that count them. Event numbers: the enumerations of the public register
// headers that are named beside them.
#include <vector>

#include "models/asic/gcn/front_end.h"
#include "registers/si_grbm.h"

namespace archipelago::gcn {
namespace {

using grbm::Status;
using perf::Block;
using Level = const Wire<bool>*;
namespace typed = regs::si::typed;

template <class Register>
unsigned bit(Register field) {
    return static_cast<unsigned>(__builtin_ctz(field.raw));
}

// A bit of GRBM_STATUS or GRBM_STATUS_SEn and its event of GRBM_PERF_SEL or GRBM_SE0_PERF_SEL.
struct StatusBit {
    unsigned bit;
    uint16_t event;
};
const StatusBit kCpBusy{bit(typed::GRBM_STATUS{}.set_CP_BUSY(1)), 0x03};
const StatusBit kCoherencyBusy{bit(typed::GRBM_STATUS{}.set_CP_COHERENCY_BUSY(1)), 0x04};
const StatusBit kSpiBusy{bit(typed::GRBM_STATUS{}.set_SPI_BUSY(1)), 0x0B};
const StatusBit kSxBusy{bit(typed::GRBM_STATUS{}.set_SX_BUSY(1)), 0x0C};
const StatusBit kVgtBusy{bit(typed::GRBM_STATUS{}.set_VGT_BUSY(1)), 0x11};
const StatusBit kIaBusy{bit(typed::GRBM_STATUS{}.set_IA_BUSY(1)), 0x17};
const StatusBit kIaBusyNoDma{bit(typed::GRBM_STATUS{}.set_IA_BUSY_NO_DMA(1)), 0x18};
const StatusBit kGdsBusy{bit(typed::GRBM_STATUS{}.set_GDS_BUSY(1)), 0x19};
constexpr uint16_t kGuiActive = 0x02;
const StatusBit kSeSpiBusy{bit(typed::GRBM_STATUS_SE0{}.set_SPI_BUSY(1)), 0x06};
const StatusBit kSeSxBusy{bit(typed::GRBM_STATUS_SE0{}.set_SX_BUSY(1)), 0x07};
const StatusBit kSeVgtBusy{bit(typed::GRBM_STATUS_SE0{}.set_VGT_BUSY(1)), 0x0D};

// IA_PERFCOUNT_SELECT, VGT_PERFCOUNT_SELECT.
constexpr uint16_t kIaCountBusy = 0x09;
constexpr uint16_t kVgtCountBusy = 0x40, kVgtCountGsBusy = 0x41, kVgtCountHsBusy = 0x7C;
// SPI_PERFCNT_SEL, in the order of spi::SpiCore::kind_busy.
constexpr uint16_t kSpiCountBusy[spi::kWaveKinds] = {0x46, 0x01, 0x11, 0x1A,
                                                     0x26, 0x30, 0x3A, 0x40};

// GRBM_STATUS; returns the levels that GUI_ACTIVE is made of.
std::vector<Level> connect_chip(FrontEnd& f) {
    std::vector<Level> gui;
    const auto busy = [&](const StatusBit& row, Level wire) {
        gui.push_back(wire);
        f.grbm.add_busy(Status::Status, row.bit, wire);
        f.perf().add_busy(Block::Grbm, row.event, wire);
        f.perf().add_busy(Block::Grbm, kGuiActive, wire);
    };
    for (Level wire : f.cp.busy_wires())
        busy(kCpBusy, wire);
    busy(kCoherencyBusy, f.cp.coherency_busy_wire());
    busy(kSpiBusy, &f.spi.busy);
    if (f.gds)
        busy(kGdsBusy, &f.gds->busy);
    busy(kSxBusy, &f.spi.sx_busy);
    busy(kVgtBusy, &f.vgt.busy);
    busy(kIaBusy, &f.vgt.ia_busy);
    busy(kIaBusy, &f.vgt.index_dma().busy);
    busy(kIaBusyNoDma, &f.vgt.ia_busy_no_dma);
    return gui;
}

// GRBM_STATUS_SEn.
void connect_engine(FrontEnd& f, unsigned se) {
    const auto busy = [&](const StatusBit& row, Level wire) {
        f.grbm.add_busy(se == 0 ? Status::Se0 : Status::Se1, row.bit, wire);
        f.perf().add_busy(se == 0 ? Block::GrbmSe0 : Block::GrbmSe1, row.event, wire);
    };
    busy(kSeSpiBusy, &f.spi.se_busy[se]);
    busy(kSeSxBusy, &f.spi.se_sx_busy[se]);
    busy(kSeVgtBusy, &f.vgt.busy);
}

}  // namespace

void connect_status(const ChipConfig& config, FrontEnd& f) {
    const std::vector<Level> gui = connect_chip(f);
    // Register bus: from CP to the block that gets busy.
    if (f.ih)
        f.ih->watch_engine(gui, config.cp.strobe_latency + 2 * config.link_register.latency +
                                    config.grbm.request.latency + config.vgt.registers.latency +
                                    config.spi.registers.latency + 2);
    for (unsigned se = 0; se < config.shader_engines; ++se)
        connect_engine(f, se);
    f.perf().add_busy(Block::Ia, kIaCountBusy, &f.vgt.ia_busy);
    f.perf().add_busy(Block::Ia, kIaCountBusy, &f.vgt.index_dma().busy);
    f.perf().add_busy(Block::Vgt, kVgtCountBusy, &f.vgt.busy);
    f.perf().add_busy(Block::Vgt, kVgtCountGsBusy, &f.vgt.gs_busy);
    f.perf().add_busy(Block::Vgt, kVgtCountHsBusy, &f.vgt.hs_busy);
    for (unsigned kind = 0; kind < spi::kWaveKinds; ++kind)
        f.perf().add_busy(Block::Spi, kSpiCountBusy[kind], &f.spi.kind_busy[kind]);
}

}  // namespace archipelago::gcn
