// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the prefetch parser: rings and indirect buffers full of packets, most of them
// well formed.
#include <algorithm>
#include <array>
#include <deque>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cp/packets/si/route_rule.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/pfp_pins.h"
#include "models/cp/pm4/packet_stop.h"
#include "models/cp/registers/si/si_pin_cores.h"
#include "pins/cp_pfp_parser_pins.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using In = CpPfpParserPins::In;
using Out = CpPfpParserPins::Out;
using cp::OpStep;
using cp::ParseFault;
using cp::StallReason;
constexpr unsigned kRings = CpPfpParserPins::kRings;
constexpr unsigned kLevels = CpPfpParserPins::kStreams / CpPfpParserPins::kRings;
constexpr unsigned kStreams = CpPfpParserPins::kStreams;
constexpr unsigned kLine = CpPfpParserPins::kLineDwords;
constexpr uint32_t kType2 = 0x80000000;
constexpr uint32_t kLatestReset = 0xf0000000;  // cycle

// By number; those without a name are not used.
constexpr const char* kFaults[] = {"type-1 header",
                                   "unknown opcode",
                                   "wrong ring",
                                   "for the constant engine",
                                   "unimplemented",
                                   "wrong size",
                                   "cut off",
                                   "engine CE",
                                   "",
                                   "engine of a copy",
                                   "",
                                   "nested too deep",
                                   "chained",
                                   "empty buffer",
                                   "swap code",
                                   "ring moved",
                                   "skip too far"};
constexpr unsigned kFaultCount = sizeof kFaults / sizeof *kFaults;
static_assert(kFaultCount == static_cast<unsigned>(ParseFault::SkipTooFar));

// Reasons to stall that the parser and its programs have; those after are ME's alone.
constexpr auto kReasons = static_cast<uint32_t>(StallReason::Context);
static_assert(kReasons <= 16, "the pins have four bits for a reason");

class PfpStimulus : public Stimulus<CpPfpParserPins> {
  public:
    explicit PfpStimulus(const CosimOptions& options)
        : random_(options.seed), recorded_(recorded_traffic<In>(options)) {
        for (const cp::PacketInfo& info : table_)
            (info.implemented() ? packets_ : others_).push_back(&info);
        start_over();
        add_bins();
    }

    void next(In& in) override {
        if (recorded_ != nullptr) {
            in = (*recorded_)[at_++];
            return;
        }
        if (held_) {
            in = last_;
            in.hold = random_.one_in(4) ? 1 : 0;
            if (in.hold != 0)
                choose_programs(in);
            last_ = in;
            held_ = in.hold != 0;
            return;
        }
        in = {};
        rare_.next_cycle();
        in.now = now_ += 1 + passed_over();
        if (loaded_ < CpPfpParserPins::kPackets) {
            in.table_valid = 1;
            in.table_opcode = static_cast<uint8_t>(loaded_);
            in.table_entry = entry(loaded_++);
            in.packet_cycles = packet_cycles_;
            in.rst = 1;
            return;
        }
        if (random_.one_in(16)) {  // once more, and what does not write
            in.table_valid = random_.one_in(2) ? 1 : 0;
            in.table_opcode = static_cast<uint8_t>(random_.word());
            in.table_entry = in.table_valid != 0 ? entry(in.table_opcode) : random_.bits();
        }
        in.rst = random_.one_in(stopped_ ? 6 : 5'000) ? 1 : 0;
        if (in.rst != 0 && random_.one_in(4))
            now_ = random_.of_any_width(0, kLatestReset);
        if (in.rst != 0)
            packet_cycles_ = static_cast<uint16_t>(
                random_.one_in(5) ? random_.of_any_width(1, 0xffff) : 1 + random_.below(4));
        in.packet_cycles = packet_cycles_;
        in.accept = pause_flow_.next(random_) || random_.one_in(2) ? 1 : 0;
        in.parse = in.accept != 0 || random_.one_in(2) ? 1 : 0;
        in.halt_valid = rare_.one_in(halted_ ? 8 : 400) ? 1 : 0;
        in.halt_level = !halted_ && random_.one_in(2) ? 1 : 0;
        for (unsigned r = 0; r < kRings; ++r) {
            in.sync[r] = rare_.one_in(24) ? 1 : 0;
            if (rare_.one_in(200))
                predicate_[r] = !predicate_[r];
            in.pred_skip[r] = predicate_[r] ? 1 : 0;
            in.ce_ready[r] = ce_flow_[r].next(random_) ? 1 : 0;
            in.meq_ready[r] = meq_flow_[r].next(random_) ? 1 : 0;
            if (in.rst == 0)
                update(r, in);
        }
        in.fetch_ready = fetch_flow_.next(random_) ? 1 : 0;
        for (unsigned i = 0; i < kStreams; ++i)
            offer(i, in);
        choose_programs(in);
        held_ = in.rst == 0 && random_.one_in(12);
        in.hold = held_ ? 1 : 0;
        last_ = in;
    }

    void observe(const In& in, const Out& out) override {
        count(in, out);
        if (recorded_ != nullptr) {
            before_ = in.rst != 0 ? Out{} : out;
            return;
        }
        if (in.rst != 0) {
            start_over();
            before_ = {};
            return;
        }
        if (in.hold != 0)
            return;
        moved_ = moves(out);
        if (in.halt_valid != 0)
            halted_ = in.halt_level != 0;
        stopped_ = out.error_code != 0;
        for (unsigned i = 0; i < kStreams; ++i)
            if (out.roq_ready[i] != 0)
                streams_[i].offered = 0;
        if (out.take_valid != 0) {
            Ring& ring = rings_[out.take_ring];
            if (out.take_level == 0)
                --ring.unread;
            if (out.take_kind == 0)
                ring.rest = out.take_dword >> 30 == 2 ? 0 : cp::header_body_dwords(out.take_dword);
            else if (ring.rest > 0)
                --ring.rest;
        }
        if (out.fetch_valid != 0) {
            Stream& s = streams_[out.fetch_ring * kLevels + out.fetch_level];
            s = {};
            s.left = out.fetch_dwords;
        }
        before_ = out;
    }

    bool finished() const override { return recorded_ != nullptr && at_ == recorded_->size(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    struct Stream {
        std::deque<uint32_t> dwords;  // not offered yet
        uint32_t left = 0;            // to be chosen after them
        unsigned offered = 0;         // dwords of the line in front of the queue
        uint8_t first = 0;
        std::array<uint32_t, kLine> line{};
    };
    struct Ring {
        bool enabled = false, set_up = false;
        uint64_t base = 0;
        uint32_t dwords = 0, write_pointer = 0;
        uint32_t unread = 0;
        uint32_t rest = 0;  // body dwords of its packet that are not taken
    };

    // After such a cycle a chip's parser sees the next one; else it may sleep.
    static bool moves(const Out& out) {
        bool any = out.take_valid != 0 || out.fetch_valid != 0 || out.done_valid != 0;
        for (unsigned r = 0; r < kRings; ++r)
            any |= out.meq_valid[r] != 0 || out.ce_valid[r] != 0 || out.event_exec[r] != 0;
        return any;
    }
    uint64_t entry(unsigned opcode) const {
        return cp::parser_entry(table_.find(static_cast<uint8_t>(opcode)));
    }
    void start_over() {
        rings_ = {};
        streams_ = {};
        stopped_ = halted_ = held_ = false;
    }

    // ---- rings
    // Cycles in which the parser of a chip sleeps: what it waits for may be far away.
    uint32_t passed_over() {
        if (moved_ || !random_.one_in(10))
            return 0;
        return random_.below(random_.one_in(4) ? packet_cycles_ + 6u : 6u);
    }
    uint32_t ring_size() {
        static constexpr uint32_t kSizes[] = {16, 16, 48, 100, 256};
        return random_.one_in(6) ? random_.of_any_width(16, ~0u) : random_.pick(kSizes);
    }
    void update(unsigned r, In& in) {
        Ring& ring = rings_[r];
        const bool at_rest = ring.unread == 0 && before_.runnable[r] == 0;
        bool send = false, reset = false;
        uint32_t read_pointer = random_.word();
        if (in.accept == 0) {
            in.upd_valid[r] = random_.one_in(8) ? 1 : 0;  // must not matter
            in.upd_reset[r] = 1;
            in.upd_base[r] = random_.bits();
            return;
        }
        if (!ring.set_up || (at_rest && rare_.one_in(100))) {
            send = true;
            reset = !ring.set_up || random_.one_in(2);
            ring.set_up = ring.enabled = true;
            if (reset) {
                ring.dwords = ring_size();
                ring.base = random_.bits() & ~uint64_t{0xff};
                read_pointer = ring.write_pointer = random_.one_in(2)
                                                        ? random_.below(ring.dwords)
                                                        : ring.dwords - 1 - random_.below(16);
            }
        } else if (rare_.one_in(2'000)) {  // while it may not
            send = true;
            reset = random_.one_in(2);
            if (!reset && random_.one_in(2))
                ring.base ^= uint64_t{1} << random_.below(64);
            else if (!reset)
                ring.dwords ^= 1u << random_.below(32);
        }
        if (rare_.one_in(ring.enabled ? 500 : 20)) {
            send = true;
            ring.enabled = !ring.enabled;
        }
        const uint32_t room = ring.dwords > ring.unread ? ring.dwords - ring.unread - 1 : 0;
        if (room > 1 && (ring_flow_[r].next(random_) || random_.one_in(50)) && random_.one_in(8)) {
            send = true;
            const uint32_t added =
                1 + random_.below(std::min(room, random_.one_in(2) ? 256u : 12u));
            streams_[r * kLevels].left += added;
            ring.unread += added;
            ring.write_pointer =
                static_cast<uint32_t>((uint64_t{ring.write_pointer} + added) % ring.dwords);
        }
        in.upd_valid[r] = send ? 1 : 0;
        in.upd_reset[r] = reset ? 1 : 0;
        in.upd_enabled[r] = ring.enabled ? 1 : 0;
        in.upd_read_pointer[r] = read_pointer;
        in.upd_write_pointer[r] = ring.write_pointer;
        in.upd_dwords[r] = ring.dwords;
        in.upd_base[r] = ring.base;
    }

    void offer(unsigned i, In& in) {
        Stream& s = streams_[i];
        while (s.dwords.size() < kLine && s.left != 0)
            fill(i / kLevels, i % kLevels, s);
        if (s.offered == 0 && !s.dwords.empty() && roq_flow_[i].next(random_)) {
            const unsigned most = std::min<unsigned>(kLine, static_cast<unsigned>(s.dwords.size()));
            s.offered = random_.one_in(2) ? most : 1 + random_.below(most);
            s.first = static_cast<uint8_t>(random_.below(kLine - s.offered + 1));
            for (uint32_t& dword : s.line)
                dword = random_.word();
            for (unsigned k = 0; k < s.offered; ++k) {
                s.line[s.first + k] = s.dwords.front();
                s.dwords.pop_front();
            }
        }
        in.roq_valid[i] = s.offered != 0 ? 1 : 0;
        in.roq_first[i] = s.first;
        in.roq_count[i] = static_cast<uint8_t>(std::max(s.offered, 1u));
        std::copy(s.line.begin(), s.line.end(), in.roq_dwords.begin() + i * kLine);
    }

    // What the programs of the rings would do.
    void choose_programs(In& in) {
        for (unsigned r = 0; r < kRings; ++r) {
            const uint32_t rest = rings_[r].rest;
            in.exec_result[r] = program(rest);
            in.exec_again[r] = program(rest > 0 ? rest - 1 : 0);
            in.exec_reason[r] = reason();
            in.exec_again_reason[r] = reason();
            in.exec_skip[r] =
                random_.one_in(12)
                    ? static_cast<uint16_t>(random_.one_in(8) ? random_.word() & 0x3fff
                                                              : random_.below(24))
                    : 0;
        }
    }
    uint8_t reason() { return static_cast<uint8_t>(1 + random_.below(kReasons - 1)); }
    uint8_t program(uint32_t rest) {
        const uint32_t how = random_.below(100);
        const bool odd = random_.one_in(400);
        const OpStep next = (rest > 0) != odd ? OpStep::NeedDword : OpStep::Finished;
        return static_cast<uint8_t>(how < 60   ? next
                                    : how < 75 ? OpStep::Advanced
                                    : how < 88 ? OpStep::Blocked
                                               : OpStep::Waiting);
    }

    // ---- packets
    // The next packet of a stream. The last one of a buffer hardly ever goes beyond its end.
    void fill(unsigned ring, unsigned level, Stream& s) {
        std::vector<uint32_t> packet;
        for (int attempt = 0; attempt < 4; ++attempt) {
            packet.clear();
            choose(ring, level, packet);
            if (packet.size() <= s.left || random_.one_in(100))
                break;
        }
        if (packet.size() > s.left && !random_.one_in(100))
            packet = {kType2};
        if (random_.one_in(level == 0 ? 400 : 2'000))
            packet = {long_header(level, s.left)};
        packet.resize(std::min<size_t>(packet.size(), s.left));
        s.left -= static_cast<uint32_t>(packet.size());
        s.dwords.insert(s.dwords.end(), packet.begin(), packet.end());
    }
    // Of a packet whose body is what follows, of any length; in a ring more than it has been given.
    uint32_t long_header(unsigned level, uint32_t left) {
        const uint32_t most =
            level == 0 || random_.one_in(8) ? 0x4000 : std::clamp(left - 1, 1u, 0x4000u);
        // Often a few dwords more than the upper bits say: what takes too few of them ends soon.
        const uint32_t count =
            random_.one_in(2) ? random_.of_any_width(1, most)
                              : std::min(most, random_.below(4) << 12 | (1 + random_.below(16)));
        return random_.one_in(4) ? cp::make_type0_header(4 * random_.below(0x10000), count)
                                 : cp::make_header(cp::si_opcode("NOP"), count);
    }

    uint32_t filler() { return random_.one_in(2) ? kType2 : random_.word(); }

    void choose(unsigned ring, unsigned level, std::vector<uint32_t>& p) {
        const uint32_t how = random_.below(100);
        if (how < 8) {
            p.push_back(kType2 | (random_.word() >> 2));
            return;
        }
        if (how < 16) {
            const uint32_t count = 1 + random_.below(6);
            p.push_back(cp::make_type0_header(4 * random_.below(0x10000), count));
            while (p.size() <= count)
                p.push_back(filler());
            return;
        }
        const bool wrong = random_.one_in(level == 0 ? 60 : 200);
        if (wrong && wrong_header(p))
            return;
        const cp::PacketInfo* info =
            how < 26   ? named("INDIRECT_BUFFER")
            : how < 34 ? named("WAIT_REG_MEM")
            : how < 42 ? named("WRITE_DATA")
            : how < 48 ? named("SURFACE_SYNC")
            : how < 52 ? named("PFP_SYNC_ME")
            : how < 55 ? named("COPY_DATA")
            : how < 60 ? named("INDIRECT_BUFFER_CONST")
            : how < 64 ? named("SET_BASE")
            : how < 67 ? named("CP_DMA")
                       : packets_[random_.below(static_cast<uint32_t>(packets_.size()))];
        if ((info->rings >> ring & 1) == 0 && !wrong)
            info = named("NOP");
        if (info->engine == cp::PacketEngine::Ce && !wrong)
            info = named("NOP");
        if (info->routing.rule == cp::si::kRuleFetch && level == 2 && !random_.one_in(30))
            info = named("NOP");
        uint32_t count = std::min<uint32_t>(info->max_dwords, info->min_dwords + random_.below(10));
        if (wrong && random_.one_in(4))
            count = random_.one_in(2) ? info->min_dwords - 1u : info->max_dwords + 1u;
        count = std::max(count, 1u);
        const uint8_t opcode = info->opcodes[random_.below(info->opcode_count)];
        p.push_back(cp::make_header(opcode, count, random_.one_in(4)) |
                    (random_.one_in(6) ? 1 : 0));
        if (random_.one_in(4))
            p[0] |= random_.word() & 0xfc;
        while (p.size() <= count && p.size() < 40)
            p.push_back(filler());
        p.resize(std::max<size_t>(p.size(), 4), kType2);
        operands(*info, level, wrong, p);
        p.resize(count + 1);
    }

    const cp::PacketInfo* named(const char* name) const { return table_.find_by_name(name); }

    // Engines and buffers the parser inspects.
    void operands(const cp::PacketInfo& info, unsigned level, bool wrong,
                  std::vector<uint32_t>& p) {
        const bool odd = wrong || random_.one_in(level == 0 ? 40 : 120);
        switch (info.routing.rule) {
            case cp::si::kRuleWriteData:
                p[1] = (p[1] & 0x3fffffff) | random_.below(odd ? 4 : 2) << 30;
                break;
            case cp::si::kRuleCopyData:
                p[1] = (p[1] & 0x3fffffff) | (odd ? random_.below(4) : 0) << 30;
                break;
            case cp::si::kRuleCpDma:
                p[2] = odd ? p[2] | 1u << 27 : p[2] & ~(1u << 27);
                break;
            case cp::si::kRuleWaitRegMem:
            case cp::si::kRuleSurfaceSync:
                p[1] = random_.word();
                break;
            case cp::si::kRuleSetBase:
                p[1] = random_.one_in(4) ? random_.word() : 2 + random_.below(2);
                p[2] = random_.word() & (random_.one_in(4)   ? 0xffffffff
                                         : random_.one_in(2) ? 0xffffffc0
                                                             : 0xffff00c0);
                p[3] = random_.one_in(4)   ? random_.word()
                       : random_.one_in(2) ? p[2] & 0xffff
                                           : random_.word() & 0x3ffc0;
                break;
            case cp::si::kRuleFetchConst:
            case cp::si::kRuleFetch: {
                // Buffers a little longer than the smallest ring show whether they wrap like one.
                const uint32_t size = level == 2            ? random_.below(4)
                                      : random_.one_in(300) ? random_.of_any_width(1, 0xfffff)
                                      : random_.one_in(3)
                                          ? 17 + random_.below(3)
                                          : 1 + random_.below(random_.one_in(6) ? 120 : 40);
                p[1] = (random_.word() & ~3u) | random_.below(3);
                p[2] = random_.word();
                p[3] = (random_.word() & 0xffe00000) | size;
                if (odd && random_.one_in(2))
                    p[3] |= 1u << 20;
                else if (odd && random_.one_in(2))
                    p[3] &= ~0xfffffu;
                else if (odd)
                    p[1] |= 3;
                break;
            }
            default:
                break;
        }
    }

    bool wrong_header(std::vector<uint32_t>& p) {
        switch (random_.below(4)) {
            case 0:
                p.push_back(0x40000000 | (random_.word() >> 2));
                return true;
            case 1: {
                uint8_t opcode = static_cast<uint8_t>(random_.word());
                while (table_.find(opcode) != nullptr)
                    ++opcode;
                p.push_back(cp::make_header(opcode, 1 + random_.below(3)));
                return true;
            }
            case 2: {
                const cp::PacketInfo* info =
                    others_[random_.below(static_cast<uint32_t>(others_.size()))];
                p.push_back(cp::make_header(info->opcodes[0], 1 + random_.below(3)));
                return true;
            }
            default:
                return false;
        }
    }

    // ---- coverage
    void add_bins() {
        std::vector<std::string> bins;
        for (const cp::PacketInfo* info : packets_)
            if (info->engine != cp::PacketEngine::Ce)
                bins.emplace_back(info->name);
        opcode_ = coverage_.add_group("packet", bins);
        bins.clear();
        for (unsigned i = 0; i < kStreams; ++i)
            for (const char* kind : {"header", "first dword", "other dword"})
                bins.push_back(std::string(ring_name(i / kLevels)) + " level " +
                               std::to_string(i % kLevels) + ": " + kind);
        take_ = coverage_.add_group("taken", bins);
        bins.clear();
        for (unsigned i = 0; i < kFaultCount; ++i) {
            const std::string fault = kFaults[i];
            if (fault.empty() || (fault == "for the constant engine" && !has_ce_packets()))
                continue;
            fault_bin_[i] = bins.size();
            bins.push_back(fault);
        }
        fault_ = coverage_.add_group("error", bins);
        bins.clear();
        for (unsigned reason = 0; reason < kReasons; ++reason)
            bins.emplace_back(cp::to_string(static_cast<StallReason>(reason)));
        stall_ = coverage_.add_group("stall", bins);
        bins.clear();
        for (unsigned r = 0; r < kRings; ++r)
            for (const char* what : {"forwarded",
                                     "forwarding waits",
                                     "skipped",
                                     "skipped by its predicate",
                                     "type 0",
                                     "type 2",
                                     "program begins",
                                     "program asked",
                                     "program given a dword",
                                     "program finished",
                                     "program finished with a skip",
                                     "buffer entered",
                                     "buffer entered from a buffer",
                                     "buffer waits",
                                     "waits for ME",
                                     "ends in the ring",
                                     "ends in a buffer",
                                     "ring wraps",
                                     "updated",
                                     "reset",
                                     "disabled",
                                     "several programs asked"})
                bins.push_back(std::string(ring_name(r)) + ": " + what);
        ring_ = coverage_.add_group("ring", bins);
        flow_ = coverage_.add_group(
            "flow", {"held", "halted", "paused", "stopped", "reset at work", "all rings runnable",
                     "two rings wait", "update refused", "held with an error"});
    }
    bool has_ce_packets() const {
        return std::any_of(packets_.begin(), packets_.end(), [](const cp::PacketInfo* info) {
            return info->engine == cp::PacketEngine::Ce;
        });
    }

    void count(const In& in, const Out& out) {
        coverage_.hit(flow_, 0, in.hold != 0);
        coverage_.hit(flow_, 1, halted_);
        coverage_.hit(flow_, 2, in.parse == 0 && in.accept == 0);
        coverage_.hit(flow_, 3, stopped_ && in.rst == 0);
        const unsigned runnable = out.runnable[0] + out.runnable[1] + out.runnable[2];
        coverage_.hit(flow_, 4, in.rst != 0 && before_.take_valid != 0);
        coverage_.hit(flow_, 5, runnable == 3);
        coverage_.hit(flow_, 6, runnable >= 2 && out.stall != 0 && out.take_valid == 0);
        coverage_.hit(flow_, 7, in.accept == 0 && in.upd_valid[0] != 0);
        coverage_.hit(flow_, 8, in.hold != 0 && out.error_code != 0 && !stopped_);
        if (in.hold != 0)
            return;
        coverage_.hit(stall_, out.stall);
        if (out.error_code != 0 && !stopped_) {
            coverage_.hit(fault_, fault_bin_[out.error_code - 1u]);
        }
        if (out.take_valid != 0)
            count_taken(out);
        for (unsigned r = 0; r < kRings; ++r)
            count_ring(r, in, out);
    }
    void count_taken(const Out& out) {
        coverage_.hit(take_, 3u * (out.take_ring * kLevels + out.take_level) + out.take_kind);
        if (out.take_kind != 0)
            return;
        header_[out.take_ring] = out.take_dword;
        const unsigned type = out.take_dword >> 30;
        hit(out.take_ring, 4, type == 0);
        hit(out.take_ring, 5, type == 2);
        if (type != 3)
            return;
        const cp::PacketInfo* info = table_.find(cp::header_opcode(out.take_dword));
        size_t bin = 0;
        for (const cp::PacketInfo* each : packets_) {
            if (each == info)
                coverage_.hit(opcode_, bin);
            bin += each->engine != cp::PacketEngine::Ce ? 1 : 0;
        }
    }
    void hit(unsigned r, unsigned bin, bool when = true) {
        coverage_.hit(ring_, r * 25 + bin, when);
    }
    // Whether the ring's last header is the first opcode of the packet.
    bool is(unsigned r, const char* packet) const {
        return cp::header_opcode(header_[r]) == table_.find_by_name(packet)->opcodes[0];
    }
    void count_ring(unsigned r, const In& in, const Out& out) {
        const bool acts = out.take_valid != 0 && out.take_ring == r;
        hit(r, 0, out.meq_valid[r] != 0);
        hit(r, 1, in.meq_ready[r] == 0 && out.phase[r] == 3);
        hit(r, 2, out.event_skip[r] != 0);
        hit(r, 3, out.event_skip[r] != 0 && in.pred_skip[r] != 0 && !is(r, "NOP"));
        hit(r, 6, out.event_begin[r] != 0);
        hit(r, 7, out.event_exec[r] != 0);
        hit(r, 8, acts && out.exec_give != 0);
        const bool finished = out.event_exec[r] != 0 && out.done_valid != 0 && out.done_ring == r;
        hit(r, 9, finished);
        hit(r, 10, out.event_exec[r] != 0 && out.phase[r] == 4);
        hit(r, 22, out.ce_valid[r] != 0 && out.ce_partition == 0);
        hit(r, 23, out.ce_valid[r] != 0 && out.ce_partition != 0);
        hit(r, 24,
            in.ce_ready[r] == 0 && in.meq_ready[r] != 0 &&
                out.stall == static_cast<uint8_t>(StallReason::QueueFull) &&
                (is(r, "INDIRECT_BUFFER_CONST") || is(r, "SET_BASE")));
        const bool enters = out.fetch_valid != 0 && out.fetch_ring == r;
        hit(r, 11, enters);
        hit(r, 12, enters && out.fetch_level == 2);
        hit(r, 13, in.fetch_ready == 0 && out.phase[r] == 5 && out.event_exec[r] == 0);
        hit(r, 14, out.phase[r] == 6);
        const bool ends = out.done_valid != 0 && out.done_ring == r;
        hit(r, 15, ends && out.done_top != 0);
        hit(r, 16, ends && out.done_top == 0);
        hit(r, 17, ends && out.done_top != 0 && out.done_place == 0);
        hit(r, 18, in.accept != 0 && in.upd_valid[r] != 0 && in.upd_reset[r] == 0);
        hit(r, 19, in.accept != 0 && in.upd_valid[r] != 0 && in.upd_reset[r] != 0);
        hit(r, 20, rings_[r].set_up && !rings_[r].enabled);
        hit(r, 21,
            out.event_exec[r] != 0 &&
                out.event_exec[0] + out.event_exec[1] + out.event_exec[2] >= 2);
    }

    const cp::PacketTable& table_ = cp::si_packet_table();
    Random random_;
    const std::vector<In>* recorded_;
    size_t at_ = 0;
    std::vector<const cp::PacketInfo*> packets_, others_;
    unsigned loaded_ = 0;
    uint32_t now_ = 1'000;
    bool moved_ = false;
    uint16_t packet_cycles_ = 1;
    bool held_ = false, stopped_ = false, halted_ = false;
    In last_;
    RareEvents rare_{random_};
    std::array<Ring, kRings> rings_;
    std::array<Stream, kStreams> streams_;
    std::array<bool, kRings> predicate_{};
    std::array<uint32_t, kRings> header_{};
    Activity pause_flow_, fetch_flow_;
    std::array<Activity, kRings> meq_flow_, ring_flow_, ce_flow_;
    std::array<Activity, kStreams> roq_flow_;
    Out before_;
    Coverage coverage_;
    std::array<size_t, kFaultCount> fault_bin_{};
    size_t opcode_ = 0, take_ = 0, fault_ = 0, stall_ = 0, ring_ = 0, flow_ = 0;
};

struct Parts {
    using Pins = CpPfpParserPins;
    using Core = cp::SiPfpPinCore;
    using Stimulus = PfpStimulus;
    using Recording = StepRecording<Parts>;
    using Unit = PinsInChip<CpPfpParserPins>;
    static constexpr uint64_t kMaxSteps = 100'000;  // some 900 bytes each
    static constexpr const char* kDescription = "prefetch parser of the command processor";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<PinBlock<CpPfpParserPins>>(unit.pins);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
