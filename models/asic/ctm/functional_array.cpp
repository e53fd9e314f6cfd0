// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/functional_array.h"

#include <cstring>
#include <utility>

#include "models/common/archive.h"
#include "models/common/error.h"

namespace archipelago::ctm {
namespace {

template <class To, class From>
To bits_as(const From& from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    std::memcpy(&to, &from, sizeof to);
    return to;
}

constexpr unsigned kQuadLanes = 4;
unsigned quad_of(isa::LaneMask lanes, unsigned quad) {
    return static_cast<unsigned>(lanes >> kQuadLanes * quad & 0xf);
}

}  // namespace

void FunctionalArray::observe(const Observers& observers, std::string path) {
    observers_ = observers;
    path_ = std::move(path);
}

void FunctionalArray::apply(const UnitCommand& command) {
    if (command.opcode != static_cast<uint8_t>(Command::SetInpFmt))
        return;
    const auto& p = command.parameters;
    extents_[p[0] % kInputs] = {surface_from_words(p[1], p[2]).pitch, field(p[3], 12, 0)};
}

void FunctionalArray::archive(Archive& a) {
    a(extents_, work_.threads, work_.instructions);
}

std::string FunctionalArray::place(const dpp::Decoded& d) const {
    return path_ + ": " + isa::place(d.inst, thread_);
}

void FunctionalArray::run(const ThreadLaunch& launch) {
    const isa::FloatMode mode;
    begin(launch);
    ++work_.threads;
    uint64_t executed = 0;
    while (!thread_.ended) {
        const dpp::Decoded& d = fetch();
        check(d, ++executed);
        ++work_.instructions[static_cast<unsigned>(d.inst.type)];
        if (d.inst.type == isa::Type::Texture)
            look_up(d);
        else
            execute(d);
    }
    end(launch);
}

void FunctionalArray::begin(const ThreadLaunch& launch) {
    if (launch.program != program_.number) {
        program_ = Program();
        program_.number = launch.program;
        program_.mode = launch.mode;
        program_.temporaries = launch.temporaries;
    }
    thread_.origin = launch.origin;
    thread_.quads = launch.quads;
    thread_.covered = launch.covered;
    isa::Program first;
    first.temporaries = program_.named;
    isa::start(thread_, first);
    for (unsigned l = 0; l < thread_.lanes(); ++l)
        thread_.conditional[l] = launch.conditional;
}

const dpp::Decoded& FunctionalArray::fetch() {
    const dpp::Decoded*& d = program_.code[thread_.pc];
    if (d == nullptr)
        d = &decode_.get(units_.words({kInstructions, thread_.pc, 0}).words);
    return *d;
}

void FunctionalArray::check(const dpp::Decoded& d, uint64_t executed) {
    if (executed > limit_)
        throw MachineStop(
            StopKind::Hang, place(d),
            "the thread has executed " + std::to_string(limit_) + " instructions and does not end");
    if (d.temporaries > program_.temporaries)
        throw MachineStop(StopKind::BadInput, place(d),
                          "names r" + std::to_string(d.temporaries - 1) + ", PROGINFO has " +
                              std::to_string(program_.temporaries) + " temporaries");
    if (d.temporaries > thread_.temporaries.size()) {
        thread_.temporaries.resize(d.temporaries);
        program_.named = d.temporaries;
    }
    if (observers_.log != nullptr && observers_.log->enabled(LogCategory::Isa))
        log(d);
}

void FunctionalArray::log(const dpp::Decoded& d) const {
    observers_.log->line(LogCategory::Isa, 0, path_, place(d));
}

// ---- constants ---------------------------------------------------------------------------------

const std::array<float, isa::kChannels>& FunctionalArray::float_constant(unsigned index) {
    uint64_t& there = program_.has_float[index / 64];
    if ((there >> index % 64 & 1) == 0) {
        there |= uint64_t{1} << index % 64;
        const auto words = units_.words({kFloatConstants, static_cast<uint16_t>(index), 0}).words;
        for (unsigned c = 0; c < isa::kChannels; ++c)
            program_.floats[index][c] = bits_as<float>(words[c]);
    }
    return program_.floats[index];
}

void FunctionalArray::read_constants(const isa::ConstantNeeds& needs) {
    for (unsigned i = 0; i < needs.float_count; ++i)
        values_.floats[i] = float_constant(needs.floats[i]);
    if (needs.integer) {
        const unsigned index = needs.integer_index;
        if ((program_.has_integer >> index & 1) == 0) {
            program_.has_integer |= 1u << index;
            const uint32_t word =
                units_.words({kIntegerConstants, needs.integer_index, 0}).words[0];
            for (unsigned part = 0; part < 3; ++part)
                program_.integers[index][part] = static_cast<uint8_t>(word >> 8 * part);
        }
        values_.integer = program_.integers[index];
    }
    if (needs.boolean) {
        const unsigned index = needs.boolean_index;
        if ((program_.has_boolean >> index & 1) == 0) {
            program_.has_boolean |= 1u << index;
            program_.booleans[index] =
                units_.words({kBooleanConstants, needs.boolean_index, 0}).words[0] != 0;
        }
        values_.boolean = program_.booleans[index];
    }
}

// ---- instructions ------------------------------------------------------------------------------

void FunctionalArray::execute(const dpp::Decoded& d) {
    read_constants(d.inst.alu.plan.relative_constants ? isa::needs(d.inst, thread_) : d.needs);
    isa::execute(d.inst, program_.mode, values_, thread_, effects_);
    if (!effects_.uncached.empty())
        write_uncached();
}

// A quad a request, as arrays send them.
void FunctionalArray::write_uncached() {
    const auto& writes = effects_.uncached;
    for (size_t i = 0; i < writes.size();) {
        ElementRequest request;
        request.client = kOutput0;
        request.write = request.uncached = true;
        const unsigned quad = writes[i].lane / kQuadLanes;
        for (; i < writes.size() && writes[i].lane / kQuadLanes == quad; ++i) {
            const unsigned l = writes[i].lane % kQuadLanes;
            request.lanes |= static_cast<uint8_t>(1u << l);
            request.index[l] = writes[i].index;
            request.value[l][0] = writes[i].value;
            request.channels[l] = 1;
        }
        units_.write_elements(request);
    }
}

void FunctionalArray::look_up(const dpp::Decoded& d) {
    const isa::TextureRequest wanted =
        isa::texture_request(d.inst, thread_, extents_[d.inst.texture.input]);
    ElementRequest request;
    request.client = static_cast<uint8_t>(kInput0 + wanted.input);
    for (unsigned q = 0; q < thread_.quads; ++q) {
        request.lanes = static_cast<uint8_t>(quad_of(wanted.lanes, q));
        if (request.lanes == 0)
            continue;
        const unsigned first = kQuadLanes * q;
        for (unsigned l = 0; l < kQuadLanes; ++l)
            request.index[l] = wanted.index[first + l];
        const ElementResponse texels = units_.read_elements(request);
        for (unsigned c = 0; c < isa::kChannels; ++c)
            for (unsigned l = 0; l < kQuadLanes; ++l)
                texels_[c].lane[first + l] = bits_as<float>(texels.value[l][c]);
    }
    isa::texture_return(d.inst, wanted, texels_, thread_);
}

// ---- the end of a program ----------------------------------------------------------------------

void FunctionalArray::end(const ThreadLaunch& launch) {
    isa::LaneMask writing = isa::writing_lanes(thread_);
    if (launch.conditional_output)
        writing = test(writing);
    for (unsigned target = 0; target < isa::kOutputTargets; ++target)
        write_output(target, writing);
}

isa::LaneMask FunctionalArray::test(isa::LaneMask writing) {
    isa::LaneMask passed = 0;
    for (unsigned q = 0; q < thread_.quads; ++q) {
        ConditionRequest request;
        request.origin = thread_.origin[q];
        request.lanes = static_cast<uint8_t>(quad_of(writing, q));
        if (request.lanes == 0)
            continue;
        for (unsigned l = 0; l < kQuadLanes; ++l)
            request.value[l] = thread_.conditional[kQuadLanes * q + l];
        passed |= isa::LaneMask{units_.test_output(request)} << kQuadLanes * q;
    }
    return passed;
}

void FunctionalArray::write_output(unsigned target, isa::LaneMask writing) {
    const auto& written = thread_.output_written[target];
    const isa::LaneMask any = (written[0] | written[1] | written[2] | written[3]) & writing;
    for (unsigned q = 0; any >> kQuadLanes * q != 0; ++q) {
        ElementRequest request;
        request.client = static_cast<uint8_t>(kOutput0 + target);
        request.write = true;
        request.lanes = static_cast<uint8_t>(quad_of(any, q));
        if (request.lanes == 0)
            continue;
        for (unsigned l = 0; l < kQuadLanes; ++l) {
            const unsigned lane = kQuadLanes * q + l;
            request.index[l] = thread_.index_of(lane);
            for (unsigned c = 0; c < isa::kChannels; ++c) {
                if ((written[c] & writing & isa::LaneMask{1} << lane) == 0)
                    continue;
                request.channels[l] |= static_cast<uint8_t>(1u << c);
                request.value[l][c] = bits_as<uint32_t>(thread_.output[target][c].lane[lane]);
            }
        }
        units_.write_elements(request);
    }
}

}  // namespace archipelago::ctm
