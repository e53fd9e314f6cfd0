// SPDX-License-Identifier: Apache-2.0
#include "models/config/reader.h"

#include <algorithm>

#include "models/config/expectation.h"
#include "models/config/load.h"
#include "models/config/suggest.h"

namespace archipelago::config {

Reader::Reader(Node node, Diagnostics& diag, std::string path, Records* records)
    : Reader(std::move(node), std::move(path), {&diag, records}) {}

Reader::Reader(Node node, std::string path, const detail::Context& context)
    : node_(std::move(node)),
      path_(std::move(path)),
      context_(context),
      errors_before_(context.diag->error_count()) {
    if (!node_.is_map()) {
        context_.diag->error(node_.origin(), path_, "got " + describe(node_) + ", expected a map");
        void_ = true;
    }
}

Reader::Reader(Void, Diagnostics& diag, std::string path, Records* records)
    : path_(std::move(path)), context_{&diag, records}, void_(true) {}

Reader Reader::void_reader(Diagnostics& diag, std::string path, Records* records) {
    return Reader(Void{}, diag, std::move(path), records);
}

Reader::Reader(Reader&& other) noexcept
    : node_(std::move(other.node_)),
      path_(std::move(other.path_)),
      context_(other.context_),
      known_(std::move(other.known_)),
      known_set_(std::move(other.known_set_)),
      errors_before_(other.errors_before_),
      missing_choice_(std::move(other.missing_choice_)),
      void_(other.void_),
      finished_(std::exchange(other.finished_, true)) {}

Reader::~Reader() {
    finish();
}

void Reader::know(std::string_view key) {
    if (known_set_.find(key) == known_set_.end()) {
        known_set_.emplace(key);
        known_.emplace_back(key);
    }
}

std::optional<Value> Reader::find(std::string_view key) {
    know(key);
    const MapEntry* entry = void_ ? nullptr : node_.find(key);
    if (entry == nullptr) {
        return std::nullopt;
    }
    return Value(entry->value, join_path(path_, key), context_);
}

bool Reader::has(std::string_view key) {
    return find(key).has_value();
}

void Reader::ignore(std::string_view key) {
    know(key);
}

std::optional<Value> Reader::need(std::string_view key, std::string_view expected) {
    std::optional<Value> value = find(key);
    if (!value && !void_) {
        context_.diag->error(node_.origin(), join_path(path_, key),
                             "required key is missing, expected " + std::string(expected));
    }
    return value;
}

std::uint64_t Reader::required_quantity(std::string_view key, Unit unit,
                                        const Bounds<std::uint64_t>& bounds, std::string_view doc,
                                        BareNumber bare) {
    return read_required<std::uint64_t>(
        key, bounds.min, quantity_expectation(unit, bounds, bare),
        [&](const Value& v) { return v.quantity(unit, bounds, bare, doc); });
}

std::uint64_t Reader::optional_quantity(std::string_view key, Unit unit, std::uint64_t fallback,
                                        const Bounds<std::uint64_t>& bounds, std::string_view doc,
                                        BareNumber bare) {
    const std::optional<Value> value = find(key);
    if (!value) {
        record_default(key, quantity_expectation(unit, bounds, bare),
                       quantity_to_string(fallback, unit), doc);
        return fallback;
    }
    return value->quantity(unit, bounds, bare, doc).value_or(fallback);
}

std::optional<std::uint64_t> Reader::maybe_quantity(std::string_view key, Unit unit,
                                                    const Bounds<std::uint64_t>& bounds,
                                                    std::string_view doc, BareNumber bare) {
    const std::optional<Value> value = find(key);
    return value ? value->quantity(unit, bounds, bare, doc) : std::nullopt;
}

std::optional<std::size_t> Reader::read_name(std::string_view key,
                                             const std::vector<std::string>& names, bool required,
                                             const std::string& fallback, std::string_view doc) {
    const std::string expected = "one of: " + join_names(names);
    const std::optional<Value> value = required ? need(key, expected) : find(key);
    if (!value) {
        if (!required) {
            record_default(key, expected, fallback, doc);
        }
        return std::nullopt;
    }
    return value->one_of_names(names, {}, doc);
}

std::string Reader::reference(std::string_view key, std::string_view what,
                              const std::vector<std::string>& names, std::string_view doc) {
    if (!need(key, "the name of a " + std::string(what))) {
        return std::string();
    }
    return maybe_reference(key, what, names, doc).value_or("");
}

std::optional<std::string> Reader::maybe_reference(std::string_view key, std::string_view what,
                                                   const std::vector<std::string>& names,
                                                   std::string_view doc) {
    const std::optional<Value> value = find(key);
    if (!value) {
        return std::nullopt;
    }
    const std::string noun(what);
    const std::string expected = names.empty()
                                     ? "the name of a " + noun + ", of which there are none"
                                     : "the name of a " + noun + ": " + join_names(names);
    const std::optional<std::size_t> index = value->one_of_names(names, expected, doc);
    return index ? names[*index] : std::string();
}

unsigned Reader::timing(std::string_view key, const Bounds<unsigned>& bounds,
                        std::string_view doc) {
    return read_required<unsigned>(key, bounds.min, timing_expectation(context_.clock_hz),
                                   [&](const Value& v) { return v.timing(bounds, doc); });
}

std::optional<unsigned> Reader::maybe_timing(std::string_view key, const Bounds<unsigned>& bounds,
                                             std::string_view doc) {
    const std::optional<Value> value = find(key);
    return value ? value->timing(bounds, doc) : std::nullopt;
}

Reader Reader::map(std::string_view key) {
    const std::optional<Value> value = need(key, "a map");
    return value ? value->map()
                 : void_reader(*context_.diag, join_path(path_, key), context_.records);
}

std::optional<Reader> Reader::optional_map(std::string_view key) {
    const std::optional<Value> value = find(key);
    return value ? std::optional<Reader>(value->map()) : std::nullopt;
}

std::vector<std::pair<std::string, Reader>> Reader::named_maps(std::string_view key) {
    std::vector<std::pair<std::string, Reader>> out;
    const std::optional<Value> value = need(key, "a map of maps");
    if (!value) {
        return out;
    }
    Reader outer = value->map();
    for (const std::string& name : outer.keys()) {
        out.emplace_back(name, outer.map(name));
    }
    return out;
}

std::vector<Reader> Reader::maps(std::string_view key, const Count& count) {
    need(key, "a list of maps");
    return optional_maps(key, count);
}

std::vector<Reader> Reader::optional_maps(std::string_view key, const Count& count) {
    std::vector<Reader> out;
    for (const Value& value : optional_items(key, count)) {
        out.push_back(value.map());
    }
    return out;
}

std::vector<Value> Reader::items(std::string_view key, const Count& count) {
    need(key, "a list");
    return optional_items(key, count);
}

std::vector<Value> Reader::optional_items(std::string_view key, const Count& count) {
    const std::optional<Value> value = find(key);
    return value ? value->items(count) : std::vector<Value>();
}

std::string Reader::choose(std::initializer_list<std::string_view> keys, bool required) {
    std::vector<std::string> names;
    std::vector<std::string> present;
    for (const std::string_view key : keys) {
        names.emplace_back(key);
        if (has(key)) {
            present.emplace_back(key);
        }
    }
    if (void_) {
        return std::string();
    }
    const std::string expected =
        std::string(required ? "exactly one of: " : "at most one of: ") + join_names(names);
    if (present.empty() && required && !missing_choice_) {
        missing_choice_ = names;
    }
    for (std::size_t i = 1; i < present.size(); ++i) {
        const MapEntry* entry = node_.find(present[i]);
        context_.diag->error(entry->key_origin, join_path(path_, present[i]),
                             "conflicts with \"" + present[0] + "\", expected " + expected);
    }
    return present.size() == 1 ? present[0] : std::string();
}

std::string Reader::one_of(std::initializer_list<std::string_view> keys) {
    return choose(keys, true);
}

std::string Reader::at_most_one_of(std::initializer_list<std::string_view> keys) {
    return choose(keys, false);
}

void Reader::error(std::string_view key, std::string message) {
    if (void_) {
        return;
    }
    const MapEntry* entry = node_.find(key);
    context_.diag->error(entry == nullptr ? node_.origin() : entry->value.origin(),
                         join_path(path_, key), std::move(message));
}

void Reader::error(std::string message) {
    if (void_) {
        return;
    }
    context_.diag->error(node_.origin(), path_, std::move(message));
}

namespace {

// The value at "a.b" of a map; null: there is none.
const Node* value_at(const Node& map, std::string_view path) {
    const Node* node = &map;
    for (std::size_t at = 0; node != nullptr && at <= path.size();) {
        const std::size_t end = std::min(path.find('.', at), path.size());
        const MapEntry* entry = node->is_map() ? node->find(path.substr(at, end - at)) : nullptr;
        node = entry != nullptr ? &entry->value : nullptr;
        at = end + 1;
    }
    return node;
}

// The keys that a message names, with their values, in its order.
std::vector<std::pair<std::string, const Node*>> values_named(const Node& map,
                                                              std::string_view message) {
    constexpr std::string_view kOfKeys = "abcdefghijklmnopqrstuvwxyz0123456789_.";
    std::vector<std::pair<std::string, const Node*>> values;
    for (std::size_t at = 0; at < message.size();) {
        const std::size_t end = std::min(message.find_first_not_of(kOfKeys, at), message.size());
        const std::string_view word = message.substr(at, end - at);
        const Node* value = word.empty() ? nullptr : value_at(map, word);
        if (value != nullptr)
            values.emplace_back(word, value);
        at = std::max(end, at + 1);
    }
    return values;
}

}  // namespace

void Reader::conflict(const std::string& message, std::string_view under) {
    if (void_)
        return;
    const Node* map = under.empty() ? &node_ : value_at(node_, under);
    const std::string path = under.empty() ? path_ : join_path(path_, under);
    if (map == nullptr)
        return context_.diag->error(node_.origin(), path, message);
    // A map that files and their bases have has the place of the last of them.
    const auto rank = [&](const Node& value) {
        return value.origin().file_name() == kOverrideOrigin ? 2
               : value.origin().same_file(map->origin())     ? 1
                                                             : 0;
    };
    const auto values = values_named(*map, message);
    const auto last = std::max_element(
        values.begin(), values.end(),
        [&](const auto& a, const auto& b) { return rank(*a.second) < rank(*b.second); });
    if (last == values.end())
        return context_.diag->error(map->origin(), path, message);
    std::string text = message;
    for (const auto& [key, value] : values)
        if (!value->origin().same_file(last->second->origin()))
            text += "; " + key + (value->is_scalar() ? " is " + value->text() + ", " : " is ") +
                    "at " + value->origin().to_string();
    context_.diag->error(last->second->origin(), path, std::move(text));
}

bool Reader::check(bool holds, std::string_view key, std::string message) {
    if (!holds) {
        error(key, std::move(message));
    }
    return holds;
}

void Reader::record_default(std::string_view key, std::string expected, std::string value,
                            std::string_view doc) {
    if (context_.records != nullptr && !void_) {
        context_.records->fields.add({join_path(path_, key), std::move(expected), std::move(value),
                                      Origin(), true, std::string(doc)});
    }
}

void Reader::report_missing_choice() {
    if (!missing_choice_)
        return;
    const std::vector<std::string>& choice = *missing_choice_;
    const bool misspelt =
        std::any_of(node_.entries().begin(), node_.entries().end(), [&](const MapEntry& entry) {
            const std::optional<std::string> meant =
                known_set_.count(entry.key) == 0 ? closest(entry.key, known_) : std::nullopt;
            return meant && std::find(choice.begin(), choice.end(), *meant) != choice.end();
        });
    if (!misspelt)
        error("none of the possible keys is present, expected exactly one of: " +
              join_names(choice));
}

void Reader::finish() {
    if (finished_ || void_) {
        return;
    }
    finished_ = true;
    report_missing_choice();
    for (const MapEntry& entry : node_.entries()) {
        if (known_set_.find(entry.key) == known_set_.end()) {
            if (context_.diag->is_full()) {
                // Only counted from here on: not worth a search for the nearest name.
                context_.diag->error(entry.key_origin, path_, "unknown key");
                continue;
            }
            context_.diag->error(entry.key_origin, join_path(path_, entry.key),
                                 "unknown key, expected " +
                                     (known_.empty() ? std::string("an empty map")
                                                     : "one of: " + join_names(known_)) +
                                     did_you_mean(entry.key, known_));
        }
    }
}

}  // namespace archipelago::config
