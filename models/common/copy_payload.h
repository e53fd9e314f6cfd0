// SPDX-License-Identifier: Apache-2.0
// How channels and queues copy a message into a slot.
#pragma once

namespace archipelago {

// Copies the message. A message type with optional payload has an overload that copies the payload
// in use only; the rest of the slot keeps what an earlier message left there.
template <class T>
[[gnu::always_inline]] inline void copy_payload(T& to, const T& from) {
    to = from;
}

}  // namespace archipelago
