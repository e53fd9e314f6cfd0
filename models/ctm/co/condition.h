// SPDX-License-Identifier: Apache-2.0
// The conditional test: ATI CTM Guide 1.01, sections 2.1.3 and 2.2.3. Plain rules of both modes; no
// time, no memory. DECISIONS.md has what the guide leaves open.
#pragma once

#include <cstdint>

#include "models/ctm/messages.h"

namespace archipelago::ctm {

// set_cond_test: result = client's value OP value of the buffer.
enum class Condition : uint8_t {
    Never,
    Less,
    LessEqual,
    Equal,
    GreaterEqual,
    Greater,
    NotEqual,
    Always,
};
// set_cond_loc: whose requests are tested; the other's pass.
enum class ConditionLocation : uint8_t { Processors, ProcessorExecution };

// What commands leave in the CO.
struct ConditionSettings {
    Condition test = Condition::Always;
    ConditionLocation location = ConditionLocation::Processors;
    Format format = Format::Uint16x1;  // of the conditional buffer
    bool set_up = false;               // set_cond_test has been given since reset
    bool has_buffer = false;           // ... set_cond_out_fmt
    bool writes = true;                // set_cond_out_mask
};

// A command that the CO keeps (kToConditionalOperation of its row). Throws MachineStop(Internal)
// for any other.
void apply(const UnitCommand& command, ConditionSettings& settings);

// Whether requests of this client can do anything but pass: otherwise it need not ask.
bool has_effect(const ConditionSettings& settings, ConditionLocation client);

// How the CO answers a request: without memory, or by the value that it reads.
bool needs_read(const ConditionSettings& settings, ConditionLocation client);
ElementRequest read_request(const ConditionRequest& request);
// The lanes that pass. `buffer`: the answer to read_request(), not looked at without needs_read().
uint8_t passing_lanes(const ConditionSettings& settings, ConditionLocation client,
                      const ConditionRequest& request, const ElementResponse& buffer);
// The values that pass go to the buffer; false: there is nothing to write.
bool needs_write(const ConditionSettings& settings, ConditionLocation client, uint8_t passed);
ElementRequest write_request(const ConditionRequest& request, uint8_t passed);

// A value as a buffer of this format has it when it comes back: bits of floats.
uint32_t as_stored(Format format, uint32_t value);
bool compare(Condition condition, uint32_t value, uint32_t buffer);

// A whole test in functional mode. `access(ElementRequest) -> ElementResponse` is the MC.
template <class Access>
ConditionResult test(const ConditionSettings& settings, ConditionLocation client,
                     const ConditionRequest& request, const Access& access) {
    ElementResponse buffer;
    if (needs_read(settings, client))
        buffer = access(read_request(request));
    const uint8_t passed = passing_lanes(settings, client, request, buffer);
    if (needs_write(settings, client, passed))
        access(write_request(request, passed));
    return {passed, request.tag};
}

}  // namespace archipelago::ctm
