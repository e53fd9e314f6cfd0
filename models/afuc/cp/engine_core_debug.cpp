// SPDX-License-Identifier: Apache-2.0
// What debug registers show of an engine in cycle mode: words that wait for it are at the engine,
// in the channels before it and in its fetch.
#include <algorithm>

#include "models/afuc/cp/engine_core.h"
#include "models/common/error.h"

namespace archipelago::afuc {

std::vector<uint32_t> EngineCore::QueuedHere::with(const std::vector<uint32_t>& fetched) const {
    std::vector<uint32_t> all = words;
    all.insert(all.end(), fetched.begin(), fetched.end());
    all.erase(all.begin(),
              all.begin() + static_cast<std::ptrdiff_t>(std::min<uint64_t>(skip, all.size())));
    return all;
}

// `pushed_by`: what channels have been given up to this cycle.
EngineCore::QueuedHere EngineCore::queued_here(Stream stream, Cycle pushed_by) const {
    QueuedHere here;
    const auto add = [&](const WordBuffer& words) {
        here.words.assign(words.next(), words.next() + words.count);
    };
    if (stream == Stream::Mrb) {
        memory_words_here(here.words);
    } else if (!spec_.fetches_ring) {
        add(state_.from_meq);
        const Cycle ready = pushed_by + queue_in.spec().latency;
        for (size_t i = 0; const uint32_t* word = queue_in.peek(ready, i); ++i)
            here.words.push_back(*word);
    } else if (const std::optional<unsigned> level = level_of(names_, stream)) {
        const LevelWords& l = state_.levels[*level];
        add(l.words);
        const Cycle ready = pushed_by + roq[*level].spec().latency;
        for (size_t i = 0; const front::RoqLine* line = roq[*level].peek(ready, i); ++i)
            here.words.insert(here.words.end(), &line->dwords[line->first],
                              &line->dwords[line->first] + line->count);
        here.skip = l.unsent ? UINT64_MAX : l.skip;
    }
    return here;
}

// What $memdata is to read, up to the first line that has not come.
void EngineCore::memory_words_here(std::vector<uint32_t>& words) const {
    for (unsigned n = 0; n < state_.memory_dwords; ++n) {
        const uint64_t address =
            memory_place(memory_address(), state_.memory_dwords, reads_privileged(), n);
        const LineReader::Slot* const slot = state_.memory.valid(line_of(address));
        if (slot == nullptr)
            return;
        words.push_back(word_in(slot->data, address));
    }
}

std::vector<uint32_t> EngineCore::queued_words(Stream stream) const {
    const std::optional<unsigned> level = level_of(names_, stream);
    return queued_here(stream, now_)
        .with(level && fetched ? fetched(*level) : std::vector<uint32_t>());
}

// Engine and fetch look in the same cycle, before they do anything in it: no word is seen twice, or
// not at all.
void EngineCore::take_debug(Cycle now) {
    if (debug_in.ready(now)) {
        debug_read_ = debug_in.take();
        if (own_ == nullptr && !debug_read_.twin_shows())
            throw MachineStop(StopKind::Unimplemented, spec_.engine.path,
                              std::string("a read of ") + debug_read_.reg->name +
                                  ", which a twin in its place does not show");
        const std::optional<Stream> stream = stream_of(roq_, debug_read_);
        debug_words_ = stream ? queued_here(*stream, now - 1) : QueuedHere();
        if (!fetched)
            to_shown->send(now, Processor::debug_value(debug_read_, debug_words_.words));
    }
    if (fetched_in.ready(now))
        to_shown->send(now,
                       Processor::debug_value(debug_read_, debug_words_.with(fetched_in.take())));
}

}  // namespace archipelago::afuc
