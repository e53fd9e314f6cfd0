// SPDX-License-Identifier: Apache-2.0
#include "models/asic/ctm/functional.h"

#include "models/common/archive.h"

namespace archipelago::ctm {

FunctionalMachine::FunctionalMachine(const ChipConfig& config, uint64_t instruction_limit,
                                     RegisterFile& registers, tlm::tlm_initiator_socket<>& socket)
    : asic::FunctionalMachine(socket),
      registers_(registers),
      mc_(config.controller, *this),
      array_(*this, instruction_limit),
      pe_(config.pe.walk, config.pe.allow_undefined, registers, *this) {}

void FunctionalMachine::observe(const Observers& observers) {
    pe_.observe(observers, "pe");
    array_.observe(observers, "dpp");
}

void FunctionalMachine::archive(Archive& a) {
    a(condition_);
    mc_.archive(a);
    array_.archive(a);
    pe_.archive(a);
}

// What the caches hold is lost, written lines included.
bool FunctionalMachine::reset() {
    registers_.reset();
    condition_ = {};
    mc_.reset();
    array_.reset();
    pe_.reset();
    return true;
}

std::optional<uint32_t> FunctionalMachine::access(const RegRequest& request) {
    if (!request.write) {
        uint32_t value = 0;
        return registers_.read(request.offset, value) ? std::optional(value) : std::nullopt;
    }
    registers_.write(request.offset, request.value);
    pe_.run();
    return 0;
}

std::optional<uint32_t> FunctionalMachine::inspect(const RegRequest& request) {
    uint32_t value = 0;
    return registers_.inspect(request.offset, value) ? std::optional(value) : std::nullopt;
}

uint8_t FunctionalMachine::test(ConditionLocation client, const ConditionRequest& request) {
    return ctm::test(condition_, client, request,
                     [this](const ElementRequest& r) {
                         return r.write ? mc_.write_elements(r) : mc_.read_elements(r);
                     })
        .lanes;
}

bool FunctionalMachine::write_line(uint32_t address, const Line& from, uint64_t mask) {
    uint8_t* to = memory().page(address);  // a line lies in one page
    if (to == nullptr)
        return false;
    for (; mask != 0; mask &= mask - 1) {
        const auto byte = static_cast<unsigned>(__builtin_ctzll(mask));
        to[byte] = from[byte];
    }
    return true;
}

}  // namespace archipelago::ctm
