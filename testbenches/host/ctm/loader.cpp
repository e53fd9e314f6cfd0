// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/ctm/loader.h"

#include <elf.h>
#include <fmt/format.h>

#include <utility>

#include "models/common/error.h"
#include "models/ctm/command/command_reader.h"
#include "testbenches/host/code_object/elf_code.h"

namespace archipelago::host {
namespace {

constexpr uint32_t kBaseMask = ~uint32_t{0x7ff};  // of a base address: aligned to 2 KiB

std::vector<uint32_t> words_of(const std::vector<ctm::isa::Words>& code) {
    std::vector<uint32_t> words;
    for (const ctm::isa::Words& instruction : code)
        words.insert(words.end(), instruction.begin(), instruction.end());
    return words;
}

}  // namespace

std::optional<CtmExecutable> executable_at(const MemoryImage& memory, uint64_t address,
                                           const std::string& name) {
    std::vector<uint8_t> magic(SELFMAG);
    if (!memory.read(address, magic.data(), magic.size()) || !is_elf(magic))
        return std::nullopt;
    const auto read = [&](uint64_t offset, uint8_t* to, size_t bytes) {
        return memory.read(address + offset, to, bytes);
    };
    std::vector<uint8_t> file(executable_bytes(read, name));
    if (!read(0, file.data(), file.size()))
        throw CodeObjectError(name, fmt::format("its {} bytes are not all in memory", file.size()));
    return read_executable(file, name);
}

std::vector<LoadedBuffer> load_programs(const std::vector<uint32_t>& words,
                                        const MemoryImage& memory, const std::string& where,
                                        LoaderState& state, const PlaceCode& place) {
    std::vector<LoadedBuffer> parts(1);
    parts.back().info = state.in_force;
    for (size_t at = 0; at < words.size();) {
        const ctm::CommandInfo* info = nullptr;
        if (ctm::check_header(words[at], static_cast<uint32_t>(words.size() - at - 1), info) !=
            ctm::HeaderError::None) {
            parts.back().words.insert(parts.back().words.end(),
                                      words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
            break;
        }
        const size_t next = at + 1 + info->parameters;
        std::vector<uint32_t> command(words.begin() + static_cast<std::ptrdiff_t>(at),
                                      words.begin() + static_cast<std::ptrdiff_t>(next));
        if (info->opcode == ctm::Opcode::SetInstFmt) {
            const uint32_t base = command[1] & kBaseMask;
            const std::string name = fmt::format("program at 0x{:x}", base);
            state.in_force = state.given;
            try {
                if (const auto executable = executable_at(memory, base, name)) {
                    command[1] = place(words_of(executable->code));
                    state.in_force = executable->info;
                }
            } catch (const CodeObjectError& error) {
                throw MachineStop(StopKind::BadInput,
                                  fmt::format("{}, dword {}, set_inst_fmt", where, at),
                                  error.what());
            }
            if (parts.back().info != state.in_force && !parts.back().words.empty())
                parts.emplace_back();
            parts.back().info = state.in_force;
        }
        parts.back().words.insert(parts.back().words.end(), command.begin(), command.end());
        at = next;
    }
    return parts;
}

}  // namespace archipelago::host
