// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_functional.h"

#include <stdexcept>

#include "models/common/archive.h"

namespace archipelago::ctm {

McFunctional::McFunctional(const McSpec& spec, LineMemory& memory) : spec_(spec), memory_(memory) {
    for (const std::string& problem : spec.problems())
        throw std::invalid_argument("ctm.mc: " + problem);
    caches_.reserve(kCaches);
    for (unsigned i = 0; i < kCaches; ++i)
        caches_.emplace_back(spec.caches[i].geometry, to_string(static_cast<CacheId>(i)));
}

void McFunctional::apply(const UnitCommand& command) {
    const CacheEffect effect = ctm::apply(command, registers_);
    Cache& cache = caches_[number_of(effect.cache)];
    if (effect.kind == CacheEffect::Invalidate)
        cache.invalidate();
    else if (effect.kind == CacheEffect::Flush)
        flush(cache);
}

// ---- clients -----------------------------------------------------------------------------------

LocatedQuad McFunctional::locate(const ElementRequest& request) {
    LocatedQuad quad;
    for_each_bit(lanes_asked(request), [&](unsigned lane) {
        const Point index = request.index[lane];
        const AddressResponse found =
            translate(registers_.surfaces, {request.client, index.x, index.y, 0});
        if (found.status != AddressStatus::Ok)
            check_addresses(found.status, {request.client, index}, registers_,
                            spec_.allow_undefined);
        if (request.write && !spec_.allow_undefined)
            check_inside({request.client, index}, registers_);
        quad.add(lane, found, registers_.surfaces[request.client].format);
    });
    return quad;
}

ElementResponse McFunctional::read_elements(const ElementRequest& request) {
    ElementResponse answer;
    answer.lanes = request.lanes;
    answer.tag = request.tag;
    LocatedQuad quad = locate(request);
    Cache& cache = caches_[number_of(cache_of(request.client))];
    Pieces& pieces = quad.pieces;
    while (!pieces.done()) {
        const uint16_t these = pieces.in_line();
        const Origin origin{request.client, request.index[pieces.first() / 4]};
        const uint32_t entry = read(cache, pieces.line(), quad.bytes_of_all(these), origin);
        const Line& line = cache.data(entry);
        for_each_bit(these, [&](unsigned p) { quad.take(p, line, answer); });
        pieces.left = static_cast<uint16_t>(pieces.left & ~these);
    }
    return answer;
}

ElementResponse McFunctional::write_elements(const ElementRequest& request) {
    ElementResponse answer;
    answer.lanes = request.lanes;
    answer.tag = request.tag;
    LocatedQuad quad = locate(request);
    Cache& cache = caches_[number_of(cache_of(request.client))];
    Pieces& pieces = quad.pieces;
    while (!pieces.done()) {
        const uint16_t these = pieces.in_line();
        const Origin origin{request.client, request.index[pieces.first() / 4]};
        const uint32_t line = pieces.line();
        Line bytes;
        const uint64_t mask = quad.put(these, request, registers_, bytes);
        if (request.uncached) {
            cache.forget(line, mask);
            const WriteBack past{line, mask, &bytes, origin};
            if (mask != 0 && !memory_.write_line(line * kLineBytes, bytes, mask))
                refuse_address(origin, true, past.address());
        } else if (mask != 0) {
            const uint32_t entry = claim(cache, line);
            cache.write(entry, bytes, mask, origin);
            cache.touch(entry);
        }
        pieces.left = static_cast<uint16_t>(pieces.left & ~these);
    }
    return answer;
}

WordsResponse McFunctional::words(const WordsRequest& request) {
    WordsResponse answer;
    answer.tag = request.tag;
    const Origin origin{request.client, {request.index, 0}};
    const Point index = LocatedWords::index_of(request);
    const AddressResponse found =
        translate(registers_.surfaces, {request.client, index.x, index.y, 0});
    if (found.status != AddressStatus::Ok)
        check_addresses(found.status, origin, registers_, spec_.allow_undefined);
    LocatedWords words;
    words.set(request, found, registers_.surfaces[request.client].format);
    Cache& cache = caches_[number_of(cache_of(request.client))];
    Pieces& pieces = words.pieces;
    while (!pieces.done()) {
        const uint16_t these = pieces.in_line();
        const uint32_t entry = read(cache, pieces.line(), words.bytes_of_all(these), origin);
        for_each_bit(these, [&](unsigned p) { words.take(p, cache.data(entry), answer); });
        pieces.left = static_cast<uint16_t>(pieces.left & ~these);
    }
    words.finish(request, answer);
    return answer;
}

// ---- caches ------------------------------------------------------------------------------------

uint32_t McFunctional::read(Cache& cache, uint32_t line, uint64_t mask, const Origin& origin) {
    uint32_t entry = cache.find(line);
    if (entry == Cache::kNone || !cache.has(entry, mask)) {
        Line filled;
        if (!memory_.read_line(line * kLineBytes, filled))
            refuse_address(
                origin, false,
                uint64_t{line} * kLineBytes + static_cast<unsigned>(__builtin_ctzll(mask)));
        entry = claim(cache, line);
        cache.fill(entry, filled);
    }
    cache.touch(entry);
    return entry;
}

// The line's entry, taken from another line when it has none.
uint32_t McFunctional::claim(Cache& cache, uint32_t line) {
    uint32_t entry = cache.find(line);
    if (entry != Cache::kNone)
        return entry;
    entry = cache.victim(line);
    write_back(cache, entry);
    cache.replace(entry, line);
    return entry;
}

void McFunctional::write_back(Cache& cache, uint32_t entry) {
    if (!cache.dirty(entry))
        return;
    const WriteBack w = cache.write_back(entry);
    if (!memory_.write_line(w.line * kLineBytes, *w.data, w.mask))
        refuse_address(w.origin, true, w.address());
}

void McFunctional::flush(Cache& cache) {
    for (uint32_t e = cache.next_dirty(0); e < cache.entries(); e = cache.next_dirty(e + 1))
        write_back(cache, e);
    cache.invalidate();
}

void McFunctional::flush_all() {
    for (Cache& cache : caches_)
        flush(cache);
}

void McFunctional::invalidate_all() {
    for (Cache& cache : caches_)
        cache.invalidate();
}

void McFunctional::reset() {
    registers_ = McRegisters();
    invalidate_all();
}

void McFunctional::archive(Archive& a) {
    a(registers_, caches_);
}

}  // namespace archipelago::ctm
