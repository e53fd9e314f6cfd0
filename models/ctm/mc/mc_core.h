// SPDX-License-Identifier: Apache-2.0
// The CTM memory controller in cycle mode. ATI CTM Guide 1.01, section 2.1.4; README.md has its
// links.
//
//   requests -> address units -> caches -> answers      a port for each client of each array,
//                                  |                     and one for the CO
//                                  v
//                   ways to local memory, link to the host's memory
//
// Each port takes a request a cycle and answers in order. Ports of a cache share its look-ups in
// turns.
#pragma once

#include <string>
#include <type_traits>
#include <vector>

#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/ctm/mc/address_unit.h"
#include "models/ctm/mc/mc_functional.h"
#include "models/ctm/mc/mc_spec.h"
#include "models/ctm/mc/mc_state.h"
#include "models/ctm/mc/units.h"

namespace archipelago::ctm {

class McCore final : public Unit {
    // Of the ports below, bit i: a request is in the channel of port i. Before the channels, which
    // keep it.
    uint64_t asked_ = 0;

  public:
    // `units` must outlive this. Throws std::invalid_argument for what is wrong with the Spec, or
    // what of it the units do not take.
    explicit McCore(const McSpec& spec, const Units& units = {},
                    const std::string& name = "ctm.mc");

    // Ports of elements: an array's inputs, an array's outputs, the CO's conditional output.
    unsigned input_port(unsigned array) const { return array; }
    unsigned output_port(unsigned array) const { return spec_.arrays + array; }
    unsigned conditional_port() const { return 2 * spec_.arrays; }
    // Ports of words, by client from kFloatConstants to kInstructions.
    static unsigned words_port(unsigned array, unsigned client) {
        return kWordsKinds * array + (client - kFloatConstants);
    }

    std::vector<Channel<ElementRequest>> elements;  // by port
    std::vector<Channel<WordsRequest>> words;       // by port
    Channel<UnitCommand> commands;
    Channel<MemRequest> pe_requests;  // of the PE, passed on; 64 are on their way at most
    std::vector<Channel<MemResponse>> from_local;
    Channel<MemResponse> from_system;

    std::vector<OutputChannel<ElementResponse>> to_elements;
    std::vector<OutputChannel<WordsResponse>> to_words;
    OutputEvent<UnitCommandDone> to_command_done{this};
    OutputChannel<MemResponse> to_pe{this};
    std::vector<OutputChannel<MemRequest>> to_local;  // even and odd lines, and so on
    OutputChannel<MemRequest> to_system{this};        // may be left alone where there is none

    bool tick(Cycle now) override;
    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;
    void register_stats(StatsRegistry& stats, const std::string& path) const;

    // What a machine in functional mode has, before anything is done: the lines of its caches, too,
    // which programs can tell from memory.
    void take_over(const McFunctional& machine);
    const McState& state() const { return state_; }
    const McSpec& spec() const { return spec_; }
    const AddressUnit& address_unit(unsigned number) const { return units_[number]; }
    unsigned address_units() const { return static_cast<unsigned>(units_.size()); }

  private:
    static constexpr unsigned kWordsKinds = 4;
    static constexpr unsigned kLanes = 4;

    unsigned element_ports() const { return 2 * spec_.arrays + 1; }
    unsigned words_ports() const { return kWordsKinds * spec_.arrays; }
    AddressUnit* units_of(unsigned port) {
        const unsigned elements = element_ports();
        return &units_[port < elements ? kLanes * port : kLanes * elements + (port - elements)];
    }
    // Address units of a port.
    template <class Slot>
    static constexpr unsigned kUnits = std::is_same_v<Slot, ElementSlot> ? kLanes : 1;
    CacheId cache_of_port(unsigned port) const;
    CacheUnit& cache(CacheId id) { return state_.caches[number_of(id)]; }
    // The next tick is due then, if nothing moves before.
    void due(Cycle at) { wake_ = at < wake_ ? at : wake_; }

    uint64_t ports_of(CacheId id) const;
    uint64_t without_sleeping(Cycle now, uint64_t ports);
    template <class Slot, class Request>
    void sleep(Cycle now, unsigned number, Port<Slot>& port, const Channel<Request>& in,
               bool moved);
    bool run_ports(Cycle now);
    template <class Slot>
    bool run_ports(Cycle now, CacheId id, uint64_t ports);
    template <class Slot, class Request, class Response>
    bool run_port(Cycle now, unsigned port, Port<Slot>& state, Channel<Request>& in,
                  Channel<Response>& out);
    template <class Slot, class Response>
    [[gnu::always_inline]] inline bool answer(Cycle now, Port<Slot>& port, Channel<Response>& out,
                                              PortStall& why);
    template <class Slot>
    [[gnu::always_inline]] inline bool look_up(Cycle now, unsigned number, Port<Slot>& port,
                                               PortStall& why);
    template <class Slot>
    PortStall look_up_line(Cycle now, CacheUnit& cache, Slot& slot, const Waiter& waiter,
                           uint16_t these);
    PortStall write_line(Cycle now, CacheUnit& cache, ElementSlot& slot, const Waiter& waiter,
                         uint16_t these);
    PortStall write_line(Cycle, CacheUnit&, WordsSlot&, const Waiter&, uint16_t) {
        return PortStall::None;
    }
    template <class Slot>
    [[gnu::always_inline]] inline bool locate(Cycle now, Port<Slot>& port, AddressUnit* units);
    template <class Slot>
    void tick_units(Cycle now, unsigned number, AddressUnit* units, bool inside);
    [[gnu::always_inline]] inline void found(ElementSlot& slot, unsigned unit,
                                             const AddressResponse& address);
    void found(WordsSlot& slot, unsigned unit, const AddressResponse& address);
    template <class Slot, class Request>
    [[gnu::always_inline]] inline bool take(Cycle now, unsigned number, Port<Slot>& port,
                                            AddressUnit* units, Channel<Request>& in,
                                            PortStall& why);
    static void begin(ElementSlot& slot, const ElementRequest& request);
    static void begin(WordsSlot& slot, const WordsRequest& request);
    static AddressRequest asked(const ElementSlot& slot, unsigned unit) {
        const Point& p = slot.request.index[unit];
        return {slot.request.client, p.x, p.y, 0};
    }
    static AddressRequest asked(const WordsSlot& slot, unsigned) {
        const Point p = LocatedWords::index_of(slot.request);
        return {slot.request.client, p.x, p.y, 0};
    }

    bool take_responses(Cycle now, Channel<MemResponse>& from);
    void arrive(Cycle now, CacheUnit& cache, const MemResponse& response);
    template <class Slot>
    void serve(Cycle now, Port<Slot>& port, const Waiter& waiter, uint32_t line, const Line* bytes,
               unsigned latency);
    void serve(Cycle now, const Waiter& waiter, uint32_t line, const Line* bytes, unsigned latency);

    bool run_command(Cycle now);
    bool set_surfaces(Cycle now, const UnitCommand& command);
    bool begin_command(Cycle now);
    bool go_on_with_command(Cycle now);
    bool walk_dirty();
    bool drop_lines(Cycle now);

    bool send(Cycle now);
    bool send_to(Cycle now, unsigned way, uint64_t sources);
    bool link_free(Cycle now, const MemRequest& request);
    unsigned way_of(uint64_t line) const;
    void count(unsigned way, const MemRequest& request);

    const McSpec spec_;
    const std::string name_;
    std::vector<AddressUnit> units_;
    McState state_;
    Cycle wake_ = kNever;                       // within a tick
    std::array<uint64_t, kCaches> ports_of_{};  // by cache
    // Ports that nothing can move before a cycle, unless a line comes for them, or a request for
    // those that listen. They have no state that is not worked out again.
    uint64_t asleep_ = 0, listening_ = 0;
    std::array<Cycle, 64> asleep_until_{};
    std::array<Cycle, 64> units_next_{};  // by port: AddressUnit::next() of all its units
};

}  // namespace archipelago::ctm
