// SPDX-License-Identifier: Apache-2.0
// The members of a struct, one after the other, without a list of them that could be forgotten.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace archipelago {

constexpr size_t kMaxFields = 96;  // CMakeLists.txt writes so many cases

namespace fields {

// Converts to the type of the member.
struct Any {
    template <class T>
    operator T() const;  // NOLINT: implicit on purpose; never defined
};
template <size_t>
using AnyAt = Any;

template <class T, class Indices, class = void>
struct TakesSoMany : std::false_type {};
template <class T, size_t... I>
struct TakesSoMany<T, std::index_sequence<I...>, std::void_t<decltype(T{AnyAt<I>{}...})>>
    : std::true_type {};

// Counts the members of an aggregate: the largest number of values that can initialise it. A
// smaller number may be refused, when a member that it leaves out cannot be initialised with {}.
template <class T, size_t N = 1, bool Fewer = false>
constexpr size_t count_of_aggregate() {
    constexpr bool takes = TakesSoMany<T, std::make_index_sequence<N>>::value;
    if constexpr (Fewer && !takes) {
        return N - 1;
    } else {
        static_assert(N <= kMaxFields, "its members cannot be counted: say kFields");
        return count_of_aggregate<T, N + 1, takes>();
    }
}

template <class T, class = void>
struct Declared : std::false_type {};
template <class T>
struct Declared<T, std::void_t<decltype(T::kFields)>> : std::true_type {};

}  // namespace fields

// A struct that is no aggregate (it has a constructor), or has an optional among its members, says
// how many there are as `static constexpr size_t kFields`. A wrong number does not compile.
template <class T>
constexpr size_t field_count() {
    if constexpr (fields::Declared<T>::value)
        return T::kFields;
    else if constexpr (std::is_empty_v<T>)
        return 0;
    else {
        static_assert(std::is_aggregate_v<T>, "say how many fields it has: kFields");
        return fields::count_of_aggregate<T>();
    }
}

// Calls visit(members...) with references to all of them.
template <class T, class Visit>
void with_fields(T& object, Visit&& visit) {
    constexpr size_t count = field_count<T>();
    static_assert(count <= kMaxFields, "a struct of more members: raise kMaxFields");
    if constexpr (count == 0)
        static_cast<void>(object);
#include "models/common/field_bindings.inc"
}

}  // namespace archipelago
