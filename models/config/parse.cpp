// SPDX-License-Identifier: Apache-2.0
#include "models/config/parse.h"

#include <yaml.h>

#include <algorithm>
#include <map>
#include <new>
#include <utility>
#include <vector>

namespace archipelago::config {
namespace {

// Ends the parse: the rest of the input is not worth or not safe to read.
struct Stop {
    Origin origin;
    std::string path;
    std::string message;
};

// Line and column (from 1) of a byte offset.
Origin locate(std::string_view text, std::size_t offset, const Origin& file) {
    Origin origin = file;
    origin.line = 1;
    origin.column = 1;
    for (std::size_t i = 0; i < offset && i < text.size(); ++i) {
        if (text[i] == '\n') {
            ++origin.line;
            origin.column = 1;
        } else {
            ++origin.column;
        }
    }
    return origin;
}

std::string hex_byte(unsigned char byte) {
    constexpr char kHex[] = "0123456789abcdef";
    return std::string("0x") + kHex[byte >> 4] + kHex[byte & 15];
}

// Length of the UTF-8 sequence at `offset`, 0 when it is malformed, overlong, a surrogate or
// beyond U+10FFFF.
std::size_t utf8_length(std::string_view text, std::size_t offset) {
    const auto byte = [&](std::size_t i) {
        return offset + i < text.size() ? static_cast<unsigned char>(text[offset + i]) : 0U;
    };
    const unsigned lead = byte(0);
    const auto tail = [&](std::size_t i, unsigned low = 0x80, unsigned high = 0xBF) {
        return byte(i) >= low && byte(i) <= high;
    };
    if (lead < 0x80) {
        return 1;
    }
    if (lead >= 0xC2 && lead <= 0xDF) {
        return tail(1) ? 2 : 0;
    }
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned high = lead == 0xED ? 0x9F : 0xBF;
        return tail(1, low, high) && tail(2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned high = lead == 0xF4 ? 0x8F : 0xBF;
        return tail(1, low, high) && tail(2) && tail(3) ? 4 : 0;
    }
    return 0;
}

constexpr char kSecondDocument[] =
    "content after the end of the document, expected one YAML document (check the indentation of "
    "this line)";

// What is wrong with the character of `length` bytes at `offset`; empty when nothing is. Besides
// the control characters of ASCII these are the characters YAML 1.1 takes for line breaks, and 1.2
// does not, and those that libyaml takes for no text.
std::string fault_of_character(std::string_view text, std::size_t offset, std::size_t length) {
    const auto byte = static_cast<unsigned char>(text[offset]);
    const std::string_view character = text.substr(offset, length);
    if (byte == '\r') {
        return text.substr(offset, 2) == "\r\n"
                   ? ""
                   : "carriage return without line feed, expected LF or CR LF line ends";
    }
    if ((byte < 0x20 && byte != '\t' && byte != '\n') || byte == 0x7F) {
        return "control character " + hex_byte(byte) + ", expected UTF-8 text";
    }
    if (length == 0) {
        return "byte " + hex_byte(byte) + " is not valid UTF-8, expected UTF-8 text";
    }
    if (byte == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0) {
        return "control character " + hex_byte(static_cast<unsigned char>(character[1])) +
               ", expected UTF-8 text";
    }
    if (character == "\u2028" || character == "\u2029") {
        return "Unicode line separator, expected LF or CR LF line ends";
    }
    if (character == "\uFFFE" || character == "\uFFFF") {
        return "Unicode noncharacter, expected UTF-8 text";
    }
    return "";
}

// A text that is clean UTF-8, and the places in it. libyaml counts characters, we count bytes.
class Text {
  public:
    Text(std::string_view text, Origin file, bool positions)
        : text_(text), file_(std::move(file)), positions_(positions) {
        std::size_t characters = 0;
        for (std::size_t i = 0; i < text_.size(); ++characters) {
            if (const char c = text_[i]; (c >= ' ' && c <= '~') || c == '\n') {
                ++i;
                continue;
            }
            const std::size_t length = utf8_length(text_, i);
            if (std::string fault = fault_of_character(text_, i, length); !fault.empty()) {
                throw Stop{locate(text_, i, file_), "", std::move(fault)};
            }
            tails_.insert(tails_.end(), length - 1, characters);
            i += length;
        }
    }

    std::string_view between(const yaml_mark_t& begin, const yaml_mark_t& end) const {
        return text_.substr(offset(begin), offset(end) - offset(begin));
    }
    // The first byte of the character there, 0 at the end.
    char at(const yaml_mark_t& mark) const {
        return offset(mark) < text_.size() ? text_[offset(mark)] : '\0';
    }

    Origin origin(const yaml_mark_t& mark) const {
        Origin origin = file_;
        if (positions_) {
            const std::size_t line = mark.index - mark.column;
            const std::size_t tails = tails_before(mark.index) - tails_before(line);
            origin.line = static_cast<unsigned>(mark.line) + 1;
            origin.column = static_cast<unsigned>(mark.column + tails) + 1;
        }
        return origin;
    }

  private:
    std::size_t offset(const yaml_mark_t& mark) const {
        return mark.index + tails_before(mark.index);
    }
    // Bytes of the characters below `index` beyond their first.
    std::size_t tails_before(std::size_t index) const {
        return static_cast<std::size_t>(std::lower_bound(tails_.begin(), tails_.end(), index) -
                                        tails_.begin());
    }

    std::string_view text_;
    Origin file_;
    bool positions_;
    std::vector<std::size_t> tails_;  // the character each continuation byte belongs to
};

// libyaml's events of a text.
class Events {
  public:
    explicit Events(std::string_view text) {
        if (yaml_parser_initialize(&parser_) == 0) {
            throw std::bad_alloc();
        }
        yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
        const char* const data = text.empty() ? "" : text.data();
        yaml_parser_set_input_string(&parser_, reinterpret_cast<const yaml_char_t*>(data),
                                     text.size());
    }
    Events(const Events&) = delete;
    Events& operator=(const Events&) = delete;
    ~Events() {
        yaml_event_delete(&event_);
        yaml_parser_delete(&parser_);
    }

    // The next event, until the one after it is asked for; nothing when the text is no YAML.
    const yaml_event_t* next() {
        yaml_event_delete(&event_);
        if (yaml_parser_parse(&parser_, &event_) != 0) {
            return &event_;
        }
        if (parser_.error == YAML_MEMORY_ERROR) {
            throw std::bad_alloc();
        }
        return nullptr;
    }

    // Tells why there is no event: `problem` at `problem_mark`, in what began at `context_mark`.
    const yaml_parser_t& parser() const { return parser_; }

  private:
    yaml_parser_t parser_{};
    yaml_event_t event_{};
};

std::string_view view_of(const yaml_char_t* text) {
    return text == nullptr ? std::string_view() : reinterpret_cast<const char*>(text);
}

bool is_null_text(std::string_view plain) {
    return plain.empty() || plain == "~" || plain == "null" || plain == "Null" || plain == "NULL";
}

class TreeBuilder {
  public:
    TreeBuilder(const Text& text, const Origin& file, std::string_view root_path, Diagnostics& diag,
                const Limits& limits)
        : text_(text),
          root_path_(root_path),
          diag_(diag),
          limits_(limits),
          root_(Node::null(file)) {}

    const Node& root() const { return root_; }

    void take(const yaml_event_t& event) {
        const Origin origin = text_.origin(event.start_mark);
        switch (event.type) {
            case YAML_DOCUMENT_START_EVENT:
                start_document(origin);
                break;
            case YAML_ALIAS_EVENT:
                take_alias(view_of(event.data.alias.anchor), origin);
                break;
            case YAML_SCALAR_EVENT:
                take_scalar(event, origin);
                break;
            case YAML_SEQUENCE_START_EVENT:
                open(false, origin, view_of(event.data.sequence_start.tag),
                     view_of(event.data.sequence_start.anchor));
                break;
            case YAML_MAPPING_START_EVENT:
                open(true, origin, view_of(event.data.mapping_start.tag),
                     view_of(event.data.mapping_start.anchor));
                break;
            case YAML_SEQUENCE_END_EVENT:
            case YAML_MAPPING_END_EVENT:
                close();
                break;
            default:
                break;
        }
    }

    std::string path() const {
        std::string out(root_path_);
        for (const Frame& frame : frames_) {
            if (!frame.is_map) {
                out = join_path(out, frame.items.size());
            } else if (frame.have_key) {
                out = join_path(out, frame.key);
            }
        }
        return out;
    }

    bool in_document() const { return in_document_; }

    // The open map or list a syntax error happened in.
    struct Open {
        bool is_map;
        Origin origin;
    };
    std::optional<Open> innermost() const {
        if (frames_.empty()) {
            return std::nullopt;
        }
        return Open{frames_.back().is_map, frames_.back().origin};
    }

  private:
    struct Frame {
        bool is_map = false;
        Origin origin;
        std::string anchor;  // empty: none
        std::vector<Node> items;
        std::vector<MapEntry> entries;
        std::map<std::string, unsigned, std::less<>> seen;  // keys and their lines
        bool have_key = false;
        bool drop_value = false;  // the key was refused
        std::string key;
        Origin key_origin;
    };

    void start_document(const Origin& origin) {
        if (in_document_) {
            throw Stop{origin, "", kSecondDocument};
        }
        in_document_ = true;
    }

    void take_alias(std::string_view name, const Origin& origin) {
        const auto it = anchors_.find(name);
        if (it == anchors_.end()) {
            throw Stop{origin, path(),
                       "alias of " + in_quotes(name) +
                           ", which is not defined, expected an earlier value"};
        }
        if (!it->second) {
            throw Stop{origin, path(),
                       "alias refers to the value it is part of, expected an earlier value"};
        }
        add(*it->second, origin);
    }

    void take_scalar(const yaml_event_t& event, const Origin& origin) {
        const auto& scalar = event.data.scalar;
        const std::string_view tag = view_of(scalar.tag);
        check_tag(tag, origin);
        const std::string_view value(reinterpret_cast<const char*>(scalar.value), scalar.length);
        const bool plain = scalar.style == YAML_PLAIN_SCALAR_STYLE &&
                           (names_a_type(tag) || !is_marked_text(event));
        Node node;
        if (plain && tag.empty() && is_null_text(value)) {
            // An empty value stands where its key stands.
            const bool is_value =
                !frames_.empty() && frames_.back().is_map && frames_.back().have_key;
            node = Node::null(is_value ? frames_.back().key_origin : origin);
        } else {
            node = Node::scalar(std::string(value),
                                plain ? Node::Style::Plain : Node::Style::Quoted, origin);
        }
        define(view_of(scalar.anchor), node);
        add(node, origin);
    }

    // Whether a plain scalar has the tag "!": text, whatever it looks like. libyaml drops that tag.
    bool is_marked_text(const yaml_event_t& event) const {
        constexpr std::string_view kBlanks = " \t\r\n";
        std::string_view rest = text_.between(event.start_mark, event.end_mark);
        if (!rest.empty() && rest.front() == '&') {
            rest.remove_prefix(std::min(rest.find_first_of(kBlanks), rest.size()));
            rest.remove_prefix(std::min(rest.find_first_not_of(kBlanks), rest.size()));
        }
        return !rest.empty() && rest.front() == '!';
    }

    void open(bool is_map, const Origin& origin, std::string_view tag, std::string_view anchor) {
        check_tag(tag, origin);
        if (frames_.size() >= limits_.max_depth) {
            throw Stop{origin, path(),
                       "nested too deep, expected at most " + std::to_string(limits_.max_depth) +
                           " levels"};
        }
        count(1, origin);
        define(anchor, std::nullopt);
        Frame frame;
        frame.is_map = is_map;
        frame.origin = origin;
        frame.anchor = anchor;
        frames_.push_back(std::move(frame));
    }

    void close() {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        const Node node = frame.is_map ? Node::map(std::move(frame.entries), frame.origin)
                                       : Node::sequence(std::move(frame.items), frame.origin);
        define(frame.anchor, node);
        add(node, frame.origin, true);
    }

    void define(std::string_view anchor, std::optional<Node> node) {
        if (!anchor.empty()) {
            anchors_.insert_or_assign(std::string(anchor), std::move(node));
        }
    }

    void count(std::uint64_t nodes, const Origin& origin) {
        if (nodes > limits_.max_nodes - nodes_) {
            throw Stop{origin, path(),
                       "too many values, expected at most " + std::to_string(limits_.max_nodes) +
                           " (aliases count in full)"};
        }
        nodes_ += nodes;
    }

    // Takes a finished node: as the root, as a list item, as a key or as the value of a key.
    // `counted`: its parts have been counted when they were added.
    void add(const Node& node, const Origin& origin, bool counted = false) {
        // A key costs no more than the value that follows it, which is counted.
        const bool is_key = !frames_.empty() && frames_.back().is_map && !frames_.back().have_key;
        if (!counted && !is_key) {
            count(node.weight(), origin);
        }
        if (frames_.empty()) {
            root_ = node;
            return;
        }
        Frame& frame = frames_.back();
        if (!frame.is_map) {
            frame.items.push_back(node);
        } else if (is_key) {
            take_key(node, origin);
        } else {
            if (!frame.drop_value) {
                frame.entries.push_back({std::move(frame.key), frame.key_origin, node});
            }
            frame.have_key = false;
        }
    }

    void take_key(const Node& node, const Origin& origin) {
        Frame& frame = frames_.back();
        const char* const fault = fault_of_key(node);
        if (fault != nullptr) {
            diag_.error(origin, path(), fault);
        }
        frame.have_key = true;
        frame.key_origin = origin;
        frame.key = node.is_scalar() ? node.text() : "?";
        frame.drop_value = fault != nullptr;
        if (fault != nullptr) {
            return;
        }
        if (const auto [it, inserted] = frame.seen.emplace(frame.key, origin.line); !inserted) {
            diag_.error(origin, path(),
                        it->second == 0
                            ? "duplicate key, expected each key once"
                            : "duplicate key, expected each key once (first given at line " +
                                  std::to_string(it->second) + ")");
            frame.drop_value = true;
        }
    }

    static const char* fault_of_key(const Node& node) {
        switch (node.kind()) {
            case Node::Kind::Null:
                return "found a value without a key, expected text as key";
            case Node::Kind::Map:
                return "found a map as key, expected text as key";
            case Node::Kind::Sequence:
                return "found a list as key, expected text as key";
            case Node::Kind::Scalar:
                break;
        }
        return node.style() == Node::Style::Plain && node.text() == "<<"
                   ? "merge key \"<<\" is not supported, expected keys written out or a file "
                     "named by \"base:\""
                   : nullptr;
    }

    static bool names_a_type(std::string_view tag) { return !tag.empty() && tag != "!"; }

    void check_tag(std::string_view tag, const Origin& origin) {
        if (names_a_type(tag)) {
            diag_.error(
                origin, path(),
                "tag " + in_quotes(tag) + " is not supported, expected a value without tag");
        }
    }

    const Text& text_;
    std::string_view root_path_;
    Diagnostics& diag_;
    const Limits& limits_;
    std::vector<Frame> frames_;
    // Nothing for anchors of what is still open.
    std::map<std::string, std::optional<Node>, std::less<>> anchors_;
    Node root_;
    bool in_document_ = false;
    std::uint64_t nodes_ = 0;
};

// libyaml's wording names its own grammar rules; say what the reader of the file can act on.
struct Wording {
    std::string_view problem;  // how libyaml's message begins
    std::string_view at;       // one of these characters is to blame; empty: any
    const char* message;
};
constexpr Wording kWordings[] = {
    {"did not find expected key", ":", "found a value without a key, expected text as key"},
    {"did not find expected key", "",
     "unexpected text in a map, expected \"key: value\" (check indentation and the end of the "
     "previous value)"},
    {"could not find expected ':'", "",
     "text without \":\" in a map, expected \"key: value\" (check indentation and the end of the "
     "previous value)"},
    {"did not find expected '-' indicator", "",
     "unexpected text in a list, expected \"- value\" (check indentation)"},
    {"mapping values are not allowed", "",
     "a \":\" where no key can be (quote text that contains \": \", check indentation)"},
    {"mapping keys are not allowed", "", "a key where none can be (check indentation)"},
    {"block sequence entries are not allowed", "",
     "a \"- \" where no list item can be (check indentation)"},
    {"did not find expected <document start>", "",
     "text behind a directive, expected \"---\" between them"},
    {"did not find expected node content", "",
     "a character that cannot start a value (quote the text)"},
    {"found character that cannot start any token", "\t",
     "a tab in the indentation, expected spaces"},
    {"found character that cannot start any token", "",
     "a character that cannot start a value (quote the text)"},
    {"found a tab character", "", "a tab in the indentation, expected spaces"},
    {"found unexpected ':'", "",
     "a \":\" in text between brackets, expected a space behind it (or quote the text)"},
    {"did not find expected alphabetic or numeric character", "",
     "a character that cannot be in an anchor's name, expected letters, digits, \"-\" or \"_\""},
};

std::string explain(std::string_view problem, char at) {
    for (const Wording& wording : kWordings) {
        if (problem.substr(0, wording.problem.size()) == wording.problem &&
            (wording.at.empty() || wording.at.find(at) != std::string_view::npos)) {
            return wording.message;
        }
    }
    return std::string(problem);
}

// What to say where a map or a list in brackets does not go on.
std::string describe_unclosed(const TreeBuilder::Open& open) {
    std::string message =
        open.is_map ? "expected \",\" or \"}\" in a map" : "expected \",\" or \"]\" in a list";
    if (open.origin.line != 0) {
        message += ", opened at line " + std::to_string(open.origin.line) + " column " +
                   std::to_string(open.origin.column);
    }
    return message;
}

Stop syntax_error(const yaml_parser_t& parser, const Text& text, const TreeBuilder& builder) {
    const std::string_view problem = parser.problem;
    Origin origin = text.origin(parser.problem_mark);
    const Origin begin = text.origin(parser.context_mark);
    const char at = text.at(parser.problem_mark);
    if (problem == "found unexpected end of stream" ||
        problem == "found unexpected document indicator") {
        return {begin, builder.path(),
                "quoted text is not closed, expected the same quote at its end"};
    }
    if (problem == "did not find expected <document start>" && at != ']' && at != '}' &&
        builder.in_document()) {
        return {origin, "", kSecondDocument};
    }
    const std::string syntax = "YAML syntax: ";
    const std::optional<TreeBuilder::Open> open = builder.innermost();
    const bool is_unclosed = problem.find("expected ',' or") != std::string_view::npos ||
                             (problem == "did not find expected node content" && at == '\0');
    if (open && is_unclosed) {
        return {origin, "", syntax + describe_unclosed(*open)};
    }
    if (parser.error == YAML_PARSER_ERROR && (at == ']' || at == '}')) {
        return {origin, "", syntax + "a closing bracket without its opening one"};
    }
    // A key without ":" is found out where the next one begins.
    if (problem == "could not find expected ':'") {
        origin = begin;
    }
    return {origin, "", syntax + explain(problem, at)};
}

std::optional<Node> parse(std::string_view text, const Origin& file, bool positions,
                          std::string_view path, Diagnostics& diag, const Limits& limits) {
    if (text.size() > limits.max_bytes) {
        diag.error(file, path,
                   "text of " + std::to_string(text.size()) + " bytes, expected at most " +
                       std::to_string(limits.max_bytes));
        return std::nullopt;
    }
    if (text.substr(0, 3) == "\uFEFF") {
        text.remove_prefix(3);
    }
    try {
        const Text places(text, file, positions);
        TreeBuilder builder(places, file, path, diag, limits);
        Events events(text);
        for (;;) {
            const yaml_event_t* const event = events.next();
            if (event == nullptr) {
                throw syntax_error(events.parser(), places, builder);
            }
            if (event->type == YAML_STREAM_END_EVENT) {
                return builder.root();
            }
            builder.take(*event);
        }
    } catch (const Stop& stop) {
        diag.error(positions ? stop.origin : file, stop.path.empty() ? path : stop.path,
                   stop.message);
    } catch (const std::exception& e) {
        diag.error(file, path, std::string("YAML syntax: ") + e.what());
    }
    return std::nullopt;
}

}  // namespace

std::optional<Node> parse_text(std::string_view text, const std::string& filename,
                               Diagnostics& diag, const Limits& limits) {
    return parse(text, origin_of(filename), true, "", diag, limits);
}

std::optional<Node> parse_value(std::string_view text, const std::string& name,
                                std::string_view path, Diagnostics& diag, const Limits& limits) {
    return parse(text, origin_of(name), false, path, diag, limits);
}

}  // namespace archipelago::config
