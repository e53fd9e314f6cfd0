// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_functional.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "models/common/archive.h"

namespace archipelago::ctm {
namespace {

QuadLanes lanes_of(const QuadWords& words) {
    QuadLanes lanes;
    std::memcpy(lanes.data(), &words, sizeof lanes);
    return lanes;
}
bool same(const QuadWords& a, const QuadWords& b) {
    const QuadWords differ = a ^ b;
    std::array<uint64_t, 2> half;
    std::memcpy(half.data(), &differ, sizeof half);
    return (half[0] | half[1]) == 0;
}

// Index pairs of a quad, x in the low half. A lane that wants nothing reads what another one does.
QuadWords points_of(const Point* index, unsigned lanes) {
    static_assert(sizeof(Point) == sizeof(uint32_t));
    QuadWords points;
    std::memcpy(&points, index, sizeof points);
    if (lanes != 0xf)
        for_each_bit(0xf & ~lanes, [&](unsigned l) { points[l] = points[__builtin_ctz(lanes)]; });
    return points;
}
Point point_of(uint32_t words) {
    return {static_cast<uint16_t>(words), static_cast<uint16_t>(words >> 16)};
}

}  // namespace

McFunctional::McFunctional(const McSpec& spec, LineMemory& memory) : spec_(spec), memory_(memory) {
    for (const std::string& problem : spec.problems())
        throw std::invalid_argument("ctm.mc: " + problem);
    caches_.reserve(kCaches);
    for (unsigned i = 0; i < kCaches; ++i)
        caches_.emplace_back(spec.caches[i].geometry, to_string(static_cast<CacheId>(i)));
}

void McFunctional::apply(const UnitCommand& command) {
    const CacheEffect effect = ctm::apply(with_own_format(command), registers_);
    Cache& cache = caches_[number_of(effect.cache)];
    if (effect.kind == CacheEffect::Invalidate)
        cache.invalidate();
    else if (effect.kind == CacheEffect::Flush)
        flush(cache);
}

// ---- clients -----------------------------------------------------------------------------------

LocatedQuad McFunctional::locate(const ElementRequest& request) {
    LocatedQuad quad;
    const Translator translator(registers_.surfaces, request.client);
    for_each_bit(lanes_asked(request), [&](unsigned lane) {
        const Point index = request.index[lane];
        const AddressResponse found = translator.of(index.x, index.y);
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
        quad.take(these, line, answer);
        pieces.left = static_cast<uint16_t>(pieces.left & ~these);
    }
    return answer;
}

// The entries of the lines of a quad, each looked up and touched once, in their order, as Pieces
// has them. False when one of them is not there; then nothing has been touched.
bool McFunctional::find_quad(Cache& cache, const QuadLanes& line, QuadLanes& entry) {
    const auto there = [&](unsigned l) {
        entry[l] = cache.find(line[l]);
        return entry[l] != Cache::kNone && cache.has(entry[l], ~uint64_t{0});
    };
    if (!there(0))
        return false;
    // Mostly one line, or two rows of one each: without these lines `archipelago_ctm_speed lookups`
    // takes 8 % longer in functional mode.
    if (line[0] == line[1] && line[2] == line[3]) {
        entry[1] = entry[2] = entry[3] = entry[0];
        if (line[0] != line[2]) {
            if (!there(2))
                return false;
            entry[3] = entry[2];
            cache.touch(entry[0]);
        }
        cache.touch(entry[2]);
        return true;
    }
    if (!there(1) || !there(2) || !there(3))
        return false;
    cache.touch_all(entry);
    return true;
}

// Where lines have to be read, of which a later one may take an earlier one's place.
template <Format F>
void McFunctional::read_quad(Cache& cache, uint8_t client, const QuadLanes& point,
                             const QuadLanes& address, QuadElements& value) {
    constexpr unsigned kBytesEach = 1u << format_info(F).log2_bytes;
    unsigned left = 0xf;
    while (left != 0) {
        const auto oldest = static_cast<unsigned>(__builtin_ctz(left));
        const uint32_t line = line_number(address[oldest]);
        unsigned these = 0;
        uint64_t mask = 0;
        for_each_bit(left, [&](unsigned l) {
            if (line_number(address[l]) == line) {
                these |= 1u << l;
                mask |= bytes_in_line(address[l], kBytesEach);
            }
        });
        left &= ~these;
        const Line& data = cache.data(read(cache, line, mask, {client, point_of(point[oldest])}));
        for_each_bit(these,
                     [&](unsigned l) { value[l] = unpack_as<F>(&data[address[l] % kLineBytes]); });
    }
}

// Most quads are in the lines of the one before, which are there and the last that were touched:
// `archipelago_ctm_speed matmul` is 9 % faster in functional mode for not looking them up again.
template <Format F>
void McFunctional::read_lanes_as(const Translator& translator, uint8_t client, isa::LaneMask lanes,
                                 const Point* index, isa::Register& to) {
    const QuadWords none = ~QuadWords{};
    Cache& cache = caches_[number_of(cache_of(client))];
    QuadWords found = none;
    QuadLanes entry{};  // of those
    for (unsigned first = 0; lanes >> first != 0; first += 4) {
        const unsigned wanted = lanes >> first & 0xf;
        if (wanted == 0)
            continue;
        const QuadWords points = points_of(index + first, wanted);
        const QuadWords at =
            translator.addresses<format_info(F).log2_bytes>(points & 0xffff, points >> 16);
        const QuadLanes address = lanes_of(at);
        const QuadWords lines = at / kLineBytes;
        QuadElements value;
        if (!same(lines, found))
            found = find_quad(cache, lanes_of(lines), entry) ? lines : none;
        if (same(found, none)) {
            read_quad<F>(cache, client, lanes_of(points), address, value);
        } else {
            for (unsigned l = 0; l < value.size(); ++l)
                value[l] = unpack_as<F>(&cache.data(entry[l])[address[l] % kLineBytes]);
        }
        put_quad(value, first, to);
    }
}

void McFunctional::read_superfine(uint8_t client, isa::LaneMask lanes, const Point* index,
                                  isa::Register& to) {
    ElementRequest request;
    request.client = client;
    for (unsigned first = 0; lanes >> first != 0; first += 4) {
        request.lanes = static_cast<uint8_t>(lanes >> first & 0xf);
        std::copy_n(index + first, 4, request.index.begin());
        const ElementResponse quad = read_elements(request);
        put_quad(quad.value, first, to);
    }
}

void McFunctional::read_lanes(uint8_t client, isa::LaneMask lanes, const Point* index,
                              isa::Register& to) {
    if (lanes == 0)
        return;
    const Translator translator(registers_.surfaces, client);
    if (translator.superfine())
        return read_superfine(client, lanes, index, to);
    if (translator.status() != AddressStatus::Ok)
        check_addresses(translator.status(), {client, index[__builtin_ctzll(lanes)]}, registers_,
                        spec_.allow_undefined);
    const auto as = [&](auto format) {
        read_lanes_as<decltype(format)::value>(translator, client, lanes, index, to);
    };
    with_format(registers_.surfaces[client].format, as);
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
    words.set(request, found);
    Cache& cache = caches_[number_of(cache_of(request.client))];
    Pieces& pieces = words.pieces;
    while (!pieces.done()) {
        const uint16_t these = pieces.in_line();
        const uint32_t entry = read(cache, pieces.line(), words.bytes_of_all(these), origin);
        words.take(these, cache.data(entry), answer);
        pieces.left = static_cast<uint16_t>(pieces.left & ~these);
    }
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
        if (entry == Cache::kNone) {
            entry = give_up(cache, line);
            cache.replace(entry, line, filled);
        } else {
            cache.fill(entry, filled);
        }
    }
    cache.touch(entry);
    return entry;
}

// The line's entry, taken from another line when it has none.
uint32_t McFunctional::claim(Cache& cache, uint32_t line) {
    uint32_t entry = cache.find(line);
    if (entry != Cache::kNone)
        return entry;
    entry = give_up(cache, line);
    cache.replace(entry, line);
    return entry;
}

// Of a line that is not there: the entry whose line goes, memory having its bytes.
uint32_t McFunctional::give_up(Cache& cache, uint32_t line) {
    const uint32_t entry = cache.victim(line);
    write_back(cache, entry);
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
