// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <vector>

#include "models/common/error.h"
#include "models/dma/linear_core.h"
#include "models/dma/transfer_core.h"
#include "testbenches/cosim/on_pins.h"

namespace archipelago::rtl {
namespace {

struct TestSpan {
    uint64_t address = 0;
    uint32_t bytes = 0;
};
using TestSpans = std::vector<TestSpan>;

// Memory that answers each request some cycles later, and the engine that gives the spans.
class DmaLinearPinsTest : public OnPins<DmaLinearPins> {
  protected:
    using Pins = DmaLinearPins;
    void SetUp() override {
        OnPins::SetUp();
        in_.config = {64, 64, 16, 4, 4};
        reset();
    }
    void reset() {
        in_.rst = 1;
        step();
        in_.rst = 0;
        in_.req_ready = 1;
    }

    uint8_t& at(uint64_t address) {
        return memory_.try_emplace(address, static_cast<uint8_t>(address * 37 ^ address >> 7))
            .first->second;
    }
    void answer() {
        in_.rsp_valid = in_.ack_valid = 0;
        if (!reads_.empty() && cycle_ >= reads_.front().due) {
            const size_t which = backwards_ ? reads_.size() - 1 : 0;
            in_.rsp_valid = 1;
            in_.rsp.tag = reads_[which].request.tag;
            uint8_t bytes[64];
            for (unsigned i = 0; i < 64; ++i)
                bytes[i] = at(reads_[which].request.line * 64 + i);
            std::memcpy(in_.rsp.data.data(), bytes, sizeof bytes);
            reads_.erase(reads_.begin() + static_cast<std::ptrdiff_t>(which));
        }
        if (!writes_.empty() && cycle_ >= writes_.front()) {
            in_.ack_valid = 1;
            writes_.erase(writes_.begin());
        }
    }
    void take_request() {
        if (out_.req_valid == 0)
            return;
        requests_.push_back(out_.req);
        if (out_.req.write == 0) {
            reads_.push_back({cycle_ + latency_, out_.req});
            return;
        }
        writes_.push_back(cycle_ + latency_);
        uint8_t bytes[64];
        std::memcpy(bytes, out_.req.data.data(), sizeof bytes);
        for (unsigned i = 0; i < 64; ++i) {
            if ((out_.req.mask >> i & 1) != 0)
                at(out_.req.line * 64 + i) = bytes[i];
            else
                EXPECT_EQ(bytes[i], 0) << "bytes that are not written are 0";
        }
    }
    template <class To>
    void show(const TestSpans& from, To& to) {
        const size_t n = std::min<size_t>(from.size(), in_.config.addresses);
        to.count = static_cast<uint8_t>(n);
        for (size_t i = 0; i < n; ++i) {
            to.address[i] = from[i].address;
            to.bytes[i] = from[i].bytes;
        }
    }
    static void take(TestSpans& spans, uint32_t bytes) {
        while (bytes != 0) {
            const uint32_t n = std::min(bytes, spans.front().bytes);
            spans.front().address += n;
            spans.front().bytes -= n;
            bytes -= n;
            if (spans.front().bytes == 0)
                spans.erase(spans.begin());
        }
    }
    void cycle() {
        answer();
        show(source_, in_.src);
        for (unsigned i = 0; i < Pins::kTargets; ++i)
            show(targets_[i], in_.dst[i]);
        step();
        in_.begin_valid = 0;
        take_request();
        take(source_, out_.src_taken);
        for (unsigned i = 0; i < Pins::kTargets; ++i)
            take(targets_[i], out_.dst_taken[i]);
        ++cycle_;
    }
    void begin(unsigned source, const TestSpans& from, const TestSpans& to,
               const TestSpans& second = {}) {
        source_ = from;
        targets_ = {to, second};
        requests_.clear();
        in_.begin_valid = 1;
        in_.begin.source = static_cast<uint8_t>(source);
        in_.begin.both = second.empty() ? 0 : 1;
        in_.begin.bytes = 0;
        for (const TestSpan& span : to)
            in_.begin.bytes += span.bytes;
    }
    // To the end of the transfer; its cycles.
    unsigned run() {
        for (unsigned n = 1; n < 100'000; ++n) {
            cycle();
            if (out_.written != 0)
                return n;
        }
        ADD_FAILURE() << "the transfer does not end";
        return 0;
    }
    void copy(const TestSpans& from, const TestSpans& to) {
        begin(0, from, to);
        run();
    }
    std::vector<uint8_t> bytes_of(const TestSpans& spans) {
        std::vector<uint8_t> bytes;
        for (const TestSpan& span : spans)
            for (uint32_t i = 0; i < span.bytes; ++i)
                bytes.push_back(at(span.address + i));
        return bytes;
    }
    unsigned sent(bool write) const {
        return static_cast<unsigned>(
            std::count_if(requests_.begin(), requests_.end(),
                          [&](const Pins::Request& r) { return (r.write != 0) == write; }));
    }

    struct Due {
        uint64_t due;
        Pins::Request request;
    };
    std::map<uint64_t, uint8_t> memory_;
    std::vector<Due> reads_;
    std::vector<uint64_t> writes_;
    std::vector<Pins::Request> requests_;
    TestSpans source_;
    std::array<TestSpans, Pins::kTargets> targets_;
    uint64_t cycle_ = 0, latency_ = 20;
    bool backwards_ = false;
};

TEST_P(DmaLinearPinsTest, AlignedCopyReadsAndWritesEachLineOnceAndWhole) {
    copy({{0x1000, 1024}}, {{0x8000, 1024}});
    EXPECT_EQ(bytes_of({{0x8000, 1024}}), bytes_of({{0x1000, 1024}}));
    EXPECT_EQ(sent(false), 16u);
    EXPECT_EQ(sent(true), 16u);
    for (const Pins::Request& r : requests_)
        EXPECT_EQ(r.mask, ~uint64_t{0});
}

TEST_P(DmaLinearPinsTest, AnswersInAnyOrderAreMovedInTheirs) {
    backwards_ = true;
    copy({{0x1003, 4000}}, {{0x8021, 4000}});
    EXPECT_EQ(bytes_of({{0x8021, 4000}}), bytes_of({{0x1003, 4000}}));
}

TEST_P(DmaLinearPinsTest, AsManyPiecesOfASideAsConfiguredAreTakenInACycle) {
    in_.config.addresses = 3;
    reset();
    TestSpans from;
    for (unsigned i = 0; i < 12; ++i)
        from.push_back({0x1000 + 4 * i, 4});
    begin(0, from, {{0x8000, 48}});
    cycle();
    EXPECT_EQ(out_.src_taken, 12);
    cycle();
    EXPECT_EQ(out_.src_taken, 12);
}

TEST_P(DmaLinearPinsTest, NoMoreLinesThanConfiguredAreOnTheirWay) {
    in_.config.read_lines = 5;
    in_.config.write_lines = 2;
    reset();
    latency_ = 1'000;
    begin(0, {{0x1000, 1024}}, {{0x8000, 1024}});
    for (unsigned n = 0; n < 50; ++n)
        cycle();
    EXPECT_EQ(sent(false), 5u);
    EXPECT_EQ(out_.stalled, 1);
    for (Due& read : reads_)
        read.due = 0;
    for (unsigned n = 0; n < 50; ++n)
        cycle();
    EXPECT_EQ(sent(true), 2u);
    latency_ = 1;
    run();
    EXPECT_EQ(bytes_of({{0x8000, 1024}}), bytes_of({{0x1000, 1024}}));
}

TEST_P(DmaLinearPinsTest, DirectionsKeepThePortForABurst) {
    latency_ = 4;
    begin(0, {{0x1000, 8192}}, {{0x8000, 8192}});
    run();
    // From the first write to the last read: runs of four.
    const auto is_write = [](const Pins::Request& r) { return r.write != 0; };
    auto at = std::find_if(requests_.begin(), requests_.end(), is_write);
    at = std::find_if_not(at, requests_.end(), is_write);
    for (unsigned bursts = 0; bursts < 20; ++bursts) {
        const auto end = std::find_if(at, requests_.end(),
                                      [&](const Pins::Request& r) { return r.write != at->write; });
        ASSERT_EQ(end - at, 4) << bursts;
        at = end;
    }
}

TEST_P(DmaLinearPinsTest, WhatARequestBringsIsWrittenInItsCycle) {
    latency_ = 10;
    begin(0, {{0x1000, 64}}, {{0x8000, 64}});
    EXPECT_EQ(run(), latency_ + 1);
}

TEST_P(DmaLinearPinsTest, HeldDatapathTakesResponsesOnly) {
    begin(0, {{0x1000, 640}}, {{0x8000, 640}});
    cycle();
    in_.hold = 1;
    for (unsigned n = 0; n < 100; ++n) {
        cycle();
        ASSERT_EQ(out_.req_valid | out_.src_taken | out_.active, 0);
    }
    EXPECT_TRUE(reads_.empty());
    in_.hold = 0;
    run();
    EXPECT_EQ(bytes_of({{0x8000, 640}}), bytes_of({{0x1000, 640}}));
}

TEST_P(DmaLinearPinsTest, ResetForgetsTheTransfer) {
    begin(0, {{0x1000, 640}}, {{0x8000, 640}});
    for (unsigned n = 0; n < 15; ++n)
        cycle();
    reset();
    reads_.clear();
    writes_.clear();
    source_.clear();
    targets_ = {};
    for (unsigned n = 0; n < 50; ++n) {
        cycle();
        ASSERT_EQ(out_.req_valid | out_.active | out_.written, 0);
    }
    copy({{0x1000, 640}}, {{0x8000, 640}});
    EXPECT_EQ(bytes_of({{0x8000, 640}}), bytes_of({{0x1000, 640}}));
}

TEST(DmaLinearSpec, TwinRefusesMoreLinesThanItHasByTheirKey) {
    dma::Spec spec;
    EXPECT_NO_THROW(dma::check_twin(spec));
    spec.read_lines = 513;
    EXPECT_THROW(dma::check_twin(spec), std::invalid_argument);
    spec.read_lines = 64;
    spec.open_lines = 17;
    EXPECT_THROW(dma::check_twin(spec), std::invalid_argument);
}

TEST(DmaLinearSpans, AreGivenAheadAndTakenByByte) {
    dma::Transfer t;
    t.region = {10, 3, 1, 10, 3};
    t.from.address = 0x1000;
    t.from.column = 1;
    t.from.row = 100;
    dma::SpanQueue queue{dma::SpanWalk()};
    queue.fill(t, 2);
    ASSERT_EQ(queue.size(), 2u);
    EXPECT_EQ(queue[1].address, 0x1064u);
    queue.take(13);
    queue.fill(t, 2);
    ASSERT_EQ(queue.size(), 2u);
    EXPECT_EQ(queue[0].address, 0x1067u);
    EXPECT_EQ(queue[0].bytes, 7u);
    EXPECT_EQ(queue[1].address, 0x10c8u);
    queue.take(17);
    queue.fill(t, 2);
    EXPECT_EQ(queue.size(), 0u);
}

TEST(DmaLinearSpans, DatapathThatTakesMoreThanItWasGivenStopsTheMachine) {
    dma::Transfer t;
    t.region = {10, 1, 1, 10, 1};
    t.from.column = 1;
    dma::SpanQueue queue{dma::SpanWalk()};
    queue.fill(t, 4);
    EXPECT_THROW(queue.take(11), MachineStop);
}

INSTANTIATE_TEST_SUITE_P(On, DmaLinearPinsTest,
                         testing::ValuesIn(core_and_rtl<DmaLinearPins, dma::LinearCore>()), kName);

}  // namespace
}  // namespace archipelago::rtl
