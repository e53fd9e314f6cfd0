// SPDX-License-Identifier: Apache-2.0
// Between a compute unit and a RetireSink: reads what instructions have left in the registers, and
// holds the records of a wave back until they are complete in program order.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "models/common/gds_message.h"
#include "models/cu/isa/effects.h"
#include "models/cu/isa/image_op.h"
#include "models/cu/retire/retire_sink.h"

namespace archipelago::cu {

// A unit says begin(), executes the instruction, and says issued(). Results that come later are
// those of an operation the unit has numbered; kNow is the instruction being executed.
class RetireRecorder {
  public:
    using Operation = uint32_t;
    static constexpr Operation kNow = ~Operation{0};
    // Numbers of operations, for units that have so many of each under way.
    static Operation scalar_operation(unsigned index) { return index; }
    static Operation vector_operation(unsigned index) { return 0x100 + index; }
    static Operation gds_operation(unsigned index) { return 0x200 + index; }

    RetireRecorder(RetireSink& sink, std::string unit, unsigned lds_bytes)
        : sink_(sink), unit_(std::move(unit)), lds_bytes_(lds_bytes) {}
    // Hands over the records of instructions that had not finished.
    ~RetireRecorder();
    RetireRecorder(const RetireRecorder&) = delete;
    RetireRecorder& operator=(const RetireRecorder&) = delete;

    // `wave`: the unit's number for it until it ends. False: its instructions are not
    // reported.
    bool starts(uint32_t wave, const WaveLaunch& launch, isa::WaveState& regs);
    // All its operations are complete; may come between begin() and issued() of its last one.
    void ends(uint32_t wave, const isa::WaveState& regs);

    // In front of the instruction at `pc`. `lds`: the whole unit's.
    void begin(uint32_t wave, const Decoded& decoded, isa::WaveState& regs, uint64_t pc, Cycle now,
               uint8_t* lds);
    // `outstanding`: the operation that brings results later.
    void issued(const isa::WaveState& regs, Operation outstanding = kNow);

    // What the instruction being executed sends: data of stores, operands of atomics.
    void sends(const isa::VectorMemOp& op);
    void sends(const GdsRequest& request);
    // The registers hold the results of `operation`. `image`: of op.image, else null.
    void loaded(uint32_t wave, Operation operation, const isa::ScalarMemOp& op,
                const isa::WaveState& regs);
    void loaded(uint32_t wave, Operation operation, const isa::VectorMemOp& op,
                const isa::ImageOp* image, const isa::WaveState& regs);
    void loaded(uint32_t wave, Operation operation, const isa::WaveState& regs);

  private:
    static constexpr unsigned kStatusWords = 5;  // VCC, EXEC, M0
    struct Record {
        Retired retired;
        isa::Destinations destinations;
        uint64_t lanes = 0;  // EXEC in front of the instruction
        uint64_t next = 0;   // address after it
        uint8_t csp = 0;     // in front of it
        Operation outstanding = kNow;
        bool complete = false;
        // Status words that an instruction in front of this one had still to write.
        uint8_t stale = 0;
        std::array<uint32_t, kStatusWords> status{};
    };
    // What every instruction needs comes first: waves are many, and seldom in the host's caches.
    struct Wave {
        std::vector<std::unique_ptr<Record>> records;  // in program order; mostly one
        // As the last record that was handed over left it.
        std::array<uint32_t, kStatusWords> status{};
        bool wanted = false;
        bool ended = false;
        RetiredWave about;
    };

    std::unique_ptr<Record> new_record();
    Record* find(uint32_t wave, Operation operation);
    static Record* find(Wave& wave, Operation operation);
    static uint8_t status_words(const isa::Destinations& d);
    static void sample(Record& record, const isa::WaveState& regs, uint8_t words);
    static void read_results(Record& record, const isa::WaveState& regs);
    void complete(Wave& wave, Record& record, const isa::WaveState& regs);
    void emit(Wave& wave, bool all = false);
    void finish(uint32_t number);
    void lds_accesses(Record& record, isa::WaveState& regs, uint8_t* lds);
    static MemoryAccess& add_access(Retired& r, MemoryAccess::Space space, MemoryAccess::Kind kind,
                                    unsigned bytes, uint64_t lanes);
    static void add_accesses(Retired& r, const isa::VectorMemOp& op);
    static void add_texels(Retired& r, const isa::ImageOp& image, isa::ImageOp::Texel kind,
                           uint64_t lanes);

    RetireSink& sink_;
    std::string unit_;
    unsigned lds_bytes_;
    std::unordered_map<uint32_t, Wave> waves_;
    std::vector<std::unique_ptr<Record>> free_;
    uint32_t current_ = 0;  // wave of the instruction being executed
    Wave* current_wave_ = nullptr;
    Record* executing_ = nullptr;  // null: none, or it is not reported
    std::unique_ptr<isa::LdsPlaces> places_;
};

}  // namespace archipelago::cu
