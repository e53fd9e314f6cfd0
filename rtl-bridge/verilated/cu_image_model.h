// SPDX-License-Identifier: Apache-2.0
// Image instructions that the Verilog compute unit takes from the model, through DPI:
// rtl-bridge/rtl/cu/cu_image_model_pkg.sv declares these functions and says what they do. Vectors
// of Verilog are words of 32 bits, the lowest first.
#pragma once

#include <cstdint>

namespace archipelago {

// image_op_t: which word is what.
struct CuImageWords {
    static constexpr unsigned kKind = 0, kAtomic = 1, kBytes = 2, kDwords = 3, kRegisters = 4;
    static constexpr unsigned kTexels = 5, kReturns = 6, kGlc = 7, kSlc = 8, kStatus = 9;
    static constexpr unsigned kDirect = 10, kWide = 11;
    static constexpr unsigned kLanes = 12, kZeroLanes = 14, kWarned = 16;  // two words each
    static constexpr unsigned kQuads = 18;                                 // sixteen of them
    static constexpr unsigned kCount = 34;
    // A quad: footprints, lines, whether each lane has one texel at most.
    static constexpr unsigned kLinesShift = 8, kSingleShift = 16;

    static constexpr unsigned kTilingWords = 34;
    static constexpr unsigned kAddressRows = 12, kDataRows = 4;
};

}  // namespace archipelago

extern "C" {

int cu_image_describe(const uint32_t* words, const uint32_t* wave, const uint32_t* tiling,
                      const uint32_t* address_rows, const uint32_t* data_rows, uint32_t* op,
                      uint32_t* addresses, uint32_t* data);

void* cu_images_new();
void cu_images_delete(void* images);
void cu_image_issue(void* images, int op, const uint32_t* words, const uint32_t* wave,
                    const uint32_t* tiling, const uint32_t* address_rows);
void cu_image_answer(void* images, int op, int number, const uint32_t* line);

void cu_image_requests(void* images, int version, int op, int first, uint32_t* lanes,
                       uint32_t* addresses, uint32_t* masks, uint32_t* footprints, uint32_t* last);
void cu_image_result(void* images, int version, int op, uint32_t* rows);

}  // extern "C"
