// SPDX-License-Identifier: Apache-2.0
#include "models/tc/tcc_core.h"

#include <cstring>

#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/common/memory_log.h"
#include "models/common/text.h"
#include "models/tc/invalidation.h"

namespace archipelago::tc {
namespace {

constexpr uint32_t kKindMask = kTccTagKind;
constexpr uint32_t kFillTag = kTccFillTag;
constexpr uint32_t kWriteBackTag = kTccWriteBackTag;
constexpr uint32_t kWriteThroughTag = kTccWriteThroughTag;

void check(const TccSpec& s, const std::string& name) {
    const auto require = [&](bool ok, const char* what) {
        if (!ok)
            throw MachineStop(StopKind::BadInput, name, what);
    };
    require(s.mshrs >= 1, "mshrs must be at least 1");
    require(s.waiting_requests >= 1, "waiting_requests must be at least 1");
    require(s.response_entries >= 1, "response_entries must be at least 1");
    require(s.memory_entries >= 2, "memory_entries must be at least 2");
    require(s.write_through_entries >= 1, "write_through_entries must be at least 1");
    require(s.hit_latency >= 1 && s.fill_latency >= 1, "latencies must be at least 1 cycle");
    require(s.atomic_cycles >= 1, "atomic_cycles must be at least 1");
    require(s.walk_lines_per_cycle >= 1, "walk_lines_per_cycle must be at least 1");
    require(s.page_entries >= 1 && (s.page_entries & (s.page_entries - 1)) == 0,
            "page_entries must be a power of two");
}

std::string fault_text(TccFault fault, uint64_t line) {
    switch (fault) {
        case TccFault::RefusedWriteBack:
            return "memory refused the write-back of line " + hex(line);
        case TccFault::UnknownWriteBack:
            return "memory answered a write-back that was not sent";
        case TccFault::UnknownWriteThrough:
            return "memory answered a write that was not sent";
        case TccFault::UnknownFill:
            return "memory returned an unsolicited fill";
        case TccFault::None:
        case TccFault::ForeignTag:
            break;
    }
    return "memory answered with a foreign tag";
}

}  // namespace

TccStop::TccStop(TccFault fault, const std::string& where, uint64_t line)
    : MachineStop(fault == TccFault::RefusedWriteBack ? StopKind::Fault : StopKind::Protocol, where,
                  fault_text(fault, line)),
      fault_(fault) {}

TccCore::TccCore(const TccSpec& spec, const mc::ChannelMap& map, const PageCheck* pages,
                 unsigned channel, const std::string& name)
    : L2Channel(spec, name),
      spec_((check(spec, name), spec)),
      map_(map),
      pages_(pages),
      channel_(static_cast<uint16_t>(channel)),
      name_(name),
      state_(spec) {
    from_fabric.set_consumer(this, state_.from_fabric);
    from_memory.set_consumer(this, state_.from_memory);
    actions.set_consumer(this, state_.actions);
}

// Most ticks have work for one or two of the steps: only those are called.
bool TccCore::tick(Cycle now) {
    bool progress = state_.from_memory <= now && take_memory_answer(now);
    if (run_ != RunState::Paused) {
        if (state_.actions <= now)
            progress |= start_action(now);
        if (state_.from_fabric <= now || !state_.returned.empty())
            progress |= serve(now);
        if (state_.action.walking)
            progress |= walk(now);
    }
    if (state_.action.active)
        progress |= finish_action(now);
    if (!state_.to_memory.empty())
        progress |= send_to_memory(now);
    if (progress)
        state_.answer = first_ready(state_.answers);
    if (state_.answer <= now)
        progress |= respond(now);
    if (state_.answer > now && state_.answer != kNever)
        wake_at(state_.answer);
    return progress && due(now + 1);
}

// After progress in the cycle before: whether anything else may move in cycle `at`. What is due
// later has scheduled its tick.
bool TccCore::due(Cycle at) const {
    return state_.from_fabric <= at || state_.from_memory <= at || state_.actions <= at ||
           state_.action.active || !state_.returned.empty() || !state_.to_memory.empty() ||
           state_.answer <= at;
}

// ---- from memory -------------------------------------------------------------------------------

bool TccCore::take_memory_answer(Cycle now) {
    if (!from_memory.can_pop(now))
        return false;
    const MemResponse& answer = from_memory.front();
    if (const TccFault fault = fault_of(answer); fault != TccFault::None)
        throw TccStop(fault, name_, answer.line);
    const uint32_t index = answer.tag & ~kKindMask;
    switch (answer.tag & kKindMask) {
        case kFillTag:
            take_fill(now, answer);
            break;
        case kWriteBackTag:
            --state_.writebacks_open[index];
            taps_.write_backs.out.pass(now);
            break;
        default: {
            if (state_.answers.full())
                return false;
            TccState::WriteThrough& slot = state_.write_throughs[index];
            slot.response.status = answer.status;
            state_.answers.push({now + spec_.ack_latency, slot.response});
            slot.in_use = false;
            --state_.write_throughs_open;
            taps_.below.out.pass(now);
            taps_.waits.out.pass(now);
        }
    }
    from_memory.drop(now);
    return true;
}

// Why an answer of memory stops the machine.
TccFault TccCore::fault_of(const MemResponse& answer) const {
    const uint32_t index = answer.tag & ~kKindMask;
    switch (answer.tag & kKindMask) {
        case kFillTag:
            return index < state_.misses.capacity() && state_.misses.in_use(index)
                       ? TccFault::None
                       : TccFault::UnknownFill;
        case kWriteBackTag:
            return answer.status != MemStatus::Ok                    ? TccFault::RefusedWriteBack
                   : index > 1 || state_.writebacks_open[index] == 0 ? TccFault::UnknownWriteBack
                                                                     : TccFault::None;
        case kWriteThroughTag:
            return index < state_.write_throughs.size() && state_.write_throughs[index].in_use
                       ? TccFault::None
                       : TccFault::UnknownWriteThrough;
        default:
            return TccFault::ForeignTag;
    }
}

void TccCore::take_fill(Cycle now, const MemResponse& fill) {
    const uint32_t miss = fill.tag;
    TccState::Fill& info = state_.fills[miss];
    taps_.below.out.pass(now);
    if (rows_.shown())
        trace_fill(now, miss, fill.uid);
    for (; info.waiting != 0; --info.waiting)
        taps_.waits.out.pass(now);
    info.status = fill.status;
    if (fill.status == MemStatus::Ok) {
        CacheArray& array = state_.array;
        merge_bytes(array.data(info.entry), fill.data, ~array.valid(info.entry));
        array.valid(info.entry) = ~uint64_t{0};
        ++state_.events.count.fills;
    } else {
        ++state_.events.count.failed_fills;
    }
    // The read that sent for the line takes it as it passes; the others go through the pipeline.
    const MemRequest& first = state_.misses.first_waiter(miss);
    if (first.command == MemCommand::Read && !state_.answers.full()) {
        const bool ok = fill.status == MemStatus::Ok;
        answer(now, spec_.fill_latency, first, fill.status,
               ok ? &state_.array.data(info.entry) : nullptr);
        state_.misses.drop_first_waiter(miss);
        if (!state_.misses.has_waiter(miss)) {
            close_fill(miss);
            return;
        }
    }
    state_.returned.push(miss);
}

// ---- the pipeline ------------------------------------------------------------------------------

bool TccCore::stall(Cycle now, TccStall reason) {
    state_.stall.stalled(now, reason);
    return false;
}

// One request a cycle: those whose line has just come before new ones.
bool TccCore::serve(Cycle now) {
    if (now < state_.busy_until) {
        wake_at(state_.busy_until);
        return false;
    }
    if (!state_.returned.empty())
        return serve_returned(now);
    // A request that found no MSHR finds none until a fill is done, and no other request
    // brings its line.
    if (state_.stall.reason == TccStall::Mshr && state_.misses.full() && !state_.answers.full())
        return false;
    if (!from_fabric.can_pop(now))
        return false;
    const MemRequest& request = from_fabric.front();
    const uint32_t miss = state_.misses.find(request.line);
    if (miss != CacheArray::kNone) {
        if (state_.misses.waiters_full())
            return stall(now, TccStall::Waiting);
        state_.misses.add_waiter(miss, request);
        // The fill may be here, and others may be served with it.
        if (TccState::Fill& fill = state_.fills[miss]; fill.waiting != 0) {
            ++fill.waiting;
            taps_.waits.in.pass(now);
        }
        ++state_.events.count.waited;
        if (request.command == MemCommand::Read)
            ++state_.events.count.read_merged;
    } else if (!process(now, request, spec_.hit_latency)) {
        return false;
    }
    state_.stall.moved(now);
    ++state_.events.count.busy_cycles;
    if (log_ != nullptr)
        log_request(*log_, now, name_, "fabric", request);
    from_fabric.drop(now);
    return true;
}

bool TccCore::serve_returned(Cycle now) {
    const uint32_t miss = state_.returned.front();
    const MemRequest& request = state_.misses.first_waiter(miss);
    if (state_.fills[miss].status != MemStatus::Ok) {
        if (state_.answers.full())
            return stall(now, TccStall::Response);
        answer(now, spec_.fill_latency, request, state_.fills[miss].status, nullptr);
    } else if (!process(now, request, spec_.fill_latency)) {
        return false;
    }
    state_.stall.moved(now);
    ++state_.events.count.busy_cycles;
    state_.misses.drop_first_waiter(miss);
    if (!state_.misses.has_waiter(miss)) {
        state_.returned.pop();
        close_fill(miss);
    }
    return true;
}

void TccCore::close_fill(uint32_t miss) {
    const TccState::Fill& info = state_.fills[miss];
    state_.array.pin(info.entry, false);
    if (info.invalidate)
        drop_clean_bytes(info.entry);
    else if (state_.array.valid(info.entry) == 0)
        state_.array.remove(info.entry);  // the fill failed and nothing was written here
    state_.misses.release(miss);
}

bool TccCore::process(Cycle now, const MemRequest& request, unsigned latency) {
    if (state_.answers.full())
        return stall(now, TccStall::Response);
    const uint32_t entry = state_.array.find(set_of(request.line), request.line);
    bool done = false;
    switch (request.command) {
        case MemCommand::Read:
            done = read(now, request, entry, latency);
            break;
        case MemCommand::Write:
            done = request.write_through ? write_through(now, request, entry)
                                         : write(now, request, entry, latency);
            break;
        case MemCommand::Atomic:
            done = atomic(now, request, entry, latency);
            break;
    }
    return done;
}

// Replacement order.
void TccCore::use(const MemRequest& request, uint32_t entry) {
    if (!request.slc)
        state_.array.touch(entry);
}

void TccCore::keep_written(const MemRequest& request, uint32_t entry) {
    CacheArray& array = state_.array;
    merge_bytes(array.data(entry), request.data, request.byte_mask);
    array.valid(entry) |= request.byte_mask;
    array.dirty(entry) |= request.byte_mask;
    use(request, entry);
}

bool TccCore::read(Cycle now, const MemRequest& request, uint32_t entry, unsigned latency) {
    CacheArray& array = state_.array;
    if (entry == CacheArray::kNone || (request.byte_mask & ~array.valid(entry)) != 0) {
        return fetch(now, request, entry);
    }
    if (!array.pinned(entry))  // else it waited for the fill
        ++state_.events.count.read_hits;
    use(request, entry);
    answer(now, latency, request, MemStatus::Ok, &array.data(entry));
    return true;
}

bool TccCore::write(Cycle now, const MemRequest& request, uint32_t entry, unsigned latency) {
    if (entry == CacheArray::kNone) {
        if (!page_mapped(pages_, state_.pages, request.line)) {
            ++state_.events.count.unmapped_writes;
            answer(now, latency, request, MemStatus::Unmapped, nullptr);
            return true;
        }
        entry = make_room(now, request.line, 0);
        if (entry == CacheArray::kNone)
            return false;
        ++state_.events.count.write_allocates;
    } else {
        ++state_.events.count.write_hits;
    }
    keep_written(request, entry);
    ++state_.events.count.writes;
    state_.events.count.bytes_written +=
        static_cast<uint64_t>(__builtin_popcountll(request.byte_mask));
    answer(now, latency, request, MemStatus::Ok, nullptr);
    return true;
}

bool TccCore::write_through(Cycle now, const MemRequest& request, uint32_t entry) {
    if (state_.write_throughs_open == state_.write_throughs.size())
        return stall(now, TccStall::WriteThrough);
    if (state_.to_memory.full())
        return stall(now, TccStall::Memory);
    CacheArray& array = state_.array;
    if (entry != CacheArray::kNone) {
        // Memory gets these bytes now; the line's other dirty bytes stay dirty.
        merge_bytes(array.data(entry), request.data, request.byte_mask);
        array.valid(entry) |= request.byte_mask;
        array.dirty(entry) &= ~request.byte_mask;
        ++state_.events.count.write_hits;
    }
    uint32_t index = 0;
    while (state_.write_throughs[index].in_use)
        ++index;
    TccState::WriteThrough& slot = state_.write_throughs[index];
    slot.in_use = true;
    slot.response = MemResponse{};
    slot.response.tag = request.tag;
    slot.response.port = request.port;
    slot.response.command = request.command;
    slot.response.line = request.line;
    slot.response.uid = request.uid;
    ++state_.write_throughs_open;
    taps_.waits.in.pass(now);
    taps_.below.in.pass(now);
    MemRequest down = request;
    down.tag = kWriteThroughTag | index;
    state_.to_memory.push(down);
    ++state_.events.count.writes;
    ++state_.events.count.write_throughs;
    state_.events.count.bytes_written +=
        static_cast<uint64_t>(__builtin_popcountll(request.byte_mask));
    return true;
}

bool TccCore::atomic(Cycle now, const MemRequest& request, uint32_t entry, unsigned latency) {
    const unsigned size = request.atomic_bytes;
    // Operands are whole and aligned, and (F)CmpSwap has one: the request carries one comparand.
    unsigned operands = 0;
    bool malformed = (size != 4 && size != 8) || request.atomic == AtomicOp::None;
    if (!malformed) {
        const uint64_t whole = size == 4 ? 0xF : 0xFF;
        for (unsigned at = 0; at < kLineBytes; at += size) {
            const uint64_t bytes = request.byte_mask >> at & whole;
            operands += bytes == whole ? 1 : 0;
            malformed |= bytes != 0 && bytes != whole;
        }
        malformed |= operands == 0 || (compares(request.atomic) && operands != 1);
    }
    if (malformed) {
        answer(now, latency, request, MemStatus::Error, nullptr);
        return true;
    }
    CacheArray& array = state_.array;
    if (entry == CacheArray::kNone || (request.byte_mask & ~array.valid(entry)) != 0)
        return fetch(now, request, entry);
    Line& line = array.data(entry);
    const Line old = line;
    for (unsigned at = 0; at < kLineBytes; at += size) {
        if ((request.byte_mask >> at & 1) == 0)
            continue;
        uint64_t now_there = 0;
        uint64_t operand = 0;
        std::memcpy(&now_there, &line[at], size);
        std::memcpy(&operand, &request.data[at], size);
        if (size == 4)
            now_there =
                atomic32(request.atomic, static_cast<uint32_t>(now_there),
                         static_cast<uint32_t>(operand), static_cast<uint32_t>(request.compare));
        else
            now_there = atomic64(request.atomic, now_there, operand, request.compare);
        std::memcpy(&line[at], &now_there, size);
    }
    array.dirty(entry) |= request.byte_mask;
    use(request, entry);
    ++state_.events.count.atomics;
    state_.events.count.atomic_operands += operands;
    state_.busy_until = now + spec_.atomic_cycles;
    state_.events.count.busy_cycles += spec_.atomic_cycles - 1;
    answer(now, latency, request, MemStatus::Ok, request.returns ? &old : nullptr);
    return true;
}

// Sends for the line and lets the request wait for it.
bool TccCore::fetch(Cycle now, const MemRequest& request, uint32_t entry) {
    CacheArray& array = state_.array;
    if (state_.misses.full())
        return stall(now, TccStall::Mshr);
    if (state_.misses.waiters_full())
        return stall(now, TccStall::Waiting);
    const bool partial = entry != CacheArray::kNone;
    if (partial) {
        if (state_.to_memory.full())
            return stall(now, TccStall::Memory);
        ++state_.events.count.partial_fills;
    } else {
        entry = make_room(now, request.line, 1);
        if (entry == CacheArray::kNone)
            return false;
        use(request, entry);
    }
    if (request.command == MemCommand::Read)
        ++state_.events.count.read_misses;
    array.pin(entry, true);
    const uint32_t miss = state_.misses.allocate(request.line, true);
    state_.misses.add_waiter(miss, request);
    taps_.waits.in.pass(now);
    taps_.below.in.pass(now);
    state_.fills[miss] = TccState::Fill{entry, MemStatus::Ok, false, now, 1};
    ++state_.events.fetches;
    state_.events.fetched = miss;
    MemRequest& fill = state_.to_memory.extend();
    copy_payload(fill, MemRequest{});
    fill.line = request.line;
    fill.byte_mask = ~uint64_t{0};
    fill.client = Client::L2;
    fill.source = channel_;
    fill.vmid = request.vmid;
    fill.tag = kFillTag | miss;
    fill.uid = request.uid;
    return true;
}

uint32_t TccCore::make_room(Cycle now, uint64_t line, unsigned extra) {
    CacheArray& array = state_.array;
    const uint32_t entry = array.victim(set_of(line));
    if (entry == CacheArray::kNone) {
        stall(now, TccStall::Set);
        return entry;
    }
    const unsigned needed = extra + (array.in_use(entry) && array.dirty(entry) != 0 ? 1 : 0);
    if (state_.to_memory.space() < needed) {
        stall(now, TccStall::Memory);
        return CacheArray::kNone;
    }
    if (array.in_use(entry)) {
        ++state_.events.count.evictions;
        if (array.dirty(entry) != 0)
            write_back(now, entry);
    }
    array.replace(entry, line);
    return entry;
}

void TccCore::write_back(Cycle now, uint32_t entry) {
    taps_.write_backs.in.pass(now);
    CacheArray& array = state_.array;
    MemRequest& down = state_.to_memory.extend();
    down = MemRequest{};
    down.command = MemCommand::Write;
    down.line = array.key(entry);
    down.byte_mask = array.dirty(entry);
    down.client = Client::L2;
    down.source = channel_;
    down.tag = kWriteBackTag | state_.epoch;
    down.data = array.data(entry);
    ++state_.writebacks_open[state_.epoch];
    ++state_.events.count.writebacks;
    state_.events.count.writeback_bytes +=
        static_cast<uint64_t>(__builtin_popcountll(down.byte_mask));
    array.dirty(entry) = 0;
}

void TccCore::drop_clean_bytes(uint32_t entry) {
    CacheArray& array = state_.array;
    array.valid(entry) = array.dirty(entry);
    ++state_.events.count.invalidated_lines;
    if (array.valid(entry) == 0)
        array.remove(entry);
}

void TccCore::answer(Cycle now, unsigned latency, const MemRequest& request, MemStatus status,
                     const Line* data) {
    TccState::Answer& a = state_.answers.extend();
    a.ready = now + latency;
    a.response.tag = request.tag;
    a.response.port = request.port;
    a.response.status = status;
    a.response.command = request.command;
    a.response.line = request.line;
    a.response.uid = request.uid;
    if (data != nullptr)
        a.response.data = *data;
    else if (request.command != MemCommand::Write)
        a.response.data = Line{};
    if (request.command == MemCommand::Read) {
        ++state_.events.count.reads;
        state_.events.count.bytes_read += data != nullptr ? kLineBytes : 0;
    }
}

bool TccCore::send_to_memory(Cycle now) {
    if (!to_memory->can_push(now))
        return false;
    to_memory->push(now, state_.to_memory.front());
    state_.to_memory.drop();
    return true;
}

bool TccCore::respond(Cycle now) {
    if (!to_fabric->can_push(now))
        return false;
    to_fabric->push(now, state_.answers.front().response);
    state_.answers.drop();
    state_.answer = first_ready(state_.answers);
    return true;
}

// ---- cache control -----------------------------------------------------------------------------

bool TccCore::start_action(Cycle now) {
    TccState::Action& current = state_.action;
    if (current.active || !actions.can_pop(now))
        return false;
    current.active = true;
    current.action = actions.pop(now);
    current.cursor = 0;
    current.walking = current.action.writeback_l2 || current.action.invalidate_l2;
    if (current.walking)
        ++state_.events.count.cache_actions;
    return true;
}

// Looks at some tags a cycle and sends at most one dirty line.
bool TccCore::walk(Cycle now) {
    TccState::Action& current = state_.action;
    if (!current.active || !current.walking)
        return false;
    CacheArray& array = state_.array;
    bool progress = false;
    for (unsigned n = 0; n < spec_.walk_lines_per_cycle && current.cursor < array.entries(); ++n) {
        const uint32_t entry = current.cursor;
        const bool mine = array.in_use(entry) && covers(current.action, array.key(entry));
        const bool send = mine && current.action.writeback_l2 && array.dirty(entry) != 0;
        if (send) {
            if (state_.to_memory.full())
                return progress;
            write_back(now, entry);
        }
        if (mine && current.action.invalidate_l2) {
            if (array.pinned(entry))
                state_.fills[state_.misses.find(array.key(entry))].invalidate = true;
            else
                drop_clean_bytes(entry);
        }
        ++current.cursor;
        progress = true;
        if (send)
            break;
    }
    if (current.cursor == array.entries()) {
        // What is sent from here on is younger than the action.
        current.walking = false;
        state_.epoch ^= 1;
        progress = true;
    }
    return progress;
}

bool TccCore::finish_action(Cycle now) {
    TccState::Action& current = state_.action;
    if (!current.active || current.walking)
        return false;
    const bool walked = current.action.writeback_l2 || current.action.invalidate_l2;
    if (walked && state_.writebacks_open[state_.epoch ^ 1] != 0)
        return false;
    if (!report_action(current.action, now, to_action_done, name_))
        return false;
    current.active = false;
    return true;
}

// ---- control ------------------------------------------------------------------------------------

void TccCore::archive(Archive& a) {
    Unit::archive(a);
    a(state_, taps_);
}

void TccCore::reset() {
    Unit::reset();
    state_ = TccState(spec_);
}

bool TccCore::idle() const {
    return inputs_empty() && holds_nothing();
}

bool TccCore::waits_for_inputs(Cycle at) const {
    const TccState::Action& a = state_.action;
    const bool walked = a.action.writeback_l2 || a.action.invalidate_l2;
    const bool action_waits =
        !a.active || (!a.walking && walked && state_.writebacks_open[state_.epoch ^ 1] != 0);
    return state_.returned.empty() && state_.answers.empty() && state_.to_memory.empty() &&
           state_.busy_until <= at && action_waits;
}

bool TccCore::holds_nothing() const {
    return state_.misses.used() == 0 && state_.answers.empty() && state_.to_memory.empty() &&
           state_.write_throughs_open == 0 && state_.writebacks_open[0] == 0 &&
           state_.writebacks_open[1] == 0 && !state_.action.active;
}

}  // namespace archipelago::tc
