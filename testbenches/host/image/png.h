// SPDX-License-Identifier: Apache-2.0
// PNG by libpng.
#pragma once

#include <string>
#include <string_view>

#include "testbenches/host/image/image_file.h"

namespace archipelago::host {

std::string png_text(const Image& image);
// Throws ImageError. Palettes become RGB, samples of less than 8 bits 8; gamma and colour profiles
// are not applied.
Image read_png(std::string_view text);

}  // namespace archipelago::host
