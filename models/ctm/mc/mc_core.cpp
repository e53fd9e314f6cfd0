// SPDX-License-Identifier: Apache-2.0
#include "models/ctm/mc/mc_core.h"

#include <algorithm>
#include <stdexcept>

#include "models/common/archive.h"

namespace archipelago::ctm {
namespace {

const McSpec& checked(const McSpec& spec) {
    std::string text;
    for (const std::string& problem : spec.problems())
        text += (text.empty() ? "" : "; ") + problem;
    if (!text.empty())
        throw std::invalid_argument("ctm.mc: " + text);
    spec.address.validate();
    return spec;
}

McState fresh_state(const McSpec& spec) {
    McState s;
    s.elements.assign(2 * spec.arrays + 1, Port<ElementSlot>(spec.requests));
    s.words.assign(4 * spec.arrays, Port<WordsSlot>(spec.requests));
    s.caches.reserve(kCaches);
    for (unsigned i = 0; i < kCaches; ++i)
        s.caches.emplace_back(static_cast<CacheId>(i), spec.caches[i],
                              spec.arrays * spec.requests * kMaxPieces);
    s.turns.assign(spec.local_ports + 1, RoundRobin(kCaches + 1));
    return s;
}

}  // namespace

McCore::McCore(const McSpec& spec, const Units& units, const std::string& name)
    : commands(spec.commands, name + ".commands"),
      pe_requests(spec.memory_requests, name + ".pe_requests"),
      from_system(spec.system_responses, name + ".from_system"),
      spec_(checked(spec)),
      name_(name),
      state_(fresh_state(spec_)) {
    const auto numbered = [&](const char* what, unsigned i) {
        return name + "." + what + std::to_string(i);
    };
    for (unsigned i = 0; i < element_ports(); ++i)
        elements.emplace_back(spec.elements, numbered("elements", i));
    for (unsigned i = 0; i < words_ports(); ++i)
        words.emplace_back(spec.words, numbered("words", i));
    for (unsigned i = 0; i < spec.local_ports; ++i)
        from_local.emplace_back(spec.local_responses, numbered("from_local", i));
    const OutputChannel<ElementResponse> element_answers(this);
    const OutputChannel<WordsResponse> words_answers(this);
    const OutputChannel<MemRequest> to_memory(this);
    to_elements.assign(element_ports(), element_answers);
    to_words.assign(words_ports(), words_answers);
    to_local.assign(spec.local_ports, to_memory);
    for (unsigned i = 0; i < element_ports(); ++i)
        add_input(elements[i], asked_, i);
    for (unsigned i = 0; i < words_ports(); ++i)
        add_input(words[i], asked_, element_ports() + i);
    add_inputs(commands, pe_requests, from_system);
    for (Channel<MemResponse>& channel : from_local)
        add_input(channel);
    const unsigned count = kLanes * element_ports() + words_ports();
    units_.reserve(count);
    for (unsigned i = 0; i < count; ++i)
        units_.emplace_back(spec_, units, i, numbered("address", i));
    for (unsigned id = 0; id < kCaches; ++id)
        ports_of_[id] = ports_of(static_cast<CacheId>(id));
}

CacheId McCore::cache_of_port(unsigned port) const {
    if (port < element_ports())
        return port < spec_.arrays       ? CacheId::Input
               : port < 2 * spec_.arrays ? CacheId::Output
                                         : CacheId::Conditional;
    return cache_of(kFloatConstants + (port - element_ports()) % kWordsKinds);
}

bool McCore::tick(Cycle now) {
    if (run_ == RunState::Paused)
        return false;
    wake_ = kNever;
    bool moved = take_responses(now, from_system);
    for (Channel<MemResponse>& from : from_local)
        moved |= take_responses(now, from);
    moved |= run_ports(now);
    moved |= run_command(now);
    moved |= send(now);
    if (moved)
        wake_at(now + 1);
    else if (wake_ != kNever)
        wake_at(wake_);
    return moved;
}

// ---- ports -------------------------------------------------------------------------------------

// Bits of the ports that ask a cache.
uint64_t McCore::ports_of(CacheId id) const {
    const uint64_t of_arrays = (uint64_t{1} << spec_.arrays) - 1;
    switch (id) {
        case CacheId::Input:
            return of_arrays;
        case CacheId::Output:
            return of_arrays << spec_.arrays;
        case CacheId::Conditional:
            return uint64_t{1} << conditional_port();
        default: {
            constexpr uint64_t kOfEachArray = 0x1111111111111111;
            const unsigned kind = static_cast<unsigned>(id) - static_cast<unsigned>(CacheId::Float);
            const uint64_t of_words = (uint64_t{1} << words_ports()) - 1;
            return (kOfEachArray & of_words) << (element_ports() + kind);
        }
    }
}

bool McCore::run_ports(Cycle now) {
    uint64_t active = asked_ | state_.busy;
    if (now <= state_.setting_until) {
        active = ~uint64_t{0};
        asleep_ = 0;
        due(now + 1);
    } else if (asleep_ != 0) {
        active = without_sleeping(now, active);
    }
    if (active == 0)
        return false;
    bool moved = false;
    for (unsigned id = 0; id < kCaches; ++id) {
        const uint64_t ports = active & ports_of_[id];
        if (ports == 0)
            continue;
        const auto cache = static_cast<CacheId>(id);
        moved |= cache <= CacheId::Conditional ? run_ports<ElementSlot>(now, cache, ports)
                                               : run_ports<WordsSlot>(now, cache, ports);
    }
    return moved;
}

uint64_t McCore::without_sleeping(Cycle now, uint64_t ports) {
    asleep_ &= ~(listening_ & asked_);
    for (uint64_t left = ports & asleep_; left != 0; left &= left - 1) {
        const auto port = static_cast<unsigned>(__builtin_ctzll(left));
        if (asleep_until_[port] <= now)
            asleep_ &= ~(uint64_t{1} << port);
        else
            due(asleep_until_[port]);
    }
    return ports & ~asleep_;
}

// From the next cycle on. What the port waits for besides a line and a request must have a cycle:
// it is asked again and again for everything else. `moved`: in this cycle; what it stalls for from
// the next one on is noted here then.
template <class Slot, class Request>
void McCore::sleep(Cycle now, unsigned number, Port<Slot>& port, const Channel<Request>& in,
                   bool moved) {
    const bool no_place = port.queue.full() && in.due(now);
    if (port.queue.any_to_look_up() || !(in.empty() || no_place))
        return;
    Cycle until = kNever;
    if (port.queue.any_to_answer()) {
        Slot& slot = port.queue.to_answer();
        if (slot.awaiting == 0)
            until = std::max(slot.ready, port.free_from);
    }
    if (port.queue.any_to_locate())
        until = std::min(until, units_next_[number]);
    if (until <= now + (moved ? 1 : 0))
        return;
    if (moved && no_place && run_ == RunState::Running)
        port.stall.note(now + 1, PortStall::Places);
    const uint64_t bit = uint64_t{1} << number;
    asleep_ |= bit;
    listening_ = in.empty() ? listening_ | bit : listening_ & ~bit;
    asleep_until_[number] = until;
}

// Ports of a cache in turns: after the one that was the first to look a line up comes the next.
template <class Slot>
bool McCore::run_ports(Cycle now, CacheId id, uint64_t ports) {
    const CacheUnit& cache = this->cache(id);
    bool moved = false;
    bool looked_up = false;
    unsigned& next = state_.next_port[number_of(id)];
    const uint64_t first = ports & ~uint64_t{0} << next;
    for (uint64_t part : {first, ports & ~first})
        for (; part != 0; part &= part - 1) {
            const auto port = static_cast<unsigned>(__builtin_ctzll(part));
            if constexpr (std::is_same_v<Slot, ElementSlot>) {
                moved |=
                    run_port(now, port, state_.elements[port], elements[port], *to_elements[port]);
            } else {
                const unsigned word = port - element_ports();
                moved |= run_port(now, port, state_.words[word], words[word], *to_words[word]);
            }
            if (!looked_up && cache.looked_up(now)) {
                looked_up = true;
                next = port + 1;
            }
        }
    return moved;
}

template <class Slot, class Request, class Response>
bool McCore::run_port(Cycle now, unsigned number, Port<Slot>& port, Channel<Request>& in,
                      Channel<Response>& out) {
    AddressUnit* units = units_of(number);
    PortStall why = PortStall::None;
    bool moved = answer(now, port, out, why);
    const bool setting = now <= state_.setting_until;
    const bool units_due = setting || units_next_[number] <= now;
    if (units_due || port.queue.locates_without_units())
        moved |= locate(now, port, units);
    if (port.queue.any_to_look_up())
        moved |= look_up(now, number, port, why);
    const bool inside = port.queue.any_to_locate();
    const bool taken = !in.empty() && take(now, number, port, units, in, why);
    moved |= taken;
    if (units_due)
        tick_units<Slot>(now, number, units, inside || setting);
    else if (taken)
        units_next_[number] = std::min(units_next_[number], now + spec_.address.requests.latency);
    const uint64_t bit = uint64_t{1} << number;
    state_.busy = port.queue.empty() ? state_.busy & ~bit : state_.busy | bit;
    port.stall.note(now, moved ? PortStall::None : why);
    sleep(now, number, port, in, moved);
    if (port.queue.any_to_locate())
        due((asleep_ >> number & 1) != 0 ? asleep_until_[number] : now + 1);
    return moved;
}

template <class Slot, class Response>
bool McCore::answer(Cycle now, Port<Slot>& port, Channel<Response>& out, PortStall& why) {
    if (!port.queue.any_to_answer())
        return false;
    Slot& slot = port.queue.to_answer();
    if (slot.awaiting != 0)
        return false;
    const Cycle from = std::max(slot.ready, port.free_from);
    if (from > now) {
        due(from);
        return false;
    }
    if (!out.can_push(now)) {
        why = PortStall::Client;
        return false;
    }
    out.push(now, slot.answer);
    const unsigned bytes = slot.answer_bytes();
    const unsigned cycles =
        bytes <= spec_.return_bytes ? 1 : (bytes + spec_.return_bytes - 1) / spec_.return_bytes;
    port.answer_cycles += cycles;
    port.free_from = now + cycles;
    port.queue.answered();
    return true;
}

template <class Slot>
bool McCore::look_up(Cycle now, unsigned number, Port<Slot>& port, PortStall& why) {
    Slot& slot = port.queue.to_look_up();
    const CacheId id = cache_of_port(number);
    CacheUnit& cache = this->cache(id);
    Pieces& pieces = slot.pieces();
    if (!pieces.done() && state_.command.walking && state_.command.effect.cache == id) {
        why = PortStall::Command;
        return false;
    }
    const Waiter waiter{static_cast<uint16_t>(number),
                        static_cast<uint16_t>(port.queue.place_to_look_up())};
    bool moved = false;
    for (unsigned n = 0; !pieces.done() && n < spec_.lines_per_quad; ++n) {
        const uint16_t these = pieces.in_line();
        const PortStall stall = look_up_line(now, cache, slot, waiter, these);
        if (stall != PortStall::None) {
            why = stall;
            if (stall == PortStall::Lookups)
                due(now + 1);
            return moved;
        }
        ++port.lines;
        pieces.left = static_cast<uint16_t>(pieces.left & ~these);
        moved = true;
    }
    if (!pieces.done())
        return true;
    slot.ready = std::max(slot.ready, now + cache.spec().hit_latency);
    port.queue.looked_up();
    return true;
}

template <class Slot>
PortStall McCore::look_up_line(Cycle now, CacheUnit& cache, Slot& slot, const Waiter& waiter,
                               uint16_t these) {
    if (slot.write())
        return write_line(now, cache, slot, waiter, these);
    const Pieces& pieces = slot.pieces();
    const Line* hit = nullptr;
    const PortStall stall = cache.read(now, pieces.line(), slot.bytes_of(these), waiter,
                                       slot.origin(pieces.first()), hit);
    if (stall != PortStall::None)
        return stall;
    if (hit == nullptr)
        ++slot.awaiting;
    else
        slot.take(these, *hit);
    return PortStall::None;
}

PortStall McCore::write_line(Cycle now, CacheUnit& cache, ElementSlot& slot, const Waiter& waiter,
                             uint16_t these) {
    Line bytes;
    const uint64_t mask = slot.quad.put(these, slot.request, state_.registers, bytes);
    if (mask == 0)
        return PortStall::None;
    const Pieces& pieces = slot.pieces();
    const Origin origin = slot.origin(pieces.first());
    if (!slot.request.uncached)
        return cache.write(now, pieces.line(), bytes, mask, origin);
    const PortStall stall = cache.write_past(now, pieces.line(), bytes, mask, waiter, origin);
    slot.awaiting = static_cast<uint16_t>(slot.awaiting + (stall == PortStall::None ? 1 : 0));
    return stall;
}

template <class Slot>
bool McCore::locate(Cycle now, Port<Slot>& port, AddressUnit* units) {
    if (!port.queue.any_to_locate())
        return false;
    Slot& slot = port.queue.to_locate();
    for (unsigned rest = slot.asked; rest != 0; rest &= rest - 1)
        if (!units[__builtin_ctz(rest)].answered(now))
            return false;
    for_each_bit(slot.asked, [&](unsigned i) {
        found(slot, i, units[i].answer());
        units[i].drop(now);
    });
    slot.found = slot.pieces().left;
    slot.count = count_bits(slot.found);
    port.pieces += slot.count;
    port.queue.located();
    return true;
}

// Those of a port, which all have something inside or none.
template <class Slot>
void McCore::tick_units(Cycle now, unsigned number, AddressUnit* units, bool inside) {
    Cycle next = kNever;
    for (unsigned i = 0; i < kUnits<Slot>; ++i) {
        if (inside)
            units[i].tick(now);
        next = std::min(next, units[i].next());
    }
    units_next_[number] = next;
}

void McCore::found(ElementSlot& slot, unsigned unit, const AddressResponse& address) {
    const ElementRequest& r = slot.request;
    if (address.status != AddressStatus::Ok)
        check_addresses(address.status, {r.client, r.index[unit]}, state_.registers,
                        spec_.allow_undefined);
    if (r.write && !spec_.allow_undefined)
        check_inside({r.client, r.index[unit]}, state_.registers);
    slot.quad.add(unit, address, state_.registers.surfaces[r.client].format);
}

void McCore::found(WordsSlot& slot, unsigned, const AddressResponse& address) {
    const WordsRequest& r = slot.request;
    if (address.status != AddressStatus::Ok)
        check_addresses(address.status, slot.origin(0), state_.registers, spec_.allow_undefined);
    slot.words.set(r, address);
}

template <class Slot, class Request>
bool McCore::take(Cycle now, unsigned number, Port<Slot>& port, AddressUnit* units,
                  Channel<Request>& in, PortStall& why) {
    if (run_ != RunState::Running || !in.due(now))
        return false;
    // Also while the link of the request stalls: a port that sleeps does not look.
    if (port.queue.full()) {
        why = why == PortStall::None ? PortStall::Places : why;
        return false;
    }
    if (!in.can_pop(now))
        return false;
    for (unsigned i = 0; i < kUnits<Slot>; ++i)
        if (!units[i].can_ask(now))
            return false;
    const Request& request = in.front();
    invariant(request.client < kClients && cache_of(request.client) == cache_of_port(number),
              in.name(), "a client of another port", now);
    Slot& slot = port.queue.add();
    begin(slot, request);
    in.drop(now);
    for_each_bit(slot.asked, [&](unsigned i) { units[i].ask(now, asked(slot, i)); });
    ++port.requests;
    return true;
}

void McCore::begin(ElementSlot& slot, const ElementRequest& request) {
    ElementRequest& r = slot.request;
    r.client = request.client;
    r.write = request.write;
    r.uncached = request.uncached;
    r.lanes = request.lanes;
    r.index = request.index;
    if (request.write) {
        r.value = request.value;
        r.channels = request.channels;
    }
    slot.asked = static_cast<uint8_t>(lanes_asked(request));
    slot.quad.pieces.left = 0;
    if (request.write || request.lanes != 0xf)
        slot.answer.value = {};
    slot.answer.lanes = request.lanes;
    slot.answer.tag = request.tag;
    slot.awaiting = 0;
    slot.ready = 0;
}

void McCore::begin(WordsSlot& slot, const WordsRequest& request) {
    slot.request = request;
    slot.asked = 1;
    slot.words.pieces.left = 0;
    slot.answer = {};
    slot.answer.tag = request.tag;
    slot.awaiting = 0;
    slot.ready = 0;
}

// ---- memory ------------------------------------------------------------------------------------

bool McCore::take_responses(Cycle now, Channel<MemResponse>& from) {
    if (!from.can_pop(now))
        return false;
    MemResponse& response = from.front();
    const unsigned source = response.tag >> kTagSourceShift;
    if (source == kPeSource) {
        if (!to_pe->can_push(now))
            return false;
        const uint32_t number = response.tag & kTagNumber;
        invariant(number < 64 && (state_.pe_waits >> number & 1) != 0, from.name(),
                  "an answer that the PE does not wait for", now);
        response.tag = state_.pe_tags[number];
        state_.pe_waits &= ~(uint64_t{1} << number);
        to_pe->push(now, response);
    } else {
        invariant(source < kCaches, from.name(), "an answer without a request", now);
        arrive(now, state_.caches[source], response);
    }
    from.drop(now);
    return true;
}

void McCore::arrive(Cycle now, CacheUnit& cache, const MemResponse& response) {
    const uint32_t number = response.tag & kTagNumber;
    const auto line = static_cast<uint32_t>(response.line / kLineBytes);
    const unsigned latency = cache.spec().fill_latency;
    if ((response.tag & kTagWrite) != 0) {
        const Waiter waiter = cache.acknowledge(number, response);
        if (waiter.port != Waiter::kNoPort)
            serve(now, waiter, line, nullptr, latency);
        return;
    }
    const Line& bytes = cache.arrive(number, response);
    for (Waiter waiter; cache.next_waiter(number, waiter);)
        serve(now, waiter, line, &bytes, latency);
}

void McCore::serve(Cycle now, const Waiter& waiter, uint32_t line, const Line* bytes,
                   unsigned latency) {
    if (waiter.port < element_ports())
        serve(now, state_.elements[waiter.port], waiter, line, bytes, latency);
    else
        serve(now, state_.words[waiter.port - element_ports()], waiter, line, bytes, latency);
}

// The line for a slot, or null: its write is in memory.
template <class Slot>
void McCore::serve(Cycle now, Port<Slot>& port, const Waiter& waiter, uint32_t line,
                   const Line* bytes, unsigned latency) {
    asleep_ &= ~(uint64_t{1} << waiter.port);
    Slot& slot = port.queue.at(waiter.slot);
    --slot.awaiting;
    slot.ready = std::max(slot.ready, now + latency);
    if (bytes == nullptr)
        return;
    const unsigned looked_up = slot.found & ~slot.pieces().left;
    slot.take(slot.pieces().in_line(looked_up, line), *bytes);
}

unsigned McCore::way_of(uint64_t line) const {
    if (spec_.system.has(line))
        return spec_.local_ports;
    return static_cast<unsigned>(line / kLineBytes) & (spec_.local_ports - 1);
}

bool McCore::send(Cycle now) {
    uint64_t heads[McSpec::kMaxLocalPorts + 1] = {};  // sources, by the way of their oldest
    uint64_t all = 0;
    for (unsigned i = 0; i < kCaches; ++i)
        if (!state_.caches[i].out().empty()) {
            heads[way_of(state_.caches[i].out().front().line)] |= uint64_t{1} << i;
            all |= uint64_t{1} << i;
        }
    if (run_ == RunState::Running && ~state_.pe_waits != 0 && pe_requests.can_pop(now)) {
        heads[way_of(pe_requests.front().line)] |= uint64_t{1} << kPeSource;
        all |= uint64_t{1} << kPeSource;
    }
    if (all == 0)
        return false;
    bool moved = false;
    for (unsigned way = 0; way <= spec_.local_ports; ++way)
        if (heads[way] != 0)
            moved |= send_to(now, way, heads[way]);
    return moved;
}

bool McCore::send_to(Cycle now, unsigned way, uint64_t sources) {
    const bool system = way == spec_.local_ports;
    Channel<MemRequest>& to = system ? *to_system : *to_local[way];
    if (!to.can_push(now))
        return false;
    const auto source = static_cast<unsigned>(state_.turns[way].pick(sources));
    const bool pe = source == kPeSource;
    MemRequest& request = pe ? pe_requests.front() : state_.caches[source].out().front();
    if (system && !link_free(now, request))
        return false;
    state_.turns[way].grant(static_cast<int>(source));
    if (pe) {
        const auto number = static_cast<unsigned>(__builtin_ctzll(~state_.pe_waits));
        state_.pe_waits |= uint64_t{1} << number;
        state_.pe_tags[number] = request.tag;
        request.tag = kPeSource << kTagSourceShift | number;
    }
    count(way, request);
    to.push(now, request);
    if (pe)
        pe_requests.drop(now);
    else
        state_.caches[source].out().drop();
    return true;
}

// Takes the link to the host's memory for the request's bytes, when it is free.
bool McCore::link_free(Cycle now, const MemRequest& request) {
    note_stall(now < state_.system_free, now, state_.system_waits_since, state_.system_wait_cycles);
    if (now < state_.system_free) {
        due(state_.system_free);
        return false;
    }
    const auto bytes = static_cast<unsigned>(__builtin_popcountll(request.byte_mask));
    state_.system_free =
        now + (bytes + spec_.system.bytes_per_cycle - 1) / spec_.system.bytes_per_cycle;
    return true;
}

void McCore::count(unsigned way, const MemRequest& request) {
    McState::Traffic& t = way == spec_.local_ports ? state_.system : state_.local;
    const auto bytes = static_cast<unsigned>(__builtin_popcountll(request.byte_mask));
    const bool write = request.command == MemCommand::Write;
    (write ? t.writes : t.reads) += 1;
    (write ? t.bytes_written : t.bytes_read) += bytes;
}

// ---- control -----------------------------------------------------------------------------------

void McCore::reset() {
    Unit::reset();
    state_.registers = {};
    for (Port<ElementSlot>& port : state_.elements)
        port = Port<ElementSlot>(spec_.requests);
    for (Port<WordsSlot>& port : state_.words)
        port = Port<WordsSlot>(spec_.requests);
    for (CacheUnit& cache : state_.caches)
        cache.reset();
    for (RoundRobin& turn : state_.turns)
        turn.reset();
    state_.busy = 0;
    asleep_ = 0;
    units_next_.fill(0);
    state_.next_port = {};
    state_.setting_until = 0;
    state_.command = {};
    state_.system_free = 0;
    state_.pe_waits = 0;
    state_.pe_tags = {};
    state_.commands = state_.flush_cycles = state_.invalidations = 0;
    state_.began = 0;
    state_.local = state_.system = {};
    state_.system_wait_cycles = 0;
    state_.system_waits_since = kNever;
    for (AddressUnit& unit : units_)
        unit.reset();
}

void McCore::archive(Archive& a) {
    Unit::archive(a);
    for (AddressUnit& unit : units_)
        unit.archive(a);
    a(state_);
    asleep_ = 0;
    units_next_.fill(0);
}

void McCore::take_over(const McFunctional& machine) {
    state_.registers = machine.registers();
    for (AddressUnit& unit : units_)
        unit.take_over(state_.registers.surfaces);
    for (unsigned id = 0; id < kCaches; ++id)
        state_.caches[id].take_over(machine.cache(static_cast<CacheId>(id)));
}

bool McCore::idle() const {
    const bool inside =
        state_.busy != 0 || state_.command.active || state_.pe_waits != 0 ||
        std::any_of(state_.caches.begin(), state_.caches.end(), [](const CacheUnit& c) {
            return c.fetching() || c.writing() || !c.out().empty();
        });
    return !inside && (run_ == RunState::Draining || inputs_empty());
}

std::string McCore::waiting_for() const {
    if (idle())
        return {};
    if (run_ == RunState::Paused)
        return name_ + ": paused with work";
    std::string text;
    const auto add = [&](const std::string& what) {
        if (!what.empty())
            text += (text.empty() ? "" : ", ") + what;
    };
    if (state_.command.active)
        add("command " + std::to_string(state_.command.opcode));
    const auto requests = static_cast<unsigned>(__builtin_popcountll(state_.busy));
    if (requests != 0)
        add(std::to_string(requests) + " ports with requests inside");
    if (asked_ != 0)
        add(std::to_string(__builtin_popcountll(asked_)) + " with requests waiting");
    if (state_.pe_waits != 0)
        add(std::to_string(__builtin_popcountll(state_.pe_waits)) +
            " answers of memory for the PE");
    for (const CacheUnit& cache : state_.caches)
        add(cache.waiting_for());
    return name_ + ": " + (text.empty() ? "messages have not arrived" : text);
}

}  // namespace archipelago::ctm
