// SPDX-License-Identifier: Apache-2.0
// What the programs of packets work on, written once for both modes: a program emits operations and
// sees their results.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/text.h"
#include "models/dma/packet.h"
#include "models/dma/packet_table.h"

namespace archipelago::dma {

constexpr uint32_t kRegisterBytes = 0x800;  // an engine's part of the aperture

// What registers of the engine say to programs.
struct EngineControl {
    bool data_swap = false;   // DMA_CNTL: data of packets, 8 in 32
    bool fence_swap = false;  // and of fences
    bool trap = false;        // TRAP_ENABLE
    surface::AddressConfig tiling;
    unsigned banks = 4;                 // R6xx, R7xx: of a pipe; later ones say it for each surface
    uint32_t semaphore_incomplete = 0;  // cycles; 0: never
    uint32_t semaphore_wait = 0;
};

// What the chip says to programs.
struct ProgramSettings {
    uint32_t poll_unit = 1;      // cycles of an interval of 1
    uint32_t own_registers = 0;  // bytes; where the engine's begin
    const front::RingNames* names = nullptr;

    bool owns(uint32_t offset) const { return offset - own_registers < kRegisterBytes; }
};

// How far a program is; each packet begins with this.
struct Progress {
    uint32_t step = 0;   // where the program is
    uint32_t tries = 0;  // of a poll
    uint64_t index = 0;  // which of several like operations
    uint64_t count = 0;
    uint64_t address = 0;
    // Of a copy that counts elements: what the next region begins with.
    uint32_t x = 0, y = 0, z = 0;
    uint32_t pitch = 0, height = 0;  // it wraps at; elements
    uint64_t left = 0;
    uint32_t sent = 0;  // bytes of the data at hand
};

struct ProgramState : Progress {
    const PacketInfo* info = nullptr;
    const Generation* generation = nullptr;
    const EngineControl* control = nullptr;
    std::array<uint32_t, kMaxFixedDwords> dwords{};
    Location location;
    ProgramSettings settings;

    // Filled by the engine that executed the last operation.
    front::OpResult result;

    Transfer transfer;  // what OpKind::Transfer hands over; prepare() clears it

    // A field, by its place in the row's list.
    uint32_t operator[](unsigned field) const { return info->fields[field].in(dwords.data()); }
    // A field in place: an address field without its low bits.
    uint32_t placed(unsigned field) const { return (*this)[field] << info->fields[field].lsb; }
    // Two fields as one address, the lower one in its place.
    uint64_t wide(unsigned low, unsigned high) const {
        return uint64_t{(*this)[high]} << 32 | placed(low);
    }
    void address_in(unsigned field, MicroOp& op) const {
        op.packet = info->name;
        op.field = info->fields[field].name;
    }
    // Stops the machine: BadInput.
    [[noreturn]] void bad(const std::string& reason) const;
    // A swap code to the mask of a transfer; `most`: the largest code that is no mistake.
    uint8_t swap_mask(unsigned code, unsigned most = 3) const;
    // Checks that `bytes` from `address` on go by the units of a swap.
    void check_swap(uint8_t mask, uint64_t address, uint64_t bytes) const;
};

class PacketProgram : private ProgramState {
  public:
    // `dwords` holds info.fixed dwords; the payload reaches the program through operations with
    // `stream` set.
    void start(const PacketInfo& info, const uint32_t* dwords, const Location& location,
               const Generation& generation, const EngineControl& control,
               const ProgramSettings& settings);
    bool next(MicroOp& op);

    using ProgramState::result;
    const PacketInfo& info() const { return *ProgramState::info; }
    const Location& location() const { return ProgramState::location; }
    const uint32_t* dwords() const { return ProgramState::dwords.data(); }
    const EngineControl& control() const { return *ProgramState::control; }
    const Transfer& transfer() const { return ProgramState::transfer; }
    // Whether the register at the offset is the engine's that runs the packet.
    bool owns(uint32_t offset) const { return settings.owns(offset); }

  private:
    void check_register(const MicroOp& op) const;
};

}  // namespace archipelago::dma
