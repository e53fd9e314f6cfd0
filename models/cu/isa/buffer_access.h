// SPDX-License-Identifier: Apache-2.0
// The parts of vector_mem(), for a caller that lets another unit do one of them: which lanes of a
// buffer instruction access memory where, and the data that they bring.
#pragma once

#include <cstdint>

#include "models/cu/isa/isa.h"

namespace archipelago::isa {

// Why a buffer instruction cannot be executed.
enum class BufferRefusal : uint8_t {
    None,
    NoBufferInstruction,
    ReservedFormat,
    FloatFormat,
    LoadOnlyFormat,
    ResourceType,
    Addr64WithVgprOffset,
    LdsBit,
    NarrowSwizzle,
    ReservedSelect,
};
constexpr unsigned kBufferRefusals = 10;

// In words, as VectorMemOp::unsupported has it; null: it can.
constexpr const char* refusal_text(BufferRefusal refusal) {
    switch (refusal) {
        case BufferRefusal::NoBufferInstruction:
            return "no buffer instruction";
        case BufferRefusal::ReservedFormat:
            return "buffer data format 15, which is reserved";
        case BufferRefusal::FloatFormat:
            return "FLOAT buffer format of 8 bits or with an alpha of 2 bits";
        case BufferRefusal::LoadOnlyFormat:
            return "store in a buffer format that can only be loaded (USCALED, SSCALED, SNORM_OGL)";
        case BufferRefusal::ResourceType:
            return "buffer access through a resource whose TYPE is not buffer";
        case BufferRefusal::Addr64WithVgprOffset:
            return "ADDR64 together with OFFEN or IDXEN";
        case BufferRefusal::LdsBit:
            return "LDS bit on this opcode";
        case BufferRefusal::NarrowSwizzle:
            return "swizzled buffer with 2-byte elements accessed by dwords";
        case BufferRefusal::ReservedSelect:
            return "buffer resource with a reserved DST_SEL";
        default:
            return nullptr;
    }
}
// The reverse.
BufferRefusal refusal_of(const char* text);

// As vector_mem(), without data.
void buffer_addresses(const Inst& inst, const WaveState& w, VectorMemOp& op,
                      bool offset_in_lds = true);
// What is left then: store data, converted, and operands of atomics, when a lane accesses memory.
void buffer_operands(const Inst& inst, const WaveState& w, VectorMemOp& op);

// Registers of a lane, from Inst::vdst on, that buffer_operands() reads.
unsigned operand_dwords(const VectorMemOp& op);

// The parts of vector_mem_complete() and vector_mem_to_lds(). With TFE, the register after the
// data:
void write_status(const VectorMemOp& op, WaveState& w);
// The operation whose vector_mem_complete() has the dwords of a load to LDS in v0.
VectorMemOp load_for_lds(const VectorMemOp& op);
// Lanes whose dword goes to LDS: it lies in the wave's part.
uint64_t lanes_to_lds(const VectorMemOp& op, const WaveState& w);
void put_to_lds(const VectorMemOp& op, const WaveState& w, const VReg& dwords, uint8_t* lds);

}  // namespace archipelago::isa
