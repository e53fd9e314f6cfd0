// SPDX-License-Identifier: Apache-2.0
// The CTM memory controller's address translation: index pairs of its clients to byte addresses, a
// request a cycle, in order. ATI CTM Guide 1.01, section 2.1.4. Its Verilog twin is
// rtl-bridge/rtl/ctm_mc_address.
#pragma once

#include <string>
#include <vector>

#include "models/common/stats.h"
#include "models/common/unit.h"
#include "models/ctm/mc/address_spec.h"
#include "models/ctm/mc/address_state.h"
#include "models/ctm/mc/surface_addresses.h"

namespace archipelago::ctm {

// What the block answers: the whole behaviour but time. For elements of one client while no command
// changes its surface.
class Translator {
  public:
    Translator(const std::array<Surface, kClients>& surfaces, unsigned client);
    AddressResponse of(uint32_t x, uint32_t y, uint8_t tag = 0) const {
        AddressResponse r;
        translate(x, y, tag, r);
        return r;
    }
    // Field by field in its place: a copy would wait for the stores of the parts.
    void translate(uint32_t x, uint32_t y, uint8_t tag, AddressResponse& r) const {
        r.tag = tag;
        r.status = status_;
        r.log2_bytes = log2_bytes_;
        r.superfine = superfine_;
        if (superfine_) {
            r.address = four(x, y);
        } else {
            r.address[0] = has_address() ? address(x, y) : 0;
            r.address[1] = r.address[2] = r.address[3] = 0;
        }
    }
    AddressStatus status() const { return status_; }
    bool has_address() const {
        return status_ == AddressStatus::Ok || status_ == AddressStatus::Undefined;
    }
    bool superfine() const { return superfine_; }
    // Of an element, where there is one address.
    uint32_t address(uint32_t x, uint32_t y) const { return at_.of(x & kMaxIndex, y & kMaxIndex); }

    // Of four elements of a surface of this size of elements.
    template <unsigned Log2Bytes>
    QuadWords addresses(QuadWords x, QuadWords y) const {
        return at_.of_quad<Log2Bytes>(x & kMaxIndex, y & kMaxIndex);
    }

  private:
    std::array<uint32_t, 4> four(uint32_t x, uint32_t y) const;

    AddressStatus status_ = AddressStatus::Ok;
    bool superfine_ = false;
    uint8_t log2_bytes_ = 0;
    SurfaceAddresses at_;
};

class McAddressCore final : public Unit {
    // From when on the channels have something; kept by them.
    Cycle first_request_ = kNever, first_command_ = kNever;
    Cycle first_out_ = kNever;  // first_ready() of the pipeline

  public:
    // Throws std::invalid_argument for a Spec that is out of range.
    explicit McAddressCore(const AddressSpec& spec, const std::string& name = "ctm.mc.address");

    Channel<AddressRequest> requests;
    Channel<AddressCommand> commands;
    OutputChannel<AddressResponse> to_responses{this};

    // A request taken in a cycle leaves `latency` cycles later or when there is room for it. It
    // sees the surfaces set by commands taken in earlier cycles.
    bool tick(Cycle now) override;
    // Ticks before this cycle change nothing, unless something comes in.
    Cycle next() const {
        const Cycle in = first_request_ < first_command_ ? first_request_ : first_command_;
        return in < first_out_ ? in : first_out_;
    }

    // Whether the oldest response wants to leave, and whether a request would be taken, in a cycle
    // in which the response channel has room or not. For the block's pins.
    bool offers(Cycle now) const;
    bool takes_request(Cycle now, bool room) const;

    void reset() override;
    void archive(Archive& a) override;
    bool idle() const override;
    std::string waiting_for() const override;

    void register_stats(StatsRegistry& stats, const std::string& path) const;

    // What a machine in functional mode has, before anything is done.
    void take_over(const std::array<Surface, kClients>& surfaces) { state_.surfaces = surfaces; }
    const AddressState& state() const { return state_; }
    // Whether the last tick took a command and refused it.
    bool refused_command() const { return refused_command_; }
    const AddressSpec& spec() const { return spec_; }

  private:
    void reset_state();
    void count(const AddressResponse& r);
    const Translator& translator(unsigned client);

    const AddressSpec spec_;
    const std::string name_;
    AddressState state_;
    bool refused_command_ = false;
    // By client, the last one of no client; of bits that are set, until a command comes.
    std::vector<Translator> translators_;
    uint32_t translated_ = 0;
};

// Of one element.
AddressResponse translate(const std::array<Surface, kClients>& surfaces,
                          const AddressRequest& request);
// False when the command is refused and changes nothing: an opcode that sets no surface, or an
// output that does not exist.
bool apply(const AddressCommand& command, std::array<Surface, kClients>& surfaces);

}  // namespace archipelago::ctm
