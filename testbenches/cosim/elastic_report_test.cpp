// SPDX-License-Identifier: Apache-2.0
// What a difference under the contract elastic shows of both blocks, of pins of its own: no
// Verilog.
#include <gmock/gmock.h>

#include <array>
#include <cstddef>
#include <deque>

#include "rtl-bridge/compare/elastic.h"

namespace archipelago::rtl {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

constexpr unsigned kRow = 64;

struct In {
    uint64_t rst = 0, valid = 0, data = 0, ready = 0;
};
struct Out {
    uint64_t ready = 0, valid = 0, data = 0, lanes = 0, waits = 0, idle = 0;
    std::array<uint64_t, kRow> row{};
};

constexpr PinRow pin(const char* port, const char* field, bool input, uint32_t offset,
                     uint32_t elements = 1) {
    return {port, field, "", input, offset, elements, sizeof(uint64_t), 64};
}

PinTable echo_pins() {
    PinTable table;
    table.elastic = {"in", "out"};
    table.clock = {"state_waits", true, "", "", "state_idle"};
    table.in_bytes = sizeof(In);
    table.out_bytes = sizeof(Out);
    table.reset = pin("reset", "rst", true, offsetof(In, rst));
    table.pins = {pin("in", "valid", true, offsetof(In, valid)),
                  pin("in", "data", true, offsetof(In, data)),
                  pin("out", "ready", true, offsetof(In, ready)),
                  pin("in", "ready", false, offsetof(Out, ready)),
                  pin("out", "valid", false, offsetof(Out, valid)),
                  pin("out", "data", false, offsetof(Out, data)),
                  pin("out", "lanes", false, offsetof(Out, lanes)),
                  pin("out", "row", false, offsetof(Out, row), kRow),
                  pin("state", "waits", false, offsetof(Out, waits)),
                  pin("state", "idle", false, offsetof(Out, idle))};
    return table;
}

constexpr uint64_t kNone = 0;  // no input has this value

// Gives each input back, the lanes of odd ones with a row; that of the value `endless` again and
// again. Its clock may stop while it holds nothing. Of its wrong pins `waits` shows the state
// before the edge, and `idle` is always high.
class Echo {
  public:
    enum class WrongPin { None, Waits, Idle };

    explicit Echo(unsigned latency, uint64_t wrong = kNone, uint64_t endless = kNone,
                  WrongPin wrong_pin = WrongPin::None)
        : latency_(latency), wrong_(wrong), endless_(endless), wrong_pin_(wrong_pin) {}
    void step(const In& in, Out& out) {
        out = Out{};
        ++cycle_;
        const uint64_t was_empty = held_.empty();
        echo(in, out);
        out.waits = wrong_pin_ == WrongPin::Waits ? was_empty : held_.empty();
        out.idle = wrong_pin_ == WrongPin::Idle || held_.empty();
    }

  private:
    void echo(const In& in, Out& out) {
        if (in.rst != 0) {
            held_.clear();
            return;
        }
        if (!held_.empty() && held_.front().first <= cycle_) {
            out.valid = 1;
            const uint64_t data = held_.front().second;
            out.data = data == wrong_ ? ~data : data;
            out.lanes = data % 2;
            out.row.fill(data);
            if (in.ready != 0 && data != endless_)
                held_.pop_front();
        }
        out.ready = held_.size() < 200;
        if (in.valid != 0 && out.ready != 0)
            held_.emplace_back(cycle_ + latency_, in.data);
    }

    unsigned latency_;
    uint64_t wrong_, endless_, cycle_ = 0;
    WrongPin wrong_pin_;
    std::deque<std::pair<uint64_t, uint64_t>> held_;  // cycle from which it may leave, data
};

// Against an echo without a fault, with inputs 1 to `inputs`.
Difference difference_of(Echo candidate, uint64_t inputs) {
    Echo under_stimulus(1), reference(1);
    const auto step = [](Echo& echo) {
        return [&echo](const void* in, void* out) {
            echo.step(*static_cast<const In*>(in), *static_cast<Out*>(out));
        };
    };
    uint64_t next = 0;
    const PinTable table = echo_pins();
    ElasticBench bench(table);
    bench.fresh = [](void* in) { *static_cast<In*>(in) = In{}; };
    bench.next = [&](void* in) {
        ++next;
        *static_cast<In*>(in) = {0, next <= inputs ? 1u : 0u, next, 1};
    };
    bench.model = step(under_stimulus);
    bench.observe = [](const void*, const void*) {};
    bench.finished = [] { return false; };
    bench.reference = {"model", step(reference), nullptr};
    bench.candidate = {"Verilog", step(candidate), nullptr};
    const ElasticResult result = run_elastic(bench, 2000, {});
    EXPECT_TRUE(result.difference.has_value());
    return result.difference.value_or(Difference{});
}
Difference difference_at(uint64_t wrong) {
    return difference_of(Echo(90, wrong), 2000);
}

uint64_t cycle_of(const std::string& line) {
    return std::stoull(line.substr(std::string("cycle ").size()));
}

TEST(ElasticReport, EndsOnBothSidesWithTheTransactionThatDiffers) {
    const Difference d = difference_at(401);
    EXPECT_EQ(d.model, 401u);
    EXPECT_EQ(d.rtl, ~uint64_t{401});
    for (const auto* lines : {&d.model_transactions, &d.rtl_transactions}) {
        ASSERT_THAT(*lines, SizeIs(kShownTransactions));
        for (size_t i = 1; i < lines->size(); ++i)
            EXPECT_LE(cycle_of((*lines)[i - 1]), cycle_of((*lines)[i]));
    }
    const auto given = [](const std::vector<std::string>& lines, const char* what) {
        const uint64_t end = cycle_of(lines.back());
        for (const std::string& line : lines)
            if (cycle_of(line) == end && line.find(what) != std::string::npos)
                return true;
        return false;
    };
    EXPECT_TRUE(given(d.model_transactions, "out: data=0x191 lanes=0x1"));
    EXPECT_TRUE(given(d.rtl_transactions, "out: data=0xfffffffffffffe6e lanes=0x1"));
    EXPECT_THAT(d.model_transactions, testing::Contains(HasSubstr(" in: data=0x191")));
}

TEST(ElasticReport, CutsLongArraysAndLeavesHollowOnesOut) {
    const Difference d = difference_at(401);
    for (const auto* lines : {&d.model_transactions, &d.rtl_transactions})
        for (const std::string& line : *lines) {
            EXPECT_LT(line.size(), 150u) << line;
            if (line.find("lanes=0x0") != std::string::npos) {
                EXPECT_THAT(line, Not(HasSubstr("row")));
            } else if (line.find(" out:") != std::string::npos) {
                EXPECT_THAT(line, AllOf(HasSubstr(" row[3]="), EndsWith(" and 60 more")));
            }
        }
}

// At once: it is never at rest, and what it gives is kept.
TEST(ElasticReport, NamesTheFirstTransactionBeyondThoseOfTheOther) {
    const Difference d = difference_of(Echo(90, kNone, 50), 50);
    EXPECT_THAT(d.text(), HasSubstr("port out, transaction 51 of the Verilog (cycle "));
    EXPECT_THAT(d.text(), HasSubstr("does not come from the model"));
    EXPECT_THAT(d.rtl_transactions, SizeIs(kShownTransactions));
}

// As a chip would: the block is not stepped any more, and what is inside stays there.
TEST(ElasticReport, SaysThatTheClockHasStoppedWithWorkInside) {
    const Difference d = difference_of(Echo(90, kNone, kNone, Echo::WrongPin::Waits), 1);
    EXPECT_THAT(d.text(),
                AllOf(HasSubstr("port out: the Verilog does not give transaction 1 within"),
                      HasSubstr("it has let its clock stop with work inside (state_waits is high, "
                                "and no input is valid)")));
}

TEST(ElasticReport, SaysThatABlockWithWorkInsideHasCalledItselfEmpty) {
    const Difference d = difference_of(Echo(90, kNone, kNone, Echo::WrongPin::Idle), 1);
    EXPECT_THAT(d.text(), HasSubstr("the Verilog has held state_idle high with work inside"));
}

}  // namespace
}  // namespace archipelago::rtl
