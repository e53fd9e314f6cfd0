// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/line_request.h"

#include "models/cu/pipeline/image_memory.h"

namespace archipelago::cu {

using isa::VectorMemOp;

void describe_access(const LineAccess& access, const VectorMemOp& op, const isa::ImageOp* image,
                     MemRequest& request) {
    request.line = access.line;
    request.client = Client::Vector;
    request.glc = op.glc;
    request.slc = op.slc;
    switch (op.kind) {
        case VectorMemOp::Kind::Store:
            request.command = MemCommand::Write;
            request.data = Line{};
            request.compare = 0;
            request.byte_mask = gather_store(access, op, request.data);
            break;
        case VectorMemOp::Kind::Atomic:
            request.command = MemCommand::Atomic;
            request.atomic = op.atomic;
            request.atomic_bytes = op.bytes;
            request.returns = op.returns;
            request.data = Line{};
            request.byte_mask = gather_atomic(access, op, request.data, request.compare);
            break;
        default:
            request.command = MemCommand::Read;
            request.byte_mask = op.image ? image_bytes(*image, access) : load_bytes(access, op);
            break;
    }
}

}  // namespace archipelago::cu
