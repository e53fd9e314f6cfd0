// SPDX-License-Identifier: Apache-2.0
// Where SPI puts the attributes of a pixel wave's primitives and VINTRP instructions find them: in
// the LDS, attribute by attribute, in each primitive by primitive. Units: dwords. CLRX
// GcnInstrsVintrp.
#pragma once

namespace archipelago::attribute_parameters {

// Of an attribute of a primitive: P0 and P10 of x, y, z, w in turn, then the four P20. P0 is the
// value at the first vertex, P10 and P20 what the others' are more.
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
// From the first dword of the wave's attributes to the first of one.
constexpr unsigned place(unsigned attribute, unsigned primitive, unsigned primitives) {
    return kDwords * (attribute * primitives + primitive);
}

}  // namespace archipelago::attribute_parameters
