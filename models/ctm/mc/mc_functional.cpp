// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_functional.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <type_traits>

#include "models/common/archive.h"

namespace archipelago::ctm {
namespace {

template <Format F>
using Known = std::integral_constant<Format, F>;

// Elements of lanes `first` to `first` + 3 by channel.
void put_quad(const std::array<Channels, 4>& value, unsigned first, isa::Register& to) {
    using Four = uint32_t __attribute__((vector_size(16)));
    std::array<Four, 4> v;
    std::memcpy(v.data(), value.data(), sizeof v);
    const Four low01 = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const Four low23 = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const Four high01 = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const Four high23 = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
    for (unsigned c = 0; c < isa::kChannels; ++c)
        std::memcpy(&to[c].lane[first], &v[c], sizeof v[c]);
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
        for_each_bit(these, [&](unsigned p) { quad.take(p, line, answer); });
        pieces.left = static_cast<uint16_t>(pieces.left & ~these);
    }
    return answer;
}

// The entries of four lines, each looked up and touched once, in their order, as Pieces has them.
// False when one of them is not there; then nothing has been touched.
bool McFunctional::find_quad(Cache& cache, const uint32_t* address,
                             std::array<uint32_t, 4>& entry) {
    const auto same_line = [&](unsigned a, unsigned b) {
        return (address[a] ^ address[b]) < kLineBytes;
    };
    const auto there = [&](unsigned l) {
        entry[l] = cache.find(line_number(address[l]));
        return entry[l] != Cache::kNone && cache.has(entry[l], ~uint64_t{0});
    };
    if (!there(0))
        return false;
    // Mostly one line, or two rows of one each.
    if (same_line(0, 1) && same_line(2, 3)) {
        entry[1] = entry[2] = entry[3] = entry[0];
        if (!same_line(0, 2)) {
            if (!there(2))
                return false;
            entry[3] = entry[2];
            cache.touch(entry[0]);
        }
        cache.touch(entry[2]);
        return true;
    }
    unsigned firsts = 1;  // lanes whose line no lane before has
    for (unsigned l = 1; l < 4; ++l) {
        unsigned same = 0;
        while (!same_line(same, l))
            ++same;
        if (same < l)
            entry[l] = entry[same];
        else if (!there(l))
            return false;
        else
            firsts |= 1u << l;
    }
    for_each_bit(firsts, [&](unsigned l) { cache.touch(entry[l]); });
    return true;
}

// The same where lines have to be read, of which a later one may take an earlier one's place.
template <Format F>
void McFunctional::read_quad(Cache& cache, uint8_t client, const Point* index,
                             const uint32_t* address, std::array<Channels, 4>& value) {
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
                mask |= byte_mask(address[l], kBytesEach);
            }
        });
        left &= ~these;
        const Line& data = cache.data(read(cache, line, mask, {client, index[oldest]}));
        for_each_bit(these,
                     [&](unsigned l) { unpack_as<F>(&data[address[l] % kLineBytes], value[l]); });
    }
}

template <Format F>
void McFunctional::read_lanes_as(uint8_t client, isa::LaneMask lanes, const Point* index,
                                 const LaneAddresses& address, isa::Register& to) {
    Cache& cache = caches_[number_of(cache_of(client))];
    for (unsigned first = 0; lanes >> first != 0; first += 4) {
        if ((lanes >> first & 0xf) == 0)
            continue;
        std::array<Channels, 4> value;
        std::array<uint32_t, 4> entry;
        const uint32_t* const quad = &address[first];
        if (find_quad(cache, quad, entry)) {
            for (unsigned l = 0; l < 4; ++l)
                unpack_as<F>(&cache.data(entry[l])[quad[l] % kLineBytes], value[l]);
        } else {
            read_quad<F>(cache, client, index + first, quad, value);
        }
        put_quad(value, first, to);
    }
}

// A lane that wants nothing reads what another one of its quad does.
void McFunctional::locate_lanes(const Translator& translator, isa::LaneMask lanes,
                                const Point* index, LaneAddresses& address) {
    for (unsigned l = 0; lanes >> l != 0; ++l)
        address[l] = translator.address(index[l].x, index[l].y);
    for (unsigned first = 0; lanes >> first != 0; first += 4) {
        const unsigned wanted = lanes >> first & 0xf;
        if (wanted != 0 && wanted != 0xf)
            for_each_bit(0xf & ~wanted, [&](unsigned l) {
                address[first + l] = address[first + static_cast<unsigned>(__builtin_ctz(wanted))];
            });
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
    LaneAddresses address;
    locate_lanes(translator, lanes, index, address);
    const auto as = [&](auto format) {
        read_lanes_as<decltype(format)::value>(client, lanes, index, address, to);
    };
    switch (registers_.surfaces[client].format) {
        case Format::Uint16x1:
            return as(Known<Format::Uint16x1>());
        case Format::Uint8x4:
            return as(Known<Format::Uint8x4>());
        case Format::Float32x2:
            return as(Known<Format::Float32x2>());
        case Format::Float32x4:
            return as(Known<Format::Float32x4>());
        case Format::OneByte:
            return as(Known<Format::OneByte>());
        default:
            return as(Known<Format::Float32x1>());
    }
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
        for_each_bit(these, [&](unsigned p) { words.take(p, cache.data(entry), answer); });
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
