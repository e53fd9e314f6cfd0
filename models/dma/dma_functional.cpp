// SPDX-License-Identifier: Apache-2.0
#include "models/dma/dma_functional.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/dma/engine_core.h"
#include "models/front/swap.h"

namespace archipelago::dma {
namespace {

// Most pieces of tiled surfaces have one of these sizes.
void copy_piece(uint8_t* to, const uint8_t* from, uint64_t bytes) {
    switch (bytes) {
        case 4:
            return move_bytes<4>(to, from);
        case 8:
            return move_bytes<8>(to, from);
        case 16:
            return move_bytes<16>(to, from);
        case 32:
            return move_bytes<32>(to, from);
        default:
            std::memmove(to, from, bytes);
    }
}

// A part of a transfer.
Transfer part_of(const Transfer& t, uint32_t x, uint32_t y, uint32_t width, uint32_t height) {
    Transfer part = t;
    for (Side* side : {&part.from, &part.to[0], &part.to[1]}) {
        side->x += x;
        side->y += y;
    }
    part.region.width = width;
    part.region.height = height;
    return part;
}

// Whether elements of a row follow one another in memory.
bool has_rows(const Transfer& t, const Side& side) {
    return side.tiled == nullptr && side.column == t.element_bytes && t.targets != Targets::Fields;
}

}  // namespace

DmaFunctional::DmaFunctional(const Spec& spec, RegisterFile& file, DmaBackend& backend)
    : spec_(spec),
      names_(spec.names()),
      settings_{spec.poll_unit, spec.register_base, &names_},
      file_(file),
      backend_(backend) {}

void DmaFunctional::archive(Archive& a) {
    a.at_rest(!in_packet_ && stream_.in_ring() && !beyond_, "the ring has packets to execute");
    a(stream_, skip_, clock_offset_, last_read_, packets_);
}

void DmaFunctional::reset() {
    stream_ = front::StreamStack<>(2);
    in_packet_ = false;
    skip_ = 0;
    beyond_ = false;
    clock_offset_ = 0;
}

void DmaFunctional::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
}

// ---- memory ------------------------------------------------------------------------------------

void DmaFunctional::fault(uint64_t address, bool write) const {
    throw MachineStop(StopKind::Fault, to_string(location_, names_),
                      front::access_of(in_packet_ ? program_.info().name : nullptr, op_.field) +
                          (write ? "write to " : "read of ") +
                          refused_address(MemStatus::Unmapped, address, location_.vmid));
}

// A window with the address, unless it is not mapped.
const MemoryWindow& DmaFunctional::window(uint64_t address, bool write) {
    MemoryWindow& window = write ? writing_ : reading_;
    if (!window.has(address))
        window = backend_.window(address, location_.vmid);
    return window;
}

// The host's byte, and as many of `bytes` as follow it.
uint8_t* DmaFunctional::memory(uint64_t address, uint64_t& bytes, bool write) {
    const MemoryWindow& window = this->window(address, write);
    if (!window.has(address))
        fault(address, write);
    bytes = std::min(bytes, window.left(address));
    return window.at(address);
}

void DmaFunctional::access(uint64_t address, void* bytes, uint64_t count, bool write) {
    auto* at = static_cast<uint8_t*>(bytes);
    while (count != 0) {
        uint64_t piece = count;
        uint8_t* host = memory(address, piece, write);
        if (write)
            std::memcpy(host, at, piece);
        else
            std::memcpy(at, host, piece);
        address += piece;
        at += piece;
        count -= piece;
    }
}

void DmaFunctional::copy(uint64_t to, uint64_t from, uint64_t bytes) {
    while (bytes != 0) {
        uint64_t piece = bytes;
        const uint8_t* source = memory(from, piece, false);
        uint8_t* place = memory(to, piece, true);
        std::memmove(place, source, piece);
        from += piece;
        to += piece;
        bytes -= piece;
    }
}

// ---- transfers ---------------------------------------------------------------------------------

void DmaFunctional::transfer(const Transfer& t) {
    const unsigned targets = t.targets == Targets::Both ? 2 : 1;
    for (unsigned i = 0; i < targets; ++i) {
        if (t.source != Source::Memory || t.swaps())
            move_through(t, i);
        else if (has_rows(t, t.from) && has_rows(t, t.to[i]))
            move_rows(t, t.to[i]);
        else
            move(t, i);
    }
}

// Whole tiles one by one, what is around them span by span.
void DmaFunctional::move(const Transfer& t, unsigned target) {
    const Side& to = t.to[target];
    const Side& tiled = to.tiled != nullptr ? to : t.from;
    const Side& other = to.tiled != nullptr ? t.from : to;
    const Region& r = t.region;
    const uint32_t left = -tiled.x % kTileSide, top = -tiled.y % kTileSide;
    const bool alike = other.tiled != nullptr ? (other.x - tiled.x) % kTileSide == 0 &&
                                                    (other.y - tiled.y) % kTileSide == 0
                                              : other.column == t.element_bytes;
    if (t.targets == Targets::Fields || tiled.tiled == nullptr || !alike ||
        r.width < left + kTileSide || r.height < top + kTileSide)
        return move_spans(t, target);
    Region tiles = r;
    tiles.width = (r.width - left) / kTileSide * kTileSide;
    tiles.height = (r.height - top) / kTileSide * kTileSide;
    const uint32_t right = left + tiles.width, bottom = top + tiles.height;
    move_spans(part_of(t, 0, 0, r.width, top), target);
    move_spans(part_of(t, 0, top, left, tiles.height), target);
    move_spans(part_of(t, right, top, r.width - right, tiles.height), target);
    move_spans(part_of(t, 0, bottom, r.width, r.height - bottom), target);
    move_tiles(t, target, tiles, left, top);
}

// Of two linear sides. A packet that moves a row of 64 bytes takes a third fewer instructions than
// by spans.
void DmaFunctional::move_rows(const Transfer& t, const Side& to) {
    const Region& r = t.region;
    for (uint32_t z = 0; z < r.depth; ++z)
        for (uint32_t y = 0; y < r.height; ++y)
            copy(to.at(0, y, z), t.from.at(0, y, z), uint64_t{r.width} * t.element_bytes);
}

void DmaFunctional::move_tiles(const Transfer& t, unsigned target, const Region& tiles, uint32_t x,
                               uint32_t y) {
    Transfer row = part_of(t, x, y, tiles.width, kTileSide);
    row.region.depth = 1;
    for (uint32_t z = 0; z < tiles.depth; ++z) {
        for (uint32_t down = 0; down < tiles.height; down += kTileSide) {
            if (!move_row_of_tiles(row, target, tiles.width / kTileSide))
                move_spans(row, target);
            for (Side* side : {&row.from, &row.to[target]})
                side->y += kTileSide;
        }
        for (Side* side : {&row.from, &row.to[target]}) {
            side->y -= tiles.height;
            ++side->z;
        }
    }
}

// False: something does not lie in one window.
bool DmaFunctional::move_row_of_tiles(const Transfer& t, unsigned target, uint32_t tiles) {
    const Side &from = t.from, &to = t.to[target];
    const uint32_t bytes = kTileSide * t.element_bytes;
    std::array<uint8_t, kTileSide * kTileSide * 16> between;
    TileRows rows;
    TilePieces source, place;
    for (uint32_t i = 0; i < kTileSide; ++i)
        rows[i] = &between[i * bytes];
    if (from.tiled == nullptr && !rows_of(from, uint64_t{tiles} * bytes, false, rows))
        return false;
    if (to.tiled == nullptr && !rows_of(to, uint64_t{tiles} * bytes, true, rows))
        return false;
    const bool linear = from.tiled == nullptr || to.tiled == nullptr;
    for (uint32_t x = 0; x < kTileSide * tiles; x += kTileSide) {
        if (from.tiled != nullptr) {
            if (!tile_pieces(from, from.x + x, false, source))
                return false;
            const TiledSurface& s = *from.tiled;
            copy_tile(s, s.slices[from.z % (1u << s.level.thick_shift)], source, rows, true);
        }
        if (to.tiled != nullptr) {
            if (!tile_pieces(to, to.x + x, true, place))
                return false;
            const TiledSurface& s = *to.tiled;
            copy_tile(s, s.slices[to.z % (1u << s.level.thick_shift)], place, rows, false);
        }
        for (uint8_t*& row : rows)
            row += linear ? bytes : 0;
    }
    return true;
}

bool DmaFunctional::rows_of(const Side& side, uint64_t bytes, bool write, TileRows& rows) {
    for (uint32_t i = 0; i < kTileSide; ++i) {
        uint64_t there = bytes;
        rows[i] = memory(side.at(0, i, 0), there, write);
        if (there != bytes)
            return false;
    }
    return true;
}

// The tile at x of the row of tiles at the side.
bool DmaFunctional::tile_pieces(const Side& side, uint32_t x, bool write, TilePieces& pieces) {
    const TiledSurface& s = *side.tiled;
    const TileSlice& slice = s.slices[side.z % (1u << s.level.thick_shift)];
    const surface::SlicePart in_slice = surface::slice_part(s.level, side.z);
    for (unsigned i = 0; i < slice.pieces; ++i) {
        const unsigned element = slice.element[i];
        uint64_t bytes = s.piece_bytes;
        const uint64_t address = surface::byte_address(s.level, x + element % kTileSide,
                                                       side.y + element / kTileSide, in_slice) -
                                 slice.offset[element];
        pieces[i] = memory(address, bytes, write);
        if (bytes != s.piece_bytes)
            return false;
    }
    return true;
}

void DmaFunctional::move_spans(const Transfer& t, unsigned target) {
    if (t.region.elements() == 0)
        return;
    SpanWalk from;
    SpanWalk to(target);
    while (!to.done(t)) {
        const Span s = from.front(t);
        const Span d = to.front(t);
        uint64_t bytes = std::min(s.bytes, d.bytes);
        const uint8_t* source = memory(s.address, bytes, false);
        uint8_t* place = memory(d.address, bytes, true);
        copy_piece(place, source, bytes);
        from.take(t, static_cast<uint32_t>(bytes));
        to.take(t, static_cast<uint32_t>(bytes));
    }
}

// What is swapped or not in memory goes through a buffer, whose size is a multiple of all swaps'.
void DmaFunctional::move_through(const Transfer& t, unsigned target) {
    std::array<uint8_t, 4096> buffer, swapped;
    SpanWalk from;
    SpanWalk to(target);
    uint64_t done = 0;
    while (!to.done(t)) {
        const uint64_t count = std::min<uint64_t>(buffer.size(), t.bytes() - done);
        for (uint64_t i = 0; i < count;) {
            if (t.source != Source::Memory) {
                buffer[i] = t.made_byte(done + i);
                ++i;
                continue;
            }
            const Span s = from.front(t);
            uint64_t bytes = std::min<uint64_t>(s.bytes, count - i);
            const uint8_t* source = memory(s.address, bytes, false);
            std::memcpy(&buffer[i], source, bytes);
            from.take(t, static_cast<uint32_t>(bytes));
            i += bytes;
        }
        for (uint64_t i = 0; i < count;) {
            const Span d = to.front(t);
            const uint64_t bytes = std::min<uint64_t>(d.bytes, count - i);
            const uint8_t mask = t.swap_mask[d.target];
            for (uint64_t k = 0; k < bytes; ++k)
                swapped[k] = buffer[(i + k) ^ mask];
            access(d.address, swapped.data(), bytes, true);
            to.take(t, static_cast<uint32_t>(bytes));
            i += bytes;
        }
        done += count;
    }
}

// ---- packets -----------------------------------------------------------------------------------

// The next dwords of the ring or buffer.
void DmaFunctional::take(uint32_t* dwords, unsigned count) {
    const front::StreamLevel& level = stream_.top();
    const uint32_t end = stream_.in_ring() ? stream_.ring.dwords : level.end;
    const unsigned swap = stream_.in_ring() ? stream_.ring.swap : file_.buffer_swap();
    while (count != 0) {
        const uint64_t address = level.address();
        const MemoryWindow& window = this->window(address, false);
        if (!window.has(address) || !window.has(address + 3))
            throw MachineStop(
                StopKind::Fault, to_string(location_, names_),
                "fetch from " + refused_address(MemStatus::Unmapped, address, location_.vmid));
        const uint32_t there = std::min(count, end - level.position);
        const auto piece =
            static_cast<uint32_t>(std::min<uint64_t>(there, window.left(address) / 4));
        std::memcpy(dwords, window.at(address), 4 * piece);
        for (unsigned i = 0; swap != 0 && i < piece; ++i)
            dwords[i] = front::swap_dword(dwords[i], swap);
        stream_.advance(piece);
        dwords += piece;
        count -= piece;
    }
}

// What others may have changed meanwhile: windows of memory, and the ring.
void DmaFunctional::forget() {
    reading_ = writing_ = {};
    ring_known_ = false;
}

// Takes over the ring. Another one than before must have been read to its end; unless the host has
// set the read pointer too.
void DmaFunctional::check_ring() {
    const front::RingConfig& ring = file_.ring();
    front::StreamLevel& top = stream_.levels[0];
    const bool moved = ring.base != stream_.ring.base || ring.dwords != stream_.ring.dwords;
    if (moved && stream_.ring.enabled && !top.at_end() && top.position == file_.read_pointer())
        throw MachineStop(StopKind::BadInput, "ring " + spec_.name(), rewritten_unread(top));
    ring_known_ = true;
    stream_.follow(ring, file_.write_pointer(), file_.read_pointer());
}

// Takes the fixed dwords of a packet, of which `left` dwords are in the ring or buffer; null: the
// others are beyond the write pointer.
const PacketInfo* DmaFunctional::take_packet(uint32_t left) {
    const uint32_t most = stream_.most_left(0);
    const uint32_t first = stream_.top().position;
    take(dwords_.data(), 1);
    const PacketInfo& info = check_header(*spec_.packets, dwords_[0], most, location_, names_);
    if (info.fixed > left) {
        stream_.top().position = first;
        return nullptr;
    }
    take(&dwords_[1], info.fixed - 1);
    check_size(info, dwords_.data(), most, location_, names_);
    return &info;
}

// The next packet; false: there is none, or not all of its fixed dwords.
bool DmaFunctional::begin() {
    beyond_ = false;
    stream_.leave_finished();
    if (stream_.in_ring()) {
        if (!ring_known_)
            check_ring();
        if (!stream_.ring.enabled || file_.halted())
            return false;
    }
    const uint32_t left = stream_.unread();
    if (left == 0) {
        beyond_ = skip_ != 0;
        return false;
    }
    if (stream_.top().vmid != location_.vmid)
        reading_ = writing_ = {};
    location_ = stream_.location(0);
    if (skip_ != 0) {
        take(dwords_.data(), 1);
        --skip_;
        finish();
        return true;
    }
    const PacketInfo* const packet = take_packet(left);
    beyond_ = packet == nullptr;
    if (beyond_)
        return false;
    const PacketInfo& info = *packet;
    program_.start(info, dwords_.data(), location_, *spec_.generation, file_.control(), settings_);
    in_packet_ = true;
    ++packets_;
    log_packet(observers_, path_, packets_, to_string(location_, names_), info, dwords_.data(),
               spec_.database);
    return true;
}

// The pointers the host sees.
void DmaFunctional::finish() {
    if (location_.level == 1) {
        file_.set_buffer_pointer(stream_.levels[1].position);
        return;
    }
    file_.set_read_pointer(stream_.levels[0].position);
    if (const uint64_t mirror = file_.mirror()) {
        uint32_t value = file_.mirror_value();
        access(mirror, &value, 4, true);
    }
}

DmaFunctional::Outcome DmaFunctional::run() {
    forget();
    Outcome outcome = Outcome::Idle;
    for (;;) {
        if (!in_packet_ && !begin()) {
            file_.set_idle(!beyond_);
            return beyond_ ? Outcome::Waiting : Outcome::Idle;
        }
        file_.set_idle(false);
        while (in_packet_) {
            const bool again = std::exchange(beyond_, false);
            if (!again && !program_.next(op_)) {
                in_packet_ = false;
                finish();
            } else if (!carry_out(outcome)) {
                return outcome;
            }
        }
    }
}

RegRequest DmaFunctional::register_request(bool write) const {
    RegRequest request;
    request.offset = op_.offset;
    request.value = op_.value;
    request.write = write;
    request.byte_enable = op_.byte_enable;
    request.source = spec_.source();
    request.vmid = location_.vmid;
    return request;
}

// False: the packet waits, `outcome` says for what.
// Dwords after the fixed ones; false: they are beyond the write pointer.
bool DmaFunctional::take_payload(Outcome& outcome) {
    if (stream_.in_ring())
        stream_.top().end = file_.write_pointer();
    beyond_ = stream_.unread() < op_.dwords;
    if (beyond_) {
        outcome = Outcome::Waiting;
        return false;
    }
    take(program_.result.data.data(), op_.dwords);
    return true;
}

bool DmaFunctional::carry_out(Outcome& outcome) {
    front::OpResult& result = program_.result;
    switch (op_.kind) {
        case OpKind::RegWrite:
            backend_.reg_write(register_request(true));
            forget();
            return true;
        case OpKind::RegRead:
            result.value = last_read_ = backend_.reg_read(register_request(false));
            forget();
            return true;
        case OpKind::MemRead:
            access(op_.address, result.data.data(), 4u * op_.dwords, false);
            result.value = result.data[0] | (op_.dwords > 1 ? uint64_t{result.data[1]} << 32 : 0);
            last_read_ = result.data[0];
            return true;
        case OpKind::MemWrite:
            for (unsigned i = 0; i < op_.dwords; ++i) {
                uint32_t dword = front::swap_dword(op_.data[i], op_.swap);
                access(op_.address + 4 * i, &dword, 4, true);
            }
            return true;
        case OpKind::Take:
            return take_payload(outcome);
        case OpKind::Atomic: {
            uint64_t value = 0;
            access(op_.address, &value, 8, false);
            result.value = value;
            value = atomic64(op_.atomic, value, op_.operand, op_.compare);
            access(op_.address, &value, 8, true);
            return true;
        }
        default:
            return carry_out_own(outcome);
    }
}

bool DmaFunctional::carry_out_own(Outcome& outcome) {
    switch (op_.kind) {
        case OpKind::Transfer:
            transfer(program_.transfer());
            return true;
        case OpKind::Delay:
            outcome = op_.forever ? Outcome::Waiting : Outcome::GivingUp;
            return false;
        case OpKind::SemaphoreRetry:
            outcome = Outcome::Waiting;
            return false;
        case OpKind::Clock:
            program_.result.value =
                backend_.clock() + (op_.counter == Counter::Local ? clock_offset_ : 0);
            return true;
        case OpKind::SetClock:
            clock_offset_ = op_.operand - backend_.clock();
            return true;
        case OpKind::Trap: {
            Interrupt i;
            i.source_id = spec_.trap_source;
            i.vmid = location_.vmid;
            i.ring = spec_.interrupt_ring();
            backend_.interrupt(i);
            forget();
            return true;
        }
        case OpKind::Call:
            call();
            return true;
        case OpKind::Skip:
            skip();
            return true;
        default:
            return true;  // nothing is on its way
    }
}

void DmaFunctional::call() {
    if (!file_.buffers_enabled())
        throw MachineStop(StopKind::BadInput, to_string(location_, names_),
                          "an indirect buffer, but IB_ENABLE is 0");
    finish();
    file_.note_vmid(op_.buffer.vmid);
    stream_.call(1, op_.buffer.base, op_.buffer.dwords, op_.buffer.vmid, 0);
}

void DmaFunctional::skip() {
    skip_ = op_.value;
    check_skip(program_.info(), skip_, stream_.most_left(0), location_, names_);
}

std::string DmaFunctional::waiting_for() const {
    if (beyond_)
        return beyond_write_pointer(location_, names_);
    if (!in_packet_)
        return "";
    return to_string(location_, names_) + ": " +
           program_.info().wait_text(program_.dwords(), last_read_);
}

}  // namespace archipelago::dma
