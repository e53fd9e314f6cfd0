// SPDX-License-Identifier: Apache-2.0
// CTM command buffers of any words: read, executed in functional mode, and shown as text. Accepted:
// the buffer runs to its end.
#include <algorithm>
#include <string>
#include <vector>

#include "models/common/error.h"
#include "models/ctm/command/command_text.h"
#include "models/ctm/pe/pe_functional.h"
#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"ctm_command_fuzzer", false, 20000, 20000, 0.5};

namespace {

constexpr uint64_t kBuffer = 0x40;
constexpr uint32_t kMaxDomainQuads = 1u << 12;  // of the domains of one input

// A machine that counts, and stops walks that take too long to be fuzzed.
class Machine final : public ctm::PeMachine {
  public:
    explicit Machine(const std::vector<uint32_t>& words) : words_(words) {}
    void memory_controller_command(const ctm::UnitCommand& c) override { known(c); }
    void conditional_operation_command(const ctm::UnitCommand& c) override { known(c); }
    uint8_t test(const ctm::ConditionRequest& r) override {
        count(1);
        require((r.lanes & ~15) == 0 && r.lanes != 0, "a test is of lanes of a quad");
        return static_cast<uint8_t>(r.lanes & r.origin.x >> 1);
    }
    void run(const ctm::ThreadLaunch& t) override {
        count(t.quads);
        require(t.quads >= 1 && t.quads <= ctm::isa::kMaxQuads, "a thread has its quads");
        require(t.covered != 0 && t.covered >> 4 * t.quads == 0, "a thread covers lanes it has");
        require(t.temporaries >= 1 && t.temporaries <= ctm::isa::kTemporaries,
                "a thread has temporaries");
    }
    bool read(uint64_t address, uint32_t* dwords, size_t count) override {
        require(address >= kBuffer && (address - kBuffer) / 4 + count <= words_.size(),
                "nothing outside of the buffer is read");
        std::copy_n(words_.begin() + static_cast<std::ptrdiff_t>((address - kBuffer) / 4), count,
                    dwords);
        return true;
    }
    bool write(uint64_t address, const uint32_t*, size_t) override {
        require(address % 2048 == 0, "counters go to multiples of 2 KiB");
        return true;
    }
    ctm::PerfClocks clocks() override { return {quads_, quads_}; }
    void consumed(uint32_t buffer) override { require(buffer == 1, "the buffer is consumed"); }

  private:
    void count(uint32_t quads) {
        quads_ += quads;
        if (quads_ > kMaxDomainQuads)
            throw MachineStop(StopKind::Hang, "fuzzer", "a walk of many quads");
    }
    static void known(const ctm::UnitCommand& c) {
        require(c.opcode >= 0x0a && c.opcode <= 0x1c, "other units get commands of theirs");
    }
    const std::vector<uint32_t>& words_;
    uint64_t quads_ = 0;
};

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    const std::vector<uint32_t> words = words_of(data, size);
    const ctm::CommandLanguage language;
    const std::string text = language.disassemble(words.data(), words.size());
    const front::PacketAssembly back = language.assemble(text);
    require(back.errors.empty() && words_of(back.bytes.data(), back.bytes.size()) == words,
            "text of a buffer makes the same buffer");
    ctm::RegisterFile registers;
    Machine machine(words);
    ctm::PeFunctional pe({}, false, registers, machine);
    registers.write(ctm::kProgInfo, words.empty() ? 0 : words[0]);
    registers.write(ctm::kCbAddress, kBuffer);
    registers.write(ctm::kCbSize, static_cast<uint32_t>(4 * words.size()));
    try {
        pe.run();
    } catch (const MachineStop& stop) {
        require(stop.kind() == StopKind::BadInput || stop.kind() == StopKind::Hang,
                "a buffer is refused as bad input");
        require(stop.kind() == StopKind::Hang ||
                    std::string(stop.what()).rfind("command buffer 1 at 0x40", 0) == 0,
                "an error names its place");
        return false;
    }
    return true;
}

std::vector<Bytes> seeds() {
    const ctm::CommandLanguage language;
    std::string all;
    for (const ctm::CommandInfo& info : ctm::commands())
        all += std::string(info.name) + "\nwait_for_idle\n";
    return {language.assemble(all).bytes,
            language.assemble("set_domain i0 = 9\nstart_program\nflush_out_cache\n").bytes,
            language
                .assemble("set_domain i1 = 30, j1 = 9\nset_cond_test condition = LESS\n"
                          "set_cond_loc loc = PE\nstart_program\nwait_for_idle\n"
                          "read_perf_counters\n")
                .bytes};
}

Bytes generate(Random& random) {
    Bytes bytes;
    const auto emit = [&](uint32_t word) {
        for (unsigned i = 0; i < 4; ++i)
            bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
    };
    for (unsigned n = 1 + random.below(12); n > 0; --n) {
        const ctm::CommandInfo& info = ctm::commands().begin()[random.below(27)];
        if (!info.pipelined && !random.one_in(30)) {
            emit(0xC0000900);
            emit(0);
        }
        emit(random.one_in(200) ? random.word() : info.header);
        for (unsigned i = 0; i < info.parameters; ++i)
            emit(random.one_in(2) ? random.below(64) : random.below(4) << 12 | random.below(64));
    }
    return bytes;
}

}  // namespace archipelago::fuzz
