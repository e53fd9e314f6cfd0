// SPDX-License-Identifier: Apache-2.0
// The chip in functional mode: a command buffer runs to its end within the register write that
// submits it. Commands, domain walk, tests, caches and instructions are those of cycle mode.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tlm>

#include "models/asic/ctm/chip_config.h"
#include "models/asic/ctm/functional_array.h"
#include "models/asic/functional_machine.h"
#include "models/ctm/co/condition.h"
#include "models/ctm/mc/mc_functional.h"
#include "models/ctm/pe/pe_functional.h"
#include "models/ctm/pe/register_file.h"

namespace archipelago::ctm {

class FunctionalMachine : public asic::FunctionalMachine,
                          private PeMachine,
                          private ArrayClient,
                          private LineMemory {
  public:
    // `registers` must outlive this.
    FunctionalMachine(const ChipConfig& config, uint64_t instruction_limit, RegisterFile& registers,
                      tlm::tlm_initiator_socket<>& socket);

    std::function<void(uint32_t buffer)> on_consumed;

    uint64_t progress() const override { return pe_.commands(); }
    const FunctionalArray::Work& work() const { return array_.work(); }
    void observe(const Observers& observers);
    void archive(Archive& a) override;
    bool reset() override;
    // State with which the units continue in cycle mode.
    const PeFunctional& processor() const { return pe_; }
    const ConditionSettings& condition() const { return condition_; }
    const McFunctional& controller() const { return mc_; }
    const FunctionalArray& array() const { return array_; }
    PerfClocks counted() const { return {array_.work().total(), array_.work().total()}; }

  private:
    // asic::FunctionalMachine
    std::optional<uint32_t> access(const RegRequest& request) override;
    std::optional<uint32_t> inspect(const RegRequest& request) override;
    // PeMachine
    void memory_controller_command(const UnitCommand& command) override {
        mc_.apply(command);
        array_.apply(command);
    }
    void conditional_operation_command(const UnitCommand& command) override {
        apply(command, condition_);
    }
    uint8_t test(const ConditionRequest& request) override {
        return test(ConditionLocation::ProcessorExecution, request);
    }
    void run(const ThreadLaunch& thread) override { array_.run(thread); }
    bool read(uint64_t address, uint32_t* dwords, size_t count) override {
        return memory().read(address, dwords, count * sizeof *dwords);
    }
    bool write(uint64_t address, const uint32_t* dwords, size_t count) override {
        return memory().write(address, dwords, count * sizeof *dwords);
    }
    // In functional mode the counters count instructions.
    PerfClocks clocks() override { return counted(); }
    void consumed(uint32_t buffer) override { on_consumed(buffer); }
    // ArrayClient
    void read_lanes(uint8_t client, isa::LaneMask lanes, const Point* index,
                    isa::Register& texels) override {
        mc_.read_lanes(client, lanes, index, texels);
    }
    void write_elements(const ElementRequest& request) override { mc_.write_elements(request); }
    WordsResponse words(const WordsRequest& request) override { return mc_.words(request); }
    uint8_t test_output(const ConditionRequest& request) override {
        return test(ConditionLocation::Processors, request);
    }
    uint8_t test(ConditionLocation client, const ConditionRequest& request);
    // LineMemory
    bool read_line(uint32_t address, Line& to) override {
        return memory().read(address, to.data(), to.size());
    }
    bool write_line(uint32_t address, const Line& from, uint64_t mask) override;

    RegisterFile& registers_;
    ConditionSettings condition_;
    McFunctional mc_;
    FunctionalArray array_;
    PeFunctional pe_;
};

}  // namespace archipelago::ctm
