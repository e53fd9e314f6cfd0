// SPDX-License-Identifier: Apache-2.0
// Where the words that go into a ring may be cut: between packets. Both stop at a word that begins
// no packet; what is after it is the machine's to judge.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/front/text/packet_language.h"

namespace archipelago::host {

// A packet that begins at words[first] and ends after them.
struct CutPacket {
    size_t first = 0;
    front::PacketExtent packet;
};
std::optional<CutPacket> cut_packet(const front::PacketLanguage& language,
                                    const std::vector<uint32_t>& words);

// How many dwords from words[first] on go into a ring at once: whole packets of up to `piece`
// dwords in all; one packet where it alone is longer and the ring, of `room` dwords, holds it; and
// `piece` of what the ring never holds. `first` is the place of a packet in the words.
size_t whole_packets(const front::PacketLanguage& language, const std::vector<uint32_t>& words,
                     size_t first, size_t piece, size_t room);

}  // namespace archipelago::host
