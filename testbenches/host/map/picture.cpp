// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/map/picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <iterator>
#include <set>
#include <stdexcept>
#include <vector>

namespace archipelago::host {
namespace {

constexpr uint32_t kShown = 64;               // elements a side, when no region is named
constexpr uint64_t kMax = uint64_t{1} << 16;  // elements of a picture
constexpr uint32_t kLine = 64;                // bytes of a memory access

// Where the bytes of an address are.
struct Place {
    unsigned pipe, bank;  // of the tiling
    unsigned channel;     // of the memory
    mc::DramAddress dram;
};

class Places {
  public:
    Places(const RadeonSurface& surface, const SurfaceChip& chip)
        : surface_(surface), channels_(chip.channels), dram_(chip.dram) {}

    uint64_t address(uint32_t x, uint32_t y) const {
        return surface_.address(x, y, surface_.slice, 0);
    }
    Place of(uint64_t address) const {
        const surface::SurfaceLevel& level = surface_.mapped();
        const uint64_t units = address >> level.interleave_shift;
        return {static_cast<unsigned>(units & (pipes() - 1)),
                static_cast<unsigned>(units >> (level.pipe_shift + level.bank_gap) & (banks() - 1)),
                channels_.channel(address), dram_.decode(channels_.local_address(address))};
    }
    // 1: the surface is not macro tiled, and has none.
    unsigned pipes() const { return 1u << surface_.mapped().pipe_shift; }
    unsigned banks() const {
        return 1u << (surface_.mapped().channel_shift - surface_.mapped().pipe_shift);
    }
    unsigned channels() const { return channels_.channels(); }

  private:
    const RadeonSurface& surface_;
    const mc::ChannelMap channels_;
    const mc::DramMap dram_;
};

// ---- the picture --------------------------------------------------------------------------------

constexpr unsigned kCell = 8;  // pixels of an element
constexpr unsigned kGap = 24;  // between panels, with their titles
constexpr unsigned kTitle = 16;

std::string colour(unsigned value, unsigned count) {
    // Neighbouring numbers differ in lightness, too.
    return fmt::format("hsl({},70%,{}%)", value * 360 / count, value % 2 == 0 ? 45 : 65);
}

struct Panel {
    const char* title;
    unsigned count;
    unsigned (*value)(const Place&);
};

void draw_panel(std::string& svg, const Places& places, const Region& region, const Panel& panel,
                unsigned left) {
    const auto to = std::back_inserter(svg);
    fmt::format_to(to, "<g transform=\"translate({},{})\"><text y=\"-4\">{} ({})</text>\n", left,
                   kTitle, panel.title, panel.count);
    for (uint32_t y = 0; y < region.height; ++y)
        for (uint32_t x = 0; x < region.width;) {
            // A run of one colour is one rectangle.
            const auto value = [&](uint32_t at) {
                return panel.value(places.of(places.address(region.x + at, region.y + y)));
            };
            const unsigned of_run = value(x);
            uint32_t end = x + 1;
            while (end < region.width && value(end) == of_run)
                ++end;
            fmt::format_to(to,
                           "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\">"
                           "<title>{} {} at {},{}: 0x{:x}</title></rect>\n",
                           x * kCell, y * kCell, (end - x) * kCell, kCell,
                           colour(of_run, panel.count), panel.title, of_run, region.x + x,
                           region.y + y, places.address(region.x + x, region.y + y));
            x = end;
        }
    // Micro tiles.
    std::string path;
    for (uint32_t x = (8 - region.x % 8) % 8; x < region.width; x += 8)
        path += fmt::format("M{} 0v{}", x * kCell, region.height * kCell);
    for (uint32_t y = (8 - region.y % 8) % 8; y < region.height; y += 8)
        path += fmt::format("M0 {}h{}", y * kCell, region.width * kCell);
    fmt::format_to(to, "<path d=\"{}\" stroke=\"black\" stroke-width=\"0.5\"/></g>\n", path);
}

std::string draw(const Places& places, const Region& region) {
    const Panel panels[] = {
        {"pipe", places.pipes(), [](const Place& p) { return p.pipe; }},
        {"bank", places.banks(), [](const Place& p) { return p.bank; }},
        {"memory channel", places.channels(), [](const Place& p) { return p.channel; }},
    };
    const unsigned step = region.width * kCell + kGap;
    std::string svg = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
        "font-family=\"sans-serif\" font-size=\"11\">\n",
        3 * step, region.height * kCell + kTitle);
    unsigned left = 0;
    for (const Panel& panel : panels) {
        draw_panel(svg, places, region, panel, left);
        left += step;
    }
    return svg + "</svg>\n";
}

// ---- conflicts ----------------------------------------------------------------------------------

// A walk's accesses to memory: a line at a time, each once while the walk stays in it.
struct Walk {
    uint64_t lines = 0;
    std::vector<uint64_t> by_channel;
    uint64_t conflicts = 0;      // another row of the bank was the last one the walk used
    std::vector<uint64_t> open;  // row + 1, by channel and bank
};

void step(Walk& walk, const Places& places, uint64_t line, unsigned banks) {
    const Place place = places.of(line);
    uint64_t& open = walk.open[size_t{place.channel} * banks + place.dram.bank];
    walk.conflicts += open != 0 && open != place.dram.row + 1;
    open = place.dram.row + 1;
    ++walk.by_channel[place.channel];
    ++walk.lines;
}

std::string count(const char* name, const Places& places, unsigned banks,
                  const std::function<void(const std::function<void(uint32_t, uint32_t)>&)>& walk) {
    Walk w;
    w.by_channel.resize(places.channels());
    w.open.resize(size_t{places.channels()} * banks);
    uint64_t last = ~uint64_t{0};
    walk([&](uint32_t x, uint32_t y) {
        const uint64_t line = places.address(x, y) / kLine * kLine;
        if (line != last)
            step(w, places, line, banks);
        last = line;
    });
    const uint64_t most = *std::max_element(w.by_channel.begin(), w.by_channel.end());
    const auto used =
        std::count_if(w.by_channel.begin(), w.by_channel.end(), [](uint64_t n) { return n != 0; });
    return fmt::format("{:10} {:>8} {:>8} {:>13} {:>13}\n", name, w.lines, used, most, w.conflicts);
}

std::string conflicts(const Places& places, const Region& r, unsigned banks) {
    using Visit = std::function<void(uint32_t, uint32_t)>;
    return fmt::format("{:10} {:>8} {:>8} {:>13} {:>13}\n", "walk", "lines", "channels",
                       "most of one", "row conflicts") +
           count("along x", places, banks,
                 [&](const Visit& visit) {
                     for (uint32_t x = 0; x < r.width; ++x)
                         visit(r.x + x, r.y);
                 }) +
           count("along y", places, banks,
                 [&](const Visit& visit) {
                     for (uint32_t y = 0; y < r.height; ++y)
                         visit(r.x, r.y + y);
                 }) +
           count("rectangle", places, banks, [&](const Visit& visit) {
               for (uint32_t y = 0; y < r.height; ++y)
                   for (uint32_t x = 0; x < r.width; ++x)
                       visit(r.x + x, r.y + y);
           });
}

}  // namespace

Region read_region(const std::string& text, const RadeonSurface& surface) {
    const uint32_t width = surface.width;
    const uint32_t height = surface.mapped().height;
    if (text.empty())
        return {0, 0, std::min(width, kShown), std::min(height, kShown)};
    uint32_t numbers[4] = {};
    const char* at = text.data();
    const char* const end = at + text.size();
    const auto refuse = [&](const std::string& why) {
        throw std::invalid_argument("--region " + text + ": " + why);
    };
    for (unsigned i = 0; i < 4; ++i) {
        const auto [next, error] = std::from_chars(at, end, numbers[i]);
        if (error != std::errc() || (i < 3 ? next == end || *next != ',' : next != end))
            refuse("expected X,Y,WIDTH,HEIGHT");
        at = next + (i < 3 ? 1 : 0);
    }
    const Region r{numbers[0], numbers[1], numbers[2], numbers[3]};
    if (r.width == 0 || r.height == 0 || uint64_t{r.x} + r.width > width ||
        uint64_t{r.y} + r.height > height)
        refuse(fmt::format("the level has {} x {} elements", width, height));
    if (uint64_t{r.width} * r.height > kMax)
        refuse(fmt::format("more than {} elements", kMax));
    return r;
}

Picture draw_surface(const RadeonSurface& surface, const SurfaceChip& chip, const Region& region) {
    const Places places(surface, chip);
    return {draw(places, region), conflicts(places, region, chip.dram.banks)};
}

}  // namespace archipelago::host
