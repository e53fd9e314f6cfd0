// SPDX-License-Identifier: Apache-2.0
// Where in the LDS SPI puts the attributes of a pixel wave's primitives, and VINTRP instructions
// find them: attribute after attribute, and within an attribute primitive after primitive. Units:
// dwords. CLRX GcnInstrsVintrp.
#pragma once

namespace archipelago::attribute_parameters {

// An attribute of a primitive: P0 and P10 of x, y, z and w in turn, then the four P20. P0 is the
// value at vertex 0; P10 and P20 are the values at vertices 1 and 2 less that at vertex 0.
constexpr unsigned kDwords = 12;
constexpr unsigned p0(unsigned channel) {
    return 2 * channel;
}
constexpr unsigned p10(unsigned channel) {
    return 2 * channel + 1;
}
constexpr unsigned p20(unsigned channel) {
    return 8 + channel;
}
// Distance from the first dword of the wave's attributes to the first dword of one attribute.
constexpr unsigned place(unsigned attribute, unsigned primitive, unsigned primitives) {
    return kDwords * (attribute * primitives + primitive);
}

}  // namespace archipelago::attribute_parameters
