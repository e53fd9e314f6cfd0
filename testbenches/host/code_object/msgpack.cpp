// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/msgpack.h"

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

using nlohmann::json;

constexpr unsigned kMaxDepth = 16;

class Reader {
  public:
    Reader(const std::vector<uint8_t>& bytes, const std::string& where, uint64_t origin)
        : bytes_(bytes), where_(where), origin_(origin) {}

    json read() {
        json value = read_value(0);
        if (at_ != bytes_.size())
            fail(at_, "{} bytes after the value", bytes_.size() - at_);
        return value;
    }

  private:
    template <class... Arguments>
    [[noreturn]] void fail(size_t at, fmt::format_string<Arguments...> reason,
                           Arguments&&... arguments) const {
        refuse(fmt::format("{}: msgpack at 0x{:x}", where_, origin_ + at), reason,
               std::forward<Arguments>(arguments)...);
    }

    size_t left() const { return bytes_.size() - at_; }

    uint64_t big_endian(unsigned size) {
        if (left() < size)
            fail(at_, "cut off inside a number");
        uint64_t value = 0;
        for (unsigned i = 0; i < size; ++i)
            value = value << 8 | bytes_[at_++];
        return value;
    }

    std::string string(uint64_t size) {
        if (left() < size)
            fail(at_, "a string of {} bytes, {} are left", size, left());
        std::string text(bytes_.begin() + static_cast<ptrdiff_t>(at_),
                         bytes_.begin() + static_cast<ptrdiff_t>(at_ + size));
        at_ += size;
        return text;
    }

    json array(uint64_t count, unsigned depth) {
        if (count > left())
            fail(at_, "an array of {} items, {} bytes are left", count, left());
        json items = json::array();
        for (uint64_t i = 0; i < count; ++i)
            items.push_back(read_value(depth + 1));
        return items;
    }

    json map(uint64_t count, unsigned depth) {
        if (count > left() / 2)
            fail(at_, "a map of {} items, {} bytes are left", count, left());
        json items = json::object();
        for (uint64_t i = 0; i < count; ++i) {
            const size_t key_at = at_;
            const json key = read_value(depth + 1);
            if (!key.is_string())
                fail(key_at, "a map key that is not a string");
            if (items.contains(key.get<std::string>()))
                fail(key_at, "map key '{}' appears twice", key.get<std::string>());
            items[key.get<std::string>()] = read_value(depth + 1);
        }
        return items;
    }

    json floating(unsigned size) {
        const uint64_t bits = big_endian(size);
        if (size == 4)
            return bit_cast<float>(static_cast<uint32_t>(bits));
        return bit_cast<double>(bits);
    }

    json signed_number(unsigned size) {
        const unsigned unused = 64 - 8 * size;
        const auto value = static_cast<int64_t>(big_endian(size) << unused) >> unused;
        return value;
    }

    json read_value(unsigned depth) {
        if (depth > kMaxDepth)
            fail(at_, "nested deeper than {} levels", kMaxDepth);
        const size_t start = at_;
        if (left() == 0)
            fail(at_, "cut off where a value should start");
        const uint8_t lead = bytes_[at_++];
        if (lead <= 0x7f)
            return static_cast<uint64_t>(lead);
        if (lead <= 0x8f)
            return map(lead & 0xf, depth);
        if (lead <= 0x9f)
            return array(lead & 0xf, depth);
        if (lead <= 0xbf)
            return string(lead & 0x1f);
        if (lead >= 0xe0)
            return static_cast<int64_t>(static_cast<int8_t>(lead));
        switch (lead) {
            case 0xc0:
                return nullptr;
            case 0xc2:
                return false;
            case 0xc3:
                return true;
            case 0xca:
                return floating(4);
            case 0xcb:
                return floating(8);
            case 0xcc:
            case 0xcd:
            case 0xce:
            case 0xcf:
                return big_endian(1u << (lead - 0xcc));
            case 0xd0:
            case 0xd1:
            case 0xd2:
            case 0xd3:
                return signed_number(1u << (lead - 0xd0));
            case 0xd9:
            case 0xda:
            case 0xdb:
                return string(big_endian(1u << (lead - 0xd9)));
            case 0xdc:
            case 0xdd:
                return array(big_endian(2u << (lead - 0xdc)), depth);
            case 0xde:
            case 0xdf:
                return map(big_endian(2u << (lead - 0xde)), depth);
            default:
                fail(start,
                     "type byte 0x{:02x} (binary, extension or reserved) has no place in "
                     "code-object metadata",
                     lead);
        }
    }

    const std::vector<uint8_t>& bytes_;
    const std::string& where_;
    uint64_t origin_;
    size_t at_ = 0;
};

}  // namespace

json read_msgpack(const std::vector<uint8_t>& bytes, const std::string& where, uint64_t origin) {
    return Reader(bytes, where, origin).read();
}

}  // namespace archipelago::host
