// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the coalescer of a compute unit's address unit.
#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cu/pipeline/ta_coalescer_core.h"
#include "pins/ta_coalescer_pins.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using Operation = TaCoalescerPins::Operation;
using Config = TaCoalescerPins::Config;
using In = TaCoalescerPins::In;
using Out = TaCoalescerPins::Out;
using cu::LineAccess;
using isa::VectorMemOp;
constexpr unsigned kLanes = TaCoalescerPins::kLanes;
constexpr unsigned kDwords = TaCoalescerPins::kDwords;

struct Command {
    Config cfg;
    Operation op;
};

class TaCoalescerRecording : public RecordingOf<Command>, public cu::CoalesceUnit {
  public:
    // A command is some 2,100 bytes.
    static constexpr uint64_t kMax = 50'000;
    explicit TaCoalescerRecording(uint64_t limit) : RecordingOf(std::min(limit, kMax)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::CoalesceUnit>(*this);
    }
    unsigned coalesce(const VectorMemOp& op, const cu::CoalesceRates& rates,
                      std::vector<LineAccess>& out, bool& aligned) override {
        cu::operation_to_pins(op, command_.op);
        command_.cfg = cu::rates_to_pins(rates);
        add(command_);
        return cu::coalesce(op, rates, out, aligned);
    }

  private:
    Command command_;
};

uint64_t bit(unsigned lane) {
    return uint64_t{1} << lane;
}
unsigned lowest(uint64_t lanes) {
    return static_cast<unsigned>(__builtin_ctzll(lanes));
}
unsigned count_of(uint64_t lanes) {
    return static_cast<unsigned>(__builtin_popcountll(lanes));
}

// ---- what is offered

class OperationChooser {
  public:
    explicit OperationChooser(Random& random) : random_(random) {}

    void operator()(Command& c) {
        choose_rates(c.cfg);
        choose_kind(c.op);
        choose_lanes(c.op);
        for (unsigned k = 0; k < kDwords; ++k)
            if (k == 0 || c.op.contiguous == 0)
                choose_addresses(c.op, k);
            else
                c.op.address[k][random_.below(kLanes)] = random_.bits();  // must not matter
        if (c.op.kind == TaCoalescerPins::kAtomic)
            align(c.op);
    }

  private:
    void choose_rates(Config& c) {
        if (!random_.one_in(8))
            return;
        const auto cycles = [&] {
            return static_cast<uint8_t>(random_.one_in(8) ? random_.below(128)
                                                          : 1 + random_.below(4));
        };
        c.load_quad = cycles();
        c.load_quarter = cycles();
        c.store_quarter =
            static_cast<uint16_t>(random_.one_in(8) ? random_.below(512) : 1 + random_.below(4));
        c.atomic_quad = cycles();
        c.load_pair = cycles();
        c.load_scattered = cycles();
        c.load_scattered_triple = cycles();
        c.linear_lines = static_cast<uint8_t>(1 + random_.below(4));
    }

    void choose_kind(Operation& op) {
        static constexpr uint8_t kKinds[] = {
            TaCoalescerPins::kLoad,   TaCoalescerPins::kLoad,  TaCoalescerPins::kLoad,
            TaCoalescerPins::kLoad,   TaCoalescerPins::kLoad,  TaCoalescerPins::kStore,
            TaCoalescerPins::kStore,  TaCoalescerPins::kStore, TaCoalescerPins::kAtomic,
            TaCoalescerPins::kAtomic, TaCoalescerPins::kAtomic};
        op.kind = random_.one_in(40) ? uint8_t{TaCoalescerPins::kNothing} : random_.pick(kKinds);
        op.compares = random_.one_in(4) ? 1 : 0;
        static constexpr uint8_t kSizes[] = {1, 2, 4, 4, 4, 8, 12, 16, 16};
        op.bytes =
            random_.one_in(20) ? static_cast<uint8_t>(1 + random_.below(16)) : random_.pick(kSizes);
        if (op.kind == TaCoalescerPins::kAtomic)
            op.bytes = random_.one_in(3) ? 8 : 4;
        op.dwords =
            static_cast<uint8_t>(random_.one_in(4) ? 1 + random_.below(4) : (op.bytes + 3u) / 4);
        op.contiguous = random_.one_in(4) ? 0 : 1;
    }

    void choose_lanes(Operation& op) {
        op.lanes = some_lanes();
        for (uint64_t& lanes : op.dword_lanes)
            switch (random_.below(6)) {
                case 0:
                    lanes = random_.bits();
                    break;
                case 1:
                    lanes = 0;
                    break;
                case 2:  // whole quads without it
                    lanes = spread(random_.bits() & random_.bits());
                    break;
                case 3:
                    lanes = op.lanes & (bit(random_.below(64)) - 1);
                    break;
                default:
                    lanes = op.lanes;
                    break;
            }
    }
    // Bit n of `quads` for each lane of quad n.
    static uint64_t spread(uint64_t quads) {
        uint64_t lanes = 0;
        for (unsigned q = 0; q < 16; ++q)
            lanes |= (quads >> q & 1) * 0xF << 4 * q;
        return lanes;
    }
    uint64_t some_lanes() {
        switch (random_.below(12)) {
            case 0:
                return random_.one_in(4) ? 0 : bit(random_.below(64));
            case 1:
                return random_.bits();
            case 2:
                return random_.bits() & random_.bits() & random_.bits();
            case 3:
                return bit(random_.below(64)) - 1;
            case 4:
                return spread(random_.bits());
            case 5:
                return uint64_t{0xFFFF} << 16 * random_.below(4);
            case 6:
                return ~(bit(random_.below(64)) | bit(random_.below(64)));
            default:
                return ~uint64_t{0};
        }
    }

    uint64_t some_address() {
        switch (random_.below(8)) {
            case 0:
                return random_.bits();
            case 1:  // about the end of all addresses
                return 0 - uint64_t{random_.below(1200)};
            case 2:
                return uint64_t{random_.below(1 << 20)} << 24 | random_.below(256);
            default:
                return uint64_t{random_.below(1 << 16)} << 12 |
                       (random_.one_in(3)   ? random_.below(128)
                        : random_.one_in(2) ? 4 * random_.below(32)
                                            : 0);
        }
    }

    void choose_addresses(Operation& op, unsigned k) {
        TaCoalescerPins::PerLane& at = op.address[k];
        const uint64_t base =
            k != 0 && !random_.one_in(8) ? op.address[0][0] + near(k) : some_address();
        static constexpr uint32_t kStrides[] = {0,  1,  2,  4,  8,  12,  16,
                                                20, 32, 60, 64, 68, 128, 256};
        const uint32_t stride = random_.one_in(2) ? op.bytes : random_.pick(kStrides);
        const unsigned pattern = random_.below(10);
        for (unsigned lane = 0; lane < kLanes; ++lane)
            at[lane] = base + stride * lane;
        switch (pattern) {
            case 0:  // some lanes elsewhere, nearby or where only upper bits differ
                for (unsigned n = 1 + random_.below(3); n-- > 0;) {
                    const bool far = random_.one_in(3);
                    at[random_.below(kLanes)] +=
                        far ? bit(32 + random_.below(32)) : uint64_t{random_.below(256)} - 128;
                }
                break;
            case 1:  // within few lines
                few_lines(at, base, 1 + random_.below(6), 1);
                break;
            case 2:
                few_lines(at, base, 1 + random_.below(6), op.bytes);
                break;
            case 3:  // each quad again
                for (unsigned lane = 0; lane < kLanes; ++lane)
                    at[lane] =
                        lane % 4 == 0 ? base + 4 * random_.below(200) : at[lane - 1] + stride;
                break;
            case 4:  // each quarter wave again
                for (unsigned lane = 0; lane < kLanes; ++lane)
                    at[lane] = lane % 16 == 0
                                   ? base + 4 * random_.below(200)
                                   : at[lane - 1] + (lane / 16 % 2 == 0 ? stride : op.bytes);
                break;
            case 5:  // rows of lanes, now and then with a step between them
                for (unsigned lane = 1; lane < kLanes; ++lane)
                    at[lane] =
                        random_.one_in(9) ? base + random_.below(640) : at[lane - 1] + stride;
                break;
            case 6:
                if (random_.one_in(2))
                    for (uint64_t& address : at)
                        address = random_.bits();
                break;
            default:
                break;
        }
    }
    void few_lines(TaCoalescerPins::PerLane& at, uint64_t base, unsigned lines, unsigned unit) {
        const uint32_t units = std::max(64 * lines / unit, 1u);
        for (uint64_t& address : at)
            address = base + uint64_t{unit} * random_.below(units);
    }
    // Where dword k lies, from dword 0 of lane 0.
    uint64_t near(unsigned k) {
        return random_.one_in(2)   ? 4 * k
               : random_.one_in(2) ? 256 * k
                                   : uint64_t{random_.below(512)} - 256;
    }

    // Nearly always, and now and then all lanes on few locations.
    void align(Operation& op) {
        const uint64_t low = op.bytes - 1u;
        const unsigned locations = random_.one_in(3) ? 1 + random_.below(6) : 0;
        const uint64_t base = op.address[0][0];
        for (uint64_t& address : op.address[0]) {
            if (locations != 0)
                address = base + uint64_t{op.bytes} * random_.below(locations);
            address &= ~low;
        }
        if (random_.one_in(10))
            for (unsigned n = 1 + random_.below(3); n-- > 0;)
                op.address[0][random_.below(kLanes)] |=
                    random_.one_in(3) ? 4 : 1 + random_.below(7);
    }

    Random& random_;
};

// ---- what was reached

// An instruction with its groups and requests.
class Shape {
  public:
    struct Group {
        unsigned end = 0;  // first lane after it
        uint64_t lanes = 0;
        unsigned made = 0;        // requests
        bool touches = false;     // any line
        bool joins = false;       // the request made last before it
        bool joins_late = false;  // by a touch after that of a request of its own
        bool sixteen = false;
    };
    void take(const Command& c) {
        cu::operation_of_pins(c.op, op);
        requests.clear();
        aligned = true;
        if (op.kind != VectorMemOp::Kind::CacheInvalidate)
            cu::coalesce(op, {}, requests, aligned);
        find_groups();
    }
    bool one_element() const { return op.contiguous && op.bytes <= 4; }
    unsigned quads() const {
        unsigned n = 0;
        for (unsigned q = 0; q < 16; ++q)
            n += (op.lanes >> 4 * q & 0xF) != 0 ? 1 : 0;
        return n;
    }

    VectorMemOp op;
    std::vector<LineAccess> requests;
    bool aligned = true;
    std::vector<Group> groups;

  private:
    void find_groups() {
        groups.clear();
        for (unsigned first = 0; first < kLanes;) {
            const uint64_t quarter = op.lanes & uint64_t{0xFFFF} << first / 16 * 16;
            Group g;
            g.sixteen = quarter != 0 && first % 16 == 0 && cu::is_one_group(op, quarter);
            const unsigned size = g.sixteen ? 16 : 4;
            g.end = first + size;
            g.lanes = op.lanes & ((bit(size) - 1) << first);
            if (g.lanes != 0) {
                describe(g);
                groups.push_back(g);
            }
            first = g.end;
        }
    }
    void describe(Group& g) const {
        unsigned first_made = kLanes;
        for (const LineAccess& access : requests) {
            g.touches |= (access.lanes & g.lanes) != 0;
            if ((g.lanes >> lowest(access.lanes) & 1) == 0)
                continue;
            first_made = std::min(first_made, lowest(access.lanes));
            ++g.made;
        }
        for (const LineAccess& access : requests)
            if ((access.lanes & g.lanes) != 0 && (g.lanes >> lowest(access.lanes) & 1) == 0) {
                g.joins = true;
                g.joins_late = lowest(access.lanes & g.lanes) > first_made;
            }
    }
};

class TaCoalescerCoverage {
  public:
    TaCoalescerCoverage() {
        kinds_ = coverage_.add_group("instruction",
                                     {"load", "store", "atomic", "compare-and-swap", "nothing"});
        std::vector<std::string> sizes;
        for (const char* kind : {"load", "store"})
            for (const char* bytes : {"1", "2", "4", "8", "12", "16", "other"})
                sizes.push_back(std::string(kind) + " of bytes: " + bytes);
        for (const char* rest : {"atomic of 8 bytes", "compare-and-swap of 8 bytes"})
            sizes.emplace_back(rest);
        sizes_ = coverage_.add_group("size", sizes);
        lanes_ = coverage_.add_group("lanes", {"all", "none", "one", "the first ones",
                                               "a quad without", "a quarter wave without"});
        groups_ = coverage_.add_group(
            "groups", {"sixteen beside each other", "sixteen on one address", "sixteen with gaps",
                       "quads and sixteen in one load", "quads, as the registers are several",
                       "quads of dwords", "pieces of a load", "pieces of a store"});
        requests_ = coverage_.add_group(
            "requests", {"of an instruction: 0", "1", "2-4", "5-8", "9-16", "17-32", "33-64",
                         "65-128", "more", "of a group: 1", "of a group: 2-4", "of a group: 5-8",
                         "of a group: 9-16", "of a group: 17-32", "of a group: more"});
        window_ = coverage_.add_group(
            "line of the request before",
            {"joined", "joined behind a line of its own", "joined, and nothing else",
             "three groups in one request", "requested again, as another came between",
             "joined by an atomic", "passed over by a group without touch"});
        pieces_ = coverage_.add_group(
            "pieces", {"over the end of a line", "over the end of all addresses",
                       "group without touch in between", "group without touch at the end",
                       "no touch at all", "dword for lanes that have none",
                       "two dwords of a lane in one line", "dwords of a lane in several lines"});
        atomics_ = coverage_.add_group(
            "atomics",
            {"one location twice in a quad", "four times", "location of the request before",
             "several locations in a request", "several lines in a quad",
             "an earlier request of the line joined", "misaligned: first lane",
             "misaligned: later lane", "misaligned: lanes behind it", "misaligned: by 4 of 8"});
        extra_ = coverage_.add_group("beyond the groups",
                                     {"two registers", "12 bytes scattered", "16 bytes scattered",
                                      "as many requests as linear", "one more"});
        flow_ = coverage_.add_group(
            "flow", {"instruction waits", "request waits", "one leaves", "two leave", "three leave",
                     "four leave", "shown up to the last", "taken in successive cycles",
                     "held by requests that do not leave", "idle", "reset while working",
                     "reset of requests"});
    }

    const Coverage& coverage() const { return coverage_; }

    void count(const Command& c) {
        shape_.take(c);
        const VectorMemOp& op = shape_.op;
        const bool atomic = op.kind == VectorMemOp::Kind::Atomic;
        count_kind(c);
        count_lanes(op.lanes);
        count_requests();
        if (atomic)
            count_atomic();
        else
            count_pieces(c);
        count_groups();
        count_window();
        count_extra(c.cfg);
    }

    void count_flow(const In& in, const Out& out) {
        const bool taken = in.op_valid != 0 && out.op_ready != 0 && in.rst == 0;
        unsigned shown = 0, leave = 0;
        for (; shown < TaCoalescerPins::kRequests && out.out_valid[shown] != 0; ++shown)
            leave += leave == shown && in.out_ready[shown] != 0 ? 1 : 0;
        coverage_.hit(flow_, 0, in.op_valid != 0 && out.op_ready == 0);
        coverage_.hit(flow_, 1, shown != 0 && in.out_ready[0] == 0);
        if (leave != 0)
            coverage_.hit(flow_, 1 + leave);
        coverage_.hit(flow_, 6, shown != 0 && shown < 4 && out.out[shown - 1].last != 0);
        coverage_.hit(flow_, 7, taken && taken_before_);
        held_ = leave == 0 && shown != 0 && out.op_ready == 0 ? held_ + 1 : 0;
        coverage_.hit(flow_, 8, held_ > 8);
        coverage_.hit(flow_, 9, in.op_valid == 0 && out.op_ready != 0 && shown == 0);
        coverage_.hit(flow_, 10, in.rst != 0 && out.op_ready == 0);
        coverage_.hit(flow_, 11, in.rst != 0 && shown != 0);
        taken_before_ = taken;
    }

  private:
    void count_kind(const Command& c) {
        const VectorMemOp& op = shape_.op;
        const bool atomic = op.kind == VectorMemOp::Kind::Atomic;
        const bool alone = compares(op.atomic);
        coverage_.hit(kinds_, atomic && alone                          ? 3
                              : c.op.kind == TaCoalescerPins::kNothing ? 4
                                                                       : c.op.kind);
        if (op.lanes == 0)
            return;
        static constexpr unsigned kSizes[] = {1, 2, 4, 8, 12, 16};
        const size_t size =
            std::find(std::begin(kSizes), std::end(kSizes), op.bytes) - std::begin(kSizes);
        if (c.op.kind <= TaCoalescerPins::kStore)
            coverage_.hit(sizes_, 7 * c.op.kind + size);
        coverage_.hit(sizes_, 14, atomic && !alone && op.bytes == 8);
        coverage_.hit(sizes_, 15, atomic && alone && op.bytes == 8);
    }
    void count_lanes(uint64_t lanes) {
        bool quad = false, quarter = false;
        for (unsigned n = 0; n < 16; ++n)
            quad |= (lanes >> 4 * n & 0xF) == 0;
        for (unsigned n = 0; n < 4; ++n)
            quarter |= (lanes >> 16 * n & 0xFFFF) == 0;
        coverage_.hit(lanes_, 0, lanes == ~uint64_t{0});
        coverage_.hit(lanes_, 1, lanes == 0);
        coverage_.hit(lanes_, 2, count_of(lanes) == 1);
        coverage_.hit(lanes_, 3, lanes != 0 && lanes != ~uint64_t{0} && (lanes & (lanes + 1)) == 0);
        coverage_.hit(lanes_, 4, lanes != 0 && quad);
        coverage_.hit(lanes_, 5, lanes != 0 && quarter);
    }
    // The bin of a number in 0, 1, 2-4, 5-8, 9-16, ...
    static size_t bin_of(size_t n) {
        size_t bin = 0;
        while (n > (bin < 2 ? bin : size_t{2} << (bin - 1)))
            ++bin;
        return bin;
    }
    void count_requests() {
        coverage_.hit(requests_, std::min<size_t>(bin_of(shape_.requests.size()), 8));
        for (const Shape::Group& g : shape_.groups)
            if (g.made != 0)
                coverage_.hit(requests_, 8 + std::min<size_t>(bin_of(g.made), 6));
    }
    void count_groups() {
        const VectorMemOp& op = shape_.op;
        const bool load = op.kind == VectorMemOp::Kind::Load;
        bool sixteen = false, four = false;
        for (const Shape::Group& g : shape_.groups) {
            (g.sixteen ? sixteen : four) = true;
            if (!load || count_of(g.lanes) < 2)
                continue;
            const unsigned lead = lowest(g.lanes);
            const uint64_t other = op.addr[0][lowest(g.lanes & (g.lanes - 1))];
            coverage_.hit(groups_, 0, g.sixteen && other != op.addr[0][lead]);
            coverage_.hit(groups_, 1, g.sixteen && other == op.addr[0][lead]);
            coverage_.hit(groups_, 2, g.sixteen && count_of(g.lanes) < 16);
            coverage_.hit(groups_, 5, !g.sixteen && shape_.one_element() && op.dwords == 1);
        }
        coverage_.hit(groups_, 3, load && sixteen && four);
        coverage_.hit(groups_, 4, load && four && shape_.one_element() && op.dwords != 1);
        coverage_.hit(groups_, 6, load && !op.contiguous && shape_.requests.size() > 1);
        coverage_.hit(
            groups_, 7,
            op.kind == VectorMemOp::Kind::Store && !op.contiguous && shape_.requests.size() > 1);
    }
    void count_window() {
        const bool atomic = shape_.op.kind == VectorMemOp::Kind::Atomic;
        bool joined = false;
        for (const Shape::Group& g : shape_.groups) {
            coverage_.hit(window_, 0, g.joins);
            coverage_.hit(window_, 1, g.joins_late);
            coverage_.hit(window_, 2, g.joins && g.made == 0);
            coverage_.hit(window_, 3, g.joins && joined && g.made == 0);
            coverage_.hit(window_, 5, atomic && g.joins);
            joined = g.joins && g.made == 0;
        }
        std::set<uint64_t> lines;
        for (const LineAccess& access : shape_.requests)
            lines.insert(access.line);
        coverage_.hit(window_, 4, !atomic && lines.size() < shape_.requests.size());
        for (size_t n = 2; n < shape_.groups.size(); ++n)
            coverage_.hit(window_, 6, shape_.groups[n].joins && !shape_.groups[n - 1].touches);
    }
    void count_pieces(const Command& c) {
        const VectorMemOp& op = shape_.op;
        const unsigned pieces = op.contiguous ? 1 : (op.bytes + 3u) / 4;
        bool over = false, wraps = false, beyond = false, together = false, apart = false;
        for (uint64_t m = op.lanes; m != 0; m &= m - 1) {
            const unsigned lane = lowest(m);
            for (unsigned k = 0; k < pieces; ++k) {
                if (!op.contiguous && (op.dword_lanes[k] >> lane & 1) == 0)
                    continue;
                const uint64_t first = op.addr[k][lane];
                const uint64_t last =
                    first + (op.contiguous ? op.bytes : std::min(op.bytes - 4 * k, 4u)) - 1;
                over |= line_of(last) != line_of(first);
                wraps |= last < first;
                if (k == 0 || (op.dword_lanes[k - 1] >> lane & 1) == 0)
                    continue;
                (line_of(op.addr[k - 1][lane]) == line_of(first) ? together : apart) = true;
            }
        }
        for (unsigned k = 0; k < pieces && !op.contiguous; ++k)
            beyond |= (c.op.dword_lanes[k] & ~op.lanes) != 0;
        coverage_.hit(pieces_, 0, over);
        coverage_.hit(pieces_, 1, wraps);
        bool gap = false, between = false;
        for (const Shape::Group& g : shape_.groups) {
            between |= gap && g.touches;
            gap = !g.touches;
        }
        coverage_.hit(pieces_, 2, between);
        coverage_.hit(pieces_, 3, gap && !shape_.requests.empty());
        coverage_.hit(pieces_, 4, op.lanes != 0 && shape_.requests.empty());
        coverage_.hit(pieces_, 5, beyond);
        coverage_.hit(pieces_, 6, together);
        coverage_.hit(pieces_, 7, apart);
    }
    void count_atomic() {
        const VectorMemOp& op = shape_.op;
        if (!shape_.aligned) {
            const uint64_t lane = shape_.requests.back().lanes;
            coverage_.hit(atomics_, lane == (op.lanes & (0 - op.lanes)) ? 6 : 7);
            coverage_.hit(atomics_, 8, (op.lanes & ~(2 * lane - 1)) != 0);
            coverage_.hit(atomics_, 9, op.bytes == 8 && op.addr[0][lowest(lane)] % 8 == 4);
        }
        if (compares(op.atomic))
            return;
        uint64_t before = 0;  // lanes of the request made last
        for (const Shape::Group& g : shape_.groups) {
            unsigned most = 0;
            bool lines = false, again = false;
            for (uint64_t m = g.lanes; m != 0; m &= m - 1) {
                const uint64_t at = op.addr[0][lowest(m)];
                unsigned same = 0;
                for (uint64_t n = g.lanes; n != 0; n &= n - 1) {
                    same += op.addr[0][lowest(n)] == at ? 1 : 0;
                    lines |= line_of(op.addr[0][lowest(n)]) != line_of(at);
                }
                most = std::max(most, same);
                for (uint64_t n = before; n != 0; n &= n - 1)
                    again |= op.addr[0][lowest(n)] == at;
            }
            coverage_.hit(atomics_, 0, most == 2);
            coverage_.hit(atomics_, 1, most == 4);
            coverage_.hit(atomics_, 2, again);
            coverage_.hit(atomics_, 4, lines);
            for (const LineAccess& access : shape_.requests)
                if ((g.lanes >> lowest(access.lanes) & 1) != 0)
                    before = access.lanes;
        }
        for (size_t n = 0; n < shape_.requests.size(); ++n) {
            const LineAccess& a = shape_.requests[n];
            coverage_.hit(atomics_, 3, count_of(a.lanes) > 1);
            if (n + 1 == shape_.requests.size())
                continue;
            const LineAccess& b = shape_.requests[n + 1];
            // A lane of the first after the second was made.
            coverage_.hit(atomics_, 5,
                          a.line == b.line && lowest(b.lanes) / 4 == lowest(a.lanes) / 4 &&
                              (a.lanes & ~(2 * (b.lanes & (0 - b.lanes)) - 1)) != 0);
        }
    }
    void count_extra(const Config& cfg) {
        const VectorMemOp& op = shape_.op;
        if (op.kind != VectorMemOp::Kind::Load || op.lanes == 0)
            return;
        coverage_.hit(extra_, 0, op.dwords == 2);
        if (op.bytes < 12 || op.dwords == 2)
            return;
        const size_t linear = size_t{cfg.linear_lines} * shape_.quads();
        const size_t n = shape_.requests.size();
        coverage_.hit(extra_, 1, op.bytes == 12 && n > linear);
        coverage_.hit(extra_, 2, op.bytes == 16 && n > linear);
        coverage_.hit(extra_, 3, n == linear);
        coverage_.hit(extra_, 4, n == linear + 1);
    }

    Shape shape_;
    Coverage coverage_;
    size_t kinds_ = 0, sizes_ = 0, lanes_ = 0, groups_ = 0, requests_ = 0, window_ = 0, pieces_ = 0,
           atomics_ = 0, extra_ = 0, flow_ = 0;
    bool taken_before_ = false;
    unsigned held_ = 0;  // cycles
};

class TaCoalescerStimulus : public Stimulus<TaCoalescerPins> {
  public:
    explicit TaCoalescerStimulus(const CosimOptions& options)
        : random_(options.seed), commands_(recorded_traffic<Command>(options)) {}

    void next(In& in) override {
        in.rst = !commands_.is_recorded() && random_.one_in(2'000) ? 1 : 0;
        const Command* command =
            commands_.in_cycle(op_flow_.next(random_), [&](Command& c) { choose_(c); });
        in.op_valid = command != nullptr ? 1 : 0;
        if (command != nullptr) {
            in.op = command->op;
            in.cfg = command->cfg;
        } else if (!commands_.is_recorded()) {
            in.op.kind = random_.below(4) & 3;  // must not matter
            in.op.lanes = random_.bits();
            in.op.address[0][random_.below(kLanes)] = random_.bits();
        }
        // A lane is ready only when those before it are.
        unsigned ready = out_flow_.next(random_) ? TaCoalescerPins::kRequests : 0;
        if (random_.one_in(4))
            ready = random_.below(ready + 1);
        for (unsigned n = 0; n < TaCoalescerPins::kRequests; ++n)
            in.out_ready[n] = n < ready ? 1 : 0;
    }

    void observe(const In& in, const Out& out) override {
        coverage_.count_flow(in, out);
        const bool taken = in.op_valid != 0 && out.op_ready != 0;
        if (taken && in.rst == 0)
            coverage_.count({in.cfg, in.op});
        inside_ += taken ? 1 : 0;
        for (unsigned n = 0; n < TaCoalescerPins::kRequests; ++n)
            inside_ -=
                out.out_valid[n] != 0 && in.out_ready[n] != 0 && out.out[n].last != 0 ? 1 : 0;
        if (taken || in.rst != 0)
            commands_.drop();
        if (in.rst != 0)
            inside_ = 0;
    }

    bool finished() const override { return commands_.is_used_up() && inside_ == 0; }
    const Coverage& coverage() const override { return coverage_.coverage(); }

  private:
    Random random_;
    Activity op_flow_, out_flow_;
    Offer<Command> commands_;
    OperationChooser choose_{random_};
    TaCoalescerCoverage coverage_;
    unsigned inside_ = 0;  // instructions taken whose last request has not left
};

struct Parts {
    using Pins = TaCoalescerPins;
    using Core = cu::TaCoalescerCore;
    using Stimulus = TaCoalescerStimulus;
    using Recording = TaCoalescerRecording;
    using Unit = cu::PinCoalesceUnit;
    static constexpr const char* kDescription = "coalescer of a compute unit's address unit";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::CoalesceUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
