// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/pe/pe_functional.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/common/error.h"
#include "models/common/memory_message.h"
#include "models/front/packet_log.h"

namespace archipelago::ctm {

bool PeFunctional::run() {
    const bool any = registers_.has_buffer();
    while (registers_.has_buffer()) {
        const SubmittedBuffer submitted = registers_.take_buffer();
        run_buffer(submitted);
        registers_.consume();
        machine_.consumed(submitted.buffer.id);
    }
    return any;
}

// Line by line, as the buffer is fetched in cycle mode: a line is not read before it is needed.
void PeFunctional::run_buffer(const SubmittedBuffer& submitted) {
    CommandReader reader;
    reader.open(submitted.buffer);
    program_info_ = submitted.program_info;
    if (submitted.after_idle)
        settings_.programs_started = false;
    std::array<uint32_t, kLineBytes / 4> line{};
    while (!reader.at_end()) {
        const uint64_t address = submitted.buffer.address + 4 * uint64_t{reader.taken};
        const size_t count = std::min<uint64_t>((line_of(address) + kLineBytes - address) / 4,
                                                reader.dwords() - reader.taken);
        if (!machine_.read(address, line.data(), count))
            throw MachineStop(StopKind::Fault,
                              to_string(CommandPlace{submitted.buffer.id, submitted.buffer.address,
                                                     reader.taken}),
                              "fetch from " + refused_address(MemStatus::Unmapped, address));
        for (size_t i = 0; i < count; ++i)
            if (reader.take(line[i]))
                run_command(reader.command);
    }
}

void PeFunctional::run_command(const ReadCommand& command) {
    ++commands_;
    front::log_packet(observers_, LogCategory::Pm4, 0, path_, to_string(command.place),
                      [&] { return describe(command); });
    check_defined(command, settings_, allow_);
    switch (carry_out(command, settings_)) {
        case Deed::Nothing:
            return;
        case Deed::Forward:
            if ((command.info->units & kToMemoryController) != 0)
                machine_.memory_controller_command(unit_command(command));
            if ((command.info->units & kToConditionalOperation) != 0)
                machine_.conditional_operation_command(unit_command(command));
            return;
        case Deed::Start:
            start();
            return;
        case Deed::Count:
            count(command);
            return;
    }
}

void PeFunctional::start() {
    ProgramStart start = started(settings_);
    apply_program_info(program_info_, start);
    distribute(
        start, walk_, [&](const ConditionRequest& r) { return machine_.test(r); },
        [&](const ThreadLaunch& thread) { machine_.run(thread); });
}

void PeFunctional::count(const ReadCommand& command) {
    const PerfClocks now = machine_.clocks();
    if (!counters_.carry_out(unit_command(command), now))
        return;
    const std::array<uint32_t, 2> values = counters_.values(now);
    const uint32_t address = counter_address(unit_command(command));
    if (!machine_.write(address, values.data(), values.size()))
        throw MachineStop(StopKind::Fault, where(command),
                          "write to " + refused_address(MemStatus::Unmapped, address));
}

void PeFunctional::observe(const Observers& observers, std::string path) {
    observers_ = observers;
    path_ = std::move(path);
}

}  // namespace archipelago::ctm
