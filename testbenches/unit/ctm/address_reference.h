// SPDX-License-Identifier: Apache-2.0
// The address tables of the ATI CTM Guide 1.01, section 2.1.4, bit by bit: every bit of an address
// is read off a description of the row. Slow, and shares nothing with models/ctm/mc/address.h.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

namespace archipelago::ctm::reference {

struct Row {
    unsigned bytes;
    // The sum is y[11:y_low] * pitch[13:pitch_low] + x[11:x_low] + offset[31:sum_low], in the bits
    // from sum_low on.
    unsigned y_low, pitch_low, x_low, sum_low;
    const char* low;  // bits sum_low - 1 to 0: "0", "x3", "y4^x6"
};

inline const Row kTable1[] = {
    {1, 0, 5, 5, 5, "x4 x3 x2 x1 x0"}, {2, 0, 4, 4, 5, "x3 x2 x1 x0 0"},
    {4, 0, 3, 3, 5, "x2 x1 x0 0 0"},   {8, 0, 2, 2, 5, "x1 x0 0 0 0"},
    {16, 0, 1, 1, 5, "x0 0 0 0 0"},
};
inline const Row kTable2[] = {
    {1, 5, 6, 6, 11, "y4^x6 x5^y5 y3^x5 x4^y4 y2 x3 y1 y0 x2 x1 x0"},
    {2, 5, 5, 5, 11, "y4^x5 x4^y5 y3^x4 x3^y4 y2 x2 y1 y0 x1 x0 0"},
    {4, 4, 5, 5, 11, "y3^x5 x4^y4 y2^x4 x3^y3 y1 x2 y0 x1 x0 0 0"},
    {8, 4, 4, 4, 11, "y3^x4 x3^y4 y2^x3 x2^y3 y1 x1 y0 x0 0 0 0"},
    {16, 3, 4, 4, 11, "y2^x4 x3^y3 y1^x3 x2^y2 y0 x1 x0 0 0 0 0"},
};

inline bool bit(uint64_t value, unsigned n) {
    return (value >> n & 1) != 0;
}

// Adds bits high:low of `value`, moved to bit 0, times 2^shift to a sum of `width` bits, carries
// rippling.
inline void add(std::vector<bool>& sum, uint64_t value, unsigned high, unsigned low,
                unsigned shift) {
    bool carry = false;
    for (unsigned k = 0; k < sum.size(); ++k) {
        const unsigned from = k - shift + low;
        const bool b = k >= shift && from <= high && bit(value, from);
        const bool s = sum[k];
        sum[k] = (s != b) != carry;
        carry = (s && b) || (carry && (s || b));
    }
}

inline uint32_t address(const Row& row, uint32_t pitch, uint32_t offset, uint32_t x, uint32_t y) {
    std::vector<bool> sum(32 - row.sum_low);
    for (unsigned k = row.y_low; k <= 11; ++k)
        if (bit(y, k))
            add(sum, pitch, 13, row.pitch_low, k - row.y_low);
    add(sum, x, 11, row.x_low, 0);
    add(sum, offset, 31, row.sum_low, 0);
    uint32_t result = 0;
    for (unsigned k = 0; k < sum.size(); ++k)
        result |= static_cast<uint32_t>(sum[k]) << (row.sum_low + k);

    std::istringstream text(row.low);
    std::string term;
    for (unsigned at = row.sum_low; text >> term;) {
        --at;
        bool value = false;
        std::istringstream factors(term);
        for (std::string factor; std::getline(factors, factor, '^');)
            if (factor != "0")
                value ^= bit(factor[0] == 'x' ? x : y,
                             static_cast<unsigned>(std::stoul(factor.substr(1))));
        result |= static_cast<uint32_t>(value) << at;
    }
    return result;
}

}  // namespace archipelago::ctm::reference
