// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/cp/packet_outcome.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "models/common/error.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/text.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"
#include "testbenches/unit/cp/cp_bench.h"

namespace archipelago::cp::test {
namespace {

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
        text.replace(at, what.size(), by);
    return text;
}

}  // namespace

std::vector<uint32_t> words_of(const std::string& text) {
    const front::PacketAssembly assembly = si_pm4().assemble(text);
    for (const TextError& e : assembly.errors)
        ADD_FAILURE() << e.line << ":" << e.column << ": " << e.message << "\n" << text;
    std::vector<uint32_t> words(assembly.bytes.size() / 4);
    if (!words.empty())
        std::memcpy(words.data(), assembly.bytes.data(), words.size() * 4);
    return words;
}

namespace {

// Dwords that are not what they were at first: n in dword n at kData, else 0.
std::string memory_changes(const Machine& machine) {
    std::string text;
    const std::pair<uint64_t, uint64_t> kRanges[] = {{kData, 0x10000}, {kMirror + 16, 0xFF0}};
    for (const auto& [start, size] : kRanges) {
        for (uint64_t at = start; at < start + size; at += 4) {
            const uint32_t was = start == kData ? static_cast<uint32_t>((at - start) / 4) : 0;
            const uint32_t is = machine.peek(at);
            char line[64];
            std::snprintf(line, sizeof line, "[%llx]=%x ", static_cast<unsigned long long>(at), is);
            if (is != was)
                text += line;
        }
    }
    return text;
}

Outcome outcome_of(Machine& machine, const TextStream& from, const std::string& value) {
    machine.setup_rings();
    if (from.tells_errors)
        machine.host_write(
            regs::si::CP_INT_CNTL_RING0,
            regs::si::typed::CP_INT_CNTL_RING0{}.set_RESERVED_BIT_ERROR_INT_ENABLE(1).raw);
    std::vector<uint32_t> numbers(0x4000);
    for (uint32_t i = 0; i < numbers.size(); ++i)
        numbers[i] = i;
    machine.poke(kData, numbers);
    const std::vector<uint32_t> buffer = words_of(replaced(from.buffer, "%", value));
    machine.poke(kIb, buffer);
    const std::vector<uint32_t> stream =
        words_of(replaced(replaced(from.stream, "%", value), "$", std::to_string(buffer.size())));
    machine.seen = {};
    Outcome outcome;
    bool idle = false;
    try {
        idle = machine.submit(stream, from.ring);
    } catch (const MachineStop& stop) {
        outcome.stop = stop.what();
    }
    std::string& text = outcome.effects;
    char line[96];
    for (size_t i = 0; i < machine.seen.regs.size(); ++i) {
        const RegWrite& w = machine.seen.regs[i];
        std::snprintf(line, sizeof line, "reg %05x=%x ring %u context %u; ", w.offset, w.value,
                      w.ring, machine.seen.contexts[i]);
        text += line;
    }
    for (const auto& [ring, type] : machine.seen.events)
        text += "event " + std::to_string(type) + " ring " + std::to_string(ring) + "; ";
    for (const CacheAction& a : machine.seen.actions) {
        std::snprintf(line, sizeof line, "caches %d%d%d%d%d %llx %llx; ", a.invalidate_l1,
                      a.invalidate_scalar, a.invalidate_inst, a.writeback_l2, a.invalidate_l2,
                      static_cast<unsigned long long>(a.base),
                      static_cast<unsigned long long>(a.size));
        text += line;
    }
    for (const Interrupt& i : machine.seen.interrupts) {
        std::snprintf(line, sizeof line, "interrupt %u ring %u; ", i.source_id, i.ring);
        text += line;
    }
    text += memory_changes(machine);
    for (unsigned at = 0; at < 256; at += 4)
        if (machine.gds_word(at) != 0)
            text += "gds " + std::to_string(at) + "=" + std::to_string(machine.gds_word(at)) + " ";
    if (outcome.stop.empty())
        text += idle ? "idle" : "waits: " + machine.waiting_for();
    return outcome;
}

// The document's rules, to the letter.
Spec strict_spec() {
    Spec spec = si_spec();
    spec.strict = true;
    return spec;
}

}  // namespace

Outcome outcome_functional(const TextStream& stream, const std::string& value) {
    FunctionalMachine machine(strict_spec());
    return outcome_of(machine, stream, value);
}

Outcome outcome_timed(const TextStream& stream, const std::string& value) {
    BenchOptions options;
    options.limit = 20'000;
    options.spec = strict_spec();
    TimedMachine machine(options);
    Outcome outcome = outcome_of(machine, stream, value);
    const auto written = std::find_if(machine.seen.regs.begin(), machine.seen.regs.end(),
                                      [](const RegWrite& w) { return w.offset == 0x9508; });
    outcome.effort = machine.requests.size() * 1'000'000;
    std::set<std::string> spaces;
    for (const auto& [at, request] : machine.requests)
        spaces.insert(to_string(request.client) + (" " + std::to_string(request.vmid)));
    for (const std::string& space : spaces)
        outcome.requests += space + "; ";
    if (written != machine.seen.regs.end())
        outcome.effort +=
            machine.reg_cycles[static_cast<size_t>(written - machine.seen.regs.begin())];
    return outcome;
}

}  // namespace archipelago::cp::test
