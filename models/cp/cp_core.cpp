// SPDX-License-Identifier: Apache-2.0
#include "models/cp/cp_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"
#include "models/cp/me_core.h"
#include "models/cp/me_pins.h"
#include "models/cp/pfp_core.h"
#include "models/cp/pfp_pins.h"

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

std::unique_ptr<PfpUnit> make_pfp(const Spec& spec, DeState* de,
                                  rtl::PinBlock<rtl::CpPfpParserPins>* pins) {
    if (pins != nullptr)
        return std::make_unique<PfpOnPins>(*pins, spec, de);
    return std::make_unique<PfpCore>(spec, de);
}
std::unique_ptr<MeUnit> make_me(const Spec& spec, DeState& de, rtl::PinBlock<rtl::CpMePins>* pins) {
    if (pins != nullptr)
        return std::make_unique<MeOnPins>(*pins, spec, de);
    return std::make_unique<MeCore>(spec, de);
}
}  // namespace

CpCore::CpCore(const Spec& spec, const PinBlocks& on_pins)
    : spec_(checked(spec)),
      de_(spec_.de_state()),
      bus_(kBusClients, spec_.register_client, spec_.register_in, "cp.bus"),
      registers_(spec_),
      fetch_(spec_.fetch()),
      pfp_unit_(make_pfp(spec_, &de_, on_pins.pfp)),
      pfp_(*pfp_unit_),
      me_unit_(make_me(spec_, de_, on_pins.me)),
      me_(*me_unit_),
      eop_(spec_),
      dma_(spec_),
      coherency_(spec_),
      ce_fetch_(spec_),
      ce_(spec_, on_pins.ce),
      gds_store_(spec_),
      hub_(kHubClients, spec_.memory_client, spec_.memory_in, "cp.hub"),
      l2_(kL2Clients, spec_.memory_client, spec_.memory_in, "cp.l2"),
      gds_(kGdsClients, spec_.gds_client, spec_.gds_in, "cp.gds"),
      units_{&registers_, &fetch_, &pfp_, &me_,       &eop_, &dma_,       &coherency_,
             &hub_,       &l2_,    &bus_, &ce_fetch_, &ce_,  &gds_store_, &gds_} {
    connect_commands();
    connect_memory();
    connect_gds_store();
    connect_status();
}

// Streams and strobes between the units.
void CpCore::connect_commands() {
    for (unsigned i = 0; i < spec_.rings * spec_.levels; ++i)
        fetch_.to_roq[i].connect(pfp_.roq[i]);
    for (unsigned ring = 0; ring < spec_.rings; ++ring) {
        pfp_.to_meq[ring].connect(me_.meq[ring]);
        pfp_.to_ce[ring].connect(ce_fetch_.command[ring]);
        ce_fetch_.to_engine[ring].connect(ce_.stream[ring]);
    }
    registers_.to_fetch.connect(fetch_.update);
    registers_.to_pfp.connect(pfp_.update);
    registers_.to_pfp_halt.connect(pfp_.halt);
    registers_.to_me_halt.connect(me_.halt);
    registers_.to_ce_halt.connect(ce_.halt);
    registers_.to_pfp_limits.connect(pfp_.limits);
    registers_.to_me_limits.connect(me_.limits);

    pfp_.to_fetch.connect(fetch_.command);
    pfp_.to_credit.connect(fetch_.credit);
    pfp_.to_read_pointer.connect(registers_.read_pointer);
    pfp_.to_dma.connect(dma_.pfp_command);
    pfp_.to_privilege.connect(registers_.privilege[1]);
    pfp_.to_timeout.connect(registers_.pfp_timeout);
    pfp_.to_parse_error.connect(registers_.parse_error);
    pfp_.watch_interrupt_control(registers_.interrupt_control);

    me_.to_sync.connect(pfp_.sync);
    me_.to_dma.connect(dma_.command);
    me_.to_eop.connect(eop_.command);
    me_.to_eop_trigger.connect(eop_.trigger);
    me_.to_ce.connect(ce_.message);
    me_.to_privilege.connect(registers_.privilege[0]);
    me_.to_timeout.connect(registers_.me_timeout);
    me_.to_ring_error.connect(registers_.ring_error);
    me_.to_streamout.connect(registers_.streamout_flushed);

    eop_.to_registers.connect(registers_.notice);
    dma_.to_me.connect(me_.dma_done);
    dma_.to_pfp.connect(pfp_.dma_done);
    ce_.to_me.connect(me_.ce_grant);
    ce_.to_fetch.connect(ce_fetch_.done);
    ce_fetch_.to_privilege.connect(registers_.privilege[2]);
}

// The ways out of CP and back, which several units share.
void CpCore::connect_memory() {
    const auto share = [](auto& mux, unsigned client, auto& to, auto& response) {
        to.connect(mux.request[client]);
        mux.to_client[client].connect(response);
    };
    share(hub_, kHubFetch, fetch_.to_memory, fetch_.response);
    share(hub_, kHubPfp, pfp_.to_hub, pfp_.memory_response);
    share(hub_, kHubMe, me_.to_hub, me_.hub_response);
    share(hub_, kHubDma, dma_.to_hub, dma_.memory_response);
    share(hub_, kHubRegisters, registers_.to_hub, registers_.memory_response);
    share(hub_, kHubCe, ce_fetch_.to_memory, ce_fetch_.response);
    share(hub_, kHubCeData, ce_fetch_.to_hub, ce_fetch_.hub_response);

    share(l2_, kL2Me, me_.to_l2, me_.l2_response);
    share(l2_, kL2Eop, eop_.to_l2, eop_.memory_response);
    share(l2_, kL2Ce, ce_.to_l2, ce_.response);
    share(l2_, kL2Gds, gds_store_.to_l2, gds_store_.memory_response);
    share(l2_, kL2CeData, ce_fetch_.to_l2, ce_fetch_.l2_response);

    share(bus_, kBusPfp, pfp_.to_bus, pfp_.register_response);
    share(bus_, kBusMe, me_.to_bus, me_.register_response);
    share(bus_, kBusCe, ce_fetch_.to_bus, ce_fetch_.register_response);

    const auto act = [this](CoherencyCore::Client client, auto& to, auto& done) {
        to.connect(coherency_.request[client]);
        coherency_.to_client[client].connect(done);
    };
    act(CoherencyCore::kPfp, pfp_.to_coherency, pfp_.cache_done);
    act(CoherencyCore::kMe, me_.to_coherency, me_.cache_done);
    act(CoherencyCore::kEop, eop_.to_coherency, eop_.cache_done);
    act(CoherencyCore::kRegisters, registers_.to_coherency, registers_.cache_done);
}

void CpCore::connect_gds_store() {
    eop_.to_gds_store.connect(gds_store_.command);
    gds_store_.to_eop.connect(eop_.gds_stored);
    gds_store_.to_me.connect(me_.gds_stored);
    gds_store_.to_gds.connect(gds_.request[kGdsStore]);
    gds_.to_client[kGdsStore].connect(gds_store_.gds_response);
    gds_.to_client[kGdsMe].connect(me_.gds_response);
    gds_.to_client[kGdsDma].connect(dma_.gds_response);
}

void CpCore::connect_gds(Channel<GdsRequest>& out) {
    gds_.to_outside.connect(out);
    me_.to_gds.connect(gds_.request[kGdsMe]);
    dma_.to_gds.connect(gds_.request[kGdsDma]);
}

void CpCore::connect_status() {
    registers_.watch(StatusUnit::RingFetch, fetch_.busy);
    registers_.watch(StatusUnit::Pfp, pfp_.busy);
    registers_.watch(StatusUnit::Me, me_.busy);
    if (spec_.constant_engine)
        registers_.watch(StatusUnit::Ce, ce_.busy);
    registers_.watch(StatusUnit::CeFetch, ce_fetch_.busy);
    registers_.watch(StatusUnit::EndOfPipe, eop_.busy);
    registers_.watch(StatusUnit::Dma, dma_.busy);
    registers_.watch(StatusUnit::Coherency, coherency_.busy);
}

void CpCore::add_to(Scheduler& scheduler) {
    for (Unit* unit : units_)
        scheduler.add(*unit);
}

std::vector<const Wire<bool>*> CpCore::busy_wires() const {
    return {&registers_.busy, &fetch_.busy,     &pfp_.busy,      &me_.busy, &eop_.busy,
            &dma_.busy,       &coherency_.busy, &ce_fetch_.busy, &ce_.busy, &gds_store_.busy};
}

std::vector<const Control*> CpCore::engines() const {
    return {&fetch_, &pfp_, &me_, &ce_fetch_, &ce_, &eop_, &dma_, &coherency_, &gds_store_};
}

void CpCore::archive(Archive& a) {
    for (Unit* unit : units_)
        unit->archive(a);
    a(de_);
}

void CpCore::reset() {
    de_ = spec_.de_state();
    for (Unit* unit : units_)
        unit->reset();
}

bool CpCore::idle() const {
    return std::all_of(units_.begin(), units_.end(), [](const Unit* unit) { return unit->idle(); });
}

void CpCore::set_run_state(RunState run) {
    for (Unit* unit : units_)
        unit->set_run_state(run);
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
    for (unsigned ring = 0; ring < spec_.rings; ++ring) {
        me_.report(ring, report.rings[ring]);
        pfp_.report(ring, report.rings[ring]);
        eop_.report(ring, report.rings[ring]);
    }
    for (const std::string& waits : {ce_.waiting_for(), ce_fetch_.waiting_for()})
        if (!waits.empty())
            report.constants.push_back(waits);
    return report;
}

std::vector<PacketUse> CpCore::packet_uses() const {
    std::vector<PacketUse> uses;
    add_packet_uses(*spec_.packets, "pfp", pfp_.state().times, uses);
    add_packet_uses(*spec_.packets, "me", me_.state().times, uses);
    return uses;
}

void CpCore::keep_log() {
    log_ = std::make_unique<WorkLog>();
    pfp_.keep(*log_);
    me_.keep(*log_);
    eop_.keep(log_->fences);
    coherency_.keep(log_->cache_actions);
}

std::vector<std::string> CpCore::warnings() const {
    std::vector<std::string> lines;
    de_.warnings.describe(lines);
    ce_fetch_.warnings().describe(lines);
    return lines;
}

uint16_t CpCore::vmids() const {
    uint16_t vmids = de_.warnings.vmids();
    for (unsigned ring = 0; ring < spec_.rings; ++ring)
        vmids |= static_cast<uint16_t>(1u << registers_.file().ring(ring).vmid);
    return vmids;
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

void CpCore::finish_trace(Cycle now) const {
    pfp_.finish_trace(now);
    me_.finish_trace(now);
    eop_.finish_trace(now);
    dma_.finish_trace(now);
    gds_store_.finish_trace(now);
    if (!spec_.constant_engine)
        return;
    ce_.finish_trace(now);
    ce_fetch_.finish_trace(now);
}

}  // namespace archipelago::cp
