// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/msgpack.h"

#include <iterator>
#include <optional>
#include <utility>

#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

using nlohmann::json;

constexpr unsigned kMaxDepth = 16;

// Reads bytes and counts them: nlohmann-json's events carry no offset.
class CountingIterator {
  public:
    using iterator_category = std::input_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = char;

    CountingIterator(const std::vector<uint8_t>& bytes, size_t& at) : bytes_(&bytes), at_(&at) {}

    char operator*() const { return static_cast<char>((*bytes_)[*at_]); }
    CountingIterator& operator++() {
        ++*at_;
        return *this;
    }
    bool operator==(const CountingIterator& end) const { return *at_ == *end.at_; }
    bool operator!=(const CountingIterator& end) const { return *at_ != *end.at_; }

  private:
    const std::vector<uint8_t>* bytes_;
    size_t* at_;
};

// Builds the value from the events of one text, and refuses what metadata does not have.
class Builder {
  public:
    Builder(const std::vector<uint8_t>& bytes, const std::string& where, uint64_t origin)
        : bytes_(bytes), where_(where), origin_(origin) {}

    json read() {
        size_t end = bytes_.size();
        json::sax_parse(CountingIterator(bytes_, at_), CountingIterator(bytes_, end), this,
                        json::input_format_t::msgpack, false);
        if (at_ != bytes_.size())
            fail(at_, "{} bytes after the value", left());
        return std::move(root_);
    }

    // ---- events; each returns whether to go on --------------------------------------------------
    bool null() { return add(nullptr); }
    bool boolean(bool value) { return add(value); }
    bool number_integer(int64_t value) { return add(value); }
    bool number_unsigned(uint64_t value) { return add(value); }
    bool number_float(double value, const std::string&) { return add(value); }
    bool string(std::string& value) { return add(std::move(value)); }
    bool binary(const json::binary_t&) { refuse_value(); }
    bool start_object(size_t count) {
        if (count > left() / 2)
            fail(at_, "a map of {} items, {} bytes are left", count, left());
        return open(json::object());
    }
    bool start_array(size_t count) {
        if (count > left())
            fail(at_, "an array of {} items, {} bytes are left", count, left());
        return open(json::array());
    }
    bool key(const std::string& key) {
        if (open_.back()->contains(key))
            fail(value_at_, "map key '{}' appears twice", key);
        key_ = key;
        value_at_ = at_;
        return true;
    }
    bool end_object() { return close(); }
    bool end_array() { return close(); }
    bool parse_error(size_t, const std::string&, const json::exception&) { refuse_value(); }

  private:
    template <class... Arguments>
    [[noreturn]] void fail(size_t at, fmt::format_string<Arguments...> reason,
                           Arguments&&... arguments) const {
        refuse(fmt::format("{}: msgpack at 0x{:x}", where_, origin_ + at), reason,
               std::forward<Arguments>(arguments)...);
    }

    size_t left() const { return bytes_.size() - at_; }

    json* put(json value) {
        if (open_.size() > kMaxDepth)
            fail(value_at_, "nested deeper than {} levels", kMaxDepth);
        if (open_.empty())
            return &(root_ = std::move(value));
        json& parent = *open_.back();
        if (parent.is_array())
            return &parent.emplace_back(std::move(value));
        json& entry = parent[*key_] = std::move(value);
        key_.reset();
        return &entry;
    }
    bool add(json value) {
        put(std::move(value));
        value_at_ = at_;
        return true;
    }
    bool open(json container) {
        open_.push_back(put(std::move(container)));
        value_at_ = at_;
        return true;
    }
    bool close() {
        open_.pop_back();
        return true;
    }

    // Says why the value at value_at_ is none.
    [[noreturn]] void refuse_value() const;

    const std::vector<uint8_t>& bytes_;
    const std::string& where_;
    uint64_t origin_;
    size_t at_ = 0;        // after what has been read
    size_t value_at_ = 0;  // where the next value or key begins
    json root_;
    std::vector<json*> open_;
    std::optional<std::string> key_;  // of the next value in a map
};

void Builder::refuse_value() const {
    if (open_.size() > kMaxDepth)
        fail(value_at_, "nested deeper than {} levels", kMaxDepth);
    if (value_at_ == bytes_.size())
        fail(value_at_, "cut off where a value should start");
    const uint8_t lead = bytes_[value_at_];
    const bool binary_or_extension =
        lead == 0xc1 || (lead >= 0xc4 && lead <= 0xc9) || (lead >= 0xd4 && lead <= 0xd8);
    if (binary_or_extension)
        fail(value_at_,
             "type byte 0x{:02x} (binary, extension or reserved) has no place in code-object "
             "metadata",
             lead);
    const bool short_string = lead >= 0xa0 && lead <= 0xbf;
    const bool long_string = lead >= 0xd9 && lead <= 0xdb;
    const bool is_key = !open_.empty() && open_.back()->is_object() && !key_;
    if (is_key && !short_string && !long_string)
        fail(value_at_, "a map key that is not a string");
    const size_t begin = value_at_ + 1 + (long_string ? size_t{1} << (lead - 0xd9) : 0);
    if ((!short_string && !long_string) || begin > bytes_.size())
        fail(value_at_ + 1, "cut off inside a number");
    uint64_t size = short_string ? lead & 0x1f : 0;
    for (size_t i = value_at_ + 1; i < begin; ++i)
        size = size << 8 | bytes_[i];
    fail(begin, "a string of {} bytes, {} are left", size, bytes_.size() - begin);
}

}  // namespace

json read_msgpack(const std::vector<uint8_t>& bytes, const std::string& where, uint64_t origin) {
    return Builder(bytes, where, origin).read();
}

}  // namespace archipelago::host
