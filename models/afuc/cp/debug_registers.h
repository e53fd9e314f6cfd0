// SPDX-License-Identifier: Apache-2.0
// Registers that show what an engine of the command processor holds, for the dump that a driver
// takes of one that hangs or has failed: debug windows, whose data register shows what is at the
// address in another and goes on to the next, and the state of the streams. Nothing is kept for
// them: a read looks where the engine has it. Names: Mesa's a5xx.xml, a6xx.xml. What the windows
// have where: Linux's driver and Mesa's decoder of its dumps; DECISIONS.md has the rest.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "models/afuc/cp/cp_spec.h"

namespace archipelago::afuc {

// What has a part of the ROQ.
enum class Stream : uint8_t { Ring, Mrb, Vsd, Ib1, Ib2, Sds, Ib3, kCount };

// The level of a stream; none: it is no source of $data in this generation.
std::optional<unsigned> level_of(Names names, Stream stream);

enum class Shown : uint8_t {
    // of a stream, dwords
    Base,           // bytes, 64 bits
    Size,           // of the buffer
    NotTaken,       // of it
    NotFetched,     // of it: those that are not queued
    Queued,         // bits 31:16
    QueuePointers,  // bits 9:0 the next word, 25:16 after the last one; in the stream's part
    // windows
    Status,      // pc and registers
    Microcode,   // instructions, packet table, control registers
    Roq,         // queued words, where CP_ROQ_THRESHOLDS have their streams
    Meq,         // words before the ME, the next one first
    DrawStates,  // eight words each
    Pool,        // of register writes; the registers have it
    NotPublic    // reading it stops the machine
};

struct DebugRegister {
    const char* name;
    const char* address;  // the register with the address of a window; null: it is none
    Role role;
    Shown shown;
    Stream stream = Stream::Ring;
    uint32_t indices() const { return shown == Shown::Base ? 2 : 1; }
    // PFP and ME are of a5xx alone.
    bool is_of(Names names) const {
        return (role == Role::Pfp || role == Role::Me) == (names == Names::A5xx);
    }
};

// Of all generations: a name that is_of() one and that it has not is not there.
const std::vector<DebugRegister>& debug_registers();

// What a read of one asks for. `at`: the address in a window, else 1 for the upper half of 64 bits.
struct DebugRead {
    const DebugRegister* reg = nullptr;
    uint32_t at = 0;

    // A twin in a micro engine's place shows its pc and the header of the packet at work alone.
    bool twin_shows() const {
        if (reg->shown == Shown::Status)
            return at <= 1;
        return reg->stream != Stream::Mrb && reg->shown != Shown::Microcode &&
               reg->shown != Shown::DrawStates;
    }
};

// The number of a role's engine among CpSpec::processors; none: the chip has no such engine.
std::optional<unsigned> engine_of(const CpSpec& cp, Role role);

// Where the streams have their parts of the ROQ, dwords, as CP_ROQ_THRESHOLDS count them.
class RoqLayout {
  public:
    struct Part {
        uint32_t first = 0, dwords = 0;
    };
    RoqLayout() = default;
    explicit RoqLayout(const CpSpec& cp);

    const Part& part(Stream stream) const { return parts_[static_cast<size_t>(stream)]; }
    // The stream whose words are at a place; none: between the parts, or after the last.
    std::optional<Stream> at(uint32_t place) const;
    uint32_t dwords() const { return dwords_; }
    // CP_ROQ_THRESHOLDS_1 and _2.
    std::array<uint32_t, 2> thresholds(Names names) const;

  private:
    std::array<Part, static_cast<size_t>(Stream::kCount)> parts_{};
    uint32_t dwords_ = 0;
};

// The stream whose queued words a read inspects; none: it inspects none.
std::optional<Stream> stream_of(const RoqLayout& layout, const DebugRead& read);

}  // namespace archipelago::afuc
