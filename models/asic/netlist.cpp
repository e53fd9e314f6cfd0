// SPDX-License-Identifier: Apache-2.0
#include "models/asic/netlist.h"

#include <algorithm>

#include "tlm/protocol_checker.h"

namespace archipelago::asic {
namespace {

// A block's name against one entry of an order.
bool begins(const std::string& name, const std::string& starts) {
    for (size_t at = 0; at <= starts.size();) {
        const size_t end = std::min(starts.find('|', at), starts.size());
        if (name.compare(0, end - at, starts, at, end - at) == 0)
            return true;
        at = end + 1;
    }
    return false;
}

// A counter's name against one of Netlist::Names.
bool matches(const std::string& name, const std::string& pattern) {
    if (pattern[0] != '*')
        return name == pattern;
    const size_t n = pattern.size() - 1;
    return name.size() >= n && name.compare(name.size() - n, n, pattern, 1, n) == 0;
}

// A counter that goes on while nothing moves: of time, and of DRAM commands, refreshes among them.
bool counts_alone(const Counter& counter) {
    return counter.unit == "cycles" || counter.unit == "memory cycles" ||
           counter.unit == "commands";
}

// A block's own end of a link refuses at random on the way to memory. On the register bus only the
// ports do: the order in which its blocks see accesses and interrupts stays what a host relies on.
template <class Codec, class Message>
Channel<Message>& at_block(Netlist& net, Channel<Message>& end) {
    if constexpr (std::is_same_v<Codec, tlm_shell::MemoryCodec>)
        return net.channel(end);
    else
        return end;
}

}  // namespace

template <class Codec>
tlm_shell::InitiatorPort<Codec>& Netlist::initiator(const std::string& name,
                                                    const From<Codec>& from, const LinkSpec& spec,
                                                    unsigned synchroniser) {
    auto made = std::make_unique<tlm_shell::InitiatorPort<Codec>>(
        name.c_str(), from.clock, pool_, spec.depth, spec.latency, synchroniser);
    tlm_shell::InitiatorPort<Codec>& port = *made;
    modules_.push_back(std::move(made));
    ports_.emplace_back("link " + name, [&port](Archive& a) { port.archive(a); });
    from.out.connect(channel(port.requests));
    port.connect(at_block<Codec>(*this, from.in));
    return port;
}

template <class Codec>
tlm_shell::TargetPort<Codec>& Netlist::target(const std::string& name, const To<Codec>& to,
                                              const LinkSpec& spec) {
    tlm_shell::TargetPort<Codec>& port = end_of_link<Codec>(name, to, spec, 0);
    port.faces_another();
    return port;
}

template <class Codec>
tlm_shell::TargetPort<Codec>& Netlist::end_of_link(const std::string& name, const To<Codec>& to,
                                                   const LinkSpec& spec, unsigned synchroniser) {
    auto made = std::make_unique<tlm_shell::TargetPort<Codec>>(name.c_str(), to.clock, spec.depth,
                                                               spec.latency, synchroniser);
    tlm_shell::TargetPort<Codec>& port = *made;
    modules_.push_back(std::move(made));
    ports_.emplace_back("link " + name, [&port](Archive& a) { port.archive(a); });
    to.out.connect(channel(port.responses));
    port.connect(at_block<Codec>(*this, to.in));
    return port;
}

template <class Initiator, class Target>
void Netlist::bind(const std::string& name, Initiator& from, Target& to,
                   tlm_shell::RunControl* control) {
    if (!options_.check_protocol) {
        from.bind(to);
        return;
    }
    auto checker = std::make_unique<tlm_shell::ProtocolChecker>((name + "_check").c_str(), control);
    from.bind(checker->in);
    checker->out.bind(to);
    modules_.push_back(std::move(checker));
}

template <class Codec>
tlm_shell::InitiatorPort<Codec>& Netlist::link(const std::string& name, const From<Codec>& from,
                                               const To<Codec>& to, const LinkSpec& spec,
                                               unsigned synchroniser) {
    auto& out = initiator<Codec>(name + "_out", from, spec, synchroniser);
    auto& in = end_of_link<Codec>(name + "_in", to, spec, synchroniser);
    bind(name, out.socket, in.socket);
    return out;
}

using Memory = tlm_shell::MemoryCodec;
using Register = tlm_shell::RegisterCodec;
template tlm_shell::InitiatorPort<Memory>& Netlist::link<Memory>(const std::string&,
                                                                 const From<Memory>&,
                                                                 const To<Memory>&, const LinkSpec&,
                                                                 unsigned);
template tlm_shell::InitiatorPort<Register>& Netlist::link<Register>(const std::string&,
                                                                     const From<Register>&,
                                                                     const To<Register>&,
                                                                     const LinkSpec&, unsigned);
template tlm_shell::InitiatorPort<Memory>& Netlist::initiator<Memory>(const std::string&,
                                                                      const From<Memory>&,
                                                                      const LinkSpec&, unsigned);
template tlm_shell::TargetPort<Register>& Netlist::target<Register>(const std::string&,
                                                                    const To<Register>&,
                                                                    const LinkSpec&);
template void Netlist::bind(const std::string&, tlm::tlm_initiator_socket<>&,
                            tlm::tlm_initiator_socket<>&, tlm_shell::RunControl*);

std::vector<Netlist::Entry*> Netlist::in_order(const Names& order) {
    std::vector<std::vector<Entry*>> places(order.size() + 1);  // the last: not in the order
    for (Entry& block : blocks_) {
        const auto place = std::find_if(order.begin(), order.end(), [&](const std::string& start) {
            return begins(block.name, start);
        });
        places[static_cast<size_t>(place - order.begin())].push_back(&block);
    }
    std::vector<Entry*> sorted;
    for (const std::vector<Entry*>& blocks : places)
        sorted.insert(sorted.end(), blocks.begin(), blocks.end());
    return sorted;
}

LogSink* Netlist::log_of(const tlm_shell::ClockDomain& clock) {
    const uint64_t period = clock.period_fs();
    if (options_.log == nullptr || engine_period_fs_ == 0 || period == engine_period_fs_)
        return options_.log;
    logs_.push_back(std::make_unique<EngineCycleLog>(*options_.log, period, engine_period_fs_));
    return logs_.back().get();
}

void Netlist::observe(const Names& order) {
    for (const Entry* block : in_order(order))
        if (block->observe)
            block->observe();
}

void Netlist::finish_trace() const {
    for (const Entry& block : blocks_)
        if (block.finish_trace)
            block.finish_trace();
}

void Netlist::count(const std::string& name, std::function<void(StatsRegistry&)> count) {
    const auto block = std::find_if(blocks_.begin(), blocks_.end(),
                                    [&](const Entry& entry) { return entry.name == name; });
    if (block != blocks_.end())
        block->count = std::move(count);
}

void Netlist::register_stats(StatsRegistry& stats, const Names& order) {
    for (Entry* block : in_order(order)) {
        if (!block->count)
            continue;
        const size_t first = stats.counters().size();
        block->count(stats);
        for (size_t i = first; i < stats.counters().size(); ++i) {
            const Counter& counter = stats.counters()[i];
            for (const std::string& pattern : block->progress)
                if (matches(counter.name, pattern))
                    progress_.push_back(counter.value);
            if (!counts_alone(counter))
                block->counters.push_back(counter.value);
        }
    }
}

uint64_t Netlist::Entry::done() const {
    uint64_t sum = 0;
    for (const uint64_t* counter : counters)
        sum += *counter;
    return sum;
}

void Netlist::archive(Archive& a, bool absent) {
    const auto visit = [&](const std::string& name, const auto& archive) {
        if (!absent || a.has(name))
            a.block(name, [&] { archive(a); });
    };
    for (const Entry& block : blocks_)
        visit(block.name, block.archive);
    for (const auto& [name, archive] : ports_)
        visit(name, archive);
}

bool Netlist::idle() const {
    return std::all_of(blocks_.begin(), blocks_.end(), [](const Entry& block) {
        return block.control == nullptr || block.control->idle();
    });
}

uint64_t Netlist::progress() const {
    uint64_t sum = 0;
    for (const uint64_t* counter : progress_)
        sum += *counter;
    return sum;
}

void Netlist::watch() {
    watched_ = true;
    for (Entry& block : blocks_)
        block.watched = block.done();
}

Netlist::Reasons Netlist::waiting(Reasons& moving) const {
    Reasons list;
    for (const Entry& block : blocks_) {
        std::string reason =
            block.control != nullptr ? block.control->waiting_for() : std::string();
        if (reason.empty())
            continue;
        const bool moves = watched_ && block.progress.empty() && block.done() != block.watched;
        (moves ? moving : list).emplace_back(block.name, std::move(reason));
    }
    return list;
}

}  // namespace archipelago::asic
