// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/chip_streams.h"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <utility>

#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pm4/packet_table.h"
#include "models/cu/isa/assemble.h"
#include "registers/si_names.h"

namespace archipelago::fuzz {
namespace {

namespace si = regs::si;
using Words = std::vector<uint32_t>;

constexpr uint64_t kCode = 0x100000;     // kernels, a page each
constexpr uint64_t kIndices = 0x200000;  // 16 bits, then 32 bits
constexpr uint64_t kWide = kIndices + 0x1000;
constexpr uint64_t kArguments = 0x210000;  // of indirect draws and dispatches
constexpr uint64_t kNumbers = 0x220000;    // 64 KiB to read
constexpr uint64_t kFlags = 0x230000;      // dword n is n & 1
// Pairs of depth counters, all there: eight that have counted nothing, then eight that have.
constexpr uint64_t kCounters = kFlags + 0x1000;
constexpr uint64_t kSemaphores = 0x300000, kFences = 0x310000, kTables = 0x320000;
constexpr uint64_t kBuffers = 0x2000000;
constexpr uint64_t kBufferBytes = 0x4000;
constexpr unsigned kBufferCount = 64;
constexpr uint32_t kGdsBytes = 0x1000;  // of each ring, from ring * kGdsBytes
constexpr uint32_t kLanes = 64;

struct Kernel {
    const char* name;
    const char* text;
    uint32_t user_sgprs;
    uint32_t threads = kLanes;
    uint32_t lds = 0;  // granules of 256 bytes
};
// s0..s3: the slot; the group's number is after the user SGPRs.
const Kernel kKernels[] = {
    {"fill",
     "s_lshl_b32 s6, s6, 6\nv_add_i32 v1, vcc, s6, v0\nv_mul_lo_u32 v2, v1, s4\n"
     "v_add_i32 v2, vcc, s5, v2\nv_lshlrev_b32 v1, 2, v1\n"
     "buffer_store_dword v2, v1, s[0:3], 0 offen\ns_endpgm\n",
     6},
    {"map",
     "s_lshl_b32 s9, s9, 6\nv_add_i32 v1, vcc, s9, v0\nv_lshlrev_b32 v1, 2, v1\n"
     "buffer_load_dword v2, v1, s[4:7], 0 offen\ns_waitcnt vmcnt(0)\nv_xor_b32 v2, s8, v2\n"
     "v_add_i32 v2, vcc, v1, v2\nbuffer_store_dword v2, v1, s[0:3], 0 offen\ns_endpgm\n",
     9},
    {"count",
     "v_and_b32 v1, 15, v0\nv_lshlrev_b32 v1, 2, v1\nv_mov_b32 v2, s4\n"
     "buffer_atomic_add v2, v1, s[0:3], 0 offen\ns_endpgm\n",
     5},
    {"reverse",
     "s_mov_b32 m0, -1\nv_lshlrev_b32 v1, 2, v0\nv_mul_lo_u32 v2, v0, s4\nds_write_b32 v1, v2\n"
     "s_waitcnt lgkmcnt(0)\ns_barrier\nv_sub_i32 v3, vcc, 0x7f, v0\nv_lshlrev_b32 v3, 2, v3\n"
     "ds_read_b32 v2, v3\ns_lshl_b32 s5, s5, 9\nv_add_i32 v1, vcc, s5, v1\n"
     "s_waitcnt lgkmcnt(0)\nbuffer_store_dword v2, v1, s[0:3], 0 offen\ns_endpgm\n",
     5, 128, 2},
    {"table",
     "s_load_dwordx4 s[8:11], s[4:5], 0x0\ns_lshl_b32 s6, s6, 6\nv_add_i32 v1, vcc, s6, v0\n"
     "s_waitcnt lgkmcnt(0)\nv_mul_lo_u32 v2, v1, s8\nv_add_i32 v2, vcc, s9, v2\n"
     "v_xor_b32 v2, s10, v2\nv_lshlrev_b32 v1, 2, v1\n"
     "buffer_store_dword v2, v1, s[0:3], 0 offen\ns_endpgm\n",
     6},
    // A vertex shader: vertex and instance, with what user data 4 and 5 add, at 64 * instance +
    // vertex.
    {"vertex",
     "v_add_i32 v4, vcc, s4, v0\nv_add_i32 v5, vcc, s5, v3\nv_lshlrev_b32 v8, 6, v3\n"
     "v_add_i32 v8, vcc, v8, v0\nv_lshlrev_b32 v8, 3, v8\n"
     "buffer_store_dwordx2 v[4:5], v8, s[0:3], 0 offen\nv_mov_b32 v9, 0\n"
     "exp pos0 v9, v9, v9, v9 done\ns_endpgm\n",
     6},
};
enum KernelId : unsigned { kFill, kMap, kCount, kReverse, kTable, kVertex };
constexpr uint64_t code_of(unsigned kernel) {
    return kCode + kernel * uint64_t{0x1000};
}

uint32_t lo(uint64_t v) {
    return static_cast<uint32_t>(v);
}
uint32_t hi(uint64_t v) {
    return static_cast<uint32_t>(v >> 32);
}

Words packet(uint8_t opcode, const Words& body, bool compute = false) {
    Words words{cp::make_header(opcode, static_cast<uint32_t>(body.size()), compute)};
    words.insert(words.end(), body.begin(), body.end());
    return words;
}
Words packet(const char* name, const Words& body, bool compute = false) {
    return packet(cp::si_opcode(name), body, compute);
}
void add(Words& to, const Words& words) {
    to.insert(to.end(), words.begin(), words.end());
}
Words set_sh(uint32_t offset, Words values, bool compute = false) {
    values.insert(values.begin(), (offset - 0xB000) / 4);
    return packet("SET_SH_REG", values, compute);
}
Words set_context(uint32_t offset, Words values) {
    values.insert(values.begin(), (offset - 0x28000) / 4);
    return packet("SET_CONTEXT_REG", values);
}
Words set_config(uint32_t offset, Words values) {
    values.insert(values.begin(), (offset - 0x8000) / 4);
    return packet("SET_CONFIG_REG", values);
}
Words resource(uint64_t address, uint32_t bytes) {
    return {lo(address), hi(address), bytes, 0x27FAC};
}
// L1, L2, scalar and instruction caches, by ME.
Words sync_caches() {
    return packet("SURFACE_SYNC",
                  {1u << 31 | 1u << 29 | 1u << 27 | 1u << 23 | 1u << 22, ~0u, 0, 10});
}

uint64_t slot_address(unsigned slot) {
    return kSlots + slot * uint64_t{kSlotBytes};
}

class Maker {
  public:
    Maker(Random& random, ChipScenario& scenario) : r_(random), s_(scenario) {}

    void make(unsigned operations) {
        rings_ = r_.one_in(3) ? 1 : 3;
        set_up_draws(s_.rings[0]);
        for (unsigned i = 0; i < operations && s_.slots.size() + 4 < kSlotCount; ++i) {
            const unsigned ring = r_.below(rings_);
            Words words;
            const unsigned several = 1 + r_.below(3);
            calls_ = false;
            for (unsigned k = 0; k < several; ++k)
                operation(ring, words);
            into(ring, std::move(words));
        }
    }

  private:
    struct Produced {
        unsigned slot, ring;
    };

    unsigned slot(const std::string& what, unsigned ring) {
        static const char* const kRings[] = {" on gfx", " on compute0", " on compute1"};
        s_.slots.push_back(what + kRings[ring]);
        return static_cast<unsigned>(s_.slots.size() - 1);
    }
    void put(Words& words, const Words& packets) {
        ++s_.packets;
        add(words, packets);
    }
    Words predicated(Words words) const {
        words[0] |= predicated_ ? 1 : 0;
        return words;
    }

    // The ring's own, or an indirect buffer of one or two levels.
    void into(unsigned ring, Words words) {
        if (r_.one_in(2) || s_.buffers.size() + 2 > kBufferCount ||
            words.size() * 4 > kBufferBytes - 64) {
            add(s_.rings[ring], words);
            return;
        }
        Words call = buffer_call(cp::si_opcode("INDIRECT_BUFFER"), std::move(words));
        if (!calls_ && r_.one_in(3)) {
            add(call, packet("NOP", {0xDEADBEEF, 0}));
            call = buffer_call(cp::si_packet_table().find_by_name("INDIRECT_BUFFER")->opcodes[1],
                               std::move(call));
        }
        put(s_.rings[ring], call);
    }
    Words buffer_call(uint8_t opcode, Words words) {
        const uint64_t address = kBuffers + s_.buffers.size() * kBufferBytes;
        const auto dwords = static_cast<uint32_t>(words.size());
        s_.buffers.push_back({address, std::move(words)});
        return packet(opcode, {lo(address), hi(address), dwords});
    }

    // Everything the ring has started is done, and in memory.
    void flush(unsigned ring, Words& w) {
        put(w, packet("EVENT_WRITE", {7 | 4 << 8}));  // CS_PARTIAL_FLUSH
        if (ring == 0)
            put(w, packet("EVENT_WRITE", {15 | 4 << 8}));  // VS_PARTIAL_FLUSH
        put(w, sync_caches());
    }

    void launch(unsigned ring, Words& w, unsigned kernel, const Words& user, uint32_t groups,
                const std::function<void(Words&)>& before_it = {}) {
        const Kernel& k = kKernels[kernel];
        put(w, set_sh(si::COMPUTE_START_X, {0, 0, 0}, true));
        put(w, set_sh(si::COMPUTE_NUM_THREAD_X, {k.threads, 1, 1}, true));
        put(w,
            set_sh(si::COMPUTE_PGM_LO, {lo(code_of(kernel) >> 8), hi(code_of(kernel) >> 8)}, true));
        put(w, set_sh(si::COMPUTE_PGM_RSRC1, {0xAF0040, k.user_sgprs << 1 | 1u << 7 | k.lds << 15},
                      true));
        put(w, set_sh(si::COMPUTE_RESOURCE_LIMITS, {0, ~0u, ~0u, 0}, true));
        put(w, set_sh(si::COMPUTE_USER_DATA_0, user, true));
        if (before_it)
            before_it(w);
        if (r_.one_in(4)) {
            // Groups from memory: entry g of the arguments has g in x.
            put(w, packet("SET_BASE", {1, lo(kArguments), hi(kArguments)}));
            put(w, predicated(packet("DISPATCH_INDIRECT", {0x800 + 16 * groups, 5}, true)));
        } else {
            put(w, predicated(packet("DISPATCH_DIRECT", {groups, 1, 1, 5}, true)));
        }
        // Right after the dispatch, which must be there for it.
        if (!predicated_ && r_.one_in(6)) {
            put(w, packet("EVENT_WRITE_EOS",
                          {47 | 6 << 8, lo(fence(ring)), hi(last_fence_) | 2u << 29, r_.word()},
                          true));
        }
    }
    uint64_t fence(unsigned) {
        last_fence_ = kFences + 64 * uint64_t{fences_++ % 256};
        return last_fence_;
    }

    Words user(unsigned slot_number, const Words& more = {}) {
        Words words = resource(slot_address(slot_number), kSlotBytes);
        add(words, more);
        return words;
    }

    void dispatch(unsigned ring, Words& w) {
        const uint32_t groups = 1 + r_.below(12);
        switch (r_.below(6)) {
            case 0: {
                const unsigned to = slot("fill", ring);
                const Words numbers = {r_.word(), r_.word()};
                if (r_.one_in(3))
                    shadowed_fill(ring, w, to, numbers, groups);
                else
                    launch(ring, w, kFill, user(to, numbers), groups);
                produced_.push_back({to, ring});
                return;
            }
            case 1:
            case 2:
                return map(ring, w, groups);
            case 3: {
                const unsigned to = slot("count", ring);
                launch(ring, w, kCount, user(to, {1 + r_.below(9)}), groups);
                return;
            }
            case 4: {
                const unsigned to = slot("reverse", ring);
                launch(ring, w, kReverse, user(to, {r_.word()}), 1 + r_.below(8));
                produced_.push_back({to, ring});
                return;
            }
            default:
                return constants(ring, w, groups);
        }
    }

    // Its registers go to memory as well, a slot of its own; then two of them come from memory.
    void shadowed_fill(unsigned ring, Words& w, unsigned to, const Words& numbers,
                       uint32_t groups) {
        constexpr uint32_t kUpdate = 1u << 31, kComputeSh = 1u << 24;
        const uint32_t data4 = (si::COMPUTE_USER_DATA_0 - 0xB000) / 4 + 4;
        const uint64_t shadow = slot_address(slot("shadow", ring));
        const uint64_t from = kNumbers + 4 * r_.below(0x1000) - 4 * uint64_t{data4};
        put(w, packet("CONTEXT_CONTROL", {kUpdate | kComputeSh, 0}));
        put(w, packet("LOAD_SH_REG", {lo(shadow), hi(shadow), 0, 0}, true));
        put(w, packet("CONTEXT_CONTROL", {0, kUpdate | kComputeSh}));
        const Words registers = user(to, numbers);
        put(w, set_sh(si::COMPUTE_USER_DATA_0, registers, true));
        put(w, packet("CONTEXT_CONTROL", {0, kUpdate}));
        launch(ring, w, kFill, registers, groups, [&](Words& words) {
            put(words, packet("LOAD_SH_REG", {lo(from), hi(from), data4, 2}, true));
        });
        put(w, packet("CONTEXT_CONTROL", {kUpdate, kUpdate}));
    }

    // Reads numbers, or what an operation before wrote, after a wait for it.
    void map(unsigned ring, Words& w, uint32_t groups) {
        uint64_t from = kNumbers + 4 * r_.below(0x1000);
        std::string what = "map of numbers";
        if (!produced_.empty() && !r_.one_in(3)) {
            const Produced p = produced_[r_.below(static_cast<uint32_t>(produced_.size()))];
            from = slot_address(p.slot);
            what = "map of slot " + std::to_string(p.slot);
            order(p.ring, ring, w);
        }
        const unsigned to = slot(what, ring);
        Words data = user(to);
        add(data, resource(from, kSlotBytes));
        data.push_back(r_.word());
        launch(ring, w, kMap, data, groups);
        produced_.push_back({to, ring});
    }

    // `to` goes on when what `from` has been given so far is done. `words` is what `to` has not
    // been given yet.
    void order(unsigned from, unsigned to, Words& words) {
        if (from == to)
            return flush(to, words);
        Words& before = s_.rings[from];
        flush(from, before);
        const unsigned n = handovers_++;
        if (r_.one_in(2)) {
            const uint64_t semaphore = kSemaphores + 64 * uint64_t{n % 512};
            put(before, packet("MEM_SEMAPHORE",
                               {lo(semaphore), 6u << 29 | r_.below(3) << 24 | r_.below(2) << 16}));
            put(words, packet("MEM_SEMAPHORE", {lo(semaphore), 7u << 29}));
        } else {
            const uint64_t place = kSemaphores + 0x8000 + 64 * uint64_t{n % 512};
            const uint32_t value = r_.word() | 1;
            put(before, packet("EVENT_WRITE_EOP",
                               {20 | 5 << 8, lo(place), hi(place) | 1u << 29, value, 0}));
            put(words, packet("WAIT_REG_MEM",
                              {3 | 1 << 4, lo(place), hi(place), value, ~0u, 4 + r_.below(9)}));
        }
        put(words, sync_caches());
    }

    // A table that the constant engine writes ahead of the dispatch that reads it.
    void constants(unsigned ring, Words& w, uint32_t groups) {
        const uint64_t table = kTables + 64 * uint64_t{tables_++ % 512};
        const uint32_t offset = 32 * r_.below(64);
        Words c;
        put(c, packet("WRITE_CONST_RAM", {offset, r_.word(), r_.word(), r_.word(), r_.word()}));
        if (r_.one_in(3))
            put(c, packet("LOAD_CONST_RAM", {lo(kNumbers + 32 * r_.below(64)), 0, 8, offset}));
        put(c, packet("DUMP_CONST_RAM", {offset, 4, lo(table), hi(table)}));
        put(c, packet("INCREMENT_CE_COUNTER", {0}));
        if (s_.buffers.size() < kBufferCount) {
            // On the ring itself, before what waits for it.
            put(s_.rings[ring], buffer_call(cp::si_opcode("INDIRECT_BUFFER_CONST"), std::move(c)));
            put(w, packet("WAIT_ON_CE_COUNTER", {0}));
            put(w, sync_caches());
            const unsigned to = slot("table of the constant engine", ring);
            launch(ring, w, kTable, user(to, {lo(table), hi(table)}), groups);
            put(w, packet("INCREMENT_DE_COUNTER", {0}));
            produced_.push_back({to, ring});
        }
    }

    // ---- data packets
    void data(unsigned ring, Words& w) {
        const unsigned to = slot("data", ring);
        const uint64_t at = slot_address(to);
        const unsigned kind = r_.below(8);
        if (kind < 7)  // what comes at the end of the pipe is waited for otherwise
            produced_.push_back({to, ring});
        switch (kind) {
            case 0: {
                Words body{(r_.one_in(2) ? 5u : 1u) << 8 | 1u << 20, lo(at), hi(at)};
                for (uint32_t n = 1 + r_.below(60); n > 0; --n)
                    body.push_back(r_.word());
                return put(w, packet("WRITE_DATA", body));
            }
            case 1:
                return put(w, packet("CP_DMA", {lo(kNumbers) + r_.below(0x800), 1u << 31, lo(at),
                                                hi(at), 1 + r_.below(4000)}));
            case 2:
                return put(w, packet("CP_DMA", {r_.word(), 2u << 29 | 1u << 31, lo(at), hi(at),
                                                4 * (1 + r_.below(500))}));
            case 3:
                return put(w,
                           packet("MEM_WRITE", {lo(at), hi(at) | 1u << 17, r_.word(), r_.word()}));
            case 4:
                return put(w, packet("COPY_DATA", {5 | 2u << 8 | 1u << 16 | 1u << 20, r_.word(),
                                                   r_.word(), lo(at), hi(at)}));
            case 5: {
                const uint32_t gds = ring * kGdsBytes + 4 * r_.below(900);
                put(w, packet("WRITE_GDS_RAM", {gds, r_.word(), r_.word()}));
                put(w, packet("ATOMIC_GDS", {32 | 1u << 18, 0, gds, 64, 0, 0, r_.word(), 0, 0, 0}));
                return put(w,
                           packet("COPY_DATA", {3 | 5u << 8 | 1u << 20, gds, 0, lo(at), hi(at)}));
            }
            case 6:
                put(w, packet("ATOMIC", {0x0F, lo(at), hi(at), r_.word(), 0, 0, 0, 0}));
                return put(
                    w, packet("ATOMIC", {0x2F, lo(at + 8), hi(at), r_.word(), r_.word(), 0, 0, 0}));
            default:
                return put(w, packet("EVENT_WRITE_EOP",
                                     {20 | 5 << 8, lo(at),
                                      hi(at) | (1 + r_.below(2)) << 29 | 2 * r_.below(2) << 24,
                                      r_.word(), r_.word()}));
        }
    }

    // ---- draws
    void set_up_draws(Words& w) {
        put(w, set_sh(si::SPI_SHADER_PGM_LO_VS, {lo(code_of(kVertex) >> 8), 0}));
        put(w, set_sh(si::SPI_SHADER_PGM_RSRC1_VS, {0x030C0042, 6u << 1}));
        put(w, set_context(si::SPI_SHADER_POS_FORMAT, {4}));
        put(w, set_context(si::VGT_MAX_VTX_INDX, {~0u, 0, 0}));
        put(w, set_context(si::VGT_INSTANCE_STEP_RATE_0, {1, 1}));
        put(w, set_context(si::IA_MULTI_VGT_PARAM, {0x7F}));
        put(w, set_context(si::VGT_SHADER_STAGES_EN, {0}));
        put(w, set_context(si::VGT_VERTEX_REUSE_BLOCK_CNTL, {0xE, 0x10}));
        put(w, set_context(si::VGT_MULTI_PRIM_IB_RESET_EN, {0}));
    }
    void draw(Words& w) {
        static constexpr uint32_t kPrimitives[] = {1, 2, 3, 4, 5, 6, 0x11, 0x13};
        static constexpr uint32_t kVertexData = (si::SPI_SHADER_USER_DATA_VS_0 - 0xB000) / 4;
        const unsigned to = slot("draw", 0);
        put(w, set_context(si::VGT_MAX_VTX_INDX, {~0u, 0, 0}));  // mostly another render context
        put(w, set_sh(si::SPI_SHADER_USER_DATA_VS_0, user(to, {r_.word(), r_.word()})));
        put(w, set_config(si::VGT_PRIMITIVE_TYPE, {kPrimitives[r_.below(8)]}));
        const bool wide = r_.one_in(2);
        const uint64_t indices = (wide ? kWide : kIndices) + 4 * r_.below(32);
        put(w, packet("INDEX_TYPE", {wide ? 1u : 0u}));
        put(w, packet("NUM_INSTANCES", {1 + r_.below(5)}));
        const uint32_t count = 3 + r_.below(60);
        switch (r_.below(9)) {
            case 7: {
                const uint32_t primitives = 1 + r_.below(4);
                Words body{primitives, 2};
                for (uint32_t i = 0; i < primitives; ++i)
                    body.push_back(r_.below(30) | kPrimitives[r_.below(8)] << 16 |
                                   (1 + r_.below(33)) << 21);
                return start(w, packet("DRAW_INDEX_MULTI_AUTO", body));
            }
            case 8: {
                const uint32_t rectangles = 1 + r_.below(8);
                Words body{3 * rectangles, 1};
                for (uint32_t i = 0; i < rectangles; ++i)
                    body.push_back(r_.below(61));
                put(w, packet("INDEX_TYPE", {1}));
                put(w, packet("NUM_INSTANCES", {1}));
                return start(w, packet("MPEG_INDEX", body));
            }
            case 0:
                return start(w, packet("DRAW_INDEX_AUTO", {count, 2}));
            case 1:
                return start(
                    w, packet("DRAW_INDEX_2", {r_.below(80), lo(indices), hi(indices), count, 0}));
            case 2: {
                const uint32_t dwords = 1 + r_.below(12);
                put(w, packet("NUM_INSTANCES", {1}));
                Words body{wide ? dwords : 2 * dwords - r_.below(2), 1};
                for (uint32_t i = 0; i < dwords; ++i)
                    body.push_back(r_.below(64) | (wide ? 0 : r_.below(64) << 16));
                return start(w, packet("DRAW_INDEX_IMMD", body));
            }
            case 3:
                put(w, packet("INDEX_BASE", {lo(indices), hi(indices)}));
                return start(
                    w, packet("DRAW_INDEX_OFFSET_2", {40 + r_.below(40), r_.below(20), count, 0}));
            case 4: {
                put(w, packet("SET_BASE", {1, lo(kArguments), hi(kArguments)}));
                return put(w, packet("DRAW_INDIRECT",
                                     {16 * r_.below(16), kVertexData + 4, kVertexData + 5, 2}));
            }
            case 5:
                put(w, packet("SET_BASE", {1, lo(kArguments), hi(kArguments)}));
                return start(w, packet("DRAW_INDIRECT_MULTI",
                                       {16 * r_.below(8), kVertexData + 4, kVertexData + 5, 0,
                                        r_.below(5), 0, 0, 16, 2}));
            default:
                put(w, packet("SET_BASE", {1, lo(kArguments), hi(kArguments)}));
                put(w, packet("INDEX_BASE", {lo(indices), hi(indices)}));
                put(w, packet("INDEX_BUFFER_SIZE", {r_.below(80)}));
                return start(w, packet("DRAW_INDEX_INDIRECT_MULTI",
                                       {0x400 + 20 * r_.below(8), kVertexData + 4, kVertexData + 5,
                                        0, r_.below(4), 0, 0, 20, 0}));
        }
    }

    void start(Words& w, const Words& draw) { put(w, predicated(draw)); }

    // A table inside the indirect buffer itself, which the packet of 2012's radeonsi points at.
    void own_table(unsigned ring, Words& w) {
        Words b;
        put(b, packet("NOP", {r_.word(), r_.word(), r_.word(), r_.word()}));
        const unsigned to = slot("table in the buffer", ring);
        put(b, set_sh(si::COMPUTE_START_X, {0, 0, 0}, true));
        put(b, set_sh(si::COMPUTE_NUM_THREAD_X, {kLanes, 1, 1}, true));
        put(b, set_sh(si::COMPUTE_PGM_LO, {lo(code_of(kTable) >> 8), 0}, true));
        put(b, set_sh(si::COMPUTE_PGM_RSRC1, {0xAF0040, 6u << 1 | 1u << 7}, true));
        put(b, set_sh(si::COMPUTE_RESOURCE_LIMITS, {0, ~0u, ~0u, 0}, true));
        put(b, set_sh(si::COMPUTE_USER_DATA_0, user(to), true));
        put(b,
            packet("SET_SH_REG_OFFSET", {(si::COMPUTE_USER_DATA_0 - 0xB000) / 4 + 4, 4, 0}, true));
        put(b, sync_caches());
        put(b, packet("DISPATCH_DIRECT", {1 + r_.below(8), 1, 1, 5}, true));
        put(w, buffer_call(cp::si_opcode("INDIRECT_BUFFER"), std::move(b)));
        calls_ = true;
        produced_.push_back({to, ring});
    }

    // Registers and counters to memory.
    void registers(unsigned ring, Words& w) {
        const unsigned to = slot("registers", ring);
        const uint64_t at = slot_address(to);
        produced_.push_back({to, ring});
        // SCRATCH_REG0..7 are shared: each ring has two.
        const uint32_t scratch = (si::SCRATCH_REG0 >> 2) + 2 * ring;
        put(w, packet("ONE_REG_WRITE", {scratch, r_.word()}));
        put(w, packet("REG_RMW", {scratch, r_.word(), r_.below(256)}));
        put(w, packet("COPY_DATA", {0 | 5u << 8 | 1u << 20, scratch, 0, lo(at), hi(at)}));
        put(w, packet("COPY_DW", {2, scratch, 0, lo(at + 64), hi(at)}));
        put(w, packet("COND_WRITE", {1u << 8 | r_.below(7), scratch, 0, r_.word(), r_.word(),
                                     lo(at + 128), hi(at), r_.word()}));
        if (r_.one_in(2))  // sums of counters that are there
            put(w, packet("OCCLUSION_QUERY", {lo(kCounters) + 128 * r_.below(2), hi(kCounters),
                                              lo(at + 192), hi(at)}));
    }

    void operation(unsigned ring, Words& w) {
        Words inner;
        const unsigned kind = r_.below(ring == 0 ? 11 : 8);
        const size_t handovers = handovers_;
        const unsigned tables = tables_;
        predicated_ = r_.one_in(8);
        if (predicated_)  // by a count that is 0, or is not
            put(w, packet("SET_PREDICATION", {lo(kCounters) + 128 * r_.below(2),
                                              r_.below(2) << 8 | r_.below(2) << 12 | 1u << 16}));
        if (kind < 4)
            dispatch(ring, inner);
        else if (kind < 7)
            data(ring, inner);
        else if (kind == 7 && r_.one_in(2) && s_.buffers.size() + 2 < kBufferCount)
            own_table(ring, inner);
        else if (kind == 7)
            registers(ring, inner);
        else
            draw(inner);
        // Skipped or not; what others wait for, or a counter has to follow, is not.
        if (handovers == handovers_ && tables == tables_ && r_.one_in(8)) {
            const auto dwords = static_cast<uint32_t>(inner.size());
            if (r_.one_in(2))
                put(w, packet("COND_EXEC", {lo(kFlags) + 4 * r_.below(64), 0, dwords}));
            else
                put(w, packet("PRED_EXEC", {(1 + r_.below(3)) << 24 | dwords}));
        }
        add(w, inner);
        if (predicated_)
            put(w, packet("SET_PREDICATION", {0, 0}));
        predicated_ = false;
    }

    Random& r_;
    ChipScenario& s_;
    unsigned rings_ = 1;
    std::vector<Produced> produced_;
    unsigned handovers_ = 0, fences_ = 0, tables_ = 0;
    uint64_t last_fence_ = 0;
    bool calls_ = false;       // what is put together calls a buffer itself
    bool predicated_ = false;  // launches and draws have the PREDICATE bit
};

}  // namespace

std::vector<ChipBuffer> chip_fixtures() {
    std::vector<ChipBuffer> list;
    for (unsigned i = 0; i < sizeof kKernels / sizeof *kKernels; ++i) {
        const isa::Assembly assembly = isa::assemble(kKernels[i].text);
        for (const isa::AssemblyError& e : assembly.errors)
            throw std::logic_error(std::string(kKernels[i].name) + ", line " +
                                   std::to_string(e.line) + ": " + e.message);
        Words words((assembly.bytes.size() + 3) / 4);
        std::copy(assembly.bytes.begin(), assembly.bytes.end(),
                  reinterpret_cast<uint8_t*>(words.data()));
        list.push_back({code_of(i), std::move(words)});
    }
    Random random(0xC41B);
    Words narrow, wide, numbers, flags;
    for (unsigned i = 0; i < 128; ++i) {
        narrow.push_back(random.below(64) | random.below(64) << 16);
        wide.push_back(random.below(64));
    }
    for (unsigned i = 0; i < 0x4000; ++i)
        numbers.push_back(random.word());
    for (unsigned i = 0; i < 64; ++i)
        flags.push_back(i & 1);
    list.push_back({kIndices, narrow});
    list.push_back({kWide, wide});
    list.push_back({kNumbers, numbers});
    list.push_back({kFlags, flags});
    Words counters;
    for (unsigned i = 0; i < 16; ++i)
        add(counters, {i, 0x80000000, i + (i > 7 ? 5 : 0), 0x80000000});
    list.push_back({kCounters, counters});
    // Draws: vertices, instances, first vertex, first instance; indexed: indices, instances, first
    // index, base vertex, first instance. The same first ones, as several draws share a slot.
    Words draws, indexed, groups;
    for (unsigned i = 0; i < 32; ++i) {
        add(draws, {3 + i, 1 + i % 5, 0x1100, 0x2200});
        add(indexed, {3 + i, 1 + i % 4, i, 0x3300, 0x4400});
        add(groups, {i, 1, 1, 0});
    }
    list.push_back({kArguments, draws});
    list.push_back({kArguments + 0x400, indexed});
    list.push_back({kArguments + 0x800, groups});
    return list;
}

std::vector<std::pair<uint64_t, uint64_t>> chip_ranges() {
    return {{kCode, 0x10000},
            {kIndices, 0x40000},
            {kSemaphores, 0x30000},
            {kSlots, kSlotCount * uint64_t{kSlotBytes}},
            {kBuffers, kBufferCount * kBufferBytes}};
}

std::vector<std::pair<uint64_t, uint64_t>> chip_cleared() {
    return {{kSemaphores, 0x30000}, {kSlots, kSlotCount * uint64_t{kSlotBytes}}};
}

ChipScenario make_chip_scenario(Random& random, unsigned operations, bool corrupted) {
    ChipScenario s;
    Maker(random, s).make(operations);
    s.corrupted = corrupted;
    if (corrupted) {
        std::vector<Words*> lists;
        for (Words& ring : s.rings)
            if (!ring.empty())
                lists.push_back(&ring);
        for (ChipBuffer& buffer : s.buffers)
            lists.push_back(&buffer.words);
        Words& list = *lists[random.below(static_cast<uint32_t>(lists.size()))];
        uint32_t& word = list[random.below(static_cast<uint32_t>(list.size()))];
        word = random.one_in(3) ? random.word() : word ^ 1u << random.below(32);
    }
    return s;
}

}  // namespace archipelago::fuzz
