// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/functional_array.h"

#include <fmt/core.h>

#include <utility>

#include "models/common/archive.h"
#include "models/ctm/isa/text.h"

namespace archipelago::ctm {

void FunctionalArray::observe(const Observers& observers, std::string path) {
    observers_ = observers;
    path_ = std::move(path);
}

void FunctionalArray::reset() {
    extents_ = {};
    program_ = {};  // starts are numbered again
    work_ = {};
}

void FunctionalArray::archive(Archive& a) {
    a(extents_, work_.threads, work_.instructions);
}

void FunctionalArray::run(const ThreadLaunch& launch) {
    const isa::FloatMode mode;
    begin(launch);
    ++work_.threads;
    uint64_t executed = 0;
    while (!thread_.ended) {
        const dpp::Decoded& d = fetch();
        dpp::check(limits_, d.inst, thread_, ++executed);
        if (observers_.log != nullptr && observers_.log->enabled(LogCategory::Isa))
            log(d);
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
    }
    limits_.temporaries = dpp::temporaries_of(launch);
    dpp::start(launch, thread_);
}

const dpp::Decoded& FunctionalArray::fetch() {
    const dpp::Decoded*& d = program_.code[thread_.pc];
    if (d == nullptr)
        d = &decode_.get(units_.words({kInstructions, thread_.pc, 0}).words);
    return *d;
}

void FunctionalArray::log(const dpp::Decoded& d) const {
    observers_.log->line(
        LogCategory::Isa, 0, path_,
        fmt::format("({}, {}) {}: ", thread_.origin[0].x, thread_.origin[0].y, thread_.pc) +
            isa::disassemble(d.inst.words));
}

// ---- constants ---------------------------------------------------------------------------------

const std::array<float, isa::kChannels>& FunctionalArray::float_constant(unsigned index) {
    uint64_t& there = program_.has_float[index / 64];
    if ((there >> index % 64 & 1) == 0) {
        there |= uint64_t{1} << index % 64;
        const auto words = units_.words({kFloatConstants, static_cast<uint16_t>(index), 0}).words;
        dpp::set_float(words.data(), program_.floats[index]);
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
            const auto words = units_.words({kIntegerConstants, needs.integer_index, 0}).words;
            dpp::set_integer(words.data(), program_.integers[index]);
        }
        values_.integer = program_.integers[index];
    }
    if (needs.boolean) {
        const unsigned index = needs.boolean_index;
        if ((program_.has_boolean >> index & 1) == 0) {
            program_.has_boolean |= 1u << index;
            const auto words = units_.words({kBooleanConstants, needs.boolean_index, 0}).words;
            program_.booleans[index] = dpp::boolean_of(words.data());
        }
        values_.boolean = program_.booleans[index];
    }
}

// ---- instructions ------------------------------------------------------------------------------

void FunctionalArray::execute(const dpp::Decoded& d) {
    read_constants(dpp::needs_of(d, thread_));
    isa::execute(d.inst, program_.mode, values_, thread_, effects_);
    if (!effects_.uncached.empty())
        write_uncached();
}

void FunctionalArray::write_uncached() {
    for (size_t next = 0; next < effects_.uncached.size();) {
        ElementRequest request;
        next = dpp::fill_uncached(effects_.uncached, next, request);
        units_.write_elements(request);
    }
}

void FunctionalArray::look_up(const dpp::Decoded& d) {
    isa::texture_request(d.inst, thread_, extents_[d.inst.texture.input], wanted_);
    units_.read_lanes(static_cast<uint8_t>(kInput0 + wanted_.input), wanted_.lanes,
                      wanted_.index.data(), texels_);
    isa::texture_return(d.inst, wanted_, texels_, thread_);
}

// ---- the end of a program ----------------------------------------------------------------------

void FunctionalArray::end(const ThreadLaunch& launch) {
    isa::LaneMask writing = isa::writing_lanes(thread_);
    if (launch.conditional_output)
        writing = test(writing);
    for (dpp::OutputPlace at; dpp::find_output(thread_, writing, at); ++at.quad) {
        ElementRequest request;
        dpp::fill_output(thread_, writing, at, request);
        units_.write_elements(request);
    }
}

isa::LaneMask FunctionalArray::test(isa::LaneMask writing) {
    isa::LaneMask passed = writing;
    for (unsigned left = dpp::quads_of(writing); left != 0; left &= left - 1) {
        const auto quad = static_cast<unsigned>(__builtin_ctz(left));
        ConditionRequest request;
        dpp::fill_test(thread_, writing, quad, request);
        passed = dpp::without_failed(passed, quad, units_.test_output(request));
    }
    return passed;
}

}  // namespace archipelago::ctm
