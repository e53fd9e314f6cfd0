// SPDX-License-Identifier: Apache-2.0
// What a machine holds, written into a file and read back: one walk over the blocks for both ways.
// A block says what it holds by `void archive(Archive& a) { a(state_, turn_); }`; structs of plain
// members say nothing, fields.h finds them. Format and rules: README.md.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/common/fields.h"

namespace archipelago {

// What is wrong with a file, and where.
class ArchiveError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class Archive {
  public:
    // Writes; bytes() is the file once all blocks have been visited.
    Archive() = default;
    // Reads `bytes`, which messages call `file`. Throws ArchiveError for what is not a whole and
    // undamaged archive of this version of the format.
    Archive(std::string bytes, std::string file);

    bool saving() const { return saving_; }
    std::string bytes() const;
    // An archive whose blocks were changed on purpose, with checksums that fit again: for tests.
    static std::string sealed(std::string bytes);

    // Visits what `name` holds, by visit(). Throws ArchiveError when, writing, there has been one
    // of that name, and when, reading, the archive has no such block or it holds something else.
    template <class Visit>
    void block(const std::string& name, const Visit& visit) {
        begin_block(name);
        visit();
        end_block();
    }
    bool has(const std::string& name) const { return saving_ || blocks_.count(name) != 0; }
    // Blocks that the archive has and that nobody has visited. Reading only.
    std::vector<std::string> unvisited() const;

    // Visits the fields, in order.
    template <class... T>
    void operator()(T&... fields) {
        (field(fields), ...);
    }
    // For what is empty in a fresh block and in a block at rest, and so is not in the file. Throws
    // MachineStop(Unimplemented) with block and `what` when `holds` is false: a checkpoint is for a
    // machine at rest.
    void at_rest(bool holds, const std::string& what) const;

  private:
    template <class T, class = void>
    struct Archives : std::false_type {};
    template <class T>
    struct Archives<T, std::void_t<decltype(std::declval<T&>().archive(std::declval<Archive&>()))>>
        : std::true_type {};
    template <class T>
    static constexpr bool kPlain = (std::is_arithmetic_v<T> ||
                                    std::is_enum_v<T>)&&!std::is_same_v<T, bool>;

    template <class T>
    void field(T& value) {
        if constexpr (Archives<T>::value) {
            value.archive(*this);
        } else if constexpr (kPlain<T>) {
            plain(&value, 1);
        } else {
            static_assert(std::is_class_v<T>, "State holds values and indices, no pointers");
            with_fields(value, [this](auto&... fields) { (*this)(fields...); });
        }
    }
    void field(bool& value) {
        auto byte = static_cast<uint8_t>(value ? 1 : 0);
        plain(&byte, 1);
        value = byte != 0;
    }
    // A pointer to constants that work in flight uses: a block at rest has none, so reading clears
    // it.
    template <class T>
    void field(const T*& row) {
        if (!saving_)
            row = nullptr;
    }
    template <class T>
    void field(std::shared_ptr<const T>& row) {
        if (!saving_)
            row = nullptr;
    }
    template <class T, size_t N>
    void field(std::array<T, N>& array) {
        elements(array.data(), N);
    }
    template <class T, size_t N>
    void field(T (&array)[N]) {
        elements(array, N);
    }
    template <class T, class A>
    void field(std::vector<T, A>& vector) {
        resize(vector);
        elements(vector.data(), vector.size());
    }
    template <class T>
    void field(std::deque<T>& deque) {
        resize(deque);
        for (T& element : deque)
            field(element);
    }
    template <class K, class V>
    void field(std::map<K, V>& map) {
        uint64_t count = map.size();
        size(count);
        if (saving_) {
            for (auto& [key, value] : map) {
                K copy = key;
                (*this)(copy, value);
            }
            return;
        }
        map.clear();
        for (; count != 0; --count) {
            std::pair<K, V> entry{};
            (*this)(entry.first, entry.second);
            map.insert(std::move(entry));
        }
    }
    template <class A, class B>
    void field(std::pair<A, B>& pair) {
        (*this)(pair.first, pair.second);
    }
    template <class T>
    void field(std::optional<T>& optional) {
        bool there = optional.has_value();
        field(there);
        if (!there)
            optional.reset();
        else if (!optional)
            optional.emplace();
        if (there)
            field(*optional);
    }
    // Not null exactly where it is not in a fresh block of the same Spec.
    template <class T>
    void field(std::unique_ptr<T>& owned) {
        if (owned)
            field(*owned);
    }
    void field(std::string& text);

    template <class T>
    void elements(T* first, size_t count) {
        if constexpr (kPlain<T>) {
            plain(first, count);
        } else {
            for (size_t i = 0; i < count; ++i)
                field(first[i]);
        }
    }
    // Reading: takes the size from the file. A container that is not empty in a fresh block has its
    // size from the Spec, and must keep it.
    template <class Container>
    void resize(Container& container) {
        uint64_t count = container.size();
        const uint64_t fresh = count;
        size(count);
        if (saving_ || count == fresh)
            return;
        if constexpr (std::is_default_constructible_v<typename Container::value_type>) {
            if (fresh == 0)
                return container.resize(static_cast<size_t>(count));
        }
        refuse_size(fresh, count);
    }
    template <class T>
    void plain(T* values, size_t count) {
        static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "archives are little-endian");
        transfer(values, sizeof(T), count);
    }

    void begin_block(const std::string& name);
    void end_block();
    void size(uint64_t& count);
    void transfer(void* values, size_t size, size_t count);
    // Part of the block's shape, which is compared when it has been read.
    void note(uint64_t kind) { shape_ = (shape_ ^ kind) * 0x100000001b3u; }
    [[noreturn]] void refuse(const std::string& why) const;
    [[noreturn]] void refuse_size(uint64_t fresh, uint64_t saved) const;

    struct Block {
        size_t first = 0, end = 0;  // of its bytes in bytes_
        uint64_t shape = 0;
        bool visited = false;
    };

    bool saving_ = true;
    std::string file_ = "checkpoint";
    std::string bytes_;
    std::map<std::string, Block> blocks_;  // read; writing, their names alone count
    std::string block_;                    // being visited
    size_t begin_ = 0, at_ = 0, end_ = 0;
    uint64_t shape_ = 0;
    uint64_t fields_ = 0;  // of the block, so far
};

}  // namespace archipelago
