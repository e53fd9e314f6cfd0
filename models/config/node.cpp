// SPDX-License-Identifier: Apache-2.0
#include "models/config/node.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>
#include <variant>

#include "models/config/scalar.h"

namespace archipelago::config {
namespace {

struct MapBody {
    std::vector<MapEntry> entries;
    std::vector<std::uint32_t> by_key;  // indices into entries, sorted by key
};

std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
    std::uint64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::uint64_t>::max() : sum;
}

bool is_bare_key(std::string_view key) {
    return !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_' || c == '-' || c == '/' || c == '+';
    });
}

// Unlike in_quotes(), never shortens: paths and canonical texts must stay distinct.
std::string escaped(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte == 0x7F) {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string canonical_scalar(const Node& node) {
    if (node.style() == Node::Style::Plain) {
        switch (classify(node.text())) {
            case ScalarType::Boolean:
                return node.text();
            case ScalarType::Integer: {
                const IntegerText parsed = parse_integer(node.text());
                if (parsed.status == IntegerText::Status::Ok) {
                    return integer_to_string(parsed.negative, parsed.magnitude);
                }
                return node.text();
            }
            case ScalarType::Float: {
                double value = 0;
                return parse_real(node.text(), value) == RealStatus::Ok ? real_to_string(value)
                                                                        : node.text();
            }
            case ScalarType::Text:
                break;
        }
    }
    return escaped(node.text());
}

// Calls leaf(path, node) for every leaf in order.
template <class Leaf>
void for_each_leaf(const Node& node, const std::string& path, const Leaf& leaf) {
    if (node.is_map() && !node.entries().empty()) {
        for (const MapEntry& entry : node.entries()) {
            for_each_leaf(entry.value, join_path(path, entry.key), leaf);
        }
    } else if (node.is_sequence() && !node.items().empty()) {
        for (std::size_t i = 0; i < node.items().size(); ++i) {
            for_each_leaf(node.items()[i], join_path(path, i), leaf);
        }
    } else {
        leaf(path, node);
    }
}

std::string leaf_text(const Node& node) {
    switch (node.kind()) {
        case Node::Kind::Null:
            return "null";
        case Node::Kind::Sequence:
            return "[]";
        case Node::Kind::Map:
            return "{}";
        case Node::Kind::Scalar:
            break;
    }
    return std::string();
}

class YamlWriter {
  public:
    YamlWriter(std::string& out, const OtherText& other) : out_(out), other_(other) {}

    void document(const Node& root) {
        if (is_leaf(root))
            out_ += text_of(root) + '\n';
        else
            block(root, 0);
    }

  private:
    static bool is_leaf(const Node& node) {
        return node.is_null() || node.is_scalar() ||
               (node.items().empty() && node.entries().empty());
    }
    // Numbers and words, which stand side by side.
    static bool is_row(const Node& node) {
        return node.is_sequence() &&
               std::all_of(node.items().begin(), node.items().end(), [](const Node& item) {
                   return item.is_scalar() && item.style() == Node::Style::Plain &&
                          is_bare_key(item.text());
               });
    }
    std::string text_of(const Node& leaf) const {
        if (!leaf.is_scalar())
            return leaf.is_null() ? "null" : leaf.is_map() ? "{}" : "[]";
        if (const auto text = other_ ? other_(leaf) : std::nullopt)
            return escaped(*text);
        const bool plain = leaf.style() == Node::Style::Plain && !leaf.text().empty() &&
                           leaf.text().find('\n') == std::string::npos;
        return plain ? leaf.text() : escaped(leaf.text());
    }
    void block(const Node& node, std::size_t depth) {
        const std::string margin(2 * depth, ' ');
        for (const MapEntry& entry : node.entries())
            value(margin + (is_bare_key(entry.key) ? entry.key : escaped(entry.key)) + ':',
                  entry.value, depth);
        for (const Node& item : node.items())
            value(margin + '-', item, depth);
    }
    void value(const std::string& head, const Node& node, std::size_t depth) {
        out_ += head;
        if (is_leaf(node)) {
            out_ += ' ' + text_of(node) + '\n';
        } else if (is_row(node)) {
            const char* before = " [";
            for (const Node& item : node.items()) {
                out_ += before + text_of(item);
                before = ", ";
            }
            out_ += "]\n";
        } else {
            out_ += '\n';
            block(node, depth + 1);
        }
    }

    std::string& out_;
    const OtherText& other_;
};

}  // namespace

struct Node::Data {
    Kind kind = Kind::Null;
    Style style = Style::Plain;
    Origin origin;
    std::uint64_t weight = 1;
    std::variant<std::string, std::vector<Node>, MapBody> body;
};

Node::Node() : data_(nullptr) {}
Node::Node(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

Node Node::null(Origin origin) {
    auto data = std::make_shared<Data>();
    data->origin = std::move(origin);
    return Node(std::move(data));
}

Node Node::scalar(std::string text, Style style, Origin origin) {
    auto data = std::make_shared<Data>();
    data->kind = Kind::Scalar;
    data->style = style;
    data->origin = std::move(origin);
    data->body = std::move(text);
    return Node(std::move(data));
}

Node Node::sequence(std::vector<Node> items, Origin origin) {
    auto data = std::make_shared<Data>();
    data->kind = Kind::Sequence;
    data->origin = std::move(origin);
    for (const Node& item : items) {
        data->weight = saturating_add(data->weight, item.weight());
    }
    data->body = std::move(items);
    return Node(std::move(data));
}

Node Node::map(std::vector<MapEntry> entries, Origin origin) {
    auto data = std::make_shared<Data>();
    data->kind = Kind::Map;
    data->origin = std::move(origin);
    MapBody body;
    body.entries = std::move(entries);
    body.by_key.resize(body.entries.size());
    for (std::size_t i = 0; i < body.entries.size(); ++i) {
        body.by_key[i] = static_cast<std::uint32_t>(i);
        data->weight = saturating_add(data->weight, body.entries[i].value.weight());
    }
    std::sort(body.by_key.begin(), body.by_key.end(), [&](std::uint32_t a, std::uint32_t b) {
        return body.entries[a].key < body.entries[b].key;
    });
    for (std::size_t i = 1; i < body.by_key.size(); ++i) {
        if (body.entries[body.by_key[i - 1]].key == body.entries[body.by_key[i]].key) {
            throw std::invalid_argument("config::Node::map: duplicate key " +
                                        in_quotes(body.entries[body.by_key[i]].key));
        }
    }
    data->body = std::move(body);
    return Node(std::move(data));
}

Node::Kind Node::kind() const {
    return data_ ? data_->kind : Kind::Null;
}

const Origin& Node::origin() const {
    static const Origin none;
    return data_ ? data_->origin : none;
}

const std::string& Node::text() const {
    static const std::string none;
    return is_scalar() ? std::get<std::string>(data_->body) : none;
}

Node::Style Node::style() const {
    return data_ ? data_->style : Style::Plain;
}

const std::vector<Node>& Node::items() const {
    static const std::vector<Node> none;
    return is_sequence() ? std::get<std::vector<Node>>(data_->body) : none;
}

const std::vector<MapEntry>& Node::entries() const {
    static const std::vector<MapEntry> none;
    return is_map() ? std::get<MapBody>(data_->body).entries : none;
}

const MapEntry* Node::find(std::string_view key) const {
    if (!is_map()) {
        return nullptr;
    }
    const MapBody& body = std::get<MapBody>(data_->body);
    const auto it = std::lower_bound(
        body.by_key.begin(), body.by_key.end(), key,
        [&](std::uint32_t index, std::string_view k) { return body.entries[index].key < k; });
    if (it == body.by_key.end() || body.entries[*it].key != key) {
        return nullptr;
    }
    return &body.entries[*it];
}

std::vector<std::string> Node::keys() const {
    std::vector<std::string> out;
    for (const MapEntry& entry : entries()) {
        out.push_back(entry.key);
    }
    return out;
}

std::uint64_t Node::weight() const {
    return data_ ? data_->weight : 1;
}

std::string join_path(std::string_view parent, std::string_view key) {
    std::string out(parent);
    if (!out.empty()) {
        out += '.';
    }
    return out + (is_bare_key(key) ? std::string(key) : escaped(key));
}

std::string join_path(std::string_view parent, std::size_t index) {
    return std::string(parent) + '[' + std::to_string(index) + ']';
}

Node merge(const Node& base, const Node& over) {
    if (!base.is_map() || !over.is_map()) {
        return over;
    }
    std::vector<MapEntry> entries;
    entries.reserve(base.entries().size() + over.entries().size());
    for (const MapEntry& entry : base.entries()) {
        if (const MapEntry* own = over.find(entry.key)) {
            entries.push_back({own->key, own->key_origin, merge(entry.value, own->value)});
        } else {
            entries.push_back(entry);
        }
    }
    for (const MapEntry& entry : over.entries()) {
        if (base.find(entry.key) == nullptr) {
            entries.push_back(entry);
        }
    }
    return Node::map(std::move(entries), over.origin());
}

std::string dump(const Node& root) {
    std::string out;
    for_each_leaf(root, std::string(), [&](const std::string& path, const Node& leaf) {
        // A folded plain scalar may hold line breaks; a dump has one line per leaf.
        const bool bare =
            leaf.style() == Node::Style::Plain && leaf.text().find('\n') == std::string::npos;
        const std::string value =
            leaf.is_scalar() ? (bare ? leaf.text() : escaped(leaf.text())) : leaf_text(leaf);
        out += path + (path.empty() ? "" : ": ") + value + "   # " + leaf.origin().short_string() +
               '\n';
    });
    return out;
}

std::string yaml_of(const Node& root, const OtherText& other) {
    std::string out;
    YamlWriter(out, other).document(root);
    return out;
}

std::string canonical(const Node& root) {
    std::vector<std::pair<std::string, std::string>> lines;
    for_each_leaf(root, std::string(), [&](const std::string& path, const Node& leaf) {
        lines.emplace_back(path, leaf.is_scalar() ? canonical_scalar(leaf) : leaf_text(leaf));
    });
    std::sort(lines.begin(), lines.end());
    std::string out;
    for (const auto& [path, value] : lines) {
        out.append(path).append(1, '=').append(value).append(1, '\n');
    }
    return out;
}

std::uint64_t fnv1a(std::string_view text) {
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
    return hash;
}

std::string hash_text(std::string_view text) {
    constexpr char kHex[] = "0123456789abcdef";
    const std::uint64_t hash = fnv1a(text);
    std::string out(16, '0');
    for (unsigned i = 0; i < 16; ++i) {
        out[i] = kHex[(hash >> (60 - 4 * i)) & 15];
    }
    return out;
}

std::string config_hash(const Node& root) {
    return hash_text(canonical(root));
}

}  // namespace archipelago::config
