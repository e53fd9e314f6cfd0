// SPDX-License-Identifier: Apache-2.0
// Programs of any words on both compute units: a group runs to its end, into a MachineStop that
// names wave and address, or out of instructions and cycles.
//
// An input: waves - 1, FLOAT_MODE, two unused bytes, then the program.
#include <cstring>

#include "models/common/error.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/unit/cu/cu_bench.h"
#include "testbenches/unit/isa/image_bench.h"
#include "testbenches/unit/isa/sample_encoding.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"shader_fuzzer", false, 3000, 3000, 0.2};

namespace {

using namespace cu::test;

constexpr size_t kHeaderBytes = 4;
constexpr size_t kMaxWords = 512;
constexpr uint32_t kEndProgram = 0xBF810000;
constexpr uint64_t kInstructions = 3000;  // of a wave
constexpr Cycle kCycles = 20'000;

struct Program {
    unsigned waves = 1;
    uint8_t float_mode = 0xF0;
    std::vector<uint32_t> words;
};

Bytes pack(const Program& p) {
    Bytes bytes = {static_cast<uint8_t>(p.waves - 1), p.float_mode, 0, 0};
    bytes.resize(kHeaderBytes + 4 * p.words.size());
    std::memcpy(bytes.data() + kHeaderBytes, p.words.data(), 4 * p.words.size());
    return bytes;
}

Program unpack(const uint8_t* data, size_t size) {
    Program p;
    p.waves = 1 + data[0] % 4;
    p.float_mode = data[1];
    p.words.resize(std::min(kMaxWords, (size - kHeaderBytes) / 4));
    if (!p.words.empty())
        std::memcpy(p.words.data(), data + kHeaderBytes, 4 * p.words.size());
    p.words.push_back(kEndProgram);
    return p;
}

// One wave a SIMD, with all registers there are.
std::vector<WaveLaunch> launches(const Program& p) {
    std::vector<WaveLaunch> list;
    for (unsigned i = 0; i < p.waves; ++i) {
        WaveLaunch l = make_launch(p.waves, i);
        l.vgpr_base = l.sgpr_base = 0;
        l.vgpr_count = 256;
        l.sgpr_count = 104;
        l.float_mode = p.float_mode;
        list.push_back(l);
    }
    return list;
}

// True when it came to its end.
template <class Run>
bool run(Run&& body) {
    try {
        return body();
    } catch (const MachineStop& stop) {
        const std::string text = stop.what();
        require(text.find(".w0 ") != std::string::npos || text.find(".w1 ") != std::string::npos ||
                    text.find(".w2 ") != std::string::npos ||
                    text.find(".w3 ") != std::string::npos,
                "a stop names the wave");
        require(text.find(" pc 0x") != std::string::npos, "a stop names the address");
        require(stop.kind() != StopKind::Protocol, "a program cannot break a bus rule");
        return false;
    }
}

bool functional(const Program& p) {
    MemoryImage image;
    image.map(0, 0x4000);  // what zeroed registers point at
    image.map(kData, kDataBytes);
    image.map(kCode, 0x1000);
    image.write(kCode, p.words.data(), 4 * p.words.size());
    ImageMemory memory(image);
    cu::FunctionalCu unit({}, memory, CuBench::identity());
    unit.set_tiling(isa::test::tahiti_tiling());
    unit.set_instruction_limit(kInstructions);
    const std::vector<WaveLaunch> waves = launches(p);
    cu::FunctionalStats stats;
    return run([&] {
        unit.run_group(waves.data(), p.waves, stats);
        return true;
    });
}

bool timed(const Program& p) {
    CuBench bench;
    bench.memory.map(0, 0x4000);
    bench.load(p.words);
    bench.core.set_tiling(isa::test::tahiti_tiling());
    for (const WaveLaunch& l : launches(p))
        bench.launch(l);
    return run([&] {
        bench.run(kCycles);
        bench.core.waiting_for();
        return bench.spi.ended.size() == p.waves;
    });
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    if (size < kHeaderBytes)
        return false;
    const Program p = unpack(data, size);
    const bool ended = functional(p);
    return timed(p) && ended;
}

namespace {

// Puts a resource in s[16:23] and a sampler in s[24:27], mostly good ones.
void add_image(Random& random, std::vector<uint32_t>& words) {
    isa::test::Resource r;
    r.type = 8 + random.below(8);
    r.width = r.height = 1 + random.below(32);
    r.dfmt = random.below(45);
    r.nfmt = random.one_in(2) ? 0 : random.below(10);
    r.depth = 1 + random.below(3);
    r.last_array = r.type == isa::test::kCube ? 6 * r.depth - 1 : r.depth - 1;
    r.last_level = random.below(4);
    r.tiling = random.below(18);
    r.pow2_pad = random.one_in(2);
    r.base = kData;
    uint32_t image[12];
    r.words(image);
    for (unsigned i = 8; i < 12; ++i)
        image[i] = random.word();
    image[10] &= ~0x08000000u;  // no reserved MIP_FILTER
    if (random.one_in(3))
        image[random.below(12)] ^= 1u << random.below(32);
    for (unsigned i = 0; i < 12; ++i) {
        words.push_back(0xBE8003FF | (16 + i) << 16);  // s_mov_b32 with a literal
        words.push_back(image[i]);
    }
}

// Legal instructions with operands that mostly lead somewhere.
Program any_program(Random& random) {
    Program p;
    p.waves = 1 + random.below(4);
    p.float_mode = static_cast<uint8_t>(random.one_in(2) ? 0xF0 : random.word());
    isa::test::SampleMaker maker(random.word() | 1);
    const bool images = random.one_in(2);
    if (images)
        add_image(random, p.words);
    for (unsigned count = 1 + random.below(24); count > 0;) {
        const auto op = static_cast<isa::Op>(random.below(isa::kOpCount));
        const isa::test::Sample sample = maker.make(op, false);
        const isa::Inst inst = isa::decode(sample.words, sample.dwords);
        uint32_t first = sample.words[0];
        uint32_t second = sample.words[1];
        switch (inst.cls) {
            case isa::Class::Gds:
            case isa::Class::Export:
            case isa::Class::Message:
                continue;
            case isa::Class::Branch:
                // s_setpc and its kin lead out of the program; a few dwords on is a place.
                if (inst.format != isa::Format::Sopp)
                    continue;
                first = (first & 0xFFFF0000) | random.below(4);
                break;
            case isa::Class::Vmem:
                if (inst.format == isa::Format::Mimg) {
                    if (!images)
                        continue;
                    second = (second & ~(0x3FFu << 16)) | 4u << 16 | 6u << 21;
                    break;
                }
                second &= ~(0x1Fu << 16);  // the resource in s[0:3]
                break;
            case isa::Class::Smem:
                first &= ~(0x3Fu << 9);  // s[0:1]
                break;
            case isa::Class::Internal:
                if (!random.one_in(8))
                    continue;
                break;
            default:
                break;
        }
        if (!isa::is_implemented(inst) && !random.one_in(200))
            continue;
        p.words.push_back(first);
        if (sample.dwords == 2)
            p.words.push_back(second);
        --count;
    }
    return p;
}

}  // namespace

std::vector<Bytes> seeds() {
    Random random(3);
    std::vector<Bytes> list;
    while (list.size() < 40) {
        Bytes bytes = pack(any_program(random));
        if (exercise(bytes.data(), bytes.size()))
            list.push_back(std::move(bytes));
    }
    return list;
}

Bytes generate(Random& random) {
    Program p = any_program(random);
    if (random.one_in(3))
        p.words[random.below(static_cast<uint32_t>(p.words.size()))] ^= 1u << random.below(32);
    return pack(p);
}

}  // namespace archipelago::fuzz
