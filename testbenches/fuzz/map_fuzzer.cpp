// SPDX-License-Identifier: Apache-2.0
// Surface files and points of `archipelago map`: YAML up to a line `...`, points after it.
#include <sys/mman.h>
#include <unistd.h>

#include <optional>
#include <stdexcept>

#include "models/config/parse.h"
#include "models/ctm/mc/mc_address_core.h"
#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/host/map/points.h"
#include "testbenches/host/map/surface.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"map_fuzzer", true, 12000, 6000, 0.4};

namespace {

constexpr const char* kEnd = "\n...\n";

host::SurfaceChip find_chip(const std::string& name) {
    host::SurfaceChip chip;
    chip.name = name;
    if (name == "r580") {
        chip.ctm.emplace();
    } else if (name == "tahiti" || name == "verde") {
        surface::ChipTiling::Modes modes{};
        modes[13] = 0x00350289;
        modes[14] = 0x00321291;
        chip.tiling.emplace(surface::Generation::Si, 0x12011003, modes);
    } else if (name == "hawaii") {
        surface::ChipTiling::Modes modes{};
        modes[2] = 0x00801450;
        modes[14] = 0x02400450;
        chip.tiling.emplace(surface::Generation::Cik, 0x12011003, modes,
                            surface::ChipTiling::MacroModes{0xD8, 0xD4, 0xC0, 0xC0, 0x80, 0x40});
    } else if (name == "cypress") {
        chip.tiling.emplace(surface::Generation::Evergreen, 0x02011003);
    } else if (name == "r600") {
        chip.tiling.emplace(surface::Generation::R6xx, 0x16);
    } else if (name != "none") {
        throw std::invalid_argument("unknown asic");
    }
    return chip;
}

// Answers as the block does, and counts.
class BlockMapper : public host::CtmMapper {
  public:
    explicit BlockMapper(const host::CtmSurface& surface)
        : CtmMapper(surface), superfine_(surface.superfine) {
        surfaces_[ctm::kInput0] =
            ctm::surface_from_words(surface.surface.base, ctm::format_word(surface.surface));
    }
    size_t answered() const { return answered_; }

  private:
    void map(const ctm::Point* points, size_t count, uint32_t* addresses) override {
        for (size_t i = 0; i < count; ++i) {
            require(points[i].x <= ctm::kMaxIndex && points[i].y <= ctm::kMaxIndex,
                    "points have 12 bits");
            const ctm::AddressResponse r =
                ctm::translate(surfaces_, {ctm::kInput0, points[i].x, points[i].y, 0});
            require(r.superfine == superfine_, "the block sees the surface of the file");
            require(r.status == ctm::AddressStatus::Ok || r.status == ctm::AddressStatus::Undefined,
                    "an accepted surface has addresses");
            for (unsigned k = 0; k < per_point(); ++k)
                *addresses++ = r.address[k];
        }
        answered_ += count;
    }

    std::array<ctm::Surface, ctm::kClients> surfaces_{};
    bool superfine_;
    size_t answered_ = 0;
};

// Answers as the command does, and finds every point again.
class RoundTrip : public host::LineMapper {
  public:
    explicit RoundTrip(const host::RadeonSurface& surface)
        : surface_(surface), there_(surface), back_(surface) {}
    const std::vector<host::LineNumber>& numbers() const override { return there_.numbers(); }
    size_t needed() const override { return there_.needed(); }
    size_t longest() const override { return there_.longest(); }
    char* answer(const uint64_t* numbers, size_t lines, char* text) override {
        for (size_t i = 0; i < lines; ++i) {
            const uint64_t* n = numbers + 4 * i;
            const auto x = static_cast<uint32_t>(n[0]);
            const uint64_t address =
                surface_.address(x, static_cast<uint32_t>(n[1]), static_cast<uint32_t>(n[2]),
                                 static_cast<uint32_t>(n[3]));
            std::string point(back_.longest(), '\0');
            point.resize(
                static_cast<size_t>(back_.answer(&address, 1, point.data()) - point.data()));
            const std::string expected =
                std::to_string(x >> surface_.packed_shift << surface_.packed_shift) + "," +
                std::to_string(n[1]) + "," + std::to_string(n[2]) + "," + std::to_string(n[3]) +
                "\n";
            require(point == expected, "the point of an address is the point it is the address of");
        }
        answered_ += lines;
        return there_.answer(numbers, lines, text);
    }
    size_t answered() const { return answered_; }

  private:
    const host::RadeonSurface& surface_;
    host::RadeonMapper there_;
    host::RadeonFinder back_;
    size_t answered_ = 0;
};

// Answers as the command does; every answer is in the metadata.
class InRange : public host::LineMapper {
  public:
    explicit InRange(const host::MetadataMap& file) : file_(file), mapper_(file) {}
    const std::vector<host::LineNumber>& numbers() const override { return mapper_.numbers(); }
    size_t needed() const override { return mapper_.needed(); }
    size_t longest() const override { return mapper_.longest(); }
    char* answer(const uint64_t* numbers, size_t lines, char* text) override {
        const surface::MetadataSurface& s = file_.surface;
        for (size_t i = 0; i < lines; ++i) {
            const uint64_t* n = numbers + 3 * i;
            const uint64_t byte =
                surface::metadata_address(s, static_cast<uint32_t>(n[0]),
                                          static_cast<uint32_t>(n[1]), static_cast<uint32_t>(n[2]))
                    .byte;
            require(byte - s.layout.base < s.size_bytes, "an element is in its surface");
        }
        answered_ += lines;
        return mapper_.answer(numbers, lines, text);
    }
    size_t answered() const { return answered_; }

  private:
    const host::MetadataMap& file_;
    host::MetadataMapper mapper_;
    size_t answered_ = 0;
};

class MemoryFile {
  public:
    MemoryFile() : fd_(memfd_create("map_fuzzer", 0)) {
        if (fd_ < 0)
            throw std::runtime_error("no file in memory");
    }
    ~MemoryFile() { close(fd_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    int fd() const { return fd_; }
    void fill(const std::string& text) const {
        if (write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
            throw std::runtime_error("no room in memory");
        lseek(fd_, 0, SEEK_SET);
    }
    std::string contents() const {
        std::string text(static_cast<size_t>(lseek(fd_, 0, SEEK_END)), '\0');
        lseek(fd_, 0, SEEK_SET);
        require(read(fd_, text.data(), text.size()) == static_cast<ssize_t>(text.size()),
                "what was written is there");
        return text;
    }

  private:
    int fd_;
};

// Answers all points; `per_line` addresses each.
template <class Mapper>
bool map(Mapper& mapper, unsigned per_line, const std::string& points) {
    const MemoryFile in;
    const MemoryFile out;
    in.fill(points);
    const std::vector<std::string> errors = host::map_lines(in.fd(), out.fd(), mapper);
    for (const std::string& error : errors)
        require(error.rfind("stdin:", 0) == 0 && error.find('\n') == std::string::npos,
                "a bad point is one line that names its line");
    const std::string text = out.contents();
    size_t lines = 0;
    size_t numbers = 0;
    for (size_t at = 0; at < text.size(); ++at) {
        lines += text[at] == '\n' ? 1 : 0;
        numbers += text[at] == 'x' ? 1 : 0;
    }
    require(lines == mapper.answered(), "a line for each point");
    require(numbers == lines * per_line, "as many addresses a line as elements");
    return errors.empty();
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    const std::string text(data, data + size);
    const size_t end = std::min(text.find(kEnd), text.size());
    config::Diagnostics diagnostics;
    const std::optional<config::Node> tree =
        config::parse_text(text.substr(0, end), "s.yaml", diagnostics);
    require(tree.has_value() || diagnostics.has_errors(), "no tree without a reason");
    const host::SurfaceFile file =
        tree ? host::read_surface(*tree, find_chip, diagnostics) : host::SurfaceFile();
    for (const config::Diagnostic& d : diagnostics.all()) {
        const std::string line = config::format(d);
        require(line.rfind("s.yaml", 0) == 0, "a diagnostic names the file");
        require(line.find('\n') == std::string::npos, "a diagnostic is one line");
    }
    if (diagnostics.has_errors())
        return false;
    const std::string points = end == text.size() ? std::string() : text.substr(end + 5);
    if (file.radeon) {
        RoundTrip mapper(*file.radeon);
        return map(mapper, 1, points);
    }
    if (file.metadata) {
        InRange mapper(*file.metadata);
        return map(mapper, 1, points);
    }
    BlockMapper mapper(*file.ctm);
    return map(mapper, file.ctm->superfine ? 4 : 1, points);
}

std::vector<Bytes> seeds() {
    std::vector<Bytes> list;
    const std::string points =
        read_text(ARCHIPELAGO_SOURCE_DIR "/testbenches/surfaces/points.csv").substr(0, 120);
    const std::string some = points.substr(0, points.rfind('\n') + 1);
    for (const std::string& path :
         files_of(ARCHIPELAGO_SOURCE_DIR "/testbenches/surfaces", ".yaml"))
        list.push_back(bytes_of(read_text(path) + kEnd + some));
    for (const char* text :
         {"{asic: tahiti, tile_index: 14, bpp: 32, width: 200, height: 100, levels: 3, level: "
          "1}\n...\n"
          "1,2\n99,49,0\n",
          "{asic: tahiti, array_mode: linear_aligned, bpp: 1, width: 256, height: 3}\n...\n255,2\n",
          "asic: tahiti\narray_mode: 2d_tiled_thick\ntile_type: thick\npipe_config: p4_16x16\n"
          "tile_split: 256\nbanks: 8\nbank_width: 2\nbank_height: 2\nmacro_aspect: 2\ntype: 3d\n"
          "bpp: 64\nwidth: 70\nheight: 60\ndepth: 9\nslice: 4\n...\n69,59\n1,1,8,0\n",
          "{asic: hawaii, tile_index: 14, bpp: 64, width: 200, height: 100, levels: 2, level: "
          "1}\n...\n1,2\n99,49,0\n",
          "{asic: cypress, array_mode: 3d_tiled_thick, tile_type: thin, tile_split: 512, banks: 8, "
          "bank_width: 1, bank_height: 4, macro_aspect: 2, type: 3d, bpp: 32, width: 130, height: "
          "77, depth: 9}\n...\n129,76,8\n",
          "{asic: r600, array_mode: 2d_tiled_thin2, tile_type: depth, bpp: 32, samples: 8, width: "
          "70, height: 60, depth: 3}\n...\n69,59,2,7\n",
          "{asic: r580, tiling: linear, bytes: 16, pitch: 8188, offset: 0xfffff800}\n...\n"
          "4095,4095\r\n# c\n\n 0x1 , +2 # d\n0,0",
          "asic: r580\ntiling: tiled_inp_2x2\nbytes: 8\npitch: 4\noffset: 2 KiB\n...\n1,2\n"})
        list.push_back(bytes_of(text));
    return list;
}

Bytes generate(Random& r) {
    static const std::vector<std::string> kTilings = {"linear", "tiled", "linear_inp_2x2",
                                                      "tiled_inp_2x2"};
    static const std::vector<std::string> kBytes = {"1", "2", "4", "8", "16"};
    std::string text = "asic: r580\ntiling: " + r.pick(kTilings) + "\nbytes: " + r.pick(kBytes) +
                       "\npitch: " + std::to_string(4 * r.below(2048)) + "\n";
    if (!r.one_in(4))
        text += "offset: " + std::to_string(r.word()) + "\n";
    if (r.one_in(30))
        text += "offset: 0\n";
    text += kEnd;
    for (unsigned n = r.below(40); n > 0; --n) {
        const auto number = [&] {
            return std::to_string(r.one_in(200) ? r.word() : r.below(4096));
        };
        if (r.one_in(10))
            text += r.one_in(2) ? "# " : " ";
        text += number() + (r.one_in(20) ? " , " : ",") + number();
        text += r.one_in(10) ? "\r\n" : "\n";
    }
    return bytes_of(text);
}

}  // namespace archipelago::fuzz
