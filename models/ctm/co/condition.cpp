// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/co/condition.h"

#include <array>
#include <cstdint>

#include "models/common/error.h"
#include "models/ctm/command/command.h"
#include "models/ctm/mc/element_format.h"

namespace archipelago::ctm {
namespace {

// Numbers in the order of the floats with such bits. Denormals count, and the host may be set to
// flush them: threads in functional mode run so (isa::FloatMode).
int64_t order_of(uint32_t bits) {
    const int64_t magnitude = bits & 0x7fffffff;
    return (bits >> 31) != 0 ? -magnitude : magnitude;
}
bool is_nan(uint32_t bits) {
    return (bits & 0x7fffffff) > 0x7f800000;
}
ElementRequest element_request(const ConditionRequest& request, uint8_t lanes) {
    ElementRequest r;
    r.client = kConditionalOutput;
    r.lanes = lanes;
    for (unsigned lane = 0; lane < 4; ++lane)
        r.index[lane] = {static_cast<uint16_t>(request.origin.x + (lane & 1)),
                         static_cast<uint16_t>(request.origin.y + (lane >> 1))};
    r.tag = request.tag;
    return r;
}

bool compares(Condition condition) {
    return condition != Condition::Never && condition != Condition::Always;
}

}  // namespace

void apply(const UnitCommand& command, ConditionSettings& settings) {
    const std::array<uint32_t, 4>& p = command.parameters;
    switch (static_cast<Opcode>(command.opcode)) {
        case Opcode::SetCondTest:
            settings.test = static_cast<Condition>(p[0] & 7);
            settings.set_up = true;
            return;
        case Opcode::SetCondLoc:
            settings.location = static_cast<ConditionLocation>(p[0] & 1);
            return;
        case Opcode::SetCondOutMask:
            settings.writes = (p[0] & 1) != 0;
            return;
        case Opcode::SetCondOutFmt:
            settings.format = surface_from_words(p[0], p[1]).format;
            settings.has_buffer = true;
            return;
        default:
            throw MachineStop(StopKind::Internal, "ctm.co",
                              "a command of another unit: " + std::to_string(command.opcode));
    }
}

bool has_effect(const ConditionSettings& settings, ConditionLocation client) {
    if (!settings.set_up || settings.location != client)
        return false;
    return settings.test != Condition::Always || (settings.writes && settings.has_buffer);
}

bool needs_read(const ConditionSettings& settings, ConditionLocation client) {
    return has_effect(settings, client) && compares(settings.test);
}

ElementRequest read_request(const ConditionRequest& request) {
    return element_request(request, request.lanes);
}

uint8_t passing_lanes(const ConditionSettings& settings, ConditionLocation client,
                      const ConditionRequest& request, const ElementResponse& buffer) {
    if (!has_effect(settings, client) || settings.test == Condition::Always)
        return request.lanes;
    uint8_t passed = 0;
    if (settings.test == Condition::Never)
        return passed;
    for (unsigned lane = 0; lane < 4; ++lane)
        if ((request.lanes >> lane & 1) != 0 &&
            compare(settings.test, as_stored(settings.format, request.value[lane]),
                    buffer.value[lane][0]))
            passed |= static_cast<uint8_t>(1u << lane);
    return passed;
}

bool needs_write(const ConditionSettings& settings, ConditionLocation client, uint8_t passed) {
    return passed != 0 && has_effect(settings, client) && settings.writes && settings.has_buffer;
}

ElementRequest write_request(const ConditionRequest& request, uint8_t passed) {
    ElementRequest r = element_request(request, passed);
    r.write = true;
    for (unsigned lane = 0; lane < 4; ++lane) {
        r.value[lane][0] = request.value[lane];
        r.channels[lane] = 1;
    }
    return r;
}

uint32_t as_stored(Format format, uint32_t value) {
    if (format_info(format).reserved)
        return value;  // the MC refuses it
    std::array<uint8_t, kMaxElementBytes> element{};
    pack(format, {value, 0, 0, 0}, 1, element.data());
    return unpack_first(format, element.data());
}

bool compare(Condition condition, uint32_t value, uint32_t buffer) {
    if ((is_nan(value) || is_nan(buffer)) && compares(condition))
        return condition == Condition::NotEqual;
    const int64_t v = order_of(value), b = order_of(buffer);
    switch (condition) {
        case Condition::Never:
            return false;
        case Condition::Less:
            return v < b;
        case Condition::LessEqual:
            return v <= b;
        case Condition::Equal:
            return v == b;
        case Condition::GreaterEqual:
            return v >= b;
        case Condition::Greater:
            return v > b;
        case Condition::NotEqual:
            return v != b;
        case Condition::Always:
            return true;
    }
    return false;
}

}  // namespace archipelago::ctm
