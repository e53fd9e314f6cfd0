// SPDX-License-Identifier: Apache-2.0
// DS instructions on local memory.
//
// An element's address is VGPR + offset (two-address forms: offset0 and offset1, in elements or in
// 64 elements), rounded down to the element's size. It is in range when the whole element lies
// below both M0 and the group's allocation; out of range reads give 0, writes are dropped. The sum
// does not wrap at 32 bits, so a "negative" base stays out of range. Lanes act in ascending order.
#include <algorithm>

#include "models/cu/isa/effects.h"
#include "models/cu/isa/lane_mask.h"
#include "models/cu/isa/lane_memory.h"
#include "models/cu/isa/opcodes.h"

namespace archipelago::isa {
namespace {

constexpr uint32_t kOutside = 0xffffffffu;

// The lanes the banks serve together: as many as there are banks when each accesses a dword, half
// of them when each accesses two. Elements are aligned to their size, so that a group accesses its
// elements in as many rows of one element per lane as the largest number of distinct elements in
// one place of the row.
struct BankGroups {
    BankGroups(unsigned banks, unsigned bytes)
        : shift(bytes <= 4   ? 2
                : bytes <= 8 ? 3
                             : 4),
          element(1u << shift),
          row_bytes(banks * 4),
          lanes(row_bytes >> shift) {}
    unsigned shift;    // of a byte address to the number of its element
    unsigned element;  // bytes
    unsigned row_bytes;
    unsigned lanes;  // in a group, and elements in a row of the banks; a power of two
};

unsigned group_conflicts(const uint32_t* address, const BankGroups& groups, uint64_t lanes) {
    // Mostly each bank sees one element: remember it, and count only when there is another.
    uint32_t first[kMaxLdsBanks];
    std::fill_n(first, groups.lanes, kOutside);
    bool several = false;
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const uint32_t element = address[__builtin_ctzll(m)] >> groups.shift;
        uint32_t& seen_first = first[element & (groups.lanes - 1)];
        several |= seen_first != kOutside && seen_first != element;
        seen_first = element;
    }
    if (!several) {
        return lanes != 0 ? 1 : 0;
    }
    uint8_t count[kMaxLdsBanks] = {};
    uint32_t seen[kMaxLdsBanks][kMaxLdsBanks];
    unsigned worst = 0;
    for (; lanes != 0; lanes &= lanes - 1) {
        const uint32_t element = address[__builtin_ctzll(lanes)] >> groups.shift;
        const unsigned bank = element & (groups.lanes - 1);
        unsigned i = 0;
        while (i < count[bank] && seen[bank][i] != element) {
            ++i;
        }
        if (i == count[bank]) {
            seen[bank][i] = element;
            ++count[bank];
            worst = std::max<unsigned>(worst, count[bank]);
        }
    }
    return worst;
}

// One DS instruction in execution.
class LdsAccess {
  public:
    LdsAccess(const Inst& inst, const OpInfo& info, WaveState& w, uint8_t* lds, unsigned lds_bytes,
              bool counts, unsigned banks)
        : inst_(inst), info_(info), w_(w), exec_(w.exec()), counts_(counts), banks_(banks) {
        const uint32_t room = w.lds_base < lds_bytes ? lds_bytes - w.lds_base : 0;
        size_ = std::min(w.lds_size, room);
        limit_ = std::min(size_, w.s[kM0]);
        base_ = lds + (room == 0 ? 0 : w.lds_base);
    }

    unsigned cycles() const { return cycles_; }

    bool run() {
        if (counts_) {
            count_elements();
        }
        if (exec_ != 0 && whole_wave()) {
            return true;
        }
        cycles_ = 0;
        const bool wide = info_.mem_bytes == 8;
        switch (info_.mem) {
            case MemKind::LdsRead:
                read();
                return true;
            case MemKind::LdsWrite:
                write();
                return true;
            case MemKind::LdsAtomic:
                wide ? atomic<uint64_t>() : atomic<uint32_t>();
                return true;
            case MemKind::LdsMskOr:
                wide ? mskor<uint64_t>() : mskor<uint32_t>();
                return true;
            case MemKind::LdsExchange2:
                wide ? exchange2<uint64_t>() : exchange2<uint32_t>();
                return true;
            case MemKind::LdsSrc2:
            case MemKind::LdsWriteSrc2:
                wide ? source2<uint64_t>() : source2<uint32_t>();
                return true;
            case MemKind::LdsSwizzle:
                swizzle();
                return true;
            case MemKind::LdsAppend:
            case MemKind::LdsConsume:
                append_consume();
                return true;
            default:
                return false;
        }
    }

    // What run() would access.
    void places(LdsPlaces& p) {
        using Kind = LdsPlaces::Kind;
        const unsigned data0 = info_.src_dwords[1];
        const unsigned data1 = info_.src_dwords[2];
        p.bytes = info_.mem_bytes;
        p.count = 1;
        LdsPlaces::Element& first = p.element[0];
        LdsPlaces::Element& second = p.element[1];
        const bool pair = info_.mem_pair != 0;
        switch (info_.mem) {
            case MemKind::LdsRead:
                place(first, Kind::Load, pair ? pair_offset(0) : single_offset());
                break;
            case MemKind::LdsWrite:
            case MemKind::LdsExchange2:
                place(first, info_.mem == MemKind::LdsWrite ? Kind::Store : Kind::Atomic,
                      pair ? pair_offset(0) : single_offset());
                operand(first, inst_.data0, data0);
                break;
            case MemKind::LdsAtomic:
            case MemKind::LdsMskOr:
                place(first, Kind::Atomic, single_offset());
                operand(first, inst_.data0, data0);
                operand(first, inst_.data1, data1);
                break;
            case MemKind::LdsSrc2:
            case MemKind::LdsWriteSrc2:
                source2_places(p);
                return;
            case MemKind::LdsAppend:
            case MemKind::LdsConsume:
                counter_place(first);
                return;
            default:
                p.count = 0;
                return;
        }
        if (!pair) {
            return;
        }
        p.count = 2;
        place(second, first.kind, pair_offset(1));
        if (first.kind != Kind::Load) {
            operand(second, inst_.data1, data1);
        }
    }

  private:
    // ---- places for those who watch -------------------------------------------------------------

    void place(LdsPlaces::Element& e, LdsPlaces::Kind kind, uint32_t offset) {
        e.kind = kind;
        e.operand_dwords = 0;
        e.lanes = addresses(offset);
        std::memcpy(e.address, address_, sizeof address_);
    }
    void operand(LdsPlaces::Element& e, unsigned vgpr, unsigned dwords) const {
        for (unsigned k = 0; k < dwords; ++k) {
            std::memcpy(e.operand[e.operand_dwords++], w_.v[vgpr + k], sizeof(VReg));
        }
    }
    // m[a] is changed by what is read at m[b].
    void source2_places(LdsPlaces& p) {
        LdsPlaces::Element& to = p.element[0];
        LdsPlaces::Element& from = p.element[1];
        p.count = 2;
        to.lanes = from.lanes = source2_addresses(from.address);
        std::memcpy(to.address, address_, sizeof address_);
        to.kind = LdsPlaces::Kind::Atomic;
        from.kind = LdsPlaces::Kind::Load;
        to.operand_dwords = from.operand_dwords = 0;
        for_lanes(to.lanes, [&](unsigned l) {
            if (from.address[l] == kOutside) {
                from.lanes &= ~(uint64_t{1} << l);
            }
        });
    }
    void counter_place(LdsPlaces::Element& e) const {
        const uint32_t at = counter_address();
        e.kind = LdsPlaces::Kind::Atomic;
        e.lanes = at == kOutside ? 0 : exec_ & (~exec_ + 1);
        e.operand_dwords = 1;
        std::fill_n(e.address, kLanes, at);
        std::fill_n(e.operand[0], kLanes, static_cast<uint32_t>(__builtin_popcountll(exec_)));
    }

    // ---- addresses ------------------------------------------------------------------------------

    // Fills address_[] with element addresses (kOutside when out of range), counts bank cycles,
    // returns the lanes in range.
    uint64_t addresses(uint32_t offset) {
        const uint32_t* v = w_.v[inst_.vaddr];
        const uint32_t bytes = info_.mem_bytes;
        if (limit_ < bytes) {
            std::fill_n(address_, kLanes, kOutside);
            return 0;
        }
        const uint32_t last = limit_ - bytes;
        const uint32_t align = ~(bytes - 1);
        // Usually no lane is out of range: find the largest sum first. (`last` is far below the
        // top bit, so that its complement says whether any sum is beyond.)
        uint32_t beyond = 0;
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint32_t sum = v[l] + offset;
            address_[l] = sum & align;
            beyond |= (last - (sum & align)) | sum | v[l];
        }
        uint64_t lanes = exec_;
        if (beyond >> 31 != 0) {
            uint8_t inside[kLanes];
            for (unsigned l = 0; l < kLanes; ++l) {
                const uint32_t sum = v[l] + offset;
                inside[l] = static_cast<uint8_t>((sum >= offset) & ((sum & align) <= last));
                address_[l] = inside[l] != 0 ? sum & align : kOutside;
            }
            lanes &= pack_flags(inside);
        }
        if (counts_) {
            count_cycles(lanes);
        }
        return lanes;
    }

    uint32_t single_offset() const { return inst_.offset; }
    uint32_t pair_offset(unsigned which) const {
        const uint32_t field = which == 0 ? inst_.offset & 0xffu : inst_.offset >> 8;
        return field * info_.mem_pair * info_.mem_bytes;
    }

    void count_cycles(uint64_t lanes) {
        const BankGroups groups(banks_, info_.mem_bytes);
        const uint64_t group = ~uint64_t{0} >> (kLanes - groups.lanes);
        for (unsigned first = 0; first < kLanes; first += groups.lanes) {
            const uint64_t mask = lanes & group << first;
            if (mask == 0) {
                continue;
            }
            if (mask == group << first) {
                if (within_one_row(groups, address_ + first)) {
                    ++cycles_;
                    continue;
                }
                const unsigned regular = regular_conflicts(groups, address_ + first);
                if (regular != 0) {
                    cycles_ += regular;
                    continue;
                }
            }
            cycles_ += group_conflicts(address_, groups, mask);
        }
    }

    // Addresses of a full group that lie within as many bytes as all banks hold once: no two
    // distinct elements share a bank. Rows of a tile and broadcasts are like that.
    static bool within_one_row(const BankGroups& groups, const uint32_t* a) {
        const uint32_t first = a[0] & ~(groups.element - 1);
        uint32_t beyond = 0;
        for (unsigned l = 0; l < groups.lanes; ++l) {
            beyond |= a[l] - first;  // a power of two of bytes: all differences below it, or not
        }
        return beyond < groups.row_bytes;
    }

    // Another common case, without looking at every bank: a full group whose addresses are a
    // constant number of elements apart. 0 when it is another case.
    static unsigned regular_conflicts(const BankGroups& groups, const uint32_t* a) {
        const uint32_t stride = a[1] - a[0];
        uint32_t difference = stride & (groups.element - 1);
        for (unsigned l = 0; l < groups.lanes; ++l) {
            difference |= a[l] ^ (a[0] + stride * l);
        }
        if (difference != 0) {
            return 0;
        }
        // Distinct elements `stride` apart return to a bank after lanes / gcd(step, lanes).
        const uint32_t step = stride >> groups.shift;
        return stride == 0 ? 1 : std::min<uint32_t>(step & (0u - step), groups.lanes);
    }

    // The bank cycles of the plain accesses, apart from moving any data.
    void count_elements() {
        switch (info_.mem) {
            case MemKind::LdsRead:
            case MemKind::LdsWrite:
                for (unsigned e = 0; e < (info_.mem_pair == 0 ? 1u : 2u); ++e) {
                    addresses(info_.mem_pair == 0 ? single_offset() : pair_offset(e));
                }
                break;
            case MemKind::LdsAtomic:
                addresses(single_offset());
                break;
            default:
                break;
        }
    }

    // ---- all lanes at once: in range, aligned ---------------------------------------------------

    // False when nothing was done.
    bool whole_wave() {
        const bool pair = info_.mem_pair != 0;
        const unsigned bytes = info_.mem_bytes;
        const unsigned dwords = bytes == 8 ? 2 : 1;
        LaneAccess a;
        a.base = base_;
        a.limit = limit_;
        a.address = w_.v[inst_.vaddr];
        a.exec = exec_;
        a.align = bytes - 1;
        a.element = dwords;
        a.count = dwords;
        a.offset[0] = pair ? pair_offset(0) : single_offset();
        if ((a.offset[0] & a.align) != 0) {
            return false;
        }
        a.offset[1] = a.offset[0] + 4;
        if (pair) {
            a.offset[dwords] = pair_offset(1);
            a.offset[dwords + 1] = a.offset[dwords] + 4;
            a.count = 2 * dwords;
        }
        const LaneMemory& memory = *memory_;
        switch (info_.mem) {
            case MemKind::LdsRead:
                for (unsigned k = 0; k < a.count; ++k) {
                    a.reg[k] = w_.v[inst_.vdst + k];
                }
                return bytes < 4 ? memory.read_small(a, bytes, info_.mem_signed) : memory.read(a);
            case MemKind::LdsWrite:
                for (unsigned k = 0; k < dwords; ++k) {
                    a.reg[k] = w_.v[inst_.data0 + k];
                    a.reg[dwords + k] = w_.v[inst_.data1 + k];
                }
                return bytes < 4 ? memory.write_small(a, bytes) : memory.write(a);
            case MemKind::LdsAtomic: {
                uint32_t* first[2] = {w_.v[inst_.data0], w_.v[inst_.data0 + (dwords - 1)]};
                uint32_t* old[2] = {w_.v[inst_.vdst], w_.v[inst_.vdst + (dwords - 1)]};
                const bool two = compares(info_.atomic);
                // DATA0 is the value compared with, DATA1 the new one.
                const unsigned source = two ? inst_.data1 : inst_.data0;
                for (unsigned k = 0; k < dwords; ++k) {
                    a.reg[k] = w_.v[source + k];
                }
                return memory.atomic(a, info_.atomic, two ? first : nullptr,
                                     info_.mem_returns ? old : nullptr);
            }
            default:
                return false;
        }
    }

    // ---- memory and registers -------------------------------------------------------------------

    template <typename T>
    T load(uint32_t address) const {
        T value;
        std::memcpy(&value, base_ + address, sizeof value);
        return value;
    }
    template <typename T>
    void store(uint32_t address, T value) {
        std::memcpy(base_ + address, &value, sizeof value);
    }
    template <typename T>
    T get_register(unsigned number, unsigned lane) const {
        if constexpr (sizeof(T) == 8) {
            return w_.v[number][lane] | static_cast<uint64_t>(w_.v[number + 1][lane]) << 32;
        } else {
            return static_cast<T>(w_.v[number][lane]);
        }
    }
    template <typename T>
    void set_register(unsigned number, unsigned lane, T value) {
        w_.v[number][lane] = static_cast<uint32_t>(value);
        if constexpr (sizeof(T) == 8) {
            w_.v[number + 1][lane] = static_cast<uint32_t>(value >> 32);
        }
    }

    // Calls f(lane) for the lanes of a mask, ascending.
    template <typename F>
    static void for_lanes(uint64_t lanes, F f) {
        for (; lanes != 0; lanes &= lanes - 1) {
            f(static_cast<unsigned>(__builtin_ctzll(lanes)));
        }
    }

    // ---- operations -----------------------------------------------------------------------------

    // T as stored, R as it arrives in the register.
    template <typename T, typename R>
    void read_element(uint32_t offset, unsigned slot) {
        const uint64_t lanes = addresses(offset);
        if (lanes == ~uint64_t{0}) {
            for (unsigned l = 0; l < kLanes; ++l) {
                set_result(slot, l, static_cast<R>(load<T>(address_[l])));
            }
            return;
        }
        for (unsigned k = 0; k < sizeof(R) / 4; ++k) {
            std::fill_n(result_[slot + k], kLanes, 0u);
        }
        for_lanes(lanes,
                  [&](unsigned l) { set_result(slot, l, static_cast<R>(load<T>(address_[l]))); });
    }

    template <typename R>
    void set_result(unsigned slot, unsigned lane, R value) {
        result_[slot][lane] = static_cast<uint32_t>(value);
        if constexpr (sizeof(R) == 8) {
            result_[slot + 1][lane] = static_cast<uint32_t>(value >> 32);
        }
    }

    void read() {
        const unsigned elements = info_.mem_pair == 0 ? 1 : 2;
        for (unsigned e = 0; e < elements; ++e) {
            const uint32_t offset = elements == 1 ? single_offset() : pair_offset(e);
            switch (info_.mem_bytes) {
                case 1:
                    info_.mem_signed ? read_element<int8_t, int32_t>(offset, 0)
                                     : read_element<uint8_t, uint32_t>(offset, 0);
                    break;
                case 2:
                    info_.mem_signed ? read_element<int16_t, int32_t>(offset, 0)
                                     : read_element<uint16_t, uint32_t>(offset, 0);
                    break;
                case 4:
                    read_element<uint32_t, uint32_t>(offset, e);
                    break;
                default:
                    read_element<uint64_t, uint64_t>(offset, 2 * e);
                    break;
            }
        }
        // All addresses are used up: the destination may overlap the address register.
        for (unsigned k = 0; k < info_.dst_dwords; ++k) {
            blend(w_.v[inst_.vdst + k], result_[k], exec_);
        }
    }

    template <typename T>
    void write_element(uint32_t offset, unsigned data) {
        for_lanes(addresses(offset),
                  [&](unsigned l) { store<T>(address_[l], get_register<T>(data, l)); });
    }

    void write() {
        const unsigned elements = info_.mem_pair == 0 ? 1 : 2;
        for (unsigned e = 0; e < elements; ++e) {
            const uint32_t offset = elements == 1 ? single_offset() : pair_offset(e);
            const unsigned data = e == 0 ? inst_.data0 : inst_.data1;
            switch (info_.mem_bytes) {
                case 1:
                    write_element<uint8_t>(offset, data);
                    break;
                case 2:
                    write_element<uint16_t>(offset, data);
                    break;
                case 4:
                    write_element<uint32_t>(offset, data);
                    break;
                default:
                    write_element<uint64_t>(offset, data);
                    break;
            }
        }
    }

    static uint32_t apply(AtomicOp op, uint32_t old, uint32_t src, uint32_t cmp) {
        return atomic32(op, old, src, cmp);
    }
    static uint64_t apply(AtomicOp op, uint64_t old, uint64_t src, uint64_t cmp) {
        return atomic64(op, old, src, cmp);
    }

    // m = f(m, data0, data1) for the active lanes; the old value to VDST when it is returned.
    template <typename T, typename F>
    void modify(F f) {
        const uint64_t lanes = addresses(single_offset());
        for_lanes(exec_, [&](unsigned l) {
            T old = 0;
            if ((lanes >> l & 1) != 0) {
                old = load<T>(address_[l]);
                store<T>(address_[l], f(old, get_register<T>(inst_.data0, l), l));
            }
            if (info_.mem_returns) {
                set_register<T>(inst_.vdst, l, old);
            }
        });
    }

    template <typename T>
    void atomic() {
        const AtomicOp op = info_.atomic;
        if (compares(op)) {
            // DATA0 is the value compared with, DATA1 the new one.
            modify<T>([&](T old, T cmp, unsigned l) {
                return apply(op, old, get_register<T>(inst_.data1, l), cmp);
            });
        } else {
            modify<T>([op](T old, T data, unsigned) { return apply(op, old, data, T{0}); });
        }
    }

    template <typename T>
    void mskor() {
        modify<T>([&](T old, T mask, unsigned l) {
            return static_cast<T>((old & ~mask) | get_register<T>(inst_.data1, l));
        });
    }

    template <typename T>
    void exchange2() {
        constexpr unsigned kWords = sizeof(T) / 4;
        uint64_t inside[2];
        uint32_t address[2][kLanes];
        for (unsigned e = 0; e < 2; ++e) {
            inside[e] = addresses(pair_offset(e));
            std::memcpy(address[e], address_, sizeof address_);
        }
        for_lanes(exec_, [&](unsigned l) {
            const T data[2] = {get_register<T>(inst_.data0, l), get_register<T>(inst_.data1, l)};
            T old[2] = {0, 0};
            for (unsigned e = 0; e < 2; ++e) {
                if ((inside[e] >> l & 1) != 0) {
                    old[e] = load<T>(address[e][l]);
                }
            }
            for (unsigned e = 0; e < 2; ++e) {
                if ((inside[e] >> l & 1) != 0) {
                    store<T>(address[e][l], data[e]);
                }
                set_register<T>(inst_.vdst + e * kWords, l, old[e]);
            }
        });
    }

    // m[a] = f(m[a], m[b]); b lies a signed 15-bit number of dwords from a. The distance is in the
    // offset field, or, with its top bit set, in bits 31:17 of the address register.
    template <typename T>
    void source2() {
        uint32_t from[kLanes];
        const uint64_t lanes = source2_addresses(from);
        count_cycles(lanes);
        for_lanes(lanes, [&](unsigned l) {
            const T source = from[l] == kOutside ? T{0} : load<T>(from[l]);
            const T next = info_.mem == MemKind::LdsWriteSrc2
                               ? source
                               : apply(info_.atomic, load<T>(address_[l]), source, T{0});
            store<T>(address_[l], next);
        });
    }

    // Fills address_[] with a and `from` with b (kOutside when out of range); returns the lanes
    // whose a is in range.
    uint64_t source2_addresses(uint32_t (&from)[kLanes]) {
        const bool in_register = (inst_.offset & 0x8000) != 0;
        const uint32_t* v = w_.v[inst_.vaddr];
        const int64_t align = ~(int64_t{info_.mem_bytes} - 1);
        uint8_t inside[kLanes];
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint32_t a = v[l] & (in_register ? 0x1ffffu : 0xffffffffu);
            const uint32_t field = in_register ? v[l] >> 17 : inst_.offset & 0x7fffu;
            const int32_t distance = static_cast<int32_t>(field << 17) >> 17;
            address_[l] = a & static_cast<uint32_t>(align);
            const int64_t b = (int64_t{address_[l]} + 4 * int64_t{distance}) & align;
            from[l] = element_inside(b) ? static_cast<uint32_t>(b) : kOutside;
            inside[l] = element_inside(address_[l]) ? 1 : 0;
        }
        return pack_flags(inside) & exec_;
    }

    bool element_inside(int64_t address) const {
        return address >= 0 && address + info_.mem_bytes <= int64_t{limit_};
    }

    // No memory is touched, but the data pass the LDS crossbar: one cycle per half wave.
    void swizzle() {
        uint32_t source[kLanes];
        std::memcpy(source, w_.v[inst_.vaddr], sizeof source);
        const uint32_t offset = inst_.offset;
        for_lanes(exec_, [&](unsigned l) {
            unsigned from;
            if ((offset & 0x8000) != 0) {
                from = (l & ~3u) | (offset >> (2 * (l & 3)) & 3);
            } else {
                from =
                    (l & 32) | ((((l & offset & 31) | (offset >> 5 & 31)) ^ (offset >> 10 & 31)));
            }
            w_.v[inst_.vdst][l] = (exec_ >> from & 1) != 0 ? source[from] : 0;
        });
        cycles_ = ((exec_ & 0xffffffffu) != 0 ? 1 : 0) + (exec_ >> 32 != 0 ? 1 : 0);
    }

    // kOutside: it is out of range, or no lane is active.
    uint32_t counter_address() const {
        const uint32_t at = ((w_.s[kM0] & 0xffff) + inst_.offset) & ~3u;
        return exec_ != 0 && size_ >= 4 && at <= size_ - 4 ? at : kOutside;
    }

    // The counter is at M0[15:0] + offset; M0 is no limit here. Every active lane gets its value
    // from before.
    void append_consume() {
        const uint32_t at = counter_address();
        const auto lanes = static_cast<uint32_t>(__builtin_popcountll(exec_));
        uint32_t old = 0;
        if (at != kOutside) {
            old = load<uint32_t>(at);
            store<uint32_t>(at, info_.mem == MemKind::LdsAppend ? old + lanes : old - lanes);
            cycles_ = 1;
        }
        for_lanes(exec_, [&](unsigned l) { w_.v[inst_.vdst][l] = old; });
    }

    const Inst& inst_;
    const OpInfo& info_;
    WaveState& w_;
    uint64_t exec_;
    uint8_t* base_ = nullptr;  // start of the group's part
    uint32_t size_ = 0;        // bytes of it
    uint32_t limit_ = 0;       // M0 applied
    bool counts_;
    unsigned banks_;
    const LaneMemory* memory_ = &lane_memory();
    unsigned cycles_ = 0;
    alignas(64) uint32_t address_[kLanes];
    alignas(64) uint32_t result_[4][kLanes];
};

}  // namespace

void lds_places(const Inst& inst, WaveState& w, uint8_t* lds, unsigned lds_bytes,
                LdsPlaces& places) {
    LdsAccess(inst, op_info(inst.op), w, lds, lds_bytes, false, kLdsBanks).places(places);
}

bool execute_lds(const Inst& inst, WaveState& w, uint8_t* lds, unsigned lds_bytes,
                 unsigned* conflict_cycles, unsigned banks) {
    if (inst.format != Format::Ds || inst.cls != Class::Lds) {
        return false;
    }
    LdsAccess access(inst, op_info(inst.op), w, lds, lds_bytes, conflict_cycles != nullptr, banks);
    const bool done = access.run();
    if (conflict_cycles != nullptr) {
        *conflict_cycles = access.cycles();
    }
    return done;
}

}  // namespace archipelago::isa
