// SPDX-License-Identifier: Apache-2.0
// The maps between the messages of the blocks and their pins, read in both directions, lose no bit
// (round_trip.h). The pins named here are in no message: levels, counters, and what a shell and a
// model treat by themselves.
#include <gmock/gmock.h>

#include "models/cp/me_core.h"
#include "models/cp/me_ports.h"
#include "models/cp/pfp_core.h"
#include "models/cp/pfp_ports.h"
#include "models/cp/registers/si/si_registers.h"
#include "models/cu/pins/cu_messages.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/gcn/si/front_end.h"
#include "models/grbm/grbm_core.h"
#include "models/grbm/grbm_ports.h"
#include "models/mc/mc_schedule_messages.h"
#include "models/mc/schedule_core.h"
#include "models/spi/dispatch_core.h"
#include "models/spi/dispatch_messages.h"
#include "models/tc/tc_l1_ports.h"
#include "models/tc/tc_l2_bank_ports.h"
#include "rtl-bridge/pins/pin_table.h"
#include "testbenches/cosim/round_trip.h"

namespace archipelago::rtl {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(MessagesOnPins, OfAVectorL1ComeBackAsTheyWere) {
    RoundTrip<TcL1Pins> pass;
    tc::TcpCore core({});
    tc::TcL1Parts::each_port(pass, core, TcL1Pins::kLanes);
    pass.outputs<tc::TcpCounters>(
        [&](auto m, auto& count) { tc::TcL1Parts::map_events(m, count, pass.out.event); });
    EXPECT_THAT(pass.changed(), IsEmpty());
    EXPECT_THAT(pass.in_no_message(), ElementsAre("cfg", "control", "event_released", "state"));
}

TEST(MessagesOnPins, OfAnL2ChannelComeBackAsTheyWere) {
    RoundTrip<TcL2BankPins> pass;
    tc::TccCore core({}, mc::ChannelMap(), nullptr);
    tc::TcL2BankParts::each_port(pass, core, 1);
    pass.outputs<tc::TccCounters>(
        [&](auto m, auto& count) { tc::TcL2BankParts::map_events(m, count, pass.out.event); });
    EXPECT_THAT(pass.changed(), IsEmpty());
    EXPECT_THAT(pass.in_no_message(),
                ElementsAre("cfg", "control", "fabric_mapped", "fetch", "state"));
}

TEST(MessagesOnPins, OfTheRegisterBusComeBackAsTheyWere) {
    RoundTrip<GrbmPins> pass(GrbmPins::kAnswers);
    grbm::GrbmCore core(gcn::si::grbm_spec());
    grbm::grbm_ports::each_request(pass, core);
    grbm::grbm_ports::each_response(pass, core);
    grbm::grbm_ports::each_output(pass, core);
    EXPECT_THAT(pass.changed(), IsEmpty());
    EXPECT_THAT(pass.in_no_message(),
                ElementsAre("ctl", "cfg", "busy", "ans", "ans_count", "state", "event", "error"));
}

TEST(MessagesOnPins, OfTheParserComeBackAsTheyWere) {
    RoundTrip<CpPfpParserPins> pass;
    cp::PfpCore core(cp::si_spec());
    cp::pfp_ports::each_port(pass, core);
    for (unsigned ring = 0; ring < CpPfpParserPins::kRings; ++ring)
        pass.inputs<cp::RingUpdate>(
            [&](auto m, auto& update) { cp::pfp_ports::map_update(m, update, pass.in, ring); });
    EXPECT_THAT(pass.changed(), IsEmpty());
    EXPECT_THAT(pass.in_no_message(), ElementsAre("ctl", "cfg", "table", "halt", "pred", "exec",
                                                  "take", "event", "done", "state", "error"));
}

TEST(MessagesOnPins, OfTheMicroEngineComeBackAsTheyWere) {
    RoundTrip<CpMePins> pass;
    cp::DeState de(*cp::si_spec().registers, CpMePins::kRings, false);
    cp::MeCore core(cp::si_spec(), de);
    cp::me_ports::each_answer(pass, core);
    cp::me_ports::each_queue(pass, core);
    cp::me_ports::each_output(pass, core);
    pass.inputs<cp::PollLimits>(
        [&](auto m, auto& limits) { cp::me_ports::map_limits(m, limits, pass.in); });
    pass.inputs<cp::Contexts>(
        [&](auto m, auto& contexts) { cp::me_ports::map_contexts(m, contexts, pass.in.ctx); },
        de.contexts);
    for (unsigned ring = 0; ring < CpMePins::kRings; ++ring)
        pass.inputs<cp::MicroOp>(
            [&](auto m, auto& op) { cp::me_ports::map_operation(m, op, pass.in.op, ring); });
    // The answer of the GDS names this dword twice: it is gds_rsp_row[0].
    EXPECT_THAT(pass.changed(), ElementsAre("gds_rsp_column[0]"));
    EXPECT_THAT(pass.in_no_message(),
                ElementsAre("cfg", "ctl", "table", "halt", "op_end", "op_privileged",
                            "op_of_context", "op_preamble", "gds_rsp_column[0]", "ce", "pipe",
                            "ask", "take", "act", "done", "event", "context", "state", "stop"));
}

TEST(MessagesOnPins, OfTheMemorySchedulerComeBackAsTheyWere) {
    RoundTrip<McSchedulePins> pass;
    using namespace mc::schedule_messages;
    pass.inputs<mc::ScheduleRequest>([&](auto m, auto& r) { map_request(m, r, pass.in.l2); });
    pass.inputs<mc::ScheduleRequest>([&](auto m, auto& r) { map_request(m, r, pass.in.hub); });
    pass.outputs<mc::DramCommand>([&](auto m, auto& c) { map_command(m, c, pass.out); });
    pass.outputs<mc::McCounters>([&](auto m, auto& c) { map_events(m, c, pass.out.event); });
    EXPECT_THAT(pass.changed(), IsEmpty());
    EXPECT_THAT(pass.in_no_message(), ElementsAre("cfg", "ctl", "state"));
}

TEST(MessagesOnPins, OfTheDispatcherComeBackAsTheyWere) {
    RoundTrip<SpiDispatchPins> pass;
    using namespace spi::dispatch_messages;
    spi::SpiSpec spec;
    spec.units = {4, 8, 256};
    pass.inputs<spi::Dispatch>(
        [&](auto m, auto& d) { map_dispatch(m, d, pass.in.dispatch, spec.units); });
    pass.inputs<spi::AllocatorGrant>(
        [&](auto m, auto& g) { map_grant(m, g, pass.in.grant, SpiDispatchPins::kWaves); });
    pass.outputs<spi::AllocatorQuery>([&](auto m, auto& q) { map_query(m, q, pass.out.query); });
    for (SpiDispatchPins::Launch* launch : {&pass.out.se0, &pass.out.se1})
        pass.outputs<spi::DispatchedWave>(
            [&](auto m, auto& wave) { map_launch(m, wave, *launch, spec); });
    EXPECT_THAT(pass.changed(), IsEmpty());
    EXPECT_THAT(
        pass.in_no_message(),
        ElementsAre("dispatch_ranges", "dispatch_range_first", "dispatch_range_last", "turn",
                    "grant_engine", "grant_array", "grant_cu", "freed", "query_needs", "walk",
                    "se0_beat", "se0_array", "se0_cu", "se0_id_x", "se0_id_y", "se0_id_z",
                    "se1_beat", "se1_array", "se1_cu", "se1_id_x", "se1_id_y", "se1_id_z"));
}

TEST(MessagesOnPins, OfAComputeUnitComeBackAsTheyWere) {
    RoundTrip<CuPins> pass;
    cu::CuCore core({}, {});
    cu::each_port(pass, core, CuPins::kRequests, CuPins::kRequests);
    pass.inputs<WaveLaunch>([&](auto m, auto& w) { cu::map_launch(m, w, pass.in.launch); });
    pass.outputs<ShaderMessage>(
        [&](auto m, auto& message) { cu::map_message(m, message, pass.out.message); });
    EXPECT_THAT(pass.changed(), IsEmpty());
    EXPECT_THAT(pass.in_no_message(),
                ElementsAre("cfg", "control", "tiling", "init", "launch_wave", "launch_ids",
                            "launch_v0", "launch_v1", "launch_v2", "done", "export_wave",
                            "message_wave", "retire", "stop", "state"));
}

}  // namespace
}  // namespace archipelago::rtl
