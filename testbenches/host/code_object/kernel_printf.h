// SPDX-License-Identifier: Apache-2.0
// What kernels print: the buffer that opencl_printf.h fills, and its text.
//
// Dword 0 of the buffer is the index of the next free dword, dword 1 the number of dwords. Records
// follow from dword 2 on: number of dwords, address of the format string (two dwords), arguments.
// An argument is a dword, kind of element << 8 | number of elements, and its elements, filled up to
// a multiple of eight bytes; strings and other pointers are their addresses.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "testbenches/host/code_object/metadata.h"

namespace archipelago::host {

constexpr uint32_t kPrintfBytes = 1 << 20;
constexpr uint32_t kPrintfHeaderDwords = 2;

// Whether a kernel of an object with this image prints.
bool image_prints(const std::vector<uint8_t>& image);
// Whether this one of them may: the compiler gives those that do the address of the buffer.
bool takes_printf_buffer(const KernelMetadata& kernel);

// The string that begins at an address; nothing where the program has none.
using StringAt = std::function<std::optional<std::string>(uint64_t address)>;

// The text of the records from dword `first` on, which becomes the dword after them.
std::string printed_text(const std::vector<uint32_t>& buffer, uint32_t& first,
                         const StringAt& string_at);

}  // namespace archipelago::host
