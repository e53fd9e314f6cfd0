// SPDX-License-Identifier: Apache-2.0
// How channels and queues take over a message.
#pragma once

namespace archipelago {

// Copies the message. Messages that have more room than they fill bring an overload of their own:
// what they do not carry keeps the value that the place of an earlier message has there.
template <class T>
[[gnu::always_inline]] inline void carry(T& to, const T& from) {
    to = from;
}

}  // namespace archipelago
