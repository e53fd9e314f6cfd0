// SPDX-License-Identifier: Apache-2.0
// Surfaces of the CTM memory controller.
#pragma once

#include <memory>
#include <vector>

#include "models/config/reader.h"
#include "models/ctm/mc/address.h"
#include "testbenches/host/map/points.h"

namespace archipelago::host {

struct CtmSurface {
    ctm::Surface
        surface;  // of a format with so many bytes, of one channel where there is such a one
    unsigned log2_bytes = 0;
    bool superfine = false;
};

// Reads `{tiling, bytes, pitch, offset}`. Warns of what the hardware takes otherwise than it is
// written.
CtmSurface read_ctm_surface(config::Reader& r, config::Diagnostics& diagnostics);

// Points x,y to addresses, four of them for a 2x2 superfine read.
class CtmMapper : public LineMapper {
  public:
    explicit CtmMapper(const CtmSurface& surface) : per_point_(surface.superfine ? 4 : 1) {}

    const std::vector<LineNumber>& numbers() const override { return numbers_; }
    size_t longest() const override { return per_point_ * (kHexText + 1); }
    char* answer(const uint64_t* numbers, size_t lines, char* text) override;

  protected:
    unsigned per_point() const { return per_point_; }
    // per_point() addresses of each point, in sequence.
    virtual void map(const ctm::Point* points, size_t count, uint32_t* addresses) = 0;

  private:
    const unsigned per_point_;
    const std::vector<LineNumber> numbers_{{"x", ctm::kMaxIndex}, {"y", ctm::kMaxIndex}};
    std::vector<ctm::Point> points_;
    std::vector<uint32_t> addresses_;
};

// By the tables themselves.
std::unique_ptr<CtmMapper> make_table_mapper(const CtmSurface& surface);

}  // namespace archipelago::host
