// SPDX-License-Identifier: Apache-2.0
// Chip descriptions. An input is laid over the description of a real chip, as a file with `base:`
// is, and read on its own; its first line is tried as a `--set` argument. Cores are made of every
// chip that is accepted: what passes validation must be buildable.
#include <map>
#include <memory>
#include <optional>

#include "models/afuc/cp/cp_core.h"
#include "models/asic/adreno/chip_config.h"
#include "models/asic/ctm/chip_config.h"
#include "models/asic/dma/chip_config.h"
#include "models/asic/gcn/chip_config.h"
#include "models/config/load.h"
#include "models/cp/cp_core.h"
#include "models/ctm/co/co_core.h"
#include "models/ctm/dpp/dpp_core.h"
#include "models/ctm/mc/mc_core.h"
#include "models/ctm/pe/pe_core.h"
#include "models/cu/pipeline/cu_core.h"
#include "models/dma/dma_core.h"
#include "models/grbm/grbm_core.h"
#include "models/mc/mc_core.h"
#include "models/sem/sem_core.h"
#include "models/spi/spi_core.h"
#include "models/srbm/srbm_core.h"
#include "models/tc/sqc_data_core.h"
#include "models/tc/sqc_inst_core.h"
#include "models/tc/tcc_core.h"
#include "models/tc/tcp_core.h"
#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"config_fuzzer", true, 1200, 600, 0.4};

namespace {

config::Node load(const char* chip) {
    config::Diagnostics diagnostics;
    const auto tree = config::load_with_bases(
        std::string(ARCHIPELAGO_SOURCE_DIR "/configs/asics/") + chip, diagnostics);
    diagnostics.throw_if_errors();
    return *tree;
}
const config::Node& base() {
    static const config::Node node = load("tahiti.yaml");
    return node;
}

class AllMapped : public tc::PageCheck {
  public:
    bool is_mapped(uint64_t) const override { return true; }
};

void build(const gcn::ChipConfig& c) {
    try {
        const mc::ChannelMap map(c.channel_map);
        const AllMapped pages;
        const cp::CpCore cp(c.cp);
        const srbm::SrbmCore srbm(c.srbm);
        const grbm::GrbmCore grbm(c.grbm);
        const spi::SpiCore spi(c.spi);
        const cu::CuCore cu(c.cu, {});
        const tc::TcpCore tcp(c.tcp);
        const tc::SqcInstCore inst(c.sqc_inst);
        const tc::SqcDataCore data(c.sqc_data);
        const tc::TccCore tcc(c.tcc, map, &pages);
        const mc::McCore mc(c.mc, map);
        require(cp.idle() && spi.idle() && cu.idle() && tcc.idle() && mc.idle(),
                "a new chip is idle");
    } catch (const std::exception& error) {
        broken(std::string("an accepted description cannot be built: ") + error.what());
    }
}

void check_lines(const config::Diagnostics& diagnostics) {
    for (const config::Diagnostic& d : diagnostics.all()) {
        const std::string line = config::format(d);
        require(!line.empty() && line.find('\n') == std::string::npos, "a diagnostic is one line");
        require(!d.message.empty(), "a diagnostic says something");
    }
}

bool read(const config::Node& tree) {
    config::Diagnostics diagnostics;
    config::Records records;
    const gcn::ChipConfig chip = gcn::read_chip(tree, diagnostics, records);
    check_lines(diagnostics);
    if (diagnostics.has_errors())
        return false;
    require(
        chip.identity.hash.size() == 16 && chip.identity.clock_period_fs != 0 && chip.cus() != 0,
        "an accepted chip is complete");
    require(!records.timings.format_table().empty(), "timings are listed");
    build(chip);
    return true;
}

// What a CTM description is read by, over a chip of its generation.
bool read_ctm(const config::Node& own) {
    static const config::Node r580 = load("r580.yaml");
    config::Diagnostics diagnostics;
    config::Records records;
    const ctm::ChipConfig chip = ctm::read_chip(config::merge(r580, own), diagnostics, records);
    check_lines(diagnostics);
    if (diagnostics.has_errors())
        return false;
    require(chip.identity.hash.size() == 16, "an accepted chip is complete");
    try {
        require(ctm::McCore(chip.controller).idle(), "a new chip is idle");
        require(ctm::PeCore(chip.pe).idle(), "a new chip is idle");
        require(ctm::CoCore(chip.co).idle(), "a new chip is idle");
        require(ctm::dpp::DppCore(chip.dpp).idle(), "a new chip is idle");
    } catch (const std::exception& error) {
        broken(std::string("an accepted description cannot be built: ") + error.what());
    }
    return true;
}

// What a description of a chip of async DMA engines is read by, over a chip of its generation.
bool read_async_dma(const std::string& generation, const config::Node& own) {
    static const std::map<std::string, config::Node> bases = {
        {"r600", load("r600.yaml")},
        {"r700", load("rv770.yaml")},
        {"evergreen", load("cypress.yaml")},
        {"northern_islands", load("cayman.yaml")},
        {"cik", load("bonaire.yaml")}};
    const auto base = bases.find(generation);
    if (base == bases.end())
        return false;
    config::Diagnostics diagnostics;
    config::Records records;
    const dma_chip::ChipConfig chip =
        dma_chip::read_chip(config::merge(base->second, own), diagnostics, records);
    check_lines(diagnostics);
    if (diagnostics.has_errors())
        return false;
    try {
        const srbm::SrbmCore srbm(chip.srbm);
        const sem::SemCore sem(chip.sem);
        for (const dma::Spec& spec : chip.async_dma.engines)
            require(dma::DmaCore(spec).idle(), "a new chip is idle");
    } catch (const std::exception& error) {
        broken(std::string("an accepted description cannot be built: ") + error.what());
    }
    return true;
}

// What a description of an Adreno is read by, over a chip of its generation. The microcode is that
// chip's: an input must not say which files are read.
bool read_adreno(const std::string& generation, const config::Node& own) {
    struct Base {
        config::Node chip, microcode;
    };
    const auto base_of = [](const char* chip, const std::vector<const char*>& keys) {
        std::string text = "cp:\n";
        for (size_t i = 0; i < keys.size(); ++i)
            text += std::string("  ") + keys[i] +
                    ": " ARCHIPELAGO_SOURCE_DIR "/configs/microcode/adreno/" + chip +
                    (keys.size() == 1 ? ".afuc\n"
                     : i == 0         ? "_pfp.afuc\n"
                                      : "_me.afuc\n");
        config::Diagnostics none;
        return Base{load((chip + std::string(".yaml")).c_str()),
                    *config::parse_text(text, "microcode.yaml", none)};
    };
    static const std::map<std::string, Base> bases = {
        {"a5xx", base_of("a530", {"pfp_microcode", "me_microcode"})},
        {"a6xx", base_of("a630", {"microcode"})},
        {"a660", base_of("a660", {"microcode"})},
        {"a7xx", base_of("a730", {"microcode"})},
        {"a750", base_of("a750", {"microcode"})}};
    const auto base = bases.find(generation);
    if (base == bases.end())
        return false;
    config::Diagnostics diagnostics;
    config::Records records;
    const adreno::ChipConfig chip = adreno::read_chip(
        config::merge(config::merge(base->second.chip, own), base->second.microcode), diagnostics,
        records);
    check_lines(diagnostics);
    if (diagnostics.has_errors())
        return false;
    try {
        require(afuc::CpCore(chip.cp).idle(), "a new chip is idle");
    } catch (const std::exception& error) {
        broken(std::string("an accepted description cannot be built: ") + error.what());
    }
    return true;
}

void try_override(const std::string& line) {
    config::Diagnostics diagnostics;
    const config::Node tree = config::apply_override(base(), line, diagnostics);
    check_lines(diagnostics);
    if (!diagnostics.has_errors())
        read(tree);
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    const std::string text(data, data + size);
    config::Diagnostics diagnostics;
    const std::optional<config::Node> own = config::parse_text(text, "chip.yaml", diagnostics);
    check_lines(diagnostics);
    require(own.has_value() || diagnostics.has_errors(), "no tree without a reason");
    try_override(text.substr(0, std::min(text.find('\n'), size_t{100})));
    if (!own)
        return false;
    require(config::config_hash(*own).size() == 16, "a tree has a hash");
    require(config::canonical(config::merge(*own, *own)) == config::canonical(*own),
            "merging a tree with itself changes nothing");
    read(*own);
    if (!own->is_map())
        return false;
    const bool ctm = read_ctm(*own);
    const config::MapEntry* generation = own->find("generation");
    if (generation != nullptr && generation->value.is_scalar() &&
        generation->value.text() == "r5xx")
        return ctm && !diagnostics.has_errors();
    if (generation != nullptr && generation->value.is_scalar() &&
        (read_async_dma(generation->value.text(), *own) ||
         read_adreno(generation->value.text(), *own)))
        return !diagnostics.has_errors();
    return read(config::merge(base(), *own)) && !diagnostics.has_errors();
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    for (const std::string& path : files_of(ARCHIPELAGO_SOURCE_DIR "/configs/asics", ".yaml")) {
        // What `base:` names has been laid below already.
        std::string text = read_text(path);
        const size_t line = text.find("base:");
        if (line != std::string::npos)
            text.erase(line, text.find('\n', line) + 1 - line);
        list.push_back(bytes_of(text));
    }
    for (const char* text :
         {"topology: {shader_engines: 1, sh_per_se: 1, cu_per_sh: 5, cus_per_sqc: 3}\n",
          "cp:\n  meq_latency: {cycles: 2, source: guess, ref: fuzz}\n  roq_units: 60\n",
          "cu:\n  resources: {lds: 32 KiB, vgprs: 128, wave_slots: 4}\n",
          "clocks: {engine: 1 GHz, memory: 1.25 GHz}\n", "{}\n"})
        list.push_back(bytes_of(text));
    return list;
}

// Values of other leaves of the description, mostly scaled a little.
Bytes generate(Random& random) {
    struct Leaf {
        std::vector<std::string> path;
        const config::Node* node;
    };
    static const std::vector<Leaf> leaves = [] {
        std::vector<Leaf> found;
        std::vector<Leaf> open{{{}, &base()}};
        while (!open.empty()) {
            const Leaf leaf = open.back();
            open.pop_back();
            const bool timing = leaf.node->find("cycles") != nullptr;
            if (leaf.node->is_scalar() || timing)
                found.push_back(leaf);
            else
                for (const config::MapEntry& entry : leaf.node->entries()) {
                    Leaf below{leaf.path, &entry.value};
                    below.path.push_back(entry.key);
                    open.push_back(below);
                }
        }
        return found;
    }();
    // The order of the leaves and with it the result depends on the description alone.
    config::Node tree = config::Node::map({}, config::origin_of("generated"));
    for (unsigned i = 1 + random.below(4); i > 0; --i) {
        const Leaf& leaf = random.pick(leaves);
        const config::MapEntry* cycles = leaf.node->find("cycles");
        std::string value = cycles != nullptr ? cycles->value.text() : leaf.node->text();
        const size_t digits = value.find_first_not_of("0123456789");
        if (!value.empty() && digits != 0 && value.size() < 9 && value[0] != '0') {
            const unsigned long number = std::stoul(value.substr(0, digits));
            const unsigned long other[] = {number, number + 1, number / 2,       2 * number,
                                           1,      0,          random.below(100)};
            value = std::to_string(other[random.below(random.one_in(3) ? 7 : 4)]) +
                    (digits == std::string::npos ? "" : value.substr(digits));
        }
        const config::Origin origin = config::origin_of("generated");
        const auto plain = [&](const std::string& text) {
            return config::Node::scalar(text, config::Node::Style::Plain, origin);
        };
        config::Node node = cycles == nullptr
                                ? config::Node::scalar(value, leaf.node->style(), origin)
                                : config::Node::map({{"cycles", origin, plain(value)},
                                                     {"source", origin, plain("guess")}},
                                                    origin);
        for (size_t k = leaf.path.size(); k > 0; --k)
            node = config::Node::map({{leaf.path[k - 1], origin, node}}, origin);
        tree = config::merge(tree, node);
    }
    // As flow maps: one line each.
    std::string text;
    const auto write = [&](const auto& self, const config::Node& node) -> void {
        if (node.is_scalar()) {
            const bool quoted = node.style() == config::Node::Style::Quoted;
            text += (quoted ? "\"" : "") + node.text() + (quoted ? "\"" : "");
            return;
        }
        text += "{";
        const char* separator = "";
        for (const config::MapEntry& entry : node.entries()) {
            text += separator + entry.key + ": ";
            self(self, entry.value);
            separator = ", ";
        }
        text += "}";
    };
    for (const config::MapEntry& entry : tree.entries()) {
        text += entry.key + ": ";
        write(write, entry.value);
        text += "\n";
    }
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
