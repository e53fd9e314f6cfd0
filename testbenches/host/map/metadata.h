// SPDX-License-Identifier: Apache-2.0
// HTILE and CMASK of Southern Islands: metadata of render targets.
#pragma once

#include <vector>

#include "models/config/reader.h"
#include "models/mc/surface/metadata.h"
#include "testbenches/host/map/points.h"

namespace archipelago::host {

struct MetadataMap {
    surface::MetadataSurface surface;
    uint32_t width = 1, height = 1;  // of the render target, pixels
    uint32_t slice = 0;              // of points that name none
};

// Reads `metadata` and the keys that go with it.
MetadataMap read_metadata(config::Reader& r, const surface::ChipTiling& tiling);

// Pixels x,y[,slice] to the address of their tile's element; of CMASK with the bit after it.
class MetadataMapper final : public LineMapper {
  public:
    explicit MetadataMapper(const MetadataMap& map);
    const std::vector<LineNumber>& numbers() const override { return numbers_; }
    size_t needed() const override { return 2; }
    size_t longest() const override { return kHexText + 3; }
    char* answer(const uint64_t* numbers, size_t lines, char* text) override;

  private:
    const MetadataMap& map_;
    std::vector<LineNumber> numbers_;
};

}  // namespace archipelago::host
