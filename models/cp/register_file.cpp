// SPDX-License-Identifier: Apache-2.0
#include "models/cp/register_file.h"

#include "models/cp/pm4/packet_program.h"
#include "models/cp/ring_report.h"

namespace archipelago::cp {

void RegisterFile::end_of_pipe(unsigned ring, bool wrote, uint64_t data, bool interrupt,
                               uint8_t vmid) {
    if (wrote)
        fence_written(data);
    if (interrupt)
        end_of_pipe_interrupt(ring, vmid);
}

void report_registers(const RegisterFile& file, const DeState& de, CpReport& report) {
    report.rings.resize(file.rings());
    for (unsigned ring = 0; ring < report.rings.size(); ++ring) {
        RingReport& r = report.rings[ring];
        const RingConfig& config = file.ring(ring);
        r.ring = ring_name(ring);
        r.read = file.read_pointer(ring);
        r.write = file.write_pointer(ring);
        r.dwords = config.base != 0 ? config.dwords : 0;
        r.enabled = config.enabled;
    }
    report.context = de.contexts.current;
    for (unsigned i = 0; i < de.contexts.in_pipe.size(); ++i)
        if (de.contexts.in_pipe[i])
            report.contexts.push_back(i);
}

}  // namespace archipelago::cp
