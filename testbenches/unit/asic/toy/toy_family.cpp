// SPDX-License-Identifier: Apache-2.0
#include "testbenches/unit/asic/toy/toy_family.h"

#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <cstring>

#include "models/asic/asic.h"
#include "models/common/error.h"

namespace archipelago::toy {
namespace {

class Chip : public asic::Asic {
  public:
    Chip(const char* name, const asic::ChipDescription& description, const ToySpec& spec,
         const asic::ChipOptions& options)
        : Asic(sc_core::sc_module_name(name), description, options), spec_(spec) {
        in_.register_b_transport(this, &Chip::access);
        registers.bind(in_);
        out_.bind(memory);
        stats_.add("copier", "copies", "copies", "doorbells answered", &copies_);
    }

    uint64_t cycles() const override { return cycles_; }
    bool idle() const override { return left_ == 0; }
    void archive(Archive& a) override {
        a.block("copier", [&] { a(cycles_, copies_, left_); });
    }
    asic::HangReport hang_report() const override {
        asic::HangReport report;
        if (left_ != 0)
            report.units.emplace_back("copier", std::to_string(left_) + " bytes to copy");
        return report;
    }
    uint64_t progress() const override { return copies_; }
    asic::WorkDone work() const override { return {}; }
    const StatsRegistry& stats() const override { return stats_; }
    uint64_t steps() const override { return copies_; }
    uint64_t ticks() const override { return copies_; }

  private:
    void access(tlm::tlm_generic_payload& gp, sc_core::sc_time&) {
        gp.set_response_status(tlm::TLM_OK_RESPONSE);
        uint32_t value = static_cast<uint32_t>(copies_);
        if (gp.is_read()) {
            std::memcpy(gp.get_data_ptr(), &value, 4);
            return;
        }
        std::memcpy(&value, gp.get_data_ptr(), 4);
        if (gp.get_address() != kDoorbell)
            return fail(std::make_exception_ptr(MachineStop(StopKind::Unimplemented, "copier",
                                                            "only the doorbell can be written")));
        for (left_ = value; left_ != 0; --left_) {
            const uint64_t at = value - left_;
            uint8_t byte = 0;
            move(tlm::TLM_READ_COMMAND, kSource + at, byte);
            move(tlm::TLM_WRITE_COMMAND, kTarget + at, byte);
            cycles_ += spec_.copy_cycles;
        }
        ++copies_;
        raise({kCopyDone, 0, 0, value});
    }
    void move(tlm::tlm_command command, uint64_t address, uint8_t& byte) {
        tlm::tlm_generic_payload gp;
        gp.set_command(command);
        gp.set_address(address);
        gp.set_data_ptr(&byte);
        gp.set_data_length(1);
        gp.set_streaming_width(1);
        out_->transport_dbg(gp);
    }

    const ToySpec& spec_;
    tlm_utils::simple_target_socket<Chip> in_{"in"};
    tlm_utils::simple_initiator_socket<Chip> out_{"out"};
    StatsRegistry stats_;
    uint64_t cycles_ = 0;
    uint64_t copies_ = 0;
    uint32_t left_ = 0;
};

class Description : public asic::ChipDescription {
  public:
    Description(config::Node tree, config::Diagnostics& diagnostics)
        : ChipDescription(std::move(tree)) {
        config::Reader root(tree_, diagnostics, "", &records_);
        identity_ = asic::read_identity(root);
        identity_.clock_hz = root.required_quantity(
            "clock", config::Unit::Hertz, config::range(1'000'000u, 1'000'000'000u), "of the chip");
        identity_.clock_period_fs = asic::period_of(identity_.clock_hz);
        spec_.copy_cycles = root.timing("copy_cycles", config::range(1u, 64u), "each byte");
    }
    const asic::Identity& identity() const override { return identity_; }
    std::unique_ptr<asic::Asic> build(const char* name,
                                      const asic::ChipOptions& options) const override {
        return std::make_unique<Chip>(name, *this, spec_, options);
    }
    std::vector<asic::Ring> rings() const override { return {{"copy", "copier"}}; }
    std::string diagram() const override { return "host -> copier -> memory\n"; }
    std::string summary() const override { return "a copier"; }

  private:
    const void* find_spec(const std::type_info& type) const override {
        return type == typeid(ToySpec) ? &spec_ : nullptr;
    }
    asic::Identity identity_;
    ToySpec spec_;
};

}  // namespace

asic::Family family() {
    return {"toy", [](config::Node tree, config::Diagnostics& diagnostics) {
                return std::unique_ptr<asic::ChipDescription>(
                    std::make_unique<Description>(std::move(tree), diagnostics));
            }};
}

}  // namespace archipelago::toy
