// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/dma_streams.h"

#include <cstring>
#include <string_view>

#include "testbenches/unit/dma/bench.h"

namespace archipelago::fuzz {
namespace {

using dma::Generation;
using dma::PacketField;
using dma::PacketInfo;

// ---- memory ------------------------------------------------------------------------------------

constexpr uint64_t kBytes = 0x80000;
constexpr uint64_t kSources = 0x20000, kTargets = 0x40000, kTargetsEnd = 0x78000;
constexpr uint64_t kPolled = 0x78000, kClocks = 0x7A000, kBuffers = 0x7C000;
constexpr uint64_t kSurface = 0x12000;  // most bytes of a target; after two of them linear ones
constexpr size_t kMaxBufferDwords = (kBytes - kBuffers) / 4;
constexpr uint32_t kRegisters = 0x5400;
static_assert(dma::test::kRing + 4 * dma::test::kRingDwords <= kSources);

const std::vector<uint8_t>& noise() {
    static const std::vector<uint8_t> bytes = [] {
        std::vector<uint8_t> made(kBytes);
        Random random(4);
        for (uint8_t& byte : made)
            byte = static_cast<uint8_t>(random.word());
        // Every other dword that is polled is 0, and every semaphore small.
        for (uint64_t at = kPolled; at < kClocks; at += 8)
            std::memset(&made[at + 1], 0, 7);
        return made;
    }();
    return bytes;
}

// ---- packets -----------------------------------------------------------------------------------

class Maker {
  public:
    Maker(Random& random, const Generation& generation, const DmaStreamSpec& spec)
        : r_(random), generation_(generation), spec_(spec) {}

    DmaStream make() {
        stream_.generation = &generation_;
        for (unsigned n = 1 + r_.below(spec_.packets); n > 0; --n)
            packet(stream_.ring, true);
        return std::move(stream_);
    }

  private:
    bool wild(unsigned n) { return spec_.corrupted != 0 && r_.one_in(n); }

    void packet(std::vector<uint32_t>& words, bool in_ring) {
        const auto rows = static_cast<uint32_t>(generation_.packets.size());
        const PacketInfo& info = *(generation_.packets.begin() + r_.below(rows));
        const std::string_view name = info.name;
        const bool calls = name == "INDIRECT_BUFFER";
        const bool clock = name.find("TIMESTAMP") != name.npos && name[0] == 'G';
        if ((calls && !in_ring) || (clock && !spec_.clocks))
            return;
        ++stream_.packets;
        const size_t first = words.size();
        words.resize(first + info.fixed);
        words[first] = info.header;
        info_ = &info;
        detile_ = r_.one_in(2);
        tiles_ = name == "COPY_TILED_TO_TILED" || name.find("UNITS") != name.npos;
        for (const PacketField& field : info.fields)
            if (field.repeat == 0)
                set(words[first + field.dword - 1], field, value_of(field));
        if (calls)
            call(&words[first]);
        for (uint64_t n = info.dwords_of(&words[first]) - info.fixed; n > 0; --n)
            words.push_back(r_.word());
        if (spec_.corrupted != 0 && r_.one_in(spec_.corrupted))
            words[first + r_.below(static_cast<uint32_t>(words.size() - first))] =
                r_.one_in(2) ? r_.word() : 1u << r_.below(32);
    }

    static void set(uint32_t& word, const PacketField& field, uint32_t value) {
        word = (word & ~field.mask()) | (value << field.lsb & field.mask());
    }

    // A buffer with packets of its own, after those there are.
    void call(uint32_t* words) {
        const PacketInfo& info = *info_;
        std::vector<uint32_t> inside;
        for (unsigned n = 1 + r_.below(6); n > 0; --n)
            packet(inside, false);
        if (inside.empty() || stream_.buffers.size() + inside.size() > kMaxBufferDwords)
            inside.assign(1, generation_.nop);
        const uint64_t base = kBuffers + 4 * stream_.buffers.size();
        if (stream_.buffers.size() + inside.size() <= kMaxBufferDwords)
            stream_.buffers.insert(stream_.buffers.end(), inside.begin(), inside.end());
        stream_.buffers.resize(std::min((stream_.buffers.size() + 7) / 8 * 8, kMaxBufferDwords));
        for (const PacketField& field : info.fields) {
            const std::string_view name = field.name;
            uint32_t value = 0;
            if (name == "IB_BASE_LO")
                value = static_cast<uint32_t>(base) >> field.lsb;
            else if (name == "IB_SIZE")
                value = static_cast<uint32_t>(inside.size());
            else if (name == "VMID")
                value = wild(40) ? r_.word() : 0;
            set(words[field.dword - 1], field, value);
        }
        info_ = &info;
    }

    uint32_t value_of(const PacketField& field) {
        const std::string_view name = field.name;
        if (wild(400))
            return r_.word();
        if (name.size() > 3 && name.substr(name.size() - 3) == "_HI")
            return 0;
        const bool low = name.size() > 3 && name.substr(name.size() - 3) == "_LO";
        if (low || name.find("256B") != name.npos)
            return static_cast<uint32_t>(address(field) >> (low ? field.lsb : 8));
        if (name.find("SWAP") != name.npos)
            return swap_of();
        if (name == "DETILE" || name == "DIRECTION")
            return pair() ? 0 : detile_;
        const uint32_t place = place_of(name);
        return place != kNone ? place : other(name);
    }

    // One of two surfaces; which is which does not matter.
    static bool second(std::string_view name) {
        return name.find('1') != name.npos || name.substr(0, 3) == "ODD";
    }
    bool pair() const {
        const std::string_view name = info_->name;
        return name.find("BROADCAST") != name.npos || name.find("FIELD") != name.npos;
    }
    uint32_t swap_of() { return r_.one_in(4) ? r_.below(3) : 0; }

    // Whether a copy reads there. DETILE, or DIRECTION, says which way it goes.
    bool is_source(std::string_view name) const {
        if (info_->name[0] != 'C' || name.substr(0, 3) == "DST")
            return false;
        if (name.substr(0, 3) == "SRC")
            return true;
        const bool back = detile_ && !pair();
        return name.substr(0, 6) == "LINEAR" ? !back : back;
    }
    // Where packets read and write: sources and targets have tiled surfaces at their beginning.
    uint64_t address(const PacketField& field) {
        const std::string_view name = field.name, packet = info_->name;
        if (packet.find("TIMESTAMP") != packet.npos)
            return kClocks + 8 * r_.below(64);
        if (packet == "SEMAPHORE" || packet == "POLL_REG_MEM" || packet == "COND_EXEC")
            return kPolled + 4 * r_.below(512);
        const bool source = is_source(name);
        const uint64_t base = source ? kSources : kTargets;
        if (name.find("BASE") != name.npos || packet == "COPY_TILED_TO_TILED")
            return base + 256 * r_.below(8) + (second(name) ? kSurface : 0);
        if (pair() && !source)  // CIK's have their low bits in common
            return base + 2 * kSurface + (second(name) ? 0x8000 : 0) + 32 * r_.below(0x200);
        const uint64_t at = base + (source ? 0 : 2 * kSurface) + 8 * r_.below(0x800);
        return r_.one_in(8) && packet != "WRITE_PTE" ? at + r_.below(8) : at;
    }

    static constexpr uint32_t kNone = ~0u;
    // Places in surfaces of 32 x 32 elements.
    uint32_t place_of(std::string_view name) {
        const size_t at = name.find_last_of('_');
        const std::string_view last = at == name.npos ? name : name.substr(at + 1);
        if (name == "RECT_X" || name == "DX" || name == "RECT_Y" || name == "DY")
            return 8 * (1 + r_.below(2));
        if (last == "X" || last == "Y")
            return tiles_ || r_.one_in(2) ? 8 * r_.below(2) : r_.below(16);
        if (name == "RECT_Z" || name == "DZ" || last == "Z")
            return r_.below(3);
        if (name.find("PITCH_TILE_MAX") != name.npos)
            return 3;
        if (name.find("SLICE_TILE_MAX") != name.npos)
            return 15;
        if (name.find("SLICE_PITCH") != name.npos)
            return 0x1000 - 1 + (generation_.sdma ? 0 : 1);
        if (name == "LINEAR_PITCH" || name == "SRC_PITCH" || name == "DST_PITCH")
            return generation_.sdma ? 31 : 512;
        if (name.find("HEIGHT_MAX") != name.npos || name == "HEIGHT")
            return 16 + r_.below(16);
        return kNone;
    }

    uint32_t other(std::string_view name) {
        const std::string_view packet = info_->name;
        if (name == "COUNT") {
            const bool bytes = generation_.sdma && packet.substr(0, 5) != "WRITE";
            return packet.find("UNITS") != packet.npos ? r_.below(12)
                                                       : (bytes ? 16 : 4) * r_.below(64);
        }
        if (name == "ARRAY_MODE" || name.find("_ARRAY_MODE") != name.npos)
            return r_.pick(std::vector<uint32_t>{0, 1, 2, 2, 3, 4, 4, 7, 12});
        if (name == "SIZE")
            return r_.below(5);
        if (name.find("_SIZE") != name.npos)
            return packet == "CONSTANT_FILL" ? 2 * r_.below(2) : 2;
        if (name.find("NUM_BANKS") != name.npos)
            return 1;
        if (name.find("TILE_SPLIT") != name.npos)
            return 4;
        if (name.find("BANK_") != name.npos || name.find("ASPECT") != name.npos ||
            name.find("PIPE_CONFIG") != name.npos)
            return wild(40) ? r_.word() : 0;
        if (name.find("MICRO_TILE_MODE") != name.npos)
            return packet == "COPY_TILED_TO_TILED" ? 1 : r_.below(3);
        if (name == "NON_DISP")
            return r_.below(2);
        if (name == "RETRY_COUNT")
            return wild(8) ? 0xFFF : r_.below(4);
        if (name == "REGISTER")
            return kRegisters / 4 + r_.below(8);
        if (name == "FUNCTION")
            return r_.below(7);
        if (name == "INTERVAL" || name == "STRIDE" || name == "START_INDEX")
            return 1 + r_.below(16);
        if (name == "EXEC_COUNT" || name == "OP" || name == "SPACE")
            return name == "SPACE" ? r_.below(2) : 0;
        return r_.word();
    }

    Random& r_;
    const Generation& generation_;
    const DmaStreamSpec spec_;
    DmaStream stream_;
    const PacketInfo* info_ = nullptr;
    bool detile_ = false, tiles_ = false;
};

}  // namespace

DmaStream make_dma_stream(Random& random, const Generation& generation, const DmaStreamSpec& spec) {
    return Maker(random, generation, spec).make();
}

// The generation, the dwords of the ring, those of buffers.
Bytes pack(const DmaStream& stream) {
    std::vector<uint32_t> words;
    const auto& all = dma::generations();
    for (uint32_t i = 0; i < all.size(); ++i)
        if (all[i] == stream.generation)
            words.push_back(i | static_cast<uint32_t>(stream.ring.size()) << 8);
    words.insert(words.end(), stream.ring.begin(), stream.ring.end());
    words.insert(words.end(), stream.buffers.begin(), stream.buffers.end());
    Bytes bytes(4 * words.size());
    std::memcpy(bytes.data(), words.data(), bytes.size());
    return bytes;
}

bool unpack(const uint8_t* data, size_t size, DmaStream& stream) {
    const std::vector<uint32_t> words = words_of(data, size);
    if (words.empty())
        return false;
    stream.generation = dma::generations()[words[0] % 256 % dma::generations().size()];
    const size_t ring =
        std::min<size_t>({words[0] >> 8, words.size() - 1, dma::test::kRingDwords - 1});
    const auto end = words.begin() + 1 + static_cast<std::ptrdiff_t>(ring);
    stream.ring.assign(words.begin() + 1, end);
    stream.buffers.assign(end, words.end());
    stream.buffers.resize(std::min(stream.buffers.size(), kMaxBufferDwords));
    return true;
}

// ---- runs --------------------------------------------------------------------------------------

const char* to_string(DmaEnd end) {
    static const char* const kNames[] = {"done", "waiting", "stopped"};
    return kNames[static_cast<unsigned>(end)];
}

DmaResult run_dma(const DmaStream& stream, const DmaRun& run) {
    using namespace dma::test;
    const Disturbance disturbance{run.disturbed, run.disturbed != 0 ? 20u : 0u, run.disturbed != 0};
    dma::Spec spec = spec_of(*stream.generation);
    spec.poll_unit = 0;  // an interval is a cycle: a poll that gives up does so soon
    Bench b(spec, run.timed ? BenchMode::Cycle : BenchMode::Functional, disturbance, kBytes);
    std::vector<uint8_t> bytes = noise();
    if (run.other_targets)
        for (uint64_t at = kTargets; at < kTargetsEnd; ++at)
            bytes[at] ^= 0xFF;
    b.image.write(0, bytes.data(), kBytes);
    b.image.write(kBuffers, stream.buffers.data(), 4 * stream.buffers.size());
    for (uint32_t i = 0; i < 8; ++i)
        b.registers[kRegisters + 4 * i] = i;
    DmaResult result;
    result.text = b.run_to_stop(stream.ring, run.waits ? 40'000 : 4'000'000);
    if (!result.text.empty()) {
        result.end = DmaEnd::Stopped;
    } else if (!b.idle()) {
        result.end = DmaEnd::Waiting;
        result.text = b.waiting_for();
        require(!result.text.empty(), "an engine that waits says what for");
    }
    result.memory.resize(kBytes);
    b.image.read(0, result.memory.data(), kBytes);
    result.registers = b.registers;
    result.interrupts = b.interrupts;
    result.depends_on_time = run.timed ? b.read_what_it_wrote() : b.read_clocks();
    return result;
}

DmaResult run_dma_in_both(const DmaStream& stream, uint64_t disturbed, std::string& problem) {
    DmaResult functional = run_dma(stream, {});
    DmaRun run{true, disturbed};
    run.waits = functional.end == DmaEnd::Waiting;
    const DmaResult timed = run_dma(stream, run);
    if (functional.depends_on_time || timed.depends_on_time) {
        functional.depends_on_time = true;
        return functional;
    }
    if (functional.end != timed.end)
        problem = std::string("functional mode is ") + to_string(functional.end) + " (" +
                  functional.text + "), cycle mode " + to_string(timed.end) + " (" + timed.text +
                  ")";
    if (functional.end == DmaEnd::Stopped || !problem.empty())
        return functional;
    const auto differs =
        std::mismatch(functional.memory.begin(), functional.memory.end(), timed.memory.begin());
    if (differs.first != functional.memory.end())
        problem = "memory differs from " +
                  hex(static_cast<uint64_t>(differs.first - functional.memory.begin())) + " on";
    else if (functional.registers != timed.registers)
        problem = "registers differ";
    else if (functional.interrupts != timed.interrupts)
        problem = "interrupts differ";
    return functional;
}

}  // namespace archipelago::fuzz
