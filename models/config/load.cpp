// SPDX-License-Identifier: Apache-2.0
#include "models/config/load.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>
#include <variant>

#include "models/common/files.h"
#include "models/config/suggest.h"

namespace archipelago::config {
namespace {

namespace fs = std::filesystem;

std::optional<Node> load_at(const std::string& path, const Origin& where, std::string_view key,
                            Diagnostics& diag, const Limits& limits) {
    std::error_code ec;
    if (path.find('\0') != std::string::npos || (!fs::exists(path, ec) && !ec)) {
        diag.error(where, key, "file " + in_quotes(path) + " does not exist, expected a YAML file");
        return std::nullopt;
    }
    if (fs::is_directory(path, ec)) {
        diag.error(where, key, in_quotes(path) + " is a directory, expected a YAML file");
        return std::nullopt;
    }
    std::string text;
    try {
        // Bounded also for files whose size is not known beforehand (pipes, devices).
        text = read_file(path, limits.max_bytes);
    } catch (const FileError& error) {
        diag.error(where, key,
                   "file " + in_quotes(path) + " cannot be read (" + error.reason() +
                       "), expected a YAML file");
        return std::nullopt;
    }
    diag.add_file(path);
    if (text.size() > limits.max_bytes) {
        diag.error(where, key,
                   "file " + in_quotes(path) + " is too large, expected at most " +
                       std::to_string(limits.max_bytes) + " bytes");
        return std::nullopt;
    }
    return parse_text(text, path, diag, limits);
}

class BaseLoader {
  public:
    BaseLoader(Diagnostics& diag, const Limits& limits) : diag_(diag), limits_(limits) {}

    std::optional<Node> load(const std::string& path, const Origin& where, std::string_view key) {
        const std::string identity = identity_of(path);
        const auto on_chain = std::find_if(chain_.begin(), chain_.end(), [&](const Link& link) {
            return link.identity == identity;
        });
        if (on_chain != chain_.end()) {
            std::string names;
            for (auto it = on_chain; it != chain_.end(); ++it) {
                names += it->name + " -> ";
            }
            diag_.error(where, key,
                        "files inherit from each other in a cycle: " + names + on_chain->name +
                            ", expected a chain that ends");
            return std::nullopt;
        }
        if (const auto it = loaded_.find(identity); it != loaded_.end()) {
            return it->second;  // a base shared by two bases, read once; errors are already out
        }
        if (chain_.size() >= kMaxBaseDepth || loaded_.size() >= kMaxBaseFiles) {
            diag_.error(where, key,
                        "too many base files, expected a chain of at most " +
                            std::to_string(kMaxBaseDepth) + " and at most " +
                            std::to_string(kMaxBaseFiles) + " files in all");
            return std::nullopt;
        }
        chain_.push_back({identity, path});
        std::optional<Node> node = load_at(path, where, key, diag_, limits_);
        if (node) {
            node = resolve(path, *node);
        }
        chain_.pop_back();
        loaded_.emplace(identity, node);
        return node;
    }

  private:
    struct Link {
        std::string identity;
        std::string name;
    };

    static std::string identity_of(const std::string& path) {
        std::error_code ec;
        const fs::path canonical = fs::weakly_canonical(path, ec);
        return ec ? path : canonical.string();
    }

    std::optional<Node> resolve(const std::string& path, const Node& own) {
        if (!own.is_map()) {
            diag_.error(own.origin().file ? own.origin() : origin_of(path), "",
                        own.is_null() ? "the file is empty, expected a map at the top level"
                                      : "expected a map at the top level");
            return std::nullopt;
        }
        const MapEntry* base = own.find("base");
        if (base == nullptr) {
            return own;
        }
        std::vector<Node> names;
        if (base->value.is_sequence()) {
            names = base->value.items();
        } else {
            names.push_back(base->value);
        }
        if (names.empty()) {
            diag_.error(base->value.origin(), "base",
                        "the list is empty, expected at least one file name");
        }
        Node merged = Node::map({}, own.origin());
        bool complete = !names.empty();
        for (const Node& name : names) {
            if (!name.is_scalar() || name.text().empty()) {
                diag_.error(name.origin(), "base", "expected a file name or a list of file names");
                complete = false;
                continue;
            }
            const fs::path file = (fs::path(path).parent_path() / name.text()).lexically_normal();
            const std::optional<Node> tree = load(file.string(), name.origin(), "base");
            complete = complete && tree.has_value();
            if (tree) {
                merged = merge(merged, *tree);
            }
        }
        std::vector<MapEntry> rest;
        for (const MapEntry& entry : own.entries()) {
            if (entry.key != "base") {
                rest.push_back(entry);
            }
        }
        merged = merge(merged, Node::map(std::move(rest), own.origin()));
        if (merged.weight() > limits_.max_nodes) {
            diag_.error(own.origin(), "base",
                        "too many values with all base files, expected at most " +
                            std::to_string(limits_.max_nodes));
            return std::nullopt;
        }
        // Without one of its bases a file would drown in missing keys.
        return complete ? std::optional<Node>(merged) : std::nullopt;
    }

    Diagnostics& diag_;
    const Limits& limits_;
    std::vector<Link> chain_;
    std::map<std::string, std::optional<Node>> loaded_;
};

using Step = std::variant<std::string, std::size_t>;  // a key or an index

// "a.b[2].\"x.y\"" into steps; `end` is set after the path. Nothing when malformed.
std::optional<std::vector<Step>> parse_path(std::string_view text, std::size_t& end) {
    std::vector<Step> steps;
    std::size_t i = 0;
    bool want_key = true;
    while (i < text.size() && text[i] != '=') {
        if (text[i] == '[' && !want_key) {
            std::size_t index = 0;
            const std::size_t from = ++i;
            while (i < text.size() && text[i] >= '0' && text[i] <= '9' && i - from < 9) {
                index = index * 10 + static_cast<std::size_t>(text[i] - '0');
                ++i;
            }
            if (i == from || i >= text.size() || text[i] != ']') {
                return std::nullopt;
            }
            ++i;
            steps.emplace_back(index);
        } else if (text[i] == '.' && !want_key) {
            ++i;
            want_key = true;
        } else if (text[i] == '"' && want_key) {
            std::string key;
            for (++i; i < text.size() && text[i] != '"'; ++i) {
                if (text[i] == '\\' && i + 1 < text.size()) {
                    ++i;
                }
                key += text[i];
            }
            if (i >= text.size()) {
                return std::nullopt;
            }
            ++i;
            steps.emplace_back(std::move(key));
            want_key = false;
        } else if (want_key) {
            const std::size_t stop = std::min(text.find_first_of(".[=\"", i), text.size());
            if (stop == i) {
                return std::nullopt;
            }
            steps.emplace_back(std::string(text.substr(i, stop - i)));
            i = stop;
            want_key = false;
        } else {
            return std::nullopt;
        }
    }
    end = i;
    if (want_key || i >= text.size()) {
        return std::nullopt;
    }
    return steps;
}

class Override {
  public:
    Override(const std::vector<Step>& steps, Node value, OverridePath policy, Origin origin,
             Diagnostics& diag)
        : steps_(steps),
          value_(std::move(value)),
          policy_(policy),
          origin_(std::move(origin)),
          diag_(diag) {}

    std::optional<Node> apply(const Node& node, std::size_t at, const std::string& path) const {
        if (at == steps_.size()) {
            return value_;
        }
        if (const auto* index = std::get_if<std::size_t>(&steps_[at])) {
            return apply_index(node, at, *index, path);
        }
        return apply_key(node, at, std::get<std::string>(steps_[at]), path);
    }

  private:
    std::optional<Node> apply_index(const Node& node, std::size_t at, std::size_t index,
                                    const std::string& path) const {
        const std::string here = join_path(path, index);
        if (!node.is_sequence()) {
            diag_.error(origin_, here,
                        in_quotes(path) + " is not a list, expected a path in the tree");
            return std::nullopt;
        }
        if (index >= node.items().size()) {
            diag_.error(
                origin_, here,
                "no such element, expected an index below " + std::to_string(node.items().size()));
            return std::nullopt;
        }
        const std::optional<Node> changed = apply(node.items()[index], at + 1, here);
        if (!changed) {
            return std::nullopt;
        }
        std::vector<Node> items = node.items();
        items[index] = *changed;
        return Node::sequence(std::move(items), node.origin());
    }

    std::optional<Node> apply_key(const Node& node, std::size_t at, const std::string& key,
                                  const std::string& path) const {
        const std::string here = join_path(path, key);
        if (!node.is_map()) {
            diag_.error(origin_, here,
                        in_quotes(path) + " is not a map, expected a path in the tree");
            return std::nullopt;
        }
        const bool known = node.find(key) != nullptr;
        const bool last = at + 1 == steps_.size();
        if (!known && !(last && policy_ == OverridePath::NewLeaf)) {
            const std::vector<std::string> keys = node.keys();
            diag_.error(origin_, here,
                        "unknown key, expected " +
                            (keys.empty() ? std::string("nothing: the map is empty")
                                          : "one of: " + join_names(keys)) +
                            did_you_mean(key, keys));
            return std::nullopt;
        }
        const std::optional<Node> changed =
            apply(known ? node.find(key)->value : Node(), at + 1, here);
        if (!changed) {
            return std::nullopt;
        }
        std::vector<MapEntry> entries = node.entries();
        const auto it = std::find_if(entries.begin(), entries.end(),
                                     [&](const MapEntry& entry) { return entry.key == key; });
        if (it == entries.end()) {
            entries.push_back({key, origin_, *changed});
        } else {
            if (last) {
                it->key_origin = origin_;
            }
            it->value = *changed;
        }
        return Node::map(std::move(entries), node.origin());
    }

    const std::vector<Step>& steps_;
    Node value_;
    OverridePath policy_;
    Origin origin_;
    Diagnostics& diag_;
};

}  // namespace

std::optional<Node> load_file(const std::string& path, Diagnostics& diag, const Limits& limits) {
    return load_at(path, origin_of(path), "", diag, limits);
}

std::optional<Node> load_with_bases(const std::string& path, Diagnostics& diag,
                                    const Limits& limits) {
    return BaseLoader(diag, limits).load(path, origin_of(path), "");
}

Node apply_override(const Node& root, std::string_view assignment, Diagnostics& diag,
                    OverridePath policy, const Limits& limits) {
    const Origin origin = origin_of(kOverrideOrigin);
    std::size_t end = 0;
    const std::optional<std::vector<Step>> steps = parse_path(assignment, end);
    if (!steps) {
        diag.error(origin, "", in_quotes(assignment) + " is malformed, expected path.to.key=value");
        return root;
    }
    const std::string path(assignment.substr(0, end));
    if (steps->size() > limits.max_depth) {
        diag.error(origin, printable(path),
                   "the path is too long, expected at most " + std::to_string(limits.max_depth) +
                       " parts");
        return root;
    }
    const std::size_t errors_before = diag.error_count();
    const std::optional<Node> value =
        parse_value(assignment.substr(end + 1), kOverrideOrigin, path, diag, limits);
    if (!value || diag.error_count() != errors_before) {
        return root;
    }
    if (value->is_null()) {
        diag.error(origin, path, "no value given, expected path.to.key=value");
        return root;
    }
    return Override(*steps, *value, policy, origin, diag).apply(root, 0, "").value_or(root);
}

}  // namespace archipelago::config
