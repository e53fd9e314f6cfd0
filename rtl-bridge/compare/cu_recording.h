// SPDX-License-Identifier: Apache-2.0
// What the compute units of a chip are given in a run, for who gives it to units alone: launches
// with all that comes before each, and the memory that their waves find.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cu/pins/cu_on_pins.h"
#include "pins/cu_pins.h"
#include "rtl-bridge/compare/cosim.h"
#include "rtl-bridge/compare/cu_memory.h"

namespace archipelago::rtl {

// Bytes of a line that others have written.
struct CuPatch {
    uint64_t line = 0, mask = 0;
    std::array<uint8_t, kLineBytes> data{};
};

struct CuTilingWrite {
    uint8_t index = 0;
    uint32_t value = 0;
};

struct CuRecordedLaunch {
    CuPins::Launch launch;
    std::vector<size_t> after;     // launches whose waves have ended before, since the one before
    std::vector<CuPatch> patches;  // what memory holds in front of it
    std::vector<CuTilingWrite> tiling;  // registers of address calculation, written before
    std::vector<CuPins::Init> rows;     // of registers and LDS that the wave finds
};

// What the global data share has answered: to equal requests in their order.
class CuGdsAnswers {
  public:
    void add(const CuPins::Gds& request, const CuPins::Quad& answer);
    // The next one to such a request, after the last one that again; zeros to one never seen.
    CuPins::Quad next(const CuPins::Gds& request);

  private:
    struct Less {
        bool operator()(const CuPins::Gds& a, const CuPins::Gds& b) const;
    };
    struct Answers {
        std::deque<CuPins::Quad> all;
        size_t next = 0;
    };
    std::map<CuPins::Gds, Answers, Less> answers_;  // by request, its tag 0
};

struct CuRecordedUnit {
    CuPins::Config cfg;
    CuImage memory;  // before the first launch, as far as it was read
    CuGdsAnswers gds;
    std::vector<CuRecordedLaunch> launches;
};

// Of every unit of a chip the first launches.
class CuRecording : public Recording, public cu::CuFactory {
  public:
    static constexpr uint64_t kMaxPerUnit = 4096;
    explicit CuRecording(uint64_t limit);
    ~CuRecording() override;
    void attach(asic::ChipOptions& options) override;
    std::unique_ptr<cu::ComputeUnit> make(const cu::CuSpec& spec, const cu::CuIdentity& identity,
                                          std::shared_ptr<cu::DecodeCache> decode_cache,
                                          unsigned number) override;
    uint64_t size() const override;
    uint64_t passed() const override;
    // Of units with launches.
    std::vector<const CuRecordedUnit*> units() const;

  private:
    class Listener;
    uint64_t limit_;
    std::vector<std::unique_ptr<Listener>> listeners_;
};

}  // namespace archipelago::rtl
