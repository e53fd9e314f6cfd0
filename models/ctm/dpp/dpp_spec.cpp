// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/dpp/dpp_spec.h"

namespace archipelago::ctm::dpp {
namespace {

void check(const char* key, unsigned value, unsigned least, unsigned most) {
    if (value < least || value > most)
        throw std::invalid_argument(std::string("ctm.dpp.") + key + ": " + std::to_string(value) +
                                    " not in " + std::to_string(least) + ".." +
                                    std::to_string(most));
}

}  // namespace

void Spec::validate() const {
    check("quads", quads, 1, isa::kMaxQuads);
    check("processors", processors, 1, 4 * isa::kMaxQuads);
    if (lanes() % processors != 0)
        throw std::invalid_argument("ctm.dpp.processors: " + std::to_string(processors) +
                                    " processors do not divide the " + std::to_string(lanes()) +
                                    " of a thread (ctm.dpp.quads)");
    check("threads", threads, 1, kMaxThreads);
    check("registers", registers, kMinRegisters, kMaxRegisters);
    check("instruction_buffer", instruction_buffer, 1, kMaxInstructionBuffer);
    check("alu.latency", alu_latency, 1, kMaxCycles);
    check("flow.cycles", flow_cycles, 1, kMaxCycles);
    check("flow.latency", flow_latency, 1, kMaxCycles);
    check("lookup.issue", lookup_cycles, 1, kMaxCycles);
    check("lookup.queue", lookup_queue, 1, kMaxLookups);
    check("lookup.outstanding", lookups, 1, kMaxLookups);
    check("output.threads", output_threads, 1, kMaxThreads);
    check("output.per_processor", per_processor_cycles, 1, kMaxCycles);
}

}  // namespace archipelago::ctm::dpp
