// SPDX-License-Identifier: Apache-2.0
// Fields that have a notation of their own: counters, messages, hardware registers, swizzles,
// formats, export targets. The names are shared with the disassembler.
#include <string>

#include "models/cu/isa/assemble_encode.h"
#include "models/cu/isa/field_names.h"

namespace archipelago::isa {
namespace {

[[noreturn]] void unknown(const Token& token, const char* what,
                          std::vector<std::string> candidates) {
    if (token.kind != Token::Kind::Name) {
        const std::string reason =
            token.kind == Token::Kind::Bad
                ? std::string(token.text)
                : std::string("expected the name of a ") + what + ", got " + shown(token);
        throw SyntaxError{token.column, reason};
    }
    const std::string name(token.text);
    throw SyntaxError{token.column, std::string("unknown ") + what + " \"" + name + "\"", name,
                      std::make_shared<const std::vector<std::string>>(std::move(candidates))};
}

// Position of the name at the cursor in `names`; `first` is the value of the first one.
template <size_t N>
bool take_name(Cursor& cursor, const char* const (&names)[N], uint32_t first, uint32_t& value) {
    for (size_t i = 0; i < N; ++i) {
        if (names[i] != nullptr && cursor.accept_name(names[i])) {
            value = first + static_cast<uint32_t>(i);
            return true;
        }
    }
    return false;
}

// A 16-bit field written as a number.
uint32_t plain_field(Cursor& cursor, int64_t least) {
    return static_cast<uint32_t>(cursor.number("the field", least, 65535)) & 0xffff;
}

}  // namespace

uint32_t parse_waitcnt(Cursor& cursor) {
    struct Counter {
        const char* name;
        unsigned shift;
        unsigned max;
    };
    static const Counter kCounters[] = {{"vmcnt", 0, 15}, {"expcnt", 4, 7}, {"lgkmcnt", 8, 15}};
    const bool named = cursor.peek().kind == Token::Kind::Name && cursor.peek(1).is("(");
    if (!named) {
        return plain_field(cursor, -32768);
    }
    uint32_t field = 0x0f7f;
    unsigned seen = 0;
    do {
        const Token name = cursor.take();
        bool saturate = false;
        const Counter* counter = nullptr;
        for (const Counter& c : kCounters) {
            if (name.is_name(c.name)) {
                counter = &c;
            } else if (name.is_name(c.name + std::string("_sat"))) {
                counter = &c;
                saturate = true;
            }
        }
        if (counter == nullptr) {
            if (name.kind != Token::Kind::Name) {
                cursor.fail(name, "expected a counter: vmcnt(n), expcnt(n) or lgkmcnt(n)");
            }
            unknown(name, "counter", {"vmcnt", "expcnt", "lgkmcnt"});
        }
        if ((seen >> counter->shift & 1) != 0) {
            cursor.fail(name, std::string(counter->name) + " given twice");
        }
        seen |= 1u << counter->shift;
        cursor.expect("(");
        const int64_t value =
            cursor.number(counter->name, 0, saturate ? INT64_MAX : int64_t{counter->max});
        cursor.expect(")");
        const auto clamped = static_cast<uint32_t>(std::min<int64_t>(value, counter->max));
        field = (field & ~(counter->max << counter->shift)) | clamped << counter->shift;
        // After a separator another counter must follow.
    } while (cursor.accept("&") || cursor.accept(",") || cursor.peek().kind != Token::Kind::End);
    return field;
}

uint32_t parse_message(Cursor& cursor) {
    if (!cursor.peek().is_name("sendmsg") || !cursor.peek(1).is("(")) {
        return plain_field(cursor, 0);
    }
    cursor.take();
    cursor.take();
    uint32_t id = 0;
    uint32_t op = 0;
    uint32_t stream = 0;
    if (!take_name(cursor, kMessageNames, 0, id)) {
        id = static_cast<uint32_t>(cursor.number("the message", 0, 15));
    }
    if (cursor.accept(",")) {
        const bool system = id == 15;
        if (!(system ? take_name(cursor, kSystemOperationNames, 1, op)
                     : take_name(cursor, kStreamOperationNames, 0, op))) {
            op = static_cast<uint32_t>(cursor.number("the operation", 0, system ? 7 : 3));
        }
        if (cursor.accept(",")) {
            stream = static_cast<uint32_t>(cursor.number("the stream", 0, 3));
        }
    }
    cursor.expect(")");
    return id | op << 4 | stream << 8;
}

uint32_t parse_hwreg(Cursor& cursor) {
    if (!cursor.peek().is_name("hwreg") || !cursor.peek(1).is("(")) {
        return plain_field(cursor, 0);
    }
    cursor.take();
    cursor.take();
    uint32_t id = 0;
    uint32_t offset = 0;
    uint32_t width = 32;
    if (!take_name(cursor, kHardwareRegisterNames, 0, id)) {
        if (cursor.peek().kind == Token::Kind::Name &&
            cursor.peek().text.substr(0, 7) == "HW_REG_") {
            std::vector<std::string> names;
            for (const char* name : kHardwareRegisterNames) {
                if (name != nullptr) {
                    names.emplace_back(name);
                }
            }
            unknown(cursor.peek(), "hardware register", std::move(names));
        }
        id = static_cast<uint32_t>(cursor.number("the hardware register", 0, 63));
    }
    if (cursor.accept(",")) {
        offset = static_cast<uint32_t>(cursor.number("the first bit", 0, 31));
        cursor.expect(",");
        width = static_cast<uint32_t>(cursor.number("the width", 1, 32));
    }
    cursor.expect(")");
    return id | offset << 6 | (width - 1) << 11;
}

// Offsets of ds_swizzle below 0x8000: lane' = ((lane & and) | or) ^ xor, five bits each.
uint32_t swizzle_masks(uint32_t and_mask, uint32_t or_mask, uint32_t xor_mask) {
    return and_mask | or_mask << 5 | xor_mask << 10;
}

// A character for each bit of the lane, the highest first: 0, 1, p (kept) or i (inverted).
uint32_t parse_bitmask(Cursor& cursor) {
    const Token text = cursor.take();
    if (text.kind != Token::Kind::Text || text.text.size() != 5 ||
        text.text.find_first_not_of("01pi") != std::string::npos)
        cursor.fail(text, "expected five characters 0, 1, p or i in quotes");
    uint32_t kept = 0, set = 0, inverted = 0;
    for (const char c : text.text) {
        kept = kept << 1 | (c == 'p' || c == 'i' ? 1 : 0);
        set = set << 1 | (c == '1' ? 1 : 0);
        inverted = inverted << 1 | (c == 'i' ? 1 : 0);
    }
    return swizzle_masks(kept, set, inverted);
}

uint32_t parse_swizzle(Cursor& cursor) {
    cursor.take();
    cursor.expect("(");
    const Token mode = cursor.take();
    const auto lane = [&cursor](const char* what, int64_t low, int64_t high) {
        cursor.expect(",");
        return static_cast<uint32_t>(cursor.number(what, low, high));
    };
    const auto group = [&](int64_t low) {
        const Token& token = cursor.peek(1);
        const uint32_t size = lane("the group size", low, low == 1 ? 16 : 32);
        if ((size & (size - 1)) != 0) {
            cursor.fail(token, "the group size is not a power of two");
        }
        return std::max(size, 1u);
    };
    uint32_t field = 0;
    if (mode.is_name("QUAD_PERM")) {
        field = 0x8000;
        for (unsigned i = 0; i < 4; ++i) {
            field |= lane("the lane", 0, 3) << 2 * i;
        }
    } else if (mode.is_name("BROADCAST")) {
        const uint32_t size = group(2);
        const uint32_t from = lane("the lane", 0, int64_t{size} - 1);
        field = swizzle_masks(0x20 - size, from, 0);
    } else if (mode.is_name("SWAP")) {
        field = swizzle_masks(0x1f, 0, group(1));
    } else if (mode.is_name("REVERSE")) {
        field = swizzle_masks(0x1f, 0, group(2) - 1);
    } else if (mode.is_name("BITMASK_PERM")) {
        cursor.expect(",");
        field = parse_bitmask(cursor);
    } else {
        unknown(mode, "swizzle mode",
                {"QUAD_PERM", "BITMASK_PERM", "BROADCAST", "SWAP", "REVERSE"});
    }
    cursor.expect(")");
    return field;
}

uint32_t parse_buffer_format(Cursor& cursor, uint32_t before) {
    const Token key = cursor.take();
    cursor.expect(":");
    if (key.is_name("dfmt")) {
        return (before & ~15u) | static_cast<uint32_t>(cursor.number("dfmt", 0, 15));
    }
    if (key.is_name("nfmt")) {
        return (before & 15u) | static_cast<uint32_t>(cursor.number("nfmt", 0, 7)) << 4;
    }
    if (!cursor.accept("[")) {
        return static_cast<uint32_t>(cursor.number("format", 0, 127));
    }
    uint32_t data = 1;
    uint32_t number = 0;
    bool has_data = false;
    bool has_number = false;
    do {
        const Token& token = cursor.peek();
        constexpr size_t kDataPrefix = sizeof "BUF_DATA_FORMAT_" - 1;
        constexpr size_t kNumberPrefix = sizeof "BUF_NUM_FORMAT_" - 1;
        const std::string_view text = token.kind == Token::Kind::Name ? token.text : "";
        bool found = false;
        if (text.substr(0, kDataPrefix) == "BUF_DATA_FORMAT_" && !has_data) {
            for (uint32_t i = 0; i < 16; ++i) {
                if (text.substr(kDataPrefix) == kDataFormatNames[i]) {
                    data = i;
                    has_data = found = true;
                }
            }
        } else if (text.substr(0, kNumberPrefix) == "BUF_NUM_FORMAT_" && !has_number) {
            for (uint32_t i = 0; i < 8; ++i) {
                if (text.substr(kNumberPrefix) == kNumberFormatNames[i]) {
                    number = i;
                    has_number = found = true;
                }
            }
        }
        if (!found) {
            std::vector<std::string> names;
            for (const char* name : kDataFormatNames) {
                names.push_back(std::string("BUF_DATA_FORMAT_") + name);
            }
            for (const char* name : kNumberFormatNames) {
                names.push_back(std::string("BUF_NUM_FORMAT_") + name);
            }
            unknown(token, "buffer format", std::move(names));
        }
        cursor.take();
    } while (cursor.accept(","));
    cursor.expect("]");
    return data | number << 4;
}

uint32_t parse_export_target(Cursor& cursor) {
    const Token token = cursor.take();
    for (uint32_t target = 0; target < 64; ++target) {
        if (token.is_name(export_target_name(target))) {
            return target;
        }
    }
    unknown(token, "export target",
            {"mrt0", "mrt7", "mrtz", "null", "pos0", "pos3", "param0", "param31"});
}

}  // namespace archipelago::isa
