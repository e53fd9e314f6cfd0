// SPDX-License-Identifier: Apache-2.0
// A chip in functional mode, regardless of its family: its register socket and its memory.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <tlm>

#include "models/asic/hang_report.h"
#include "models/asic/socket_memory.h"
#include "models/common/archive.h"
#include "models/common/memory_message.h"
#include "tlm/port.h"

namespace archipelago::asic {

// An access of a register returns when it is complete, with all the work that it starts. What
// that work has written is in memory then, also after an error.
class FunctionalMachine : public tlm_shell::DirectAccess, protected tlm::tlm_bw_transport_if<> {
  public:
    std::function<void(std::exception_ptr)> on_error;

    bool transport(tlm::tlm_generic_payload& gp) final;
    unsigned debug(tlm::tlm_generic_payload& gp) final;

    SocketMemory& memory() { return memory_; }
    // A number that changes whenever work is done.
    virtual uint64_t progress() const = 0;
    virtual void archive(Archive& a) = 0;
    // Resets all that the soft reset reaches, whose registers are then as after construction.
    // False: the family has none.
    virtual bool reset() { return false; }
    // Adds what waits to the report.
    virtual void report(HangReport&) const {}

  protected:
    // Binds `socket`, the way to the memory; `spaces` of VMIDs may be null.
    explicit FunctionalMachine(tlm::tlm_initiator_socket<>& socket,
                               const AddressSpaces* spaces = nullptr);
    // Executes an access of the host and the work that it starts. Returns the value of a read,
    // nothing where there is no register. Writes are posted, as in cycle mode: one returns a value
    // without meaning. Throws MachineStop.
    virtual std::optional<uint32_t> access(const RegRequest& request) = 0;
    // The value of a register for a debugger, nothing where there is none. Changes nothing.
    virtual std::optional<uint32_t> inspect(const RegRequest& request) = 0;
    // Direct access to this memory has been withdrawn, maybe while work is being done.
    virtual void forget_memory(uint64_t first, uint64_t last) { memory_.forget(first, last); }

  private:
    void fail(std::exception_ptr reason);
    // tlm_bw_transport_if: only direct memory access is taken back.
    tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&,
                                       sc_core::sc_time&) override {
        return tlm::TLM_ACCEPTED;
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
        forget_memory(first, last);
    }

    SocketMemory memory_;
};

}  // namespace archipelago::asic
