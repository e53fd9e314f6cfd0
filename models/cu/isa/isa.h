// SPDX-License-Identifier: Apache-2.0
// Southern Islands (GFX6) instructions: what they are and what they do, apart from time.
// The opcode table is generated from configs/isa/gfx6.yaml; see README.md.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "models/common/atomic_op.h"
#include "models/cu/isa/wave_state.h"

namespace archipelago::isa {

enum class Format : uint8_t {
    Sop2,
    Sopk,
    Sop1,
    Sopc,
    Sopp,
    Smrd,
    Vop2,
    Vop1,
    Vopc,
    Vop3,
    Vintrp,
    Ds,
    Mubuf,
    Mtbuf,
    Mimg,
    Exp,
    Illegal,
};

// Issue class: which execution resource of the compute unit an instruction needs. At most one
// instruction of each class issues per cycle, each from another wave.
enum class Class : uint8_t {
    Valu,
    Salu,
    Smem,  // scalar memory through the scalar data cache
    Vmem,  // MUBUF, MTBUF, MIMG
    Lds,   // DS on local memory
    Gds,   // DS with the gds bit; shares the export path
    Export,
    Branch,
    Message,   // s_sendmsg, s_sendmsghalt
    Internal,  // executed in the instruction buffer: s_nop, s_waitcnt, s_barrier, s_endpgm, ...
    kCount,
};

// What an instruction costs, named; configs/timing gives each name its cycles.
enum class Rate : uint8_t {
    Full,    // 32-bit VALU: one quarter wave per cycle
    Trans,   // transcendental f32
    MulLo,   // 32-bit integer multiply, 64-bit mad, (m)qsad
    F64Add,  // f64 add/min/max/ldexp/conversions, 64-bit shifts, f64 compares
    F64Mul,  // f64 mul/fma, rcp/rsq/sqrt f64, div_fmas f64
    Fma32,
    Cvt,         // i32 <-> f32 conversions
    DivF32,      // div_scale/fmas/fixup f32
    DivF64,      // div_scale/fixup f64
    Scalar,      // SALU
    ScalarLong,  // SALU: saveexec, s_setreg
    Other,       // not a VALU or SALU instruction
    kCount,
};

enum class Op : uint16_t;  // generated: models/cu/isa/opcodes.h

// A decoded instruction. Fields not used by the format are zero.
struct Inst {
    Op op{};
    Format format = Format::Illegal;
    Class cls = Class::Internal;
    Rate rate = Rate::Other;
    uint8_t dwords = 1;  // encoded length, 1 or 2 (literal included)
    uint8_t num_src = 0;
    uint16_t src[3] = {};      // operand codes, see OperandCode; 64-bit operands name the low half
    uint16_t vdst = 0;         // VGPR number 0..255 (VOP, VINTRP, DS); MUBUF/MIMG data VGPR
    uint16_t sdst = 0;         // scalar operand code (SOP*, SMRD, VOPC/VOP3b mask result, and the
                               // SGPR v_readlane_b32 and v_readfirstlane_b32 write)
    uint32_t literal = 0;      // value of kLiteral
    int32_t simm16 = 0;        // sign-extended
    uint8_t neg = 0, abs = 0;  // bit i: modifier of src[i]
    uint8_t omod = 0;          // 0 none, 1 x2, 2 x4, 3 /2
    bool clamp = false;
    // memory formats
    bool imm = false;  // SMRD: offset is immediate
    bool offen = false, idxen = false, addr64 = false, glc = false, slc = false, tfe = false;
    bool lds = false, gds = false;
    uint16_t offset = 0;            // SMRD 8-bit, MUBUF 12-bit, DS offset0 | offset1 << 8
    uint16_t vaddr = 0;             // VGPR number (MUBUF, MTBUF, MIMG, DS addr)
    uint16_t data0 = 0, data1 = 0;  // DS data VGPR numbers
    uint16_t srsrc = 0;             // SGPR number of the resource descriptor (SMRD: sbase)
    uint16_t ssamp = 0;
    uint16_t soffset = 0;        // scalar operand code
    uint8_t dfmt = 0, nfmt = 0;  // MTBUF
    uint8_t dmask = 0;           // MIMG
    bool unorm = false, da = false, r128 = false, lwe = false;
    uint8_t exp_target = 0, exp_en = 0;  // EXP: its four VGPRs are src[0..2] and data1
    bool exp_compr = false, exp_done = false, exp_vm = false;
    uint8_t attr = 0, attr_chan = 0;  // VINTRP
    // highest register numbers touched, plus one; checked against the wave's allocation
    uint16_t vgprs_used = 0;
    uint16_t sgprs_used = 0;  // plain SGPRs only (s0..s103)
    // executes ALU work (VALU, SALU, Branch classes); null for other classes and unimplemented ops
    void (*exec)(const Inst&, WaveState&) = nullptr;
    uint32_t words[2] = {};  // the encoding, literal included
};

// Decodes one instruction from `avail` dwords at `words` (little endian, already in host order).
// Never fails: an unknown or truncated encoding gives Format::Illegal, as long as its encoding and
// a literal of its operands make it, within `avail`.
Inst decode(const uint32_t* words, size_t avail);

// Inst::exec of an opcode.
decltype(Inst::exec) find_exec(Op op);

// Why a Format::Illegal instruction is none: no such opcode, an odd register pair, a reserved code.
std::string illegal_reason(const Inst& inst);

// LLVM's name of the opcode ("v_add_f32"); "illegal" for Format::Illegal.
const char* mnemonic(const Inst& inst);

// Data registers of an image instruction: enabled components, and one more with TFE.
unsigned image_data_dwords(const Inst& inst);

// Whether a branch or jump leaves for its target, the next instruction included. Not for forks and
// joins.
bool takes_branch(const Inst& inst, const WaveState& w);

// One line of LLVM assembler syntax. `pc` is used for branch targets only.
std::string disassemble(const Inst& inst, uint64_t pc);

// True when the model executes this instruction; false means a run must stop and name it.
bool is_implemented(const Inst& inst);

// Value of a 32-bit scalar source (SGPR, VCC, EXEC, M0, constants, literal; not VGPRs).
uint32_t read_scalar(const Inst& inst, const WaveState& w, unsigned code);
uint64_t read_scalar64(const Inst& inst, const WaveState& w, unsigned code);

// ---- scalar memory ------------------------------------------------------------------------
struct ScalarMemOp {
    enum class Kind : uint8_t { Load, BufferLoad, Time, CacheInvalidate };
    Kind kind = Kind::Load;
    uint8_t dwords = 0;  // 1, 2, 4, 8, 16
    uint8_t valid = 0;   // dwords below this are in range (buffer loads); the rest read 0
    uint16_t sdst = 0;
    uint64_t addr = 0;  // byte address, dword aligned
};
ScalarMemOp scalar_mem(const Inst& inst, const WaveState& w);
// Writes `op.dwords` dwords to the destination SGPRs (code order, so VCC and M0 work too).
void scalar_mem_complete(const ScalarMemOp& op, WaveState& w, const uint32_t* data);

// ---- vector memory (MUBUF and MTBUF; MIMG: image_op.h) ------------------------------------------
using archipelago::AtomicOp;  // models/common/atomic_op.h, with atomic32() and atomic64()

struct VectorMemOp {
    enum class Kind : uint8_t { Load, Store, Atomic, CacheInvalidate };
    Kind kind = Kind::Load;
    AtomicOp atomic = AtomicOp::None;
    uint8_t bytes = 4;   // per lane: 1, 2, 4, 8, 12, 16 (atomics: 4 or 8, the operand size)
    uint8_t dwords = 1;  // registers per lane written by a load or read by a store
    bool sign_extend = false;
    bool returns = false;  // writes vdst (loads; atomics with glc)
    bool glc = false, slc = false;
    bool contiguous = true;  // dword k of a lane is at addr[0][lane] + 4 * k; else at addr[k][lane]
                             // and only for the lanes in dword_lanes[k]
    bool to_lds = false;     // load straight to LDS (M0 base)
    bool tfe = false;        // writes a status register after the data, see failed
    uint64_t failed = 0;     // tfe: lanes whose memory is not there, see vector_mem_failed
    bool image = false;      // reads texels: addresses and data are in an ImageOp
    uint16_t vdst = 0;
    uint64_t lanes = 0;       // lanes that access memory
    uint64_t zero_lanes = 0;  // active lanes out of range: loads and atomics return 0
    uint32_t lds_addr = 0;    // to_lds: byte address in the CU's LDS of lane 0's dword
    // Typed access: vector_mem has converted store data already, vector_mem_complete converts
    // loads; the memory side moves `bytes` per lane in any case.
    bool typed = false;
    uint8_t dfmt = 0, nfmt = 0;
    uint16_t dst_sel = 0;  // four 3-bit selectors: 0, 1, or 4..7 for component x..w
    // Not null: the access cannot be executed, and this says why; nothing else is valid then.
    const char* unsupported = nullptr;
    // Set when !contiguous: a subset of `lanes` for each dword (dwords are range checked one by
    // one). Dwords left out are not stored, and read 0.
    uint64_t dword_lanes[4] = {};
    alignas(64) uint64_t addr[4][kLanes];
    alignas(64) uint32_t data[4][kLanes];  // store data / atomic operands in; load result out
                                           // (cmpswap: data[0..] source, then compare)
};
// Fills `op` at issue time from the registers as they are then. `offset_in_lds`: the instruction's
// offset counts in the LDS address of a load to LDS, too.
void vector_mem(const Inst& inst, const WaveState& w, VectorMemOp& op, bool offset_in_lds = true);
// Writes data[0..dwords-1] of lanes and 0 of zero_lanes to the destination VGPRs; with TFE then 1
// for lanes that failed, 0 for the others.
void vector_mem_complete(const VectorMemOp& op, WaveState& w);
// Only with TFE: the lanes read nothing, because their address is not mapped.
void vector_mem_failed(VectorMemOp& op, uint64_t lanes);
// to_lds: writes the dword of each of lanes | zero_lanes, zero extended or converted, to lds_addr +
// 4 * lane of `lds` (the whole CU's); what lies outside the wave's part is dropped.
void vector_mem_to_lds(const VectorMemOp& op, const WaveState& w, uint8_t* lds);

// ---- local data share ---------------------------------------------------------------------------
constexpr unsigned kLdsBanks = 32;  // of GCN
constexpr unsigned kMaxLdsBanks = 64;

// Executes a DS instruction on `lds` (the whole CU's LDS, w.lds_base/lds_size bound the wave's
// part) at once, registers written included. `conflict_cycles` receives the number of bank cycles:
// for each group of as many lanes as `banks` (32: a half wave; of 64-bit elements half as many) and
// each element accessed, the largest number of distinct elements falling in one bank or pair of
// banks (GCN guide: same address broadcasts, consecutive float2 are free of conflicts), summed.
// Null: not counted. `banks` is a power of two from 2 to kMaxLdsBanks. Returns false, with nothing
// done, for what is not a DS instruction on local memory.
bool execute_lds(const Inst& inst, WaveState& w, uint8_t* lds, unsigned lds_bytes,
                 unsigned* conflict_cycles, unsigned banks = kLdsBanks);

}  // namespace archipelago::isa
