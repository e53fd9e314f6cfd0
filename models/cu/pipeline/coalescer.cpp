// SPDX-License-Identifier: Apache-2.0
#include "models/cu/pipeline/coalescer.h"

#include <algorithm>
#include <cstring>

namespace archipelago::cu {
namespace {

using isa::VectorMemOp;

constexpr unsigned kQuarter = 16;
constexpr unsigned kQuad = 4;

uint64_t group_mask(unsigned first, unsigned size) {
    return ((uint64_t{1} << size) - 1) << first;
}

// Lane addresses are first_of_wave + 4 * lane for all active lanes of the quarter wave.
bool consecutive_dwords(const VectorMemOp& op, unsigned first, uint64_t lanes, uint64_t& origin) {
    const auto lead = static_cast<unsigned>(__builtin_ctzll(lanes));
    origin = op.addr[0][lead] - 4 * lead;
    const uint64_t mask = group_mask(first, kQuarter);
    uint64_t different = 0;
    if (lanes == mask) {
        // Where lanes lie in shorter runs, the last does not belong to the first.
        if (op.addr[0][first + kQuarter - 1] != origin + 4 * (first + kQuarter - 1))
            return false;
        for (unsigned lane = first; lane < first + kQuarter; ++lane)
            different |= op.addr[0][lane] ^ (origin + 4 * lane);
    } else {
        for (uint64_t m = lanes; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            different |= op.addr[0][lane] ^ (origin + 4 * lane);
        }
    }
    return different == 0;
}

// Lane addresses are first_of_wave + stride * lane for all of the lanes.
bool strided(const VectorMemOp& op, uint64_t lanes, unsigned stride) {
    const auto lead = static_cast<unsigned>(__builtin_ctzll(lanes));
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        if (op.addr[0][lane] != op.addr[0][lead] + stride * uint64_t{lane - lead})
            return false;
    }
    return true;
}

class Builder {
  public:
    Builder(const VectorMemOp& op, std::vector<LineAccess>& out) : op_(op), out_(out) {}

    void start_group(uint32_t cycle) {
        window_ = out_.empty() ? 0 : out_.size() - 1;
        cycle_ = cycle;
    }
    void add(uint64_t line, uint64_t lanes, bool linear = false) {
        for (size_t i = out_.size(); i > window_; --i) {
            LineAccess& access = out_[i - 1];
            if (access.line == line) {
                access.linear &= linear && origin_of(access.lanes) == origin_of(lanes);
                access.lanes |= lanes;
                access.cycle = cycle_;
                return;
            }
        }
        out_.push_back({line, lanes, cycle_, linear, linear ? offset_of(line, lanes) : uint8_t{0}});
    }
    void add_range(unsigned lane, uint64_t first, unsigned size) {
        const uint64_t bit = uint64_t{1} << lane;
        add(line_of(first), bit);
        if (line_of(first + size - 1) != line_of(first))
            add(line_of(first + size - 1), bit);
    }
    void add_lane(unsigned lane) {
        if (op_.contiguous) {
            add_range(lane, op_.addr[0][lane], op_.bytes);
            return;
        }
        const unsigned dwords = (op_.bytes + 3u) / 4;
        for (unsigned k = 0; k < dwords; ++k)
            if (op_.dword_lanes[k] >> lane & 1)
                add_range(lane, op_.addr[k][lane],
                          op_.bytes >= 4 * (k + 1) ? 4 : op_.bytes - 4 * k);
    }
    // add_lane() of each: those that lie in one line, one after the other, at once.
    void add_lanes(uint64_t lanes) {
        while (lanes != 0) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
            const uint64_t first = op_.addr[0][lane];
            const uint64_t line = line_of(first);
            uint64_t after = lanes;
            uint64_t different = op_.bytes ^ 4u;  // 0: so far dwords beside each other
            while (after != 0 && op_.contiguous) {
                const auto next = static_cast<unsigned>(__builtin_ctzll(after));
                const uint64_t address = op_.addr[0][next];
                if (address - line > kLineBytes - op_.bytes)
                    break;
                different |= address ^ (first + 4 * (next - lane));
                after &= after - 1;
            }
            if (after != lanes) {
                add(line, lanes & ~after, different == 0);
                lanes = after;
            } else {
                add_lane(lane);
                lanes &= lanes - 1;
            }
        }
    }
    // Four lanes from `first` on that read dwords beside each other in one line; false: they do
    // not.
    bool add_quad(unsigned first) {
        const uint64_t* const at = &op_.addr[0][first];
        const uint64_t origin = at[0];
        if (((at[1] ^ (origin + 4)) | (at[2] ^ (origin + 8)) | (at[3] ^ (origin + 12))) != 0 ||
            origin % kLineBytes > kLineBytes - 4 * kQuad)
            return false;
        // Of a group with one request only the last before it can be the same.
        const uint64_t line = line_of(origin);
        if (!out_.empty() && out_.back().line == line) {
            LineAccess& access = out_.back();
            access.linear &= origin_of(access.lanes) == origin - 4 * first;
            access.lanes |= group_mask(first, kQuad);
            access.cycle = cycle_;
        } else {
            out_.push_back({line, group_mask(first, kQuad), cycle_, true,
                            static_cast<uint8_t>(origin - line)});
        }
        return true;
    }
    // Lanes of a quarter wave that access origin + 4 * lane, dword aligned.
    void add_consecutive(uint64_t lanes, uint64_t origin) {
        while (lanes != 0) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
            const uint64_t line = line_of(origin + 4 * lane);
            const uint64_t after = (line + kLineBytes - origin) / 4;  // first lane of the next line
            const uint64_t here = after < 64 ? lanes & ((uint64_t{1} << after) - 1) : lanes;
            add(line, here, true);
            lanes &= ~here;
        }
    }
    // Atomics: joins the first request that comes after all operations on the same location.
    void add_operation(unsigned lane, std::vector<uint64_t>& used) {
        const uint64_t at = op_.addr[0][lane];
        const uint64_t line = line_of(at);
        const uint64_t bytes = ((uint64_t{1} << op_.bytes) - 1) << (at - line);
        const bool alone = compares(op_.atomic);
        if (!alone) {
            size_t join = out_.size();
            for (size_t i = out_.size(); i > window_; --i) {
                if (out_[i - 1].line != line)
                    continue;
                if ((used[i - 1] & bytes) != 0)
                    break;
                join = i - 1;
            }
            if (join < out_.size()) {
                out_[join].lanes |= uint64_t{1} << lane;
                out_[join].cycle = cycle_;
                used[join] |= bytes;
                return;
            }
        }
        out_.push_back({line, uint64_t{1} << lane, cycle_});
        used.push_back(bytes);
    }

  private:
    // Of lanes whose addresses are linear: where lane 0 would access.
    uint64_t origin_of(uint64_t lanes) const {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
        return op_.addr[0][lane] - 4 * lane;
    }

    uint8_t offset_of(uint64_t line, uint64_t lanes) const {
        return static_cast<uint8_t>(op_.addr[0][static_cast<unsigned>(__builtin_ctzll(lanes))] -
                                    line);
    }

    const VectorMemOp& op_;
    std::vector<LineAccess>& out_;
    size_t window_ = 0;
    uint32_t cycle_ = 0;
};

unsigned quads_of(uint64_t lanes) {
    lanes |= lanes >> 1;
    lanes |= lanes >> 2;
    return static_cast<unsigned>(__builtin_popcountll(lanes & 0x1111111111111111));
}

// Cycles of a load in `requests` lines beyond those of its groups of lanes.
unsigned extra_cycles(const VectorMemOp& op, const CoalesceRates& rates, size_t requests) {
    if (op.dwords == 2)
        return rates.load_pair;
    if (op.bytes < 12 || requests <= rates.linear_lines * quads_of(op.lanes))
        return 0;
    return op.bytes == 12 ? rates.load_scattered_triple : rates.load_scattered;
}

unsigned coalesce_atomic(const VectorMemOp& op, unsigned quad_cycles, std::vector<LineAccess>& out,
                         bool& aligned) {
    thread_local std::vector<uint64_t> used;
    used.clear();
    Builder builder(op, out);
    uint32_t cycle = 0;
    for (unsigned first = 0; first < isa::kLanes; first += kQuad) {
        uint64_t lanes = op.lanes & group_mask(first, kQuad);
        if (lanes == 0)
            continue;
        builder.start_group(cycle);
        for (; lanes != 0; lanes &= lanes - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(lanes));
            if (op.addr[0][lane] % op.bytes != 0) {
                aligned = false;
                out.push_back({line_of(op.addr[0][lane]), uint64_t{1} << lane, cycle});
                return cycle + 1;
            }
            builder.add_operation(lane, used);
        }
        cycle += quad_cycles;
    }
    return std::max(cycle, 1u);
}

uint32_t load_word(const uint8_t* from) {
    uint32_t value;
    std::memcpy(&value, from, 4);
    return value;
}

// How many dwords each lane moves when they lie beside each other; 0 for what is less than a dword.
unsigned whole_dwords(const VectorMemOp& op) {
    return op.contiguous && op.bytes % 4 == 0 ? op.bytes / 4 : 0;
}

// The dwords of one lane, beside each other in a line: nearly always two or four.
template <class Move>
[[gnu::always_inline]] inline void move_dwords(unsigned dwords, Move&& move) {
    if (dwords == 4) {
        move(0);
        move(1);
        move(2);
        move(3);
        return;
    }
    for (unsigned k = 0; k < dwords; ++k)
        move(k);
}

// Lanes first .. first + count - 1 of a linear access, the first of them `offset` bytes into the
// line.
struct Run {
    unsigned first = 0;
    unsigned count = 0;
    unsigned offset = 0;
};

// False when the lanes have gaps or the access is not linear.
bool run_of(const LineAccess& access, Run& run) {
    if (!access.linear)
        return false;
    run.first = static_cast<unsigned>(__builtin_ctzll(access.lanes));
    const uint64_t lanes = access.lanes >> run.first;
    if ((lanes & (lanes + 1)) != 0)
        return false;
    run.count = 64 - static_cast<unsigned>(__builtin_clzll(lanes));
    run.offset = access.offset;
    return true;
}

uint64_t bytes_of(const Run& run) {
    return ~uint64_t{0} >> (kLineBytes - 4 * run.count) << run.offset;
}

}  // namespace

bool is_one_group(const VectorMemOp& op, uint64_t quarter) {
    if (op.kind != VectorMemOp::Kind::Load)
        return op.kind == VectorMemOp::Kind::Store;
    return op.contiguous && op.bytes <= 4 && op.dwords == 1 &&
           (strided(op, quarter, 0) || strided(op, quarter, op.bytes));
}

unsigned coalesce(const VectorMemOp& op, const CoalesceRates& rates, std::vector<LineAccess>& out,
                  bool& aligned) {
    out.clear();
    aligned = true;
    if (op.kind == VectorMemOp::Kind::Atomic)
        return coalesce_atomic(op, rates.atomic_quad, out, aligned);
    const bool load = op.kind == VectorMemOp::Kind::Load;
    const bool dwords = op.bytes == 4 && op.contiguous;
    // A load of several components goes by quads, however small they are.
    const bool by_quarters = dwords && (op.dwords == 1 || !load);
    Builder builder(op, out);
    uint32_t cycle = 0;
    for (unsigned first = 0; first < isa::kLanes; first += kQuarter) {
        const uint64_t quarter = op.lanes & group_mask(first, kQuarter);
        if (quarter == 0)
            continue;
        uint64_t origin = 0;
        const bool linear = by_quarters && consecutive_dwords(op, first, quarter, origin);
        if (linear || is_one_group(op, quarter)) {
            builder.start_group(cycle);
            if (linear && origin % 4 == 0)
                builder.add_consecutive(quarter, origin);
            else
                builder.add_lanes(quarter);
            cycle += load ? rates.load_quarter : rates.store_quarter;
            continue;
        }
        for (unsigned quad = first; quad < first + kQuarter; quad += kQuad) {
            const uint64_t lanes = op.lanes & group_mask(quad, kQuad);
            if (lanes == 0)
                continue;
            builder.start_group(cycle);
            if (!dwords || lanes != group_mask(quad, kQuad) || !builder.add_quad(quad))
                builder.add_lanes(lanes);
            cycle += rates.load_quad;
        }
    }
    if (load && op.lanes != 0)
        cycle += extra_cycles(op, rates, out.size());
    return std::max(cycle, 1u);
}

uint64_t load_bytes(const LineAccess& access, const VectorMemOp& op) {
    if (Run run; run_of(access, run))
        return bytes_of(run);
    uint64_t mask = 0;
    const uint64_t lane_bytes = (uint64_t{1} << op.bytes) - 1;
    for (uint64_t m = access.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        const uint64_t offset = op.addr[0][lane] - access.line;
        if (op.contiguous && offset <= kLineBytes - op.bytes) {
            mask |= lane_bytes << offset;
            continue;
        }
        visit_bytes(op, lane, access.line, [&](unsigned, unsigned, unsigned at, unsigned count) {
            mask |= ((uint64_t{1} << count) - 1) << at;
        });
    }
    return mask;
}

void scatter_load(const LineAccess& access, const Line& data, VectorMemOp& op) {
    if (Run run; run_of(access, run)) {
        std::memcpy(&op.data[0][run.first], &data[run.offset], 4 * run.count);
        return;
    }
    const unsigned dwords = whole_dwords(op);
    for (uint64_t m = access.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        const uint64_t offset = op.addr[0][lane] - access.line;
        if (dwords != 0 && offset <= kLineBytes - op.bytes) {
            move_dwords(dwords,
                        [&](unsigned k) { op.data[k][lane] = load_word(&data[offset + 4 * k]); });
            continue;
        }
        visit_bytes(
            op, lane, access.line, [&](unsigned k, unsigned byte, unsigned at, unsigned count) {
                std::memcpy(reinterpret_cast<uint8_t*>(&op.data[k][lane]) + byte, &data[at], count);
            });
    }
}

uint64_t gather_store(const LineAccess& access, const VectorMemOp& op, Line& data) {
    if (Run run; run_of(access, run)) {
        std::memcpy(&data[run.offset], &op.data[0][run.first], 4 * run.count);
        return bytes_of(run);
    }
    uint64_t mask = 0;
    const unsigned dwords = whole_dwords(op);
    const uint64_t lane_bytes = (uint64_t{1} << op.bytes) - 1;
    for (uint64_t m = access.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        const uint64_t offset = op.addr[0][lane] - access.line;
        if (dwords != 0 && offset <= kLineBytes - op.bytes) {
            move_dwords(dwords, [&](unsigned k) {
                std::memcpy(&data[offset + 4 * k], &op.data[k][lane], 4);
            });
            mask |= lane_bytes << offset;
            continue;
        }
        visit_bytes(
            op, lane, access.line, [&](unsigned k, unsigned byte, unsigned at, unsigned count) {
                std::memcpy(&data[at], reinterpret_cast<const uint8_t*>(&op.data[k][lane]) + byte,
                            count);
                mask |= ((uint64_t{1} << count) - 1) << at;
            });
    }
    return mask;
}

uint64_t gather_atomic(const LineAccess& access, const VectorMemOp& op, Line& data,
                       uint64_t& compare) {
    uint64_t mask = 0;
    compare = 0;
    for (uint64_t m = access.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        const uint64_t at = op.addr[0][lane] - access.line;
        const unsigned dwords = op.bytes / 4;
        for (unsigned k = 0; k < dwords; ++k)
            std::memcpy(&data[at + 4 * k], &op.data[k][lane], 4);
        if (compares(op.atomic)) {
            compare = op.data[dwords][lane];
            if (dwords == 2)
                compare |= uint64_t{op.data[3][lane]} << 32;
        }
        mask |= ((uint64_t{1} << op.bytes) - 1) << at;
    }
    return mask;
}

void scatter_atomic(const LineAccess& access, const Line& data, VectorMemOp& op) {
    for (uint64_t m = access.lanes; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        const uint64_t at = op.addr[0][lane] - access.line;
        for (unsigned k = 0; k < op.bytes / 4u; ++k)
            op.data[k][lane] = load_word(&data[at + 4 * k]);
    }
}

}  // namespace archipelago::cu
