// SPDX-License-Identifier: Apache-2.0
#include "models/asic/adreno/microcode.h"

#include <cstring>
#include <filesystem>
#include <memory>

#include "models/afuc/isa/image.h"
#include "models/afuc/isa/text.h"
#include "models/asic/spec_readers.h"
#include "models/common/files.h"

namespace archipelago::adreno {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxImageBytes = uint64_t{16} << 20;  // a device may have no end

std::vector<uint32_t> to_words(const std::string& bytes) {
    std::vector<uint32_t> words(bytes.size() / 4);
    std::memcpy(words.data(), bytes.data(), 4 * words.size());
    return words;
}

void assemble_source(const std::string& text, const afuc::Generation& generation,
                     config::Diagnostics& diagnostics, afuc::Microcode& code) {
    const afuc::Assembly assembly = afuc::assemble(generation, text, code.file);
    for (const std::string& file : assembly.files)
        diagnostics.add_file(file);
    for (const TextError& e : assembly.errors) {
        const auto file = std::make_shared<const std::string>(e.file.empty() ? code.file : e.file);
        diagnostics.error({file, e.line, e.column}, "", e.message);
    }
    for (const TextError& w : assembly.warnings) {
        const auto file = std::make_shared<const std::string>(w.file.empty() ? code.file : w.file);
        diagnostics.warning({file, w.line, w.column}, "", w.message);
    }
    code.words = assembly.words;
    code.labels = assembly.names;
    for (const afuc::SourcePlace& p : assembly.places)
        code.places.push_back(p.line == 0 ? std::string()
                                          : fs::path(assembly.files[p.file]).filename().string() +
                                                ":" + std::to_string(p.line));
}

// Drivers do, too.
void drop_zero_dword(afuc::Microcode& code) {
    code.words.erase(code.words.begin());
    std::map<uint32_t, std::string> labels;
    for (auto& [word, name] : code.labels)
        labels.emplace(word - 1, std::move(name));
    code.labels = std::move(labels);
}

}  // namespace

afuc::Microcode read_microcode(config::Reader& cp, const char* key,
                               const afuc::Generation& generation,
                               config::Diagnostics& diagnostics) {
    afuc::Microcode code;
    const auto value = cp.need(key, "a file");
    const auto name = value ? value->as<std::string>("source (.afuc) or image of the engines")
                            : std::optional<std::string>();
    if (!name)
        return code;
    code.file = asic::file_beside(*value, *name);
    std::string bytes;
    try {
        bytes = read_file(code.file, kMaxImageBytes);
    } catch (const FileError& error) {
        cp.error(key, "cannot read " + code.file + ": " + error.reason());
        return code;
    }
    diagnostics.add_file(code.file);
    if (bytes.size() > kMaxImageBytes) {
        cp.error(key, "cannot read " + code.file + ": it has more than 16 MiB");
        return code;
    }
    if (fs::path(code.file).extension() == ".afuc") {
        assemble_source(bytes, generation, diagnostics, code);
    } else if (bytes.size() % 4 != 0) {
        cp.error(key, code.file + ": " + std::to_string(bytes.size()) +
                          " bytes, which are no whole words: the image is cut off");
    } else {
        code.words = to_words(bytes);
    }
    if (afuc::is_file(generation, code.words))
        drop_zero_dword(code);
    if (!code.places.empty() && code.places.size() > code.words.size())
        code.places.erase(code.places.begin());
    const afuc::Generation* const known =
        code.words.empty() ? nullptr : afuc::generation_of_id(code.words[0]);
    if (known != nullptr && known != &generation)
        cp.error(key, code.file + " is an image of " + known->name + ", but the engines are " +
                          generation.name);
    return code;
}

}  // namespace archipelago::adreno
