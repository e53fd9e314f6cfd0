// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/bus_ports.h"

#include <algorithm>
#include <cstring>

#include "models/common/error.h"

namespace archipelago::adapters {

tlm::tlm_response_status to_tlm(BusStatus status) {
    switch (status) {
        case BusStatus::Ok:
            return tlm::TLM_OK_RESPONSE;
        case BusStatus::AddressError:
            return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        case BusStatus::ByteEnableError:
            return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        case BusStatus::BurstError:
            return tlm::TLM_BURST_ERROR_RESPONSE;
        default:
            return tlm::TLM_GENERIC_ERROR_RESPONSE;
    }
}

// ---- target ------------------------------------------------------------------------------------

BusTargetPort::BusTargetPort(const sc_core::sc_module_name& name, tlm_shell::ClockDomain& clock,
                             unsigned depth, uint64_t base)
    : sc_core::sc_module(name), clock_(clock), depth_(depth), base_(base) {
    socket.bind(*this);
}

tlm::tlm_response_status BusTargetPort::shape_of(const tlm::tlm_generic_payload& gp) {
    if (!gp.is_read() && !gp.is_write())
        return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (gp.get_data_length() == 0 || gp.get_streaming_width() == 0)
        return tlm::TLM_BURST_ERROR_RESPONSE;
    if (gp.get_byte_enable_ptr() != nullptr && gp.get_byte_enable_length() == 0)
        return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (gp.get_data_ptr() == nullptr)
        return tlm::TLM_GENERIC_ERROR_RESPONSE;
    return tlm::TLM_OK_RESPONSE;
}

void BusTargetPort::accept(tlm::tlm_generic_payload& gp, const sc_core::sc_time& delay,
                           sc_core::sc_event* done) {
    const Cycle ready = clock_.edge_after(delay);
    arriving_.push_back({&gp, ready, done});
    ++open_;
    if (on_work)
        on_work(ready);
}

tlm::tlm_sync_enum BusTargetPort::nb_transport_fw(tlm::tlm_generic_payload& gp,
                                                  tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) {
        const tlm::tlm_response_status shape = shape_of(gp);
        if (shape != tlm::TLM_OK_RESPONSE) {
            gp.set_response_status(shape);
            return tlm::TLM_COMPLETED;
        }
        if (waiting_ != nullptr)
            throw MachineStop(StopKind::Protocol, name(),
                              "BEGIN_REQ while a request is outstanding");
        gp.acquire();
        if (arriving_.size() < depth_) {
            accept(gp, delay, nullptr);
            phase = tlm::END_REQ;
            return tlm::TLM_UPDATED;
        }
        waiting_ = &gp;
        waiting_begin_ = sc_core::sc_time_stamp() + delay;
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::END_RESP) {
        if (answering_ != &gp)
            throw MachineStop(StopKind::Protocol, name(), "END_RESP without BEGIN_RESP");
        answering_ = nullptr;
        gp.release();
        if (on_work && !answers_.empty())
            on_work(clock_.edge_after(delay));
        return tlm::TLM_COMPLETED;
    }
    throw MachineStop(StopKind::Protocol, name(), "phase not allowed on the forward path");
}

void BusTargetPort::b_transport(tlm::tlm_generic_payload& gp, sc_core::sc_time& delay) {
    const tlm::tlm_response_status shape = shape_of(gp);
    if (shape != tlm::TLM_OK_RESPONSE) {
        gp.set_response_status(shape);
        return;
    }
    sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    while (arriving_.size() >= depth_)
        sc_core::wait(room_);
    sc_core::sc_event done;
    accept(gp, sc_core::SC_ZERO_TIME, &done);
    sc_core::wait(done);
}

unsigned BusTargetPort::transport_dbg(tlm::tlm_generic_payload& gp) {
    if (shape_of(gp) != tlm::TLM_OK_RESPONSE || gp.get_address() < base_) {
        gp.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return 0;
    }
    // Without a back door the status stays as it was: that there is nothing would be untrue.
    if (!(gp.is_read() ? bool(door_.read) : bool(door_.write)))
        return 0;
    const uint64_t address = gp.get_address() - base_;
    const unsigned n = gp.get_data_length();
    bool ok = false;
    if (gp.is_read())
        ok = door_.read(address, gp.get_data_ptr(), n);
    else
        ok = door_.write(address, gp.get_data_ptr(), n);
    gp.set_response_status(ok ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return ok ? n : 0;
}

BusRequest BusTargetPort::take(Cycle) {
    const Arriving a = arriving_.front();
    arriving_.pop_front();
    room_.notify(sc_core::SC_ZERO_TIME);
    tlm::tlm_generic_payload& gp = *a.gp;
    BusRequest r;
    if (free_.empty()) {
        free_.push_back(slots_.size());
        slots_.emplace_back();
    }
    r.tag = free_.back();
    free_.pop_back();
    slots_[r.tag] = {&gp, a.done};
    r.write = gp.is_write();
    r.address = gp.get_address() - base_;
    r.length = gp.get_data_length();
    r.streaming = gp.get_streaming_width() < r.length ? gp.get_streaming_width() : 0;
    if (r.write) {
        r.data.assign(gp.get_data_ptr(), gp.get_data_ptr() + r.length);
        if (gp.get_byte_enable_ptr() != nullptr) {
            r.enable.resize(r.length);
            for (uint32_t i = 0; i < r.length; ++i)
                r.enable[i] = gp.get_byte_enable_ptr()[i % gp.get_byte_enable_length()];
        }
    }
    AxiExtension* e = nullptr;
    gp.get_extension(e);
    if (e != nullptr) {
        r.id = e->id;
        r.attributes = e->attributes;
        r.wrap = e->wrap;
        r.wrap_start = e->wrap_start - base_;
    }
    return r;
}

void BusTargetPort::respond(BusResponse response) {
    const Slot slot = slots_.at(response.tag);
    slots_[response.tag] = {};
    free_.push_back(response.tag);
    --open_;
    tlm::tlm_generic_payload& gp = *slot.gp;
    if (!response.write && response.status == BusStatus::Ok) {
        const unsigned char* enable = gp.get_byte_enable_ptr();
        for (unsigned i = 0; i < gp.get_data_length(); ++i)
            if (enable == nullptr || enable[i % gp.get_byte_enable_length()] == TLM_BYTE_ENABLED)
                gp.get_data_ptr()[i] = response.data[i];
    }
    AxiExtension* e = nullptr;
    gp.get_extension(e);
    if (e != nullptr)
        e->exclusive_ok = response.exclusive_ok;
    gp.set_response_status(to_tlm(response.status));
    if (slot.done != nullptr)
        slot.done->notify(sc_core::SC_ZERO_TIME);
    else
        answers_.push_back(&gp);
}

void BusTargetPort::tick(Cycle) {
    if (waiting_ != nullptr && arriving_.size() < depth_) {
        tlm::tlm_generic_payload& gp = *waiting_;
        waiting_ = nullptr;
        const sc_core::sc_time& now = sc_core::sc_time_stamp();
        sc_core::sc_time delay =
            waiting_begin_ > now ? waiting_begin_ - now : sc_core::SC_ZERO_TIME;
        accept(gp, delay, nullptr);
        tlm::tlm_phase phase = tlm::END_REQ;
        socket->nb_transport_bw(gp, phase, delay);
    }
    while (answering_ == nullptr && !answers_.empty())
        begin_response();
}

void BusTargetPort::begin_response() {
    tlm::tlm_generic_payload& gp = *answers_.front();
    answers_.pop_front();
    answering_ = &gp;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum status = socket->nb_transport_bw(gp, phase, delay);
    if (status == tlm::TLM_COMPLETED || (status == tlm::TLM_UPDATED && phase == tlm::END_RESP)) {
        answering_ = nullptr;
        gp.release();
    }
}

// ---- initiator ---------------------------------------------------------------------------------

BusInitiatorPort::BusInitiatorPort(const sc_core::sc_module_name& name, unsigned line_bytes,
                                   uint64_t base)
    : sc_core::sc_module(name), line_bytes_(line_bytes), base_(base) {
    socket.bind(*this);
}

void BusInitiatorPort::submit(BusRequest request) {
    const uint64_t key = next_key_++;
    Open& open = open_[key];
    open.response.tag = request.tag;
    open.response.write = request.write;
    if (!request.write)
        open.response.data.assign(request.length, 0);
    open.request = std::move(request);
    const BusRequest& r = open.request;
    ++open.pieces;  // until all are cut
    if (r.streaming != 0 && r.streaming < r.length) {
        // Repetitions one by one: few targets know streaming.
        for (uint32_t at = 0; at < r.length; at += r.streaming)
            cut(key, r, r.address, at, std::min(r.streaming, r.length - at));
    } else {
        cut(key, r, r.address, 0, r.length);
    }
    finish_piece(key);
}

void BusInitiatorPort::cut(uint64_t key, const BusRequest& r, uint64_t address, uint32_t offset,
                           uint32_t length) {
    while (length > 0) {
        uint32_t n = length;
        if (line_bytes_ != 0)
            n = static_cast<uint32_t>(
                std::min<uint64_t>(n, line_bytes_ - (address + base_) % line_bytes_));
        Piece p{key, address, offset, n, {}, {}};
        bool any = true;
        if (r.write && !r.enable.empty()) {
            const auto begin = r.enable.begin() + offset;
            const auto on = [](uint8_t e) { return e != 0; };
            const auto first = std::find_if(begin, begin + n, on);
            any = first != begin + n;
            if (any) {
                // Contiguous bytes need no byte enables: memories without them serve most traffic.
                auto last = begin + n;
                while (*(last - 1) == 0)
                    --last;
                const auto skipped = static_cast<uint32_t>(first - begin);
                p.address += skipped;
                p.offset += skipped;
                p.length = static_cast<uint32_t>(last - first);
                if (!std::all_of(first, last, on)) {
                    p.enable.assign(first, last);
                    for (uint8_t& e : p.enable)
                        e = e != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
                }
            }
        }
        if (any) {
            if (r.write)
                p.data.assign(r.data.begin() + p.offset, r.data.begin() + p.offset + p.length);
            else
                p.data.assign(p.length, 0);
            ++open_[key].pieces;
            to_send_.push_back(std::move(p));
        }
        address += n;
        offset += n;
        length -= n;
    }
}

BusResponse BusInitiatorPort::pop() {
    BusResponse r = std::move(responses_.front());
    responses_.pop_front();
    return r;
}

void BusInitiatorPort::forget() {
    for (auto& [key, open] : open_)
        open.forgotten = true;
    for (const Piece& p : to_send_)
        finish_piece(p.key);
    to_send_.clear();
    responses_.clear();
}

void BusInitiatorPort::tick() {
    while (!responding_.empty()) {
        const Held held = responding_.front();
        responding_.pop_front();
        finish(*held.payload);
        tlm::tlm_phase phase = tlm::END_RESP;
        sc_core::sc_time delay = held.begin > sc_core::sc_time_stamp()
                                     ? held.begin - sc_core::sc_time_stamp()
                                     : sc_core::SC_ZERO_TIME;
        socket->nb_transport_fw(held.payload->gp, phase, delay);
        held.payload->gp.release();
    }
    while (pending_ == nullptr && !to_send_.empty() && free_at_ <= sc_core::sc_time_stamp())
        send();
}

void BusInitiatorPort::send() {
    tlm_shell::Payload& p = pool_.acquire();
    Piece& piece = on_the_way_[&p] = std::move(to_send_.front());
    to_send_.pop_front();
    const BusRequest& r = open_[piece.key].request;
    tlm::tlm_generic_payload& gp = p.gp;
    gp.set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    gp.set_address(piece.address + base_);
    gp.set_data_ptr(piece.data.data());
    gp.set_data_length(piece.length);
    gp.set_streaming_width(piece.length);
    gp.set_byte_enable_ptr(piece.enable.empty() ? nullptr : piece.enable.data());
    gp.set_byte_enable_length(static_cast<unsigned>(piece.enable.size()));
    p.ext = {};
    p.ext.byte_mask = ~uint64_t{0};
    p.command = r.write ? MemCommand::Write : MemCommand::Read;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    pending_ = &p;
    const tlm::tlm_sync_enum status = socket->nb_transport_fw(gp, phase, delay);
    if (status == tlm::TLM_COMPLETED) {
        pending_ = nullptr;
        finish(p);
        gp.release();
    } else if (status == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
        pending_ = nullptr;
        free_at_ = sc_core::sc_time_stamp() + delay;
    } else if (status == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP) {
        pending_ = nullptr;
        responding_.push_back({&p, sc_core::sc_time_stamp() + delay});
    }
}

tlm::tlm_sync_enum BusInitiatorPort::nb_transport_bw(tlm::tlm_generic_payload& gp,
                                                     tlm::tlm_phase& phase,
                                                     sc_core::sc_time& delay) {
    auto& p = *static_cast<tlm_shell::Payload::Owned&>(gp).owner;
    if (on_work)
        on_work();
    if (phase == tlm::END_REQ && pending_ == &p) {
        pending_ = nullptr;
        free_at_ = sc_core::sc_time_stamp() + delay;
        return tlm::TLM_ACCEPTED;
    }
    if (phase == tlm::BEGIN_RESP) {
        if (pending_ == &p)
            pending_ = nullptr;
        // Answered with the next edge, as pins are.
        responding_.push_back({&p, sc_core::sc_time_stamp() + delay});
        return tlm::TLM_ACCEPTED;
    }
    throw MachineStop(StopKind::Protocol, name(), "phase not allowed on the backward path");
}

void BusInitiatorPort::finish(tlm_shell::Payload& p) {
    const auto it = on_the_way_.find(&p);
    const Piece piece = std::move(it->second);
    on_the_way_.erase(it);
    Open& open = open_[piece.key];
    const tlm::tlm_response_status status = p.gp.get_response_status();
    if (status != tlm::TLM_OK_RESPONSE) {
        if (open.response.status == BusStatus::Ok)
            open.response.status = status == tlm::TLM_ADDRESS_ERROR_RESPONSE
                                       ? BusStatus::AddressError
                                       : BusStatus::Error;
    } else if (!open.request.write) {
        std::copy(piece.data.begin(), piece.data.end(), open.response.data.begin() + piece.offset);
    }
    finish_piece(piece.key);
}

void BusInitiatorPort::finish_piece(uint64_t key) {
    const auto it = open_.find(key);
    if (--it->second.pieces != 0)
        return;
    if (!it->second.forgotten)
        responses_.push_back(std::move(it->second.response));
    open_.erase(it);
    if (on_work)
        on_work();
}

}  // namespace archipelago::adapters
