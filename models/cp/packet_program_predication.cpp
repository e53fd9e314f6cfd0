// SPDX-License-Identifier: Apache-2.0
// Predication: 2.7 of "Radeon Southern Islands Acceleration".
#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"

namespace archipelago::cp {

bool PacketProgram::cond_write(MicroOp& op) {
    namespace f = fields::cond_write;
    const uint32_t* body = body_.data();
    if (step_ == 0) {
        if (f::kFunction.in(body) == 7)
            bad("reserved FUNCTION 7");
        poll_op(op, f::kPollSpace.in(body) != 0, f::kPollLo, f::kPollHi);
        step_ = 1;
        return true;
    }
    if (step_ == 2 || !compare(f::kFunction.in(body), static_cast<uint32_t>(result.value),
                               f::kMask.in(body), f::kReference.in(body)))
        return false;
    step_ = 2;
    const uint32_t low = f::kWriteLo.in(body);
    if (f::kWriteSpace.in(body) == 0) {
        op.kind = OpKind::RegWrite;
        op.offset = 4 * (low & 0xFFFF);
        op.value = f::kData.in(body);
        return true;
    }
    op.kind = OpKind::MemWrite;
    op.address = uint64_t{f::kWriteHi.in(body)} << 32 | (low & ~3u);
    op.swap = static_cast<uint8_t>(low & 3);
    if (op.swap > kMaxDwordSwap)
        bad("reserved swap code 3");
    op.data[0] = f::kData.in(body);
    return true;
}

bool PacketProgram::set_predication() {
    const uint32_t operation = fields::set_predication::kOperation.in(body_.data());
    if (operation == 1)
        missing("with PRED_OP ZPASS");
    if (operation == 2)
        missing("with PRED_OP PRIMCOUNT");
    if (operation > 2)
        bad("reserved PRED_OP " + std::to_string(operation));
    return false;
}

}  // namespace archipelago::cp
