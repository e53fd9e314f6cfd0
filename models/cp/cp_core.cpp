// SPDX-License-Identifier: Apache-2.0
#include "models/cp/cp_core.h"

#include <stdexcept>

#include "registers/si_cp.h"

namespace archipelago::cp {

namespace {
const Spec& checked(const Spec& spec) {
    const std::vector<std::string> problems = spec.problems();
    if (!problems.empty()) {
        std::string text = "command processor spec";
        for (const std::string& problem : problems)
            text += "; " + problem;
        throw std::invalid_argument(text);
    }
    return spec;
}
}  // namespace

CpCore::CpCore(const Spec& spec, rtl::PinBlock<rtl::CpCePins>* ce)
    : spec_(checked(spec)),
      bus_(spec_.register_client, spec_.register_in, "cp.bus"),
      registers_(spec_),
      fetch_(spec_),
      pfp_(spec_, &de_),
      me_(spec_, de_),
      eop_(spec_),
      dma_(spec_),
      coherency_(spec_),
      ce_fetch_(spec_),
      ce_(spec_, ce),
      gds_store_(spec_),
      hub_(spec_.memory_client, spec_.memory_in, "cp.hub"),
      l2_(spec_.memory_client, spec_.memory_in, "cp.l2"),
      gds_(spec_.gds_client, spec_.gds_in, "cp.gds") {
    de_.strict = spec_.strict;
    for (unsigned ring = 0; ring < kRings; ++ring) {
        for (unsigned level = 0; level < kLevels; ++level)
            fetch_.connect_roq(ring, level, &pfp_.roq[stream_of(ring, level)]);
        pfp_.connect_meq(ring, &me_.meq[ring]);
        pfp_.connect_ce(ring, &ce_fetch_.command[ring]);
        ce_fetch_.connect_stream(ring, &ce_.stream[ring]);
    }
    pfp_.connect_fetch(&fetch_.command, &fetch_.credit);
    pfp_.connect_read_pointer(&registers_.read_pointer);
    me_.connect_sync(&pfp_.sync);
    me_.connect_privilege(&registers_.privilege[0]);
    pfp_.connect_privilege(&registers_.privilege[1]);
    me_.connect_dma(&dma_.command);
    pfp_.connect_dma(&dma_.pfp_command);
    dma_.connect_done(&me_.dma_done, &pfp_.dma_done);
    me_.connect_eop(&eop_.command, &eop_.trigger);
    eop_.connect_notice(&registers_.notice);
    registers_.connect_rings(&fetch_.update, &pfp_.update);
    registers_.connect_halt(&pfp_.halt, &me_.halt, &ce_.halt);
    registers_.connect_limits(&pfp_.limits, &me_.limits);
    registers_.watch_coherency(&coherency_.busy);
    pfp_.connect_timeout(&registers_.pfp_timeout);
    me_.connect_timeout(&registers_.me_timeout);
    me_.connect_streamout(&registers_.streamout_flushed);

    fetch_.connect_memory(&hub_.request[kHubFetch]);
    pfp_.connect_memory(&hub_.request[kHubPfp]);
    me_.connect_hub(&hub_.request[kHubMe]);
    dma_.connect_memory(&hub_.request[kHubDma]);
    registers_.connect_memory(&hub_.request[kHubRegisters]);
    ce_fetch_.connect_memory(&hub_.request[kHubCe]);
    hub_.connect_client(kHubFetch, &fetch_.response);
    hub_.connect_client(kHubPfp, &pfp_.memory_response);
    hub_.connect_client(kHubMe, &me_.hub_response);
    hub_.connect_client(kHubDma, &dma_.memory_response);
    hub_.connect_client(kHubRegisters, &registers_.memory_response);
    hub_.connect_client(kHubCe, &ce_fetch_.response);

    me_.connect_l2(&l2_.request[kL2Me]);
    eop_.connect_memory(&l2_.request[kL2Eop]);
    l2_.connect_client(kL2Me, &me_.l2_response);
    l2_.connect_client(kL2Eop, &eop_.memory_response);
    ce_.connect_l2(&l2_.request[kL2Ce]);
    l2_.connect_client(kL2Ce, &ce_.response);

    eop_.connect_gds_store(&gds_store_.command);
    gds_store_.connect_gds(&gds_.request[kGdsStore]);
    gds_.connect_client(kGdsMe, &me_.gds_response);
    gds_.connect_client(kGdsDma, &dma_.gds_response);
    gds_.connect_client(kGdsStore, &gds_store_.gds_response);
    gds_store_.connect_memory(&l2_.request[kL2Gds]);
    l2_.connect_client(kL2Gds, &gds_store_.memory_response);
    gds_store_.connect_done(&eop_.gds_stored, &me_.gds_stored);
    me_.connect_error(&registers_.ring_error);
    pfp_.connect_errors(registers_.interrupt_control, &registers_.parse_error);

    ce_.connect_done(&ce_fetch_.done);
    ce_fetch_.connect_data(&hub_.request[kHubCeData], &l2_.request[kL2CeData],
                           &bus_.request[kBusCe], &registers_.privilege[2]);
    hub_.connect_client(kHubCeData, &ce_fetch_.hub_response);
    l2_.connect_client(kL2CeData, &ce_fetch_.l2_response);
    bus_.connect_client(kBusCe, &ce_fetch_.register_response);
    me_.connect_ce(&ce_.message);
    ce_.connect_grant(&me_.ce_grant);

    pfp_.connect_registers(&bus_.request[kBusPfp]);
    me_.connect_registers(&bus_.request[kBusMe]);
    bus_.connect_client(kBusPfp, &pfp_.register_response);
    bus_.connect_client(kBusMe, &me_.register_response);

    pfp_.connect_coherency(&coherency_.request[CoherencyCore::kPfp]);
    me_.connect_coherency(&coherency_.request[CoherencyCore::kMe]);
    eop_.connect_coherency(&coherency_.request[CoherencyCore::kEop]);
    registers_.connect_coherency(&coherency_.request[CoherencyCore::kRegisters]);
    coherency_.connect_client(CoherencyCore::kPfp, &pfp_.cache_done);
    coherency_.connect_client(CoherencyCore::kMe, &me_.cache_done);
    coherency_.connect_client(CoherencyCore::kEop, &eop_.cache_done);
    coherency_.connect_client(CoherencyCore::kRegisters, &registers_.cache_done);

    using regs::si::typed::CP_BUSY_STAT;
    using regs::si::typed::CP_STAT;
    registers_.add_status(&fetch_.busy, CP_STAT{}.set_ROQ_RING_BUSY(1).raw, 0);
    registers_.add_status(&pfp_.busy, CP_STAT{}.set_PFP_BUSY(1).raw,
                          CP_BUSY_STAT{}.set_PFP_PARSING_PACKETS(1).raw);
    registers_.add_status(&me_.busy, CP_STAT{}.set_ME_BUSY(1).raw,
                          CP_BUSY_STAT{}.set_ME_PARSING_PACKETS(1).raw);
    if (spec_.constant_engine)
        registers_.add_status(&ce_.busy, CP_STAT{}.set_CE_BUSY(1).raw,
                              CP_BUSY_STAT{}.set_CE_PARSING_PACKETS(1).raw);
    registers_.add_status(&ce_fetch_.busy, CP_STAT{}.set_ROQ_CE_INDIRECT1_BUSY(1).raw, 0);
    registers_.add_status(&eop_.busy, 0, CP_BUSY_STAT{}.set_EOP_DONE_BUSY(1).raw);
    registers_.add_status(&dma_.busy, CP_STAT{}.set_DMA_BUSY(1).raw, 0);
    registers_.add_status(&coherency_.busy, CP_STAT{}.set_SURFACE_SYNC_BUSY(1).raw,
                          CP_BUSY_STAT{}.set_COHER_CNT_NEQ_ZERO(1).raw);
}

std::vector<Clocked*> CpCore::units() {
    return {&registers_, &fetch_, &pfp_, &me_,       &eop_, &dma_,       &coherency_,
            &hub_,       &l2_,    &bus_, &ce_fetch_, &ce_,  &gds_store_, &gds_};
}

void CpCore::connect_gds(Channel<GdsRequest>* out) {
    gds_.connect_out(out);
    me_.connect_gds(&gds_.request[kGdsMe]);
    dma_.connect_gds(&gds_.request[kGdsDma]);
}

void CpCore::add_to(Scheduler& scheduler) {
    for (Clocked* unit : units())
        scheduler.add(*unit);
}

std::vector<const Wire<bool>*> CpCore::busy_wires() const {
    return {&registers_.busy, &fetch_.busy,     &pfp_.busy,      &me_.busy, &eop_.busy,
            &dma_.busy,       &coherency_.busy, &ce_fetch_.busy, &ce_.busy, &gds_store_.busy};
}

void CpCore::reset() {
    de_ = {};
    de_.strict = spec_.strict;
    registers_.reset();
    fetch_.reset();
    pfp_.reset();
    me_.reset();
    eop_.reset();
    dma_.reset();
    coherency_.reset();
    ce_fetch_.reset();
    ce_.reset();
    gds_store_.reset();
    gds_.reset();
    hub_.reset();
    l2_.reset();
    bus_.reset();
}

bool CpCore::idle() const {
    return registers_.idle() && fetch_.idle() && pfp_.idle() && me_.idle() && eop_.idle() &&
           dma_.idle() && coherency_.idle() && ce_fetch_.idle() && ce_.idle() && hub_.idle() &&
           l2_.idle() && bus_.idle() && gds_store_.idle() && gds_.idle();
}

void CpCore::set_run_state(RunState run) {
    fetch_.set_run_state(run);
    pfp_.set_run_state(run);
    me_.set_run_state(run);
    eop_.set_run_state(run);
    dma_.set_run_state(run);
    ce_fetch_.set_run_state(run);
    ce_.set_run_state(run);
    gds_store_.set_run_state(run);
    registers_.set_run_state(run);
}

std::string CpCore::waiting_for() const {
    std::string text;
    for (const std::string& part :
         {me_.waiting_for(), pfp_.waiting_for(), eop_.waiting_for(), gds_store_.waiting_for(),
          dma_.waiting_for(), coherency_.waiting_for(), ce_.waiting_for(), ce_fetch_.waiting_for(),
          fetch_.waiting_for(), registers_.waiting_for()}) {
        if (!part.empty())
            text += (text.empty() ? "" : "; ") + part;
    }
    return text;
}

CpReport CpCore::report() const {
    CpReport report;
    report_registers(registers_.file(), de_, report);
    for (unsigned ring = 0; ring < kRings; ++ring) {
        me_.report(ring, report.rings[ring]);
        pfp_.report(ring, report.rings[ring]);
        eop_.report(ring, report.rings[ring]);
    }
    for (const std::string& waits : {ce_.waiting_for(), ce_fetch_.waiting_for()})
        if (!waits.empty())
            report.constants.push_back(waits);
    return report;
}

void CpCore::register_stats(StatsRegistry& stats, const std::string& path) const {
    registers_.register_stats(stats, path + ".registers");
    fetch_.register_stats(stats, path + ".fetch");
    pfp_.register_stats(stats, path + ".pfp");
    me_.register_stats(stats, path + ".me");
    eop_.register_stats(stats, path + ".eop");
    dma_.register_stats(stats, path + ".dma");
    coherency_.register_stats(stats, path + ".coherency");
    if (spec_.constant_engine) {
        ce_fetch_.register_stats(stats, path + ".ce_fetch");
        ce_.register_stats(stats, path + ".ce");
    }
    gds_store_.register_stats(stats, path + ".gds_store");
}

void CpCore::observe(const Observers& observers, const std::string& path) {
    pfp_.observe(observers, path + ".pfp");
    me_.observe(observers, path + ".me");
    eop_.observe(observers, path + ".eop");
    dma_.observe(observers, path + ".dma");
    if (spec_.constant_engine)
        ce_.observe(observers, path + ".ce");
    gds_store_.observe(observers, path + ".gds_store");
    if (spec_.constant_engine)
        ce_fetch_.observe(observers, path + ".ce_fetch");
}

}  // namespace archipelago::cp
