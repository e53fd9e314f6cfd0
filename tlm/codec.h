// SPDX-License-Identifier: Apache-2.0
// How core messages become TLM-2.0 payloads and back: memory lines, and registers.
#pragma once

#include <cstring>

#include "tlm/direct_link.h"
#include "tlm/payload.h"

namespace archipelago::tlm_shell {

struct MemoryCodec {
    using Request = MemRequest;
    using Response = MemResponse;
    using Open = OpenRequests;
    static constexpr bool kDirectMemory = true;

    static void to_payload(const MemRequest& r, Payload& p) {
        p.tag = r.tag;
        p.port = r.port;
        p.line = r.line;
        p.command = r.command;
        auto& gp = p.gp;
        Extension& e = p.ext;
        e.client = r.client;
        e.vmid = r.vmid;
        e.glc = r.glc;
        e.slc = r.slc;
        e.write_through = r.write_through;
        e.returns = r.returns;
        e.atomic = r.command == MemCommand::Atomic;
        e.atomic_op = r.atomic;
        e.atomic_bytes = r.atomic_bytes;
        e.source = r.source;
        e.byte_mask = r.byte_mask;
        e.compare = r.compare;
        e.uid = r.uid;
        gp.set_address(r.line);
        gp.set_data_ptr(p.data.data());
        gp.set_data_length(kLineBytes);
        gp.set_streaming_width(kLineBytes);
        gp.set_byte_enable_ptr(nullptr);
        gp.set_byte_enable_length(0);
        switch (r.command) {
            case MemCommand::Read:
                gp.set_command(tlm::TLM_READ_COMMAND);
                break;
            case MemCommand::Atomic:
                gp.set_command(tlm::TLM_IGNORE_COMMAND);
                p.data = r.data;
                break;
            case MemCommand::Write:
                gp.set_command(tlm::TLM_WRITE_COMMAND);
                p.data = r.data;
                set_write_range(r.byte_mask, p);
                break;
        }
    }

    // Contiguous bytes need no byte enables: memories without them serve nearly all traffic.
    static void set_write_range(uint64_t mask, Payload& p) {
        if (mask == ~uint64_t{0})
            return;
        const auto first = static_cast<unsigned>(mask != 0 ? __builtin_ctzll(mask) : 0);
        const uint64_t shifted = mask >> first;
        if (mask != 0 && (shifted & (shifted + 1)) == 0) {
            const auto count = static_cast<unsigned>(__builtin_popcountll(mask));
            p.gp.set_address(p.line + first);
            p.gp.set_data_ptr(p.data.data() + first);
            p.gp.set_data_length(count);
            p.gp.set_streaming_width(count);
            return;
        }
        for (unsigned i = 0; i < kLineBytes; ++i)
            p.byte_enable[i] = (mask >> i & 1) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
        p.gp.set_byte_enable_ptr(p.byte_enable.data());
        p.gp.set_byte_enable_length(kLineBytes);
    }

    static void to_response(const Payload& p, MemResponse& r) {
        r.tag = p.tag;
        r.port = p.port;
        r.command = p.command;
        r.line = p.line;
        r.uid = p.ext.uid;
        switch (p.gp.get_response_status()) {
            case tlm::TLM_OK_RESPONSE:
                r.status = MemStatus::Ok;
                break;
            case tlm::TLM_ADDRESS_ERROR_RESPONSE:
                r.status = MemStatus::Unmapped;
                break;
            default:
                r.status = MemStatus::Error;
                break;
        }
        if (p.command != MemCommand::Write)
            r.data = p.data;
    }

    // Target side: makes the core's request of a payload. Another status than TLM_OK_RESPONSE is
    // the port's response to a payload that has not the shape of a core's message (it crosses a
    // line, its command is unknown).
    static tlm::tlm_response_status from_payload(tlm::tlm_generic_payload& gp, MemRequest& r) {
        const uint64_t address = gp.get_address();
        const unsigned length = gp.get_data_length();
        const unsigned offset = static_cast<unsigned>(address % kLineBytes);
        if (length == 0 || offset + length > kLineBytes || gp.get_streaming_width() < length)
            return tlm::TLM_BURST_ERROR_RESPONSE;
        const unsigned char* enable = gp.get_byte_enable_ptr();
        const unsigned enables = gp.get_byte_enable_length();
        if (enable != nullptr && enables == 0)
            return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        const unsigned char* data = gp.get_data_ptr();
        if (data == nullptr)
            return tlm::TLM_GENERIC_ERROR_RESPONSE;
        r.line = line_of(address);
        r.byte_mask = bytes_in_line(address, length);
        const Extension* e = gp.get_extension<Extension>();
        if (e != nullptr) {
            r.client = e->client;
            r.vmid = e->vmid;
            r.glc = e->glc;
            r.slc = e->slc;
            r.write_through = e->write_through;
            r.returns = e->returns;
            r.source = e->source;
            r.uid = e->uid;
        }
        if (gp.is_read()) {
            r.command = MemCommand::Read;
            if (e != nullptr)
                r.byte_mask = e->byte_mask;
        } else if (gp.is_write()) {
            r.command = MemCommand::Write;
            std::memcpy(&r.data[offset], data, length);
            for (unsigned i = 0; enable != nullptr && i < length; ++i)
                if (enable[i % enables] != TLM_BYTE_ENABLED)
                    r.byte_mask &= ~(uint64_t{1} << (offset + i));
        } else if (e != nullptr && e->atomic) {
            r.command = MemCommand::Atomic;
            r.byte_mask = e->byte_mask;
            r.atomic = e->atomic_op;
            r.atomic_bytes = e->atomic_bytes;
            r.compare = e->compare;
            std::memcpy(&r.data[offset], data, length);
        } else {
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        }
        return tlm::TLM_OK_RESPONSE;
    }

    static void set_tag(MemRequest& r, uint32_t tag) { r.tag = tag; }
    // Posted requests are complete when accepted and bring no response to the core.
    static bool posted(const MemRequest&) { return false; }
    static bool posted(const Payload&) { return false; }

    static void from_response(const MemResponse& r, tlm::tlm_generic_payload& gp) {
        if (r.command != MemCommand::Write && r.status == MemStatus::Ok) {
            const unsigned offset = static_cast<unsigned>(gp.get_address() % kLineBytes);
            const unsigned char* enable = gp.get_byte_enable_ptr();
            if (enable == nullptr) {
                std::memcpy(gp.get_data_ptr(), &r.data[offset], gp.get_data_length());
            } else {
                for (unsigned i = 0; i < gp.get_data_length(); ++i)
                    if (enable[i % gp.get_byte_enable_length()] == TLM_BYTE_ENABLED)
                        gp.get_data_ptr()[i] = r.data[offset + i];
            }
        }
        gp.set_response_status(r.status == MemStatus::Ok         ? tlm::TLM_OK_RESPONSE
                               : r.status == MemStatus::Unmapped ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                                 : tlm::TLM_GENERIC_ERROR_RESPONSE);
    }
};

struct RegisterCodec {
    using Request = RegRequest;
    using Response = RegResponse;
    using Open = OpenReads;
    static constexpr bool kDirectMemory = false;

    static void to_payload(const RegRequest& r, Payload& p) {
        p.tag = r.tag;
        p.port = r.port;
        p.ext.reg = r;
        p.command = r.write ? MemCommand::Write : MemCommand::Read;
        for (unsigned i = 0; i < 4; ++i)
            p.data[i] = static_cast<uint8_t>(r.value >> (8 * i));
        auto& gp = p.gp;
        gp.set_command(r.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
        gp.set_address(r.offset);
        gp.set_data_ptr(p.data.data());
        gp.set_data_length(4);
        gp.set_streaming_width(4);
        gp.set_byte_enable_ptr(nullptr);
        gp.set_byte_enable_length(0);
    }
    static void to_response(const Payload& p, RegResponse& r) {
        r.tag = p.tag;
        r.port = p.port;
        r.write = p.command == MemCommand::Write;
        r.status =
            p.gp.get_response_status() == tlm::TLM_OK_RESPONSE ? RegStatus::Ok : RegStatus::Unknown;
        r.value = word(p.data.data());
    }
    static tlm::tlm_response_status from_payload(tlm::tlm_generic_payload& gp, RegRequest& r) {
        if (!gp.is_write() && !gp.is_read())
            return tlm::TLM_COMMAND_ERROR_RESPONSE;
        if (gp.get_byte_enable_ptr() != nullptr)
            return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
        if (gp.get_data_length() != 4 || gp.get_streaming_width() < 4)
            return tlm::TLM_BURST_ERROR_RESPONSE;
        if (gp.get_address() % 4 != 0 || gp.get_address() > 0xFFFFFFFFu)
            return tlm::TLM_ADDRESS_ERROR_RESPONSE;
        if (gp.get_data_ptr() == nullptr)
            return tlm::TLM_GENERIC_ERROR_RESPONSE;
        if (const Extension* e = gp.get_extension<Extension>())
            r = e->reg;
        r.offset = static_cast<uint32_t>(gp.get_address());
        r.write = gp.is_write();
        r.value = r.write ? word(gp.get_data_ptr()) : 0;
        return tlm::TLM_OK_RESPONSE;
    }
    static void set_tag(RegRequest& r, uint32_t tag) { r.tag = tag; }
    static bool posted(const RegRequest& r) { return r.write; }
    static bool posted(const Payload& p) { return p.command == MemCommand::Write; }
    static void from_response(const RegResponse& r, tlm::tlm_generic_payload& gp) {
        if (!r.write)
            for (unsigned i = 0; i < 4; ++i)
                gp.get_data_ptr()[i] = static_cast<uint8_t>(r.value >> (8 * i));
        gp.set_response_status(r.status == RegStatus::Ok ? tlm::TLM_OK_RESPONSE
                                                         : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    }

  private:
    static uint32_t word(const uint8_t* b) {
        return static_cast<uint32_t>(b[0]) | static_cast<uint32_t>(b[1]) << 8 |
               static_cast<uint32_t>(b[2]) << 16 | static_cast<uint32_t>(b[3]) << 24;
    }
};

}  // namespace archipelago::tlm_shell
