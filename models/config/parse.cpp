// SPDX-License-Identifier: Apache-2.0
#include "models/config/parse.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "models/config/yaml_text.h"

namespace archipelago::config {
namespace {

constexpr char kAnchorName[] = "a character that cannot be in an anchor's name";
constexpr char kOpenQuote[] = "quoted text is not closed, expected the same quote at its end";
constexpr char kSyntax[] = "YAML syntax: ";
constexpr char kTab[] = "a tab in the indentation, expected spaces";
constexpr char kNoKey[] = "found a value without a key, expected text as key";
constexpr char kNoValue[] = "a character that cannot start a value (quote the text)";
constexpr char kUnexpectedInList[] =
    "unexpected text in a list, expected \"- value\" (check indentation)";
constexpr char kUnexpectedInMap[] =
    "unexpected text in a map, expected \"key: value\" (check indentation and the end of the "
    "previous value)";
constexpr char kKeyAlone[] =
    "text without \":\" in a map, expected \"key: value\" (check indentation and the end of the "
    "previous value)";
constexpr char kSecondDocument[] =
    "content after the end of the document, expected one YAML document (check the indentation of "
    "this line)";

// The words that yaml-cpp reads as a null where they are plain.
constexpr std::string_view kNullWords[] = {"~", "null", "Null", "NULL"};

// Builds the tree of one document from yaml-cpp's events. Refuses what yaml-cpp passes and YAML
// does not have: missing values between commas, tabs as indentation, quoted text that ends with the
// text.
class TreeBuilder : public YAML::EventHandler {
  public:
    TreeBuilder(const YamlText& text, const Origin& file, std::string_view root_path,
                Diagnostics& diag, const Limits& limits)
        : text_(text),
          root_path_(root_path),
          diag_(diag),
          limits_(limits),
          root_(Node::null(file)) {}

    const Node& root() const { return root_; }

    void OnDocumentStart(const YAML::Mark& mark) override {
        const bool marked = text_.line_from(mark).substr(0, 3) == "---";
        if (in_document_) {
            if (closed_list_column_ == mark.column && !marked) {
                throw syntax(mark, has_key_at(mark) ? kUnexpectedInList : kKeyAlone);
            }
            throw Stop{text_.origin(mark), "", kSecondDocument};
        }
        if (text_.has_directive_before(mark) && !marked) {
            throw syntax(mark, "text behind a directive, expected \"---\" between them");
        }
        in_document_ = true;
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        if (text_.at(mark) == '!' && frames_.empty()) {
            const std::string_view tag = text_.from(mark);
            OnScalar(mark, std::string(tag.substr(0, tag.find_first_of(kBlanksAndBreaks))), anchor,
                     "");
            return;
        }
        const bool in_map = !frames_.empty() && frames_.back().is_map;
        const bool is_value = in_map && frames_.back().have_key;
        Origin origin;
        if (anchor != YAML::NullAnchor || is_null_word(mark, in_map && !is_value)) {
            check_indentation(mark);
            check_value_of_key(mark);
            note_key(mark);
            origin = text_.origin(mark);
        } else {
            origin = origin_of_nothing(mark);
        }
        // An empty value stands where its key stands.
        origin = is_value ? frames_.back().key_origin : origin;
        add(Node::null(origin), anchor, origin);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        check_indentation(mark);
        const auto it = anchors_.find(anchor);
        if (it == anchors_.end()) {
            throw Stop{text_.origin(mark), path(),
                       "alias refers to the value it is part of, expected an earlier value"};
        }
        add(it->second, YAML::NullAnchor, text_.origin(mark));
    }

    // The tag is "?" for plain text, "!" for other text and for plain text with the tag "!".
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check_indentation(mark);
        note_key(mark);
        const Origin origin = text_.origin(mark);
        check_tag(tag, origin);
        bool plain = tag == "?";
        if (!plain) {
            const std::size_t begin = text_.content(text_.offset(mark));
            const std::string_view rest = text_.all().substr(begin);
            const char first = rest.empty() ? '\0' : rest.front();
            const bool quoted = first == '"' || first == '\'';
            if (quoted && !is_closed_quote(rest)) {
                throw Stop{text_.origin(begin), path(), kOpenQuote};
            }
            plain = names_a_type(tag) && !quoted && first != '|' && first != '>';
        }
        add(Node::scalar(value, plain ? Node::Style::Plain : Node::Style::Quoted, origin), anchor,
            origin);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value style) override {
        open(false, mark, tag, anchor, style);
    }
    void OnSequenceEnd() override {
        const Frame frame = std::move(frames_.back());
        frames_.pop_back();
        add(Node::sequence(frame.items, frame.origin), frame.anchor, frame.origin, true);
        if (!frame.is_flow) {
            closed_list_column_ = frame.column;
        }
    }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value style) override {
        open(true, mark, tag, anchor, style);
    }
    void OnMapEnd() override {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        add(Node::map(std::move(frame.entries), frame.origin), frame.anchor, frame.origin, true);
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

    // What to say where a map or a list in brackets does not go on.
    std::string describe_unclosed() const {
        const Frame& frame = frames_.back();
        std::string message =
            frame.is_map ? "expected \",\" or \"}\" in a map" : "expected \",\" or \"]\" in a list";
        if (frame.origin.line != 0) {
            message += ", opened at line " + std::to_string(frame.origin.line) + " column " +
                       std::to_string(frame.origin.column);
        }
        return message;
    }
    bool in_brackets() const { return !frames_.empty() && frames_.back().is_flow; }

    // What is wrong with the text at `mark`, which is no key of the open block map.
    const char* fault_in_map(const YAML::Mark& mark) const {
        const char next = text_.at(mark);
        const bool is_item = next == '-' || next == '?';
        if (!is_item && !has_key_at(mark) &&
            (closed_list_column_ == mark.column || frames_.back().column == mark.column)) {
            return kKeyAlone;
        }
        return closed_list_column_ == mark.column ? kUnexpectedInList : kUnexpectedInMap;
    }

  private:
    struct Frame {
        bool is_map = false;
        bool is_flow = false;
        int column = 0;  // of its first token, from 0
        Origin origin;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::size_t key_offset = 0;
        std::vector<Node> items;
        std::vector<MapEntry> entries;
        std::map<std::string, unsigned, std::less<>> seen;  // keys and their lines
        bool have_key = false;
        bool drop_value = false;  // the key was refused
        std::string key;
        Origin key_origin;
    };

    Stop syntax(const YAML::Mark& mark, const char* message) const {
        return {text_.origin(mark), "", kSyntax + std::string(message)};
    }

    bool has_key_at(const YAML::Mark& mark) const {
        const std::string_view line = text_.line_from(mark);
        return line.find(": ") != std::string_view::npos || (!line.empty() && line.back() == ':');
    }

    // Where a node stands that has no text, with the next token at `mark`.
    Origin origin_of_nothing(const YAML::Mark& mark) const {
        if (frames_.empty()) {
            return text_.origin(mark);
        }
        const Frame& frame = frames_.back();
        const char next = text_.at(mark);
        if (next == ',' && !(frame.is_flow && frame.have_key)) {
            throw syntax(mark, kNoValue);
        }
        if (frame.is_map && frame.have_key) {
            check_value_of_key(mark);
            return frame.key_origin;
        }
        if (frame.is_map && next == ':') {
            throw syntax(mark, frame.is_flow ? kNoValue : kNoKey);
        }
        if (frame.is_flow) {
            throw Stop{text_.origin(mark), "", kSyntax + describe_unclosed()};
        }
        return frame.is_map ? text_.origin(mark) : text_.origin(text_.end_of_dash(mark));
    }

    // yaml-cpp passes a key without ":" in the last line of a text, as one without value.
    void check_value_of_key(const YAML::Mark& mark) const {
        if (!frames_.empty() && frames_.back().is_map && frames_.back().have_key &&
            !frames_.back().is_flow && text_.offset(mark) == frames_.back().key_offset) {
            throw syntax(mark, kKeyAlone);
        }
    }

    // Whether a null is written there. Without `key` such a word before ":" is the next key.
    bool is_null_word(const YAML::Mark& mark, bool key) const {
        const std::string_view rest = text_.from(mark);
        return std::any_of(std::begin(kNullWords), std::end(kNullWords), [&](auto word) {
            const char next = rest.size() > word.size() ? rest[word.size()] : ' ';
            return rest.substr(0, word.size()) == word && (key || next != ':');
        });
    }

    // Call before the key at `mark` is added.
    void note_key(const YAML::Mark& mark) {
        if (!frames_.empty() && !frames_.back().have_key) {
            frames_.back().key_offset = text_.offset(mark);
        }
    }

    // yaml-cpp takes tabs for blanks regardless of where they are.
    void check_indentation(const YAML::Mark& mark) const {
        if (mark.column == 0 || (!frames_.empty() && frames_.back().is_flow)) {
            return;
        }
        const std::string_view before = text_.all().substr(0, text_.offset(mark));
        const std::size_t last = before.find_last_not_of(kBlanks);
        const std::size_t begin = last == std::string_view::npos ? 0 : last + 1;
        if (last != std::string_view::npos && before[last] != '\n') {
            return;
        }
        const std::size_t tab = before.find('\t', begin);
        if (tab != std::string_view::npos) {
            throw Stop{text_.origin(tab), "", kSyntax + std::string(kTab)};
        }
    }

    void open(bool is_map, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
              YAML::EmitterStyle::value style) {
        check_indentation(mark);
        const Origin origin = text_.origin(mark);
        check_tag(tag, origin);
        if (frames_.size() >= limits_.max_depth) {
            throw Stop{origin, path(),
                       "nested too deep, expected at most " + std::to_string(limits_.max_depth) +
                           " levels"};
        }
        count(1, origin);
        note_key(mark);
        closed_list_column_ = kNone;
        Frame frame;
        frame.is_map = is_map;
        frame.is_flow = style == YAML::EmitterStyle::Flow || in_brackets();
        frame.column = mark.column;
        frame.origin = origin;
        frame.anchor = anchor;
        frames_.push_back(std::move(frame));
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
    void add(const Node& node, YAML::anchor_t anchor, const Origin& origin, bool counted = false) {
        closed_list_column_ = kNone;
        // A key costs no more than the value that follows it, which is counted.
        const bool is_key = !frames_.empty() && frames_.back().is_map && !frames_.back().have_key;
        if (!counted && !is_key) {
            count(node.weight(), origin);
        }
        if (anchor != YAML::NullAnchor) {
            anchors_.insert_or_assign(anchor, node);
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

    static bool names_a_type(std::string_view tag) {
        return !tag.empty() && tag != "?" && tag != "!";
    }

    void check_tag(std::string_view tag, const Origin& origin) {
        if (names_a_type(tag)) {
            diag_.error(
                origin, path(),
                "tag " + in_quotes(tag) + " is not supported, expected a value without tag");
        }
    }

    static constexpr int kNone = -1;

    const YamlText& text_;
    std::string_view root_path_;
    Diagnostics& diag_;
    const Limits& limits_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, Node> anchors_;  // of finished values
    int closed_list_column_ = kNone;          // of the block list that ended with the last event
    Node root_;
    bool in_document_ = false;
    std::uint64_t nodes_ = 0;
};

// yaml-cpp's wording names its own grammar rules; say what the reader of the file can act on.
struct Wording {
    std::string_view problem;  // how yaml-cpp's message begins
    const char* message;
};
const Wording kWordings[] = {
    {YAML::ErrorMsg::END_OF_SEQ, kUnexpectedInList},
    {YAML::ErrorMsg::MAP_VALUE,
     "a \":\" where no key can be (quote text that contains \": \", check indentation)"},
    {YAML::ErrorMsg::MAP_KEY, "a key where none can be (check indentation)"},
    {YAML::ErrorMsg::BLOCK_ENTRY, "a \"- \" where no list item can be (check indentation)"},
    {YAML::ErrorMsg::UNKNOWN_TOKEN, kNoValue},
    {YAML::ErrorMsg::TAB_IN_INDENTATION, kTab},
    {YAML::ErrorMsg::FLOW_END, "a closing bracket without its opening one"},
    {YAML::ErrorMsg::ANCHOR_NOT_FOUND, kAnchorName},
    {YAML::ErrorMsg::CHAR_IN_ANCHOR, kAnchorName},
    {YAML::ErrorMsg::ALIAS_NOT_FOUND, kAnchorName},
    {YAML::ErrorMsg::CHAR_IN_ALIAS, kAnchorName},
    {YAML::ErrorMsg::INVALID_HEX, "a character that is no hexadecimal digit"},
    {YAML::ErrorMsg::CHAR_IN_BLOCK,
     "text behind the \"|\" or \">\" of a block, expected a comment or the end of the line"},
};

// Passes the events of `text` to `builder`. The second call finds content after the document; the
// builder refuses it.
void run_parser(std::string_view text, TreeBuilder& builder) {
    std::istringstream stream{std::string(text)};
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
}

Stop explain(const YAML::Exception& error, const YamlText& text, const TreeBuilder& builder) {
    const std::string_view problem = error.msg;
    const Origin origin = text.origin(error.mark);
    const auto is = [&](std::string_view message) {
        return problem.substr(0, message.size()) == message;
    };
    if (is(YAML::ErrorMsg::UNKNOWN_ANCHOR)) {
        const std::string_view name = text.from(error.mark).substr(1);
        return {origin, builder.path(),
                "alias of " + in_quotes(name.substr(0, name.find_first_of(" \t\r\n,[]{}"))) +
                    ", which is not defined, expected an earlier value"};
    }
    if (is(YAML::ErrorMsg::END_OF_MAP)) {
        return {origin, "", kSyntax + std::string(builder.fault_in_map(error.mark))};
    }
    if (is(YAML::ErrorMsg::END_OF_MAP_FLOW) || is(YAML::ErrorMsg::END_OF_SEQ_FLOW) ||
        (is(YAML::ErrorMsg::FLOW_END) && builder.in_brackets())) {
        return {origin, "", kSyntax + builder.describe_unclosed()};
    }
    for (const Wording& wording : kWordings) {
        if (is(wording.problem)) {
            return {origin, "", kSyntax + std::string(wording.message)};
        }
    }
    return {origin, "", kSyntax + error.msg};
}

struct Input {
    const Origin& file;
    bool positions;
    std::string_view path;
    Diagnostics& diag;
    const Limits& limits;
};

// yaml-cpp scans ahead of its events, so an error of its scanner hides what is wrong before. Parses
// the text again, up to there: throws the first fault of the two. `events` took what came
// before the error the first time, and reported `errors`.
[[noreturn]] void throw_first_fault(const YAML::Exception& error, const YamlText& text,
                                    const TreeBuilder& events, std::size_t errors,
                                    const Input& input) {
    const std::string before = std::string(text.all().substr(0, text.offset(error.mark))) + "\n";
    const YamlText cut(before, input.file, input.positions);
    Diagnostics again;
    TreeBuilder builder(cut, input.file, input.path, again, input.limits);
    std::optional<Stop> first;
    try {
        run_parser(before, builder);
    } catch (const Stop& stop) {
        first = stop;
    } catch (const YAML::Exception& earlier) {
        if (cut.offset(earlier.mark) + 1 < before.size()) {
            first = explain(earlier, text, builder);
        }
    }
    for (std::size_t i = errors; i < again.all().size(); ++i) {
        const Diagnostic& found = again.all()[i];
        input.diag.error(found.origin, found.path, found.message);
    }
    throw first ? *first : explain(error, text, builder.in_brackets() ? builder : events);
}

Node parse_document(std::string_view text, const Input& input) {
    const YamlText marked(text, input.file, input.positions);
    TreeBuilder builder(marked, input.file, input.path, input.diag, input.limits);
    const std::size_t errors_before = input.diag.error_count();
    try {
        run_parser(text, builder);
    } catch (const YAML::Exception& error) {
        throw_first_fault(error, marked, builder, input.diag.error_count() - errors_before, input);
    }
    return builder.root();
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
        return parse_document(text, {file, positions, path, diag, limits});
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
