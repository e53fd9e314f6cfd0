// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "models/config/suggest.h"
#include "testbenches/host/code_object/byte_io.h"

namespace archipelago::host {
namespace {

enum class Op : uint8_t {
    Number,
    Index,
    Count,
    Element,
    Choose,
    Or,
    And,
    BitOr,
    BitXor,
    BitAnd,
    Equal,
    Differ,
    Less,
    AtMost,
    More,
    AtLeast,
    ShiftLeft,
    ShiftRight,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    Negate,
    Invert,
    Not,
    Min,
    Max,
    Abs,
    Clamp,
    Sqrt,
    Floor,
    Ceil,
    Exp,
    Log,
    Sin,
    Cos,
    Tan,
    Pow,
    Fma
};

// Binary operators by binding strength, the weakest first.
struct Binary {
    std::string_view text;
    Op op;
    unsigned level;
};
constexpr std::array<Binary, 18> kBinary{{
    {"||", Op::Or, 0},
    {"&&", Op::And, 1},
    {"|", Op::BitOr, 2},
    {"^", Op::BitXor, 3},
    {"&", Op::BitAnd, 4},
    {"==", Op::Equal, 5},
    {"!=", Op::Differ, 5},
    {"<<", Op::ShiftLeft, 7},
    {">>", Op::ShiftRight, 7},
    {"<=", Op::AtMost, 6},
    {">=", Op::AtLeast, 6},
    {"<", Op::Less, 6},
    {">", Op::More, 6},
    {"+", Op::Add, 8},
    {"-", Op::Subtract, 8},
    {"*", Op::Multiply, 9},
    {"/", Op::Divide, 9},
    {"%", Op::Remainder, 9},
}};
constexpr unsigned kLevels = 10;

struct Function {
    std::string_view name;
    Op op;
    unsigned arguments;
    bool of_reals;  // alone
};
constexpr std::array<Function, 14> kFunctions{{
    {"min", Op::Min, 2, false},
    {"max", Op::Max, 2, false},
    {"abs", Op::Abs, 1, false},
    {"clamp", Op::Clamp, 3, false},
    {"sqrt", Op::Sqrt, 1, true},
    {"floor", Op::Floor, 1, true},
    {"ceil", Op::Ceil, 1, true},
    {"exp", Op::Exp, 1, true},
    {"log", Op::Log, 1, true},
    {"sin", Op::Sin, 1, true},
    {"cos", Op::Cos, 1, true},
    {"tan", Op::Tan, 1, true},
    {"pow", Op::Pow, 2, true},
    {"fma", Op::Fma, 3, true},
}};

}  // namespace

struct Formula::Part {
    Op op = Op::Number;
    size_t column = 0;
    double real = 0;
    uint64_t integer = 0;
    size_t operand = 0;
    std::vector<std::unique_ptr<Part>> parts;  // of Element: the index, if there is one
};

namespace {

using Part = Formula::Part;
using PartPointer = std::unique_ptr<Part>;

class TextParser {
  public:
    TextParser(const std::string& text, const std::vector<std::string>& names,
               std::vector<bool>& used)
        : text_(text), names_(names), used_(used) {}

    PartPointer parse(bool of_reals) {
        PartPointer root = choice(of_reals);
        skip();
        if (at_ != text_.size())
            throw FormulaError(at_ + 1, fmt::format("\"{}\" is left", text_.substr(at_)));
        return root;
    }

  private:
    static constexpr unsigned kDeepest = 200;

    void skip() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
            ++at_;
    }
    bool take(std::string_view word) {
        skip();
        if (text_.compare(at_, word.size(), word) != 0)
            return false;
        at_ += word.size();
        return true;
    }
    void need(std::string_view word) {
        if (!take(word))
            throw FormulaError(at_ + 1, fmt::format("expected \"{}\"", word));
    }
    PartPointer make(Op op, size_t column) const {
        auto node = std::make_unique<Part>();
        node->op = op;
        node->column = column;
        return node;
    }

    PartPointer choice(bool of_reals) {
        if (++depth_ > kDeepest)
            throw FormulaError(at_ + 1, "too many parts inside of each other");
        PartPointer first = binary(0, of_reals);
        skip();
        const size_t column = at_ + 1;
        if (take("?")) {
            PartPointer node = make(Op::Choose, column);
            node->parts.push_back(std::move(first));
            node->parts.push_back(choice(of_reals));
            need(":");
            node->parts.push_back(choice(of_reals));
            first = std::move(node);
        }
        --depth_;
        return first;
    }

    const Binary* operator_here(unsigned level) {
        skip();
        // The longest that stands here, then whether it is of this level.
        const auto* const found =
            std::find_if(kBinary.begin(), kBinary.end(), [&](const Binary& b) {
                return b.text.size() == 2 && text_.compare(at_, 2, b.text) == 0;
            });
        const auto* const one =
            found != kBinary.end()
                ? found
                : std::find_if(kBinary.begin(), kBinary.end(), [&](const Binary& b) {
                      return text_.compare(at_, b.text.size(), b.text) == 0;
                  });
        return one != kBinary.end() && one->level == level ? one : nullptr;
    }

    PartPointer binary(unsigned level, bool of_reals) {
        if (level == kLevels)
            return unary(of_reals);
        PartPointer left = binary(level + 1, of_reals);
        while (const Binary* op = operator_here(level)) {
            PartPointer node = make(op->op, at_ + 1);
            const bool bits = op->op == Op::BitOr || op->op == Op::BitXor || op->op == Op::BitAnd ||
                              op->op == Op::ShiftLeft || op->op == Op::ShiftRight;
            if (bits && of_reals)
                throw FormulaError(at_ + 1, fmt::format("\"{}\" is for integers", op->text));
            at_ += op->text.size();
            node->parts.push_back(std::move(left));
            node->parts.push_back(binary(level + 1, of_reals));
            left = std::move(node);
        }
        return left;
    }

    PartPointer unary(bool of_reals) {
        skip();
        const size_t column = at_ + 1;
        for (const auto& [text, op] :
             {std::pair("-", Op::Negate), std::pair("~", Op::Invert), std::pair("!", Op::Not)})
            if (take(text)) {
                if (op == Op::Invert && of_reals)
                    throw FormulaError(column, "\"~\" is for integers");
                if (++depth_ > kDeepest)
                    throw FormulaError(column, "too many parts inside of each other");
                PartPointer node = make(op, column);
                node->parts.push_back(unary(of_reals));
                --depth_;
                return node;
            }
        return take("+") ? unary(of_reals) : primary(of_reals);
    }

    PartPointer primary(bool of_reals) {
        skip();
        const char c = at_ < text_.size() ? text_[at_] : '\0';
        if (take("(")) {
            PartPointer inner = choice(of_reals);
            need(")");
            return inner;
        }
        if (std::isdigit(static_cast<unsigned char>(c)) != 0 || c == '.')
            return number(of_reals);
        if (std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_')
            return named(of_reals);
        throw FormulaError(
            at_ + 1, c == '\0' ? "it ends where a number or a name is expected"
                               : fmt::format("got \"{}\", expected a number, a name or (", c));
    }

    PartPointer number(bool of_reals) {
        PartPointer node = make(Op::Number, at_ + 1);
        const char* const begin = text_.data() + at_;
        const char* const end = text_.data() + text_.size();
        const bool hex = text_.compare(at_, 2, "0x") == 0;
        const auto whole =
            std::from_chars(begin + (hex ? 2 : 0), end, node->integer, hex ? 16 : 10);
        node->real = static_cast<double>(node->integer);
        const char* last = whole.ptr;
        const bool point = !hex && (last != end && (*last == '.' || *last == 'e' || *last == 'E'));
        if (point) {
            char* real_end = nullptr;
            node->real = std::strtod(begin, &real_end);
            last = real_end;
        }
        if (point && !of_reals)
            throw FormulaError(node->column, "a number with a point among integers");
        const bool letter =
            last != end && (std::isalnum(static_cast<unsigned char>(*last)) != 0 || *last == '_');
        if ((!point && whole.ec != std::errc()) || letter)
            throw FormulaError(node->column, "this is no number");
        at_ = static_cast<size_t>(last - text_.data());
        return node;
    }

    PartPointer named(bool of_reals) {
        const size_t column = at_ + 1;
        const size_t begin = at_;
        while (at_ < text_.size() &&
               (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
            ++at_;
        const std::string name = text_.substr(begin, at_ - begin);
        const auto operand = std::find(names_.begin(), names_.end(), name);
        if (operand != names_.end())
            return element(static_cast<size_t>(operand - names_.begin()), column);
        if (name == "i" || name == "n")
            return make(name == "i" ? Op::Index : Op::Count, column);
        const auto* const function =
            std::find_if(kFunctions.begin(), kFunctions.end(),
                         [&](const Function& f) { return f.name == name; });
        if (function != kFunctions.end())
            return call(*function, column, of_reals);
        std::vector<std::string> known = names_;
        known.insert(known.end(), {"i", "n"});
        throw FormulaError(
            column, fmt::format("unknown name \"{}\", expected one of: {}{}", name,
                                config::join_names(known), config::did_you_mean(name, known)));
    }

    PartPointer element(size_t operand, size_t column) {
        PartPointer node = make(Op::Element, column);
        node->operand = operand;
        used_[operand] = true;
        if (take("[")) {
            node->parts.push_back(choice(false));
            need("]");
        }
        return node;
    }

    PartPointer call(const Function& function, size_t column, bool of_reals) {
        if (function.of_reals && !of_reals)
            throw FormulaError(column, fmt::format("{}() is for reals", function.name));
        PartPointer node = make(function.op, column);
        need("(");
        for (unsigned i = 0; i < function.arguments; ++i) {
            if (i != 0)
                need(",");
            node->parts.push_back(choice(of_reals));
        }
        need(")");
        return node;
    }

    const std::string& text_;
    const std::vector<std::string>& names_;
    std::vector<bool>& used_;
    size_t at_ = 0;
    unsigned depth_ = 0;
};

// What the elements of one evaluation are.
struct Place {
    uint64_t i, n;
    const std::vector<FormulaOperand>& operands;
};

uint64_t index_of(const Part& element, const Place& place);

const uint8_t* element_of(const Part& node, const Place& place) {
    const FormulaOperand& operand = place.operands[node.operand];
    const uint64_t index = node.parts.empty() ? place.i : index_of(*node.parts[0], place);
    if (index >= operand.count())
        throw FormulaError(node.column,
                           fmt::format("element {} of a buffer of {}, where i is {}",
                                       static_cast<int64_t>(index), operand.count(), place.i));
    return operand.bytes.data() + index * bytes_of(operand.type);
}

class Integers {
  public:
    using Number = uint64_t;
    explicit Integers(ElementType type) : type_(bytes_of(type) < 4 ? ElementType::I32 : type) {}

    Number wrap(uint64_t value) const {
        uint8_t bytes[8];
        store_le(bytes, value, 8);
        return load_integer(type_, bytes);
    }
    Number of(const Part& node) const { return wrap(node.integer); }
    Number of_index(uint64_t i) const { return wrap(i); }
    Number load(const Part& node, const Place& place) const {
        const ElementType type = place.operands[node.operand].type;
        if (is_real(type))
            throw FormulaError(node.column,
                               fmt::format("elements of {} among integers", to_string(type)));
        return wrap(load_integer(type, element_of(node, place)));
    }
    bool less(Number a, Number b) const {
        return is_signed(type_) ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
    }
    Number negate(Number a) const { return wrap(-a); }
    Number invert(Number a) const { return wrap(~a); }
    Number binary(const Part& node, Number a, Number b) const {
        switch (node.op) {
            case Op::Add:
                return wrap(a + b);
            case Op::Subtract:
                return wrap(a - b);
            case Op::Multiply:
                return wrap(a * b);
            case Op::BitOr:
                return a | b;
            case Op::BitXor:
                return a ^ b;
            case Op::BitAnd:
                return a & b;
            case Op::ShiftLeft:
                return wrap(a << (b & bits()));
            case Op::ShiftRight:
                return is_signed(type_)
                           ? static_cast<uint64_t>(static_cast<int64_t>(a) >> (b & bits()))
                           : a >> (b & bits());
            default:
                return divide(node, a, b);
        }
    }
    Number real(const Part&, const std::array<Number, 3>&) const {
        return 0;
    }  // refused as it is read

  private:
    uint64_t bits() const { return 8 * bytes_of(type_) - 1; }
    Number divide(const Part& node, Number a, Number b) const {
        if (b == 0)
            throw FormulaError(node.column, "an integer divided by 0");
        const bool remainder = node.op == Op::Remainder;
        if (!is_signed(type_))
            return remainder ? a % b : a / b;
        if (b == ~uint64_t{0})
            return remainder ? 0 : wrap(-a);
        const auto x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
        return wrap(static_cast<uint64_t>(remainder ? x % y : x / y));
    }

    ElementType type_;
};

class Reals {
  public:
    using Number = double;
    explicit Reals(ElementType type) : type_(type) {}

    // A double holds twice the bits of an f32 and two more, so that rounding twice changes nothing.
    Number round(double value) const {
        uint8_t bytes[8];
        store_real(type_, value, bytes);
        return load_real(type_, bytes);
    }
    Number of(const Part& node) const { return round(node.real); }
    Number of_index(uint64_t i) const { return round(static_cast<double>(i)); }
    Number load(const Part& node, const Place& place) const {
        const ElementType type = place.operands[node.operand].type;
        const uint8_t* const element = element_of(node, place);
        if (is_real(type))
            return round(load_real(type, element));
        const uint64_t bits = load_integer(type, element);
        return round(is_signed(type) ? static_cast<double>(static_cast<int64_t>(bits))
                                     : static_cast<double>(bits));
    }
    static bool less(Number a, Number b) { return a < b; }
    static Number negate(Number a) { return -a; }
    static Number invert(Number a) { return a; }  // refused as it is read
    Number binary(const Part& node, Number a, Number b) const {
        switch (node.op) {
            case Op::Add:
                return round(a + b);
            case Op::Subtract:
                return round(a - b);
            case Op::Multiply:
                return round(a * b);
            case Op::Divide:
                return round(a / b);
            default:
                return round(std::fmod(a, b));
        }
    }
    Number real(const Part& node, const std::array<Number, 3>& x) const {
        switch (node.op) {
            case Op::Sqrt:
                return round(std::sqrt(x[0]));
            case Op::Floor:
                return std::floor(x[0]);
            case Op::Ceil:
                return std::ceil(x[0]);
            case Op::Exp:
                return round(std::exp(x[0]));
            case Op::Log:
                return round(std::log(x[0]));
            case Op::Sin:
                return round(std::sin(x[0]));
            case Op::Cos:
                return round(std::cos(x[0]));
            case Op::Tan:
                return round(std::tan(x[0]));
            case Op::Pow:
                return round(std::pow(x[0], x[1]));
            default:
                return type_ == ElementType::F32
                           ? static_cast<double>(std::fma(static_cast<float>(x[0]),
                                                          static_cast<float>(x[1]),
                                                          static_cast<float>(x[2])))
                           : round(std::fma(x[0], x[1], x[2]));
        }
    }

  private:
    ElementType type_;
};

// Of operations whose parts have all been computed.
template <class Numbers>
typename Numbers::Number result_of(const Part& node,
                                   const std::array<typename Numbers::Number, 3>& x,
                                   const Numbers& numbers) {
    using Number = typename Numbers::Number;
    const bool less = numbers.less(x[0], x[1]), more = numbers.less(x[1], x[0]);
    switch (node.op) {
        case Op::Not:
            return Number(x[0] == 0);
        case Op::Negate:
            return numbers.negate(x[0]);
        case Op::Invert:
            return numbers.invert(x[0]);
        case Op::Equal:
            return Number(x[0] == x[1]);
        case Op::Differ:
            return Number(x[0] != x[1]);
        case Op::Less:
            return Number(less);
        case Op::AtMost:
            return Number(less || x[0] == x[1]);
        case Op::More:
            return Number(more);
        case Op::AtLeast:
            return Number(more || x[0] == x[1]);
        case Op::Min:
            return more ? x[1] : x[0];
        case Op::Max:
            return less ? x[1] : x[0];
        case Op::Abs:
            return numbers.less(x[0], 0) ? numbers.negate(x[0]) : x[0];
        case Op::Clamp:
            return less ? x[1] : numbers.less(x[2], x[0]) ? x[2] : x[0];
        default:
            return node.op < Op::Min ? numbers.binary(node, x[0], x[1]) : numbers.real(node, x);
    }
}

template <class Numbers>
typename Numbers::Number value_of(const Part& node, const Place& place, const Numbers& numbers) {
    using Number = typename Numbers::Number;
    const auto part = [&](size_t i) { return value_of(*node.parts[i], place, numbers); };
    switch (node.op) {
        case Op::Number:
            return numbers.of(node);
        case Op::Index:
            return numbers.of_index(place.i);
        case Op::Count:
            return numbers.of_index(place.n);
        case Op::Element:
            return numbers.load(node, place);
        case Op::Choose:
            return part(0) != 0 ? part(1) : part(2);
        case Op::Or:
            return Number(part(0) != 0 || part(1) != 0);
        case Op::And:
            return Number(part(0) != 0 && part(1) != 0);
        default:
            break;
    }
    std::array<Number, 3> x{};
    for (size_t i = 0; i < node.parts.size(); ++i)
        x[i] = part(i);
    return result_of(node, x, numbers);
}

uint64_t index_of(const Part& index, const Place& place) {
    return value_of(index, place, Integers(ElementType::I64));
}

}  // namespace

FormulaError::FormulaError(size_t column, const std::string& what)
    : std::runtime_error(fmt::format("column {} of the formula: {}", column, what)) {}

Formula::Formula(const std::string& text, ElementType type, const std::vector<std::string>& names)
    : type_(type),
      used_(names.size()),
      root_(TextParser(text, names, used_).parse(is_real(type))) {}
Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

void Formula::store(uint64_t i, uint64_t n, const std::vector<FormulaOperand>& operands,
                    uint8_t* to) const {
    const Place place{i, n, operands};
    if (is_real(type_))
        store_real(type_, value_of(*root_, place, Reals(type_)), to);
    else
        store_le(to, value_of(*root_, place, Integers(type_)), bytes_of(type_));
}

}  // namespace archipelago::host
