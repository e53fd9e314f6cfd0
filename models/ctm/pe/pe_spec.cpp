// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/pe/pe_spec.h"

#include <stdexcept>
#include <string>

#include "pins/ctm_pe_pins.h"

namespace archipelago::ctm {
namespace {

void in_range(const char* key, unsigned value, unsigned least, unsigned most) {
    if (value < least || value > most)
        throw std::invalid_argument("ctm.pe." + std::string(key) + ": " + std::to_string(value) +
                                    " not in " + std::to_string(least) + ".." +
                                    std::to_string(most));
}

}  // namespace

void PeSpec::validate() const {
    in_range("arrays", arrays, 1, kMaxArrays);
    in_range("walk.quads", walk.quads, 1, isa::kMaxQuads);
    in_range("walk.tile_columns", walk.tile_columns, 1, (kMaxIndex + 1) / 2);
    in_range("walk.tile_rows", walk.tile_rows, 1, (kMaxIndex + 1) / 2);
    static_assert(kMaxCommandCycles == rtl::CtmPePins::kMaxCycles);
    in_range("command.cycles", command_cycles, 0, kMaxCommandCycles);
    in_range("fetch_lines", fetch_lines, 1, kMaxFetchLines);
    in_range("quads_per_cycle", quads_per_cycle, 1, isa::kMaxQuads);
    in_range("tests_in_flight", tests_in_flight, 1, kMaxTests);
    in_range("submissions", submissions, 1, kMaxSubmissions);
}

}  // namespace archipelago::ctm
