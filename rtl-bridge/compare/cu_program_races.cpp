// SPDX-License-Identifier: Apache-2.0
// Loads of a random program whose registers vector instructions write while they are on their way.
// A chain of instructions, each of which reads what the one before it has left: at the end the
// registers show between which two of them the load has returned, in each lane.
#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {

using namespace cu_program;

namespace {

constexpr unsigned kMaxGdsLoads = 6;

}  // namespace

void CuProgram::race() {
    const auto kind = static_cast<Race>(random_.below(kRaces));
    emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    lane_addresses();
    const unsigned data = vgpr(kRoom);
    emit(vop1(Op::V_MOV_B32, data, isa::kVgprFirst + lane_address()));
    switch (kind) {
        case Race::Memory:
            any_exec();
            load_of_lanes(data);
            any_exec();
            vector_chain(data);
            break;
        case Race::SharedData:
            move_literal(kM0, 0xffff);
            any_exec();
            // Several at a time meet the limit of those in flight.
            for (unsigned n = 1 + random_.below(kMaxGdsLoads); n != 0; --n)
                load_of_gds(data);
            any_exec();
            vector_chain(data);
            break;
        case Race::Scalar:
            scalar_chain(data);
            break;
    }
    wait_for(0, 7, 0);
    emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    store_of_lanes(data);
    if (sure_ && !skipping_)
        races_ |= 1u << static_cast<unsigned>(kind);
}

// All lanes, or any.
void CuProgram::any_exec() {
    if (random_.one_in(2)) {
        emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
        return;
    }
    move_literal(kExec, random_.word());
    move_literal(kExec + 1, random_.word());
}

// One dword for each lane, or two.
void CuProgram::load_of_lanes(unsigned vgpr) {
    const Op op = random_.one_in(2) ? Op::BUFFER_LOAD_DWORD : Op::BUFFER_LOAD_DWORDX2;
    const uint64_t bits = enc::mubuf::kId.put(enc::mubuf::kIdValue) |
                          enc::mubuf::kOp.put(number(op)) | enc::mubuf::kAddr64.put(1) |
                          enc::mubuf::kVaddr.put(lane_address()) | enc::mubuf::kVdata.put(vgpr) |
                          enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) |
                          enc::mubuf::kSoffset.put(kZero);
    emit(low(bits), high(bits));
}

void CuProgram::load_of_gds(unsigned vgpr) {
    const Op op = random_.one_in(2) ? Op::DS_READ_B32 : Op::DS_READ_B64;
    const uint64_t bits = enc::ds::kId.put(enc::ds::kIdValue) | enc::ds::kOp.put(number(op)) |
                          enc::ds::kGds.put(1) | enc::ds::kAddr.put(lane_address()) |
                          enc::ds::kVdst.put(vgpr);
    emit(low(bits), high(bits));
}

void CuProgram::vector_chain(unsigned data) {
    static constexpr Op kOps[] = {Op::V_ADD_I32, Op::V_XOR_B32, Op::V_SUBREV_I32};
    for (unsigned n = 4 + random_.below(24); n != 0; --n) {
        const unsigned to = data + (random_.one_in(3) ? 1 : 0);
        const unsigned from = random_.one_in(3) ? isa::kVgprFirst + data : kOne + n;
        // A denormal becomes 0 there: of this one there are few.
        emit(vop2(random_.one_in(12) ? Op::V_MAC_F32 : random_.pick(kOps), to, from, to));
    }
}

// Carries through VCC or a pair of SGPRs, one of which a lane's value takes the place of now and
// then.
void CuProgram::scalar_chain(unsigned data) {
    const unsigned pairs = (shape_.sgprs - kFirstOther) / 2;
    const unsigned pair = random_.one_in(2) ? kVcc : kFirstOther + 2 * random_.below(pairs);
    static constexpr Op kLoads[] = {Op::S_LOAD_DWORD, Op::S_LOAD_DWORDX2, Op::S_MEMTIME};
    emit(low(enc::smrd::kId.put(enc::smrd::kIdValue) |
             enc::smrd::kOp.put(number(random_.pick(kLoads))) | enc::smrd::kSdst.put(pair) |
             enc::smrd::kSbasePair.put(kData / 2) | enc::smrd::kImm.put(1) |
             enc::smrd::kOffset.put(random_.below(256))));
    for (unsigned n = 4 + random_.below(24); n != 0; --n) {
        if (random_.one_in(3)) {
            emit(vop2(Op::V_READLANE_B32, pair + random_.below(2), isa::kVgprFirst + data,
                      kZero + random_.below(64)));
            continue;
        }
        const uint64_t bits =
            enc::vop3::kId.put(enc::vop3::kIdValue) |
            enc::vop3::kOp.put(number(Op::V_ADDC_U32) + kVop2InVop3) | enc::vop3::kVdst.put(data) |
            enc::vop3::kSdst.put(pair) | enc::vop3::kSrc0.put(isa::kVgprFirst + data) |
            enc::vop3::kSrc1.put(isa::kVgprFirst + data) | enc::vop3::kSrc2.put(pair);
        emit(low(bits), high(bits));
    }
}

}  // namespace archipelago::rtl
