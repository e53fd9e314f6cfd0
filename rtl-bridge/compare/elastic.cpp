// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/compare/elastic.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <stdexcept>
#include <utility>

#include "rtl-bridge/compare/elastic_clock.h"
#include "rtl-bridge/compare/elastic_ports.h"
#include "rtl-bridge/compare/elastic_script.h"

namespace archipelago::rtl {
namespace elastic {
namespace {

constexpr uint64_t kTimeout = 20'000;  // cycles until a transaction counts as lost
constexpr uint64_t kQuiet = 600;       // cycles in which nothing passes: at rest
constexpr size_t kAhead = 256;         // events the stimulus is ahead of the slower block
// Transactions of each block that are kept: one block may be that far ahead of what differs.
constexpr size_t kKept = 4 * kAhead + kShownTransactions;
constexpr unsigned kShortArray = 8;     // elements that a report lists all
constexpr unsigned kShownElements = 4;  // of a longer array
constexpr uint64_t kToTheEnd = ~uint64_t{0};

// ---- one of the blocks

// What passed a port and is compared.
struct Transaction {
    uint64_t number = 0;  // of the port, from 1 since the reset
    uint64_t cycle = 0;   // of the block
    uint64_t mark = 0;    // ElasticWorld::mark()
    std::vector<uint64_t> values;
};

class Side {
  public:
    Side(ElasticSide& side, const Ports& ports, const ElasticBench& bench)
        : side_(side),
          ports_(ports),
          bench_(bench),
          random_(bench.seed),
          flows_(ports.all.size()),
          clock_(bench.table, ports),
          in_(bench.table.in_bytes),
          out_(bench.table.out_bytes),
          nothing_(bench.table.out_bytes),
          numbers_(ports.all.size(), 0) {}

    const std::string& name() const { return side_.name; }
    const ElasticWorld* world() const { return side_.world.get(); }
    // Number of the event that it stands before.
    uint64_t cursor() const { return cursor_; }
    uint64_t cycle() const { return cycle_; }
    uint64_t since_moved() const { return since_moved_; }
    bool at_rest() const {
        return faulted_ || (since_moved_ >= kQuiet && (!side_.world || side_.world->quiet()));
    }
    bool faulted() const { return faulted_; }
    const BlockClock& clock() const { return clock_; }
    // After an error of the model, regardless of what it did itself.
    bool excused() const { return excused_; }
    uint64_t number(unsigned port) const { return numbers_[port]; }
    std::map<KeyOfPort, std::deque<Transaction>>& given() { return given_; }
    // Keys with new transactions since it was asked last.
    std::vector<KeyOfPort> take_fresh() { return std::exchange(fresh_, {}); }
    // The last transactions up to that cycle of the block.
    std::vector<std::string> report(uint64_t last) const;
    const std::string& fault() const { return fault_; }

    // Whether the output is high in a reset.
    bool provides(const PinRow& pin) {
        Buffer in(bench_.table.in_bytes), out(bench_.table.out_bytes);
        bench_.fresh(in.data());
        ports_.reset->set(in.data(), 1, 0);
        side_.step(in.data(), out.data());
        return pin.get(out.data(), 0) != 0;
    }

    void reset(const Event& e) {
        in_ = *e.in;
        for (unsigned i = 0; i < ports_.all.size(); ++i)
            if (ports_.all[i].valid != nullptr && ports_.all[i].valid->input)
                ports_.all[i].valid->set(in_.data(), 0, 0);
        const Buffer low(8 * in_.words());
        for (const Port& port : ports_.all)  // levels but the configuration
            if (port.valid == nullptr && port.name != "cfg")
                for (const PinRow* pin : port.inputs)
                    pin->copy(in_.data(), low.data());
        ports_.reset->set(in_.data(), 1, 0);
        for (unsigned i = 0; i < kResetCycles; ++i)
            side_.step(in_.data(), out_.data());
        ports_.reset->set(in_.data(), 0, 0);
        clock_.reset(out_.data());
        if (side_.world)
            side_.world->reset();
        ++cursor_;
        counts_.clear();
        given_.clear();
        fresh_.clear();
        std::fill(numbers_.begin(), numbers_.end(), 0);
        faulted_ = excused_ = false;
        since_moved_ = 0;
    }

    // After a rest.
    void go_on() {
        ++cursor_;
        since_moved_ = 0;
    }

    // A cycle of the chip: the next input is there when it is its turn. The block is stepped in it
    // where the chip does so.
    void step(const Script& script) {
        const unsigned offered = faulted_ ? kNoPort : settle(script);
        if (faulted_) {
            skip(script);
            return;
        }
        if (offered != kNoPort)
            put(script.at(cursor_)->port, *script.at(cursor_)->in);
        set_ready();
        if (side_.world)
            side_.world->drive(in_.data(), random_);
        ++cycle_;
        ++since_moved_;
        if (!clock_.runs(in_.data())) {
            clock_.stood();
            if (side_.world)
                side_.world->observe(in_.data(), nothing_.data());
            return;
        }
        side_.step(in_.data(), out_.data());
        clock_.stepped(in_.data(), out_.data());
        faulted_ = ports_.has_fault(out_.data());
        if (faulted_) {
            if (side_.world)
                fault_ = side_.world->explain_fault(out_.data());
            return;
        }
        if (side_.world) {
            side_.world->observe(in_.data(), out_.data());
            side_.world->trim(out_.data());
        }
        collect(offered);
    }

  private:
    struct Note {
        uint64_t cycle;
        unsigned port;
        std::vector<uint64_t> values;
    };

    // What passed a lane of the model comes on the first one.
    void put(unsigned lane, const Buffer& from) {
        const Port& port = ports_.all[ports_.all[lane].stream];
        const std::vector<const PinRow*>& values = ports_.all[lane].inputs;
        for (size_t i = 0; i < values.size(); ++i) {
            if (values[i] == port.inputs[i])
                values[i]->copy(in_.data(), from.data());
            else
                for (unsigned n = 0; n < values[i]->elements; ++n)
                    port.inputs[i]->set(in_.data(), values[i]->get(from.data(), n), n);
        }
        if (port.valid != nullptr)
            port.valid->set(in_.data(), 1, 0);
    }
    // A lane is ready only when those before it are.
    void set_ready() {
        for (unsigned i = 0; i < ports_.all.size(); ++i) {
            const Port& port = ports_.all[i];
            if (port.valid == nullptr || port.ready == nullptr || !port.ready->input)
                continue;
            const bool before = port.lane_before == kNoPort ||
                                ports_.all[port.lane_before].ready->get(in_.data(), 0) != 0;
            port.ready->set(in_.data(), flows_[i].next(random_) && before ? 1 : 0, 0);
        }
    }

    // Passes what needs no cycle: outputs that have come, the first change of a level. The port of
    // the input that is next.
    unsigned settle(const Script& script) {
        for (bool level = false;; ++cursor_) {
            const Event* e = script.at(cursor_);
            if (e == nullptr || e->waits())
                return kNoPort;
            if (e->kind == Event::Kind::Input)
                return level ? kNoPort : ports_.all[e->port].stream;
            if (e->kind == Event::Kind::Output && counts_[{e->port, e->key}] < e->number)
                return kNoPort;
            if (e->kind == Event::Kind::Level && std::exchange(level, true))
                return kNoPort;
            if (e->kind == Event::Kind::Level)
                put(e->port, *e->in);
            if (e->kind == Event::Kind::Fault)
                faulted_ = excused_ = true;
            since_moved_ = 0;
        }
    }
    // After an error, nothing is offered.
    void skip(const Script& script) {
        for (const Event* e = script.at(cursor_); e != nullptr && e->kind != Event::Kind::Reset;
             e = script.at(++cursor_))
            excused_ = excused_ || e->kind == Event::Kind::Fault;
    }

    void collect(unsigned offered) {
        for (unsigned i = 0; i < ports_.all.size(); ++i) {
            const Port& port = ports_.all[i];
            if (!Ports::passes(port, in_.data(), out_.data()))
                continue;
            since_moved_ = 0;
            if (i == offered ? port.has_values() : port.compared)
                give(i);
            if (i == offered || !port.valid->input)
                note(i);
        }
        if (offered == kNoPort || !Ports::passes(ports_.all[offered], in_.data(), out_.data()))
            return;
        ++cursor_;
        ports_.all[offered].valid->set(in_.data(), 0, 0);
    }
    void give(unsigned i) {
        const Port& port = ports_.all[i];
        const KeyOfPort key{port.stream, ports_.key_of(port, out_.data())};
        Transaction t{++numbers_[port.stream],
                      cycle_,
                      side_.world ? side_.world->mark(port.name, out_.data()) : 0,
                      {}};
        const auto add = [&](const Port& p) {
            for (const PinRow* pin : p.outputs)
                for (unsigned n = 0; n < pin->elements; ++n)
                    t.values.push_back(pin->get(out_.data(), n));
        };
        add(port);
        if (port.payload != kNoPort)
            add(ports_.all[port.payload]);
        given_[key].push_back(std::move(t));
        fresh_.push_back(key);
        ++counts_[key];
    }
    void note(unsigned i) {
        const Port& port = ports_.all[i];
        Note n{cycle_, i, {}};
        for (const auto& [pins, from] :
             {std::pair(&port.inputs, in_.data()), std::pair(&port.outputs, out_.data())})
            for (const PinRow* pin : *pins)
                for (unsigned k = 0; k < pin->elements; ++k)
                    n.values.push_back(pin->get(from, k));
        notes_.push_back(std::move(n));
        if (notes_.size() > kKept)
            notes_.pop_front();
    }
    std::string text(const Note& n) const;

    ElasticSide& side_;
    const Ports& ports_;
    const ElasticBench& bench_;
    Random random_;
    std::vector<Activity> flows_;
    BlockClock clock_;
    Buffer in_, out_;
    const Buffer nothing_;  // outputs of a cycle in which the block was not stepped
    uint64_t cursor_ = 0, cycle_ = 0, since_moved_ = 0;
    std::map<KeyOfPort, uint64_t> counts_;
    std::map<KeyOfPort, std::deque<Transaction>> given_;  // and not compared yet
    std::vector<KeyOfPort> fresh_;
    std::vector<uint64_t> numbers_;  // transactions of each port since the reset
    std::deque<Note> notes_;
    bool faulted_ = false, excused_ = false;
    std::string fault_;  // in words
};

// The values of a pin's elements: of a long array the first ones.
std::string values_text(const PinRow& pin, const uint64_t* values) {
    std::string text;
    const unsigned shown = pin.elements > kShortArray ? kShownElements : pin.elements;
    for (unsigned k = 0; k < shown; ++k)
        text += " " + detail::field_text(pin.element_name(k), values[k]);
    if (shown < pin.elements)
        text += " and " + std::to_string(pin.elements - shown) + " more";
    return text;
}

std::string Side::text(const Note& n) const {
    const Port& port = ports_.all[n.port];
    std::vector<const PinRow*> pins = port.inputs;
    pins.insert(pins.end(), port.outputs.begin(), port.outputs.end());
    // No lane has a value, or there is no vector: arrays hold nothing.
    bool hollow = false;
    size_t at = 0;
    for (const PinRow* pin : pins) {
        hollow |= (pin->field == "lanes" || pin->field == "vector") && n.values[at] == 0;
        at += pin->elements;
    }
    std::string line = "cycle " + std::to_string(n.cycle) + " " + port.name + ":";
    at = 0;
    for (const PinRow* pin : pins) {
        if (!hollow || pin->elements == 1)
            line += values_text(*pin, &n.values[at]);
        at += pin->elements;
    }
    return line;
}

std::vector<std::string> Side::report(uint64_t last) const {
    const auto end =
        std::find_if(notes_.begin(), notes_.end(), [&](const Note& n) { return n.cycle > last; });
    const auto count = static_cast<size_t>(end - notes_.begin());
    std::vector<std::string> lines;
    for (size_t i = count - std::min<size_t>(count, kShownTransactions); i < count; ++i)
        lines.push_back(text(notes_[i]));
    return lines;
}

// ---- both

class Comparison {
  public:
    Comparison(ElasticBench& bench, uint64_t cycles, const std::function<void(uint64_t)>& progress)
        : bench_(bench),
          ports_(bench.table),
          script_(bench, ports_, bench.reference.world.get()),
          a_(bench.reference, ports_, bench),
          b_(bench.candidate, ports_, bench),
          cycles_(cycles),
          progress_(progress) {
        for (Port& port : ports_.all)
            port.compared =
                port.compared && (port.provided == nullptr ||
                                  (a_.provides(*port.provided) && b_.provides(*port.provided)));
    }

    ElasticResult run() {
        while (!result_.difference && !done_) {
            write_ahead();
            for (Side* side : {&a_, &b_})
                if (!(waits(*side) && side->at_rest()))
                    side->step(script_);
            for (Side* side : {&a_, &b_})
                for (const KeyOfPort& key : side->take_fresh())
                    pair_up(key);
            for (const Side* side : {&a_, &b_})
                check_alive(*side);
            for (const Side* side : {&a_, &b_})
                check_empty(*side);
            check_surplus(a_, b_);
            check_surplus(b_, a_);
            if (!result_.difference && waits(a_) && waits(b_) && a_.at_rest() && b_.at_rest())
                both_at_rest();
        }
        result_.cycles = script_.cycles();
        return std::move(result_);
    }

  private:
    bool waits(const Side& side) const {
        const Event* e = script_.at(side.cursor());
        return e != nullptr && e->waits();
    }

    void write_ahead() {
        const uint64_t behind = std::min(a_.cursor(), b_.cursor());
        script_.drop_before(behind);
        while (!script_.ended() && script_.last() - behind < kAhead) {
            if (script_.cycles() >= cycles_) {
                script_.end();
                return;
            }
            if (progress_ && script_.cycles() % kProgressCycles == 0)
                progress_(script_.cycles());
            script_.advance();
        }
    }

    void pair_up(const KeyOfPort& key) {
        if (a_.faulted() || b_.faulted())
            return;
        auto &theirs = a_.given()[key], &ours = b_.given()[key];
        for (; !theirs.empty() && !ours.empty() && !result_.difference; ++result_.transactions) {
            if (theirs.front().values != ours.front().values)
                differ(key.first, theirs.front(), ours.front());
            theirs.pop_front();
            ours.pop_front();
        }
        if (theirs.empty())
            a_.given().erase(key);
        if (ours.empty())
            b_.given().erase(key);
    }

    // Shows the transactions of both up to the cycle of each, where one is known.
    Difference& report(unsigned port, uint64_t theirs = kToTheEnd, uint64_t ours = kToTheEnd) {
        Difference& d = result_.difference.emplace();
        d.cycle = script_.cycles();
        if (port != kNoPort)
            d.port = ports_.all[port].name;
        d.reference = a_.name();
        d.model_transactions = a_.report(theirs);
        d.rtl_transactions = b_.report(ours);
        return d;
    }
    static std::string ordinal(const Port& port, uint64_t number) {
        return "port " + port.name + ", transaction " + std::to_string(number);
    }

    // What a transaction of the port has the values of.
    std::vector<const PinRow*> compared_pins(const Port& p) const {
        std::vector<const PinRow*> pins = p.outputs;
        if (p.payload != kNoPort)
            for (const PinRow* pin : ports_.all[p.payload].outputs)
                pins.push_back(pin);
        return pins;
    }
    // A transaction of the reference in the words of the block; empty: it has none.
    std::string explain(const Port& p, const std::string& field, const Transaction& t) const {
        if (a_.world() == nullptr)
            return {};
        return a_.world()->explain(p.name, field, t.mark, [&](const char* name) {
            size_t at = 0;
            for (const PinRow* pin : compared_pins(p)) {
                if (pin->field == name)
                    return t.values[at];
                at += pin->elements;
            }
            throw std::logic_error("no field " + std::string(name));
        });
    }

    void differ(unsigned port, const Transaction& theirs, const Transaction& ours) {
        const Port& p = ports_.all[port];
        Difference& d = report(port, theirs.cycle, ours.cycle);
        size_t at = 0;
        for (const PinRow* pin : compared_pins(p)) {
            for (unsigned k = 0; k < pin->elements; ++k, ++at) {
                if (theirs.values[at] == ours.values[at] || !d.field.empty())
                    continue;
                d.field = pin->element_name(k);
                d.model = theirs.values[at];
                d.rtl = ours.values[at];
            }
        }
        const std::string words = explain(p, d.field, theirs);
        const std::string name = words.empty() ? d.port + "." + d.field : words;
        d.what = ordinal(p, ours.number) + " (cycle " + std::to_string(theirs.cycle) + " of the " +
                 a_.name() + ", " + std::to_string(ours.cycle) + " of the " + b_.name() +
                 "): " + detail::field_text(name, d.model) + " in the " + a_.name() + ", " +
                 detail::field_text(words.empty() ? name : std::string(), d.rtl) + " in the " +
                 b_.name();
    }

    // What the Verilog does not give and the reference has given, in the words of the block.
    std::string missing(const Port& port, const KeyOfPort& key) {
        const auto waiting = a_.given().find(key);
        if (waiting == a_.given().end() || waiting->second.empty())
            return {};
        const std::string words = explain(port, {}, waiting->second.front());
        return words.empty() ? words : " (" + words + ")";
    }

    // A transaction that does not come, or is not taken; work that does not end before a reset.
    void check_alive(const Side& side) {
        const Event* e = script_.at(side.cursor());
        if (result_.difference || side.faulted() || e == nullptr || side.since_moved() < kTimeout ||
            (e->waits() && side.at_rest()))
            return;
        const unsigned port = e->waits() ? kNoPort : e->port;
        Difference& d = report(port);
        d.what =
            (port == kNoPort ? "" : "port " + ports_.all[port].name + ": ") + "the " + side.name();
        if (e->waits())
            d.what += " does not end what it was asked for";
        else if (e->kind == Event::Kind::Input)
            d.what += " does not take a transaction";
        else
            d.what += " does not give transaction " + std::to_string(side.number(e->port) + 1) +
                      missing(ports_.all[port], {e->port, e->key});
        d.what += " within " + std::to_string(kTimeout) + " cycles";
        if (side.clock().stands())
            d.what += "; it has let its clock stop with work inside (" + side.clock().cause() +
                      ", and no input is valid)";
    }
    void check_empty(const Side& side) {
        if (!result_.difference && side.clock().denied_work())
            report(kNoPort).what = "the " + side.name() + " has held " + side.clock().empty_pin() +
                                   " high with work inside: without another input something has "
                                   "passed its pins since";
    }

    // The other has come to rest before a reset: it has given all it will give, and a block that
    // goes on giving would never come to rest itself.
    void check_surplus(Side& side, const Side& other) {
        const Event* e = script_.at(other.cursor());
        if (e != nullptr && e->kind == Event::Kind::Reset && other.at_rest() && !other.faulted() &&
            !side.faulted())
            report_surplus(side, other);
    }
    void report_surplus(Side& side, const Side& other) {
        for (const auto& [key, left] : side.given()) {
            if (result_.difference || left.empty())
                continue;
            report(key.first).what = ordinal(ports_.all[key.first], left.front().number) +
                                     " of the " + side.name() + " (cycle " +
                                     std::to_string(left.front().cycle) +
                                     ") does not come from the " + other.name();
        }
    }

    void both_at_rest() {
        bool resting = false;
        for (Side* side : {&a_, &b_})
            if (script_.at(side->cursor())->kind == Event::Kind::Rest) {
                side->go_on();
                resting = true;
            }
        if (resting)
            return;
        if (!a_.excused() && !b_.excused())
            check_rest();
        done_ = script_.ended() && a_.cursor() + 1 == script_.last();
        if (result_.difference || done_)
            return;
        a_.reset(*script_.at(a_.cursor()));
        b_.reset(*script_.at(b_.cursor()));
    }
    // Before a reset: nothing that only one of them gave, and the same contents.
    void check_rest() {
        for (Side* side : {&a_, &b_})
            if (side->faulted() && !result_.difference)
                report(kNoPort).what = "the " + side->name() + " reports an error (" +
                                       bench_.table.elastic.faults +
                                       ") where the model reports none" +
                                       (side->fault().empty() ? "" : ": " + side->fault());
        report_surplus(a_, b_);
        report_surplus(b_, a_);
        if (result_.difference || a_.world() == nullptr)
            return;
        const std::string what = a_.world()->difference(*b_.world());
        if (!what.empty())
            report(kNoPort).what = what;
    }

    ElasticBench& bench_;
    Ports ports_;
    Script script_;
    Side a_, b_;
    uint64_t cycles_;
    const std::function<void(uint64_t)>& progress_;
    ElasticResult result_;
    bool done_ = false;
};

}  // namespace
}  // namespace elastic

ElasticResult run_elastic(ElasticBench& bench, uint64_t cycles,
                          const std::function<void(uint64_t)>& progress) {
    return elastic::Comparison(bench, cycles, progress).run();
}

}  // namespace archipelago::rtl
