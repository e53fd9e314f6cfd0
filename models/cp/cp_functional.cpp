// SPDX-License-Identifier: Apache-2.0
#include "models/cp/cp_functional.h"

#include <algorithm>
#include <cstring>

#include "models/common/address_spaces.h"
#include "models/common/archive.h"
#include "models/common/error.h"
#include "models/cp/ce_command.h"
#include "models/cp/gds_access.h"
#include "models/cp/pm4/packet_log.h"
#include "models/cp/pm4/packet_stop.h"
#include "models/cp/pm4/register_access.h"
#include "models/cp/register_write.h"

namespace archipelago::cp {

namespace {
constexpr uint32_t kCopyBytes = 4096;
constexpr const char* kHeldBus = "the register bus, in front of which earlier writes wait";
}  // namespace

CpFunctional::CpFunctional(const Spec& spec, RegisterFile& file, DeState& de, CpBackend& backend)
    : spec_(spec),
      file_(file),
      de_(de),
      backend_(backend),
      ce_(spec_, backend, file),
      copy_(2 * kCopyBytes) {
    reset_rings();
}

void CpFunctional::reset_rings() {
    rings_.assign(spec_.rings, {});
}

void CpFunctional::archive(Archive& a) {
    for (unsigned ring = 0; ring < rings_.size(); ++ring)
        a.at_rest(idle(ring), "a ring has packets to execute");
    a(ce_, packets_, error_);
}

void CpFunctional::reset() {
    reset_rings();
    ce_.reset();
    error_.clear();
}

void CpFunctional::observe(const Observers& observers, const std::string& path) {
    observers_ = observers;
    path_ = path;
    ce_.observe(observers, path + ".ce");
}

void CpFunctional::fault(const Location& location, const char* what, uint64_t address) const {
    throw MachineStop(
        StopKind::Fault, to_string(location),
        std::string(what) + " " + refused_address(MemStatus::Unmapped, address, location.vmid));
}

// Of an operation of a packet's program.
void CpFunctional::fault(const Location& location, const MicroOp& op, const char* what,
                         uint64_t address) const {
    fault(location, (front::access_of(op.packet, op.field) + what).c_str(), address);
}

void CpFunctional::write_back(uint64_t address, uint32_t value) {
    if (!backend_.mem_write(address, &value, 4, 0))
        throw MachineStop(StopKind::Fault, "cp.registers",
                          "mirror of a scratch register or read pointer goes to " +
                              refused_address(MemStatus::Unmapped, address));
}

void CpFunctional::start_coherency(const CacheAction& action) {
    backend_.cache_action(action);
    file_.coherency_done();
}

// Dwords `dword`.. of the ring or buffer the location is in.
void CpFunctional::fetch(const Location& location, uint32_t dword, uint32_t count, uint32_t* to) {
    const front::StreamStack<>& stream = rings_[location.ring].stream;
    const front::StreamLevel& level = stream.levels[location.level];
    const uint8_t swap = level.swap;
    while (count > 0) {
        uint32_t part = count;
        if (location.level == 0) {
            dword %= stream.ring.dwords;
            part = std::min(part, stream.ring.dwords - dword);
        }
        const uint64_t address = level.base + 4 * uint64_t{dword};
        if (!backend_.mem_read(address, to, 4 * size_t{part}, location.vmid))
            fault(location, "fetch from", address);
        for (uint32_t i = 0; i < part && swap != 0; ++i)
            to[i] = swap_dword(to[i], swap);
        dword += part;
        to += part;
        count -= part;
    }
}

bool CpFunctional::idle(unsigned ring) const {
    const Ring& r = rings_[ring];
    return !r.in_packet && r.stream.in_ring() && r.skip == 0 &&
           (file_.read_pointer(ring) == file_.write_pointer(ring) || !file_.ring(ring).enabled);
}

inline void CpFunctional::advance(unsigned ring, uint32_t dwords) {
    front::StreamStack<>& stream = rings_[ring].stream;
    stream.advance(dwords);
    if (stream.in_ring())
        file_.advance_read_pointer(ring, stream.top().position);
}

// The stream, with its ring as the registers are now.
inline front::StreamStack<>& CpFunctional::stream(unsigned ring) {
    return follow_ring(ring, rings_[ring].stream);
}

inline front::StreamStack<>& CpFunctional::follow_ring(unsigned ring,
                                                       front::StreamStack<>& stream) const {
    if (stream.in_ring())
        stream.follow(file_.ring(ring), file_.write_pointer(ring), file_.read_pointer(ring));
    return stream;
}

inline RegRequest CpFunctional::write_request(const Location& location, uint32_t offset) const {
    RegRequest request;
    request.offset = offset;
    request.write = true;
    request.source = kRegFromCp;
    request.ring = location.ring;
    request.context = de_.contexts.target(offset);
    request.vmid = location.vmid;
    return request;
}

// Most packets set registers without side effects: their program would write one after the other,
// and nothing could come between. False: the program has to run, because it does or may do more.
[[gnu::always_inline]] inline bool CpFunctional::set_at_once(Ring& r, const PacketInfo& info,
                                                             uint32_t header,
                                                             const Location& location) {
    RegisterRun run;
    if (!sets_run(info, header, r.body.data(), location, de_, run) || logs_packets(observers_))
        return false;
    if (location.vmid != 0 && !spec_.user_registers.allows(run.offset, run.count))
        return false;
    Contexts& contexts = de_.contexts;
    if (!contexts.steady() && spec_.registers->in_context_window(run.offset))
        return false;
    const uint32_t* values = r.body.data() + 1;
    if (!backend_.reg_store(write_request(location, run.offset), values, run.count))
        return false;
    for (uint32_t i = 0; run.noted && i < run.count; ++i)
        contexts.wrote(run.offset + 4 * i, values[i]);
    de_.rings[location.ring].began(info);
    return true;
}

// What is left of an indirect buffer, where it lies; nothing when its first dword has to be
// fetched.
inline CpFunctional::View CpFunctional::view_of(const front::StreamStack<>& stream) {
    View view;
    const front::StreamLevel& buffer = stream.top();
    if (stream.in_ring() || buffer.swap != 0)
        return view;
    view.bytes = 4 * size_t{buffer.left()};
    view.data = backend_.mem_view(buffer.address(), view.bytes, buffer.vmid);
    return view.data != nullptr ? view : View{};
}

// Takes packets until one has a program to run; false when the ring is empty, or has no more than a
// part of the next.
bool CpFunctional::begin(unsigned ring) {
    Ring& r = rings_[ring];
    View view;
    for (;;) {
        r.stream.leave_finished();
        if (r.stream.in_ring() && idle(ring))
            return false;
        const front::StreamStack<>& stream = this->stream(ring);
        const Location location = stream.location(ring);
        if (view.bytes < kShortPacket)
            view = view_of(stream);
        uint32_t header = 0;
        if (view.bytes >= 4)
            std::memcpy(&header, view.data, 4);
        else
            fetch(location, location.dword, 1, &header);
        if (header_type(header) == 2) {
            advance(ring, 1);
            view.advance(1);
            continue;
        }
        const PacketInfo& info =
            check_header(*spec_.packets, header, location, stream.most_left(0) - 1);
        const uint32_t count = header_body_dwords(header);
        if (count >= stream.unread())
            return false;
        ++packets_;
        if (r.body.size() < count)
            r.body.resize(count);
        const bool predicated =
            header_type(header) == 3 && (header & 1) != 0 && de_.rings[ring].predication.skip;
        const bool skip = predicated || info.routing.fixed == Route::Skip;
        if (!skip && count <= kShortBody && view.bytes >= kShortPacket)
            std::memcpy(r.body.data(), view.data + 4, 4 * kShortBody);
        else if (!skip && view.bytes / 4 > count)
            std::memcpy(r.body.data(), view.data + 4, 4 * size_t{count});
        else if (!skip)
            fetch(location, location.dword + 1, count, r.body.data());
        if (!skip && info.is(kSetsRegisters)) {  // most packets
            advance(ring, 1 + count);
            if (set_at_once(r, info, header, location)) {
                view.advance(1 + count);
                continue;
            }
            start(ring, info, header, location, Route::Me);
            return true;
        }
        view = {};
        if (take(ring, info, header, location, skip))
            return true;
    }
}

void CpFunctional::start(unsigned ring, const PacketInfo& info, uint32_t header,
                         const Location& location, Route route) {
    Ring& r = rings_[ring];
    r.program.start(info, header, r.body.data(), location,
                    route == Route::Pfp ? ProgramEngine::Pfp : ProgramEngine::Me, spec_.poll, de_);
    r.taken = info.fixed;
    r.in_packet = true;
}

// A packet whose body is there; true when it has a program to run.
bool CpFunctional::take(unsigned ring, const PacketInfo& info, uint32_t header,
                        const Location& location, bool skip) {
    Ring& r = rings_[ring];
    const uint32_t count = header_body_dwords(header);
    const Route route = skip ? Route::Skip : info.route(r.body.data(), location);
    if (!logs_registers(info))
        log_packet(observers_, path_, 0, spec_, location, header, r.body.data(),
                   route == Route::Skip ? 0 : info.fixed);
    if (route == Route::Skip) {
        advance(ring, 1 + count);
        return false;
    }
    if (route == Route::Fetch) {
        const IndirectBuffer buffer = info.buffer(info, r.body.data(), location);
        note_vmid(de_.warnings, location, info.name, buffer.vmid);
        advance(ring, 1 + count);
        r.stream.call(static_cast<uint8_t>(r.stream.level + 1), buffer.base, buffer.dwords,
                      buffer.vmid, buffer.swap);
        return false;
    }
    if (route == Route::FetchConst) {
        const CeCommand buffer = constant_buffer(info, r.body.data(), location);
        note_vmid(de_.warnings, location, info.name, buffer.vmid);
        advance(ring, 1 + count);
        ce_.submit(ring, buffer);
        return false;
    }
    CeCommand command;
    if (commands_ce(info, r.body.data()) && info.ce_command(info, r.body.data(), command)) {
        command.location = location;
        ce_.submit(ring, command);
    }
    advance(ring, 1 + count);
    if (info.note != nullptr)
        info.note(info, r.body.data(), de_);
    start(ring, info, header, location, route);
    return true;
}

// Bytes of a copy, `done` of which are done; false: not all of it is mapped.
bool CpFunctional::copy(const DmaCommand& c, uint32_t done, uint32_t bytes) {
    uint8_t* from = copy_.data();
    uint8_t* to = copy_.data() + kCopyBytes;
    if (c.from_gds)
        gds_read_bytes(gds(c.location), c.source + done, from, bytes, c.location.vmid);
    else if (!c.fill && !backend_.mem_read(c.source + done, from, bytes, c.location.vmid))
        return false;
    for (uint32_t i = 0; i < bytes; ++i)
        to[i] = dma_byte(c, i, [from](uint32_t n) { return from[n]; });
    if (!c.to_gds)
        return backend_.mem_write(c.destination + done, to, bytes, c.location.vmid);
    gds_write_bytes(gds(c.location), c.destination + done, to, bytes, c.location.vmid);
    return true;
}

// The same line by line of the destination, as in cycle mode, up to the one that stops it.
void CpFunctional::copy_lines(const DmaCommand& c, uint32_t done, uint32_t bytes) {
    for (const uint32_t end = done + bytes; done < end;) {
        const uint64_t to = c.destination + done;
        const uint32_t part = std::min(end - done, kLineBytes - uint32_t(to % kLineBytes));
        if (!copy(c, done, part))
            fault_in_line(c, done, part);
        done += part;
    }
}

void CpFunctional::fault_in_line(const DmaCommand& c, uint32_t done, uint32_t bytes) {
    const bool reads = !c.from_gds && !c.fill;
    const uint64_t first = c.source + done, last = first + bytes - 1;
    for (uint64_t line = line_of(first); reads && line <= line_of(last); line += kLineBytes) {
        const uint64_t address = std::max(line, first);
        if (!backend_.mem_read(address, copy_.data(), 1, c.location.vmid))
            fault(c.location, "CP_DMA read of", std::max(line, c.source));
    }
    fault(c.location, "CP_DMA write to", c.destination + done);
}

void CpFunctional::dma(const DmaCommand& c) {
    log_dma(observers_, path_ + ".dma", 0, c);
    for (uint32_t done = 0; done < c.bytes;) {
        const uint32_t bytes = std::min(c.bytes - done, kCopyBytes);
        if (!copy(c, done, bytes))
            copy_lines(c, done, bytes);
        done += bytes;
    }
}

EopImage CpFunctional::image(const EopCommand& c) {
    SampleCounts counts;
    counts.event_type = c.event_type;
    if (c.data_sel == EopData::Counters && c.location.ring == 0)
        counts = backend_.samples(c.event_type);
    EopImage image = eop_image(c, c.data_sel == EopData::Clock ? backend_.gpu_clock() : 0,
                               perfcounter_, counts, spec_.depth_blocks, spec_.registers->events);
    if (c.data_sel == EopData::Increment) {
        uint64_t semaphore = 0;
        if (!backend_.mem_read(c.address, &semaphore, 8, c.location.vmid))
            fault(c.location, (spec_.registers->events.name(c.event_type) + " write to").c_str(),
                  c.address);
        image.values[0] += semaphore;
    }
    return image;
}

void CpFunctional::post_event(const Location& location, uint8_t type) {
    backend_.event(location.ring, type);
    if (type == spec_.registers->events.streamout_flush)
        file_.streamout_flushed();
}

void CpFunctional::end_of_pipe(const EopCommand& c) {
    post_event(c.location, c.event_type);
    if (c.invalidate_l2) {
        CacheAction action;
        action.writeback_l2 = action.invalidate_l2 = true;
        backend_.cache_action(action);
    }
    if (c.gds_dwords != 0)
        store_gds(c);
    const EopImage image = this->image(c);
    for (unsigned i = 0; i < image.count; ++i) {
        const uint64_t address = c.address + uint64_t{i} * image.stride;
        if (!backend_.mem_write(address, &image.values[i], image.bytes, c.location.vmid))
            fault(c.location, (spec_.registers->events.name(c.event_type) + " write to").c_str(),
                  address);
    }
    file_.end_of_pipe(c.location.ring, is_fence(c.data_sel), image.values[0],
                      c.interrupt != EopInterrupt::None, c.location.vmid);
}

void CpFunctional::atomic(const Location& location, const MicroOp& op, OpResult& result) {
    const size_t bytes = 4u * op.dwords;
    uint64_t old = 0;
    if (!backend_.mem_read(op.address, &old, bytes, location.vmid))
        fault(location, op, "read of", op.address);
    const uint64_t value = op.dwords == 2 ? atomic64(op.atomic, old, op.operand, op.compare)
                                          : atomic32(op.atomic, static_cast<uint32_t>(old),
                                                     static_cast<uint32_t>(op.operand),
                                                     static_cast<uint32_t>(op.compare));
    if (!backend_.mem_write(op.address, &value, bytes, location.vmid))
        fault(location, op, "write to", op.address);
    result.value = old;
}

void CpFunctional::start_skip(unsigned ring, uint32_t dwords) {
    Ring& r = rings_[ring];
    const uint32_t most = stream(ring).most_left(1);
    if (dwords > most)
        skips_too_far(r.program.info(), r.program.location(), dwords, most);
    r.skip = dwords;
    r.walk.begin(dwords);
}

// False: the rest is beyond the write pointer.
bool CpFunctional::skip_on(unsigned ring) {
    Ring& r = rings_[ring];
    const Location& location = r.program.location();
    const front::StreamStack<>& stream = this->stream(ring);
    const uint32_t dwords = std::min(r.skip, stream.unread());
    if (r.body.size() < dwords)
        r.body.resize(dwords);
    fetch(location, stream.top().position, dwords, r.body.data());
    for (uint32_t i = 0; i < dwords; ++i)
        r.walk.take(r.body[i], *spec_.packets, r.program.info(), location);
    advance(ring, dwords);
    r.skip -= dwords;
    return r.skip == 0;
}

// The pipe has drawn everything when the event returns.
void CpFunctional::close_context() {
    Contexts& contexts = de_.contexts;
    backend_.event(0, spec_.registers->events.context_done);
    contexts.close();
    contexts.done(contexts.current);
}

// The write of `offset` needs the next render context.
void CpFunctional::roll_context(uint8_t ring, uint32_t offset) {
    Contexts& contexts = de_.contexts;
    if (!contexts.closed)
        close_context();
    RegRequest request;
    request.write = true;
    request.source = kRegFromCp;
    request.ring = ring;
    request.value = contexts.current;
    contexts.take();
    request.offset = spec_.registers->copy_state;
    request.context = contexts.current;
    if (offset != spec_.registers->copy_state && request.context != request.value)
        backend_.reg_write(request);
}

uint32_t CpFunctional::read_register(const Location& location, uint32_t offset) {
    RegRequest request;
    request.offset = offset;
    request.source = kRegFromCp;
    request.ring = location.ring;
    request.context = de_.contexts.current;
    return backend_.reg_read(request);
}

void CpFunctional::write_register(Ring& r, uint32_t offset, uint32_t value) {
    struct Steps {
        CpFunctional& cp;
        PacketProgram& program;
        void report(const PrivilegeFault& fault) const { cp.file_.privilege_fault(fault); }
        OpStep roll(uint32_t offset) const {
            if (cp.de_.contexts.step(offset) != RollStep::None)
                cp.roll_context(program.location().ring, offset);
            return OpStep::Finished;
        }
        OpStep post_event(uint8_t type) const {
            return cp.post_event(program.location(), type), OpStep::Finished;
        }
        OpStep send(uint32_t offset, uint32_t value) const {
            RegRequest request = cp.write_request(program.location(), offset);
            request.value = value;
            request.place = note_register_write(program, cp.spec_.known_registers, offset, value);
            return cp.backend_.reg_write(request), OpStep::Finished;
        }
    };
    write_packet_register(r.program, spec_, offset, value, Steps{*this, r.program});
}

inline void CpFunctional::read_memory(const Location& location, const MicroOp& op,
                                      OpResult& result) {
    result.data[1] = 0;
    if (!backend_.mem_read(op.address, result.data.data(), 4u * op.dwords, location.vmid))
        fault(location, op, "read of", op.address);
    for (unsigned i = 0; i < op.dwords; ++i)
        result.data[i] = swap_dword(result.data[i], op.swap);
    result.value = result.data[0] | uint64_t{result.data[1]} << 32;
}

inline void CpFunctional::write_memory(const Location& location, MicroOp& op) {
    for (unsigned i = 0; i < op.dwords; ++i)
        op.data[i] = swap_dword(op.data[i], op.swap);
    if (!backend_.mem_write(op.address, op.data.data(), 4u * op.dwords,
                            op.kernel ? uint8_t{0} : location.vmid))
        fault(location, op, "write to", line_of(op.address));
}

void CpFunctional::increment_de(const Location& location, const MicroOp& op) {
    backend_.event(location.ring, op.event_type);
    ce_.send(op.ce);
    const bool left = de_.rings[location.ring].incremented(op.ce.buffer);
    ce_.send(
        {location.ring, DeKind::IncrementDone, op.ce.buffer, static_cast<uint8_t>(left ? 1 : 0)});
}

// False for a delay or a wait for the constant engine: the ring's poll has failed.
bool CpFunctional::execute(Ring& r, MicroOp& op) {
    if (op.kind != OpKind::RegWrite)
        return execute_other(r, op);
    const uint32_t value = op.stream ? r.body[r.taken++] : op.value;
    op.value = value;
    write_register(r, op.offset, value);
    r.program.result.value = value;
    if (logs_packets(observers_) && logs_registers(r.program.info()))
        log_register(observers_, path_, 0, spec_, r.program, op);
    return true;
}

// What is not a register write.
bool CpFunctional::execute_other(Ring& r, MicroOp& op) {
    const Location& location = r.program.location();
    OpResult& result = r.program.result;
    if (op.stream) {
        for (unsigned i = 0; i < op.dwords; ++i)
            op.data[i] = r.body[r.taken++];
        if (op.kind == OpKind::Take)
            std::copy_n(op.data.begin(), op.dwords, result.data.begin());
    }
    switch (op.kind) {
        case OpKind::RegWrite:
            break;
        case OpKind::RegRead:
            check_known(r.program, spec_.known_registers, "reads", op.offset);
            result.value = read_register(location, op.offset);
            r.last_read = static_cast<uint32_t>(result.value);
            break;
        case OpKind::MemRead:
            read_memory(location, op, result);
            r.last_read = result.data[0];
            break;
        case OpKind::MemWrite:
            write_memory(location, op);
            break;
        case OpKind::Atomic:
            atomic(location, op, result);
            r.last_read = static_cast<uint32_t>(result.value);
            break;
        case OpKind::Delay:
            return false;
        case OpKind::Event:
            post_event(location, op.event_type);
            break;
        case OpKind::Eop:
            end_of_pipe(op.eop);
            break;
        case OpKind::CacheStart:
            backend_.cache_action(op.action);
            break;
        case OpKind::CachePoll:
            result.value = 1;
            break;
        case OpKind::Dma:
            dma(op.dma);
            break;
        case OpKind::Clock:
            result.value = backend_.gpu_clock();
            break;
        case OpKind::CeWait:
            result.value = ce_.request_grant(op.ce);
            return result.value != 0;
        case OpKind::CeTell:
            ce_.send(op.ce);
            break;
        case OpKind::DeIncrement:
            increment_de(location, op);
            break;
        case OpKind::GdsRead:
        case OpKind::GdsWrite:
        case OpKind::GdsAtomic:
        case OpKind::RingError:
            execute_gds(r, op);
            break;
        case OpKind::ContextsIdle:
            if (de_.contexts.drawn)
                close_context();
            break;
        case OpKind::Take:
        case OpKind::WaitGds:
        case OpKind::WaitGdsStore:
        case OpKind::WaitWrites:
        case OpKind::WaitDma:
        case OpKind::SyncPfp:
            break;  // everything is complete at once
    }
    return true;
}

CpFunctional::Outcome CpFunctional::run(unsigned ring) {
    Ring& r = rings_[ring];
    MicroOp op;
    while (r.in_packet || !r.stream.in_ring() || !idle(ring)) {
        if (file_.halted())
            return Outcome::Waiting;
        if (!r.in_packet) {
            if (!error_.empty() || backend_.bus_waits())
                return Outcome::Waiting;  // the parser is halted, or the bus is
            if (r.skip != 0 && !skip_on(ring))
                return Outcome::Waiting;
            try {
                if (!begin(ring))
                    return idle(ring) ? Outcome::Idle : Outcome::Waiting;
            } catch (const PacketStop& stop) {
                const uint32_t bits = spec_.registers->error_status(stop.fault());
                if ((file_.interrupt_control(ring) & bits) == 0)
                    throw;
                error_ = stop.what();
                file_.ring_error(ring, bits, stop.location().vmid);
                return Outcome::Waiting;
            }
        }
        while (r.program.next(op)) {
            if (!execute(r, op))
                return Outcome::Waiting;
        }
        r.in_packet = false;
        if (r.program.skip() != 0)
            start_skip(ring, r.program.skip());
    }
    return Outcome::Idle;
}

CpFunctional::Outcome CpFunctional::run_all() {
    for (;;) {
        const uint64_t before = packets_;
        for (unsigned ring = 0; ring < spec_.rings; ++ring) {
            const bool was_in_packet = rings_[ring].in_packet;
            run(ring);
            if (was_in_packet && !rings_[ring].in_packet)
                ++packets_;  // a poll that failed before has succeeded
        }
        // A ring's packets may have moved the write pointer of one before it.
        bool all_idle = true;
        for (unsigned ring = 0; ring < spec_.rings; ++ring)
            all_idle = all_idle && idle(ring);
        if (all_idle)
            return ce_.idle() ? Outcome::Idle : Outcome::Waiting;
        if (packets_ == before)
            return Outcome::Waiting;
    }
}

// The packet that continues beyond the write pointer, or the one whose skipped dwords do.
std::string CpFunctional::missing_at(unsigned ring) const {
    const Ring& r = rings_[ring];
    front::StreamStack<> stream = r.stream;
    return to_string(r.skip != 0 ? r.program.location() : follow_ring(ring, stream).location(ring));
}

std::string CpFunctional::waiting_for() const {
    std::string text;
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const Ring& r = rings_[i];
        if (idle(i))
            continue;
        text += (text.empty() ? "ring " : "; ring ") + std::string(ring_name(i)) + ": ";
        if (file_.me_halted() || file_.pfp_halted())
            text += "engines are halted";
        else if (!r.in_packet && !error_.empty())
            text += "PFP halted, the host has the error: " + error_;
        else if (!r.in_packet && backend_.bus_waits())
            text += std::string("ME waits for ") + kHeldBus;
        else if (r.in_packet)
            text += to_string(r.program.runs_on()) +
                    (" waits for " + describe_wait(r.program, r.last_read)) + " at " +
                    to_string(r.program.location());
        else
            text += std::string("PFP waits for ") + kBeyondWritePointer + " at " + missing_at(i);
    }
    const std::string constants = ce_.waiting_for();
    if (!constants.empty())
        text += (text.empty() ? "" : "; ") + constants;
    return text;
}

std::vector<std::string> CpFunctional::warnings() const {
    std::vector<std::string> lines;
    de_.warnings.describe(lines);
    ce_.warnings().describe(lines);
    return lines;
}

CpReport CpFunctional::report() const {
    CpReport report;
    report_registers(file_, de_, report);
    for (unsigned i = 0; i < spec_.rings; ++i) {
        const Ring& r = rings_[i];
        RingReport& ring = report.rings[i];
        if (!r.in_packet && !idle(i)) {
            ring.engine = "PFP";
            ring.place = missing_at(i);
            ring.packet = r.skip != 0 ? r.program.info().name : "";
            ring.waits_for = file_.halted()         ? "ME_HALT or PFP_HALT"
                             : !error_.empty()      ? "the host, which has the error: " + error_
                             : backend_.bus_waits() ? kHeldBus
                                                    : kBeyondWritePointer;
        }
        if (!r.in_packet)
            continue;
        ring.engine = to_string(r.program.runs_on());
        ring.place = to_string(r.program.location());
        ring.packet = describe_packet(*spec_.packets, r.program.header(), r.body.data(),
                                      r.program.info().fixed, spec_.register_namer);
        ring.waits_for =
            file_.halted() ? "ME_HALT or PFP_HALT" : describe_wait(r.program, r.last_read);
    }
    const std::string constants = ce_.waiting_for();
    if (!constants.empty())
        report.constants.push_back(constants);
    return report;
}

}  // namespace archipelago::cp
