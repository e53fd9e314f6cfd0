// SPDX-License-Identifier: Apache-2.0
#include "models/config/parse.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/yaml.h>

#include <map>
#include <sstream>
#include <tuple>
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

// yaml-cpp takes byte 4 for the end of the input and passes malformed UTF-8 on, so the text is
// checked before it gets there.
void check_characters(std::string_view text, const Origin& file) {
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        if (byte == '\r' && (i + 1 == text.size() || text[i + 1] != '\n')) {
            throw Stop{locate(text, i, file), "",
                       "carriage return without line feed, expected LF or CR LF line ends"};
        }
        if ((byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F) {
            throw Stop{locate(text, i, file), "",
                       "control character " + hex_byte(byte) + ", expected UTF-8 text"};
        }
        const std::size_t length = utf8_length(text, i);
        if (length == 0) {
            throw Stop{locate(text, i, file), "",
                       "byte " + hex_byte(byte) + " is not valid UTF-8, expected UTF-8 text"};
        }
        i += length;
    }
}

class TreeBuilder : public YAML::EventHandler {
  public:
    TreeBuilder(std::string_view text, Origin file, bool positions, std::string root_path,
                Diagnostics& diag, const Limits& limits)
        : text_(text),
          file_(std::move(file)),
          positions_(positions),
          root_path_(std::move(root_path)),
          diag_(diag),
          limits_(limits),
          root_(Node::null(file_)) {}

    Node take_root() { return root_; }

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

    std::string path() const {
        std::string out = root_path_;
        for (const Frame& frame : frames_) {
            if (!frame.is_map) {
                out = join_path(out, frame.items.size());
            } else if (frame.have_key) {
                out = join_path(out, frame.key);
            }
        }
        return out;
    }

    Origin origin_at(const YAML::Mark& mark) const {
        Origin origin = file_;
        if (positions_ && !mark.is_null()) {
            origin.line = static_cast<unsigned>(mark.line) + 1;
            origin.column = static_cast<unsigned>(mark.column) + 1;
        }
        return origin;
    }

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (seen_document_) {
            throw Stop{origin_at(mark), root_path_,
                       "content after the end of the document, expected one YAML document "
                       "(check the indentation of this line)"};
        }
        seen_document_ = true;
    }
    void OnDocumentEnd() override {}

    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        Origin origin = origin_at(mark);
        // The mark of an empty value is that of whatever comes next; point at its key instead.
        if (!frames_.empty()) {
            const Frame& frame = frames_.back();
            if (frame.is_map && frame.have_key) {
                origin = frame.key_origin;
            } else if (!frame.is_map && !is_written_null(mark)) {
                origin = frame.origin;
            }
        }
        add(Node::null(origin), anchor, origin);
    }

    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto it = anchors_.find(anchor);
        if (it == anchors_.end()) {
            throw Stop{origin_at(mark), path(),
                       "alias refers to the value it is part of, expected an earlier value"};
        }
        add(it->second, YAML::NullAnchor, origin_at(mark));
    }

    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        const Origin origin = origin_at(mark);
        check_tag(tag, origin);
        // "?" marks a plain scalar, "!" a quoted or block scalar.
        const Node::Style style = tag == "!" ? Node::Style::Quoted : Node::Style::Plain;
        if (style == Node::Style::Quoted) {
            check_closed_quote(mark, origin);
        }
        add(Node::scalar(value, style, origin), anchor, origin);
    }

    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) override {
        open(false, origin_at(mark), tag, anchor);
    }
    void OnSequenceEnd() override {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        const Origin origin = frame.origin;
        add(Node::sequence(std::move(frame.items), origin), frame.anchor, origin, true);
    }

    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value) override {
        open(true, origin_at(mark), tag, anchor);
    }
    void OnMapEnd() override {
        Frame frame = std::move(frames_.back());
        frames_.pop_back();
        const Origin origin = frame.origin;
        add(Node::map(std::move(frame.entries), origin), frame.anchor, origin, true);
    }

  private:
    struct Frame {
        bool is_map = false;
        Origin origin;
        YAML::anchor_t anchor = YAML::NullAnchor;
        std::vector<Node> items;
        std::vector<MapEntry> entries;
        std::map<std::string, Origin, std::less<>> seen;
        bool have_key = false;
        bool drop_value = false;  // the key was refused
        std::string key;
        Origin key_origin;
    };

    void open(bool is_map, const Origin& origin, const std::string& tag, YAML::anchor_t anchor) {
        check_tag(tag, origin);
        if (frames_.size() >= limits_.max_depth) {
            throw Stop{origin, path(),
                       "nested too deep, expected at most " + std::to_string(limits_.max_depth) +
                           " levels"};
        }
        count(1, origin);
        Frame frame;
        frame.is_map = is_map;
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
        // A key costs no more than the value that follows it, which is counted.
        const bool is_key = !frames_.empty() && frames_.back().is_map && !frames_.back().have_key;
        if (!counted && !is_key) {
            count(node.weight(), origin);
        }
        if (anchor != YAML::NullAnchor) {
            anchors_[anchor] = node;
        }
        if (frames_.empty()) {
            root_ = node;
            return;
        }
        Frame& frame = frames_.back();
        if (!frame.is_map) {
            frame.items.push_back(node);
        } else if (!frame.have_key) {
            take_key(node, origin);
        } else {
            if (!frame.drop_value) {
                frame.entries.push_back({frame.key, frame.key_origin, node});
            }
            frame.have_key = false;
        }
    }

    void take_key(const Node& node, const Origin& origin) {
        Frame& frame = frames_.back();
        const std::string parent = path();
        frame.have_key = true;
        frame.key_origin = origin;
        frame.drop_value = true;
        frame.key = node.text();
        if (!node.is_scalar()) {
            frame.key = "?";
            diag_.error(origin, parent,
                        node.is_null()  ? "found a value without a key, expected text as key"
                        : node.is_map() ? "found a map as key, expected text as key"
                                        : "found a list as key, expected text as key");
        } else if (node.style() == Node::Style::Plain && node.text() == "<<") {
            diag_.error(origin, parent,
                        "merge key \"<<\" is not supported, expected keys written out or a file "
                        "named by \"base:\"");
        } else if (const auto [it, inserted] = frame.seen.emplace(frame.key, origin); !inserted) {
            diag_.error(origin, path(),
                        it->second.line == 0
                            ? "duplicate key, expected each key once"
                            : "duplicate key, expected each key once (first given at line " +
                                  std::to_string(it->second.line) + ")");
        } else {
            frame.drop_value = false;
        }
    }

    void check_tag(const std::string& tag, const Origin& origin) {
        if (!tag.empty() && tag != "?" && tag != "!") {
            diag_.error(
                origin, path(),
                "tag " + in_quotes(tag) + " is not supported, expected a value without tag");
        }
    }

    bool is_written_null(const YAML::Mark& mark) const {
        if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) >= text_.size()) {
            return false;
        }
        const char c = text_[static_cast<std::size_t>(mark.pos)];
        return c == '~' || c == 'n' || c == 'N';
    }

    // yaml-cpp accepts the end of the text as the end of a quoted scalar.
    void check_closed_quote(const YAML::Mark& mark, const Origin& origin) const {
        std::size_t i = mark.pos < 0 ? text_.size() : static_cast<std::size_t>(mark.pos);
        // The mark stands at the first property (&anchor or !tag) when there is one.
        while (i < text_.size() && (text_[i] == '&' || text_[i] == '!')) {
            i = text_.find_first_of(" \t\r\n", i);
            i = text_.find_first_not_of(" \t\r\n", i == std::string_view::npos ? text_.size() : i);
        }
        if (i >= text_.size() || (text_[i] != '"' && text_[i] != '\'')) {
            return;  // a block scalar, or a comment between property and value
        }
        const char quote = text_[i];
        for (++i; i < text_.size(); ++i) {
            if (quote == '"' && text_[i] == '\\') {
                ++i;
            } else if (text_[i] == quote) {
                if (quote == '\'' && i + 1 < text_.size() && text_[i + 1] == '\'') {
                    ++i;
                } else {
                    return;
                }
            }
        }
        throw Stop{origin, path(), "quoted text is not closed, expected the same quote at its end"};
    }

    std::string_view text_;
    Origin file_;
    bool positions_;
    std::string root_path_;
    Diagnostics& diag_;
    const Limits& limits_;
    std::vector<Frame> frames_;
    std::map<YAML::anchor_t, Node> anchors_;
    Node root_;
    bool seen_document_ = false;
    std::uint64_t nodes_ = 0;
};

// yaml-cpp's wording names its own grammar rules; say what the reader of the file can act on.
std::string explain(const std::string& message) {
    static const std::map<std::string, std::string, std::less<>> better{
        {"end of map not found",
         "unexpected text in a map, expected \"key: value\" (check indentation and the end of the "
         "previous value)"},
        {"end of sequence not found",
         "unexpected text in a list, expected \"- value\" (check indentation)"},
        {"end of map flow not found", "expected \",\" or \"}\" in a map"},
        {"end of sequence flow not found", "expected \",\" or \"]\" in a list"},
        {"illegal map value",
         "a \":\" where no key can be (quote text that contains \": \", check indentation)"},
        {"illegal map key", "a key where none can be (check indentation)"},
        {"illegal block entry", "a \"- \" where no list item can be (check indentation)"},
        {"illegal flow end", "a closing bracket without its opening one"},
        {"illegal EOF in scalar", "quoted text is not closed, expected the same quote at its end"},
        {"illegal tab when looking for indentation", "a tab in the indentation, expected spaces"},
        {"unknown token", "a character that cannot start a value (quote the text)"},
        {"bad file", "nested too deep"},
    };
    const auto it = better.find(message);
    return it == better.end() ? message : it->second;
}

std::optional<Node> parse(std::string_view text, const Origin& file, bool positions,
                          std::string_view path, Diagnostics& diag, const Limits& limits) {
    if (text.size() > limits.max_bytes) {
        diag.error(file, path,
                   "text of " + std::to_string(text.size()) + " bytes, expected at most " +
                       std::to_string(limits.max_bytes));
        return std::nullopt;
    }
    if (text.substr(0, 3) == "\xEF\xBB\xBF") {
        text.remove_prefix(3);
    }
    TreeBuilder builder(text, file, positions, std::string(path), diag, limits);
    try {
        check_characters(text, file);
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        // The second call finds content after the document; it never gets further than that.
        for (unsigned document = 0; document < 2; ++document) {
            if (!parser.HandleNextDocument(builder)) {
                break;
            }
        }
        return builder.take_root();
    } catch (const Stop& stop) {
        diag.error(positions ? stop.origin : file, stop.path.empty() ? path : stop.path,
                   stop.message);
    } catch (const YAML::Exception& e) {
        Origin origin = builder.origin_at(e.mark);
        std::string message = "YAML syntax: " + explain(e.msg);
        const std::optional<TreeBuilder::Open> open = builder.innermost();
        if (positions && open && e.msg.find("flow not found") != std::string::npos) {
            // At the end of the text yaml-cpp has no token, and so no position, to blame.
            if (std::tie(origin.line, origin.column) <=
                std::tie(open->origin.line, open->origin.column)) {
                origin = locate(text, text.size(), file);
            }
            message += ", opened at line " + std::to_string(open->origin.line) + " column " +
                       std::to_string(open->origin.column);
        }
        diag.error(origin, path, std::move(message));
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
