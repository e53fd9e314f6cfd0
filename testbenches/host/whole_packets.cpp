// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/whole_packets.h"

#include <algorithm>

namespace archipelago::host {

std::optional<CutPacket> cut_packet(const front::PacketLanguage& language,
                                    const std::vector<uint32_t>& words) {
    for (size_t at = 0; at < words.size();) {
        const std::optional<front::PacketExtent> packet =
            language.extent(&words[at], words.size() - at);
        if (!packet)
            return {};
        if (packet->dwords > words.size() - at)
            return CutPacket{at, *packet};
        at += packet->dwords;
    }
    return {};
}

size_t whole_packets(const front::PacketLanguage& language, const std::vector<uint32_t>& words,
                     size_t first, size_t piece, size_t room) {
    const size_t rest = words.size() - first;
    size_t done = 0;
    while (done < rest) {
        const std::optional<front::PacketExtent> packet =
            language.extent(&words[first + done], rest - done);
        const uint64_t end =
            packet ? std::min<uint64_t>(done + packet->dwords, rest) : uint64_t{rest};
        if (end > piece)
            return done != 0 ? done : end <= room ? static_cast<size_t>(end) : piece;
        done = static_cast<size_t>(end);
    }
    return done;
}

}  // namespace archipelago::host
