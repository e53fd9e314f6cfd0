// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/assemble_text.h"

#include <algorithm>
#include <charconv>

#include "models/common/text_scanner.h"
#include "models/cu/isa/operands.h"

namespace archipelago::isa {
namespace {

constexpr unsigned kMaxDepth = 200;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.' || c == '$';
}

bool is_name_char(char c) {
    return is_name_start(c) || is_digit(c) || c == '@';
}

Token number_token(std::string_view text, unsigned column) {
    Token token;
    token.column = column;
    token.text = text;
    const auto bad = [&token](const char* reason) {
        token.kind = Token::Kind::Bad;
        token.text = reason;
        return token;
    };
    const char* const first = text.data();
    const char* const last = first + text.size();
    unsigned base = 10;
    if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
        base = 16;
    } else if (text.size() > 2 && text[0] == '0' && (text[1] == 'b' || text[1] == 'B')) {
        base = 2;
    }
    if (base == 16 && text.find_first_of(".pP") != std::string_view::npos) {
        const auto result = std::from_chars(first + 2, last, token.real, std::chars_format::hex);
        token.kind = Token::Kind::Real;
        return result.ptr != last || text.find_first_of("pP") == std::string_view::npos
                   ? bad("not a number: a hexadecimal fraction ends with p and an exponent")
               : result.ec == std::errc::result_out_of_range ? bad("number out of range")
                                                             : token;
    }
    if (base == 10 && text.find_first_of(".eE") != std::string_view::npos) {
        const auto result = std::from_chars(first, last, token.real);
        token.kind = Token::Kind::Real;
        return result.ptr != last                            ? bad("not a number")
               : result.ec == std::errc::result_out_of_range ? bad("number out of range")
                                                             : token;
    }
    const char* const digits = base == 10 ? first : first + 2;
    if (base == 10 && text[0] == '0') {
        base = 8;
    }
    const auto result = std::from_chars(digits, last, token.integer, static_cast<int>(base));
    token.kind = Token::Kind::Integer;
    if (result.ec == std::errc::result_out_of_range) {
        return bad("number does not fit 64 bits");
    }
    if (result.ptr != last || result.ec != std::errc()) {
        return bad(base == 8 ? "not an octal number, as a leading zero says" : "not a number");
    }
    return token;
}

// The length of what looks like a number at the start of `text`.
size_t number_length(std::string_view text) {
    size_t n = 0;
    const bool hex = text.size() > 1 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    while (n < text.size()) {
        const char c = text[n];
        const char exponent = n > 0 ? static_cast<char>(text[n - 1] | ' ') : ' ';
        const bool sign = (c == '+' || c == '-') && exponent == (hex ? 'p' : 'e');
        if (!is_name_char(c) && !sign) {
            break;
        }
        ++n;
    }
    return n;
}

// The length of a character constant at the start of `text`, or of all of it.
size_t character_length(std::string_view text) {
    const size_t end = text.find('\'', text.size() > 1 && text[1] == '\\' ? 3 : 2);
    return end == std::string_view::npos ? text.size() : end + 1;
}

// A character constant. Of an escape that is none of LLVM's the character after the backslash.
Token character_token(std::string_view text, unsigned column) {
    constexpr std::string_view kEscapes = "bfnrt", kMeant = "\b\f\n\r\t";
    Token token;
    token.column = column;
    token.text = text;
    const bool escape = text.size() > 1 && text[1] == '\\';
    if (text.size() != (escape ? 4u : 3u) || text.back() != '\'') {
        token.kind = Token::Kind::Bad;
        token.text = "not a character constant, which is one character in quotes";
        return token;
    }
    const char c = text[escape ? 2 : 1];
    const size_t known = escape ? kEscapes.find(c) : std::string_view::npos;
    token.kind = Token::Kind::Integer;
    token.integer = static_cast<unsigned char>(known != std::string_view::npos ? kMeant[known] : c);
    return token;
}

// Special registers by name. Width 0 fits any operand.
struct NamedRegister {
    const char* name;
    uint16_t code;
    uint8_t dwords;
};
const NamedRegister kNamedRegisters[] = {
    {"vcc", kVccLo, 2},
    {"vcc_lo", kVccLo, 1},
    {"vcc_hi", kVccHi, 1},
    {"exec", kExecLo, 2},
    {"exec_lo", kExecLo, 1},
    {"exec_hi", kExecHi, 1},
    {"m0", kM0, 1},
    {"tba", kTbaLo, 2},
    {"tba_lo", kTbaLo, 1},
    {"tba_hi", kTbaLo + 1, 1},
    {"tma", kTmaLo, 2},
    {"tma_lo", kTmaLo, 1},
    {"tma_hi", kTmaLo + 1, 1},
    {"vccz", kVccz, 0},
    {"src_vccz", kVccz, 0},
    {"execz", kExecz, 0},
    {"src_execz", kExecz, 0},
    {"scc", kScc, 0},
    {"src_scc", kScc, 0},
    {"lds_direct", kLdsDirect, 1},
    {"src_lds_direct", kLdsDirect, 1},
};

const NamedRegister* named_register(std::string_view name) {
    for (const NamedRegister& r : kNamedRegisters) {
        if (name == r.name) {
            return &r;
        }
    }
    return nullptr;
}

// A numbered register file. `name` may have the number after it.
struct File {
    const char* name;
    unsigned first;  // operand code of register 0; VGPRs by number
    unsigned count;
    bool vector;
};
const File kFiles[] = {
    {"ttmp", kTtmpFirst, kTtmpLast - kTtmpFirst + 1, false},
    {"v", 0, 256, true},
    {"s", 0, kSgprLast + 1u, false},
};

// The file `name` belongs to; the digits after the file's name are left in `digits`.
const File* register_file(std::string_view name, std::string_view& digits) {
    for (const File& file : kFiles) {
        const std::string_view prefix = file.name;
        if (name.substr(0, prefix.size()) != prefix) {
            continue;
        }
        digits = name.substr(prefix.size());
        if (std::all_of(digits.begin(), digits.end(), is_digit)) {
            return &file;
        }
    }
    return nullptr;
}

std::string last_of(const File& file) {
    return file.name + std::to_string(file.count - 1);
}

struct Operator {
    const char* text;
    unsigned level;
};
// As LLVM binds them; "a ! b" is a | ~b, and "<>" is "!=".
const Operator kOperators[] = {{"||", 0}, {"&&", 1}, {"==", 2}, {"!=", 2}, {"<>", 2},
                               {"<", 2},  {"<=", 2}, {">", 2},  {">=", 2}, {"+", 3},
                               {"-", 3},  {"|", 4},  {"^", 4},  {"&", 4},  {"!", 4},
                               {"*", 5},  {"/", 5},  {"%", 5},  {"<<", 5}, {">>", 5}};
constexpr unsigned kLevels = 6;
constexpr std::string_view kLongOperators[] = {"||", "&&", "==", "!=", "<>",
                                               "<=", ">=", "<<", ">>"};

// Of signed numbers; -1: they compare so.
int64_t compare(std::string_view op, int64_t a, int64_t b) {
    const bool holds = op == "=="   ? a == b
                       : op == "<"  ? a < b
                       : op == "<=" ? a <= b
                       : op == ">"  ? a > b
                       : op == ">=" ? a >= b
                                    : a != b;
    return holds ? -1 : 0;
}

// Without division. In two's complement, so that nothing overflows; shifts are logical.
int64_t combine(std::string_view op, int64_t left, int64_t right) {
    const auto a = static_cast<uint64_t>(left), b = static_cast<uint64_t>(right);
    if (op == "||" || op == "&&")
        return op == "||" ? a != 0 || b != 0 : a != 0 && b != 0;
    if (op == "<<" || op == ">>")
        return static_cast<int64_t>(b >= 64 ? 0 : op == "<<" ? a << b : a >> b);
    switch (op.size() == 1 ? op[0] : '=') {
        case '|':
            return static_cast<int64_t>(a | b);
        case '^':
            return static_cast<int64_t>(a ^ b);
        case '&':
            return static_cast<int64_t>(a & b);
        case '!':
            return static_cast<int64_t>(a | ~b);
        case '+':
            return static_cast<int64_t>(a + b);
        case '-':
            return static_cast<int64_t>(a - b);
        case '*':
            return static_cast<int64_t>(a * b);
        default:
            return compare(op, left, right);
    }
}

// The quotient or the remainder of numbers other than INT64_MIN and -1, whose wrap around.
int64_t divide(char op, int64_t a, int64_t b) {
    if (a == INT64_MIN && b == -1)
        return op == '/' ? a : 0;
    return op == '/' ? a / b : a % b;
}

// What is next and starts no other token.
Token symbol_token(TextScanner& in, unsigned column) {
    Token token;
    token.column = column;
    const char c = in.peek();
    const bool is_long = std::find(std::begin(kLongOperators), std::end(kLongOperators),
                                   in.rest().substr(0, 2)) != std::end(kLongOperators);
    const std::string_view symbol = in.take(is_long ? 2 : 1);
    token.kind = c > ' ' && c < 0x7f ? Token::Kind::Symbol : Token::Kind::Bad;
    token.text =
        token.kind == Token::Kind::Symbol ? symbol : "a character that has no meaning here";
    return token;
}

// What is between quotes.
Token text_token(TextScanner& in, unsigned column) {
    Token token;
    token.column = column;
    in.take(1);
    token.text = in.take_while([](char c) { return c != '"'; });
    token.kind = Token::Kind::Text;
    if (!in.accept("\"")) {
        token.kind = Token::Kind::Bad;
        token.text = "the closing quote is missing";
    }
    return token;
}

Token next_token(TextScanner& in) {
    const char c = in.peek();
    const unsigned column = in.column();
    if (is_digit(c) || (c == '.' && is_digit(in.peek(1)))) {
        return number_token(in.take(number_length(in.rest())), column);
    }
    if (c == '\'') {
        return character_token(in.take(character_length(in.rest())), column);
    }
    if (c == '"') {
        return text_token(in, column);
    }
    if (!is_name_start(c)) {
        return symbol_token(in, column);
    }
    Token token;
    token.column = column;
    token.kind = Token::Kind::Name;
    const size_t begin = in.mark();
    in.take(1);
    in.take_while(is_name_char);
    token.text = in.since(begin);
    return token;
}

}  // namespace

std::vector<Token> split(std::string_view line) {
    std::vector<Token> tokens;
    TextScanner in(line);
    for (;;) {
        in.take_while([](char c) { return c == ' ' || c == '\t' || c == '\r'; });
        if (in.at_end()) {
            tokens.emplace_back().column = in.column();
            return tokens;
        }
        tokens.push_back(next_token(in));
    }
}

std::shared_ptr<const std::vector<std::string>> Symbols::names() const {
    auto list = std::make_shared<std::vector<std::string>>();
    for (const auto& [name, value] : absolute) {
        list->push_back(name);
    }
    for (const auto& [name, value] : labels) {
        list->push_back(name);
    }
    return list;
}

std::string register_example(bool vector, unsigned dwords) {
    const std::string file = vector ? "v" : "s";
    const std::string low = vector ? "n" : dwords == 1 ? "n" : dwords == 2 ? "2n" : "4n";
    if (dwords == 1) {
        return file + low;
    }
    return file + "[" + low + ":" + low + "+" + std::to_string(dwords - 1) + "]";
}

const Token& Cursor::take() {
    const Token& token = peek();
    if (token.kind == Token::Kind::Bad) {
        fail(token, std::string(token.text));
    }
    if (at_ + 1 < tokens_->size()) {
        ++at_;
    }
    return token;
}

void Cursor::fail(const Token& token, const std::string& message) const {
    if (token.kind == Token::Kind::Bad) {
        throw SyntaxError{token.column, std::string(token.text)};
    }
    throw SyntaxError{token.column, message};
}

bool Cursor::accept(std::string_view symbol) {
    if (!peek().is(symbol)) {
        return false;
    }
    take();
    return true;
}

bool Cursor::accept_name(std::string_view name) {
    if (!peek().is_name(name)) {
        return false;
    }
    take();
    return true;
}

std::string lower_case(std::string_view name) {
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
    return lower;
}

std::string shown(const Token& token) {
    if (token.kind == Token::Kind::End) {
        return "the end of the line";
    }
    std::string text(token.text);
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return "\"" + text + "\"";
}

void Cursor::expect(std::string_view symbol) {
    if (!accept(symbol)) {
        fail("expected \"" + std::string(symbol) + "\", got " + shown(peek()));
    }
}

bool Cursor::mentions(std::string_view name) const {
    return std::any_of(tokens_->begin() + static_cast<std::ptrdiff_t>(at_), tokens_->end(),
                       [name](const Token& token) { return token.is_name(name); });
}

void Cursor::end() {
    if (peek().kind != Token::Kind::End) {
        fail("unexpected " + shown(peek()));
    }
}

// ---- expressions ------------------------------------------------------------------------------

Value Cursor::expression() {
    return binary(0);
}

Value Cursor::binary(unsigned level) {
    if (level == kLevels) {
        return unary();
    }
    Value left = binary(level + 1);
    while (true) {
        const Token& token = peek();
        const Operator* found = nullptr;
        for (const Operator& op : kOperators) {
            if (op.level == level && token.is(op.text) && !(no_bar_ && op.text[0] == '|')) {
                found = &op;
            }
        }
        if (found == nullptr) {
            return left;
        }
        take();
        const Value right = binary(level + 1);
        const bool divides = found->text[0] == '/' || found->text[0] == '%';
        int64_t result = 0;
        if (!divides) {
            result = combine(found->text, left.number, right.number);
        } else if (right.number != 0) {
            result = divide(found->text[0], left.number, right.number);
        } else if (!right.relative || symbols_->complete) {
            fail(token, "division by zero");
        }
        left = {result, left.relative || right.relative};
    }
}

Value Cursor::unary() {
    if (++depth_ > kMaxDepth) {
        fail("nested too deeply");
    }
    Value value;
    if (accept("-")) {
        value = unary();
        value.number = static_cast<int64_t>(0 - static_cast<uint64_t>(value.number));
    } else if (accept("~")) {
        value = unary();
        value.number = ~value.number;
    } else if (accept("!")) {
        value = unary();
        value.number = value.number == 0 ? 1 : 0;
    } else if (accept("+")) {
        value = unary();
    } else {
        value = primary();
    }
    --depth_;
    return value;
}

Value Cursor::primary() {
    const Token& token = peek();
    if (token.kind == Token::Kind::Integer) {
        take();
        return {static_cast<int64_t>(token.integer), false};
    }
    if (token.is("(")) {
        take();
        const bool no_bar = no_bar_;
        no_bar_ = false;
        const Value value = expression();
        no_bar_ = no_bar;
        expect(")");
        return value;
    }
    if (token.kind == Token::Kind::Real) {
        fail("a floating-point number where an integer is expected");
    }
    if (token.kind != Token::Kind::Name) {
        fail("expected a number or a symbol, got " + shown(token));
    }
    std::string_view digits;
    if (named_register(token.text) != nullptr ||
        (register_file(token.text, digits) != nullptr && !digits.empty())) {
        fail("register " + std::string(token.text) + " where a number is expected");
    }
    take();
    if (token.text == ".") {
        return {symbols_->here, true};
    }
    const auto absolute = symbols_->absolute.find(token.text);
    if (absolute != symbols_->absolute.end()) {
        return {absolute->second, false};
    }
    const auto label = symbols_->labels.find(token.text);
    if (label != symbols_->labels.end()) {
        return {label->second, true};
    }
    if (symbols_->complete) {
        const std::string name(token.text);
        throw SyntaxError{token.column, "unknown symbol or register \"" + name + "\"", name,
                          symbols_->names()};
    }
    return {0, true};
}

int64_t Cursor::number(const char* what, int64_t low, int64_t high) {
    const Token& token = peek();
    const Value value = expression();
    if (value.relative && !symbols_->complete) {
        return low;
    }
    if (value.number < low || value.number > high) {
        fail(token, std::string(what) + " is " + std::to_string(value.number) + ", expected " +
                        std::to_string(low) + " to " + std::to_string(high));
    }
    return value.number;
}

// ---- registers and operands -------------------------------------------------------------------

bool Cursor::at_register(size_t ahead) const {
    const Token& token = peek(ahead);
    if (token.is("[")) {
        return true;
    }
    if (token.kind != Token::Kind::Name) {
        return false;
    }
    if (named_register(token.text) != nullptr) {
        return true;
    }
    std::string_view digits;
    return register_file(token.text, digits) != nullptr &&
           (!digits.empty() || peek(ahead + 1).is("["));
}

unsigned Cursor::register_number() {
    const Token& token = peek();
    const Value value = expression();
    if (value.relative) {
        fail(token, "a register number cannot depend on a label");
    }
    // Far more than any file has; the caller compares exactly.
    return value.number < 0 || value.number > 0xffff ? 0xffff : static_cast<unsigned>(value.number);
}

Operand Cursor::register_operand() {
    if (peek().is("[")) {
        return register_list();
    }
    const Token& token = take();
    Operand result;
    result.column = token.column;
    result.kind = Operand::Kind::Scalar;
    if (const NamedRegister* named = named_register(token.text)) {
        result.code = named->code;
        result.dwords = named->dwords;
        return result;
    }
    std::string_view digits;
    const File& file = *register_file(token.text, digits);
    unsigned first = 0;
    unsigned last = 0;
    if (digits.empty()) {
        const bool no_bar = no_bar_;
        no_bar_ = false;
        expect("[");
        first = last = register_number();
        if (accept(":")) {
            last = register_number();
        }
        expect("]");
        no_bar_ = no_bar;
    } else {
        first = 0xffff;
        if (digits.size() <= 4) {
            std::from_chars(digits.data(), digits.data() + digits.size(), first);
        }
        last = first;
    }
    if (last < first) {
        fail(token, "the last register of the range comes before the first");
    }
    if (last >= file.count) {
        fail(token, std::string("no such register, the last one is ") + last_of(file));
    }
    result.kind = file.vector ? Operand::Kind::Vgpr : Operand::Kind::Scalar;
    result.code = file.first + first;
    result.dwords = last - first + 1;
    return result;
}

// [s0,s1,s2,s3]: single registers in a row.
Operand Cursor::register_list() {
    const Token& open = take();
    Operand list;
    list.column = open.column;
    do {
        const Token& token = peek();
        if (token.kind != Token::Kind::Name || !at_register()) {
            fail("expected a register, got " + shown(token));
        }
        const Operand one = register_operand();
        if (one.dwords != 1) {
            fail(token, "a list holds single registers");
        }
        if (list.dwords == 0) {
            list.kind = one.kind;
            list.code = one.code;
        } else if (list.kind != one.kind || one.code != list.code + list.dwords) {
            fail(token, "the registers of a list must follow each other");
        }
        ++list.dwords;
    } while (accept(","));
    expect("]");
    return list;
}

Operand Cursor::plain_operand() {
    if (at_register()) {
        return register_operand();
    }
    Operand result;
    result.column = peek().column;
    const bool negative = peek().is("-") && peek(1).kind == Token::Kind::Real;
    if (negative || peek().kind == Token::Kind::Real) {
        if (negative) {
            take();
        }
        result.kind = Operand::Kind::Real;
        result.real = take().real;
        result.real = negative ? -result.real : result.real;
        return result;
    }
    result.value = expression();
    return result;
}

Operand Cursor::operand() {
    const Token start = peek();
    if (start.kind == Token::Kind::End || start.is(",")) {
        fail("expected an operand, got " + shown(start));
    }
    bool neg = false;
    bool abs = false;
    // A minus is a modifier in front of a register or |, else part of the number.
    unsigned close = 0;
    if (start.is("-")) {
        const Token& next = peek(1);
        if (next.is("|") || next.is_name("abs") || at_register(1)) {
            take();
            neg = true;
        }
    } else if (start.is_name("neg") && peek(1).is("(")) {
        take();
        take();
        neg = true;
        close = 1;
    }
    Operand result;
    if (accept("|")) {
        abs = true;
        no_bar_ = true;
        result = plain_operand();
        no_bar_ = false;
        expect("|");
    } else if (peek().is_name("abs") && peek(1).is("(")) {
        take();
        take();
        abs = true;
        result = plain_operand();
        expect(")");
    } else if (peek().is_name("lit") && peek(1).is("(")) {
        take();
        take();
        if (at_register()) {
            fail("expected a number in lit(), got a register");
        }
        result = plain_operand();
        result.literal = true;
        expect(")");
    } else {
        result = plain_operand();
    }
    if (close != 0) {
        expect(")");
    }
    result.column = start.column;
    result.neg = neg;
    result.abs = abs;
    return result;
}

}  // namespace archipelago::isa
