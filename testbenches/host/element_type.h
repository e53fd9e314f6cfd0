// SPDX-License-Identifier: Apache-2.0
// The types of elements in a workload's data, and elements of them in memory: little-endian.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace archipelago::host {

enum class ElementType : uint8_t { I8, U8, I16, U16, I32, U32, I64, U64, F16, F32, F64 };

// Bytes of one element.
uint32_t bytes_of(ElementType type);
// "f32"
const char* to_string(ElementType type);
// All names, in the order of the enumeration.
const std::vector<std::string>& element_type_names();
bool is_real(ElementType type);
bool is_signed(ElementType type);

// An element of a type that is_real(), exactly.
double load_real(ElementType type, const uint8_t* element);
// Rounded to nearest even; beyond the largest number of the type, infinity.
void store_real(ElementType type, double value, uint8_t* to);
// An element of another type, modulo 2^64: signed ones are extended.
uint64_t load_integer(ElementType type, const uint8_t* element);

// first + n * step: of reals rounded once, of integers modulo 2^bits.
void store_term(ElementType type, const uint8_t* first, const uint8_t* step, uint64_t n,
                uint8_t* to);

}  // namespace archipelago::host
