// SPDX-License-Identifier: Apache-2.0
// What of the documents is executed today, counted from the tables the model itself runs on.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/asic/families.h"
#include "models/cp/pm4/packet_table.h"
#include "models/cp/pm4/text.h"
#include "models/cu/isa/isa.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/decoded.h"
#include "models/dma/packet_table.h"
#include "testbenches/host/command/command.h"

namespace archipelago::host {
namespace {

// An instruction word of each format with all operands 0, `op` in its place. SI ISA encodings.
struct Encoding {
    const char* name;
    isa::Format format;
    uint32_t base;
    unsigned shift;
    unsigned numbers;  // of the opcode field
    unsigned first;    // VOP3: below are re-encoded VOPC, VOP2, VOP1
};
constexpr Encoding kEncodings[] = {
    {"SOP2", isa::Format::Sop2, 0x80000000, 23, 128, 0},
    {"SOPK", isa::Format::Sopk, 0xB0000000, 23, 32, 0},
    {"SOP1", isa::Format::Sop1, 0xBE800000, 8, 256, 0},
    {"SOPC", isa::Format::Sopc, 0xBF000000, 16, 128, 0},
    {"SOPP", isa::Format::Sopp, 0xBF800000, 16, 128, 0},
    {"SMRD", isa::Format::Smrd, 0xC0000100, 22, 32, 0},
    {"VOP2", isa::Format::Vop2, 0x00000000, 25, 64, 0},
    {"VOP1", isa::Format::Vop1, 0x7E000000, 9, 256, 0},
    {"VOPC", isa::Format::Vopc, 0x7C000000, 17, 256, 0},
    {"VOP3", isa::Format::Vop3, 0xD0000000, 17, 384, 320},
    {"VINTRP", isa::Format::Vintrp, 0xC8000000, 16, 4, 0},
    {"DS", isa::Format::Ds, 0xD8000000, 18, 256, 0},
    {"MUBUF", isa::Format::Mubuf, 0xE0000000, 18, 128, 0},
    {"MTBUF", isa::Format::Mtbuf, 0xE8000000 | 4u << 23 | 4u << 19, 16, 8, 0},
    {"MIMG", isa::Format::Mimg, 0xF0000000, 18, 128, 0},
    {"EXP", isa::Format::Exp, 0xF8000000, 18, 1, 0},
};

void list_packets(const cp::PacketTable& table) {
    for (const cp::PacketInfo& p : table) {
        std::string rings;
        for (unsigned r = 0; r < 3; ++r)
            if ((p.rings >> r & 1) != 0)
                rings += static_cast<char>('0' + r);
        fmt::print("packet {} 0x{:02x} rings {} {}\n", p.name, p.opcodes[0], rings,
                   p.implemented() ? "executed" : "stops");
    }
}

void list_dma_packets() {
    for (const dma::Generation* g : dma::generations())
        for (const dma::PacketInfo& p : g->packets)
            fmt::print("dma {} {} {} dwords\n", g->name, p.name, p.fixed);
}

}  // namespace

int coverage_command() {
    for (const asic::Family& family : asic::families())
        if (family.packets != nullptr)
            list_packets(family.packets().packets);
    list_dma_packets();
    for (const Encoding& e : kEncodings) {
        unsigned executed = 0, stops = 0, illegal = 0, ignored = 0;
        for (unsigned op = e.first; op < e.numbers; ++op) {
            // Lane reads want a vector register as their first operand, most others take either.
            const uint32_t scalar[2] = {e.base | op << e.shift, 0};
            const uint32_t vector[2] = {scalar[0] | 0x100, 0};
            cu::Decoded d = cu::make_decoded(scalar, 2, false);
            if (d.action == cu::Action::Illegal && e.format == isa::Format::Vop2)
                d = cu::make_decoded(vector, 2, false);
            // An encoding of another format may begin with the same bits.
            if (isa::op_from_number(e.format, op) == isa::Op::Illegal) {
                illegal += d.action == cu::Action::Illegal ? 1 : 0;
                continue;
            }
            const bool stop =
                d.action == cu::Action::Illegal || d.action == cu::Action::Unimplemented;
            ++(stop ? stops : d.action == cu::Action::NoEffect ? ignored : executed);
        }
        fmt::print("isa {} executed {} stops {} illegal {} ignored {}\n", e.name, executed, stops,
                   illegal, ignored);
    }
    return kDone;
}

}  // namespace archipelago::host
