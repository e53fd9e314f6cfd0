// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the CTM memory controller's address translation.
#include <array>
#include <memory>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/ctm/mc/mc_address_pins.h"
#include "models/ctm/mc/units.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using In = CtmMcAddressPins::In;
using Out = CtmMcAddressPins::Out;
using Request = CtmMcAddressPins::Request;

constexpr unsigned kClientCodes = 32;
constexpr uint8_t kFirstOpcode = 0x0a, kLastOpcode = 0x10;

// The client a command sets; -1: none.
int client_of(const CtmMcAddressPins::Command& command) {
    const unsigned index = command.p0 & 15u;
    switch (static_cast<ctm::Command>(command.opcode)) {
        case ctm::Command::SetInstFmt:
            return ctm::kInstructions;
        case ctm::Command::SetInpFmt:
            return static_cast<int>(ctm::kInput0 + index);
        case ctm::Command::SetOutFmt:
            return index < ctm::kOutputs ? static_cast<int>(ctm::kOutput0 + index) : -1;
        case ctm::Command::SetCondOutFmt:
            return ctm::kConditionalOutput;
        case ctm::Command::SetConstfFmt:
            return ctm::kFloatConstants;
        case ctm::Command::SetConstiFmt:
            return ctm::kIntegerConstants;
        case ctm::Command::SetConstbFmt:
            return ctm::kBooleanConstants;
    }
    return -1;
}

class CtmMcAddressStimulus : public Stimulus<CtmMcAddressPins> {
  public:
    explicit CtmMcAddressStimulus(const CosimOptions& options)
        : random_(options.seed), offer_(recorded_traffic<Request>(options)) {
        std::vector<std::string> bins;
        static constexpr const char* kTilings[] = {"linear", "tiled", "linear 2x2", "tiled 2x2"};
        for (const char* tiling : kTilings)
            for (unsigned log2 = 0; log2 < 5; ++log2)
                bins.push_back(std::string(tiling) + ", " + std::to_string(1u << log2) + " bytes");
        row_ = coverage_.add_group("row", bins);
        bins.clear();
        for (unsigned format = 0; format < 8; ++format)
            for (const char* tiling : kTilings)
                bins.push_back("format " + std::to_string(format) + " " + tiling);
        surface_ = coverage_.add_group("surface", bins);
        bins.clear();
        for (const char* what : {"asked by ", "set, "})
            for (unsigned client = 0; client < kClientCodes; ++client)
                if (client < ctm::kClients || what[0] == 'a')
                    bins.push_back(what + std::to_string(client));
        client_ = coverage_.add_group("client", bins);
        bins.clear();
        for (unsigned opcode = kFirstOpcode; opcode <= kLastOpcode; ++opcode)
            bins.push_back("opcode " + std::to_string(opcode));
        for (unsigned output = ctm::kOutputs; output < 16; ++output)
            bins.push_back("output " + std::to_string(output));
        bins.emplace_back("opcode below");
        bins.emplace_back("opcode above");
        command_ = coverage_.add_group("command", bins);
        index_ = coverage_.add_group(
            "indices", {"x is 0", "y is 0", "x is the last", "y is the last", "2x2 at the last x",
                        "2x2 at the last y", "2x2 at the last of both", "2x2 across 32 bytes",
                        "2x2 across tiles in x", "2x2 across tiles in y", "pitch 0",
                        "pitch of all bits", "pitch below the granule", "address wraps"});
        status_ =
            coverage_.add_group("status", {"ok", "undefined", "reserved format", "no client"});
        flow_ = coverage_.add_group(
            "flow", {"in waits", "out waits", "in idle", "out empty", "in and out move together",
                     "full pipeline moves", "command with a request", "command of the client asked",
                     "command while out waits", "reset with requests inside",
                     "reset with a command", "request of a client not set since reset"});
    }

    void next(In& in) override {
        in.rst = random_.one_in(4'000) ? 1 : 0;
        in.out_ready = out_flow_.next(random_) ? 1 : 0;
        const Request* held =
            offer_.in_cycle(in_flow_.next(random_), [&](Request& r) { choose(r); });
        in.in_valid = held != nullptr ? 1 : 0;
        if (held != nullptr)
            in.in = *held;
        else
            choose(in.in);  // must not matter
        choose(in.cmd);
        in.cmd_valid = cmd_flow_.next(random_) ? 1 : 0;
        // Often the client that is asked just now.
        if (in.cmd_valid != 0 && random_.one_in(4)) {
            if (in.in.client < ctm::kOutput0) {
                in.cmd.opcode = 0x0b;
                in.cmd.p0 = (in.cmd.p0 & ~15u) | in.in.client;
            } else if (in.in.client == ctm::kInstructions) {
                in.cmd.opcode = 0x0a;
            }
        }
    }

    void observe(const In& in, const Out& out) override {
        const bool taken = in.in_valid != 0 && out.in_ready != 0;
        const bool given = out.out_valid != 0 && in.out_ready != 0;
        const bool command = in.cmd_valid != 0;
        const int set = command ? client_of(in.cmd) : -1;
        unsigned bin = 0;
        const auto flow = [&](bool when) { coverage_.hit(flow_, bin++, when); };
        flow(in.in_valid != 0 && out.in_ready == 0);
        flow(out.out_valid != 0 && in.out_ready == 0);
        flow(in.in_valid == 0 && out.in_ready != 0);
        flow(out.out_valid == 0);
        flow(taken && given);
        flow(inside_ == CtmMcAddressPins::kLatency && taken && given);
        flow(taken && command);
        flow(taken && set == in.in.client);
        flow(command && out.out_valid != 0 && in.out_ready == 0);
        flow(in.rst != 0 && inside_ != 0);
        flow(in.rst != 0 && set >= 0);
        flow(taken && in.in.client < ctm::kClients && !known_[in.in.client]);
        // A request sees the surfaces before the command of its cycle.
        if (taken)
            count(in.in);
        if (command)
            count(in.cmd, set);
        if (given)
            coverage_.hit(status_, out.out_status);
        inside_ += (taken ? 1 : 0) - (given ? 1 : 0);
        if (taken || in.rst != 0)
            offer_.drop();
        if (in.rst != 0) {
            inside_ = 0;
            known_.fill(false);
            surfaces_ = {};
        }
    }

    bool finished() const override { return offer_.is_used_up() && inside_ == 0; }
    const Coverage& coverage() const override { return coverage_; }

  private:
    uint32_t index() {
        switch (random_.below(6)) {
            case 0:
                return random_.below(4);
            case 1:
                return ctm::kMaxIndex - random_.below(3);
            case 2:  // about the end of 32 bytes, of a tile
                return ((1 + random_.below(64)) * 64u - random_.below(3)) & ctm::kMaxIndex;
            case 3:
                return 1u << random_.below(12);
            default:
                return random_.below(ctm::kMaxIndex + 1);
        }
    }
    void choose(Request& r) {
        r.client = static_cast<uint8_t>(random_.one_in(16)  ? random_.below(kClientCodes)
                                        : random_.one_in(3) ? 16 + random_.below(9)
                                                            : random_.below(16));
        r.x = static_cast<uint16_t>(index());
        r.y = static_cast<uint16_t>(index());
        r.tag = static_cast<uint8_t>(random_.word());
    }
    void choose(CtmMcAddressPins::Command& c) {
        c.opcode = random_.one_in(12)  ? static_cast<uint8_t>(random_.word())
                   : random_.one_in(2) ? 0x0b
                                       : static_cast<uint8_t>(kFirstOpcode - 1 + random_.below(9));
        const uint32_t base =
            random_.one_in(4) ? 0xffffffff - random_.below(1u << 20) : random_.word();
        static constexpr uint32_t kPitches[] = {0, 4, 16, 32, 64, 512, 2048, 4096, 0x1ffc};
        uint32_t format = random_.word() & 0xf8fce003;  // reserved bits
        format |= random_.one_in(3) ? random_.pick(kPitches) : random_.word() & 0x1ffc;
        format |= random_.below(4) << 16;
        format |= (random_.one_in(16) ? 6 + random_.below(2) : random_.below(6)) << 24;
        const bool indexed = c.opcode == 0x0b || c.opcode == 0x0c;
        const uint32_t number = random_.one_in(3) ? random_.below(4) : random_.below(16);
        const uint32_t first = (random_.word() & ~15u) | number;
        c.p0 = indexed ? first : base;
        c.p1 = indexed ? base : format;
        c.p2 = indexed ? format : random_.word();
    }

    void count(const CtmMcAddressPins::Command& c, int set) {
        const unsigned commands = kLastOpcode - kFirstOpcode + 1;
        if (c.opcode >= kFirstOpcode && c.opcode <= kLastOpcode) {
            coverage_.hit(command_, c.opcode - kFirstOpcode);
            if (set < 0)
                coverage_.hit(command_, commands + (c.p0 & 15u) - ctm::kOutputs);
        } else {
            coverage_.hit(command_, commands + 16 - ctm::kOutputs + (c.opcode > kLastOpcode));
        }
        if (set < 0)
            return;
        coverage_.hit(client_, kClientCodes + static_cast<unsigned>(set));
        ctm::apply({c.opcode, {c.p0, c.p1, c.p2, 0}}, surfaces_);
        known_[static_cast<unsigned>(set)] = true;
    }
    void count(const Request& r) {
        coverage_.hit(client_, r.client);
        if (r.client >= ctm::kClients)
            return;
        const ctm::Surface& s = surfaces_[r.client];
        const ctm::FormatInfo format = ctm::format_info(s.format);
        coverage_.hit(surface_,
                      static_cast<unsigned>(s.format) * 4 + static_cast<unsigned>(s.tiling));
        if (format.reserved)
            return;
        const bool fine = r.client < ctm::kInputs && ctm::is_superfine(s.tiling);
        const bool tiled = ctm::is_tiled(s.tiling);
        coverage_.hit(row_, (fine ? 10u : 0u) + (tiled ? 5u : 0u) + format.log2_bytes);
        const uint32_t granule = ctm::pitch_granule(format.log2_bytes, tiled);
        const uint32_t below = (r.y + 1u) & ctm::kMaxIndex;
        const uint32_t right = (r.x + 1u) & ctm::kMaxIndex;
        ctm::Surface at_zero = s;
        at_zero.base = 0;
        const uint32_t here = ctm::element_address(at_zero, format.log2_bytes, r.x, r.y);
        const uint32_t next = ctm::element_address(at_zero, format.log2_bytes, right, r.y);
        const uint32_t under = ctm::element_address(at_zero, format.log2_bytes, r.x, below);
        unsigned bin = 0;
        const auto hit = [&](bool when) { coverage_.hit(index_, bin++, when); };
        const bool last_x = r.x == ctm::kMaxIndex;
        const bool last_y = r.y == ctm::kMaxIndex;
        hit(r.x == 0);
        hit(r.y == 0);
        hit(last_x);
        hit(last_y);
        hit(fine && last_x);
        hit(fine && last_y);
        hit(fine && last_x && last_y);
        hit(fine && !tiled && here >> 5 != next >> 5);
        hit(fine && tiled && !last_x && here >> 11 != next >> 11);
        hit(fine && tiled && !last_y && here >> 11 != under >> 11);
        hit(s.pitch == 0);
        hit(s.pitch == ctm::kMaxPitch);
        hit(s.pitch % granule != 0);
        hit(s.base + here < here);
    }

    Random random_;
    Activity in_flow_, out_flow_, cmd_flow_;
    Offer<Request> offer_;
    unsigned inside_ = 0;
    std::array<ctm::Surface, ctm::kClients> surfaces_{};
    std::array<bool, ctm::kClients> known_{};
    Coverage coverage_;
    size_t row_ = 0, surface_ = 0, client_ = 0, command_ = 0, index_ = 0, status_ = 0, flow_ = 0;
};

// ---- in a chip: an address unit for each lane of each port of the memory controller

// The requests all of them took, in the order of the cycles.
class CtmMcAddressRecording : public RecordingOf<Request>, public ctm::AddressFactory {
  public:
    using RecordingOf::RecordingOf;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<ctm::AddressFactory>(*this);
    }
    PinBlock<CtmMcAddressPins>& address_unit(const ctm::AddressSpec& spec, unsigned) override {
        ctm::check_twin(spec);
        listeners_.push_back(std::make_unique<Listener>(*this));
        return *listeners_.back();
    }

  private:
    class Listener : public ctm::McAddressPins {
      public:
        explicit Listener(CtmMcAddressRecording& recording) : recording_(recording) {}
        void step(const In& in, Out& out) override {
            McAddressPins::step(in, out);
            if (in.in_valid != 0 && out.in_ready != 0)
                recording_.add(in.in);
        }

      private:
        CtmMcAddressRecording& recording_;
    };
    std::vector<std::unique_ptr<Listener>> listeners_;
};

class CtmMcAddressSwap : public TwinsSwap<CtmMcAddressPins, ctm::McAddressPins>,
                         public ctm::AddressFactory {
  public:
    using TwinsSwap::TwinsSwap;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<ctm::AddressFactory>(*this);
    }
    PinBlock<CtmMcAddressPins>& address_unit(const ctm::AddressSpec& spec,
                                             unsigned number) override {
        ctm::check_twin(spec);
        return twin(number);
    }
};

struct Parts {
    using Pins = CtmMcAddressPins;
    using Core = ctm::McAddressPins;
    using Stimulus = CtmMcAddressStimulus;
    using Recording = CtmMcAddressRecording;
    using Swap = CtmMcAddressSwap;
    static constexpr const char* kDescription = "address translation of the CTM memory controller";
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
