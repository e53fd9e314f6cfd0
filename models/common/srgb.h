// SPDX-License-Identifier: Apache-2.0
// The curve of sRGB (IEC 61966-2-1), for the texture units and the colour block. Basic operations
// only, so the same on every host.
#pragma once

namespace archipelago {

// Fifth root of x in (0, 1], by Newton's method.
inline double fifth_root(double x) {
    double r = 1.0;
    for (int i = 0; i < 80; ++i) {
        const double next = (4.0 * r + x / (r * r * r * r)) / 5.0;
        if (next == r)
            break;
        r = next;
    }
    return r;
}

// The linear value of a code in 0 to 1.
inline double linear_of_srgb(double code) {
    if (code <= 0.04045)
        return code / 12.92;
    const double b = (code + 0.055) / 1.055;
    return b * b * fifth_root(b * b);  // b^2.4
}

}  // namespace archipelago
