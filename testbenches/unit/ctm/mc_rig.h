// SPDX-License-Identifier: Apache-2.0
// A memory controller in cycle mode with clients and memory around it, ticked by a scheduler.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "models/ctm/mc/mc_core.h"
#include "testbenches/unit/ctm/mc_fixture.h"

namespace archipelago::ctm::test {

// Answers requests of one way in order, `latency` cycles later, or up to `spread` more.
class SlowMemory : public Clocked {
  public:
    SlowMemory(MemoryImage& image, Channel<MemResponse>& back) : image_(image), back_(back) {
        in.set_consumer(this);
        back.set_producer(this);
    }
    Channel<MemRequest> in{{4, 1}};
    unsigned latency = 20;
    unsigned spread = 0;
    std::vector<MemRequest> seen;
    std::vector<Cycle> seen_at;

    bool tick(Cycle now) override {
        bool moved = false;
        if (!waiting_.empty() && waiting_.front().first <= now && back_.can_push(now)) {
            back_.push(now, serve(waiting_.front().second));
            waiting_.pop_front();
            moved = true;
        }
        if (in.can_pop(now)) {
            const MemRequest r = in.pop(now);
            seen.push_back(r);
            seen_at.push_back(now);
            waiting_.emplace_back(now + latency + (spread != 0 ? random_() % spread : 0), r);
            moved = true;
        }
        if (moved)
            wake_at(now + 1);
        else if (!waiting_.empty() && waiting_.front().first > now)
            wake_at(waiting_.front().first);
        return moved;
    }

  private:
    MemResponse serve(const MemRequest& r) {
        MemResponse a;
        a.tag = r.tag;
        a.command = r.command;
        a.line = r.line;
        bool mapped = image_.is_mapped(r.line, kLineBytes);
        if (mapped && r.command == MemCommand::Read)
            image_.read(r.line, a.data.data(), kLineBytes);
        for (unsigned n = 0; mapped && r.command == MemCommand::Write && n < kLineBytes; ++n)
            if ((r.byte_mask >> n & 1) != 0)
                image_.write(r.line + n, &r.data[n], 1);
        a.status = mapped ? MemStatus::Ok : MemStatus::Unmapped;
        return a;
    }
    MemoryImage& image_;
    Channel<MemResponse>& back_;
    std::deque<std::pair<Cycle, MemRequest>> waiting_;
    std::mt19937 random_{9};
};

// A client of one port: sends requests as fast as they are taken, from `start` on.
template <class Request, class Response>
class Asker : public Clocked {
  public:
    Asker(Channel<Request>& to, Output<Channel<Response>>& from) : to_(to) {
        to.set_producer(this);
        in.set_consumer(this);
        from.connect(in);
    }
    Channel<Response> in{{4, 1}};
    std::deque<Request> requests;
    std::vector<Response> answers;
    std::vector<Cycle> sent_at, answered_at;
    bool one_by_one = false;

    bool tick(Cycle now) override {
        bool moved = false;
        if (in.can_pop(now)) {
            answers.push_back(in.pop(now));
            answered_at.push_back(now);
            moved = true;
        }
        const bool free = !one_by_one || sent_at.size() == answers.size();
        if (!requests.empty() && free && to_.can_push(now)) {
            to_.push(now, requests.front());
            requests.pop_front();
            sent_at.push_back(now);
            moved = true;
        }
        if (moved)
            wake_at(now + 1);
        return moved;
    }

  private:
    Channel<Request>& to_;
};

class Rig {
  public:
    using Elements = Asker<ElementRequest, ElementResponse>;
    using Words = Asker<WordsRequest, WordsResponse>;

    explicit Rig(const McSpec& spec, const Units& units = {}) : core(spec, units) {
        for (size_t i = 0; i < core.from_local.size(); ++i) {
            memories.push_back(std::make_unique<SlowMemory>(image, core.from_local[i]));
            core.to_local[i].connect(memories.back()->in);
        }
        memories.push_back(std::make_unique<SlowMemory>(image, core.from_system));
        core.to_system.connect(memories.back()->in);
        for (size_t i = 0; i < core.elements.size(); ++i)
            elements.push_back(std::make_unique<Elements>(core.elements[i], core.to_elements[i]));
        for (size_t i = 0; i < core.words.size(); ++i)
            words.push_back(std::make_unique<Words>(core.words[i], core.to_words[i]));
        core.to_pe.connect(pe);
        core.to_command_done.connect(done);
        scheduler.add(core);
        for (const auto& member : memories)
            scheduler.add(*member);
        for (const auto& member : elements)
            scheduler.add(*member);
        for (const auto& member : words)
            scheduler.add(*member);
        scheduler.step(0);
    }

    Cycle now() const { return scheduler.now(); }
    SlowMemory& system() { return *memories.back(); }
    // Runs until nothing happens any more.
    void settle() {
        for (const auto& client : elements)
            client->wake_at(now() + 1);
        for (const auto& client : words)
            client->wake_at(now() + 1);
        scheduler.run(now() + 10'000'000);
        EXPECT_TRUE(core.idle()) << core.waiting_for();
        EXPECT_EQ(core.waiting_for(), "");
    }
    // Carries a command out and returns how many cycles after it was given its answer came.
    Cycle carry_out(const UnitCommand& command) {
        const Cycle begin = now();
        EXPECT_TRUE(core.commands.can_push(begin));
        core.commands.push(begin, command);
        while (!done.ready(now())) {
            const Cycle next = scheduler.next_wake();
            if (next == kNever) {
                ADD_FAILURE() << "no answer to command " << int{command.opcode};
                return 0;
            }
            scheduler.step(next);
            // The event is seen without a tick of its own.
            if (!done.ready(now()) && !done.empty())
                scheduler.step(now() + 1);
        }
        EXPECT_EQ(done.take().opcode, command.opcode);
        return now() - begin;
    }
    uint32_t word(uint32_t address) const {
        uint32_t word = 0;
        image.read(address, &word, sizeof word);
        return word;
    }
    void set(uint32_t address, uint32_t word) { image.write(address, &word, sizeof word); }
    size_t requests_seen() const {
        size_t n = 0;
        for (const auto& memory : memories)
            n += memory->seen.size();
        return n;
    }

    MemoryImage image;
    McCore core;
    std::vector<std::unique_ptr<SlowMemory>> memories;  // local, then the host's
    std::vector<std::unique_ptr<Elements>> elements;
    std::vector<std::unique_ptr<Words>> words;
    Channel<MemResponse> pe{{4, 1}};
    EventLink<UnitCommandDone> done;
    Scheduler scheduler;
};

}  // namespace archipelago::ctm::test
