// SPDX-License-Identifier: Apache-2.0
// Command processors of Adrenos, in functional mode and in cycle mode: packets of all kinds for the
// shipped microcode of four chips, and any words as microcode. Accepted: the stream is taken to its
// end. What packets leave in memory and registers is then the same in both modes, unless they look
// at what depends on time (Witness). Of microcode of any words nothing of the kind is said: it may
// race with its own fetches and with other engines.
//
// An input: a word with chip, kind and seed (Head), then blocks. A block: a word with its place and
// size (Block), then its words.
#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>

#include "models/afuc/engine/pm4_header.h"
#include "models/afuc/isa/names.h"
#include "models/afuc/isa/text.h"
#include "models/afuc/pm4/text.h"
#include "models/asic/adreno/chip_config.h"
#include "models/common/error.h"
#include "models/common/text.h"
#include "models/config/load.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/unit/afuc/cp_bench.h"
#include "testbenches/unit/afuc/random_program.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"afuc_machine_fuzzer", false, 2000, 3000, 0.5};

namespace {

using afuc::Action;
using afuc::ControlRegister;
using afuc::CpRegister;
using afuc::CpSpec;
using afuc::Names;
using afuc::Role;
using Words = std::vector<uint32_t>;

// As the workloads of testbenches/workloads/adreno have it: data, then buffers.
constexpr uint64_t kMemory = 0x10'0000, kMemoryBytes = 0x2'0000;
constexpr uint64_t kBuffers = 0x11'0000;
constexpr uint64_t kInstructionLimit = 200'000, kCycleLimit = 10'000;
constexpr uint64_t kMaxCycles = 4'000'000;  // of a stream that is known to end
constexpr size_t kMaxRingWords = 1000;

struct Head {
    uint32_t word = 0;
    uint32_t chip() const { return word & 3; }
    bool raw() const { return (word >> 2 & 7) == 7; }  // microcode of any words
    uint32_t generation() const { return word >> 5 & 7; }
    uint64_t seed() const { return word >> 8; }
};
struct Block {
    uint32_t word = 0;
    // kProgram: the buffer of a random program.
    static constexpr uint32_t kRing = 0xFFFF, kImage = 0xFFFE, kProgram = 0xFFFD;
    uint32_t place() const { return word >> 16; }  // dwords from kMemory
    uint32_t words() const { return word & 0xFFFF; }
};

constexpr const char* kChips[] = {"a530", "a630", "a660", "a730"};

const CpSpec& shipped(uint32_t chip) {
    static std::map<uint32_t, CpSpec> specs;
    const auto found = specs.find(chip);
    if (found != specs.end())
        return found->second;
    config::Diagnostics diagnostics;
    config::Records records;
    const auto tree = config::load_with_bases(
        std::string(ARCHIPELAGO_SOURCE_DIR "/configs/asics/") + kChips[chip] + ".yaml",
        diagnostics);
    diagnostics.throw_if_errors();
    CpSpec spec = adreno::read_chip(*tree, diagnostics, records).cp;
    diagnostics.throw_if_errors();
    return specs.emplace(chip, std::move(spec)).first->second;
}

const afuc::Pm4Language& language_of(Names names) {
    static const afuc::Pm4Language kLanguages[] = {afuc::Pm4Language(Names::A5xx),
                                                   afuc::Pm4Language(Names::A6xx),
                                                   afuc::Pm4Language(Names::A7xx)};
    return kLanguages[std::min<size_t>(static_cast<size_t>(names), 2)];
}

// ---- an input ----------------------------------------------------------------------------------

struct Input {
    Head head;
    Words ring, image;
    std::vector<std::pair<uint64_t, Words>> blocks;
};

Input input_of(const Words& words) {
    Input input;
    input.head.word = words.empty() ? 0 : words[0];
    for (size_t at = 1; at < words.size();) {
        const Block b{words[at++]};
        const size_t count = std::min<size_t>(b.words(), words.size() - at);
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
        const Words body(first, first + static_cast<std::ptrdiff_t>(count));
        at += count;
        const uint64_t place =
            b.place() == Block::kProgram ? afuc::test::kBuffers : kMemory + 4 * uint64_t{b.place()};
        if (b.place() == Block::kRing)
            input.ring.insert(input.ring.end(), body.begin(), body.end());
        else if (b.place() == Block::kImage)
            input.image.insert(input.image.end(), body.begin(), body.end());
        else if (place + 4 * count <=
                 (b.place() == Block::kProgram ? place + 4096 : kMemory + kMemoryBytes))
            input.blocks.emplace_back(place, body);
    }
    input.ring.resize(std::min(input.ring.size(), kMaxRingWords));
    return input;
}

void add_block(Bytes& to, uint32_t place, const Words& words) {
    const auto emit = [&](uint32_t word) {
        for (unsigned i = 0; i < 4; ++i)
            to.push_back(static_cast<uint8_t>(word >> 8 * i));
    };
    emit(place << 16 | static_cast<uint32_t>(words.size()));
    std::for_each(words.begin(), words.end(), emit);
}

Bytes head_of(uint32_t chip, uint32_t seed) {
    return {static_cast<uint8_t>(chip), static_cast<uint8_t>(seed), 0, 0};
}

// Words as the microcode of all processors of a generation, as far as they have sections for them.
CpSpec raw_spec(const Input& input) {
    const auto& g = afuc::kGenerations[input.head.generation() % std::size(afuc::kGenerations)];
    const bool a5xx = g.names == Names::A5xx;
    CpSpec s = shipped(a5xx ? 0 : g.encoding == afuc::Encoding::A7 ? 3 : g.coprocessors ? 2 : 1);
    s.generation = &g;
    const auto count = static_cast<uint32_t>(input.image.size());
    const auto sections = afuc::sections(g, input.image.data(), count);
    for (afuc::Microcode& m : s.images)
        m = {"fuzz", input.image, {}};
    for (size_t i = 0; i < s.processors.size(); ++i) {
        afuc::ProcessorSpec& p = s.processors[i];
        const size_t wanted = a5xx ? 0 : i;
        const afuc::Section section =
            wanted < sections.size() ? sections[wanted] : afuc::Section{0, count, 0};
        p.engine.generation = &g;
        p.first_word = section.begin;
        p.words = section.end - section.begin;
        p.table = a5xx ? section.table : 0;
    }
    return s;
}

// ---- both modes --------------------------------------------------------------------------------

// What of a run depends on time, so that both modes may differ: registers of the CP that are
// written or read (ring, read pointers, counters), writes into what is fetched, timestamps, both
// threads of a7xx at once, reads of a5xx's PFP, which does not wait for its ME.
class Witness final : public afuc::DebugHook {
  public:
    Witness(const CpSpec& spec, const Input& input)
        : names_(spec.generation->names), places_(names_), controls_(*spec.generation) {
        for (const auto& [address, words] : input.blocks)
            for (uint64_t line = address >> 6; line <= (address + 4 * words.size()) >> 6; ++line)
                fetched_.insert(line);
        const afuc::RegisterName* pending =
            afuc::find_register(names_, afuc::Space::Gpu, "CP_WFI_PEND_CTR");
        pending_ = pending != nullptr ? pending->first : 0;
    }
    bool depends_on_time = false;
    std::set<uint32_t> written;  // GPU registers

    void attach(afuc::Processor& engine, std::function<uint32_t(uint32_t)>) override {
        listeners_.push_back(std::make_unique<Listener>(*this));
        engine.add_listener(*listeners_.back());
    }
    void before_issue(afuc::Processor& engine, Cycle) override {
        const afuc::EngineState& s = engine.engine()->state();
        const uint32_t at = controls_.index_of(ControlRegister::RegisterReadAddress);
        const uint32_t first =
            (at == afuc::ControlMap::kNowhere ? s.gpr[afuc::kAddr] : s.control[at]) & 0x3FFFF;
        for (uint32_t i = 0; i < 4; ++i)
            note(places_.at(first + i) != CpRegister::None);
        if (engine.spec().role != Role::Pfp)
            return;
        note(s.control[controls_.index_of(ControlRegister::MemoryReadDwords)] != 0);
        note(first != 0 && first != pending_);
    }
    void after_issue(afuc::Processor&, Cycle, bool) override {}

  private:
    struct Listener final : afuc::ProcessorListener {
        explicit Listener(Witness& w) : witness(w) {}
        void took(uint32_t word) override { witness.took(word); }
        void does(const Action& action) override { witness.does(action); }
        void wrote_control(uint32_t, uint32_t) override {}
        Witness& witness;
    };

    void note(bool depends) { depends_on_time |= depends; }
    void took(uint32_t word) {
        static const int kOpcodes[] = {afuc::packet_opcode(Names::A7xx, "CP_THREAD_CONTROL"),
                                       afuc::packet_opcode(Names::A7xx, "CP_BV_BR_COUNT_OPS"),
                                       afuc::packet_opcode(Names::A7xx, "CP_MODIFY_TIMESTAMP")};
        const afuc::Pm4Header h = afuc::take_header(word);
        note(names_ == Names::A7xx && h.error == nullptr && !h.type4 &&
             std::count(std::begin(kOpcodes), std::end(kOpcodes), static_cast<int>(h.entry)) != 0);
    }
    void does(const Action& a) {
        switch (a.kind) {
            case Action::Kind::Memory:
                return note(fetched_.count(a.address >> 6) != 0 || a.address < kMemory ||
                            a.address >= kMemory + kMemoryBytes);
            case Action::Kind::Timestamp:
                return note(true);
            case Action::Kind::Register:
                note(places_.at(a.index) != CpRegister::None);
                written.insert(a.index);
                return;
            default:
                return;
        }
    }

    const Names names_;
    const afuc::CpRegisterMap places_;
    const afuc::ControlMap controls_;
    std::set<uint64_t> fetched_;  // lines
    uint32_t pending_ = 0;
    std::vector<std::unique_ptr<Listener>> listeners_;
};

struct Outcome {
    std::string stop;  // "": none
    bool consumed = false;
};

// A stop says where and why, in text that can be printed.
std::string checked(const MachineStop& stop) {
    std::string text = stop.what();
    require(text.size() > 20, "a stop has a place and a reason");
    for (const char c : text)
        require(c == '\n' || std::isprint(static_cast<unsigned char>(c)) != 0,
                "what a stop says can be printed");
    return text;
}

void load(afuc::test::CpRun& run, const Input& input) {
    run.memory.map(kMemory, kMemoryBytes);
    run.memory.map(afuc::test::kReadFrom, afuc::test::kRandomBytes);
    run.memory.map(afuc::test::kWriteTo, afuc::test::kRandomBytes);
    run.memory.map(afuc::test::kBuffers, 4096);
    for (const auto& [address, words] : input.blocks)
        run.memory.write(address, words);
}

// As drivers begin: CP_ME_INIT, from a7xx on after a CP_THREAD_CONTROL.
Words first_packets(const CpSpec& spec) {
    const char* text =
        spec.generation->names == Names::A7xx
            ? "CP_THREAD_CONTROL [count=1] DW1 = 0x8000000\nCP_ME_INIT [count=7] DW1 = 0x10b\n"
            : "CP_ME_INIT [count=8] DW1 = 0x2f\n";
    const front::PacketAssembly a = language_of(spec.generation->names).assemble(text);
    require(a.errors.empty(), "the first packets are legal");
    return words_of(a.bytes.data(), a.bytes.size());
}

bool at_end(const CpSpec& spec, const afuc::CpFunctional& cp, uint32_t write_pointer) {
    for (unsigned i = 0; i < spec.processors.size(); ++i) {
        const afuc::Processor& p = cp.processor(i);
        if (!p.running())
            continue;
        if (p.engine()->state().leads != afuc::Leads::Packet)
            return false;
        if (p.spec().fetches_ring && (p.level() != 0 || p.read_pointer() != write_pointer))
            return false;
    }
    return true;
}

Outcome run_functional(afuc::test::FunctionalRun& run, const CpSpec& spec, const Input& input,
                       Witness* witness) {
    try {
        load(run, input);
        if (witness != nullptr) {
            run.submit(first_packets(spec));
            run.run();
            run.cp().debug(*witness);
        }
        run.submit(input.ring);
        run.run();
    } catch (const MachineStop& stop) {
        return {checked(stop), false};
    }
    return {"", at_end(spec, run.cp(), run.write_pointer())};
}

Outcome run_timed(afuc::test::TimedRun& run, const CpSpec& spec, const Input& input, bool shipped,
                  uint64_t cycles) {
    try {
        load(run, input);
        if (shipped) {
            run.submit(first_packets(spec));
            run.run_cycles(kMaxCycles);
        }
        run.submit(input.ring);
        run.run_cycles(cycles);
    } catch (const MachineStop& stop) {
        return {checked(stop), false};
    }
    return {"", run.core().idle()};
}

void require_same(afuc::test::FunctionalRun& without, afuc::test::TimedRun& with,
                  const Witness& witness) {
    require(without.memory == with.memory, "both modes leave the same memory");
    for (const uint32_t index : witness.written)
        require(without.reg(index) == with.reg(index), "both modes leave the same registers");
}

bool exercise_packets(const Input& input) {
    const CpSpec& spec = shipped(input.head.chip());
    Witness witness(spec, input);
    afuc::test::FunctionalRun without(spec, kInstructionLimit);
    const Outcome functional = run_functional(without, spec, input, &witness);
    const bool same = functional.consumed && !witness.depends_on_time;
    afuc::test::TimedRun with(spec, input.head.seed());
    const Outcome timed = run_timed(with, spec, input, true, same ? kMaxCycles : kCycleLimit);
    // In time buffers are fetched ahead, past what is taken of them.
    if (!same || timed.stop.find("fetch from unmapped") != std::string::npos)
        return functional.consumed;
    if (!timed.stop.empty())
        broken("only in time: " + timed.stop);
    require(timed.consumed, "a stream that ends without time ends in time");
    require_same(without, with, witness);
    return true;
}

bool exercise_microcode(const Input& input) {
    if (input.image.empty())
        return false;
    const CpSpec spec = raw_spec(input);
    Outcome functional;
    try {
        afuc::test::FunctionalRun run(spec, kInstructionLimit);
        functional = run_functional(run, spec, input, nullptr);
    } catch (const MachineStop& stop) {
        functional.stop = checked(stop);
    }
    try {
        afuc::test::TimedRun run(spec, input.head.seed());
        run_timed(run, spec, input, false, kCycleLimit);
    } catch (const MachineStop& stop) {
        checked(stop);
    }
    return functional.consumed;
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    const Input input = input_of(words_of(data, size));
    return input.head.raw() ? exercise_microcode(input) : exercise_packets(input);
}

// ---- inputs ------------------------------------------------------------------------------------

namespace {

// The packets of a workload, block by block: those after `address:` and those of steps.
Bytes seed_of(const std::string& yaml, uint32_t chip) {
    std::istringstream lines(yaml);
    std::string line;
    std::map<uint64_t, std::string> texts;
    uint64_t place = 0;  // 0: the ring
    while (std::getline(lines, line)) {
        const size_t dash = line.find("- ");
        const size_t address = line.find("address: 0x");
        if (line.rfind("steps:", 0) == 0)
            place = 0;
        else if (address != std::string::npos)
            place = std::stoull(line.substr(address + 9), nullptr, 16);
        else if (dash != std::string::npos &&
                 (line.compare(dash + 2, 3, "CP_") == 0 || line.compare(dash + 2, 3, "PKT") == 0))
            texts[place] += line.substr(dash + 2) + "\n";
    }
    Bytes bytes = head_of(chip, chip);
    for (const auto& [at, text] : texts) {
        const front::PacketAssembly a = language_of(shipped(chip).generation->names).assemble(text);
        require(a.errors.empty(), "packets of a workload are legal");
        add_block(bytes, at == 0 ? Block::kRing : static_cast<uint32_t>((at - kMemory) / 4),
                  words_of(a.bytes.data(), a.bytes.size()));
    }
    return bytes;
}

// Microcode that takes packets of opcode 0x10 apart.
Bytes raw_seed() {
    const auto& g = *afuc::find_generation("a6xx");
    const afuc::Assembly a = afuc::assemble(
        g,
        "[016ee001]\n[#table]\nboot: mov $02, 0x1\ncwrite $02, [$00 + @PACKET_TABLE_WRITE_ADDR]\n"
        "cwrite $00, [$00 + @PACKET_TABLE_WRITE_ADDR]\nmov $rem, 0x80\nmov $03, #CP_NOP\n"
        "(rep)cwrite $03, [$00 + @PACKET_TABLE_WRITE]\nwaitin\nmov $01, $data\n"
        "CP_NOP: mov $addr, 0xa000\n(rep)(xmov1)mov $data, $data\nwaitin\nmov $01, $data\n"
        ".align 32\ntable: .jumptbl\n");
    require(a.errors.empty(), "the microcode of a seed is legal");
    Bytes bytes = head_of(7u << 2 | 1u << 5, 1);
    add_block(bytes, Block::kImage, {a.words.begin() + 1, a.words.end()});
    add_block(bytes, Block::kRing, {afuc::make_type7_header(0x10, 3), 1, 2, 3});
    return bytes;
}

// Legal microcode of every instruction, with its packets.
Bytes program_seed(uint32_t seed) {
    const uint32_t generation = 1 + seed % 4;
    const afuc::Generation& g = afuc::kGenerations[generation];
    const afuc::test::RandomProgram program(g, seed);
    const afuc::Assembly a = afuc::assemble(g, program.text);
    require(a.errors.empty(), "a random program is legal");
    Bytes bytes = head_of(7u << 2 | generation << 5, seed);
    add_block(bytes, Block::kImage, {a.words.begin() + 1, a.words.end()});
    add_block(bytes, Block::kProgram, program.buffer);
    add_block(bytes, Block::kRing, program.packets);
    return bytes;
}

// Packets with places for what differs: A address, B buffer, R register, N small number, V any, S
// scratch register.
struct Template {
    const char* text;
    unsigned chips = 15;  // by their numbers
};
constexpr unsigned kA6 = 6, kA7 = 8, kFromA6 = 14, kBeforeA7 = 7;
constexpr Template kTemplates[] = {
    {"CP_NOP"},
    {"CP_NOP DATA = [V, V]"},
    {"PKT4 R = V"},
    {"PKT4 0xa008 = V, 0xa009 = V"},
    {"CP_MEM_WRITE ADDR = A, DATA = [V]"},
    {"CP_MEM_WRITE ADDR = A, DATA = [V, N, V, N, 0]"},
    {"CP_WAIT_FOR_IDLE"},
    {"CP_WAIT_FOR_ME"},
    {"CP_WAIT_MEM_WRITES"},
    {"CP_MEM_TO_MEM DST = A, SRC_A = A"},
    {"CP_MEM_TO_MEM NEG_B = 1, DST = A, SRC_A = A, SRC_B = A, SRC_C = A"},
    {"CP_MEM_TO_MEM DOUBLE = 1, UNK31 = 1, DST = A, SRC_A = A, SRC_B = A"},
    {"CP_MEM_TO_REG REG = R, CNT = N, SRC = A"},
    {"CP_MEM_TO_REG REG = R, CNT = N, SHIFT_BY_2 = 1, UNK31 = 1, SRC = A"},
    {"CP_REG_TO_MEM REG = R, CNT = N, DEST = A"},
    {"CP_REG_TO_MEM REG = R, CNT = 4, _64B = 1, ACCUMULATE = 1, DEST = A"},
    {"CP_REG_RMW DST_REG = R, ROTATE = N, SRC1_ADD = 1, SRC0 = V, SRC1 = V"},
    {"CP_REG_RMW DST_REG = R, SRC0_IS_REG = 1, SRC1_IS_REG = 1, SRC0 = R, SRC1 = R"},
    {"CP_CONTEXT_REG_BUNCH REG = R, VALUE = V, REG = R, VALUE = V"},
    {"CP_REG_TO_SCRATCH REG = R, SCRATCH = S, CNT = 1"},
    {"CP_SCRATCH_TO_REG REG = R, SCRATCH = S, CNT = 1"},
    {"CP_COND_WRITE5 FUNCTION = N, POLL = POLL_MEMORY, WRITE_MEMORY = 1, POLL_ADDR = A, REF = V, "
     "MASK = V, WRITE_ADDR = A, WRITE_DATA = V"},
    {"CP_COND_WRITE5 FUNCTION = WRITE_EQ, POLL_REG = R, REF = N, MASK = N, WRITE_ADDR = R, "
     "WRITE_DATA = V"},
    {"CP_WAIT_REG_MEM FUNCTION = WRITE_ALWAYS"},
    {"CP_WAIT_REG_MEM FUNCTION = WRITE_GE, POLL = POLL_MEMORY, POLL_ADDR = A, REF = 0, MASK = V"},
    {"CP_COND_EXEC ADDR0 = A, ADDR1 = A, REF = N, DWORDS = 2\nCP_WAIT_FOR_ME\nCP_NOP"},
    {"CP_REG_TEST REG = R, BIT = N", kFromA6},
    {"CP_SET_DRAW_STATE COUNT = Z, LOAD_IMMED = 1, GROUP_ID = N, ADDR = B", 1},
    {"CP_COND_REG_EXEC MODE = PRED_TEST, DWORDS = 2\nCP_WAIT_FOR_IDLE\nCP_NOP"},
    {"CP_COND_REG_EXEC MODE = REG_COMPARE, REG0 = R, REG1 = R, DWORDS = 4\nCP_MEM_WRITE ADDR = A, "
     "DATA = [V]",
     kFromA6},
    {"CP_INDIRECT_BUFFER IB_BASE = B, IB_SIZE = Z"},
    {"CP_INDIRECT_BUFFER IB_BASE = B, IB_SIZE = N"},
    {"CP_SET_DRAW_STATE COUNT = Z, LOAD_IMMED = 1, SYSMEM = 1, GROUP_ID = N, ADDR = B", kFromA6},
    {"CP_SET_DRAW_STATE COUNT = 0, DISABLE_ALL_GROUPS = 1"},
    {"CP_EVENT_WRITE EVENT = CACHE_FLUSH_TS, ADDR_0 = A, DATA = V", kBeforeA7},
    {"CP_MEMCPY DWORDS = N, SRC = A, DST = A", kFromA6},
    {"CP_SCRATCH_WRITE SCRATCH = S, DATA = [V]", kFromA6},
    {"CP_SET_MARKER MODE = RM6_BIN_RENDER_START", kFromA6},
    {"CP_SET_MODE MODE = 1", kFromA6},
    {"CP_REG_TO_MEM_OFFSET_REG REG = R, CNT = 2, DEST = A, OFFSET0 = 0xa010", kFromA6},
    {"CP_REG_WRITE TRACKER = UNK_EVENT_WRITE, REG = R, VALUE = V", kA6},
    {"CP_WAIT_MEM_GTE POLL_ADDR = A, REF = 0", kA6},
    {"CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_ENABLED = 1, ADDR = A, PAYLOAD_0 = V", kA7},
    {"CP_EVENT_WRITE7 EVENT = CACHE_CLEAN, WRITE_SRC = EV_WRITE_USER_64B, WRITE_ENABLED = 1, ADDR "
     "= A, PAYLOAD_0 = V, PAYLOAD_1 = V",
     kA7},
    {"CP_WAIT_TIMESTAMP ADDR = A, SRC_0 = 0", kA7},
    {"CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BOTH", kA7},
    {"CP_THREAD_CONTROL THREAD = CP_SET_THREAD_BR, SYNC_THREADS = 1", kA7},
    {"CP_MEM_TO_SCRATCH_MEM CNT = 3, OFFSET = N, SRC = A", kA7},
};
constexpr uint32_t kBufferStride = 0x400, kBufferCount = 6, kBufferPackets = 3;

struct Buffer {
    uint64_t address;
    size_t words;
};

// Letters that stand alone are places; `below`: buffers that may be called.
std::string filled(const std::string& pattern, Random& random, const std::vector<Buffer>& below) {
    const Buffer none = {kBuffers, 0};
    const Buffer& buffer = below.empty() ? none : random.pick(below);
    std::string text;
    for (size_t i = 0; i < pattern.size(); ++i) {
        const char next = i + 1 < pattern.size() ? pattern[i + 1] : '\n';
        const bool alone = (i == 0 || pattern[i - 1] == ' ' || pattern[i - 1] == '[') &&
                           (next == ',' || next == ']' || next == '\n' || next == ' ');
        const char letter = alone ? pattern[i] : ' ';
        switch (letter) {
            case 'A':
                text += hex(kMemory + 8 * random.below(64));
                break;
            case 'B':
                text += hex(buffer.address);
                break;
            case 'Z':
                text += std::to_string(buffer.words);
                break;
            case 'R':
                text += hex(0xA000 + random.below(32));
                break;
            case 'N':
            case 'S':
                text += std::to_string(random.below(7));
                break;
            case 'V':
                text += hex(random.one_in(2) ? random.below(8) : random.word());
                break;
            default:
                text += pattern[i];
        }
    }
    return text + "\n";
}

Words some_packets(Random& random, uint32_t chip, unsigned count,
                   const std::vector<Buffer>& below) {
    std::string text;
    while (count != 0) {
        const Template& t = kTemplates[random.below(std::size(kTemplates))];
        if ((t.chips >> chip & 1) == 0)
            continue;
        text += filled(t.text, random, below);
        --count;
    }
    const front::PacketAssembly a = language_of(shipped(chip).generation->names).assemble(text);
    if (!a.errors.empty())
        broken("a template is wrong: " + a.errors[0].message + "\n" + text);
    return words_of(a.bytes.data(), a.bytes.size());
}

// A workload may need more than one input has: a longer ring, other memory, several submissions.
void add_if_it_ends(std::vector<Bytes>& list, Bytes seed) {
    if (exercise(seed.data(), seed.size()))
        list.push_back(std::move(seed));
}

}  // namespace

std::vector<Bytes> seeds() {
    static const std::pair<const char*, unsigned> kFolders[] = {
        {"all", 15},   {"before_a7xx", kBeforeA7}, {"a5xx", 1},
        {"a6xx", kA6}, {"from_a6xx", kFromA6},     {"a7xx", kA7}};
    std::vector<Bytes> list = {raw_seed()};
    for (uint32_t seed = 0; seed < 8; ++seed)
        list.push_back(program_seed(seed));
    for (const auto& [folder, chips] : kFolders)
        for (const std::string& file :
             files_of(std::string(ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/adreno/") + folder,
                      ".yaml"))
            for (uint32_t chip = 0; chip < std::size(kChips); ++chip)
                if ((chips >> chip & 1) != 0)
                    add_if_it_ends(list, seed_of(read_text(file), chip));
    require(list.size() > 100, "workloads are seeds");
    return list;
}

// Packets in the ring and in buffers that call the ones before them, one word in a few of them
// wrong; or microcode, a little changed.
Bytes generate(Random& random) {
    if (random.one_in(4))
        return mutate(program_seed(random.below(100'000)), random);
    const uint32_t chip = random.below(std::size(kChips));
    Bytes bytes = head_of(chip, random.below(256));
    std::vector<Buffer> leaves, all;
    for (uint32_t i = 0; i < kBufferCount; ++i) {
        const uint64_t at = kBuffers + i * kBufferStride;
        const bool leaf = i < kBufferCount / 2;
        const Words words = some_packets(random, chip, 1 + random.below(kBufferPackets),
                                         leaf ? std::vector<Buffer>{} : leaves);
        add_block(bytes, static_cast<uint32_t>((at - kMemory) / 4), words);
        (leaf ? leaves : all).push_back({at, words.size()});
    }
    all.insert(all.end(), leaves.begin(), leaves.end());
    add_block(bytes, Block::kRing, some_packets(random, chip, 1 + random.below(20), all));
    return random.one_in(6) ? mutate(bytes, random) : bytes;
}

}  // namespace archipelago::fuzz
