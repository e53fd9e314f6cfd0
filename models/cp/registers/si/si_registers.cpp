// SPDX-License-Identifier: Apache-2.0
#include "models/cp/registers/si/si_registers.h"

#include "models/cp/packets/si/register_windows.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_register_file.h"
#include "models/gcn/vgt_event.h"
#include "registers/si_bus_map.h"
#include "registers/si_cp.h"
#include "registers/si_names.h"
#include "registers/si_vgt.h"

namespace archipelago::cp {

namespace {

namespace reg = regs::si;

uint32_t error_status(ParseFault fault) {
    using reg::typed::CP_INT_STATUS_RING0;
    switch (fault) {
        case ParseFault::HeaderType:
        case ParseFault::UnknownOpcode:
        case ParseFault::WrongRing:
        case ParseFault::ForCe:
            return CP_INT_STATUS_RING0{}.set_OPCODE_ERROR_INT_STAT(1).raw;
        case ParseFault::SwapCode:
            return CP_INT_STATUS_RING0{}.set_RESERVED_BIT_ERROR_INT_STAT(1).raw;
        default:
            return 0;
    }
}

uint8_t event_type(uint32_t value) {
    return static_cast<uint8_t>(regs::si::typed::VGT_EVENT_INITIATOR{value}.EVENT_TYPE());
}

RegisterFacts facts() {
    RegisterFacts f;
    f.context_start = si::kContextWindow.start;
    f.context_end = si::kContextWindow.end;
    f.single.assign(std::begin(reg::kBusContextSingle), std::end(reg::kBusContextSingle));
    f.copy_state = reg::GFX_COPY_STATE;
    f.compute_copy_state = reg::CS_COPY_STATE;
    f.draw_initiator = reg::VGT_DRAW_INITIATOR;
    f.dispatch_initiator = reg::COMPUTE_DISPATCH_INITIATOR;
    f.event_initiator = reg::VGT_EVENT_INITIATOR;
    f.ring_set_up = {{reg::CP_RB0_BASE, reg::CP_RB0_CNTL, reg::CP_RB0_WPTR, reg::CP_RB_VMID},
                     {reg::CP_RB1_BASE, reg::CP_RB1_CNTL, reg::CP_RB1_WPTR, reg::CP_RB_VMID},
                     {reg::CP_RB2_BASE, reg::CP_RB2_CNTL, reg::CP_RB2_WPTR, reg::CP_RB_VMID}};
    f.events = {vgt_event::kContextDone,
                vgt_event::kZpassDone,
                vgt_event::kSamplePipelinestat,
                vgt_event::kSoVgtstreamoutFlush,
                event_type,
                event_name,
                is_counter_event,
                is_sample_event};
    f.destinations = {{reg::COHER_DEST_BASE_0, 0},  {reg::COHER_DEST_BASE_1, 1},
                      {reg::COHER_DEST_BASE_2, 19}, {reg::COHER_DEST_BASE_3, 21},
                      {reg::DB_Z_WRITE_BASE, 14},   {reg::DB_STENCIL_WRITE_BASE, 14}};
    for (uint8_t color = 0; color < 8; ++color)
        f.destinations.push_back(
            {reg::CB_COLOR0_BASE + (reg::CB_COLOR1_BASE - reg::CB_COLOR0_BASE) * color,
             static_cast<uint8_t>(6 + color)});
    f.error_status = error_status;
    f.make_register_file = [](const Spec& spec) -> std::unique_ptr<RegisterFile> {
        return std::make_unique<SiRegisterFile>(spec);
    };
    return f;
}

}  // namespace

const RegisterMap& si_register_map() {
    static const RegisterMap map(facts());
    return map;
}

Spec si_spec() {
    Spec spec;
    spec.packets = &si_packet_table();
    spec.registers = &si_register_map();
    spec.rings = kSiRings;
    spec.levels = kSiLevels;
    return spec;
}

}  // namespace archipelago::cp
