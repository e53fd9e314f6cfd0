// SPDX-License-Identifier: Apache-2.0
// An array of the DPP with simple stand-ins for PE, CO and MC.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "models/ctm/dpp/dpp_core.h"
#include "testbenches/unit/ctm/dpp_programs.h"

namespace archipelago::ctm::dpp::test {

// Answers each request after `latency` cycles, in order.
template <class Request, class Response>
class Port : public Clocked {
  public:
    using Answer = std::function<Response(const Request&)>;
    Port(unsigned latency, Answer answer)
        : in({4, 1}), latency_(latency), answer_(std::move(answer)) {
        in.set_consumer(this);
    }
    void connect(OutputChannel<Request>& from, Channel<Response>& to) {
        from.connect(in);
        out_ = &to;
        to.set_producer(this);
    }
    bool tick(Cycle now) override {
        bool moved = false;
        while (in.can_pop(now)) {
            seen.emplace_back(now, in.pop(now));
            waiting_.emplace_back(now + latency_, answer_(seen.back().second));
            moved = true;
        }
        while (!waiting_.empty() && waiting_.front().first <= now && out_->can_push(now)) {
            out_->push(now, waiting_.front().second);
            waiting_.pop_front();
            moved = true;
        }
        if (!moved && !waiting_.empty())
            wake_at(std::max(now + 1, waiting_.front().first));
        return moved;
    }
    Channel<Request> in;
    std::vector<std::pair<Cycle, Request>> seen;  // and when

  private:
    const unsigned latency_;
    const Answer answer_;
    Channel<Response>* out_ = nullptr;
    std::deque<std::pair<Cycle, Response>> waiting_;
};

class FakePe : public Clocked {
  public:
    FakePe() : done({4, 1}) { done.set_consumer(this); }
    bool tick(Cycle now) override {
        bool moved = false;
        if (!waiting.empty() && launch->can_push(now)) {
            launch->push(now, waiting.front());
            waiting.pop_front();
            moved = true;
        }
        while (done.can_pop(now)) {
            ended.emplace_back(done.pop(now).number, now);
            moved = true;
        }
        return moved;
    }
    Channel<ThreadDone> done;
    Channel<ThreadLaunch>* launch = nullptr;
    std::deque<ThreadLaunch> waiting;
    std::vector<std::pair<uint32_t, Cycle>> ended;
};

// Where a write goes: client, x, y, channel.
using Place = std::tuple<unsigned, unsigned, unsigned, unsigned>;

// What memory holds. Inputs are a function of their index.
struct Contents {
    Program program;
    std::array<std::array<float, 4>, isa::kFloatConstants> floats{};
    std::array<uint32_t, kFlowConstants> integers{};
    std::array<uint32_t, kFlowConstants> booleans{};

    static float texel(unsigned client, Point at, unsigned channel) {
        const unsigned mixed = (client * 7 + at.x * 13u + at.y * 29u + channel * 3) % 17;
        return static_cast<float>(mixed) * 0.5f - 4.0f;
    }
    static bool passes(Point at, uint32_t value) { return ((value >> 20) + at.x + at.y) % 3 != 0; }
    WordsResponse words(const WordsRequest& request) const {
        WordsResponse response;
        response.tag = request.tag;
        switch (request.client) {
            case kInstructions:
                response.words = program.at(request.index);
                break;
            case kFloatConstants:
                std::memcpy(response.words.data(), floats.at(request.index).data(), 16);
                break;
            case kIntegerConstants:
                response.words[0] = integers.at(request.index);
                break;
            default:
                response.words[0] = booleans.at(request.index);
                break;
        }
        return response;
    }
};

// What was written: outputs by place, uncached ones in no order; what was tested.
struct Written {
    std::map<Place, uint32_t> outputs;
    std::vector<std::tuple<unsigned, unsigned, uint32_t>> uncached;
    std::map<std::pair<unsigned, unsigned>, uint32_t> tested;
    void sort() { std::sort(uncached.begin(), uncached.end()); }
    bool operator==(const Written& o) const {
        return outputs == o.outputs && uncached == o.uncached && tested == o.tested;
    }
};

struct Latencies {
    unsigned words = 3, texture = 20, output = 5, condition = 6;
};

// Thread `number` of a domain 8 quads wide, from (x, y) on.
inline ThreadLaunch make_launch(unsigned number = 0, unsigned quads = isa::kMaxQuads) {
    ThreadLaunch l;
    l.number = number;
    l.quads = static_cast<uint8_t>(quads);
    for (unsigned q = 0; q < quads; ++q)
        l.origin[q] = {static_cast<uint16_t>(2 * (q % 4)),
                       static_cast<uint16_t>(2 * (q / 4) + 8 * number)};
    l.covered = (isa::LaneMask{1} << (4 * quads)) - 1;
    l.temporaries = 16;
    return l;
}

class Bench {
  public:
    explicit Bench(const Spec& spec = {}, Latencies latency = {})
        : core(spec, "ctm.dpp3"),
          texture(latency.texture, [](const ElementRequest& r) { return look_up(r); }),
          output(latency.output, [this](const ElementRequest& r) { return write(r); }),
          condition(latency.condition, [this](const ConditionRequest& r) { return test(r); }) {
        for (unsigned kind = 0; kind < kWordsKinds; ++kind) {
            words.push_back(std::make_unique<Port<WordsRequest, WordsResponse>>(
                latency.words, [this](const WordsRequest& r) { return contents.words(r); }));
            words[kind]->connect(core.to_words[kind], core.words_in[kind]);
        }
        texture.connect(core.to_texture, core.texture_in);
        output.connect(core.to_output, core.output_in);
        condition.connect(core.to_condition, core.condition_in);
        core.to_done.connect(pe.done);
        pe.launch = &core.launch_in;
        core.launch_in.set_producer(&pe);
        scheduler.add(pe);
        scheduler.add(core);
        for (auto& port : words)
            scheduler.add(*port);
        scheduler.add(texture);
        scheduler.add(output);
        scheduler.add(condition);
    }
    void load(Program program) { contents.program = std::move(program); }
    void launch(const ThreadLaunch& l) {
        pe.waiting.push_back(l);
        pe.wake_at(0);
    }
    // Runs until nothing moves; returns the cycle in which the last thread was reported done.
    Cycle run(Cycle limit = 1000000) {
        scheduler.run(scheduler.now() + limit);
        written.sort();
        return pe.ended.empty() ? 0 : pe.ended.back().second;
    }
    // Every channel between the array and its neighbours refuses at random.
    void stall(uint64_t seed, unsigned percent) {
        core.launch_in.random_stall(seed, percent);
        core.texture_in.random_stall(seed + 1, percent);
        core.output_in.random_stall(seed + 2, percent);
        core.condition_in.random_stall(seed + 3, percent);
        texture.in.random_stall(seed + 4, percent);
        output.in.random_stall(seed + 5, percent);
        condition.in.random_stall(seed + 6, percent);
        pe.done.random_stall(seed + 7, percent);
        for (unsigned kind = 0; kind < kWordsKinds; ++kind) {
            core.words_in[kind].random_stall(seed + 8 + kind, percent);
            words[kind]->in.random_stall(seed + 12 + kind, percent);
        }
    }
    uint64_t time(ThreadTime which) const {
        return core.state().counters.thread_cycles[static_cast<unsigned>(which)];
    }
    uint64_t instructions(isa::Type type) const {
        return core.state().counters.instructions[static_cast<unsigned>(type)];
    }

    Contents contents;
    Written written;
    DppCore core;
    FakePe pe;
    std::vector<std::unique_ptr<Port<WordsRequest, WordsResponse>>> words;
    Port<ElementRequest, ElementResponse> texture;
    Port<ElementRequest, ElementResponse> output;
    Port<ConditionRequest, ConditionResult> condition;
    Scheduler scheduler;

  private:
    static ElementResponse look_up(const ElementRequest& r) {
        ElementResponse response;
        response.tag = r.tag;
        response.lanes = r.lanes;
        for (unsigned l = 0; l < 4; ++l)
            for (unsigned c = 0; c < 4; ++c) {
                const float texel = Contents::texel(r.client, r.index[l], c);
                std::memcpy(&response.value[l][c], &texel, 4);
            }
        return response;
    }
    ElementResponse write(const ElementRequest& r) {
        for (unsigned l = 0; l < 4; ++l) {
            if ((r.lanes >> l & 1) == 0)
                continue;
            if (r.uncached)
                written.uncached.emplace_back(r.index[l].x, r.index[l].y, r.value[l][0]);
            for (unsigned c = 0; c < 4 && !r.uncached; ++c)
                if ((r.channels[l] >> c & 1) != 0)
                    written.outputs[{r.client, r.index[l].x, r.index[l].y, c}] = r.value[l][c];
        }
        ElementResponse response;
        response.tag = r.tag;
        response.lanes = r.lanes;
        return response;
    }
    ConditionResult test(const ConditionRequest& r) {
        ConditionResult result;
        result.tag = r.tag;
        for (unsigned l = 0; l < 4; ++l) {
            if ((r.lanes >> l & 1) == 0)
                continue;
            const Point at{static_cast<uint16_t>(r.origin.x + (l & 1)),
                           static_cast<uint16_t>(r.origin.y + (l >> 1))};
            written.tested[{at.x, at.y}] = r.value[l];
            if (Contents::passes(at, r.value[l]))
                result.lanes |= static_cast<uint8_t>(1u << l);
        }
        return result;
    }
};

// The same threads in functional mode: each to its end, one after the other.
Written run_plainly(const Contents& contents, const std::vector<ThreadLaunch>& launches);

}  // namespace archipelago::ctm::dpp::test
