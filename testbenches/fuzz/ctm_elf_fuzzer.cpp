// SPDX-License-Identifier: Apache-2.0
// Executables of CTM chips: read, listed, assembled and written again, found in memory. Accepted:
// the file is an executable.
#include <string>
#include <utility>
#include <vector>

#include "models/common/memory_image.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/host/ctm/loader.h"
#include "testbenches/host/ctm/program_code.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"ctm_elf_fuzzer", false, 20000, 10000, 0.3};

namespace {

using host::CtmExecutable;

constexpr char kName[] = "fuzz.elf";
constexpr char kProgram[] =
    ".proginfo partial cached temporaries=9\n"
    "begin: tex ld r1.rgba, i2.rgba, r0.rgrr unscaled acquire\n"
    "alu rgb(r1, c7) mad r1.rgb, s0.rgb, s1.rgb, s0.rgb | alpha(r1, c200) mad r1.a, s0.a, s1.a, "
    "s0.a sem_wait\n"
    "fc loop end int=5\n"
    "fc endloop begin int=5\n"
    "end: out rgb(r1) max.bits r0._, s0.rgb, s0.rgb, s0.rrr | alpha(r1) max.bits r0._, s0.a, s0.a, "
    "s0.r rgb_out=o1.rgb alpha_out=o3.a conditional last sem_wait\n";

CtmExecutable good() {
    return host::executable_of(ctm::isa::assemble(kProgram));
}

void require_lists(const CtmExecutable& e) {
    const auto check = [](const std::vector<uint32_t>& list, uint32_t limit) {
        for (size_t i = 0; i < list.size(); ++i)
            require(list[i] < limit && (i == 0 || list[i - 1] < list[i]),
                    "lists of indices rise, below their limits");
    };
    check(e.inputs, 16);
    check(e.outputs, 4);
    check(e.float_constants, 256);
    check(e.integer_constants, 32);
}

void require_comes_back(const CtmExecutable& e) {
    const Bytes file = host::write_executable(e);
    const CtmExecutable back = host::read_executable(file, kName);
    require(back.code == e.code && back.info == e.info && back.program_info == e.program_info &&
                back.inputs == e.inputs && back.outputs == e.outputs &&
                back.other_notes.size() == e.other_notes.size() &&
                back.symbols.size() == e.symbols.size(),
            "an executable is read as it was written");
    require(host::write_executable(back) == file, "... and written as it was read");
    const ctm::isa::Assembly again = ctm::isa::assemble(host::list_executable(e));
    require(again.errors.empty() && again.program == e.code,
            "a listing assembles to the same program");
}

// The file at the end of what is mapped, so that nothing after it can be read.
bool in_memory(const Bytes& file) {
    constexpr uint64_t kEnd = 0x20'0000;
    MemoryImage memory;
    memory.map(0, kEnd);
    const uint64_t at = kEnd - file.size();
    memory.write(at, file.data(), file.size());
    try {
        return host::executable_at(memory, at, kName).has_value();
    } catch (const host::CodeObjectError& error) {
        require(std::string(error.what()).rfind(kName, 0) == 0, "a refusal names the program");
        return false;
    }
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    const Bytes file(data, data + size);
    try {
        const CtmExecutable e = host::read_executable(file, kName);
        require(!e.code.empty() && e.code.size() <= ctm::isa::kMaxInstructions,
                "an executable has instructions");
        for (const host::CtmSymbol& symbol : e.symbols)
            require(symbol.instruction <= e.code.size() && !symbol.name.empty(),
                    "symbols lie in the code");
        require_lists(e);
        require_comes_back(e);
        require(in_memory(file), "what a file holds is found in memory");
        return true;
    } catch (const host::CodeObjectError& error) {
        require(std::string(error.what()).rfind(std::string(kName) + ": ", 0) == 0,
                "a refusal names the file");
        if (size <= host::kMaxExecutableBytes)
            in_memory(file);
        return false;
    }
}

std::vector<Bytes> seeds() {
    CtmExecutable other = good();
    other.other_notes.push_back({"somebody", 77, {1, 2, 3, 4, 5}});
    other.known_program_info = false;
    other.program_info = {1, 0, 0xab, 0xcd, 0, 0, 0, 0};
    const CtmExecutable uncached =
        host::executable_of(ctm::isa::assemble(".proginfo uncached\nout rgb(c3+aL) mad r0._, "
                                               "s0.rgb, s0.rgb, s0.rgb rgb_out=o2.rgb last\n"));
    return {host::write_executable(good()), host::write_executable(other),
            host::write_executable(uncached)};
}

// Good files with an odd word, another length, or an odd program.
Bytes generate(Random& r) {
    CtmExecutable e = good();
    for (unsigned i = r.below(3); i > 0; --i) {
        const uint32_t instruction = r.below(static_cast<uint32_t>(e.code.size()));
        const uint32_t word = r.below(ctm::isa::kInstructionWords);
        e.code[instruction][word] ^= 1u << r.below(32);
    }
    if (r.one_in(4))
        e.code.resize(1 + r.below(40), e.code[r.below(static_cast<uint32_t>(e.code.size()))]);
    e = host::describe_program(std::move(e.code), {r.one_in(2), r.one_in(2), 0});
    if (r.one_in(3)) {
        Bytes contents(r.below(40));
        for (uint8_t& byte : contents)
            byte = static_cast<uint8_t>(r.word());
        e.other_notes.push_back({r.one_in(2) ? "ATI DPP" : "other", 8 + r.below(3), contents});
    }
    if (r.one_in(3)) {
        const uint32_t place = r.below(static_cast<uint32_t>(e.code.size() + 1));
        e.symbols.push_back({r.one_in(2) ? "label" : "not a label", place});
    }
    Bytes file = host::write_executable(e);
    if (r.one_in(3)) {
        const uint32_t at = r.below(static_cast<uint32_t>(file.size()) / 4) * 4;
        const uint32_t value = r.one_in(2) ? r.below(600) : r.word();
        for (unsigned byte = 0; byte < 4; ++byte)
            file[at + byte] = static_cast<uint8_t>(value >> 8 * byte);
    }
    if (r.one_in(8))
        file.resize(r.below(static_cast<uint32_t>(file.size())));
    return file;
}

}  // namespace archipelago::fuzz
