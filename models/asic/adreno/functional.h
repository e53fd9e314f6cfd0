// SPDX-License-Identifier: Apache-2.0
// The chip in functional mode: its engines run within the register access that gives them something
// to do.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <tlm>

#include "models/afuc/cp/cp_functional.h"
#include "models/asic/functional_machine.h"

namespace archipelago::adreno {

class FunctionalMachine : public asic::FunctionalMachine, private afuc::CpBackend {
  public:
    FunctionalMachine(const afuc::CpSpec& cp, afuc::GpuRegisters& registers,
                      uint64_t instruction_limit, tlm::tlm_initiator_socket<>& socket)
        : asic::FunctionalMachine(socket), cp_(cp, registers, *this, instruction_limit) {}

    std::function<void(uint32_t bit)> on_interrupt;

    afuc::CpFunctional& cp() { return cp_; }
    uint64_t progress() const override { return cp_.activity(); }
    void archive(Archive& a) override { cp_.archive(a); }
    bool reset() override {
        cp_.reset();
        return true;
    }
    void report(asic::HangReport& report) const override {
        if (const std::string waits = cp_.waiting_for(); !waits.empty())
            report.units.emplace_back("cp", waits);
    }

  private:
    std::optional<uint32_t> access(const RegRequest& request) override {
        if (request.write && has(request))
            cp_.write(request.offset / 4, request.value);
        cp_.run();
        if (request.write)
            return 0;
        return has(request) ? std::optional(cp_.read(request.offset / 4)) : std::nullopt;
    }
    std::optional<uint32_t> inspect(const RegRequest& request) override {
        return has(request) ? std::optional(cp_.inspect(request.offset / 4)) : std::nullopt;
    }
    static bool has(const RegRequest& request) { return request.offset / 4 < afuc::kGpuRegisters; }
    // afuc::CpBackend
    uint8_t* page(uint64_t address) override { return memory().page(address); }
    void interrupt(uint32_t bit) override { on_interrupt(bit); }

    afuc::CpFunctional cp_;
};

}  // namespace archipelago::adreno
