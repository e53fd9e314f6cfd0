// SPDX-License-Identifier: Apache-2.0
#include "models/dma/linear_core.h"

#include <algorithm>
#include <cstring>

#include "models/common/pins/twin_limits.h"

namespace archipelago::dma {
namespace {

using Pins = rtl::DmaLinearPins;

uint64_t pair_at(const std::array<uint32_t, Pins::kWords>& words, unsigned low) {
    return words[low] | uint64_t{words[low + 1]} << 32;
}

// Part of a span that is in one line.
struct LinePiece {
    uint64_t line = 0;  // of 64 bytes, by number
    unsigned offset = 0;
    uint32_t bytes = 0;
};

// What is left of a side's spans in a cycle.
class SpanCursor {
  public:
    explicit SpanCursor(const Pins::Spans& spans) : spans_(spans) {}
    bool done() const { return at_ == spans_.count; }
    unsigned span() const { return at_; }
    LinePiece piece() const {
        const uint64_t address = spans_.address[at_] + used_;
        const auto offset = static_cast<unsigned>(address % kLineBytes);
        return {address / kLineBytes, offset,
                std::min(spans_.bytes[at_] - used_, kLineBytes - offset)};
    }
    void take(uint32_t bytes) {
        taken_ = static_cast<uint16_t>(taken_ + bytes);
        used_ += bytes;
        if (used_ == spans_.bytes[at_]) {
            used_ = 0;
            ++at_;
        }
    }
    uint16_t taken() const { return taken_; }

  private:
    const Pins::Spans& spans_;
    unsigned at_ = 0;
    uint32_t used_ = 0;  // bytes of the span at hand
    uint16_t taken_ = 0;
};

}  // namespace

struct LinearCore::Now {
    Now(const In& i, Out& o)
        : in(i), out(o), source(i.src), targets{SpanCursor(i.dst[0]), SpanCursor(i.dst[1])} {}
    bool may_send() const { return in.req_ready != 0 && out.req_valid == 0; }
    const In& in;
    Out& out;
    SpanCursor source;
    std::array<SpanCursor, Pins::kTargets> targets;
};

Pins::Config config_pins(const Spec& spec) {
    return {static_cast<uint16_t>(spec.read_lines), static_cast<uint16_t>(spec.write_lines),
            static_cast<uint8_t>(spec.open_lines), static_cast<uint8_t>(spec.addresses_per_cycle),
            static_cast<uint8_t>(spec.burst_lines)};
}

void check_twin(const Spec& spec) {
    rtl::in_range<Pins>(1, 512, "async_dma.read_lines", spec.read_lines);
    rtl::in_range<Pins>(1, 16, "async_dma.open_lines", spec.open_lines);
}

Pins::Transfer transfer_pins(const Transfer& t) {
    Pins::Transfer pins;
    pins.source = static_cast<uint8_t>(t.source);
    pins.both = t.targets == Targets::Both ? 1 : 0;
    pins.bytes = t.bytes();
    pins.first = t.first % kLineBytes;
    pins.data = t.data;
    if (t.source == Source::Pattern)
        pins.data[0] = t.pattern;
    if (t.source == Source::Entries) {
        const uint64_t values[] = {t.entries.first, t.entries.increment, t.entries.mask};
        std::memcpy(pins.data.data(), values, sizeof values);
    }
    return pins;
}

void LinearCore::reset(const Pins::Config& config) {
    state_ = {};
    state_.slots.resize(config.read_lines);
    for (unsigned i = config.read_lines; i-- != 0;)
        state_.free_slots.push_back(static_cast<uint16_t>(i));
}

void LinearCore::begin(const Pins::Transfer& t) {
    state_.active = true;
    state_.made.source = static_cast<Source>(t.source);
    state_.made.data = t.data;
    state_.made.first = t.first;
    state_.made.pattern = t.data[0];
    state_.made.entries = {pair_at(t.data, 0), pair_at(t.data, 2), pair_at(t.data, 4)};
    state_.bytes = t.bytes;
    state_.target_count = t.both != 0 ? 2 : 1;
    state_.first_byte = state_.end_byte = 0;
    state_.position = {};
}

// ---- the port ----------------------------------------------------------------------------------

// One message a cycle. The direction that had the last one keeps its turn for a burst.
void LinearCore::send(Now& now, bool write) {
    now.out.req_valid = 1;
    now.out.req.write = write ? 1 : 0;
    if (state_.writing != write || state_.burst_left == 0)
        state_.burst_left = now.in.config.burst;
    state_.writing = write;
    if (--state_.burst_left == 0)
        state_.writing = !write;
}

// ---- the source --------------------------------------------------------------------------------

// A line that was requested lately and has pieces left.
int LinearCore::find_slot(uint64_t line) const {
    for (auto it = state_.recent.rbegin(); it != state_.recent.rend(); ++it)
        if (state_.slots[*it].pieces != 0 && state_.slots[*it].line == line)
            return *it;
    return -1;
}

bool LinearCore::read_piece(Now& now) {
    if (state_.pieces.size() == LinearState::kMaxPieces)
        return false;
    const LinePiece piece = now.source.piece();
    int slot = find_slot(piece.line);
    if (slot < 0) {
        if (state_.free_slots.empty() || !now.may_send())
            return false;
        slot = state_.free_slots.back();
        state_.free_slots.pop_back();
        state_.slots[static_cast<size_t>(slot)] = {piece.line, {}, false, 0};
        state_.recent.push_back(static_cast<uint16_t>(slot));
        if (state_.recent.size() > now.in.config.open_lines)
            state_.recent.pop_front();
        send(now, false);
        now.out.req.line = piece.line;
        now.out.req.mask = ~uint64_t{0};
        now.out.req.tag = static_cast<uint16_t>(slot);
    }
    ++state_.slots[static_cast<size_t>(slot)].pieces;
    state_.pieces.push_back({static_cast<uint16_t>(slot), static_cast<uint8_t>(piece.offset),
                             static_cast<uint8_t>(piece.bytes)});
    now.source.take(piece.bytes);
    return true;
}

bool LinearCore::read(Now& now) {
    if (!state_.active || state_.made.source != Source::Memory)
        return false;
    bool progress = false;
    for (unsigned i = 0; i < now.in.config.addresses && !now.source.done(); ++i) {
        if (!read_piece(now))
            break;
        progress = true;
    }
    now.out.stalled = state_.free_slots.empty() && !progress && !now.source.done() ? 1 : 0;
    return progress;
}

// What has arrived goes into the buffer, in the source's order.
bool LinearCore::gather(const Now& now) {
    bool progress = false;
    for (unsigned i = 0; i < now.in.config.addresses && !state_.pieces.empty(); ++i) {
        const LinearState::Piece piece = state_.pieces.front();
        LinearState::Slot& slot = state_.slots[piece.slot];
        if (!slot.arrived ||
            state_.end_byte + piece.bytes - state_.first_byte > LinearState::kBuffer)
            break;
        for (unsigned k = 0; k < piece.bytes; ++k)
            state_.buffer[(state_.end_byte + k) % LinearState::kBuffer] =
                slot.data[piece.offset + k];
        state_.end_byte += piece.bytes;
        if (--slot.pieces == 0)
            state_.free_slots.push_back(piece.slot);
        state_.pieces.pop_front();
        progress = true;
    }
    return progress;
}

// The same for a source that is not in memory: a line a cycle.
bool LinearCore::fill_buffer(const Now& now) {
    if (!state_.active)
        return false;
    if (state_.made.source == Source::Memory)
        return gather(now);
    const uint64_t room = LinearState::kBuffer - (state_.end_byte - state_.first_byte);
    const uint64_t bytes = std::min<uint64_t>({room, kLineBytes, state_.bytes - state_.end_byte});
    for (uint64_t i = 0; i < bytes; ++i, ++state_.end_byte)
        state_.buffer[state_.end_byte % LinearState::kBuffer] =
            state_.made.made_byte(state_.end_byte);
    return bytes != 0;
}

// ---- the targets -------------------------------------------------------------------------------

bool LinearCore::may_write(const Now& now) const {
    return now.may_send() && state_.writes_in_flight < now.in.config.write_lines;
}

void LinearCore::send_line(Now& now, size_t index) {
    const LinearState::OpenLine& open = state_.open[index];
    send(now, true);
    now.out.req.line = open.line;
    now.out.req.mask = open.mask;
    std::memcpy(now.out.req.data.data(), open.data.data(), kLineBytes);
    ++state_.writes_in_flight;
    state_.open.erase(state_.open.begin() + static_cast<std::ptrdiff_t>(index));
}

// The next piece of a target into its line, once all its bytes are there.
bool LinearCore::put(Now& now, unsigned target) {
    SpanCursor& spans = now.targets[target];
    const LinePiece piece = spans.piece();
    const uint8_t swap = now.in.dst[target].swap[spans.span()];
    uint64_t& position = state_.position[target];
    const uint64_t unit = swap_unit(swap);
    if (((position + piece.bytes + unit - 1) & ~(unit - 1)) > state_.end_byte)
        return false;
    size_t index = 0;
    while (index < state_.open.size() && state_.open[index].line != piece.line)
        ++index;
    if (index == state_.open.size()) {
        if (state_.open.size() == now.in.config.open_lines) {
            if (!may_write(now))
                return false;
            send_line(now, 0);
            --index;
        }
        state_.open.push_back({piece.line, 0, {}});
    }
    LinearState::OpenLine& open = state_.open[index];
    for (uint32_t i = 0; i < piece.bytes; ++i)
        open.data[piece.offset + i] = state_.buffer[((position + i) ^ swap) % LinearState::kBuffer];
    open.mask |= bytes_in_line(piece.offset, piece.bytes);
    position += piece.bytes;
    spans.take(piece.bytes);
    if (open.mask == ~uint64_t{0} && may_write(now))
        send_line(now, index);
    return true;
}

// All is put: the lines that are open go, the oldest first.
bool LinearCore::flush(Now& now) {
    if (!state_.open.empty()) {
        if (!may_write(now))
            return false;
        send_line(now, 0);
    }
    if (state_.open.empty()) {
        now.out.written = 1;
        state_.active = false;
    }
    return true;
}

bool LinearCore::write(Now& now) {
    if (!state_.active)
        return false;
    bool progress = false;
    for (unsigned i = 0; i < now.in.config.addresses; ++i) {
        // The target that is after.
        const unsigned target =
            state_.target_count == 2 && state_.position[1] < state_.position[0] ? 1 : 0;
        if (now.targets[target].done())
            return flush(now) || progress;
        if (!put(now, target))
            break;
        progress = true;
    }
    uint64_t least = state_.position[0];
    if (state_.target_count == 2)
        least = std::min(least, state_.position[1]);
    state_.first_byte = least & ~uint64_t{7};
    return progress;
}

void LinearCore::step(const In& in, Out& out) {
    out = {};
    if (in.rst != 0) {
        reset(in.config);
        return;
    }
    if (in.ack_valid != 0)
        --state_.writes_in_flight;
    if (in.rsp_valid != 0) {
        LinearState::Slot& slot = state_.slots[in.rsp.tag];
        std::memcpy(slot.data.data(), in.rsp.data.data(), kLineBytes);
        slot.arrived = true;
    }
    if (in.hold != 0)
        return;
    if (in.begin_valid != 0)
        begin(in.begin);
    Now now(in, out);
    bool progress = fill_buffer(now);
    const bool writing = state_.writing;
    progress |= writing ? write(now) : read(now);
    progress |= writing ? read(now) : write(now);
    out.src_taken = now.source.taken();
    for (unsigned i = 0; i < Pins::kTargets; ++i)
        out.dst_taken[i] = now.targets[i].taken();
    out.active = progress ? 1 : 0;
}

}  // namespace archipelago::dma
