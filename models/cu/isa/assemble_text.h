// SPDX-License-Identifier: Apache-2.0
// Words, numbers, expressions and registers of assembler text; private to models/cu/isa.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "models/cu/isa/assemble.h"

namespace archipelago::isa {

// Ends the assembly of a statement. Thrown and caught within the assembler only.
struct SyntaxError {
    unsigned column;
    std::string message;
    std::string unknown = {};
    std::shared_ptr<const std::vector<std::string>> known = nullptr;
};

struct Token {
    enum class Kind : uint8_t { End, Name, Integer, Real, Text, Symbol, Bad };
    Kind kind = Kind::End;
    unsigned column = 0;
    std::string_view text;  // Text: without the quotes
    uint64_t integer = 0;
    double real = 0;

    bool is(std::string_view symbol) const { return kind == Kind::Symbol && text == symbol; }
    bool is_name(std::string_view name) const { return kind == Kind::Name && text == name; }
};

// The token in quotes, or "the end of the line".
std::string shown(const Token& token);

// Mnemonics and directives may stand in any case, as in LLVM.
std::string lower_case(std::string_view name);

// Splits a line that holds no comments. The last token is End; a Bad token's text is the reason.
std::vector<Token> split(std::string_view line);

// What names stand for. `.set` names are absolute from their definition on; labels are known in
// the second pass.
struct Symbols {
    std::map<std::string, int64_t, std::less<>> absolute;
    std::map<std::string, int64_t, std::less<>> labels;
    bool complete = false;  // labels hold all there are
    int64_t here = 0;       // offset of the statement, `.`

    std::shared_ptr<const std::vector<std::string>> names() const;
};

struct Value {
    int64_t number = 0;
    bool relative = false;  // depends on a label, or on a name set further on
};

struct Operand {
    enum class Kind : uint8_t { Vgpr, Scalar, Integer, Real };
    Kind kind = Kind::Integer;
    unsigned column = 0;
    unsigned code = 0;    // Vgpr: number; Scalar: operand code
    unsigned dwords = 0;  // of a register; 0 for one that fits any width (vccz, execz, scc)
    Value value;
    double real = 0;
    bool neg = false, abs = false;
    bool literal = false;  // lit(...): not as an inline constant
};

// Reads one statement from left to right.
class Cursor {
  public:
    Cursor(const std::vector<Token>& tokens, const Symbols& symbols)
        : tokens_(&tokens), symbols_(&symbols) {}

    const Token& peek(size_t ahead = 0) const {
        return (*tokens_)[std::min(at_ + ahead, tokens_->size() - 1)];
    }
    const Token& take();
    bool accept(std::string_view symbol);
    bool accept_name(std::string_view name);
    void expect(std::string_view symbol);
    // Whether a name stands anywhere further on.
    bool mentions(std::string_view name) const;
    void end();

    [[noreturn]] void fail(const std::string& message) const { fail(peek(), message); }
    [[noreturn]] void fail(const Token& token, const std::string& message) const;

    Value expression();
    // A value known at once, within low..high. `what` names it in errors.
    int64_t number(const char* what, int64_t low, int64_t high);
    Operand operand();
    const Symbols& symbols() const { return *symbols_; }

  private:
    Value binary(unsigned level);
    Value unary();
    Value primary();
    bool at_register(size_t ahead = 0) const;
    Operand plain_operand();
    Operand register_operand();
    Operand register_list();
    unsigned register_number();

    const std::vector<Token>* tokens_;
    const Symbols* symbols_;
    size_t at_ = 0;
    unsigned depth_ = 0;
    bool no_bar_ = false;  // within |...|
};

// "v3, v[4:5]" for messages: a register of the kind with this many dwords.
std::string register_example(bool vector, unsigned dwords);

}  // namespace archipelago::isa
