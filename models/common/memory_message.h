// SPDX-License-Identifier: Apache-2.0
// Messages between cores, caches and memory. A message never crosses a 64-byte line. The shells
// convert them to TLM-2.0 payloads and back; no core sees SystemC.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "models/common/atomic_op.h"
#include "models/common/cycle_tap.h"

namespace archipelago {

constexpr unsigned kLineBytes = 64;
constexpr uint64_t line_of(uint64_t address) {
    return address & ~uint64_t{kLineBytes - 1};
}

using Line = std::array<uint8_t, kLineBytes>;

// Masks of the bytes of a line, bit n for byte n, as MemRequest::byte_mask.
// 0 to 64 `bytes` from byte `address` on, all in its line.
constexpr uint64_t bytes_in_line(uint64_t address, uint64_t bytes) {
    return (bytes >= kLineBytes ? ~uint64_t{0} : (uint64_t{1} << bytes) - 1)
           << address % kLineBytes;
}
// `dwords`: of the line's sixteen, bit n for dword n.
constexpr uint64_t bytes_of_dwords(uint16_t dwords) {
    uint64_t mask = 0;
    for (unsigned i = 0; i < kLineBytes / 4; ++i)
        mask |= (dwords >> i & 1) != 0 ? uint64_t{0xF} << 4 * i : 0;
    return mask;
}

// Copies the bytes of a line that `mask` names. Mostly they are dwords side by side: a run at a
// time.
inline void merge_bytes(uint8_t* to, const uint8_t* from, uint64_t mask) {
    if (mask == ~uint64_t{0}) {
        std::memcpy(to, from, kLineBytes);
        return;
    }
    while (mask != 0) {
        auto at = static_cast<unsigned>(__builtin_ctzll(mask));
        const uint64_t behind = mask + (mask & -mask);  // the run carries into the bit after it
        const unsigned end =
            behind != 0 ? static_cast<unsigned>(__builtin_ctzll(behind)) : kLineBytes;
        mask &= behind;
        for (; at + 8 <= end; at += 8)
            std::memcpy(to + at, from + at, 8);
        for (; at + 4 <= end; at += 4)
            std::memcpy(to + at, from + at, 4);
        for (; at < end; ++at)
            to[at] = from[at];
    }
}
inline void merge_bytes(Line& to, const Line& from, uint64_t mask) {
    merge_bytes(to.data(), from.data(), mask);
}

// The requester, kept through all levels for attribution and faults.
enum class Client : uint8_t {
    CpFetch,  // ring and indirect buffer fetch
    CpMe,     // packet data reads and writes
    CpDma,    // CP_DMA engine
    CpEop,    // fences, timestamps
    Instruction,
    Scalar,
    Vector,
    L2,  // fills and write-backs
    Host,
    CpCe,        // constant engine and its buffers
    VgtIndex,    // indices of draws
    Ih,          // interrupt ring
    Dma,         // async DMA engines
    CtmPe,       // command buffers and counters of CTM chips
    CtmMc,       // caches of their memory controller
    AfucEngine,  // Adreno's micro engines
    // These never reach L1 or L2, whose pins carry a client in four bits.
    Db,  // caches of the depth blocks
    Cb,  // caches of the colour blocks
    kCount,
};
constexpr unsigned kClientsOfCaches = static_cast<unsigned>(Client::Db);
static_assert(kClientsOfCaches <= 16);
const char* to_string(Client client);

enum class MemCommand : uint8_t { Read, Write, Atomic };

struct MemRequest {
    uint64_t line = 0;       // byte address, multiple of 64
    uint64_t byte_mask = 0;  // bytes of the line read or written; atomics: operand bytes
    MemCommand command = MemCommand::Read;
    AtomicOp atomic = AtomicOp::None;
    uint8_t atomic_bytes = 4;  // operand size 4 or 8
    Client client = Client::Host;
    uint8_t vmid = 0;
    bool glc = false;            // coherent at L2: do not serve from or keep in L1
    bool slc = false;            // streaming
    bool write_through = false;  // L2 passes the write on and acknowledges when memory has (fences)
    bool returns = true;         // atomics: the old value is wanted
    uint16_t source = 0;  // unit number among its kind (CU for Vector, group for Scalar, ...)
    uint16_t port = 0;    // routing scratch of the current hop
    uint32_t tag = 0;     // the sender's; returned in the response
    uint64_t uid = 0;     // transaction id, the same at every hop
    // Write: the bytes of byte_mask. Atomic: operands at their places; (F)CmpSwap has one location
    // per request and carries its compare operand in `compare`.
    Line data{};
    uint64_t compare = 0;
};

static_assert(sizeof(MemRequest) == 120, "with its cycle two cache lines of the host");

// A read carries neither data nor an operand, which come last.
static_assert(offsetof(MemRequest, compare) == offsetof(MemRequest, data) + kLineBytes);
static_assert(sizeof(MemRequest) == offsetof(MemRequest, compare) + sizeof(uint64_t));
[[gnu::always_inline]] inline void copy_payload(MemRequest& to, const MemRequest& from) {
    std::memcpy(static_cast<void*>(&to), &from, offsetof(MemRequest, data));
    if (from.command != MemCommand::Read) {
        to.data = from.data;
        to.compare = from.compare;
    }
}

enum class MemStatus : uint8_t { Ok, Unmapped, Error };
// "unmapped address 0x40": why memory refused an access.
std::string refused_address(MemStatus status, uint64_t address);

struct MemResponse {
    uint32_t tag = 0;
    uint16_t port = 0;
    MemStatus status = MemStatus::Ok;
    MemCommand command = MemCommand::Read;
    uint64_t line = 0;
    uint64_t uid = 0;
    Line data{};  // Read: the whole line; Atomic: old values at their places
};

// The answer to a write carries no data, which come last.
static_assert(sizeof(MemResponse) == offsetof(MemResponse, data) + kLineBytes);
[[gnu::always_inline]] inline void copy_payload(MemResponse& to, const MemResponse& from) {
    std::memcpy(static_cast<void*>(&to), &from, offsetof(MemResponse, data));
    if (from.command != MemCommand::Write)
        to.data = from.data;
}

template <>
struct IsTransaction<MemRequest> : std::true_type {};
template <>
struct IsTransaction<MemResponse> : std::true_type {};

// ---- cache control, from CP's coherency logic to the caches ----------------------------------
// What SURFACE_SYNC (CP_COHER_CNTL) and end-of-pipe events ask of caches.
struct CacheAction {
    bool invalidate_l1 = false;      // TCL1_ACTION_ENA
    bool invalidate_scalar = false;  // SH_KCACHE_ACTION_ENA
    bool invalidate_inst = false;    // SH_ICACHE_ACTION_ENA
    bool writeback_l2 = false;       // TC_ACTION_ENA
    bool invalidate_l2 = false;      // TC_ACTION_ENA
    // Caches of the render back ends are written back and invalidated, before any other cache acts.
    bool flush_colour = false;     // CB_ACTION_ENA
    bool flush_depth = false;      // DB_ACTION_ENA
    uint64_t base = 0;             // bytes
    uint64_t size = ~uint64_t{0};  // bytes; all ones is everything
    uint32_t tag = 0;
};
struct CacheActionDone {
    uint32_t tag = 0;
};

// ---- register bus ------------------------------------------------------------------------------
struct RegRequest {
    uint32_t offset = 0;  // byte offset in the register aperture, dword aligned
    uint32_t value = 0;
    bool write = false;
    uint8_t source = 0;  // RegSource
    uint8_t ring = 0;    // CP ring the packet came from: 0 gfx, 1 and 2 compute
    // Set of context registers the request is for, 0..7; stamped by ME, for requests of the host by
    // GRBM (the newest). A new context begins with a write of GFX_COPY_STATE: context_registers.h.
    uint8_t context = 0;
    // Address space of the packet the request is of: what a draw begun by it fetches and runs in.
    uint8_t vmid = 0;
    uint8_t byte_enable = 0xF;  // of a write: bit n is byte n; all but SRBM write whole registers
    uint16_t port = 0;          // routing scratch of the current hop
    uint32_t tag = 0;
    // Steering in force when the request passed GRBM (GRBM_GFX_INDEX).
    uint8_t se = 0, sh = 0, instance = 0;
    bool se_broadcast = true, sh_broadcast = true, instance_broadcast = true;
    uint16_t place = 0;  // of the packet, when the write begins a draw or a dispatch: PacketPlaces
};
enum RegSource : uint8_t { kRegFromHost = 0, kRegFromCp = 1, kRegFromDma0 = 2, kRegFromDma1 = 3 };

// Register bus -> interrupt handler: a read of an offset that no block has.
struct ReadError {
    uint32_t offset = 0;  // bytes
    uint8_t source = 0;   // RegSource
};

enum class RegStatus : uint8_t { Ok, Unknown };
struct RegResponse {
    uint32_t value = 0;
    uint16_t port = 0;
    uint32_t tag = 0;
    RegStatus status = RegStatus::Ok;
    bool write = false;
};

// Implemented by every block that owns registers. Called in the block's own tick (cycle mode) or
// directly (functional mode): the side effects are the same, the time is not.
class RegisterTarget {
  public:
    virtual ~RegisterTarget() = default;
    // False: not a register of this block.
    virtual bool write_register(const RegRequest& request) = 0;
    virtual bool read_register(const RegRequest& request, uint32_t& value) = 0;
    // As read_register() for a debugger: changes, counts and reports nothing.
    virtual bool inspect_register(const RegRequest& request, uint32_t& value) {
        return read_register(request, value);
    }
    // Whether it reports the accesses itself of registers that it does not have.
    virtual bool reports_unknown() const { return false; }
    // Whether a write can be taken now; a dispatch initiator waits while its queue is full.
    virtual bool register_ready(const RegRequest&) const { return true; }
    // Whether a write of the register only stores its value, for reads and for work that starts
    // later: the block owns it, and its write cannot throw, starts nothing, ignores steering.
    virtual bool is_plain_storage(uint32_t /*offset*/) const { return false; }
    // write_register() of `count` consecutive registers from request.offset on, all of which
    // is_plain_storage() names.
    virtual void store_registers(const RegRequest& request, const uint32_t* values,
                                 uint32_t count) {
        RegRequest r = request;
        for (uint32_t i = 0; i < count; ++i, r.offset += 4) {
            r.value = values[i];
            write_register(r);
        }
    }
};

}  // namespace archipelago
