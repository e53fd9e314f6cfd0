// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/cu_spec.h"

#include <stdexcept>
#include <string>

#include "models/cu/isa/isa.h"

namespace archipelago::cu {
namespace {

void in_range(const char* field, unsigned value, unsigned low, unsigned high) {
    if (value < low || value > high)
        throw std::invalid_argument("cu." + std::string(field) + ": " + std::to_string(value) +
                                    " not in " + std::to_string(low) + ".." + std::to_string(high));
}

}  // namespace

void CuSpec::validate() const {
    constexpr unsigned kMany = 1u << 20;
    in_range("simds", simds, 1, 4);
    in_range("wave_slots", wave_slots, 1, 16);
    in_range("vgprs", vgprs, 1, 4096);
    in_range("sgprs", sgprs, 1, 4096);
    in_range("lds_bytes", lds_bytes, 0, 1u << 20);
    in_range("group_slots", group_slots, 1, 256);
    in_range("fetch_blocks", fetch_blocks, 2, 8);
    if ((fetch_blocks & (fetch_blocks - 1)) != 0)
        throw std::invalid_argument("cu.fetch_blocks: " + std::to_string(fetch_blocks) +
                                    " is not a power of two");
    in_range("fetch_free_dwords", fetch_free_dwords, 0, 8);
    in_range("fetch_jump_free_dwords", fetch_jump_free_dwords, 1, 8);
    in_range("issue_width", issue_width, 1, kClasses);
    for (unsigned cycles : rate_cycles)
        in_range("rate_cycles", cycles, 1, kMany);
    in_range("salu_cycles", salu_cycles, 1, kMany);
    in_range("salu_long_cycles", salu_long_cycles, 1, kMany);
    in_range("branch_not_taken_cycles", branch_not_taken_cycles, 1, kMany);
    in_range("branch_taken_cycles", branch_taken_cycles, 1, kMany);
    in_range("internal_cycles", internal_cycles, 1, kMany);
    in_range("nop_cycles", nop_cycles, 1, kMany);
    in_range("barrier_cycles", barrier_cycles, 1, kMany);
    in_range("vm_max", vm_max, 1, 15);
    in_range("lgkm_max", lgkm_max, 1, 31);
    in_range("exp_max", exp_max, 1, 7);
    for (unsigned cycles : smem_issue_cycles)
        in_range("smem_issue_cycles", cycles, 1, kMany);
    in_range("smem_other_issue_cycles", smem_other_issue_cycles, 1, kMany);
    in_range("smem_queue", smem_queue, 1, 16);
    in_range("smem_outstanding", smem_outstanding, 1, 64);
    in_range("memtime_cycles", memtime_cycles, 1, kMany);
    in_range("lds_operand_cycles", lds_operand_cycles, 1, kMany);
    in_range("lds_banks", lds_banks, 2, isa::kMaxLdsBanks);
    in_range("lds_bank_cycles", lds_bank_cycles, 0, kMany);
    in_range("lds_issue_factor", lds_issue_factor, 1, kMany);
    in_range("lds_latency", lds_latency, 1, kMany);
    in_range("lds_queue", lds_queue, 1, kMaxLdsQueue);
    in_range("export_issue_cycles", export_issue_cycles, 1, kMany);
    in_range("export_cycles", export_cycles, 1, kMany);
    in_range("gds_outstanding", gds_outstanding, 1, 64);
    in_range("message_cycles", message_cycles, 1, kMany);
    in_range("interpolate_cycles", interpolate_cycles, 1, kMany);
    in_range("load_issue_cycles", load_issue_cycles, 1, kMany);
    in_range("load_wide_issue_cycles", load_wide_issue_cycles, 1, kMany);
    in_range("store_issue_cycles", store_issue_cycles, 1, kMany);
    in_range("atomic_issue_cycles", atomic_issue_cycles, 1, kMany);
    in_range("cmpswap_issue_cycles", cmpswap_issue_cycles, 1, kMany);
    in_range("vmem_queue", vmem_queue, 1, 16);
    in_range("vmem_outstanding", vmem_outstanding, 1, 64);
    in_range("ta_latency", ta_latency, 1, kMany);
    in_range("ta_load_quad_cycles", ta_load_quad_cycles, 1, 64);
    in_range("ta_load_quarter_cycles", ta_load_quarter_cycles, 1, 64);
    in_range("ta_load_pair_cycles", ta_load_pair_cycles, 0, 64);
    in_range("ta_load_scattered_cycles", ta_load_scattered_cycles, 0, 64);
    in_range("ta_load_scattered_triple_cycles", ta_load_scattered_triple_cycles, 0, 64);
    in_range("ta_store_quarter_cycles", ta_store_quarter_cycles, 1, 64);
    in_range("ta_atomic_quad_cycles", ta_atomic_quad_cycles, 1, 64);
    in_range("ta_requests_per_cycle", ta_requests_per_cycle, 1, 64);
    in_range("td_responses_per_cycle", td_responses_per_cycle, 1, 64);
    in_range("td_bytes_per_cycle", td_bytes_per_cycle, 1, 4096);
    in_range("td_latency", td_latency, 1, kMany);
    in_range("ta_image_quad_cycles", ta_image_quad_cycles, 1, 64);
    for (unsigned k = 0; k < image_load_cycles.size(); ++k) {
        in_range("image_load_cycles", image_load_cycles[k], 1, kMany);
        in_range("image_scattered_cycles", image_scattered_cycles[k], 1, kMany);
        in_range("image_filter_cycles", image_filter_cycles[k], 1, kMany);
    }
    in_range("linear_lines", linear_lines, 1, 4);
    const ChannelSpec* links[] = {&launch_in, &fetch_in,          &scalar_in,
                                  &mem_in,    &l1_action_done_in, &gds_in};
    for (const ChannelSpec* link : links) {
        in_range("link.capacity", link->capacity, 1, kMany);
        in_range("link.latency", link->latency, 1, kMany);
    }
}

}  // namespace archipelago::cu
