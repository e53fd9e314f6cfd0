// SPDX-License-Identifier: Apache-2.0
// The operations of async DMA packets in cycle mode: those of every engine
// (models/front/op_engine.h), transfers, clocks, traps and waits for semaphores.
#pragma once

#include <cstdint>

#include "models/common/interrupt.h"
#include "models/common/stall_cycles.h"
#include "models/dma/dma_spec.h"
#include "models/dma/packet_program.h"
#include "models/front/op_engine.h"

namespace archipelago::dma {

// Why the engine's packet does not move.
enum class Stall : uint8_t {
    None,           // it moves, or there is nothing to do
    Queue,          // no dword to take
    RegBus,         // register bus busy
    RegRead,        // register data outstanding
    MemPort,        // memory port busy
    MemData,        // memory data outstanding
    MemWrite,       // write acknowledgements outstanding
    Poll,           // between two polls
    Microcode,      // between a packet and its first operation
    TransferQueue,  // copy engine full
    Transfer,       // transfers outstanding
    kCount,
};
const char* to_string(Stall stall);

struct OpState : front::OpState<PacketProgram, MicroOp, Stall> {
    uint32_t transfers = 0;       // not done
    uint32_t own_writes = 0;      // of the engine's registers, on the bus
    uint64_t clock_offset = 0;    // local counter less the cycle
    Cycle semaphore_since = 0;    // first look in vain; 0: none
    bool semaphore_told = false;  // its interrupt was raised
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(transfers == 0, "transfers have not ended");
        a.at_rest(own_writes == 0, "a write of its own register is on the bus");
        front::OpState<PacketProgram, MicroOp, Stall>::archive(a);
        a(clock_offset, semaphore_since, semaphore_told);
    }
};

class OpEngine : public front::OpEngine<OpState> {
  public:
    OpEngine(const Spec& spec, Clocked& owner);

    OutputChannel<Transfer> to_transfer;
    OutputEvent<Interrupt> to_interrupt;
    bool semaphore_interrupt = false;  // DMA_CNTL
    template <class Archive>
    void archive(Archive& a) {
        front::OpEngine<OpState>::archive(a);
        a(semaphore_interrupt);
    }

    struct Calls {  // what the parser has to do once the operation is done
        bool call = false;
        IndirectBuffer buffer;
        uint32_t skip = 0;
    } calls;

  private:
    front::OpStep carry_out(Cycle now, OpState& s, Stall& reason) override;
    bool wait_over(Cycle now, OpState& s) override;
    RegRequest register_request(const OpState& s) const override;
    front::OpStep send_register_write(Cycle now, OpState& s, Stall& reason);
    front::OpStep send_transfer(Cycle now, OpState& s, Stall& reason);
    front::OpStep retry_semaphore(Cycle now, OpState& s);
    void interrupt(Cycle now, const OpState& s, uint32_t data);

    const Spec& spec_;
};

}  // namespace archipelago::dma
