// SPDX-License-Identifier: Apache-2.0
// PAM: a text header and samples, the high byte first. Source: netpbm's pam(5).
#pragma once

#include <string>
#include <string_view>

#include "testbenches/host/image/image_file.h"

namespace archipelago::host {

std::string pam_text(const Image& image);
// Throws ImageError. Samples of another MAXVAL are scaled to 8 or 16 bits.
Image read_pam(std::string_view text);

}  // namespace archipelago::host
