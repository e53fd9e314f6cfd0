// SPDX-License-Identifier: Apache-2.0
// Surfaces of workloads as pictures of the machine's memory.
#pragma once

#include <optional>
#include <string>

#include "testbenches/host/image/image_file.h"
#include "testbenches/host/machine.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

// Throws ImageError.
Image picture_of(Machine& machine, const PictureSpec& surface);

// Why the surface is not as its image; nothing: it is.
std::optional<std::string> compare_surface(Machine& machine, const SurfaceExpectation& e);

// Before anything runs: throws std::runtime_error with the place of an image that cannot be read.
void check_reference(const SurfaceExpectation& e, const Source& source);

}  // namespace archipelago::host
