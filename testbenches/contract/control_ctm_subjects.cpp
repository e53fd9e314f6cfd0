// SPDX-License-Identifier: Apache-2.0
// The blocks of CTM chips, for the conformance test of the Control contract.
#include <array>
#include <type_traits>

#include "models/asic/ctm/command_fork.h"
#include "models/ctm/co/co_core.h"
#include "models/ctm/dpp/dpp_core.h"
#include "models/ctm/mc/mc_address_core.h"
#include "models/ctm/mc/mc_core.h"
#include "models/ctm/pe/pe_core.h"
#include "testbenches/contract/control_subject.h"

namespace archipelago::control_test {
namespace {

// Its output takes nothing, so a request stays inside.
Subject make_ctm_mc_address() {
    struct All {
        ctm::McAddressCore core{{}};
        Channel<ctm::AddressResponse> out{{1, 1}};
    };
    auto all = std::make_shared<All>();
    all->core.to_responses.connect(all->out);
    all->out.push(0, ctm::AddressResponse{});
    return one_core("ctm.mc.address", all, all->core.requests, ctm::AddressRequest{});
}

Subject make_ctm_pe() {
    struct All {
        ctm::PeCore core{{}};
        Channel<RegResponse> back{{4, 1}};
        Channel<MemRequest> memory{{1, 1}};
        Channel<ctm::UnitCommand> mc{{1, 1}}, co{{1, 1}};
        Channel<ctm::ConditionRequest> tests{{1, 1}};
        std::vector<std::unique_ptr<Channel<ctm::ThreadLaunch>>> arrays;
    };
    auto all = std::make_shared<All>();
    all->core.to_registers.connect(all->back);
    all->core.to_memory.connect(all->memory);
    all->core.to_memory_controller.connect(all->mc);
    all->core.to_conditional_operation.connect(all->co);
    all->core.to_condition.connect(all->tests);
    for (auto& to : all->core.to_array) {
        all->arrays.push_back(std::make_unique<Channel<ctm::ThreadLaunch>>(ChannelSpec{1, 1}));
        to.connect(*all->arrays.back());
    }
    // A buffer that memory does not give.
    const auto give = [all = all.get()](Cycle now) {
        RegRequest r;
        r.offset = ctm::kCbSize;
        r.value = 8;
        r.write = true;
        all->core.registers.push(now, r);
    };
    return one_core("ctm.pe", all, all->core.registers, give);
}

Subject make_ctm_co() {
    struct All {
        ctm::CoCore core{{}};
        Channel<ctm::ElementRequest> memory{{1, 1}};
        Channel<ctm::ConditionResult> pe{{1, 1}};
        std::vector<std::unique_ptr<Channel<ctm::ConditionResult>>> arrays;
        EventLink<ctm::UnitCommandDone> done;
    };
    auto all = std::make_shared<All>();
    all->core.to_memory.connect(all->memory);
    all->core.to_pe.connect(all->pe);
    all->core.to_commands_done.connect(all->done);
    for (auto& to : all->core.to_array) {
        all->arrays.push_back(std::make_unique<Channel<ctm::ConditionResult>>(ChannelSpec{1, 1}));
        to.connect(*all->arrays.back());
    }
    // A test whose result nobody takes.
    all->pe.push(0, ctm::ConditionResult{});
    return one_core("ctm.co", all, all->core.from_pe, ctm::ConditionRequest{});
}

// No instruction comes.
Subject make_ctm_dpp() {
    struct All {
        ctm::dpp::DppCore core{{}, "ctm_dpp"};
        Channel<ctm::ThreadDone> done{{1, 1}};
        Channel<ctm::ElementRequest> texture{{1, 1}}, output{{1, 1}};
        Channel<ctm::ConditionRequest> condition{{1, 1}};
        Channel<ctm::WordsRequest> words[ctm::dpp::kWordsKinds];
    };
    auto all = std::make_shared<All>();
    all->core.to_done.connect(all->done);
    all->core.to_texture.connect(all->texture);
    all->core.to_output.connect(all->output);
    all->core.to_condition.connect(all->condition);
    for (unsigned kind = 0; kind < ctm::dpp::kWordsKinds; ++kind)
        all->core.to_words[kind].connect(all->words[kind]);
    ctm::ThreadLaunch thread;
    thread.quads = 1;
    return one_core("ctm_dpp", all, all->core.launch_in, thread);
}

// Memory does not answer.
Subject make_ctm_mc() {
    struct All {
        ctm::McCore core{{}};
        std::vector<std::unique_ptr<Channel<ctm::ElementResponse>>> elements;
        std::vector<std::unique_ptr<Channel<ctm::WordsResponse>>> words;
        std::vector<std::unique_ptr<Channel<MemRequest>>> memory;
        Channel<MemResponse> pe{{1, 1}};
        EventLink<ctm::UnitCommandDone> done;
    };
    auto all = std::make_shared<All>();
    const auto connect = [](auto& outputs, auto& channels) {
        for (auto& output : outputs) {
            using Link = std::remove_reference_t<decltype(*output)>;
            channels.push_back(std::make_unique<Link>(ChannelSpec{4, 1}));
            output.connect(*channels.back());
        }
    };
    connect(all->core.to_elements, all->elements);
    connect(all->core.to_words, all->words);
    connect(all->core.to_local, all->memory);
    all->core.to_pe.connect(all->pe);
    all->core.to_command_done.connect(all->done);
    ctm::ElementRequest read;
    read.lanes = 1;
    return one_core("ctm.mc", all, all->core.elements[0], read);
}

// The memory controller does not say that it has carried the command out.
Subject make_command_fork() {
    struct All {
        ctm::CommandFork core{{1, 1}, 1, 2};
        Channel<ctm::UnitCommand> controller{{1, 1}};
        std::array<std::unique_ptr<Channel<ctm::UnitCommand>>, 2> arrays;
        EventLink<ctm::UnitCommandDone> done;
    };
    auto all = std::make_shared<All>();
    all->core.to_controller.connect(all->controller);
    for (size_t i = 0; i < all->arrays.size(); ++i) {
        all->arrays[i] = std::make_unique<Channel<ctm::UnitCommand>>(ChannelSpec{1, 1});
        all->core.to_array[i].connect(*all->arrays[i]);
    }
    all->core.to_done.connect(all->done);
    return one_core("ctm.commands", all, all->core.commands, ctm::UnitCommand{});
}

}  // namespace

std::vector<Block> ctm_blocks() {
    return {{"ctm_mc_address", make_ctm_mc_address},
            {"ctm_pe", make_ctm_pe},
            {"ctm_co", make_ctm_co},
            {"ctm_dpp", make_ctm_dpp},
            {"ctm_mc", make_ctm_mc},
            {"ctm_commands", make_command_fork}};
}

}  // namespace archipelago::control_test
