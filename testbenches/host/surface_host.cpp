// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/surface_host.h"

#include <fmt/format.h>

#include <vector>

#include "testbenches/host/chip_names.h"
#include "testbenches/host/image/bound_surface.h"

namespace archipelago::host {
namespace {

std::string samples_text(const std::vector<uint16_t>& samples) {
    return samples.size() == 1 ? fmt::format("{}", samples[0])
                               : fmt::format("({})", fmt::join(samples, ", "));
}

std::string name_of(const PictureSpec& surface) {
    const auto* const bound = std::get_if<BoundSurface>(&surface.what);
    return bound != nullptr ? "surface " + bound->name : "surface";
}

}  // namespace

Image picture_of(Machine& machine, const PictureSpec& surface) {
    const AddressSpaces* const spaces = machine.chip().options().address_spaces;
    const ReadMemory read = [&](uint64_t address, void* to, size_t bytes) {
        const std::optional<uint64_t> in_memory =
            spaces != nullptr ? spaces->translate(surface.choice.vmid, address) : address;
        return in_memory && machine.memory().read(*in_memory, to, bytes);
    };
    const auto* const bound = std::get_if<BoundSurface>(&surface.what);
    return bound == nullptr
               ? picture_of(std::get<PictureSurface>(surface.what), surface.choice, read)
               : picture_of(bound_surface(
                                *bound, machine.chip().description(),
                                [&](uint32_t offset) { return machine.inspect_register(offset); }),
                            surface.choice, read);
}

std::optional<std::string> compare_surface(Machine& machine, const SurfaceExpectation& e) {
    const std::string what = name_of(e.surface);
    try {
        const Image expected = read_image(e.image);
        const Image got = with_bits(picture_of(machine, e.surface), expected.bits);
        if (got.shape() != expected.shape())
            return fmt::format("{}: has {}, {} has {}", what, got.shape(), e.image,
                               expected.shape());
        const ImageDifference d = compare_images(expected, got, e.tolerance);
        if (d.pixels == 0)
            return std::nullopt;
        return fmt::format(
            "{}: pixel ({}, {}): expected {}, got {} ({} of {} pixels differ by more than {}, the "
            "largest difference is {})",
            what, d.x, d.y, samples_text(d.expected), samples_text(d.got), d.pixels,
            uint64_t{expected.width} * expected.height, e.tolerance, d.largest);
    } catch (const ImageError& error) {
        return what + ": " + error.what();
    }
}

void check_reference(const SurfaceExpectation& e, const Source& source) {
    try {
        read_image(e.image);
    } catch (const ImageError& error) {
        fail(source, e.image + ": " + error.what());
    }
}

}  // namespace archipelago::host
