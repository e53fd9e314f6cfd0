// SPDX-License-Identifier: Apache-2.0
// A twin in a chip decides what the chip does: a run with a mutant differs.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "models/asic/families.h"
#include "models/common/error.h"
#include "rtl-bridge/compare/cosim.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/retire/retire_writer.h"
#include "testbenches/host/runner.h"
#include "testbenches/support/child_process.h"
#include "testbenches/support/retired_text.h"

namespace archipelago::rtl {
namespace {

constexpr const char* kWorkload = "matmul";

// With the block exchanged for its twin; one run per process.
host::RunOutcome run_with(const std::string& block, const std::string& mutant,
                          const std::string& name = kWorkload, uint64_t least_steps = 1000,
                          const std::string& asic = "tahiti") {
    const std::vector<std::string> mutants = find_cosim_bench(block)->mutants();
    TwinOptions twin;
    if (!mutant.empty()) {
        const auto at = std::find(mutants.begin(), mutants.end(), mutant);
        if (at == mutants.end())
            throw std::invalid_argument(block + " has no mutant " + mutant);
        twin.mutant = static_cast<unsigned>(at - mutants.begin()) + 1;
    }
    config::Diagnostics diagnostics;
    const auto chip = asic::load_chip(asic, {});
    const auto workload = host::load_workload(
        std::string(ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/") + name + ".yaml",
        host::always(*chip), diagnostics);
    diagnostics.throw_if_errors();
    host::MachineOptions options;
    const std::unique_ptr<BlockSwap> swap = make_block_swap(block, twin);
    swap->attach(options.chip);
    host::Machine machine("bench", *chip, options);
    host::RunOutcome outcome = host::Runner(*workload, machine).run();
    EXPECT_GT(swap->cycles(), least_steps);
    return outcome;
}

// Of the model, as recorded.
uint64_t golden_cycles(const std::string& name = kWorkload, const std::string& asic = "tahiti") {
    std::ifstream file(ARCHIPELAGO_SOURCE_DIR "/testbenches/golden/" + asic + ".json");
    return nlohmann::json::parse(file).at("workloads").at(name).at("cycles");
}

TEST(TwinInAChip, LaneGivesTheResultsOfTheModel) {
    const host::RunOutcome outcome = run_with("valu_lane", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, LaneWithAMutantGivesWrongResults) {
    EXPECT_FALSE(run_with("valu_lane", "product_exponent_off_by_one").failures.empty());
}

TEST(TwinInAChip, VectorAluOfASimdGivesTheResultsOfTheModel) {
    const host::RunOutcome outcome = run_with("cu_valu", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, VectorAluOfASimdWithAMutantGivesWrongResults) {
    EXPECT_FALSE(run_with("cu_valu", "accumulator_of_the_third_source").failures.empty());
}

TEST(TwinInAChip, ScalarAluTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("salu", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, ScalarAluWithAMutantGivesWrongResultsInOtherCycles) {
    const host::RunOutcome outcome = run_with("salu", "branches_exchanged");
    EXPECT_FALSE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, DecoderTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("cu_decode", "", kWorkload, 100);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, DecoderThatReadsOtherwiseStopsTheMachine) {
    try {
        run_with("cu_decode", "short_comparison_written_elsewhere", kWorkload, 0);
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("out_sdst is 0x6c, the model says 0x6a"),
                  std::string::npos)
            << stop.what();
    }
}

class ComputeUnitInAChip : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, ComputeUnitInAChip,
                         testing::Values("saxpy", "reduction", "f64", "local_atomics",
                                         "gds_ordered", "gds_barrier", "draws_streamout",
                                         "image_tiles"),
                         [](const auto& info) { return std::string(info.param); });
TEST_P(ComputeUnitInAChip, TakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("cu", "", GetParam());
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles(GetParam()));
}

// What the units of a chip retire; `swap` is in it, or null.
std::string retired(const std::string& name, BlockSwap* swap) {
    config::Diagnostics diagnostics;
    const auto chip = asic::load_chip("tahiti", {});
    const auto workload = host::load_workload(
        std::string(ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/") + name + ".yaml",
        host::always(*chip), diagnostics);
    diagnostics.throw_if_errors();
    host::MachineOptions options;
    if (swap != nullptr)
        swap->attach(options.chip);
    std::string text;
    host::RetireWriter writer(host::RetireWriter::Format::Text, {},
                              [&](std::string_view s) { text += s; });
    options.chip.retire = &writer;
    host::Machine machine("bench", *chip, options);
    EXPECT_TRUE(host::Runner(*workload, machine).run().failures.empty());
    writer.flush();
    EXPECT_TRUE(machine.chip().work().silent.empty());
    return test::sorted_lines(test::without_accesses(text));
}

// A process has one chip.
std::string retired_by_the_model(const std::string& name) {
    const ChildResult child = run_in_child([&](const ChildPipe& to) {
        to.write(retired(name, nullptr));
        return testing::Test::HasFailure() ? 1 : 0;
    });
    EXPECT_TRUE(child.succeeded());
    return child.output;
}

class RetiredInAChip : public testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Workloads, RetiredInAChip,
                         testing::Values("saxpy", "f64", "local_atomics", "gds_ordered", "draws",
                                         "special_asm", "bfs", "divergent_filter", "function_calls",
                                         "image_sample"),
                         [](const auto& info) { return std::string(info.param); });
TEST_P(RetiredInAChip, IsWhatTheModelSays) {
    const std::string model = retired_by_the_model(GetParam());
    EXPECT_GT(model.size(), 1000u);
    const std::unique_ptr<BlockSwap> swap = make_block_swap("cu", TwinOptions{});
    EXPECT_TRUE(model == retired(GetParam(), swap.get()));
}

TEST(TwinInAChip, ComputeUnitWithAMutantTakesOtherCycles) {
    EXPECT_NE(run_with("cu", "status_known_early", "reduction").cycles, golden_cycles("reduction"));
}

TEST(TwinInAChip, BufferAddressingTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("ta_buffer", "", "scratch", 100);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("scratch"));
}

TEST(TwinInAChip, BufferAddressingOfTypedAccessesTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("ta_buffer", "", "typed_matmul", 100);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("typed_matmul"));
}

TEST(TwinInAChip, BufferAddressingWithAMutantGivesWrongResults) {
    EXPECT_FALSE(run_with("ta_buffer", "instruction_offset_lost", "scratch").failures.empty());
}

TEST(TwinInAChip, FormatConversionTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("ta_format", "", "typed_matmul", 100);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("typed_matmul"));
}

TEST(TwinInAChip, FormatConversionWithAMutantGivesWrongResults) {
    EXPECT_FALSE(
        run_with("ta_format", "fourth_component_lost", "typed_matmul", 100).failures.empty());
}

TEST(TwinInAChip, ArbiterTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("cu_issue", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, ArbiterWithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("cu_issue", "issues_one_cycle_early");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, L2ChannelsTakeTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("tc_l2_bank", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, L2ChannelWithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("tc_l2_bank", "answer_leaves_early");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, VectorL1sTakeTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("tc_l1", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, VectorL1WithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("tc_l1", "hit_takes_a_cycle_more");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, VectorL1ThatForgetsTheDataOfAFillGivesWrongResults) {
    EXPECT_FALSE(run_with("tc_l1", "data_of_its_own_slot").failures.empty());
}

TEST(TwinInAChip, MemorySchedulersTakeTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("mc_schedule", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, MemorySchedulerWithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("mc_schedule", "row_command_one_early");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, L2ChannelThatLosesADirtyByteGivesWrongResults) {
    EXPECT_FALSE(run_with("tc_l2_bank", "write_back_loses_a_byte").failures.empty());
}

TEST(TwinInAChip, ArbiterThatReleasesAWaveTooEarlyStopsTheMachine) {
    try {
        run_with("cu_issue", "release_one_too_early");
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("releases a wave"), std::string::npos);
    }
}

TEST(TwinInAChip, AllocatorPlacesTheGroupsOfTheModel) {
    const host::RunOutcome outcome = run_with("spi_alloc", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, AllocatorWithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("spi_alloc", "cu_turn_not_kept");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, AllocatorThatGrantsATakenSlotStopsTheMachine) {
    try {
        run_with("spi_alloc", "plan_of_slots_in_another_simd");
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("is occupied"), std::string::npos) << stop.what();
    }
}

TEST(TwinInAChip, DispatcherLaunchesTheWavesOfTheModel) {
    const host::RunOutcome outcome = run_with("spi_dispatch", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, DispatcherWithAMutantGivesWrongResults) {
    EXPECT_FALSE(run_with("spi_dispatch", "y_walks_with_x", kWorkload, 200).failures.empty());
}

TEST(TwinInAChip, DispatcherThatLaunchesWhatWasNotGrantedStopsTheMachine) {
    try {
        run_with("spi_dispatch", "wave_of_three_beats");
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("not granted"), std::string::npos) << stop.what();
    }
}

TEST(TwinInAChip, LocalDataShareGivesTheResultsAndCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("lds", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, LocalDataShareWithAMutantGivesWrongResults) {
    EXPECT_FALSE(run_with("lds", "second_offset_of_the_lower_byte").failures.empty());
}

TEST(TwinInAChip, LocalDataShareWithoutBroadcastTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("lds", "no_broadcast");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, CoalescerTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("ta_coalescer", "");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, CoalescerWithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("ta_coalescer", "element_of_less_than_a_dword");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

// Bytes and half words, of which quarter waves lie in one line.
TEST(TwinInAChip, CoalescerThatLosesLanesGivesWrongResults) {
    EXPECT_FALSE(
        run_with("ta_coalescer", "joined_lanes_replace", "sub_dword", 100).failures.empty());
}

TEST(TwinInAChip, CoalescerThatComesToNoEndStopsTheMachine) {
    try {
        run_with("ta_coalescer", "lines_of_another_quarter");
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("comes to no end"), std::string::npos)
            << stop.what();
    }
}

TEST(TwinInAChip, RegisterBusTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("grbm", "", kWorkload, 80);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, RegisterBusThatStopsAtAWriteStopsTheMachine) {
    try {
        run_with("grbm", "every_kept_register_starts_something", "shadow_load", 80);
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("is not implemented"), std::string::npos);
    }
}

TEST(TwinInAChip, ParserTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("cp_pfp_parser", "", kWorkload, 80);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, ParserThatStopsWhereNothingIsWrongIsNamed) {
    try {
        run_with("cp_pfp_parser", "type_1_seen_in_every_header");
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        EXPECT_NE(std::string(stop.what()).find("where nothing is wrong"), std::string::npos);
    }
}

TEST(TwinInAChip, MicroEngineTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("cp_me", "", kWorkload, 80);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, MicroEngineWithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("cp_me", "microcode_one_short", kWorkload, 80);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles());
}

TEST(TwinInAChip, MicroEngineThatWritesAnotherLineGivesWrongResults) {
    EXPECT_FALSE(
        run_with("cp_me", "written_dwords_in_the_next_place", "data_packets", 80).failures.empty());
}

TEST(TwinInAChip, ConstantEngineTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("cp_ce", "", "ce_constants", 200);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("ce_constants"));
}

TEST(TwinInAChip, ConstantEngineWithAMutantDumpsOtherConstants) {
    EXPECT_FALSE(
        run_with("cp_ce", "load_ends_with_its_last_request", "ce_constants", 200).failures.empty());
}

TEST(TwinInAChip, IndexDmaTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("vgt_index_dma", "", "draws", 20);
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("draws"));
}

TEST(TwinInAChip, IndexDmaWithAMutantDrawsOtherVertices) {
    EXPECT_FALSE(
        run_with("vgt_index_dma", "dwords_advance_as_halves", "draws", 20).failures.empty());
}

TEST(TwinInAChip, TileAddressesTakeTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("si_tile_address", "", "async_dma/si/tiled");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("async_dma/si/tiled"));
}

TEST(TwinInAChip, TileAddressesWithAMutantMoveOtherBytes) {
    EXPECT_FALSE(run_with("si_tile_address", "order_thin", "async_dma/si/tiled").failures.empty());
}

TEST(TwinInAChip, LinearDatapathTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("dma_linear", "", "async_dma/si/tiled");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("async_dma/si/tiled"));
}

TEST(TwinInAChip, LinearDatapathWithAMutantTakesOtherCyclesForTheSameResults) {
    const host::RunOutcome outcome = run_with("dma_linear", "direction_kept", "async_dma/si/tiled");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_NE(outcome.cycles, golden_cycles("async_dma/si/tiled"));
}

TEST(TwinInAChip, LinearDatapathWithAMutantMovesOtherBytes) {
    EXPECT_FALSE(
        run_with("dma_linear", "line_from_its_beginning", "async_dma/si/tiled").failures.empty());
}

TEST(TwinInAChip, AluOfDppProcessorsGivesTheResultsOfTheModel) {
    const host::RunOutcome outcome = run_with("ctm_dpp_alu", "", "ctm/matmul", 1000, "r580");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("ctm/matmul", "r580"));
}

TEST(TwinInAChip, AluOfDppProcessorsWithAMutantGivesWrongResultsInTheSameCycles) {
    const host::RunOutcome outcome =
        run_with("ctm_dpp_alu", "ties_away", "ctm/vector_add", 1000, "r580");
    EXPECT_FALSE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("ctm/vector_add", "r580"));
}

TEST(TwinInAChip, MicroEngineOfAnAdrenoTakesTheCyclesOfTheModel) {
    const host::RunOutcome outcome = run_with("afuc_engine", "", "adreno/all/mixing", 1000, "a630");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("adreno/all/mixing", "a630"));
}

TEST(TwinInAChip, ThreeMicroEnginesTakeTheCyclesOfTheModel) {
    const host::RunOutcome outcome =
        run_with("afuc_engine", "", "adreno/a7xx/threads", 1000, "a730");
    EXPECT_TRUE(outcome.failures.empty());
    EXPECT_EQ(outcome.cycles, golden_cycles("adreno/a7xx/threads", "a730"));
}

TEST(TwinInAChip, MicroEngineWithAMutantGivesWrongResults) {
    EXPECT_FALSE(
        run_with("afuc_engine", "rot_right", "adreno/all/mixing", 1000, "a630").failures.empty());
}

TEST(TwinInAChip, MicroEngineThatStopsIsNamedWithItsPlace) {
    try {
        run_with("afuc_engine", "payload_is_illegal", "adreno/all/mixing", 1000, "a630");
        FAIL() << "not noticed";
    } catch (const MachineStop& stop) {
        const std::string what = stop.what();
        EXPECT_NE(what.find("cp.sqe: pc 0"), std::string::npos) << what;
        EXPECT_NE(what.find("the engine has stopped: an illegal instruction"), std::string::npos)
            << what;
    }
}

}  // namespace
}  // namespace archipelago::rtl
