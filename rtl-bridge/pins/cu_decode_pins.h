// SPDX-License-Identifier: Apache-2.0
// Pins of the instruction decoder of a compute unit; documented in rtl-bridge/rtl/cu_decode.
#pragma once

#include <array>
#include <cstdint>

#include "rtl-bridge/pins/pin_block.h"

namespace archipelago::rtl {

struct CuDecodePins {
    static constexpr const char* kName = "cu_decode";
    static constexpr Elastic kElastic{"in", "out"};

    struct Words {
        uint32_t first = 0, second = 0;
        uint8_t skip = 0;  // of a wave in vector skip mode
    };
    // Enumerations as the model numbers them; fields that an encoding does not have are 0.
    struct Result {
        uint8_t format = 0, cls = 0, rate = 0, action = 0;
        uint16_t op = 0;
        uint8_t two = 0, num_src = 0;
        uint16_t src0 = 0, src1 = 0, src2 = 0;
        uint8_t vdst = 0, sdst = 0;
        uint32_t literal = 0;
        uint16_t simm16 = 0;
        uint8_t neg = 0, abs = 0, omod = 0, clamp = 0, imm = 0, offen = 0, idxen = 0, addr64 = 0,
                glc = 0, slc = 0, tfe = 0, lds = 0, gds = 0;
        uint16_t offset = 0;
        uint8_t vaddr = 0, data0 = 0, data1 = 0, srsrc = 0, ssamp = 0;
        uint16_t soffset = 0;
        uint8_t dfmt = 0, nfmt = 0, dmask = 0, unorm = 0, da = 0, r128 = 0, lwe = 0, exp_target = 0,
                exp_en = 0, exp_compr = 0, exp_done = 0, exp_vm = 0, attr = 0, attr_chan = 0;
        uint16_t vgprs_used = 0;
        uint8_t sgprs_used = 0, wait_vm = 0, wait_exp = 0, wait_lgkm = 0, vmem_cost = 0,
                lds_operands = 0, lds_dwords = 0;
        std::array<uint64_t, 2> sgprs{};
        uint8_t status_tested = 0, status_changed = 0, compares = 0, halts = 0, drains = 0;
    };
    struct In {
        uint8_t rst = 0;
        uint8_t in_valid = 0;
        uint8_t out_ready = 0;
        Words in;
    };
    struct Out {
        uint8_t in_ready = 0;
        uint8_t out_valid = 0;
        Result out;
    };

    template <class V>
    static void inputs(V&& visit) {
        ARCHIPELAGO_PIN(in, valid, in_valid, 1, "an instruction");
        ARCHIPELAGO_PIN(in, first, in.first, 32, "dword it begins with");
        ARCHIPELAGO_PIN(in, second, in.second, 32, "dword behind, whether it has two or not");
        ARCHIPELAGO_PIN(in, skip, in.skip, 1, "its wave is in vector skip mode");
        ARCHIPELAGO_PIN(out, ready, out_ready, 1, "the decoded instruction is taken");
    }
    template <class V>
    static void outputs(V&& visit) {
        ARCHIPELAGO_PIN(in, ready, in_ready, 1, "the instruction is taken");
        ARCHIPELAGO_PIN(out, valid, out_valid, 1,
                        "a decoded instruction, in the order of the instructions");
        ARCHIPELAGO_PIN(out, format, out.format, 5, "isa::Format");
        ARCHIPELAGO_PIN(out, cls, out.cls, 4, "isa::Class");
        ARCHIPELAGO_PIN(out, rate, out.rate, 4, "isa::Rate");
        ARCHIPELAGO_PIN(out, action, out.action, 5, "cu::Action");
        ARCHIPELAGO_PIN(out, op, out.op, 9,
                        "opcode; of vector instructions VOP3's, of others their encoding's");
        ARCHIPELAGO_PIN(out, two, out.two, 1, "two dwords, a literal included");
        ARCHIPELAGO_PIN(out, num_src, out.num_src, 2, "sources");
        ARCHIPELAGO_PIN(out, src0, out.src0, 9,
                        "operand code of the first source, of a pair its low half");
        ARCHIPELAGO_PIN(out, src1, out.src1, 9, "of the second");
        ARCHIPELAGO_PIN(out, src2, out.src2, 9, "of the third");
        ARCHIPELAGO_PIN(out, vdst, out.vdst, 8,
                        "VGPR written; data of buffer and image instructions");
        ARCHIPELAGO_PIN(out, sdst, out.sdst, 7, "operand code of the scalar register written");
        ARCHIPELAGO_PIN(out, literal, out.literal, 32, "literal constant");
        ARCHIPELAGO_PIN(out, simm16, out.simm16, 16, "constant of SOPK and SOPP");
        ARCHIPELAGO_PIN(out, neg, out.neg, 3, "sources that are negated");
        ARCHIPELAGO_PIN(out, abs, out.abs, 3, "sources whose magnitude is taken");
        ARCHIPELAGO_PIN(out, omod, out.omod, 2, "result times 1, 2, 4 or 1/2");
        ARCHIPELAGO_PIN(out, clamp, out.clamp, 1, "result is clamped");
        ARCHIPELAGO_PIN(out, imm, out.imm, 1, "SMRD: offset is constant");
        ARCHIPELAGO_PIN(out, offen, out.offen, 1, "address has an offset in a VGPR");
        ARCHIPELAGO_PIN(out, idxen, out.idxen, 1, "address has an index in a VGPR");
        ARCHIPELAGO_PIN(out, addr64, out.addr64, 1, "address of 64 bits in VGPRs");
        ARCHIPELAGO_PIN(out, glc, out.glc, 1, "globally coherent; atomics return");
        ARCHIPELAGO_PIN(out, slc, out.slc, 1, "system level coherent");
        ARCHIPELAGO_PIN(out, tfe, out.tfe, 1, "status of absent memory behind the data");
        ARCHIPELAGO_PIN(out, lds, out.lds, 1, "loads to LDS");
        ARCHIPELAGO_PIN(out, gds, out.gds, 1, "global data share");
        ARCHIPELAGO_PIN(out, offset, out.offset, 16,
                        "constant offset; DS: offset0, offset1 from bit 8");
        ARCHIPELAGO_PIN(out, vaddr, out.vaddr, 8, "VGPR of the address");
        ARCHIPELAGO_PIN(out, data0, out.data0, 8, "DS: VGPR of the first operand");
        ARCHIPELAGO_PIN(out, data1, out.data1, 8,
                        "DS: of the second; exports: of the fourth component");
        ARCHIPELAGO_PIN(out, srsrc, out.srsrc, 7, "SGPR of the resource; SMRD: of the base");
        ARCHIPELAGO_PIN(out, ssamp, out.ssamp, 7, "SGPR of the sampler");
        ARCHIPELAGO_PIN(out, soffset, out.soffset, 9, "operand code of the scalar offset");
        ARCHIPELAGO_PIN(out, dfmt, out.dfmt, 4, "MTBUF: data format");
        ARCHIPELAGO_PIN(out, nfmt, out.nfmt, 3, "MTBUF: number format");
        ARCHIPELAGO_PIN(out, dmask, out.dmask, 4, "MIMG: components");
        ARCHIPELAGO_PIN(out, unorm, out.unorm, 1, "MIMG: coordinates in texels");
        ARCHIPELAGO_PIN(out, da, out.da, 1, "MIMG: array");
        ARCHIPELAGO_PIN(out, r128, out.r128, 1, "MIMG: resource of four SGPRs");
        ARCHIPELAGO_PIN(out, lwe, out.lwe, 1, "MIMG: LOD warning");
        ARCHIPELAGO_PIN(out, exp_target, out.exp_target, 6, "export target");
        ARCHIPELAGO_PIN(out, exp_en, out.exp_en, 4, "components exported");
        ARCHIPELAGO_PIN(out, exp_compr, out.exp_compr, 1, "two components in a VGPR");
        ARCHIPELAGO_PIN(out, exp_done, out.exp_done, 1, "last export");
        ARCHIPELAGO_PIN(out, exp_vm, out.exp_vm, 1, "EXEC is the mask of valid pixels");
        ARCHIPELAGO_PIN(out, attr, out.attr, 6, "attribute interpolated");
        ARCHIPELAGO_PIN(out, attr_chan, out.attr_chan, 2, "its component");
        ARCHIPELAGO_PIN(out, vgprs_used, out.vgprs_used, 9, "highest VGPR used plus one");
        ARCHIPELAGO_PIN(out, sgprs_used, out.sgprs_used, 7, "highest SGPR used plus one");
        ARCHIPELAGO_PIN(out, wait_vm, out.wait_vm, 4, "s_waitcnt: limit of VM_CNT");
        ARCHIPELAGO_PIN(out, wait_exp, out.wait_exp, 3, "of EXP_CNT");
        ARCHIPELAGO_PIN(out, wait_lgkm, out.wait_lgkm, 4, "of LGKM_CNT");
        ARCHIPELAGO_PIN(out, vmem_cost, out.vmem_cost, 3, "cu::VmemCost");
        ARCHIPELAGO_PIN(out, lds_operands, out.lds_operands, 4, "DS: VGPRs read of a lane");
        ARCHIPELAGO_PIN(out, lds_dwords, out.lds_dwords, 3, "DS: dwords of LDS accessed by a lane");
        ARCHIPELAGO_PIN(out, sgprs, out.sgprs, 64,
                        "scalar registers by operand code: read by a scalar instruction, written "
                        "by a vector one");
        ARCHIPELAGO_PIN(out, status_tested, out.status_tested, 3,
                        "cu::Status bits a branch waits for");
        ARCHIPELAGO_PIN(out, status_changed, out.status_changed, 3,
                        "cu::Status bits an ALU instruction changes");
        ARCHIPELAGO_PIN(out, compares, out.compares, 1,
                        "the scalar result is that of a comparison");
        ARCHIPELAGO_PIN(out, halts, out.halts, 1, "s_sendmsghalt");
        ARCHIPELAGO_PIN(out, drains, out.drains, 1, "s_trap: waits for all the wave has started");
    }
};

}  // namespace archipelago::rtl
