// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/chip_config.h"

#include <exception>
#include <string>

#include "models/asic/spec_readers.h"
#include "models/config/reader.h"

namespace archipelago::ctm {
namespace {

using asic::kAtLeastOne;
using asic::read_channel;
using config::range;
using config::Reader;
using config::Unit;

void read_walk(Reader& pe, ChipConfig& c) {
    Reader r = pe.map("walk");
    WalkSpec& s = c.pe.walk;
    s.order = r.enumeration<WalkOrder>(
        "order",
        {{"rows", WalkOrder::Rows}, {"columns", WalkOrder::Columns}, {"tiles", WalkOrder::Tiles}},
        "order in which the quads of a domain become threads");
    s.tile_columns = r.required("tile_columns", range(1u, 2048u), "quads; of the order tiles");
    s.tile_rows = r.required("tile_rows", range(1u, 2048u), "quads; of the order tiles");
}

void read_pe(Reader& ctm, ChipConfig& c) {
    Reader r = ctm.map("pe");
    PeSpec& s = c.pe;
    read_walk(r, c);
    s.distribution = r.enumeration<Distribution>(
        "distribution",
        {{"round_robin", Distribution::RoundRobin}, {"first_free", Distribution::FirstFree}},
        "which array a thread goes to");
    s.fetch_lines = r.required("fetch_lines", range(1u, PeSpec::kMaxFetchLines),
                               "lines of a command buffer requested or buffered");
    s.quads_per_cycle =
        r.required("quads_per_cycle", range(1u, isa::kMaxQuads), "quads walked per cycle");
    s.tests_in_flight =
        r.required("tests_in_flight", range(1u, PeSpec::kMaxTests), "quads being tested by the CO");
    s.submissions = r.required("submissions", range(1u, PeSpec::kMaxSubmissions),
                               "command buffers waiting to be fetched");
    s.command_cycles = r.timing("command", range(1u, PeSpec::kMaxCommandCycles),
                                "last dword of a command to its effect");
    s.strobe_latency =
        r.timing("strobe", kAtLeastOne, "latency of a completed command and of an interrupt");
    Reader channels = r.map("channels");
    s.registers = read_channel(channels, "registers", "accesses of the host");
    s.memory_response = read_channel(channels, "memory_response", "lines of command buffers");
    s.condition = read_channel(channels, "condition", "results of the CO");
    s.done = read_channel(channels, "done", "threads that have ended, of an array");
    s.interrupt_source = kInterruptConsumed;
}

void read_co(Reader& ctm, ChipConfig& c) {
    Reader r = ctm.map("co");
    CoSpec& s = c.co;
    s.in_flight = r.required("in_flight", range(1u, 256u), "tests in flight");
    s.latency = r.timing("latency", range(1u, 64u), "last value of a test to its result");
    Reader channels = r.map("channels");
    s.commands = read_channel(channels, "commands", "commands and requests of the PE");
    s.requests = read_channel(channels, "requests", "tests of the PE, and of each array");
    s.values = read_channel(channels, "values", "values of the conditional buffer");
}

void read_address(Reader& mc, AddressSpec& s) {
    Reader r = mc.map("address");
    s.latency = r.timing("latency", range(1u, AddressSpec::kMaxLatency),
                         "request to addresses; as many requests are inside");
    s.requests = read_channel(r, "requests", "index pairs of a port");
    s.commands = read_channel(r, "commands", "set_*_fmt commands");
}

void read_cache(Reader& caches, CacheId id, CacheSpec& s) {
    Reader r = caches.map(to_string(id));
    const auto size = range(1u, 1024u);
    s.geometry.sets = r.required("sets", range(1u, 65536u),
                                 "sets of the cache, a power of two; lines have 64 bytes");
    s.geometry.ways = r.required("ways", range(1u, 64u), "associativity");
    s.lookups = r.required("lookups", size, "lines looked up per cycle");
    s.fetches = r.required("fetches", size, "lines being fetched, at most");
    s.writes = r.required("writes", size, "lines being written to memory, at most");
    s.queue = r.required("queue", range(CacheSpec::least_queue(id), size.max),
                         "requests queued for memory");
    s.hit_latency = r.timing("hit", kAtLeastOne, "cycles from a lookup that hits to the answer");
    s.fill_latency =
        r.timing("fill", kAtLeastOne, "cycles from the arrival of a missed line to the answer");
}

void read_system(Reader& mc, SystemSpec& s) {
    Reader r = mc.map("system");
    s.base = r.required<uint32_t>("base", "first address of memory that the host shares");
    s.size = r.required_quantity("size", Unit::Byte, range(uint64_t{0}, uint64_t{1} << 32),
                                 "memory that the host shares; 0: none");
    s.bytes_per_cycle = r.required("bytes_per_cycle", range(1u, 64u),
                                   "bytes per cycle of the link to the host's memory, each way");
}

void read_mc(Reader& ctm, ChipConfig& c) {
    Reader r = ctm.map("mc");
    McSpec& s = c.controller;
    read_address(r, s.address);
    s.addresses = read_channel(r, "addresses", "addresses of a port");
    s.requests = r.required("requests", range(1u, 1024u), "requests of a port in flight");
    s.lines_per_quad =
        r.required("lines_per_quad", range(1u, 16u), "lines looked up per cycle for a quad");
    s.return_bytes =
        r.required("return_bytes", range(1u, 256u), "bytes returned per port and cycle");
    s.invalidate_cycles =
        r.timing("invalidate", kAtLeastOne, "cycles in which a cache accepts no lookup");
    s.local_ports = r.required("local_ports", range(1u, McSpec::kMaxLocalPorts),
                               "number of ports, a power of two");
    s.elements = read_channel(r, "elements", "quads of a client");
    s.words = read_channel(r, "words", "instructions or constants of a client");
    s.commands = read_channel(r, "commands", "commands and requests of the PE");
    s.memory_requests = read_channel(r, "memory_requests", "commands and requests of the PE");
    s.local_responses = read_channel(r, "local_responses", "lines of local memory");
    s.system_responses = read_channel(r, "system_responses", "lines of the host's memory");
    read_system(r, s.system);
    Reader caches = r.map("caches");
    for (unsigned i = 0; i < kCaches; ++i)
        read_cache(caches, static_cast<CacheId>(i), s.caches[i]);
    s.allow_undefined = c.pe.allow_undefined;
}

void read_dpp_units(Reader& r, dpp::Spec& s) {
    const auto size = range(1u, 256u);
    const auto cycles = range(1u, dpp::Spec::kMaxCycles);
    s.alu_latency =
        r.map("alu").timing("latency", cycles, "cycles until the thread's next instruction");
    {
        Reader flow = r.map("flow");
        s.flow_cycles = flow.timing("cycles", cycles, "the flow control unit is occupied");
        s.flow_latency =
            flow.timing("latency", cycles, "cycles until the thread's next instruction");
    }
    {
        Reader lookup = r.map("lookup");
        s.lookup_queue = lookup.required("queue", size, "lookups with quads waiting to be sent");
        s.lookups = lookup.required("outstanding", size, "lookups waiting for texels");
        s.lookup_cycles =
            lookup.timing("issue", cycles, "cycles until the thread's next instruction");
        s.lookup_address_latency =
            lookup.timing("address", kAtLeastOne, "cycles until a quad leaves");
        s.lookup_return_latency =
            lookup.timing("return", kAtLeastOne, "cycles from the last texel to the registers");
    }
    Reader output = r.map("output");
    s.output_threads =
        output.required("threads", size, "threads with outputs waiting to be written");
    s.per_processor_cycles =
        output.timing("per_processor", cycles, "cycles of a quad written with PER_PROCESSOR_IDX");
}

void read_dpp(Reader& ctm, ChipConfig& c) {
    Reader r = ctm.map("dpp");
    dpp::Spec& s = c.dpp;
    c.controller.arrays =
        r.required("arrays", range(1u, McSpec::kMaxArrays), "arrays of processors");
    c.pe.arrays = c.co.arrays = c.controller.arrays;
    s.processors = r.required("processors", range(1u, isa::kMaxLanes), "processors of an array");
    s.quads = r.required("quads", range(1u, isa::kMaxQuads), "quads of a thread");
    s.threads = r.required("threads", range(1u, dpp::kMaxThreads), "threads resident in an array");
    s.registers = r.required("registers", range(dpp::Spec::kMinRegisters, dpp::Spec::kMaxRegisters),
                             "temporaries of whole threads in the register file");
    s.instruction_buffer = r.required("instruction_buffer", range(1u, dpp::kMaxInstructionBuffer),
                                      "instructions buffered per thread");
    s.launch_cycles = r.timing("launch", range(0u, Reader::kMaxCycles),
                               "cycles from launch to the first instruction");
    s.nop_cycles =
        r.timing("nop", range(0u, Reader::kMaxCycles), "extra cycles of an instruction with NOP");
    read_dpp_units(r, s);
    Reader channels = r.map("channels");
    s.launch_in = read_channel(channels, "launches", "threads of the PE");
    s.words_in = read_channel(channels, "words", "instructions, and each kind of constants");
    s.texture_in = read_channel(channels, "texels", "quads of lookups");
    s.output_in = read_channel(channels, "outputs", "quads written");
    s.condition_in = read_channel(channels, "conditions", "quads tested");
    c.pe.walk.quads = s.quads;
}

// What single keys do not say.
void check(Reader& ctm, const ChipConfig& c) {
    if (!ctm.ok())
        return;
    for (const std::string& problem : c.controller.problems())
        ctm.conflict(problem, "mc");
    const auto check_unit = [&](const char* key, const auto& spec) {
        try {
            spec.validate();
        } catch (const std::exception& fault) {
            ctm.error(key, fault.what());
        }
    };
    check_unit("pe", c.pe);
    check_unit("co", c.co);
    check_unit("dpp", c.dpp);
}

}  // namespace

ChipConfig read_chip(const config::Node& tree, config::Diagnostics& diagnostics,
                     config::Records& records) {
    ChipConfig c;
    Reader root(tree, diagnostics, "", &records);
    c.identity = asic::read_identity(root);
    {
        Reader clocks = root.map("clocks");
        asic::read_clocks(clocks, "clock of the machine and the hub", c.identity, c);
    }
    root.set_clock(c.identity.clock_hz);
    asic::read_board_memory(root, c);
    {
        Reader links = asic::read_links(root);
        asic::read_hub_links(links, c);
        c.link_host = asic::read_link(links, "host_registers");
    }
    {
        Reader ctm = root.map("ctm");
        c.pe.allow_undefined = ctm.enumeration<bool>(
            "undefined", {{"error", false}, {"allow", true}}, "what the guide leaves undefined");
        read_pe(ctm, c);
        read_co(ctm, c);
        read_mc(ctm, c);
        read_dpp(ctm, c);
        check(ctm, c);
    }
    root.finish();
    c.hub.destinations = c.channel_map.channels;
    return c;
}

}  // namespace archipelago::ctm
