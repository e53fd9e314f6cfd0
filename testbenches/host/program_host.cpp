// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/program_host.h"

#include <stdexcept>
#include <utility>

#include "models/ctm/command/command.h"
#include "models/ctm/isa/instruction.h"
#include "models/ctm/isa/thread.h"
#include "models/ctm/mc/address_message.h"

namespace archipelago::host {
namespace {

// Parts of the area: bases are aligned to 2 KiB.
constexpr uint64_t kFloats = 12 * 1024;  // after the longest program
constexpr uint64_t kIntegers = kFloats + 4 * 1024;
constexpr uint64_t kBooleans = kIntegers + 2 * 1024;
constexpr uint64_t kAreaBytes = kBooleans + 2 * 1024;
static_assert(ctm::isa::kMaxInstructions * ctm::isa::kInstructionBytes <= kFloats);
static_assert(ctm::isa::kFloatConstants * 16 <= kIntegers - kFloats);

// A row of constants or instructions: their second index is 0.
constexpr uint16_t kRowPitch = 1024;

// Commands by name, through the rows of the machine.
class CommandWriter {
  public:
    void put(const char* name, const std::vector<uint32_t>& parameters = {0}) {
        const ctm::CommandInfo* row = ctm::commands().find_by_name(name);
        if (row == nullptr || row->parameters != parameters.size())
            throw std::logic_error(std::string("no command ") + name + " of " +
                                   std::to_string(parameters.size()) + " parameters");
        words_.push_back(row->header);
        words_.insert(words_.end(), parameters.begin(), parameters.end());
    }
    std::vector<uint32_t> take() { return std::move(words_); }

  private:
    std::vector<uint32_t> words_;
};

uint32_t row_format(ctm::Format format) {
    return ctm::format_word({0, kRowPitch, ctm::Tiling::Linear, format});
}

// Between the memory of a surface and its rows: at(address in the memory, element of the rows).
template <class At>
void for_each_element(const SurfaceSpec& s, const At& at) {
    const uint64_t bytes = uint64_t{1} << s.log2_bytes();
    uint64_t row_at = 0;
    for (uint32_t y = 0; y < s.height; ++y)
        for (uint32_t x = 0; x < s.width; ++x, row_at += bytes)
            at(ctm::element_address(s.surface, s.log2_bytes(), x, y), row_at, bytes);
}

void write_words(MemoryImage& memory, uint64_t address, const std::vector<uint32_t>& words) {
    memory.write(address, words.data(), words.size() * 4);
}

}  // namespace

void ProgramHost::place(unsigned number) {
    places_.surfaces.resize(workload_.surfaces.size());
    if (places_.surfaces[number] != 0)
        return;
    const SurfaceSpec& s = workload_.surfaces[number];
    const uint64_t base = machine_.allocate(s.memory_bytes());
    places_.surfaces[number] = base;
    if (!s.data)
        return;
    const std::vector<uint8_t> rows = read_bytes(*s.data);
    std::vector<uint8_t> bytes(s.memory_bytes());
    for_each_element(s, [&](uint64_t at, uint64_t row_at, uint64_t count) {
        std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(row_at), count,
                    bytes.begin() + static_cast<std::ptrdiff_t>(at));
    });
    machine_.memory().write(base, bytes.data(), bytes.size());
}

std::vector<uint8_t> ProgramHost::rows(unsigned number) const {
    const SurfaceSpec& s = workload_.surfaces[number];
    std::vector<uint8_t> bytes(s.memory_bytes());
    if (!machine_.memory().read(places_.surfaces.at(number), bytes.data(), bytes.size()))
        throw std::logic_error("a surface that is not in memory");
    std::vector<uint8_t> out(s.rows_bytes());
    for_each_element(s, [&](uint64_t at, uint64_t row_at, uint64_t count) {
        std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), count,
                    out.begin() + static_cast<std::ptrdiff_t>(row_at));
    });
    return out;
}

ctm::Surface ProgramHost::surface_at(unsigned number) const {
    ctm::Surface surface = workload_.surfaces[number].surface;
    surface.base = static_cast<uint32_t>(places_.surfaces[number]);
    return surface;
}

// One area does for all programs: the one before has ended, and each reads it again.
void ProgramHost::place_area(const ProgramSpec& program) {
    if (places_.area == 0)
        places_.area = machine_.allocate(kAreaBytes);
    MemoryImage& memory = machine_.memory();
    std::vector<uint32_t> code;
    for (const ctm::isa::Words& instruction : program.code)
        code.insert(code.end(), instruction.begin(), instruction.end());
    write_words(memory, places_.area, code);
    std::vector<uint32_t> floats;
    for (const auto& constant : program.floats)
        floats.insert(floats.end(), constant.begin(), constant.end());
    write_words(memory, places_.area + kFloats, floats);
    write_words(memory, places_.area + kIntegers, program.integers);
    write_words(memory, places_.area + kBooleans, program.booleans);
}

// In the order that the libraries of the time used: sources of the facts call it typical.
std::vector<uint32_t> ProgramHost::commands(const ProgramSpec& program) {
    CommandWriter w;
    const auto area = static_cast<uint32_t>(places_.area);
    const auto set_surfaces = [&](const char* name, const std::vector<SurfaceUse>& uses) {
        for (uint32_t i = 0; i < uses.size(); ++i) {
            const ctm::Surface s = surface_at(uses[i].surface);
            w.put(name,
                  {i, s.base, ctm::format_word(s), workload_.surfaces[uses[i].surface].height});
        }
    };
    w.put("wait_for_idle");
    w.put("flush_out_cache");
    w.put("flush_cond_out_cache");
    set_surfaces("set_inp_fmt", program.inputs);
    set_surfaces("set_out_fmt", program.outputs);
    w.put("set_out_mask", {program.output_mask});
    w.put("inv_inp_cache");
    const auto& condition = program.condition;
    if (condition) {
        const ctm::Surface s = surface_at(condition->use.surface);
        w.put("set_cond_out_fmt",
              {s.base, ctm::format_word(s), workload_.surfaces[condition->use.surface].height});
        w.put("set_cond_out_mask", {condition->writes ? 1u : 0u});
        w.put("set_cond_val", {condition->value});
        w.put("set_cond_loc", {condition->of_processors ? 0u : 1u});
    }
    constexpr uint32_t kAlways = 7;
    w.put("set_cond_test", {condition ? condition->test : kAlways});
    w.put("inv_cond_out_cache");
    w.put("set_inst_fmt", {area, row_format(ctm::Format::Float32x1)});
    w.put("inv_inst_cache");
    w.put("set_constf_fmt",
          {area + static_cast<uint32_t>(kFloats), row_format(ctm::Format::Float32x4)});
    w.put("inv_constf_cache");
    w.put("set_consti_fmt",
          {area + static_cast<uint32_t>(kIntegers), row_format(ctm::Format::Uint8x4)});
    w.put("inv_consti_cache");
    w.put("set_constb_fmt",
          {area + static_cast<uint32_t>(kBooleans), row_format(ctm::Format::Float32x1)});
    w.put("inv_constb_cache");
    w.put("set_domain", {program.domain.begin(), program.domain.end()});
    w.put("start_program");
    w.put("wait_for_idle");
    w.put("flush_out_cache");
    w.put("flush_cond_out_cache");
    return w.take();
}

void ProgramHost::run(const ProgramSpec& program) {
    for (const SurfaceUse& use : program.inputs)
        place(use.surface);
    for (const SurfaceUse& use : program.outputs)
        place(use.surface);
    if (program.condition)
        place(program.condition->use.surface);
    place_area(program);
    driver_.set_program_info(ring_, program.info);
    driver_.submit(ring_, commands(program));
    driver_.fence_and_wait(ring_);
}

}  // namespace archipelago::host
