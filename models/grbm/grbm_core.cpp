// SPDX-License-Identifier: Apache-2.0
#include "models/grbm/grbm_core.h"

#include <algorithm>

#include "models/common/archive.h"

namespace archipelago::grbm {
namespace {

// Of a set of ports that is not empty.
unsigned lowest(uint32_t ports) {
    return static_cast<unsigned>(__builtin_ctz(ports));
}

}  // namespace

GrbmCore::GrbmCore(const Spec& spec)
    : GrbmUnit(spec),
      broadcasts_(spec.map.GRBM_GFX_INDEX.all()),
      status_offsets_{spec.map.GRBM_STATUS, spec.map.GRBM_STATUS2, spec.map.GRBM_STATUS_SE0,
                      spec.map.GRBM_STATUS_SE1},
      decode_(kApertureDwords),
      target_(spec.ports) {
    for (size_t i = 0; i < spec_.ranges.size(); ++i)
        for (uint32_t offset = spec_.ranges[i].start; offset < spec_.ranges[i].end; offset += 4)
            decode_[offset / 4] = {static_cast<uint8_t>(i + 1), spec_.ranges[i].port, 0,
                                   spec_.ranges[i].also};
    if (spec_.database == nullptr)
        for (Decode& d : decode_)
            d.flags = kKnown;
    else
        for (const regs::RegisterInfo& r : spec_.database->registers)
            if (r.offset / 4 < kApertureDwords)
                decode_[r.offset / 4].flags = kKnown;
    const ContextWindow& context = spec_.map.context;
    for (uint32_t offset = context.start; offset < context.end; offset += 4)
        if (context.of_context(offset))
            decode_[offset / 4].flags |= kContext;
    for (const CopiedRange& range : spec_.copied)
        for (uint32_t offset = range.start; offset < range.end; offset += 4)
            decode_[offset / 4].flags |= static_cast<uint8_t>(range.by << kCopiedBit);
    for (const SideEffect& effect : spec_.side_effects)
        if (effect.offset / 4 < kApertureDwords && effect.offset % 4 == 0)
            decode_[effect.offset / 4].flags |= kStarts;
    for (uint32_t i = 0; i < kApertureDwords; ++i) {
        Decode& d = decode_[i];
        if (d.range == 0 || d.also != 0 || 4 * i == spec_.map.GFX_COPY_STATE)
            continue;
        if (d.port >= kFirstBlock)
            d.flags |= kPasses;
        else if (d.port == kStore && (d.flags & (kKnown | kStarts)) == kKnown)
            d.flags |= kPlain;
    }
    for (unsigned i = 0; i < kSources; ++i)
        add_input(request[i], asked_, i);
    for (unsigned i = 0; i < spec_.ports; ++i)
        add_input(response[i], answered_, i);
    reset();
}

void GrbmCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, activity_, turn_);
}

void GrbmCore::reset() {
    GrbmUnit::reset();
    state_ = {};
    state_.contexts = ContextRegisters(spec_.map.context, spec_.map.GFX_COPY_STATE);
    state_.store.assign(kApertureDwords, 0);
    state_.gfx_index.fill(spec_.gfx_index_reset);
    state_.reads.resize(spec_.reads_in_flight);
    find_simple();
    turn_.reset();
}

GrbmCore::Steering GrbmCore::steering_of(uint32_t index) const {
    const auto& fields = spec_.map.GRBM_GFX_INDEX;
    Steering s;
    s.index = index;
    s.se = static_cast<uint8_t>(fields.SE_INDEX(index));
    s.sh = static_cast<uint8_t>(fields.SH_INDEX(index));
    s.instance = static_cast<uint8_t>(fields.INSTANCE_INDEX(index));
    s.se_broadcast = fields.SE_BROADCAST_WRITES(index) != 0;
    s.sh_broadcast = fields.SH_BROADCAST_WRITES(index) != 0;
    s.instance_broadcast = fields.INSTANCE_BROADCAST_WRITES(index) != 0;
    return s;
}

uint32_t GrbmCore::status(Cycle now, bool functional, Status which) const {
    uint32_t bits = 0;
    uint32_t gui = 0;
    for (const BusyInput& input : busy_) {
        const bool level = functional ? input.wire->latest() : input.wire->get(now);
        if (!level)
            continue;
        gui = 1;
        if (input.status == which)
            bits |= 1u << input.bit;
    }
    if (which == Status::Status)
        return spec_.map.GRBM_STATUS.GUI_ACTIVE.set(bits | spec_.status_constant, gui);
    return which == Status::Status2 ? bits : bits | spec_.status_se_constant;
}

bool GrbmCore::own_write(Cycle now, const RegRequest& r) {
    for (const uint32_t offset : status_offsets_)
        if (r.offset == offset)
            return true;  // read only
    if (r.offset == spec_.map.GRBM_GFX_INDEX) {
        state_.gfx_index[r.source] = r.value;
        return true;
    }
    if (!store_write(r))
        return false;
    if (r.offset == spec_.map.GRBM_SOFT_RESET)
        soft_reset.set(now, r.value);
    return true;
}

bool GrbmCore::own_read(Cycle now, bool functional, const RegRequest& r, uint32_t& value) {
    for (unsigned i = 0; i < static_cast<unsigned>(Status::kCount); ++i) {
        if (r.offset == status_offsets_[i]) {
            value = status(now, functional, static_cast<Status>(i));
            return true;
        }
    }
    if (r.offset == spec_.map.GRBM_GFX_INDEX) {
        value = state_.gfx_index[r.source];
        return true;
    }
    return store_read(r, value);
}

// A write that moves: the copying register copies what is stored here, of every block.
void GrbmCore::copy_context(const RegRequest& r) {
    if (!r.write || r.offset != spec_.map.GFX_COPY_STATE)
        return;
    state_.contexts.copy(copy_source(r, spec_.map.context.contexts), context_of(r));
    if (!state_.copies.empty())
        state_.copies.copy_context(copy_source(r, spec_.map.context.contexts), context_of(r));
    if (r.source == kRegFromCp)
        state_.newest_context = r.context;
}

// What GRBM_GFX_INDEX of the source says of a register there are several of.
GrbmCore::ChosenCopies GrbmCore::choose_copies(const RegRequest& r) {
    const Steering& s = steering(r.source);
    ChosenCopies chosen;
    const auto span = [&](CopiedBy kind, bool broadcast, unsigned index, unsigned count) {
        if ((decode_[r.offset / 4].flags >> kCopiedBit & kind) == 0)
            return CopySpan{0, 1};
        if (broadcast)
            return CopySpan{0, count};
        chosen.all = false;
        return CopySpan{std::min(index, count), std::min(index + 1, count)};
    };
    chosen.se = span(kPerSe, s.se_broadcast, s.se, spec_.most.se);
    chosen.sh = span(kPerSh, s.sh_broadcast, s.sh, spec_.most.sh);
    chosen.instance = span(kPerInstance, s.instance_broadcast, s.instance, spec_.most.instance);
    return chosen;
}

// A write that is not for all copies, or finds some that differ.
void GrbmCore::keep_copies(const RegRequest& r) {
    const ChosenCopies chosen = choose_copies(r);
    if (chosen.all) {
        state_.copies.forget(set_of(r), r.offset / 4, 1);
        *stored(r) = r.value;
        return;
    }
    for (unsigned se = chosen.se.first; se < chosen.se.end; ++se)
        for (unsigned sh = chosen.sh.first; sh < chosen.sh.end; ++sh)
            for (unsigned i = chosen.instance.first; i < chosen.instance.end; ++i)
                state_.copies.set(set_of(r), r.offset / 4, copy_number(se, sh, i), r.value);
}

bool GrbmCore::store_write(const RegRequest& r) {
    const uint8_t kept = decode_[r.offset / 4].flags;
    if ((kept & kStarts) != 0)
        stop(StopCause::StartsNothing, r.offset);
    if ((kept & kKnown) == 0)
        return false;
    keep(r, kept);
    return true;
}

bool GrbmCore::store_read(const RegRequest& r, uint32_t& value) {
    const uint8_t kept = decode_[r.offset / 4].flags;
    if ((kept & kKnown) == 0)
        return false;
    if ((kept & kCopied) != 0 && (!broadcasts(r.source) || !state_.copies.empty())) {
        const ChosenCopies chosen = choose_copies(r);
        value = 0;
        if (!chosen.any())
            return true;  // of a unit that is not there
        if (const uint32_t* copy = state_.copies.find(
                set_of(r), r.offset / 4,
                copy_number(chosen.se.first, chosen.sh.first, chosen.instance.first))) {
            value = *copy;
            return true;
        }
    }
    value = (kept & kContext) != 0 ? state_.contexts.get(r.offset, context_of(r))
                                   : state_.store[r.offset / 4];
    return true;
}

// ---- functional mode ----------------------------------------------------------------------------

uint32_t GrbmCore::read(uint32_t offset) {
    RegRequest r;
    r.offset = offset;
    r.source = kRegFromHost;
    r.context = state_.newest_context;
    return read(r);
}

std::optional<uint32_t> GrbmCore::find(RegRequest r) {
    steer(r);
    ++activity_.reads_done[r.source];
    uint32_t value = 0;
    if (!read_here(r, &RegisterTarget::read_register, value)) {
        unknown(0, r);
        return {};
    }
    log(0, r, value);
    return value;
}

std::optional<uint32_t> GrbmCore::inspect(RegRequest r) {
    steer(r);
    uint32_t value = 0;
    return read_here(r, &RegisterTarget::inspect_register, value) ? std::optional(value)
                                                                  : std::nullopt;
}

bool GrbmCore::read_here(const RegRequest& r,
                         bool (RegisterTarget::*of_block)(const RegRequest&, uint32_t&),
                         uint32_t& value) {
    const Decode decode = this->decode(r.offset);
    if (decode.range == 0)
        return false;
    if (decode.port == kSelf)
        return own_read(0, true, r, value);
    if (decode.port == kStore)
        return store_read(r, value);
    RegisterTarget* const target = target_[decode.port];
    return target != nullptr && (target->*of_block)(r, value);
}

bool GrbmCore::write(const RegRequest& request) {
    ++activity_.writes[request.source];
    copy_context(request);
    const Decode decode =
        request.offset / 4 < kApertureDwords ? decode_[request.offset / 4] : Decode{};
    bool known = false;
    if (decode.range != 0 && request.offset % 4 == 0) {
        RegRequest r = request;
        steer(r);
        if (decode.port == kSelf)
            known = own_write(0, request);
        else if (decode.port == kStore)
            known = store_write(request);
        else if (target_[decode.port] != nullptr)
            known = target_[decode.port]->write_register(r);
        for (uint32_t also = known ? decode.also : 0; also != 0; also &= also - 1)
            if (RegisterTarget* const target = target_[lowest(also)])
                target->write_register(r);
    }
    if (known)
        log(0, request, request.value);
    else
        unknown(0, request);
    return decode.range != 0 && decode.port >= kFirstBlock;
}

void GrbmCore::attach(unsigned port, RegisterTarget* target) {
    target_[port] = target;
    plain_run_.clear();
}

bool GrbmCore::is_plain_storage(uint32_t place) const {
    const Decode& decode = decode_[place];
    if (decode.range == 0 || (decode.flags & kKnown) == 0)
        return false;
    const auto plain = [&](unsigned port) {
        return target_[port] != nullptr && target_[port]->is_plain_storage(4 * place);
    };
    for (uint32_t also = decode.also; also != 0; also &= also - 1)
        if (!plain(lowest(also)))
            return false;
    if (decode.port == kStore)
        return (decode.flags & kStarts) == 0;
    return decode.port >= kFirstBlock && plain(decode.port);
}

void GrbmCore::find_plain_runs() {
    constexpr uint8_t kMax = 255;
    plain_run_.resize(kApertureDwords);
    for (uint32_t i = kApertureDwords; i-- > 0;) {
        plain_run_[i] = is_plain_storage(i) ? 1 : 0;
        if (plain_run_[i] == 0 || i + 1 == kApertureDwords ||
            decode_[i].port != decode_[i + 1].port || decode_[i].also != decode_[i + 1].also ||
            ((decode_[i].flags ^ decode_[i + 1].flags) & kContext) != 0)
            continue;
        plain_run_[i] = std::min<uint8_t>(plain_run_[i + 1], kMax - 1) + 1;
    }
}

bool GrbmCore::store(const RegRequest& request, const uint32_t* values, uint32_t count) {
    if (plain_run_.empty())
        find_plain_runs();
    const uint32_t place = request.offset / 4;
    if (request.offset % 4 != 0 || place >= kApertureDwords || count - 1 >= plain_run_[place] ||
        request.source != kRegFromCp || logs())
        return false;
    const Decode& decode = decode_[place];
    if (decode.port == kStore) {
        if (!broadcasts(request.source))
            return false;
        if (!state_.copies.empty())
            state_.copies.forget(set_of(request), place, count);
        uint32_t* const to = stored(request);
        for (uint32_t i = 0; i < count; ++i)  // few: no call
            to[i] = values[i];
    } else {
        target_[decode.port]->store_registers(request, values, count);
    }
    activity_.writes[request.source] += count;
    for (uint32_t also = decode.also; also != 0; also &= also - 1)
        target_[lowest(also)]->store_registers(request, values, count);
    return true;
}

// ---- cycle mode ---------------------------------------------------------------------------------

GrbmCore::Stall GrbmCore::forward_other(Cycle now, unsigned source, Decode decode) {
    RegRequest& r = request[source].front();
    Channel<RegRequest>* const port =
        decode.range != 0 && decode.port >= kFirstBlock ? to_port[decode.port].get() : nullptr;
    if (!r.write && (port != nullptr ? activity_.reads_used == state_.reads.size()
                                     : !to_source[source]->can_push(now)))
        return Stall::Response;
    uint32_t sent = port != nullptr ? 1u << decode.port : 0;  // ports
    for (uint32_t left = r.write ? decode.also : 0; left != 0; left &= left - 1)
        if (to_port[lowest(left)])
            sent |= left & -left;
    for (uint32_t left = sent; left != 0; left &= left - 1)
        if (!to_port[lowest(left)]->can_push(now))
            return Stall::Port;

    request[source].drop(now);  // its place keeps it for this tick
    copy_context(r);
    ++(r.write ? activity_.writes : activity_.reads_done)[source];
    uint32_t tag = r.tag;
    if (port == nullptr) {
        finish(now, decode, r);
    } else if (!r.write) {
        tag = free_place(state_.reads);
        state_.reads[tag] = {true, r.source, r.tag};
        ++activity_.reads_used;
    } else {
        log(now, r, r.value);
    }
    for (uint32_t left = sent; left != 0; left &= left - 1)
        to_port[lowest(left)]->emplace(now, [&](RegRequest& to) {
            to = r;
            steer(to);
            to.tag = tag;
            to.port = static_cast<uint16_t>(lowest(left));
        });
    return Stall::None;
}

// A request for a register of the bus itself, or for none.
void GrbmCore::finish(Cycle now, const Decode& decode, const RegRequest& r) {
    uint32_t value = 0;
    bool known = false;
    if (decode.range != 0 && decode.port == kSelf)
        known = r.write ? own_write(now, r) : own_read(now, false, r, value);
    else if (decode.range != 0 && decode.port == kStore)
        known = r.write ? store_write(r) : store_read(r, value);
    if (known)
        log(now, r, r.write ? r.value : value);
    else
        unknown(now, r);
    if (r.write)
        return;
    RegResponse answer;
    answer.value = known ? value : 0;
    answer.tag = r.tag;
    answer.status = known ? RegStatus::Ok : RegStatus::Unknown;
    to_source[r.source]->push(now, answer);
}

// The oldest answer of a block.
bool GrbmCore::pass_answer(Cycle now, unsigned port) {
    Channel<RegResponse>& in = response[port];
    const auto answer =
        oldest_answer(now, in, state_.reads, [&] { stop(StopCause::Unsolicited, port); });
    if (answer.read == nullptr)
        return answer.dropped;
    State::Read& read = *answer.read;
    if (!to_source[read.source]->can_push(now))
        return false;
    RegResponse r = in.pop(now);
    if (r.status == RegStatus::Unknown)
        ++activity_.unknown;
    r.tag = read.tag;
    to_source[read.source]->push(now, r);
    read.used = false;
    --activity_.reads_used;
    return true;
}

// Sends the oldest request of a source on, or says what it waits for.
[[gnu::always_inline]] inline GrbmCore::Stall GrbmCore::forward(Cycle now, unsigned source) {
    RegRequest& r = request[source].front();
    r.source = static_cast<uint8_t>(source);
    const Decode decode = this->decode(r.offset);
    // Nearly all of them are writes for one place.
    Channel<RegRequest>* const port =
        (decode.flags & kPasses) != 0 ? to_port[decode.port].get() : nullptr;
    if (!r.write || (port == nullptr && (decode.flags & kPlain) == 0))
        return forward_other(now, source, decode);
    if (port != nullptr && !port->can_push(now))
        return Stall::Port;
    request[source].drop(now);  // its place keeps it for this tick
    ++activity_.writes[source];
    log(now, r, r.value);
    if (port == nullptr) {
        keep(r, decode.flags);
        return Stall::None;
    }
    steer(r);
    r.port = decode.port;
    port->push(now, r);
    return Stall::None;
}

// Whether the source's oldest request could go.
[[gnu::always_inline]] inline bool GrbmCore::grant(Cycle now, unsigned source) {
    const Stall stall = forward(now, source);
    account(now, source, stall);
    if (stall != Stall::None)
        return false;
    turn_.grant(static_cast<int>(source));
    return true;
}

bool GrbmCore::tick(Cycle now) {
    // Nearly always all there is are requests of one source.
    if (simple_ && answered_ == 0 && (asked_ & (asked_ - 1)) == 0) {
        const unsigned source = asked_ != 0 ? static_cast<unsigned>(__builtin_ctzll(asked_)) : 0;
        if (request[source].can_pop(now))
            grant(now, source);
        return false;
    }
    return tick_many(now);
}

bool GrbmCore::tick_many(Cycle now) {
    bool progress = false;
    for (uint64_t left = answered_; left != 0; left &= left - 1)
        progress |= pass_answer(now, static_cast<unsigned>(__builtin_ctzll(left)));
    if (run_ != RunState::Running)
        return progress;
    bool contended = false;
    for (unsigned i = 0; i < spec_.requests_per_cycle; ++i) {
        uint64_t ready = 0;
        for (uint64_t left = asked_; left != 0; left &= left - 1)
            if (request[static_cast<unsigned>(__builtin_ctzll(left))].can_pop(now))
                ready |= left & -left;
        contended = contended || (ready & (ready - 1)) != 0;
        bool moved = false;
        while (ready != 0 && !moved) {
            const int source = turn_.pick(ready);
            moved = grant(now, static_cast<unsigned>(source));
            ready &= ~(uint64_t{1} << source);
        }
        if (!moved)
            break;
        progress = true;
    }
    // One that was not taken this time; all that comes next wakes us.
    return progress && contended;
}

}  // namespace archipelago::grbm
