// SPDX-License-Identifier: Apache-2.0
// Blocks and links of a chip under construction: one call adds a block, one links two blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <systemc>
#include <type_traits>
#include <utility>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/asic/engine_cycle_log.h"
#include "models/asic/spec_readers.h"
#include "models/asic/transaction_ledger.h"
#include "models/common/stats.h"
#include "models/common/trace_sink.h"
#include "models/common/unit.h"
#include "tlm/clock_domain.h"
#include "tlm/payload.h"
#include "tlm/port.h"

namespace archipelago::asic {

// A block's end of a link: the channel that the link delivers into, and the output of the block
// that it takes from.
template <class In, class Out>
struct LinkEnd {
    tlm_shell::ClockDomain& clock;
    Channel<In>& in;
    OutputChannel<Out>& out;
};

class Netlist {
  public:
    // `options` must outlive this. `engine_period_fs`: of the clock whose cycles lines of the log
    // have; 0: of each block's own.
    explicit Netlist(const ChipOptions& options, uint64_t engine_period_fs = 0)
        : options_(options), engine_period_fs_(engine_period_fs) {}

    // Names of counters; one that begins with * stands for every name that ends so.
    using Names = std::vector<std::string>;

    // A block: from now on `clock` ticks it (cycle mode), and it is controlled, archived, reported,
    // counted and traced under `name`, each but the second as far as it can be. `progress`: those
    // of its counters that only move when work is done.
    template <class Block>
    Block& add(tlm_shell::ClockDomain& clock, Block& block, const std::string& name,
               Names progress = {}) {
        Entry entry{name, nullptr, {}, {}, {}, {}, {}, std::move(progress), {}};
        if constexpr (std::is_base_of_v<Clocked, Block>)
            entry.units = {&block};
        else if constexpr (HasUnits<Block>::value)
            entry.units = block.units();
        for (Clocked* unit : entry.units)
            tick(clock, *unit);
        if constexpr (std::is_base_of_v<Control, Block>)
            entry.control = &block;
        entry.archive = [&block](Archive& a) { block.archive(a); };
        if constexpr (HasStats<Block>::value)
            entry.count = [&block, name](StatsRegistry& stats) {
                block.register_stats(stats, name);
            };
        if constexpr (HasObserve<Block>::value)
            entry.observe = [this, &block, &clock, name] {
                block.observe({options_.trace, log_of(clock), clock.period_fs()}, name);
            };
        if constexpr (HasFinishTrace<Block>::value)
            entry.finish_trace = [&block, &clock] { block.finish_trace(clock.now()); };
        blocks_.push_back(std::move(entry));
        return block;
    }

    // Registers these counters for the block `name` instead of its own.
    void count(const std::string& name, std::function<void(StatsRegistry&)> count);

    // Calls visit(control, units) for every block under the Control contract that has been added so
    // far; its clock ticks the units.
    template <class Visit>
    void each_block(const Visit& visit) const {
        for (const Entry& entry : blocks_)
            if (entry.control != nullptr)
                visit(*entry.control, entry.units);
    }

    // A channel that is connected right here; in test mode it refuses at random.
    template <class Message>
    Channel<Message>& channel(Channel<Message>& channel) {
        if (options_.stall_percent != 0)
            channel.random_stall(options_.stall_seed * 7919 + ++stalled_channels_,
                                 options_.stall_percent);
        return channel;
    }

    // Two blocks through TLM-2.0 sockets. Codec: tlm_shell::MemoryCodec or RegisterCodec.
    // `synchroniser`: cycles of the receiver, between two clocks.
    template <class Codec>
    using From = LinkEnd<typename Codec::Response, typename Codec::Request>;
    template <class Codec>
    using To = LinkEnd<typename Codec::Request, typename Codec::Response>;
    template <class Codec>
    tlm_shell::InitiatorPort<Codec>& link(const std::string& name, const From<Codec>& from,
                                          const To<Codec>& to, const LinkSpec& spec,
                                          unsigned synchroniser = 0);
    // One end of a link, to be bound by the caller; a target is for another party.
    template <class Codec>
    tlm_shell::InitiatorPort<Codec>& initiator(const std::string& name, const From<Codec>& from,
                                               const LinkSpec& spec, unsigned synchroniser = 0);
    template <class Codec>
    tlm_shell::TargetPort<Codec>& target(const std::string& name, const To<Codec>& to,
                                         const LinkSpec& spec);
    // Binds two sockets, with a protocol checker between them when the options ask for it.
    // `control`: the chip's, where what is bound to is of another party (ProtocolChecker).
    template <class Initiator, class Target>
    void bind(const std::string& name, Initiator& from, Target& to,
              tlm_shell::RunControl* control = nullptr);

    // The taps that the chip's memory transactions pass.
    TransactionLedger& transactions() { return transactions_; }
    const TransactionLedger& transactions() const { return transactions_; }
    // Of all transactions of the chip.
    const tlm_shell::PayloadPool& pool() const { return pool_; }

    // ---- once all blocks are there. `order`: beginnings of names, alternatives apart by |, in the
    // order in which the blocks are gone through; the others follow in the order they were added.
    void observe(const Names& order);
    void register_stats(StatsRegistry& stats, const Names& order);

    // ---- when the run has ended
    // Blocks with a finish_trace(now), a cycle of their clock, report the slices that are still
    // open as if these ended now.
    void finish_trace() const;

    // ---- while the chip runs
    // Blocks and ports, each a block of the archive. `absent`: those that the archive has not stay
    // as they are.
    void archive(Archive& a, bool absent = false);
    bool idle() const;
    uint64_t progress() const;
    // From now on waiting() knows which blocks move.
    void watch();
    // Name and reason of every block that waits. Of blocks without progress of their own, which
    // carry out the requests of others, those that have counted something since watch(): in
    // `moving`.
    using Reasons = std::vector<std::pair<std::string, std::string>>;
    Reasons waiting(Reasons& moving) const;

  private:
    template <class Codec>
    tlm_shell::TargetPort<Codec>& end_of_link(const std::string& name, const To<Codec>& to,
                                              const LinkSpec& spec, unsigned synchroniser);

    template <class Block, class = void>
    struct HasUnits : std::false_type {};
    template <class Block>
    struct HasUnits<Block, std::void_t<decltype(std::declval<Block&>().units())>> : std::true_type {
    };
    template <class Block, class = void>
    struct HasStats : std::false_type {};
    template <class Block>
    struct HasStats<Block, std::void_t<decltype(std::declval<Block&>().register_stats(
                               std::declval<StatsRegistry&>(), std::string()))>> : std::true_type {
    };
    template <class Block, class = void>
    struct HasObserve : std::false_type {};
    template <class Block>
    struct HasObserve<Block, std::void_t<decltype(std::declval<Block&>().observe(
                                 std::declval<const Observers&>(), std::string()))>>
        : std::true_type {};

    template <class Block, class = void>
    struct HasFinishTrace : std::false_type {};
    template <class Block>
    struct HasFinishTrace<
        Block, std::void_t<decltype(std::declval<Block&>().finish_trace(std::declval<Cycle>()))>>
        : std::true_type {};

    struct Entry {
        std::string name;
        Control* control;
        std::vector<Clocked*> units;  // that its clock ticks
        std::function<void(Archive&)> archive;
        std::function<void(StatsRegistry&)> count;
        std::function<void()> observe;
        std::function<void()> finish_trace;
        Names progress;
        std::vector<const uint64_t*> counters;  // that stand while nothing moves
        uint64_t watched = 0;                   // their sum when watch() was called
        uint64_t done() const;
    };
    void tick(tlm_shell::ClockDomain& clock, Clocked& unit) {
        if (options_.mode == Mode::Cycle)
            clock.add(unit);
    }
    std::vector<Entry*> in_order(const Names& order);
    LogSink* log_of(const tlm_shell::ClockDomain& clock);

    const ChipOptions& options_;
    const uint64_t engine_period_fs_;
    std::vector<std::unique_ptr<EngineCycleLog>> logs_;  // of other clocks
    tlm_shell::PayloadPool pool_;
    TransactionLedger transactions_;
    std::vector<Entry> blocks_;
    std::vector<std::unique_ptr<sc_core::sc_module>> modules_;  // ports and checkers
    // Of the ports, by their names.
    std::vector<std::pair<std::string, std::function<void(Archive&)>>> ports_;
    std::vector<const uint64_t*> progress_;
    uint64_t stalled_channels_ = 0;
    bool watched_ = false;
};

}  // namespace archipelago::asic
