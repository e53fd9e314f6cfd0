// SPDX-License-Identifier: Apache-2.0
// Clients and stores for tests of caches, crossbars and memory controllers.
#pragma once

#include <cstring>
#include <deque>
#include <vector>

#include "models/common/atomic_op.h"
#include "models/common/channel.h"
#include "models/common/clocked.h"
#include "models/common/memory_image.h"
#include "models/common/memory_message.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::test {

using Random = archipelago::Random<XorShiftStar>;

inline MemRequest read_of(uint64_t line, uint32_t tag = 0) {
    MemRequest r;
    r.line = line;
    r.byte_mask = ~uint64_t{0};
    r.client = Client::Vector;
    r.tag = tag;
    return r;
}

inline MemRequest write_of(uint64_t address, const std::vector<uint8_t>& bytes, uint32_t tag = 0) {
    MemRequest r;
    r.command = MemCommand::Write;
    r.line = line_of(address);
    for (size_t i = 0; i < bytes.size(); ++i) {
        const uint64_t at = address % kLineBytes + i;
        r.byte_mask |= uint64_t{1} << at;
        r.data[at] = bytes[i];
    }
    r.client = Client::Vector;
    r.tag = tag;
    return r;
}

inline MemRequest atomic_of(uint64_t address, AtomicOp op, uint32_t operand, uint32_t tag = 0) {
    MemRequest r;
    r.command = MemCommand::Atomic;
    r.atomic = op;
    r.line = line_of(address);
    r.byte_mask = uint64_t{0xF} << address % kLineBytes;
    std::memcpy(&r.data[address % kLineBytes], &operand, 4);
    r.client = Client::Vector;
    r.tag = tag;
    return r;
}

inline uint32_t dword_at(const Line& line, unsigned offset) {
    uint32_t value = 0;
    std::memcpy(&value, &line[offset], 4);
    return value;
}

// Sends requests from their cycle on, one per cycle at most, and keeps the answers with theirs.
template <class Request, class Response>
class ClientOf : public Clocked {
  public:
    struct Answer {
        Cycle at = 0;
        Response response;
    };
    explicit ClientOf(Channel<Request>& out, ChannelSpec in = {4, 1}) : answers_in(in), out_(out) {
        out.set_producer(this);
        answers_in.set_consumer(this);
    }
    void send(Request request, Cycle not_before = 0) {
        queue_.push_back({not_before, std::move(request)});
        wake_at(not_before);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        if (answers_in.can_pop(now)) {
            answers.push_back({now, answers_in.pop(now)});
            progress = true;
        }
        if (!queue_.empty()) {
            if (queue_.front().first > now) {
                wake_at(queue_.front().first);
            } else if (out_.can_push(now)) {
                sent_at.push_back(now);
                out_.push(now, queue_.front().second);
                queue_.pop_front();
                progress = true;
            }
        }
        return progress;
    }
    bool all_sent() const { return queue_.empty(); }

    Channel<Response> answers_in;
    std::vector<Answer> answers;
    std::vector<Cycle> sent_at;

  private:
    Channel<Request>& out_;
    std::deque<std::pair<Cycle, Request>> queue_;
};
using MemClient = ClientOf<MemRequest, MemResponse>;

// A memory that answers in order, `latency` cycles after it took a request, one per cycle.
class Store : public Clocked {
  public:
    explicit Store(MemoryImage& image, unsigned latency = 1, ChannelSpec in = {4, 1})
        : requests(in), image_(image), latency_(latency) {
        requests.set_consumer(this);
    }
    void connect(Channel<MemResponse>& out) {
        out_ = &out;
        out.set_producer(this);
    }
    bool tick(Cycle now) override {
        bool progress = false;
        if (requests.can_pop(now)) {
            const MemRequest r = requests.pop(now);
            served.push_back({now, r});
            pending_.emplace_back(now + latency_ - 1, access(r));
            progress = true;
        }
        if (!pending_.empty()) {
            if (pending_.front().first > now) {
                wake_at(pending_.front().first);
            } else if (out_->can_push(now)) {
                out_->push(now, pending_.front().second);
                pending_.pop_front();
                progress = true;
            }
        }
        return progress;
    }
    bool idle() const { return requests.empty() && pending_.empty(); }

    Channel<MemRequest> requests;
    struct Served {
        Cycle at;
        MemRequest request;
    };
    std::vector<Served> served;
    MemStatus refuse_with = MemStatus::Ok;  // anything else: the answer to every access

  private:
    MemResponse access(const MemRequest& r) {
        MemResponse a;
        a.tag = r.tag;
        a.port = r.port;
        a.command = r.command;
        a.line = r.line;
        a.uid = r.uid;
        uint8_t* bytes = image_.page_pointer(r.line);
        if (refuse_with != MemStatus::Ok || bytes == nullptr) {
            a.status = refuse_with != MemStatus::Ok ? refuse_with : MemStatus::Unmapped;
            return a;
        }
        if (r.command == MemCommand::Read) {
            std::memcpy(a.data.data(), bytes, kLineBytes);
        } else {
            for (unsigned i = 0; i < kLineBytes; ++i)
                if ((r.byte_mask >> i & 1) != 0)
                    bytes[i] = r.data[i];
        }
        return a;
    }
    MemoryImage& image_;
    unsigned latency_;
    Channel<MemResponse>* out_ = nullptr;
    std::deque<std::pair<Cycle, MemResponse>> pending_;
};

}  // namespace archipelago::test
