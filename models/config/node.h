// SPDX-License-Identifier: Apache-2.0
// The configuration tree: immutable, ordered, and every key and value knows where it was written.
// A Node is a cheap handle (one shared pointer); subtrees are shared between trees, so merging and
// overriding copy only the maps on the way to what changed.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/config/diagnostics.h"

namespace archipelago::config {

struct MapEntry;

class Node {
  public:
    enum class Kind { Null, Scalar, Sequence, Map };
    // Plain scalars may be numbers or truth values; quoted (and block) scalars are always text.
    enum class Style { Plain, Quoted };

    Node();  // null, without origin

    static Node null(Origin origin);
    static Node scalar(std::string text, Style style, Origin origin);
    static Node sequence(std::vector<Node> items, Origin origin);
    // Throws std::invalid_argument when a key occurs twice: a tree never holds duplicates.
    static Node map(std::vector<MapEntry> entries, Origin origin);

    Kind kind() const;
    bool is_null() const { return kind() == Kind::Null; }
    bool is_scalar() const { return kind() == Kind::Scalar; }
    bool is_sequence() const { return kind() == Kind::Sequence; }
    bool is_map() const { return kind() == Kind::Map; }

    const Origin& origin() const;
    const std::string& text() const;                   // empty unless a scalar
    Style style() const;                               // Plain unless a quoted scalar
    const std::vector<Node>& items() const;            // empty unless a sequence
    const std::vector<MapEntry>& entries() const;      // in file order; empty unless a map
    const MapEntry* find(std::string_view key) const;  // nullptr when absent or not a map
    std::vector<std::string> keys() const;

    // Nodes in this tree, aliased subtrees counted regardless of where they appear (saturates).
    std::uint64_t weight() const;

  private:
    struct Data;
    explicit Node(std::shared_ptr<const Data> data);
    std::shared_ptr<const Data> data_;
};

struct MapEntry {
    std::string key;
    Origin key_origin;
    Node value;
};

// Key paths: "cp.pfp.depth", "channels[2].rows". A key that is not made of letters, digits and
// `_-/+` is written in double quotes, so a path never reads two ways.
std::string join_path(std::string_view parent, std::string_view key);
std::string join_path(std::string_view parent, std::size_t index);

// `over` laid on `base`: maps merge key by key, anything else is replaced whole. Keys keep the
// order of the base, new ones follow; every node keeps the origin it was written at.
Node merge(const Node& base, const Node& over);

// One line per leaf: `path: value   # file:line`. Empty maps and lists are leaves.
std::string dump(const Node& root);

// The tree as YAML that reads back as it, without comments. `other` gives the text that stands for
// a scalar, always in quotes; nothing: its own.
using OtherText = std::function<std::optional<std::string>(const Node& scalar)>;
std::string yaml_of(const Node& root, const OtherText& other = {});

// One line per leaf, `path=value`, sorted by path. Depends on meaning and not on spelling: plain
// integers are written in decimal, other plain numbers in shortest form, all text in quotes.
// Quantities are text here: "1 GHz" and "1000 MHz" differ.
std::string canonical(const Node& root);

std::uint64_t fnv1a(std::string_view text);
// 64-bit FNV-1a as 16 lower-case hex digits.
std::string hash_text(std::string_view text);
// That of canonical(root).
std::string config_hash(const Node& root);

}  // namespace archipelago::config
