// SPDX-License-Identifier: Apache-2.0
// Lines `x,y` to lines of addresses, for `archipelago map`: streaming, some ten million a second.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "models/ctm/mc/address.h"

namespace archipelago::host {

// Where the addresses of points come from.
class PointMapper {
  public:
    virtual ~PointMapper() = default;
    // Addresses of each point, per_point() of them one behind the other.
    virtual unsigned per_point() const = 0;
    virtual void map(const ctm::Point* points, size_t count, uint32_t* addresses) = 0;
};

// Reads lines from one file descriptor and writes one line of addresses, `0x` and lower case, per
// point to the other; what a read gives is answered before the next, so that a program may talk to
// this one through pipes. Blank lines and comments (#) give no line; CRLF, blanks around numbers
// and hexadecimal numbers are taken. At the first bad line answers end, and the bad lines of the
// rest are collected, a few of them: the result, "stdin:LINE: reason" each.
// Throws std::runtime_error when reading or writing fails.
std::vector<std::string> map_points(int input, int output, PointMapper& mapper);

}  // namespace archipelago::host
