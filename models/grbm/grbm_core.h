// SPDX-License-Identifier: Apache-2.0
// Graphics register bus manager: takes register requests of the host and of CP, adds the steering
// of GRBM_GFX_INDEX, sends them to the block that owns the register, and keeps the status
// registers. Writes are posted and are not answered; reads are. Order per source and block is kept.
// The register address space: "Radeon Southern Islands Acceleration" 2.1.1; GRBM's registers: Linux
// radeon sid.h, and the public register headers that configs/registers/si/grbm.yaml is made of.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/common/arbiter.h"
#include "models/grbm/grbm_unit.h"

namespace archipelago::grbm {

class GrbmCore final : public GrbmUnit {
  public:
    explicit GrbmCore(const Spec& spec);

    // ---- functional mode: decode straight to the blocks ----------------------------------------
    void attach(unsigned port, RegisterTarget* target);
    uint32_t read(uint32_t offset);  // by the host
    // 0 where there is no register.
    uint32_t read(const RegRequest& request) { return find(request).value_or(0); }
    // The value of a register; nothing where there is none, which is reported.
    std::optional<uint32_t> find(RegRequest request);
    // The same for a debugger: changes, counts and reports nothing.
    std::optional<uint32_t> inspect(RegRequest request);
    // Whether a block was given the value: else nothing but a register of the bus has changed.
    bool write(const RegRequest& request);
    // As write() of `count` registers of CP from request.offset on, when each is plain storage and
    // not logged. False: otherwise; nothing was written.
    bool store(const RegRequest& request, const uint32_t* values, uint32_t count);

    bool tick(Cycle now) override;
    const State& state() const { return state_; }
    // ---- Control -------------------------------------------------------------------------------
    void reset() override;
    void archive(Archive& a) override;
    void set_run_state(RunState run) override {
        Unit::set_run_state(run);
        find_simple();
    }

  private:
    // What a dword of the aperture is, in one place: register writes ask for it all the time.
    struct Decode {
        uint8_t range = 0;  // + 1; 0 for a hole
        uint8_t port = kStore;
        uint8_t flags = 0;  // kKnown, kStarts, kContext, kPlain, kPasses, kCopied
        uint32_t also = 0;  // ports, a bit each
    };
    // What GRBM_GFX_INDEX says.
    struct Steering {
        uint32_t index = 0;
        uint8_t se = 0, sh = 0, instance = 0;
        bool se_broadcast = false, sh_broadcast = false, instance_broadcast = false;
    };
    const Steering& steering(unsigned source) {
        Steering& s = steering_[source];
        if (s.index != state_.gfx_index[source])
            s = steering_of(state_.gfx_index[source]);
        return s;
    }
    void steer(RegRequest& r) {
        r.context = context_of(r);
        const Steering& s = steering(r.source);
        r.se = s.se;
        r.sh = s.sh;
        r.instance = s.instance;
        r.se_broadcast = s.se_broadcast;
        r.sh_broadcast = s.sh_broadcast;
        r.instance_broadcast = s.instance_broadcast;
    }
    Steering steering_of(uint32_t index) const;
    // The copies of a register that a request is for; the first is the one that is read.
    struct CopySpan {
        unsigned first = 0, end = 1;
        bool any() const { return first != end; }
    };
    struct ChosenCopies {
        CopySpan se, sh, instance;
        bool all = true;
        bool any() const { return se.any() && sh.any() && instance.any(); }
    };
    ChosenCopies choose_copies(const RegRequest& r);
    unsigned copy_number(unsigned se, unsigned sh, unsigned instance) const {
        return (se * spec_.most.sh + sh) * spec_.most.instance + instance;
    }
    uint8_t context_of(const RegRequest& r) const {
        return r.source == kRegFromHost ? state_.newest_context : r.context;
    }
    bool own_write(Cycle now, const RegRequest& r);
    bool own_read(Cycle now, bool functional, const RegRequest& r, uint32_t& value);
    // Without the ports. `of_block`: how a block is asked.
    bool read_here(const RegRequest& r,
                   bool (RegisterTarget::*of_block)(const RegRequest&, uint32_t&), uint32_t& value);
    void copy_context(const RegRequest& r);
    // Where a register that is kept here lies; those after it of its kind follow.
    uint32_t* stored(const RegRequest& r) {
        return (decode_[r.offset / 4].flags & kContext) != 0
                   ? state_.contexts.from(r.offset, context_of(r))
                   : &state_.store[r.offset / 4];
    }
    // Whether the source's writes are for all copies of registers.
    bool broadcasts(unsigned source) const {
        return (state_.gfx_index[source] & broadcasts_) == broadcasts_;
    }
    // Keeps the value of a register that is known.
    void keep(const RegRequest& r, uint8_t flags) {
        if ((flags & kCopied) == 0 || (broadcasts(r.source) && state_.copies.empty()))
            *stored(r) = r.value;
        else
            keep_copies(r);
    }
    void keep_copies(const RegRequest& r);
    unsigned set_of(const RegRequest& r) const {
        return (decode_[r.offset / 4].flags & kContext) != 0 ? context_of(r)
                                                             : RegisterCopies::kShared;
    }
    bool is_plain_storage(uint32_t place) const;
    void find_plain_runs();
    bool store_write(const RegRequest& r);
    bool store_read(const RegRequest& r, uint32_t& value);
    Stall forward(Cycle now, unsigned source);
    Stall forward_other(Cycle now, unsigned source, Decode decode);
    bool grant(Cycle now, unsigned source);
    bool tick_many(Cycle now);
    void find_simple() { simple_ = run_ == RunState::Running && spec_.requests_per_cycle == 1; }
    void finish(Cycle now, const Decode& decode, const RegRequest& r);
    bool pass_answer(Cycle now, unsigned port);
    uint32_t status(Cycle now, bool functional, Status which) const;

    static constexpr uint32_t kApertureDwords = kApertureBytes / 4;
    static constexpr uint8_t kKnown = 1;    // the database has the register
    static constexpr uint8_t kStarts = 2;   // a side effect no block has
    static constexpr uint8_t kContext = 4;  // there is one for each render context
    static constexpr uint8_t kPlain = 8;    // a write of it only keeps the value, in the store
    static constexpr uint8_t kPasses = 16;  // a write of it only goes to the one block
    // There are several of it: CopiedBy, from this bit on.
    static constexpr unsigned kCopiedBit = 5;
    static constexpr uint8_t kCopied = (kPerSe | kPerSh | kPerInstance) << kCopiedBit;
    Decode decode(uint32_t offset) const {
        return offset % 4 == 0 && offset / 4 < kApertureDwords ? decode_[offset / 4] : Decode{};
    }

    const uint32_t broadcasts_;  // bits of GRBM_GFX_INDEX
    const std::array<uint32_t, static_cast<size_t>(Status::kCount)> status_offsets_;
    State state_;
    RoundRobin turn_{kSources};
    std::vector<Decode> decode_;
    std::array<Steering, kSources> steering_;  // of the index it names, as last looked up
    // By dword of the aperture: how many registers from it on only keep their values, one after
    // the other in one place. Empty: to be found again.
    std::vector<uint8_t> plain_run_;
    std::vector<RegisterTarget*> target_;
    uint64_t asked_ = 0;     // a bit for each source whose requests are not empty
    uint64_t answered_ = 0;  // a bit for each port whose responses are not empty
    bool simple_ = true;     // running, one request a cycle
};

}  // namespace archipelago::grbm
