// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/assemble.h"

#include <algorithm>
#include <optional>
#include <set>

#include "models/common/text.h"
#include "models/cu/isa/assemble_encode.h"
#include "models/cu/isa/encoding.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {
namespace {

// The text with comments replaced by blanks, so that columns stay. `open` is the offset of a block
// comment without an end, or npos.
std::string without_comments(std::string_view text, size_t& open) {
    std::string result(text);
    open = std::string_view::npos;
    bool quoted = false;
    for (size_t i = 0; i < result.size(); ++i) {
        const char c = result[i];
        const char next = i + 1 < result.size() ? result[i + 1] : '\0';
        if (c == '\n') {
            quoted = false;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (quoted) {
            continue;
        } else if (c == '\'') {
            const size_t last = i + (next == '\\' ? 3 : 2);  // of a character constant
            i = last < result.size() && result[last] == '\'' ? last : i;
        } else if (c == ';' || (c == '/' && next == '/')) {
            while (i < result.size() && result[i] != '\n') {
                result[i++] = ' ';
            }
        } else if (c == '/' && next == '*') {
            size_t end = result.find("*/", i + 2);
            if (end == std::string::npos) {
                open = i;
                end = result.size();
            } else {
                end += 2;
            }
            for (; i < end; ++i) {
                if (result[i] != '\n') {
                    result[i] = ' ';
                }
            }
            --i;
        }
    }
    return result;
}

class Assembler {
  public:
    Assembly run(std::string_view text) {
        size_t open = 0;
        const std::string plain = without_comments(text, open);
        pass(plain);
        symbols_.complete = true;
        // What `.set` gave last stands for uses further up.
        for (const auto& [name, value] : symbols_.absolute) {
            symbols_.labels.emplace(name, value);
        }
        symbols_.absolute.clear();
        result_ = {};
        pass(plain);
        if (open != std::string_view::npos) {
            const auto before = text.substr(0, open);
            const size_t line_start = before.rfind('\n');
            const size_t column =
                line_start == std::string_view::npos ? open + 1 : open - line_start;
            result_.errors.push_back(
                {static_cast<unsigned>(std::count(before.begin(), before.end(), '\n')) + 1,
                 static_cast<unsigned>(column), "the comment is not closed", "", nullptr});
        }
        std::stable_sort(
            result_.errors.begin(), result_.errors.end(),
            [](const AssemblyError& a, const AssemblyError& b) { return a.line < b.line; });
        return std::move(result_);
    }

  private:
    void pass(std::string_view text) {
        defined_.clear();
        full_ = false;
        unsigned line = 0;
        while (!text.empty() && !full_) {
            const size_t end = text.find('\n');
            ++line;
            statement(text.substr(0, end), line);
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        }
    }

    size_t size() const { return result_.bytes.size(); }

    void statement(std::string_view text, unsigned line) {
        const std::vector<Token> tokens = split(text);
        if (tokens.size() == 1 || tokens[0].is("#")) {
            return;
        }
        symbols_.here = static_cast<int64_t>(size());
        Cursor cursor(tokens, symbols_);
        try {
            while (cursor.peek().kind == Token::Kind::Name && cursor.peek(1).is(":")) {
                define_label(cursor);
            }
            if (cursor.peek().kind == Token::Kind::End) {
                return;
            }
            if (cursor.peek().kind == Token::Kind::Name && cursor.peek(1).is("=")) {
                const Token name = cursor.take();
                cursor.take();
                set(name, cursor);
            } else if (cursor.peek().kind == Token::Kind::Name && cursor.peek().text[0] == '.') {
                directive(cursor);
            } else {
                instruction(cursor);
            }
            cursor.end();
        } catch (const SyntaxError& error) {
            result_.errors.push_back(
                {line, error.column, error.message, error.unknown, error.known});
        }
    }

    void define_label(Cursor& cursor) {
        const Token name = cursor.take();
        cursor.take();
        if (!defined_.insert(std::string(name.text)).second ||
            symbols_.absolute.count(name.text) != 0) {
            cursor.fail(name, "\"" + std::string(name.text) + "\" is defined twice");
        }
        symbols_.labels[std::string(name.text)] = symbols_.here;
        result_.labels.emplace_back(name.text, static_cast<uint64_t>(symbols_.here));
    }

    void set(const Token& name, Cursor& cursor) {
        const Token where = cursor.peek();
        const Value value = cursor.expression();
        cursor.end();
        if (value.relative) {
            cursor.fail(where, "the value must not depend on labels or names set further on");
        }
        if (name.kind != Token::Kind::Name || name.text == "." ||
            defined_.count(std::string(name.text)) != 0) {
            cursor.fail(name, "\"" + std::string(name.text) + "\" cannot be set");
        }
        symbols_.absolute[std::string(name.text)] = value.number;
    }

    void instruction(Cursor& cursor) {
        if (size() % 4 != 0) {
            cursor.fail("an instruction starts at a multiple of 4 bytes (.p2align 2)");
        }
        const Token name = cursor.peek();
        const Encoded encoded = encode_statement(cursor, symbols_.here);
        reserve(cursor, name, encoded.dwords * 4u);
        for (unsigned i = 0; i < encoded.dwords; ++i) {
            emit(encoded.words[i], 4);
        }
    }

    void reserve(const Cursor& cursor, const Token& where, uint64_t bytes) {
        if (bytes > kMaxAssemblyBytes - size()) {
            full_ = true;
            cursor.fail(where,
                        "the code has more than " + std::to_string(kMaxAssemblyBytes) + " bytes");
        }
    }

    void emit(uint64_t value, unsigned bytes) {
        for (unsigned i = 0; i < bytes; ++i) {
            result_.bytes.push_back(static_cast<uint8_t>(value >> 8 * i));
        }
    }

    // Known at once: sizes must not change between the passes.
    static int64_t absolute(Cursor& cursor, const char* what, int64_t low, int64_t high) {
        const Token where = cursor.peek();
        Cursor ahead = cursor;
        if (ahead.expression().relative) {
            cursor.fail(where, std::string(what) + " must not depend on labels");
        }
        return cursor.number(what, low, high);
    }

    void data(Cursor& cursor, unsigned bytes) {
        std::vector<uint64_t> values;
        const Token where = cursor.peek();
        do {
            const Token& token = cursor.peek();
            if (token.kind == Token::Kind::Real && bytes != 4) {
                cursor.fail("a floating-point number is for .long");
            }
            const bool negative = token.is("-") && cursor.peek(1).kind == Token::Kind::Real;
            if (bytes == 4 && (token.kind == Token::Kind::Real || negative)) {
                const auto value = static_cast<float>(cursor.operand().real);
                uint32_t bits = 0;
                static_assert(sizeof bits == sizeof value);
                std::copy_n(reinterpret_cast<const unsigned char*>(&value), sizeof bits,
                            reinterpret_cast<unsigned char*>(&bits));
                values.push_back(bits);
                continue;
            }
            const int64_t high = bytes == 8 ? INT64_MAX : (int64_t{1} << 8 * bytes) - 1;
            const int64_t low = bytes == 8 ? INT64_MIN : -(int64_t{1} << (8 * bytes - 1));
            values.push_back(static_cast<uint64_t>(cursor.number("the value", low, high)));
        } while (cursor.accept(","));
        cursor.end();
        reserve(cursor, where, values.size() * bytes);
        for (const uint64_t value : values) {
            emit(value, bytes);
        }
    }

    void fill(Cursor& cursor) {
        const Token where = cursor.peek();
        const auto count = static_cast<uint64_t>(
            absolute(cursor, "the count", 0, static_cast<int64_t>(kMaxAssemblyBytes)));
        unsigned bytes = 1;
        uint64_t value = 0;
        if (cursor.accept(",")) {
            bytes = static_cast<unsigned>(absolute(cursor, "the size", 1, 8));
            if (cursor.accept(",")) {
                value = static_cast<uint64_t>(cursor.expression().number);
            }
        }
        cursor.end();
        reserve(cursor, where, count * bytes);
        for (uint64_t i = 0; i < count; ++i) {
            emit(value, bytes);
        }
    }

    // Instructions are padded with s_nop 0, what is not a multiple of 4 with 0.
    void align(Cursor& cursor, bool power) {
        const Token where = cursor.peek();
        const auto argument = static_cast<uint64_t>(
            absolute(cursor, "the alignment", power ? 0 : 1, power ? 16 : 65536));
        const uint64_t unit = power ? uint64_t{1} << argument : argument;
        if ((unit & (unit - 1)) != 0) {
            cursor.fail(where, "the alignment is not a power of two");
        }
        cursor.end();
        const uint64_t bytes = (unit - size() % unit) % unit;
        reserve(cursor, where, bytes);
        emit(0, static_cast<unsigned>(bytes % 4));
        for (uint64_t i = 0; i < bytes / 4; ++i) {
            emit(0xbf800000, 4);
        }
    }

    void directive(Cursor& cursor) {
        static const auto kKnown =
            std::make_shared<const std::vector<std::string>>(std::vector<std::string>{
                ".long", ".int", ".byte", ".short", ".quad", ".fill", ".p2align", ".balign", ".set",
                ".text", ".globl", ".global", ".type", ".size", ".section", ".hidden", ".protected",
                ".amdgcn_target"});
        const Token name = cursor.take();
        const std::string lower = lower_case(name.text);
        const auto is = [&lower](const char* known) { return lower == known; };
        if (is(".long") || is(".int")) {
            data(cursor, 4);
        } else if (is(".byte")) {
            data(cursor, 1);
        } else if (is(".short")) {
            data(cursor, 2);
        } else if (is(".quad")) {
            data(cursor, 8);
        } else if (is(".fill")) {
            fill(cursor);
        } else if (is(".p2align")) {
            align(cursor, true);
        } else if (is(".balign")) {
            align(cursor, false);
        } else if (is(".set")) {
            const Token symbol = cursor.take();
            cursor.expect(",");
            set(symbol, cursor);
        } else if (is(".section")) {
            if (!cursor.peek().is_name(".text")) {
                cursor.fail("the output is the code alone: only section .text can be assembled");
            }
            skip(cursor);
        } else if (is(".amdgcn_target")) {
            const Token target = cursor.take();
            if (target.kind != Token::Kind::Text ||
                target.text.find("gfx60") == std::string_view::npos) {
                cursor.fail(target, "the code is made for gfx600, gfx601 and gfx602");
            }
        } else if (is(".text") || is(".globl") || is(".global") || is(".type") || is(".size") ||
                   is(".hidden") || is(".protected")) {
            // What they tell a linker has no place in raw code.
            skip(cursor);
        } else {
            const std::string text(name.text);
            throw SyntaxError{name.column, "unknown directive \"" + text + "\"", text, kKnown};
        }
    }

    static void skip(Cursor& cursor) {
        while (cursor.peek().kind != Token::Kind::End) {
            cursor.take();
        }
    }

    Symbols symbols_;
    std::set<std::string> defined_;  // labels of this pass
    bool full_ = false;
    Assembly result_;
};

// What a statement stands for; nothing: the assembler refuses it.
std::optional<Encoded> encoded_text(std::string_view text, int64_t pc) {
    const std::vector<Token> tokens = split(text.substr(0, text.find("//")));
    static const Symbols kNone = [] {
        Symbols symbols;
        symbols.complete = true;
        return symbols;
    }();
    Cursor cursor(tokens, kNone);
    try {
        return encode_statement(cursor, pc);
    } catch (const SyntaxError&) {
        return std::nullopt;
    }
}

uint64_t bits_of(const uint32_t* words, unsigned dwords) {
    return words[0] | (dwords == 2 ? uint64_t{words[1]} << 32 : 0);
}

bool same_words(const Inst& inst, std::string_view text, int64_t pc) {
    const std::optional<Encoded> encoded = encoded_text(text, pc);
    return encoded && encoded->dwords == inst.dwords &&
           bits_of(encoded->words, inst.dwords) == bits_of(inst.words, inst.dwords);
}

// " src2:0x80" for every source field that is not 0 and that the instruction does not read.
std::string unread_sources(const Inst& inst) {
    static const enc::Field kFields[3] = {enc::vop3::kSrc0, enc::vop3::kSrc1, enc::vop3::kSrc2};
    const uint64_t bits = inst.words[0] | static_cast<uint64_t>(inst.words[1]) << 32;
    std::string text;
    for (unsigned i = 0; i < 3; ++i) {
        const uint32_t code = kFields[i].get(bits);
        if (code != 0 && is_unread_source(op_info(inst.op), i)) {
            text += " src" + std::to_string(i) + ":" + hex(code);
        }
    }
    return text;
}

std::string hex_word(uint32_t word, unsigned digits = 8) {
    static const char* const kDigits = "0123456789abcdef";
    std::string text = "0x";
    while (digits > 0) {
        text += kDigits[word >> 4 * --digits & 15];
    }
    return text;
}

// "; without text: data0 0x1, reserved bit 16": the fields whose values, and the bits of no field
// which the text leaves out. Nothing where it is refused, or has a literal more or less.
std::string left_out(const Inst& inst, std::string_view text, int64_t pc) {
    const std::optional<Encoded> encoded = encoded_text(text, pc);
    if (!encoded || encoded->dwords != inst.dwords) {
        return "";
    }
    const uint64_t bits = bits_of(inst.words, inst.dwords);
    uint64_t other = bits ^ bits_of(encoded->words, inst.dwords);
    std::string list;
    const auto add = [&list](const std::string& what) {
        list += (list.empty() ? "; without text: " : ", ") + what;
    };
    const bool masks = op_info(inst.op).has(kOpMaskOut);
    for (const enc::NamedField& named : enc::kNamedFields) {
        // SDST of VOP3 stands over other fields, and in the text where it is there.
        const bool mask = named.format == Format::Vop3 && named.name == std::string_view("sdst");
        const uint64_t place = named.field.put(named.field.mask());
        if (named.format == inst.format && (other & place) != 0 && (!mask || masks)) {
            add(std::string(named.name) + " " + hex(named.field.get(bits)));
            other &= ~place;
        }
    }
    for (unsigned bit = 0; bit < 64; ++bit) {
        if ((other >> bit & 1) != 0) {
            add("reserved bit " + std::to_string(bit));
        }
    }
    return list;
}

}  // namespace

Assembly assemble(std::string_view text) {
    return Assembler().run(text);
}

std::string disassemble_exact(const Inst& inst, uint64_t pc) {
    if (inst.format == Format::Illegal) {
        const std::string more = inst.dwords == 2 ? ", " + hex_word(inst.words[1]) : "";
        return ".long " + hex_word(inst.words[0]) + more + "  // illegal: " + illegal_reason(inst);
    }
    std::string text = disassemble(inst, pc);
    const auto at = static_cast<int64_t>(pc);
    if (same_words(inst, text, at)) {
        return text;
    }
    // The same with the source fields it does not read.
    if (inst.format == Format::Vop3) {
        std::string full = text + unread_sources(inst);
        if (same_words(inst, full, at)) {
            return full;
        }
    }
    // The same with the 16-bit field as a number.
    if (inst.format == Format::Sopp) {
        const std::string plain = mnemonic(inst) + (" " + hex_word(inst.words[0] & 0xffff, 4));
        if (same_words(inst, plain, at)) {
            return plain + "  // " + text;
        }
    }
    std::string words = hex_word(inst.words[0]);
    if (inst.dwords == 2) {
        words += ", " + hex_word(inst.words[1]);
    }
    return ".long " + words + "  // " + text + left_out(inst, text, at);
}

}  // namespace archipelago::isa
