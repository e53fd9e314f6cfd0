// SPDX-License-Identifier: Apache-2.0
#include "models/asic/adreno/chip_config.h"

#include <cctype>
#include <string>

#include "models/afuc/cp/gpu_registers.h"
#include "models/afuc/engine/levels.h"
#include "models/afuc/isa/image.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/pm4/registers.h"
#include "models/asic/adreno/microcode.h"
#include "models/asic/spec_readers.h"
#include "models/common/text.h"
#include "models/config/reader.h"

namespace archipelago::adreno {
namespace {

using afuc::CpSpec;
using afuc::ProcessorSpec;
using afuc::Role;
using asic::kAtLeastOne;
using asic::read_channel;
using config::range;
using config::Reader;
using config::Unit;

void read_clocks(Reader& root, ChipConfig& c) {
    Reader r = root.map("clocks");
    asic::read_clocks(r, "clock of the GPU and the hub", c.identity, c);
    c.cp.clock_hz = c.identity.clock_hz;
    c.cp.always_on_hz = r.required_quantity("always_on", Unit::Hertz, asic::kClockRates,
                                            "clock of the timestamp counter");
}

struct RoleName {
    Role role;
    const char* path;
};
// In the order of their sections, a5xx: of their images.
std::vector<RoleName> roles_of(const afuc::Generation& g) {
    if (g.names == afuc::Names::A5xx)
        return {{Role::Pfp, "cp.pfp"}, {Role::Me, "cp.me"}};
    if (!g.coprocessors)
        return {{Role::Main, "cp.sqe"}};
    if (g.names == afuc::Names::A6xx)
        return {{Role::Main, "cp.sqe"}, {Role::Lpac, "cp.lpac"}};
    return {{Role::Main, "cp.br"}, {Role::Bv, "cp.bv"}, {Role::Lpac, "cp.lpac"}};
}

ProcessorSpec processor(const CpSpec& s, const RoleName& name, uint32_t image,
                        const afuc::Section& section) {
    ProcessorSpec p;
    p.role = name.role;
    p.engine.generation = s.generation;
    p.engine.path = name.path;
    p.image = image;
    p.first_word = section.begin;
    p.words = section.end - section.begin;
    p.fetches_ring = name.role != Role::Me && name.role != Role::Lpac;
    if (s.generation->names == afuc::Names::A5xx)
        p.table = section.table;
    if (name.role == Role::Pfp)
        p.engine.data_out = afuc::DataOut::Queue;
    p.engine.reads_nrt = name.role == Role::Me;
    return p;
}

void read_microcode_of_processors(Reader& r, CpSpec& s, config::Diagnostics& diagnostics) {
    const bool two = s.generation->names == afuc::Names::A5xx;
    const std::vector<const char*> keys =
        two ? std::vector<const char*>{"pfp_microcode", "me_microcode"}
            : std::vector<const char*>{"microcode"};
    for (const char* key : keys)
        s.images.push_back(read_microcode(r, key, *s.generation, diagnostics));
    const std::vector<RoleName> roles = roles_of(*s.generation);
    for (uint32_t i = 0; i < roles.size(); ++i) {
        const uint32_t image = two ? i : 0;
        const std::vector<uint32_t>& words = s.images[image].words;
        const auto sections =
            afuc::sections(*s.generation, words.data(), static_cast<uint32_t>(words.size()));
        const uint32_t wanted = two ? 0 : i;
        if (wanted < sections.size())
            s.processors.push_back(processor(s, roles[i], image, sections[wanted]));
        else if (r.ok())
            return r.error(keys[image], s.images[image].file + " is no image with " +
                                            roles[i].path + ": " +
                                            afuc::missing_section(*s.generation, words, wanted));
    }
}

void read_roq(Reader& cp, CpSpec& s) {
    Reader r = cp.map("roq");
    const auto lines = range(1u, 64u);
    for (unsigned level = 0; level < afuc::levels_of(s.generation->names); ++level) {
        std::string key = afuc::level_name(s.generation->names, level);
        for (char& letter : key)
            letter = static_cast<char>(std::tolower(letter));
        s.roq_lines.push_back(
            r.required(key, lines, "lines of 16 dwords in the reorder queue of this level"));
    }
    s.read_lines =
        r.required("mrb", lines, "lines of 16 dwords in the reorder queue of this level");
}

// [first, last] of registers whose writes go through a cluster's queue.
void read_range(const Reader& r, const config::Value& v, const afuc::CpRegisterMap& own,
                afuc::ClusterSpec& c) {
    const std::vector<uint32_t> ends =
        v.list<uint32_t>(range(0u, afuc::kGpuRegisters - 1), config::exactly(2),
                         "first and last register whose writes go through its queue");
    if (!r.ok())
        return;
    if (ends[0] > ends[1])
        return v.error("a range that ends before it begins");
    for (uint32_t i = ends[0]; i <= ends[1]; ++i)
        if (own.at(i) != afuc::CpRegister::None)
            return v.error("register " + hex(i) + " is the command processor's own");
    c.registers.push_back({ends[0], ends[1]});
}

void read_pool(Reader& cp, CpSpec& s) {
    const std::vector<const char*> names = afuc::clusters_of(s.generation->names);
    if (names.empty())
        return;
    const afuc::CpRegisterMap own(s.generation->names);
    Reader pool = cp.map("mem_pool");
    s.pool.blocks = pool.required("blocks", range(8u, 128u),
                                  "blocks of the write pool, each 8 chunks of two register writes");
    Reader clusters = pool.map("clusters");
    for (const char* name : names) {
        Reader r = clusters.map(name);
        afuc::ClusterSpec c;
        c.name = name;
        c.chunk = r.timing("chunk", kAtLeastOne,
                           "cycles from one chunk that the cluster takes to the next");
        for (const config::Value& v : r.items("registers"))
            read_range(r, v, own, c);
        s.pool.clusters.push_back(c);
    }
}

void read_cp(Reader& root, CpSpec& s, config::Diagnostics& diagnostics) {
    Reader r = root.map("cp");
    read_microcode_of_processors(r, s, diagnostics);
    read_roq(r, s);
    read_pool(r, s);
    s.ordered_reads = r.required<bool>(
        "ordered_reads", "reads of an engine see what it has written to memory and registers");
    s.fetch_outstanding = r.required("fetch_outstanding", range(1u, 64u), "lines in flight");
    s.instruction_lines = r.required("instruction_lines", range(1u, 64u),
                                     "lines of microcode being fetched for an engine");
    s.read_registers = r.required("rrb", range(8u, 32u), "registers read ahead");
    s.queue_entries = r.required("queue_entries", range(8u, 4096u),
                                 "entries of the queue of register and memory writes");
    s.writes_per_cycle =
        r.required("writes_per_cycle", range(1u, 8u), "writes of the queue performed per cycle");
    s.memory_writes = r.required("memory_writes", range(1u, 256u), "writes not yet acknowledged");
    s.meq_words =
        r.required("meq_words", range(8u, 4096u), "words in the queue between PFP and ME");
    s.strobe_latency =
        r.timing("strobe", kAtLeastOne, "latency of read pointers, interrupts and starts");
    Reader channels = r.map("channels");
    s.fetch_command = read_channel(channels, "fetch_command", "buffers to fetch");
    s.fetch_response = read_channel(channels, "fetch_response", "lines of streams");
    s.roq = read_channel(channels, "roq", "lines of a level at the engine");
    s.memory_response = read_channel(channels, "memory_response", "lines that an engine reads");
    s.registers = read_channel(channels, "registers", "accesses of the host");
    s.register_access = read_channel(channels, "register_access", "accesses of an engine");
    s.register_response = read_channel(channels, "register_response", "registers read");
    s.meq = read_channel(channels, "meq", "words of PFP");
    s.hub = read_channel(channels, "hub", "requests of an engine");
}

}  // namespace

const regs::RegisterDatabase& registers_of(const std::string& generation) {
    return afuc::gpu_registers(afuc::find_generation(generation)->names);
}

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records) {
    ChipConfig c;
    Reader root(tree, diagnostics, "", &records);
    c.identity = asic::read_identity(root);
    const afuc::Generation* generation = afuc::find_generation(c.identity.generation);
    if (generation != nullptr)
        c.cp.generation = generation;
    read_clocks(root, c);
    root.set_clock(c.identity.clock_hz);
    asic::read_board_memory(root, c);
    {
        Reader links = asic::read_links(root);
        asic::read_hub_links(links, c);
        c.link_host = asic::read_link(links, "host_registers");
    }
    read_cp(root, c.cp, diagnostics);
    for (const afuc::Microcode& image : c.cp.images)
        asic::add_to_hash(c.identity, image.words);
    root.finish();
    c.hub.destinations = c.channel_map.channels;
    return c;
}

}  // namespace archipelago::adreno
