// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/step_words.h"

#include <fmt/format.h>

#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <string>
#include <utility>

#include "testbenches/host/code_object/byte_io.h"
#include "testbenches/host/whole_packets.h"

namespace archipelago::host {

StepWords::StepWords(const std::vector<Step>& steps, const std::vector<WorkloadChip::Ring>& rings)
    : steps_(steps), rings_(rings), open_(rings.size()) {
    for (size_t i = 0; i < steps.size(); ++i) {
        const Step& step = steps[i];
        if (const auto* wait = std::get_if<WaitStep>(&step.what)) {
            close(wait->ring, "the fence of " + step.source.to_string());
        } else if (std::holds_alternative<KernelSpec>(step.what)) {
            close(kKernelRing, "the dispatch of " + step.source.to_string());
        } else if (const auto* ring = std::get_if<RingStep>(&step.what)) {
            if (const auto* data = std::get_if<DataSource>(&ring->what))
                add(i, ring->ring, *data);
            else
                close(ring->ring, "the call of the buffer of " + step.source.to_string());
        }
    }
    for (unsigned ring = 0; ring < rings.size(); ++ring)
        close(ring, "the fence at the end of the run");
}

void StepWords::add(size_t number, unsigned ring, const DataSource& data) {
    if (rings_[ring].packets == nullptr)
        return;
    Open& open = open_[ring];
    const size_t before = open.words.size();
    std::vector<uint32_t> words = std::exchange(open.words, {});
    const std::vector<uint32_t> own = load_words(read_bytes(data));
    words.insert(words.end(), own.begin(), own.end());
    const std::optional<CutPacket> cut = cut_packet(*rings_[ring].packets, words);
    if (cut) {
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(cut->first);
        open.words.assign(first, words.end());
        words.erase(first, words.end());
        if (before == 0 || cut->first != 0) {  // not the one the step before ended in
            open.step = number;
            open.dword = cut->first - before;
        }
    }
    if (cut || before != 0)
        changed_[number] = std::move(words);
}

void StepWords::close(unsigned ring, const std::string& by) const {
    const Open& open = open_[ring];
    if (open.words.empty())
        return;
    const front::PacketExtent packet =
        *rings_[ring].packets->extent(open.words.data(), open.words.size());
    throw std::runtime_error(fmt::format(
        "{}: ends inside packet {}, which begins at dword {} of the step: {}{} of its dwords {} "
        "missing, and {} would be taken for them",
        steps_[open.step].source.to_string(), packet.name, open.dword,
        packet.at_least ? "at least " : "", packet.dwords - open.words.size(),
        packet.dwords - open.words.size() == 1 ? "is" : "are", by));
}

std::vector<uint32_t> StepWords::of(size_t number) const {
    const auto changed = changed_.find(number);
    return changed != changed_.end() ? changed->second
                                     : load_words(read_bytes(std::get<DataSource>(
                                           std::get<RingStep>(steps_[number].what).what)));
}

}  // namespace archipelago::host
