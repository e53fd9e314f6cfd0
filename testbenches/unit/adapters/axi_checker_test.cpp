// SPDX-License-Identifier: Apache-2.0
// Every rule of the AXI checker fires on its breach, and on nothing else; that none fires on
// correct traffic is part of every test back to back.
#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <vector>

#include "rtl-bridge/adapters/axi_checker_core.h"

namespace archipelago::adapters {
namespace {

// Pins driven by hand, cycle by cycle.
struct Script {
    AxiCheckerCore checker;
    AxiInitiatorPins i;
    AxiTargetPins t;
    std::set<AxiRule> fired;

    explicit Script(const AxiSpec& spec) : checker(spec) {
        step(true);
        step(false);
    }
    void step(bool in_reset = false) {
        for (const AxiViolation& v : checker.edge(i, t, in_reset))
            fired.insert(v.rule);
    }
    void steps(unsigned n) {
        while (n-- > 0)
            step();
    }
    void idle() {
        i = {};
        t = {};
        step();
    }
    static AxiAddressPins address(uint64_t at, unsigned beats = 1, unsigned size = 2,
                                  AxiBurst burst = AxiBurst::Incr) {
        AxiAddressPins a;
        a.valid = true;
        a.addr = at;
        a.len = static_cast<uint8_t>(beats - 1);
        a.size = static_cast<uint8_t>(size);
        a.burst = burst;
        return a;
    }
    void take_aw(const AxiAddressPins& a) {
        i.aw = a;
        t.awready = true;
        step();
        i.aw = {};
        t.awready = false;
    }
    void take_ar(const AxiAddressPins& a) {
        i.ar = a;
        t.arready = true;
        step();
        i.ar = {};
        t.arready = false;
    }
    void take(const AxiAddressPins& a, bool write) { write ? take_aw(a) : take_ar(a); }
    void take_w(bool last, unsigned first_lane = 0, unsigned lanes = 4) {
        i.w = {};
        i.w.valid = true;
        i.w.last = last;
        i.w.strb.set_range(first_lane, lanes);
        t.wready = true;
        step();
        i.w = {};
        t.wready = false;
    }
    void give_b(uint32_t id = 0, AxiResp resp = AxiResp::Okay) {
        t.b = {true, id, resp};
        i.bready = true;
        step();
        t.b = {};
        i.bready = false;
    }
    void give_r(bool last, uint32_t id = 0, AxiResp resp = AxiResp::Okay) {
        t.r = {};
        t.r.valid = true;
        t.r.last = last;
        t.r.id = id;
        t.r.resp = resp;
        i.rready = true;
        step();
        t.r = {};
        i.rready = false;
    }
};

using Act = std::function<void(Script&)>;
struct Case {
    AxiRule rule;
    Act act;
    std::function<void(AxiSpec&)> change = [](AxiSpec&) {};
};

// Both address channels: the rule of AR is the one after that of AW.
void for_both(
    std::vector<Case>& cases, AxiRule write_rule, const std::function<void(AxiAddressPins&)>& spoil,
    const std::function<void(AxiSpec&)>& change = [](AxiSpec&) {}) {
    for (const bool write : {true, false}) {
        const auto rule = static_cast<AxiRule>(static_cast<unsigned>(write_rule) + (write ? 0 : 1));
        cases.push_back({rule,
                         [=](Script& s) {
                             AxiAddressPins a = Script::address(0x1000);
                             spoil(a);
                             s.take(a, write);
                         },
                         change});
    }
}

std::vector<Case> all_cases() {
    std::vector<Case> c;
    const auto time_out = [](AxiSpec& s) { s.timeout = 10; };

    c.push_back({AxiRule::AwDropped, [](Script& s) {
                     s.i.aw = Script::address(0x1000);
                     s.step();
                     s.idle();
                 }});
    c.push_back({AxiRule::WDropped, [](Script& s) {
                     s.i.w.valid = true;
                     s.step();
                     s.idle();
                 }});
    c.push_back({AxiRule::ArDropped, [](Script& s) {
                     s.i.ar = Script::address(0x1000);
                     s.step();
                     s.idle();
                 }});
    c.push_back({AxiRule::BDropped, [](Script& s) {
                     s.take_aw(Script::address(0x1000));
                     s.take_w(true);
                     s.t.b.valid = true;
                     s.step();
                     s.idle();
                 }});
    c.push_back({AxiRule::RDropped, [](Script& s) {
                     s.take_ar(Script::address(0x1000));
                     s.t.r.valid = s.t.r.last = true;
                     s.step();
                     s.idle();
                 }});
    c.push_back({AxiRule::AwChanged, [](Script& s) {
                     s.i.aw = Script::address(0x1000);
                     s.step();
                     s.i.aw.attributes.prot = 1;
                     s.step();
                 }});
    c.push_back({AxiRule::WChanged, [](Script& s) {
                     s.i.w.valid = true;
                     s.step();
                     s.i.w.data[3] = 1;
                     s.step();
                 }});
    c.push_back({AxiRule::ArChanged, [](Script& s) {
                     s.i.ar = Script::address(0x1000);
                     s.step();
                     s.i.ar.addr = 0x1004;
                     s.step();
                 }});
    c.push_back({AxiRule::BChanged, [](Script& s) {
                     s.take_aw(Script::address(0x1000));
                     s.take_w(true);
                     s.t.b.valid = true;
                     s.step();
                     s.t.b.resp = AxiResp::SlvErr;
                     s.step();
                 }});
    c.push_back({AxiRule::RChanged, [](Script& s) {
                     s.take_ar(Script::address(0x1000));
                     s.t.r.valid = s.t.r.last = true;
                     s.step();
                     s.t.r.data[0] = 1;
                     s.step();
                 }});
    c.push_back({AxiRule::AwInReset, [](Script& s) {
                     s.step(true);
                     s.i.aw = Script::address(0x1000);
                     s.step(true);
                 }});
    c.push_back({AxiRule::WInReset, [](Script& s) {
                     s.step(true);
                     s.i.w.valid = true;
                     s.step(true);
                 }});
    c.push_back({AxiRule::ArInReset, [](Script& s) {
                     s.step(true);
                     s.i.ar = Script::address(0x1000);
                     s.step(false);  // the first cycle out of reset is too early
                 }});
    c.push_back({AxiRule::BInReset, [](Script& s) {
                     s.step(true);
                     s.t.b.valid = true;
                     s.step(true);
                 }});
    c.push_back({AxiRule::RInReset, [](Script& s) {
                     s.step(true);
                     s.t.r.valid = true;
                     s.step(true);
                 }});
    for_both(c, AxiRule::AwBurstReserved, [](AxiAddressPins& a) { a.burst = AxiBurst::Reserved; });
    for_both(c, AxiRule::AwSizeTooWide, [](AxiAddressPins& a) { a.size = 3; });
    for_both(c, AxiRule::AwFixedTooLong, [](AxiAddressPins& a) {
        a.burst = AxiBurst::Fixed;
        a.len = 16;
    });
    for_both(c, AxiRule::AwWrapLength, [](AxiAddressPins& a) {
        a.burst = AxiBurst::Wrap;
        a.len = 2;
    });
    for_both(c, AxiRule::AwWrapUnaligned, [](AxiAddressPins& a) {
        a.burst = AxiBurst::Wrap;
        a.len = 3;
        a.addr = 0x1002;
    });
    for_both(c, AxiRule::AwCrosses4K, [](AxiAddressPins& a) {
        a.addr = 0x1FFC;
        a.len = 1;
    });
    for_both(c, AxiRule::AwIdTooWide, [](AxiAddressPins& a) { a.id = 16; });
    for_both(
        c, AxiRule::AwAddressTooWide, [](AxiAddressPins& a) { a.addr = 0x10000; },
        [](AxiSpec& s) { s.address_bits = 16; });
    for_both(c, AxiRule::AwCacheReserved, [](AxiAddressPins& a) { a.attributes.cache = 8; });
    for_both(c, AxiRule::AwExclusive, [](AxiAddressPins& a) {
        a.attributes.lock = 1;
        a.len = 3;
        a.addr = 0x1008;
    });
    for_both(
        c, AxiRule::AwNotLite, [](AxiAddressPins& a) { a.len = 1; },
        [](AxiSpec& s) { s.lite = true; });
    c.push_back({AxiRule::WLastEarly, [](Script& s) {
                     s.take_aw(Script::address(0x1000, 2));
                     s.take_w(true);
                 }});
    c.push_back({AxiRule::WLastMissing, [](Script& s) {
                     s.take_w(false);  // data before its address
                     s.take_w(false);
                     s.take_aw(Script::address(0x1000, 2));
                 }});
    c.push_back({AxiRule::WStrobeOutside, [](Script& s) {
                     s.take_aw(Script::address(0x1001, 2, 1));
                     s.take_w(false, 1, 1);  // unaligned: lane 1 only
                     s.take_w(true, 1, 3);   // lanes 2 and 3
                 }});
    c.push_back({AxiRule::BWithoutWrite, [](Script& s) {
                     s.take_aw(Script::address(0x1000, 2));
                     s.take_w(false);
                     s.give_b();  // before the last data
                 }});
    c.push_back({AxiRule::RWithoutRead, [](Script& s) {
                     s.take_ar(Script::address(0x1000));
                     s.give_r(true, 5);  // another ID
                 }});
    c.push_back({AxiRule::BExOkay, [](Script& s) {
                     s.take_aw(Script::address(0x1000));
                     s.take_w(true);
                     s.give_b(0, AxiResp::ExOkay);
                 }});
    c.push_back({AxiRule::RExOkay, [](Script& s) {
                     s.take_ar(Script::address(0x1000));
                     s.give_r(true, 0, AxiResp::ExOkay);
                 }});
    c.push_back({AxiRule::RLastEarly, [](Script& s) {
                     s.take_ar(Script::address(0x1000, 2));
                     s.give_r(true);
                 }});
    c.push_back({AxiRule::RLastMissing, [](Script& s) {
                     s.take_ar(Script::address(0x1000, 2));
                     s.give_r(false);
                     s.give_r(false);
                 }});
    c.push_back({AxiRule::AwNotTaken,
                 [](Script& s) {
                     s.i.aw = Script::address(0x1000);
                     s.steps(12);
                 },
                 time_out});
    c.push_back({AxiRule::WNotTaken,
                 [](Script& s) {
                     s.i.w.valid = true;
                     s.steps(12);
                 },
                 time_out});
    c.push_back({AxiRule::ArNotTaken,
                 [](Script& s) {
                     s.i.ar = Script::address(0x1000);
                     s.steps(12);
                 },
                 time_out});
    c.push_back({AxiRule::BNotTaken,
                 [](Script& s) {
                     s.take_aw(Script::address(0x1000));
                     s.take_w(true);
                     s.steps(7);  // the answer is late, but not too late
                     s.t.b.valid = true;
                     s.steps(3);
                     s.i.bready = true;
                     s.step();
                     s.idle();
                     s.take_aw(Script::address(0x1000));
                     s.take_w(true);
                     s.t.b.valid = true;
                     s.steps(11);
                     s.fired.erase(AxiRule::WriteNotAnswered);  // of necessity in the same cycle
                 },
                 time_out});
    c.push_back({AxiRule::RNotTaken,
                 [](Script& s) {
                     s.take_ar(Script::address(0x1000));
                     s.t.r.valid = s.t.r.last = true;
                     s.steps(11);
                     s.fired.erase(AxiRule::ReadNotAnswered);
                 },
                 time_out});
    c.push_back({AxiRule::WriteNotAnswered,
                 [](Script& s) {
                     s.take_aw(Script::address(0x1000));
                     s.take_w(true);
                     s.steps(12);
                 },
                 time_out});
    c.push_back({AxiRule::ReadNotAnswered,
                 [](Script& s) {
                     s.take_ar(Script::address(0x1000));
                     s.steps(12);
                 },
                 time_out});
    return c;
}

class AxiCheckerRules : public ::testing::TestWithParam<unsigned> {};

TEST_P(AxiCheckerRules, FiresOnItsBreachAndNoOtherDoes) {
    const auto rule = static_cast<AxiRule>(GetParam());
    unsigned cases = 0;
    for (const Case& c : all_cases()) {
        if (c.rule != rule)
            continue;
        ++cases;
        AxiSpec spec;
        spec.id_bits = 4;
        c.change(spec);
        Script script(spec);
        c.act(script);
        std::string others;
        for (const AxiRule r : script.fired)
            if (r != rule)
                others += std::string(" ") + to_string(r);
        EXPECT_EQ(script.fired.count(rule), 1u) << to_string(rule) << " did not fire";
        EXPECT_EQ(others, "");
    }
    EXPECT_GT(cases, 0u) << "no test for " << to_string(rule);
}

INSTANTIATE_TEST_SUITE_P(All, AxiCheckerRules,
                         ::testing::Range(0u, static_cast<unsigned>(AxiRule::kCount)),
                         [](const auto& info) {
                             return std::string(to_string(static_cast<AxiRule>(info.param)));
                         });

TEST(AxiChecker, LegalCornersPass) {
    AxiSpec spec;
    spec.id_bits = 4;
    Script s(spec);
    s.take_w(true);  // data a cycle before its address
    s.take_aw(Script::address(0x1000));
    s.give_b();
    // An unaligned burst up to the last byte of a page, a wrap from its middle, 16 FIXED transfers.
    s.take_ar(Script::address(0x1FF1, 4));
    s.take_ar(Script::address(0x1008, 4, 2, AxiBurst::Wrap));
    for (unsigned n = 0; n < 8; ++n)
        s.give_r(n % 4 == 3);
    s.take_ar(Script::address(0x1001, 16, 2, AxiBurst::Fixed));
    for (unsigned n = 0; n < 16; ++n)
        s.give_r(n == 15);
    // Two IDs, transfers alternating.
    AxiAddressPins a = Script::address(0x1000, 2);
    s.take_ar(a);
    a.id = 1;
    s.take_ar(a);
    for (const bool last : {false, true})
        for (const uint32_t id : {1u, 0u})
            s.give_r(last, id);
    // An exclusive pair, confirmed.
    a = Script::address(0x1010, 4);
    a.attributes.lock = 1;
    s.take_ar(a);
    for (unsigned n = 0; n < 4; ++n)
        s.give_r(n == 3, 0, AxiResp::ExOkay);
    // VALID in the second cycle out of reset.
    s.step(true);
    s.step();
    s.take_ar(Script::address(0x1000));
    s.give_r(true);
    EXPECT_TRUE(s.fired.empty());
    EXPECT_EQ(s.checker.bursts(), 8u);
}

TEST(AxiChecker, AViolationNamesPortCycleRuleAndAccess) {
    AxiCheckerCore checker(AxiSpec{}, "dram");
    AxiInitiatorPins i;
    checker.edge(i, {}, true);
    checker.edge(i, {});
    i.ar = Script::address(0x1FFC, 2);
    const auto& found = checker.edge(i, {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].text,
              "dram, cycle 3: AR_CROSSES_4K: a read across a 4 KiB boundary (A3.4.1): id 0, "
              "address 0x1ffc, len 1, size 2, burst 1");
}

}  // namespace
}  // namespace archipelago::adapters
