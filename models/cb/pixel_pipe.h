// SPDX-License-Identifier: Apache-2.0
// The arithmetic of a pixel, from a shader's export to the dwords in memory: conversion, blending,
// raster operation, write mask. All of it is here and in the files that it calls.
#pragma once

#include "models/cb/colour_state.h"

namespace archipelago::cb {

// Of one target and batch.
class PixelPipe {
  public:
    // Decodes the exports. Throws MachineStop when there is none.
    PixelPipe(const ColourState& state, const Target& target, const raster::ShadedBatch& batch);

    // What the pixels become; `dwords`: what they are, which matters only when the target's state
    // reads the destination.
    void apply(Vector& dwords) const;

  private:
    void decode(const raster::ShadedBatch& batch, unsigned number, raster::ExportFormat format,
                uint8_t exported, uint8_t needed, Vector& to) const;
    void blend_with(const Vector& destination, Vector& packed) const;

    const Target& target_;
    unsigned lanes_;
    Vector source_, source1_;
    Vector packed_;  // without blending
};

}  // namespace archipelago::cb
