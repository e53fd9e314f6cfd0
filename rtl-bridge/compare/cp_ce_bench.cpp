// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the constant engine.
#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <string>

#include "models/asic/chip_options.h"
#include "models/cp/ce_instruction.h"
#include "models/cp/packets/si/si_packets.h"
#include "models/cp/registers/si/si_pin_cores.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {

namespace {

using In = CpCePins::In;
using Out = CpCePins::Out;
using cp::CePacket;
using cp::CeReason;
using cp::DeKind;
constexpr unsigned kRings = CpCePins::kRings;
constexpr uint32_t kRamBytes = cp::kCeRamBytes;

constexpr const char* kPackets[] = {"NOP",
                                    "SET_BASE",
                                    "WRITE_CONST_RAM",
                                    "WRITE_CONST_RAM_OFFSET",
                                    "DUMP_CONST_RAM",
                                    "LOAD_CONST_RAM",
                                    "INCREMENT_CE_COUNTER",
                                    "SET_CE_DE_COUNTERS",
                                    "WAIT_ON_DE_COUNTER",
                                    "WAIT_ON_DE_COUNTER_DIFF"};
constexpr const char* kReasons[] = {"turn", "stream", "microcode",  "memory port", "loads", "dumps",
                                    "sets", "buffer", "DE counter", "difference",  "RAM"};
constexpr const char* kStops[] = {"header", "packet",    "size",       "alignment",
                                  "bounds", "partition", "base index", "fault",
                                  "flags",  "message",   "response"};
constexpr const char* kMessages[] = {"WAIT_ON_CE_COUNTER", "WAIT_ON_AVAIL_BUFFER", "increment",
                                     "increment done", "release"};

// What a chip's constant engine sees, cycle by cycle.
class CpCeRecording : public RecordingOf<In>, public PinBlock<CpCePins> {
  public:
    // A cycle is some 170 bytes.
    static constexpr uint64_t kMax = 500'000;
    explicit CpCeRecording(uint64_t limit) : RecordingOf(std::min(limit, kMax)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<PinBlock<CpCePins>>(*this);
    }
    void step(const In& in, Out& out) override {
        add(in);
        core_.step(in, out);
    }

  private:
    cp::SiCeCore core_;
};

class CpCeStimulus : public Stimulus<CpCePins> {
  public:
    explicit CpCeStimulus(const CosimOptions& options)
        : random_(options.seed), recorded_(recorded_traffic<In>(options)) {
        std::vector<std::string> bins;
        const auto per_ring = [&](const auto& names) {
            bins.clear();
            for (unsigned ring = 0; ring < kRings; ++ring)
                for (const char* name : names)
                    bins.push_back("ring " + std::to_string(ring) + " " + name);
            return bins;
        };
        packet_ = coverage_.add_group("packet carried out", per_ring(kPackets));
        reason_ = coverage_.add_group("waits for", per_ring(kReasons));
        message_ = coverage_.add_group("message of DE", per_ring(kMessages));
        bins.assign(std::begin(kStops), std::end(kStops));
        stop_ = coverage_.add_group("stop", bins);
        bins.clear();
        for (unsigned row = 0; row < 16; ++row) {
            std::string name = "CE1 CE0 DE1 DE0 = ";
            for (unsigned bit = 4; bit-- > 0;)
                name += static_cast<char>('0' + (row >> bit & 1));
            bins.push_back(name);
        }
        bins.emplace_back("both for DE, buffer 0 first");
        bins.emplace_back("both for DE, buffer 1 first");
        table_ = coverage_.add_group("WAIT_ON_AVAIL_BUFFER", bins);
        bins.clear();
        for (unsigned i = 0; i < 16; ++i)
            bins.push_back("dump from dword " + std::to_string(i));
        for (unsigned i = 1; i <= 16; ++i)
            bins.push_back("dump of " + std::to_string(i) + " dwords");
        for (const char* name : {"load of the lower half", "load of the upper half",
                                 "load of both halves", "load to an odd unit"})
            bins.emplace_back(name);
        for (unsigned i = 0; i < cp::kCeMaxSets; ++i)
            bins.push_back("dump in set " + std::to_string(i));
        request_ = coverage_.add_group("request", bins);
        flow_ = coverage_.add_group(
            "flow", {"grant of the counter", "grant of buffer 0", "grant of buffer 1",
                     "grant refused", "responses out of order", "reset in a packet",
                     "two rings in packets", "three rings in packets", "type-2 filler", "idle",
                     "message and packet step together", "response and request together"});
        restart();
    }

    void next(In& in) override {
        if (recorded_ != nullptr) {
            in = (*recorded_)[at_++];
            return;
        }
        in = {};
        in.config = config_;
        // After a stop nothing moves any more; a ring may wait for what never comes.
        if (reset_in_ != 0 && --reset_in_ == 0)
            fresh_ = true;
        if (random_.one_in(4'000) || stuck_ > 400)
            fresh_ = true;
        if (fresh_) {
            for (const Ring& r : rings_)
                was_in_packet_ |= r.left != 0;
            coverage_.hit(flow_, 5, was_in_packet_);
            restart();
            in.config = config_;
            in.rst = 1;
            return;
        }
        for (unsigned i = 0; i < kRings; ++i) {
            Ring& r = rings_[i];
            const bool wanted = r.flow.next(random_);
            if (r.queue.empty())
                choose_packet(i);
            if (!r.held)
                r.held = wanted;
            in.stream[i] = {static_cast<uint8_t>(r.held ? 1 : 0), r.queue.front(), r.vmid};
        }
        choose_message(in);
        choose_response(in);
        in.req_ready = req_flow_.next(random_) ? 1 : 0;
        in.grant_ready = grant_flow_.next(random_) ? 1 : 0;
    }

    void observe(const In& in, const Out& out) override {
        if (recorded_ != nullptr)
            return count(in, out);
        if (in.rst != 0) {
            fresh_ = false;
            return;
        }
        bool moved = out.req_valid != 0 || out.done_valid != 0;
        unsigned in_packets = 0;
        for (unsigned i = 0; i < kRings; ++i) {
            Ring& r = rings_[i];
            if (out.stream_ready[i] != 0) {
                if (r.left == 0) {
                    const uint32_t header = r.queue.front();
                    coverage_.hit(flow_, 8, header >> 30 == 2);
                    r.left = header >> 30 == 2 ? 0 : (header >> 16 & 0x3FFF) + 1;
                } else {
                    --r.left;
                }
                r.queue.pop_front();
                r.held = false;
                moved = true;
                if (random_.one_in(8))
                    r.vmid = static_cast<uint8_t>(random_.word());
            }
            r.reason = out.reason[i];
            in_packets += r.left != 0 || r.reason != 0;
        }
        coverage_.hit(flow_, 6, in_packets == 2);
        coverage_.hit(flow_, 7, in_packets == 3);
        stuck_ = moved ? 0 : stuck_ + 1;
        if (out.de_ready != 0)
            mirror_message(in.de);
        if (out.grant_valid != 0) {
            Ring& r = rings_[out.grant_ring];
            r.waits = false;
            if (out.grant_kind == static_cast<uint8_t>(DeKind::WaitBuffer))
                r.de_flags |= static_cast<uint8_t>(1u << out.grant_buffer);
        }
        if (out.done_valid != 0 &&
            out.done_packet == static_cast<uint8_t>(CePacket::SetCeDeCounters)) {
            Ring& r = rings_[out.done_ring];
            r.ce_flags |= static_cast<uint8_t>(1u << r.next_buffer);
            r.buffer = r.next_buffer;
            r.next_buffer ^= 1;
            r.de_count[r.buffer] = r.sets.front();
            r.sets.pop_front();
        }
        if (in.rsp_valid != 0 && out.rsp_ready != 0) {
            if (offered_ >= 0)
                asked_.erase(asked_.begin() + offered_);
            offered_ = -1;
        }
        if (out.req_valid != 0)
            asked_.push_back({out.req.tag, out.req.write != 0});
        if (out.stop_valid != 0)
            reset_in_ = 1 + random_.below(16);
        count(in, out);
    }

    bool finished() const override { return recorded_ != nullptr && at_ == recorded_->size(); }
    const Coverage& coverage() const override { return coverage_; }

  private:
    struct Ring {
        std::deque<uint32_t> queue;
        uint32_t left = 0;  // body dwords still to be taken
        bool held = false;
        uint8_t vmid = 0;
        uint8_t reason = 0;
        // As the block has it, near enough.
        uint8_t ce_flags = 0, buffer = 0, next_buffer = 0;
        std::array<uint64_t, 2> de_count{};
        std::deque<uint64_t> sets;  // of SET_CE_DE_COUNTERS packets on their way
        uint8_t de_flags = 0;
        bool waits = false;
        Activity flow;
    };
    struct Asked {
        uint16_t tag;
        bool write;
    };

    void restart() {
        for (Ring& r : rings_)
            r = {};
        asked_.clear();
        offered_ = -1;
        reset_in_ = 0;
        stuck_ = 0;
        was_in_packet_ = false;
        fresh_ = true;
        const auto size = [&](uint32_t usual) {
            return static_cast<uint8_t>(random_.one_in(8) ? random_.of_any_width(1, 0xff)
                                                          : 1 + random_.below(usual));
        };
        config_.packet_cycles = size(4);
        config_.reads = size(6);
        config_.writes = size(12);
        config_.sets = static_cast<uint8_t>(2 + random_.below(7));
        if (random_.one_in(3)) {
            config_.cs1 = 0x8000;
            config_.cs2 = 0xC000;
        } else {
            config_.cs1 = static_cast<uint16_t>(64 * random_.below(900));
            config_.cs2 = static_cast<uint16_t>(
                config_.cs1 + 64 * random_.below((0xFFC0u - config_.cs1) / 64 + 1));
        }
        cs1_ = config_.cs1;
        cs2_ = config_.cs2;
        config_.opcodes = cp::ce_config_pins({}, cp::si_packet_table()).opcodes;
        if (random_.one_in(3))  // another numbering
            std::swap(config_.opcodes[random_.below(CpCePins::kPackets)],
                      config_.opcodes[random_.below(CpCePins::kPackets)]);
    }

    uint32_t size_of(unsigned ring) const {
        return ring == 0 ? cs1_ : ring == 1 ? cs2_ - cs1_ : kRamBytes - cs2_;
    }
    // A byte offset for `dwords`, a multiple of `unit`; at the end of the partition at times.
    uint32_t offset_for(unsigned ring, uint32_t dwords, uint32_t unit) {
        const uint32_t size = size_of(ring);
        if (size < 4 * dwords)
            return 0;
        const uint32_t last = (size - 4 * dwords) / unit;
        if (random_.one_in(6))
            return unit * last;
        // Often where others have been.
        return unit * random_.below(std::min(last, 512 / unit) + 1);
    }
    uint64_t address() {
        uint64_t a = random_.one_in(3) ? random_.bits() : random_.below(0x10000);
        if (random_.one_in(16))
            a |= 0xFFFFFFFFFFFFFC00u;  // lines after the last one wrap
        return a;
    }

    uint8_t opcode(const char* packet) const {
        const cp::PacketInfo& info = *cp::si_packet_table().find_by_name(packet);
        return info.ce == nullptr ? info.opcodes[0]
                                  : config_.opcodes[static_cast<size_t>(info.ce->number)];
    }
    void put(unsigned ring, uint8_t opcode, std::initializer_list<uint32_t> body) {
        Ring& r = rings_[ring];
        r.queue.push_back(0xC0000000u | static_cast<uint32_t>(body.size() - 1) << 16 |
                          uint32_t{opcode} << 8 | (random_.word() & 3));
        r.queue.insert(r.queue.end(), body);
    }

    // `noise`: values of reserved bits.
    void choose_packet(unsigned ring) {
        Ring& r = rings_[ring];
        if (random_.one_in(150)) {
            choose_illegal(ring);
            return;
        }
        const uint32_t noise = random_.word() & 0xFFFF0000;
        const uint32_t what = random_.below(20);
        if (what == 0 && random_.one_in(2))
            r.queue.push_back(0x80000000u | random_.word() >> 2);
        else if (what <= 1)
            put_nop(ring);
        else if (what == 2 && random_.one_in(2))
            put_base(ring, noise);
        else if (what <= 7)
            put_write(ring, noise);
        else if (what <= 11)
            put_dump(ring, noise);
        else if (what <= 13)
            put_load(ring, noise);
        else if (what <= 16)
            put(ring, opcode("INCREMENT_CE_COUNTER"), {random_.word()});
        else if (what == 17)
            put_start(ring);
        else if (what == 18)
            put_wait(ring);
        else
            put(ring, opcode("WAIT_ON_DE_COUNTER_DIFF"),
                {random_.one_in(3) ? 0x80000000u | random_.word() : 1 + random_.below(4)});
        if (r.queue.empty())
            r.queue.push_back(0x80000000);
    }

    void put_nop(unsigned ring) {
        Ring& r = rings_[ring];
        const uint32_t n = 1 + random_.below(6);
        r.queue.push_back(0xC0000000u | (n - 1) << 16 | uint32_t{opcode("NOP")} << 8);
        for (uint32_t i = 0; i < n; ++i)
            r.queue.push_back(random_.word());
    }

    void put_base(unsigned ring, uint32_t noise) {
        if (random_.one_in(3)) {  // of the GDS
            const uint32_t gds = 64 * random_.below(900);
            put(ring, opcode("SET_BASE"),
                {(noise & 0xFFFFFFF0) | 2, noise | gds,
                 noise | (gds + 64 * random_.below((0xFFC0 - gds) / 64 + 1))});
            return;
        }
        // Boundaries move a little.
        const auto nearby = [&](uint32_t x) {
            return std::min(x + 64 * random_.below(3), 0xFFC0u);
        };
        cs1_ = nearby(cs1_);
        cs2_ = std::max(nearby(cs2_), cs1_);
        put(ring, opcode("SET_BASE"), {(noise & 0xFFFFFFF0) | 3, noise | cs1_, noise | cs2_});
    }

    void put_write(unsigned ring, uint32_t noise) {
        Ring& r = rings_[ring];
        const bool offset = random_.one_in(3);
        const uint32_t n =
            std::min(1 + random_.below(random_.one_in(8) ? 60 : 12), size_of(ring) / 4);
        if (n == 0)
            return;
        r.queue.push_back(0xC0000000u | n << 16 | (offset ? 0x8200u : 0x8100u));
        r.queue.push_back(noise | offset_for(ring, n, 4));
        for (uint32_t i = 0; i < n; ++i)
            r.queue.push_back(random_.word());
    }

    void put_dump(unsigned ring, uint32_t noise) {
        const uint32_t n = std::min(random_.below(random_.one_in(4) ? 100 : 24), size_of(ring) / 4);
        const uint64_t to = address() & ~uint64_t{3};
        put(ring, opcode("DUMP_CONST_RAM"),
            {noise | offset_for(ring, n, 4), (noise & 0xFFFF8000) | n, static_cast<uint32_t>(to),
             static_cast<uint32_t>(to >> 32)});
    }

    void put_load(unsigned ring, uint32_t noise) {
        const uint32_t n = std::min(8 * random_.below(8), size_of(ring) / 32 * 8);
        const uint64_t from = address() & ~uint64_t{31};
        put(ring, opcode("LOAD_CONST_RAM"),
            {static_cast<uint32_t>(from), static_cast<uint32_t>(from >> 32),
             (noise & 0xFFFF8000) | n, noise | offset_for(ring, n, 32)});
    }

    // Of both counters.
    void put_start(unsigned ring) {
        static constexpr uint64_t kStarts[] = {0, 1, 0xFFFFFFFE, 0xFFFFFFFFFFFFFFFE};
        const uint64_t start = random_.one_in(3) ? random_.bits() : random_.pick(kStarts);
        put(ring, opcode("SET_CE_DE_COUNTERS"),
            {static_cast<uint32_t>(start), static_cast<uint32_t>(start >> 32)});
        rings_[ring].sets.push_back(start);
    }

    // For about as many as DE has counted.
    void put_wait(unsigned ring) {
        const Ring& r = rings_[ring];
        const uint64_t to =
            random_.one_in(20) ? random_.bits() : r.de_count[r.buffer] + random_.below(4) - 1;
        put(ring, opcode("WAIT_ON_DE_COUNTER"),
            {static_cast<uint32_t>(to), static_cast<uint32_t>(to >> 32)});
    }

    void choose_illegal(unsigned ring) {
        Ring& r = rings_[ring];
        const uint32_t one = 1u << random_.below(5);
        switch (random_.below(14)) {
            case 0:
                r.queue.push_back(random_.word() & 0x7FFFFFFF);
                break;
            case 1:
                put(ring, static_cast<uint8_t>(random_.word()), {0});
                break;
            case 2: {  // sizes
                if (random_.one_in(3)) {
                    put(ring,
                        opcode(random_.one_in(2) ? "WRITE_CONST_RAM" : "WRITE_CONST_RAM_OFFSET"),
                        {0});
                    break;
                }
                static constexpr const char* kPackets[] = {
                    "SET_BASE",           "LOAD_CONST_RAM",
                    "WRITE_CONST_RAM",    "WRITE_CONST_RAM_OFFSET",
                    "DUMP_CONST_RAM",     "INCREMENT_CE_COUNTER",
                    "WAIT_ON_DE_COUNTER", "WAIT_ON_DE_COUNTER_DIFF",
                    "SET_CE_DE_COUNTERS"};
                r.queue.push_back(0xC0000000u | random_.below(6) << 16 |
                                  uint32_t{opcode(random_.pick(kPackets))} << 8);
                for (int i = 0; i < 8; ++i)
                    r.queue.push_back(0);
                break;
            }
            case 3:
                put(ring, opcode("WRITE_CONST_RAM"), {1 + random_.below(3), 0});
                break;
            case 4:
                put(ring, opcode("DUMP_CONST_RAM"),
                    {4 * random_.below(2) + random_.below(4), 0, random_.below(4), 0});
                break;
            case 5:
                put(ring, opcode("LOAD_CONST_RAM"), {one, 0, 0, 0});
                break;
            case 6:
                put(ring, opcode("LOAD_CONST_RAM"), {0, 0, 1u << random_.below(4), 0});
                break;
            case 7:
                put(ring, opcode("LOAD_CONST_RAM"), {0, 0, 0, one});
                break;
            case 8:
                put(ring, opcode("WRITE_CONST_RAM"), {size_of(ring) & 0xFFFF, 0});
                break;
            case 9:
                put(ring, opcode("DUMP_CONST_RAM"),
                    {0, std::min(size_of(ring) / 4 + random_.below(3), 0x7FFFu), 0, 0});
                break;
            case 10:
                put(ring, opcode("LOAD_CONST_RAM"),
                    {0, 0, std::min(size_of(ring) / 4 / 8 * 8 + 8, 0x7FF8u), 0});
                break;
            case 11:
                put(ring, opcode("SET_BASE"), {3, cs1_ ^ 64 * random_.below(2) ^ one << 1, cs2_});
                break;
            case 12:
                put(ring, opcode("SET_BASE"),
                    {3, (cs2_ + 64) & 0xFFC0, cs1_ ^ (random_.one_in(2) ? one << 1 : 0)});
                break;
            default:
                put(ring, opcode("SET_BASE"), {random_.below(16), cs1_, cs2_});
                break;
        }
    }

    void choose_message(In& in) {
        if (!random_.one_in(4))
            return;
        const unsigned i = random_.below(kRings);
        Ring& r = rings_[i];
        in.de.ring = static_cast<uint8_t>(i);
        in.de.buffer = r.buffer;
        in.de_valid = 1;
        const auto as = [&](DeKind kind) { in.de.kind = static_cast<uint8_t>(kind); };
        if (random_.one_in(1'200)) {
            in.de.ring = static_cast<uint8_t>(random_.below(4));
            in.de.kind = static_cast<uint8_t>(random_.below(8));
            return;
        }
        const auto reason = static_cast<CeReason>(r.reason);
        // What the ring waits for, most of the time.
        if ((reason == CeReason::DeCounter || reason == CeReason::Difference) &&
            !random_.one_in(4)) {
            as(DeKind::IncrementDone);
            in.de.flags = static_cast<uint8_t>(random_.one_in(10) ? 1 : 2 * random_.below(2));
            return;
        }
        if (reason == CeReason::BufferFlag && random_.one_in(3)) {
            as(random_.one_in(2) ? DeKind::Release : DeKind::IncrementDone);
            in.de.buffer = r.next_buffer;
            in.de.flags = 1;
            return;
        }
        switch (random_.below(8)) {
            case 0:
            case 1:
            case 2:
                if (r.waits) {
                    in.de_valid = 0;
                    break;
                }
                as(random_.one_in(2) ? DeKind::WaitCounter : DeKind::WaitBuffer);
                in.de.flags = static_cast<uint8_t>(random_.one_in(r.ce_flags == 2 ? 2 : 12)
                                                       ? random_.below(4)
                                                       : r.de_flags & r.ce_flags);
                break;
            case 3:
                as(DeKind::IncrementDone);
                in.de.buffer = static_cast<uint8_t>(random_.below(2));
                in.de.flags = static_cast<uint8_t>(2 * random_.below(2));
                in.de_valid = random_.one_in(6) ? 1 : 0;
                break;
            case 4:
                as(DeKind::Release);
                in.de.buffer = static_cast<uint8_t>(random_.below(2));
                in.de_valid = random_.one_in(3) ? 1 : 0;
                break;
            default:
                as(DeKind::Increment);
                break;
        }
    }

    void mirror_message(const CpCePins::Message& m) {
        if (m.ring >= kRings || m.kind > 4)
            return;
        Ring& r = rings_[m.ring];
        const auto kind = static_cast<DeKind>(m.kind);
        coverage_.hit(message_, m.ring * std::size(kMessages) + m.kind);
        if (kind == DeKind::WaitBuffer && !r.waits) {
            coverage_.hit(table_, size_t{r.ce_flags} << 2 | m.flags);
            if (r.ce_flags == 3 && m.flags == 0)
                coverage_.hit(table_, 16u + (r.buffer ^ 1u));
        }
        if (kind == DeKind::WaitCounter || kind == DeKind::WaitBuffer)
            r.waits = true;
        if (kind == DeKind::IncrementDone)
            ++r.de_count[m.buffer];
        if (kind == DeKind::Release || (kind == DeKind::IncrementDone && (m.flags & 1) != 0)) {
            r.ce_flags &= static_cast<uint8_t>(~(1u << m.buffer));
            r.de_flags &= static_cast<uint8_t>(~(1u << m.buffer));
        }
    }

    void choose_response(In& in) {
        const bool wanted = rsp_flow_.next(random_);
        for (uint32_t& word : in.rsp.data)
            word = random_.word();
        in.rsp.tag = static_cast<uint16_t>(random_.word());
        if (random_.one_in(10'000)) {  // unsolicited
            in.rsp_valid = 1;
            offered_ = -1;
            if (random_.one_in(2) && !asked_.empty())
                in.rsp.tag = asked_[0].tag ^ static_cast<uint16_t>(4u << random_.below(3));
            return;
        }
        if (!wanted || asked_.empty() || random_.one_in(3))
            return;
        offered_ = static_cast<int>(
            random_.one_in(2) ? 0 : random_.below(static_cast<uint32_t>(asked_.size())));
        const Asked& a = asked_[static_cast<size_t>(offered_)];
        coverage_.hit(flow_, 4, offered_ != 0);
        in.rsp_valid = 1;
        in.rsp.tag = a.tag;
        if (random_.one_in(4'000))
            in.rsp.status = static_cast<uint8_t>(1 + random_.below(3));
    }

    void count(const In& in, const Out& out) {
        if (out.done_valid != 0)
            coverage_.hit(packet_, out.done_ring * std::size(kPackets) + out.done_packet);
        for (unsigned i = 0; i < kRings; ++i)
            if (out.reason[i] != 0)
                coverage_.hit(reason_, i * std::size(kReasons) + out.reason[i] - 1);
        if (out.stop_valid != 0)
            coverage_.hit(stop_, out.stop_code - 1u);
        if (out.req_valid != 0 && out.req.write != 0) {
            coverage_.hit(request_, static_cast<size_t>(__builtin_ctz(out.req.mask)));
            coverage_.hit(request_, 15 + static_cast<size_t>(__builtin_popcount(out.req.mask)));
            coverage_.hit(request_, 36u + (out.req.tag >> 3 & 7u));
        } else if (out.req_valid != 0) {
            coverage_.hit(request_, out.req.mask == 0xFF ? 32 : out.req.mask == 0xFF00 ? 33 : 34);
            coverage_.hit(request_, 35, (out.req.tag >> 3 & 1) != 0);
        }
        if (out.grant_valid != 0)
            coverage_.hit(flow_, out.grant_kind == 0 ? 0 : 1u + out.grant_buffer);
        bool waits = false;
        for (const Ring& r : rings_)
            waits |= r.waits;
        coverage_.hit(flow_, 3, waits && in.grant_ready == 0);
        coverage_.hit(flow_, 9, out.active == 0);
        coverage_.hit(flow_, 10, out.de_ready != 0 && out.done_valid != 0);
        coverage_.hit(flow_, 11, out.rsp_ready != 0 && out.req_valid != 0);
    }

    Random random_;
    const std::vector<In>* recorded_;
    size_t at_ = 0;
    CpCePins::Config config_;
    uint32_t cs1_ = 0, cs2_ = 0;
    std::array<Ring, kRings> rings_;
    std::vector<Asked> asked_;
    int offered_ = -1;
    bool fresh_ = true, was_in_packet_ = false;
    uint32_t reset_in_ = 0;
    uint32_t stuck_ = 0;
    Activity req_flow_, rsp_flow_, grant_flow_;
    Coverage coverage_;
    size_t packet_ = 0, reason_ = 0, message_ = 0, stop_ = 0, table_ = 0, request_ = 0, flow_ = 0;
};

struct Parts {
    using Pins = CpCePins;
    using Core = cp::SiCeCore;
    using Stimulus = CpCeStimulus;
    using Recording = CpCeRecording;
    using Unit = PinsInChip<CpCePins>;
    static constexpr const char* kDescription = "constant engine of the command processor";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<PinBlock<CpCePins>>(unit.pins);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
