// SPDX-License-Identifier: Apache-2.0
// Instructions of a random program that find by M0 what they access of LDS: operands from it,
// interpolation, loads to it.
#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {

using namespace cu_program;

void CuProgram::shared_operands(const Block& b) {
    if (!random_.one_in(3))
        emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    lane_addresses();
    if (!random_.one_in(3))
        fill_lds();
    place_in_lds(random_.word());
    for (unsigned n = 1 + random_.below(4); n != 0; --n)
        switch (random_.below(8)) {
            case 0:
                place_in_lds(0);
                load_to_lds();
                lane_addresses();
                break;
            case 1:
                write_lds();
                break;
            case 2:
            case 3:
                lds_operand(b);
                break;
            case 4:
                write_and_read();
                break;
            case 5:
                interpolation_of_a_pixel();
                break;
            default:
                interpolation(b);
                break;
        }
    if (random_.one_in(2))
        show_lds();
}

// Finite numbers, denormal ones, or words of memory.
void CuProgram::fill_lds() {
    move_literal(kM0, random_.one_in(2) ? random_.below(64) : 0);
    if (random_.one_in(2)) {
        const unsigned data = vgpr(kRoom);
        if (random_.one_in(3))
            emit(vop2(Op::V_AND_B32, data, isa::kLiteral, vgpr()), 0x807fffff);
        else
            emit(vop1(Op::V_CVT_F32_I32, data, isa::kVgprFirst + vgpr()));
        move_literal(kM0, 0xffffffff);
        store_in_lds(Op::DS_WRITE_B32, data);
    } else {
        load_to_lds();
        lane_addresses();
        wait_for(0, 7, 15);
    }
}

// If M0 does not stand in the way.
void CuProgram::write_lds() {
    const Op op = random_.one_in(4) ? Op::DS_WRITE_B64 : Op::DS_WRITE_B32;
    store_in_lds(op, vgpr(isa::op_info(op).src_dwords[1]));
}

// In turn, what each wave writes differently: of waves that leave a barrier beside each other, one
// writes what another reads in the same cycle.
void CuProgram::write_and_read() {
    const unsigned data = vgpr(kRoom), opposite = vgpr(kRoom), read = vgpr(kRoom);
    emit(sopk(Op::S_GETREG_B32, kShown, hardware(kHwId, 0, 32)));
    emit(vop1(Op::V_MOV_B32, data, kShown));
    emit(vop1(Op::V_NOT_B32, opposite, isa::kVgprFirst + data));
    place_in_lds(2);
    if (random_.one_in(2))
        barrier();
    for (unsigned n = 4 + random_.below(8); n != 0; --n) {
        store_in_lds(Op::DS_WRITE_B32, n % 2 != 0 ? data : opposite);
        emit(vop2(Op::V_XOR_B32, read, isa::kLdsDirect, read));
    }
    store_of_lanes(read);
}

// Each lane writes at the address lane_addresses() gives.
void CuProgram::store_in_lds(Op op, unsigned data) {
    const uint64_t bits = enc::ds::kId.put(enc::ds::kIdValue) | enc::ds::kOp.put(number(op)) |
                          enc::ds::kOffset0.put(random_.one_in(4) ? 8 * random_.below(32) : 0) |
                          enc::ds::kAddr.put(lane_address()) | enc::ds::kData0.put(data);
    emit(low(bits), high(bits));
}

// Lets memory see a dword of LDS for each lane.
void CuProgram::show_lds() {
    const unsigned data = vgpr(kRoom);
    const uint64_t bits = enc::ds::kId.put(enc::ds::kIdValue) |
                          enc::ds::kOp.put(number(Op::DS_READ_B32)) |
                          enc::ds::kOffset0.put(random_.one_in(3) ? 0 : 4 * random_.below(64)) |
                          enc::ds::kAddr.put(lane_address()) | enc::ds::kVdst.put(data);
    if (!random_.one_in(3))
        wait_for(0, 7, 15);
    move_literal(kM0, 0xffffffff);
    emit(low(bits), high(bits));
    wait_for(15, 7, 0);
    store_of_lanes(data);
}

// M0: an address, most often inside the group's part of LDS, below `above`.
void CuProgram::place_in_lds(uint32_t above) {
    const uint32_t at = random_.one_in(8)   ? random_.word() & 0xffff
                        : random_.one_in(2) ? random_.below(random_.one_in(2) ? 256 : 16)
                                            : 4 * random_.below(random_.one_in(2) ? 64 : 4);
    move_literal(kM0, at | above << 16);
}

void CuProgram::interpolation(const Block& b) {
    if (random_.one_in(2))  // primitives begin at one quad, or at any
        place_in_lds(random_.one_in(2) ? 1u << random_.below(16) : random_.word());
    const unsigned vdst = vgpr(kRoom);
    const bool there = try_emit(b, [&]() -> Pair {
        const uint32_t op = random_.below(3);
        const bool moves = op == number(Op::V_INTERP_MOV_F32);
        const uint32_t attribute = random_.one_in(2)   ? 0
                                   : random_.one_in(8) ? random_.below(64)
                                                       : random_.below(4);
        return {
            {vintrp(op, vdst, moves ? random_.below(3) : vgpr(), attribute, random_.below(4)), 0}};
    });
    if (there && random_.one_in(2))
        store_of_lanes(vdst);
}

// Both steps, with coordinates in reach of the parameters.
void CuProgram::interpolation_of_a_pixel() {
    const unsigned i = vgpr(kRoom), j = vgpr(kRoom), result = vgpr(kRoom);
    const unsigned channel = random_.below(4);
    fill_lds();
    for (const unsigned coordinate : {i, j})
        emit(vop1(Op::V_MOV_B32, coordinate, isa::kLiteral),
             (random_.word() & 0x807fffff) | (118 + random_.below(16)) << 23);
    move_literal(kM0, random_.one_in(2) ? 1u << (16 + random_.below(16)) : 0);
    emit(vintrp(number(Op::V_INTERP_P1_F32), result, i, 0, channel));
    emit(vintrp(number(Op::V_INTERP_P2_F32), result, j, 0, channel));
    store_of_lanes(result);
}

void CuProgram::lds_operand(const Block& b) {
    if (random_.one_in(2))  // of any type
        place_in_lds(random_.below(8));
    static constexpr Format kFormats[] = {Format::Vop1, Format::Vop2, Format::Vop2, Format::Vopc};
    const Format format = random_.pick(kFormats);
    const unsigned vdst = vgpr(kRoom);
    const bool there = try_emit(b, [&]() -> Pair {
        const Op op = random_.one_in(3) ? Op::V_MOV_B32 : any_of(random_, format);
        const OpInfo& info = isa::op_info(op);
        const unsigned to = info.has(isa::kOpSgprDst) ? scalar_destination(1) : vdst;
        const unsigned src1 =
            info.has(isa::kOpLaneSel) ? scalar_source(1) : vgpr(info.src_dwords[1]);
        switch (info.format) {
            case Format::Vop1:
                return {{vop1(op, to, isa::kLdsDirect), literal()}};
            case Format::Vop2:
                return {{vop2(op, to, isa::kLdsDirect, src1), literal()}};
            default:
                return {{vopc(op, isa::kLdsDirect, src1), literal()}};
        }
    });
    if (there && random_.one_in(2))
        store_of_lanes(vdst);
}

void CuProgram::load_to_lds() {
    static constexpr Op kOps[] = {Op::BUFFER_LOAD_DWORD,  Op::BUFFER_LOAD_UBYTE,
                                  Op::BUFFER_LOAD_SBYTE,  Op::BUFFER_LOAD_USHORT,
                                  Op::BUFFER_LOAD_SSHORT, Op::BUFFER_LOAD_FORMAT_X};
    buffer_access(random_.pick(kOps), true);
}

}  // namespace archipelago::rtl
