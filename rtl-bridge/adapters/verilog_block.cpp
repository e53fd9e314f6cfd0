// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/verilog_block.h"

#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include "models/common/error.h"
#include "rtl-bridge/adapters/shared_module.h"

namespace archipelago::adapters {

std::unique_ptr<VerilogModule> load_verilog_module(const std::string& file, uint64_t seed) {
    const SharedModule library(file);
    const auto version = library.find<VerilogModuleVersion>(kVerilogModuleVersionSymbol);
    const auto make = library.find<MakeVerilogModule>(kMakeVerilogModuleSymbol);
    if (version == nullptr || make == nullptr)
        throw std::runtime_error(file + ": not built by archipelago_verilog()");
    if (version() != kVerilogModuleVersion)
        throw std::runtime_error(file + ": built for version " + std::to_string(version()) +
                                 " of the adapters, this is " +
                                 std::to_string(kVerilogModuleVersion) + "; build it again");
    return std::unique_ptr<VerilogModule>(make(seed));
}

// One port: pins on one side, a socket on the other.
struct VerilogBlock::Port {
    virtual ~Port() = default;
    virtual tlm::tlm_target_socket<>* target() { return nullptr; }
    virtual tlm::tlm_initiator_socket<>* initiator() { return nullptr; }
    virtual void sample() = 0;                        // with the clock low
    virtual void edge(Cycle now, bool in_reset) = 0;  // then drives what is new
    virtual bool idle() const = 0;
    virtual std::string waiting_for() { return {}; }
    virtual void set_checked(bool) = 0;
    virtual std::string traffic() const = 0;
    virtual void declare(const UnitStats& add) const = 0;
    virtual BusTargetPort* bus() { return nullptr; }
};

namespace {

template <class Core>
std::string bursts_of(const Core& core) {
    return std::to_string(core.read_bursts()) + " reads, " + std::to_string(core.write_bursts()) +
           " writes";
}

template <class Shell>
void declare_axi(const VerilogModule& module, unsigned port, const Shell& shell,
                 const UnitStats& add) {
    const AxiSpec& spec = module.ports()[port].axi;
    shell.traffic().declare(add, spec.has_read, spec.has_write);
}

uint64_t base_on_pins(const VerilogPort& p) {
    return p.offset ? p.base : 0;
}

void stop_at_breach(const std::vector<StreamViolation>& found) {
    if (!found.empty())
        throw MachineStop(StopKind::Protocol, "stream", found.front().text);
}

// A Verilog target: transactions to its pins.
template <class Base>
struct AxiIn final : Base {
    VerilogModule& module;
    unsigned index;
    AxiInitiator shell;
    AxiTargetPins pins;
    AxiIn(VerilogModule& m, unsigned i, tlm_shell::ClockDomain& clock, const VerilogPort& p)
        : module(m), index(i), shell(p.name.c_str(), clock, p.axi, base_on_pins(p)) {
        module.drive(index, shell.pins());
    }
    tlm::tlm_target_socket<>* target() override { return &shell.port.socket; }
    void sample() override { module.sample(index, pins); }
    void edge(Cycle now, bool in_reset) override {
        shell.edge(now, pins, in_reset);
        module.drive(index, shell.pins());
    }
    bool idle() const override { return shell.idle(); }
    std::string waiting_for() override { return shell.core().waiting_for(); }
    void set_checked(bool on) override { shell.set_checked(on); }
    std::string traffic() const override { return bursts_of(shell.core()); }
    void declare(const UnitStats& add) const override { declare_axi(module, index, shell, add); }
    BusTargetPort* bus() override { return &shell.port; }
};

// A Verilog initiator: its pins to transactions.
template <class Base>
struct AxiOut final : Base {
    VerilogModule& module;
    unsigned index;
    AxiTarget shell;
    AxiInitiatorPins pins;
    AxiOut(VerilogModule& m, unsigned i, const VerilogPort& p)
        : module(m), index(i), shell(p.name.c_str(), p.axi, p.line_bytes, p.base) {
        module.drive(index, shell.pins());
    }
    tlm::tlm_initiator_socket<>* initiator() override { return &shell.port.socket; }
    void sample() override { module.sample(index, pins); }
    void edge(Cycle, bool in_reset) override {
        shell.edge(pins, in_reset);
        module.drive(index, shell.pins());
    }
    bool idle() const override { return shell.idle(); }
    std::string waiting_for() override { return shell.core().waiting_for(); }
    void set_checked(bool on) override { shell.set_checked(on); }
    std::string traffic() const override { return bursts_of(shell.core()); }
    void declare(const UnitStats& add) const override { declare_axi(module, index, shell, add); }
};

// A stream into the Verilog: writes of whole words, regardless of the address within the port.
template <class Base>
struct StreamIn final : Base {
    VerilogModule& module;
    unsigned index;
    BusTargetPort port;
    ReadyValidSpec spec;
    ReadyValidSourceCore core;
    ReadyValidCheckerCore checker;
    StreamTraffic counts;
    bool ready = false, checked = true;
    struct Open {
        BusResponse response;
        uint32_t words;
    };
    std::deque<BusRequest> waiting;  // the first is being passed on
    uint32_t passed = 0;             // bytes of it
    std::deque<Open> open;
    StreamIn(VerilogModule& m, unsigned i, tlm_shell::ClockDomain& clock, const VerilogPort& p)
        : module(m),
          index(i),
          port(p.name.c_str(), clock, 16, base_on_pins(p)),
          spec(p.words),
          core(p.words, port.name()),
          checker(p.words, port.name()) {
        module.drive(index, core.pins());
    }
    tlm::tlm_target_socket<>* target() override { return &port.socket; }
    void sample() override { ready = spec.strobe || module.ready(index); }
    void edge(Cycle now, bool in_reset) override {
        if (checked)
            stop_at_breach(checker.edge(core.pins(), ready, in_reset));
        counts.edge(core.pins().valid, ready, in_reset);
        while (!in_reset && port.has_request(now)) {
            BusRequest r = port.take(now);
            BusResponse answer{r.tag, BusStatus::Ok, r.write, false, {}};
            if (!r.write)
                answer.status = BusStatus::Error;  // nothing to read
            else if (!r.enable.empty() || r.length % spec.data_bytes() != 0)
                answer.status = BusStatus::BurstError;
            if (answer.status != BusStatus::Ok) {
                answer.data.assign(r.length, 0);
                port.respond(std::move(answer));
                continue;
            }
            open.push_back({std::move(answer), r.length / spec.data_bytes()});
            waiting.push_back(std::move(r));
        }
        if (in_reset) {
            for (Open& o : open) {
                o.response.status = BusStatus::Reset;
                port.respond(std::move(o.response));
            }
            open.clear();
            waiting.clear();
            passed = 0;
        }
        while (!waiting.empty() && core.can_push()) {
            DataLanes word{};
            std::copy_n(&waiting.front().data[passed], spec.data_bytes(), word.data());
            if (spec.data_bits % 8 != 0)
                word[spec.data_bytes() - 1] &= static_cast<uint8_t>((1u << spec.data_bits % 8) - 1);
            core.push(word);
            passed += spec.data_bytes();
            if (passed == waiting.front().length) {
                passed = 0;
                waiting.pop_front();
            }
        }
        if (core.edge(ready, in_reset) && --open.front().words == 0) {
            port.respond(std::move(open.front().response));
            open.pop_front();
        }
        port.tick(now);
        module.drive(index, core.pins());
    }
    bool idle() const override { return port.idle() && core.idle(); }
    void set_checked(bool on) override { checked = on; }
    std::string traffic() const override { return std::to_string(core.moved()) + " words"; }
    void declare(const UnitStats& add) const override { counts.declare(add, spec.strobe); }
    BusTargetPort* bus() override { return &port; }
};

// A stream out of the Verilog: each word a write to the port's address.
template <class Base>
struct StreamOut final : Base {
    VerilogModule& module;
    unsigned index;
    BusInitiatorPort port;
    ReadyValidSpec spec;
    ReadyValidSinkCore core;
    ReadyValidCheckerCore checker;
    StreamTraffic counts;
    ReadyValidPins pins;
    bool checked = true;
    unsigned under_way = 0;
    StreamOut(VerilogModule& m, unsigned i, const VerilogPort& p)
        : module(m),
          index(i),
          port(p.name.c_str(), p.line_bytes, p.base),
          spec(p.words),
          core(p.words, port.name()),
          checker(p.words, port.name()) {
        if (!spec.strobe)
            module.drive_ready(index, false);
    }
    tlm::tlm_initiator_socket<>* initiator() override { return &port.socket; }
    void sample() override {
        pins = {};
        module.sample(index, pins);
    }
    void edge(Cycle, bool in_reset) override {
        if (checked)
            stop_at_breach(checker.edge(pins, core.ready(), in_reset));
        counts.edge(pins.valid, spec.strobe || core.ready(), in_reset);
        core.edge(pins, in_reset);
        while (port.has_response()) {
            const BusResponse r = port.pop();
            --under_way;
            if (r.status != BusStatus::Ok)
                throw MachineStop(StopKind::Fault, port.name(),
                                  std::string("a word was refused where it is written to: ") +
                                      to_string(r.status));
        }
        while (core.has_word() && under_way < spec.depth) {
            const DataLanes word = core.pop();
            BusRequest r;
            r.write = true;
            r.length = spec.data_bytes();
            r.data.assign(word.begin(), word.begin() + spec.data_bytes());
            ++under_way;
            port.submit(std::move(r));
        }
        port.tick();
        if (!spec.strobe)
            module.drive_ready(index, core.ready());
    }
    bool idle() const override { return under_way == 0; }
    void set_checked(bool on) override { checked = on; }
    std::string traffic() const override { return std::to_string(core.moved()) + " words"; }
    void declare(const UnitStats& add) const override { counts.declare(add, spec.strobe); }
};

}  // namespace

VerilogBlock::VerilogBlock(const sc_core::sc_module_name& name,
                           std::unique_ptr<VerilogModule> module, tlm_shell::ClockDomain& clock)
    : sc_core::sc_module(name),
      module_(std::move(module)),
      clock_(clock),
      reset_left_(module_->reset_cycles()) {
    for (unsigned i = 0; i < module_->ports().size(); ++i) {
        const VerilogPort& p = module_->ports()[i];
        if (p.stream && p.target)
            ports_.push_back(std::make_unique<StreamIn<Port>>(*module_, i, clock_, p));
        else if (p.stream)
            ports_.push_back(std::make_unique<StreamOut<Port>>(*module_, i, p));
        else if (p.target)
            ports_.push_back(std::make_unique<AxiIn<Port>>(*module_, i, clock_, p));
        else
            ports_.push_back(std::make_unique<AxiOut<Port>>(*module_, i, p));
        BusTargetPort* bus = ports_.back()->bus();
        if (bus == nullptr)
            continue;
        bus->on_work = [this](Cycle at) { wake_at(at); };
        if (!p.back_doors.empty()) {
            // Addresses as on the pins, offsets in the memory.
            const uint64_t first = p.offset ? 0 : p.base;
            bus->set_back_door({[this, i, first](uint64_t at, uint8_t* to, size_t n) {
                                    return at >= first && module_->peek(i, at - first, to, n);
                                },
                                [this, i, first](uint64_t at, const uint8_t* from, size_t n) {
                                    return at >= first && module_->poke(i, at - first, from, n);
                                }});
        }
    }
    module_->reset(true);
    module_->settle();  // initial blocks run, before the back door writes what they would overwrite
    clock_.add(*this);
    wake_at(0);
}

VerilogBlock::~VerilogBlock() = default;

tlm::tlm_target_socket<>* VerilogBlock::target(unsigned port) {
    return ports_[port]->target();
}
tlm::tlm_initiator_socket<>* VerilogBlock::initiator(unsigned port) {
    return ports_[port]->initiator();
}

void VerilogBlock::reset(unsigned cycles) {
    reset_left_ = std::max(cycles, 1u);
    module_->reset(true);
    wake_at(clock_.now() + 1);
}

void VerilogBlock::set_checked(bool on) {
    for (auto& p : ports_)
        p->set_checked(on);
}

bool VerilogBlock::read(unsigned port, uint64_t address, uint8_t* to, size_t bytes) {
    const VerilogPort& p = ports()[port];
    return address >= p.base && module_->peek(port, address - p.base, to, bytes);
}
bool VerilogBlock::write(unsigned port, uint64_t address, const uint8_t* from, size_t bytes) {
    const VerilogPort& p = ports()[port];
    return address >= p.base && module_->poke(port, address - p.base, from, bytes);
}

bool VerilogBlock::tick(Cycle now) {
    // What the Verilog drives in this cycle is sampled before its edge, with what we drove after
    // the edge before.
    const bool in_reset = reset_left_ != 0;
    module_->settle();
    for (auto& p : ports_)
        p->sample();
    module_->edge();
    if (in_reset && --reset_left_ == 0)
        module_->reset(false);
    for (auto& p : ports_)
        p->edge(now, in_reset);
    if (!module_->may_sleep())
        return true;
    const bool idle =
        !in_reset && std::all_of(ports_.begin(), ports_.end(), [](auto& p) { return p->idle(); });
    idle_cycles_ = idle ? idle_cycles_ + 1 : 0;
    return idle_cycles_ < kSettle;
}

std::string VerilogBlock::traffic() const {
    std::string text;
    for (size_t i = 0; i < ports_.size(); ++i)
        text += (i == 0 ? "" : "; ") + ports()[i].name + ": " + ports_[i]->traffic();
    return text;
}

void VerilogBlock::add_stats(StatsRegistry& stats) {
    const std::string path = std::string("verilog.") + basename();
    const UnitStats add(stats, path);
    module_cycles_ = module_->cycles();
    add("cycles", "cycles", "of its clock", &module_cycles_);
    const std::vector<std::string>& names = module_->counters();
    module_counters_.resize(names.size());
    for (unsigned i = 0; i < names.size(); ++i) {
        module_counters_[i] = module_->counter(i);
        add(names[i].c_str(), "", "counted by the Verilog", &module_counters_[i]);
    }
    for (size_t i = 0; i < ports_.size(); ++i)
        ports_[i]->declare(UnitStats(stats, path + "." + ports()[i].name));
}

std::string VerilogBlock::waiting_for() const {
    std::string text;
    for (const auto& p : ports_) {
        const std::string line = p->waiting_for();
        if (!line.empty())
            text += line + "\n";
    }
    return text;
}

}  // namespace archipelago::adapters
