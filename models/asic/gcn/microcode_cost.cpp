// SPDX-License-Identifier: Apache-2.0
#include "models/asic/gcn/microcode_cost.h"

#include <array>
#include <sstream>
#include <utility>

#include "models/afuc/engine/engine.h"
#include "models/common/error.h"
#include "models/common/files.h"
#include "models/cp/pm4/packet_program.h"
#include "models/cp/pm4/packet_table.h"

namespace archipelago::gcn {
namespace {

constexpr unsigned kHeaderRegister = 1;                   // as handlers of Adreno find it
constexpr uint64_t kMaxSourceBytes = uint64_t{16} << 20;  // a device may have no end
// A routine that has made more issue cycles than any that ends waits for something that never
// comes.
constexpr uint32_t kMaxPacketCycles = 1024, kMaxCyclesPerDword = 16;

// A packet's body; nothing else is connected.
class BodyPorts : public afuc::EnginePorts {
  public:
    void begin(const uint32_t* body, uint32_t known, uint32_t dwords) {
        body_ = body;
        known_ = known;
        dwords_ = dwords;
        taken_ = 0;
    }
    uint32_t taken() const { return taken_; }

    bool ready(const afuc::Needs&) override { return true; }
    const uint32_t* data(unsigned words, bool take) override {
        if (take && words > dwords_ - taken_)
            throw std::out_of_range("reads beyond the packet");
        for (unsigned i = 0; i < words; ++i)
            words_[i] = taken_ + i < known_ ? body_[taken_ + i] : 0;
        taken_ += take ? words : 0;
        return words_.data();
    }
    bool fetch(uint32_t) override { return false; }
    uint32_t memory(uint64_t) override { return 0; }
    uint32_t load(uint64_t) override { return 0; }
    void write_memory(uint64_t, uint32_t) override {}
    uint32_t gpu_register(uint32_t) override { return 0; }
    void write_gpu_register(uint32_t, uint32_t, afuc::RegisterPath) override {}
    void push(uint32_t) override {}
    uint32_t live_control(uint32_t) override { return 0; }
    void arm(unsigned, uint64_t, uint32_t) override {}
    void boot(bool, uint64_t) override {}
    void wrote_pipe(uint32_t, uint32_t) override {}
    void wrote_control(uint32_t, uint32_t) override {}
    void wrote_sqe(uint32_t, uint32_t) override {}

  private:
    const uint32_t* body_ = nullptr;
    std::array<uint32_t, afuc::kIssueWords> words_{};
    uint32_t known_ = 0, dwords_ = 0, taken_ = 0;
};

afuc::EngineSpec engine_spec(const Microcode& code, unsigned moves, const char* path) {
    afuc::EngineSpec spec;
    spec.generation = code.generation;
    spec.path = path;
    spec.most_extra_moves = static_cast<uint8_t>(moves);
    return spec;
}

// The routines of one engine.
class Routines {
  public:
    Routines(Microcode code, unsigned moves, const char* path)
        : code_(std::move(code)), engine_(engine_spec(code_, moves, path), ports_) {
        const std::vector<uint32_t>& words = code_.assembly.words;
        const auto count = static_cast<uint32_t>(words.size()) - 1;
        engine_.begin(count);
        engine_.place(0, words.data() + 1, count);
    }

    cp::MicrocodeCycles microcode_cycles(const cp::PacketInfo& info, uint32_t header,
                                         const uint32_t* body, uint32_t known,
                                         const cp::Location& location) {
        const uint32_t dwords = cp::header_body_dwords(header);
        ports_.begin(body, known, dwords);
        begin(info, header, dwords, location);
        try {
            return run(dwords);
        } catch (const MachineStop& stop) {
            throw MachineStop(stop.kind(), at(info, location), stop.what());
        } catch (const std::exception& error) {
            throw MachineStop(StopKind::BadInput, at(info, location),
                              engine_.where() + ": " + error.what());
        }
    }

  private:
    void begin(const cp::PacketInfo& info, uint32_t header, uint32_t dwords,
               const cp::Location& location) {
        const std::string label = routine_label(info, cp::header_type(header) == 0);
        const auto entry = code_.assembly.labels.find(label);
        if (entry == code_.assembly.labels.end())
            throw MachineStop(
                StopKind::BadInput,
                code_.path + ": packet " + info.name + " at " + cp::to_string(location),
                "the microcode has no routine for it: no label " + label);
        afuc::EngineState& state = engine_.state();
        state = {};
        state.pc = entry->second;
        state.gpr[kHeaderRegister] = header;
        state.gpr[afuc::kRem] = dwords;
    }
    cp::MicrocodeCycles run(uint32_t dwords) {
        cp::MicrocodeCycles cycles;
        cycles.dwords.reserve(dwords);
        const uint32_t most = kMaxPacketCycles + kMaxCyclesPerDword * dwords;
        for (; engine_.state().leads != afuc::Leads::Packet; ++cycles.count) {
            if (cycles.count == most)
                throw std::runtime_error("no waitin in " + std::to_string(most) + " cycles");
            engine_.step();
            cycles.dwords.resize(ports_.taken(), cycles.count);
        }
        ++cycles.count;  // the delay slot of waitin takes the next header
        if (ports_.taken() != dwords)
            throw std::runtime_error("takes " + std::to_string(ports_.taken()) + " of " +
                                     std::to_string(dwords) + " dwords");
        return cycles;
    }
    // "one.afuc:12: packet SET_SH_REG at ring gfx dword 4"
    std::string at(const cp::PacketInfo& info, const cp::Location& location) const {
        const afuc::Assembly& from = code_.assembly;
        const size_t word = engine_.state().pc + 1;
        std::string text = code_.path;
        if (word < from.places.size())
            text =
                from.files[from.places[word].file] + ":" + std::to_string(from.places[word].line);
        return text + ": packet " + info.name + " at " + cp::to_string(location);
    }

    const Microcode code_;
    BodyPorts ports_;
    afuc::Engine engine_;
};

class MicrocodeCost : public cp::PacketCost {
  public:
    MicrocodeCost(const Microcode& pfp, const std::optional<Microcode>& me, unsigned moves)
        : pfp_(std::make_unique<Routines>(pfp, moves, "cp.pfp")),
          me_(me ? std::make_unique<Routines>(*me, moves, "cp.me") : nullptr) {}

    cp::MicrocodeCycles microcode_cycles(cp::ProgramEngine engine, const cp::PacketInfo& info,
                                         uint32_t header, const uint32_t* body, uint32_t known,
                                         const cp::Location& location) const override {
        Routines* of = engine == cp::ProgramEngine::Me ? me_.get() : pfp_.get();
        return of != nullptr ? of->microcode_cycles(info, header, body, known, location)
                             : cp::MicrocodeCycles{};
    }

  private:
    // Begin again with each packet: no answer depends on an earlier one.
    const std::unique_ptr<Routines> pfp_, me_;
};

// Of the ID word: the first literal.
const afuc::Generation* generation_of(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const size_t at = line.find_first_not_of(" \t\r");
        if (at == std::string::npos || line[at] == ';')
            continue;
        const std::string id = line.substr(at, 3);
        return id == "[00"   ? afuc::find_generation("a5xx")
               : id == "[01" ? afuc::find_generation("a6xx")
                             : nullptr;
    }
    return nullptr;
}

}  // namespace

std::string routine_label(const cp::PacketInfo& info, bool type0) {
    return type0 ? "TYPE_0" : info.name;
}

std::optional<Microcode> load_microcode(const std::string& path,
                                        std::vector<std::string>& problems) {
    std::string text;
    try {
        text = read_file(path, kMaxSourceBytes);
    } catch (const FileError& error) {
        problems.push_back("cannot read " + path + ": " + error.reason());
        return {};
    }
    Microcode code{path, generation_of(text), {}};
    if (code.generation == nullptr) {
        problems.push_back(path +
                           ": begins with no ID word, [00xxxxxx] of a5xx or [01xxxxxx] of a6xx");
        return {};
    }
    code.assembly = afuc::assemble(*code.generation, text, path);
    for (const TextError& e : code.assembly.errors)
        problems.push_back((e.file.empty() ? path : e.file) + ":" + std::to_string(e.line) + ":" +
                           std::to_string(e.column) + ": " + e.message);
    if (!problems.empty())
        return {};
    return code;
}

std::shared_ptr<const cp::PacketCost> microcode_cost(const Microcode& pfp,
                                                     const std::optional<Microcode>& me,
                                                     unsigned moves) {
    return std::make_shared<MicrocodeCost>(pfp, me, moves);
}

}  // namespace archipelago::gcn
