// SPDX-License-Identifier: Apache-2.0
// Parts of a random program with control flow.
#include <utility>

#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {

using namespace cu_program;

void CuProgram::loop(const Block& b) {
    if (counters_ == kAddress - kCounters)
        return;
    const unsigned counter = kCounters + counters_++;
    loops_ |= sure_;
    emit(sopk(Op::S_MOVK_I32, counter, 1 + random_.below(3)));
    const size_t first = here();
    Block inner = b;
    ++inner.depth;
    block(inner, 1 + random_.below(5));
    Op back = Op::S_CBRANCH_SCC1;
    if (random_.one_in(2))
        emit(sopk(Op::S_ADDK_I32, counter, 0xffff));
    else
        emit(sop2(Op::S_SUB_U32, counter, counter, kOne));
    emit(sopc(Op::S_CMP_GT_I32, counter, kZero));
    switch (random_.below(4)) {
        case 0:
            emit(sop2(Op::S_CSELECT_B64, kVcc, kMinusOne, kZero));
            back = Op::S_CBRANCH_VCCNZ;
            break;
        case 1:
            emit(sop2(Op::S_CSELECT_B64, kExec, kMinusOne, kZero));
            back = Op::S_CBRANCH_EXECNZ;
            break;
        default:
            break;
    }
    emit(sopp(back, static_cast<uint32_t>(first - here() - 1)));
    if (back == Op::S_CBRANCH_EXECNZ)
        emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
    --counters_;
}

void CuProgram::conditional(const Block& b) {
    static constexpr Op kBranches[] = {Op::S_CBRANCH_SCC0,  Op::S_CBRANCH_SCC1,
                                       Op::S_CBRANCH_VCCZ,  Op::S_CBRANCH_VCCNZ,
                                       Op::S_CBRANCH_EXECZ, Op::S_CBRANCH_EXECNZ};
    if (random_.one_in(2))
        scalar_alu(b);
    const size_t over = branch(random_.pick(kBranches));
    const bool sure = std::exchange(sure_, false);
    Block inner = b;
    ++inner.depth;
    block(inner, random_.below(5));
    sure_ = sure;
    lands(over);
}

// Over dwords that are not executed, or there and back.
void CuProgram::jump() {
    const auto junk = [&] {
        for (unsigned n = random_.below(12); n != 0; --n)
            words_.push_back(random_.word());
    };
    switch (random_.below(3)) {
        case 0: {
            const size_t over = branch(Op::S_BRANCH);
            junk();
            lands(over);
            break;
        }
        case 1: {
            const size_t out = branch(Op::S_BRANCH);
            const size_t back = here();
            internal();
            const size_t on = branch(Op::S_BRANCH);
            junk();
            lands(out);
            emit(sopp(Op::S_BRANCH, static_cast<uint32_t>(back - here() - 1)));
            junk();
            lands(on);
            break;
        }
        default: {
            move_literal(kAddress, 0);
            const size_t place = here() - 1;
            move_literal(kAddress + 1, high(shape_.pc));
            emit(sop1(Op::S_SETPC_B64, 0, kAddress));
            junk();
            words_[place] = low(address(here()));
            break;
        }
    }
}

void CuProgram::call() {
    emit(sop1(Op::S_GETPC_B64, kAddress, 0));
    emit(sop2(Op::S_ADD_U32, kAddress, kAddress, isa::kLiteral), 0);
    calls_.push_back(here() - 1);
    emit(sop2(Op::S_ADDC_U32, kAddress + 1, kAddress + 1, kZero));
    emit(sop1(Op::S_SWAPPC_B64, kAddress, kAddress));
}

// Lanes part and meet again.
void CuProgram::fork(const Block& b) {
    const uint32_t entries = random_.below(2);
    wait_for(15, 7, 0);  // no load writes the stack
    emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwMode, 29, 3)), entries);
    const unsigned lanes = sgpr(2);
    const bool far = random_.one_in(2);
    size_t target = 0;
    if (far) {
        move_literal(kAddress, 0);
        target = here() - 1;
        move_literal(kAddress + 1, high(shape_.pc));
        emit(sop2(Op::S_CBRANCH_G_FORK, 0, lanes, kAddress));
    } else {
        emit(sopk(Op::S_CBRANCH_I_FORK, lanes, 0));
        target = here() - 1;
    }
    Block inner = b;
    inner.depth = 3;
    inner.forked = true;
    const bool sure = std::exchange(sure_, false);
    block(inner, random_.below(4));
    emit(sop1(Op::S_CBRANCH_JOIN, 0, kZero + entries));
    const size_t out = branch(Op::S_BRANCH);
    if (far)
        words_[target] = low(address(here()));
    else
        lands(target);
    block(inner, random_.below(4));
    emit(sop1(Op::S_CBRANCH_JOIN, 0, kZero + entries));
    sure_ = sure;
    lands(out);
    restore_exec();
}

void CuProgram::skip_section(const Block& b) {
    const bool by_mode = random_.one_in(3);
    if (by_mode)
        emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwMode, 28, 1)), 1);
    else
        emit(sopc(Op::S_SETVSKIP, kOne, kZero));
    const bool shows = random_.one_in(2);
    if (shows)
        emit(sopk(Op::S_GETREG_B32, kShown, hardware(kHwMode, 0, 32)));
    skipping_ = true;
    for (unsigned n = random_.below(5); n != 0; --n)
        switch (random_.below(4)) {
            case 0:
                vector_memory();
                break;
            case 1:
                local_data(b);
                break;
            case 2:
                scalar_alu(b);
                break;
            default:
                vector_alu(b);
                break;
        }
    skipping_ = false;
    if (by_mode)
        emit(sopk(Op::S_SETREG_IMM32_B32, 0, hardware(kHwMode, 28, 1)), 0);
    else
        emit(sopc(Op::S_SETVSKIP, kZero, kZero));
    if (shows)
        show(kShown);
}

void CuProgram::trap() {
    emit(sopp(Op::S_TRAP, random_.below(256)));
    if (random_.one_in(3))
        show(kShown);
}

void CuProgram::barrier() {
    emit(sopp(Op::S_BARRIER));
}

}  // namespace archipelago::rtl
