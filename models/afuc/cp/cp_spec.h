// SPDX-License-Identifier: Apache-2.0
// The command processor of an Adreno: its micro engines, their microcode, and the sizes and delays
// of what stands around them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/afuc/cp/write_pool_spec.h"
#include "models/afuc/engine/engine_spec.h"
#include "models/common/channel.h"

namespace archipelago::afuc {

// A micro engine's part in the command processor.
enum class Role : uint8_t {
    Main,  // SQE, from a7xx on BR
    Bv,    // a7xx: binning
    Lpac,  // a660 and later: compute in the background
    Pfp,   // a5xx
    Me,    // a5xx
    kCount
};

struct ProcessorSpec {
    Role role = Role::Main;
    EngineSpec engine;
    uint32_t image = 0;        // of CpSpec::images
    uint32_t first_word = 0;   // of its section in the image
    uint32_t words = 0;        // of its section: pc must be below
    uint32_t table = 0;        // a5xx: where the section has its packet table
    bool fetches_ring = true;  // has levels of its own; false: ME, LPAC
    bool has_pool() const { return role == Role::Main || role == Role::Bv; }
};

// A microcode image as memory has it, without the zero dword of its file.
struct Microcode {
    std::string file;  // where it came from
    std::vector<uint32_t> words;
    std::vector<std::string> places;  // "file:line" of the source, by word; empty: not known
    std::map<uint32_t, std::string> labels{};  // of the source, by word
};

struct CpSpec {
    const Generation* generation = &kGenerations[1];
    std::vector<ProcessorSpec> processors;
    std::vector<Microcode> images;  // a5xx: PFP and ME, else one
    // Reads of memory and of registers see what their engine has written before. False: they do
    // not wait, as the document says of registers from a6xx on.
    bool ordered_reads = true;

    // ---- sizes
    std::vector<unsigned> roq_lines;  // of 16 dwords, by level
    unsigned fetch_outstanding = 16;  // lines of ring and buffers in flight
    unsigned instruction_lines = 4;   // of an engine, on their way from memory
    unsigned read_lines = 3;          // of the memory read buffer (MRB)
    unsigned read_registers = 16;     // of the register read buffer
    unsigned queue_entries = 256;     // register writes and the like between engine and bus
    unsigned writes_per_cycle = 2;    // of the queue: a chunk
    WritePoolSpec pool;               // of each engine that has one
    unsigned memory_writes = 16;      // not acknowledged
    unsigned meq_words = 256;         // a5xx: between PFP and ME

    // ---- delays, cycles
    ChannelSpec fetch_command, fetch_response, roq;
    ChannelSpec memory_response;
    ChannelSpec registers;          // host -> register file
    ChannelSpec register_access;    // processor -> register file
    ChannelSpec register_response;  // register file -> processor
    ChannelSpec meq;
    ChannelSpec hub;  // clients -> port to memory
    unsigned strobe_latency = 1;
    // The counter that timestamps show: ticks a second, and the clock it is derived from.
    uint64_t always_on_hz = 19'200'000;
    uint64_t clock_hz = 1;
};

}  // namespace archipelago::afuc
