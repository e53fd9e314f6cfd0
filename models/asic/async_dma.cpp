// SPDX-License-Identifier: Apache-2.0
#include "models/asic/async_dma.h"

#include <utility>

#include "models/asic/spec_readers.h"
#include "models/dma/packet_program.h"

namespace archipelago::asic {

using config::range;
using config::Reader;

namespace {

// The generation's packets, some in the form the document has.
void read_packets(Reader& r, dma::Spec& s) {
    const auto named = [](const char* name) {
        return std::make_pair(name, dma::find_generation(name));
    };
    s.generation = r.enumeration<const dma::Generation*>(
        "generation",
        {named("r600"), named("r700"), named("eg"), named("ni"), named("si"), named("cik")},
        "generation of packets and registers");
    const auto forms = r.sequence<std::string>(
        "document_forms", {},
        "packets whose form differs between drivers and document: use the document's form");
    std::string unknown;
    s.packets = dma::document_forms(*s.generation, forms, unknown);
    if (s.packets == nullptr) {
        std::string known;
        for (const dma::PacketInfo& p : s.generation->document)
            known += (known.empty() ? "" : ", ") + std::string(p.name);
        r.check(false, "document_forms",
                "packet \"" + unknown + "\" has one form only, expected " +
                    (known.empty() ? "none" : known));
        s.packets = std::make_shared<dma::PacketTable>(s.generation->packets);
    }
}

void read_sizes(Reader& r, dma::Spec& s) {
    s.ring_lines =
        r.required("ring_lines", range(1u, 255u), "lines in the reorder queue of a ring");
    s.buffer_lines = r.required("buffer_lines", range(1u, 255u),
                                "lines in the reorder queue of indirect buffers");
    s.fetch_outstanding = r.required("fetch_outstanding", range(1u, 1024u), "lines in flight");
    s.fetch_burst = r.required("fetch_burst_lines", range(1u, 1024u),
                               "lines fetched for one stream before the next is granted");
    s.transfers = r.required("transfers", range(1u, dma::Spec::kMaxTransfers),
                             "transfers or lines in flight");
    s.read_lines =
        r.required("read_lines", range(1u, 4096u), "source lines requested and not yet moved");
    s.write_lines = r.required("write_lines", range(1u, 4096u), "writes not yet acknowledged");
    s.open_lines = r.required("open_lines", range(1u, 64u), "target lines being assembled");
    s.burst_lines =
        r.required("burst_lines", range(1u, 64u),
                   "messages sent in one direction before the other is granted the port");
    s.addresses_per_cycle = r.required("addresses_per_cycle", range(1u, dma::Spec::kMaxAddresses),
                                       "addresses computed per cycle by each side of a transfer");
}

void read_delays(Reader& r, dma::Spec& s) {
    s.packet_cycles = r.timing("packet_cycles", kAtLeastOne,
                               "cycles that a packet costs before its first operation");
    s.poll_unit =
        r.timing("poll_unit", kAtLeastOne, "cycles of one unit of a packet's poll interval");
    s.semaphore_retry =
        r.timing("semaphore_retry", kAtLeastOne, "cycles between two reads of a semaphore");
    s.timer_unit = r.timing("timer_unit", kAtLeastOne, "cycles of a step of the timers");
    s.strobe_latency =
        r.timing("strobe_latency", kAtLeastOne, "latency of doorbells and interrupts");
    Reader c = r.map("channels");
    s.registers = read_channel(c, "registers", "requests to its registers");
    s.memory_client = read_channel(c, "memory_client", "unit to memory interface");
    s.memory_return = read_channel(c, "memory_return", "memory interface to unit");
    s.memory_in = read_channel(c, "memory_in", "responses of memory");
    s.hub_in = read_channel(c, "hub_in", "requests of an engine in the hub");
    s.register_in = read_channel(c, "register_in", "responses of the register bus");
    s.command = read_channel(c, "command", "messages between the units of the engine");
}

}  // namespace

dma::Units dma_units(const Substitutes& substitutes) {
    return {substitutes.find<surface::AddressUnit>(), substitutes.find<dma::LinearFactory>()};
}

Ring dma_ring(const dma::Spec& engine, const front::PacketLanguage& packets) {
    const bool vmid = engine.packets->find_by_name("INDIRECT_BUFFER")->field("VMID") != nullptr;
    return {engine.name(), "radeon_dma", &packets, false, vmid};
}

sem::SemSpec read_semaphores(Reader& root, unsigned clients) {
    sem::SemSpec s;
    Reader r = root.map("semaphores");
    s.request = read_channel(r, "request", "requests of a client");
    s.response = read_channel(r, "response", "responses of memory");
    s.clients = clients;
    return s;
}

AsyncDma read_async_dma(Reader& root, uint32_t tiling, const regs::RegisterDatabase& registers) {
    AsyncDma read;
    Reader r = root.map("async_dma");
    const auto engines =
        r.required("engines", range(0u, 2u), "number of engines, with rings dma0 and dma1");
    const auto sources = r.sequence<uint32_t>("trap_sources", range(0u, 255u), config::exactly(2),
                                              "Interrupt source of each engine's TRAP");
    dma::Spec s;
    read_packets(r, s);
    read_sizes(r, s);
    read_delays(r, s);
    s.tiling_reset = tiling;
    s.database = &registers;
    if (r.ok())
        for (const std::string& problem : s.problems())
            r.conflict(problem);
    for (unsigned i = 0; r.ok() && i < engines; ++i) {
        s.instance = i;
        s.register_base = 0xD000 + i * dma::kRegisterBytes;
        s.trap_source = static_cast<uint8_t>(sources[i]);
        read.engines.push_back(s);
    }
    return read;
}

}  // namespace archipelago::asic
