// SPDX-License-Identifier: Apache-2.0
// One instruction from text to words; private to models/cu/isa.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/cu/isa/assemble_text.h"

namespace archipelago::isa {

struct Encoded {
    uint32_t words[2] = {};
    unsigned dwords = 1;
};

// Encodes the instruction at the cursor, mnemonic first, to its end. `pc` is the offset in bytes.
// Throws SyntaxError.
Encoded encode_statement(Cursor& cursor, int64_t pc);

// Every mnemonic, without encoding suffixes.
std::shared_ptr<const std::vector<std::string>> all_mnemonics();

// The 16-bit fields with a notation of their own. Throw SyntaxError.
uint32_t parse_waitcnt(Cursor& cursor);
uint32_t parse_message(Cursor& cursor);
uint32_t parse_hwreg(Cursor& cursor);
// swizzle(...) of ds_swizzle_b32.
uint32_t parse_swizzle(Cursor& cursor);
// dfmt | nfmt << 4, from `format:`, `dfmt:` or `nfmt:` on.
uint32_t parse_buffer_format(Cursor& cursor, uint32_t before);
uint32_t parse_export_target(Cursor& cursor);

}  // namespace archipelago::isa
