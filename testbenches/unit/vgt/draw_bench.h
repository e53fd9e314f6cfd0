// SPDX-License-Identifier: Apache-2.0
// Registers of a draw for tests, and the draw engine driven by hand.
#pragma once

#include <vector>

#include "models/gcn/si/front_end.h"
#include "models/vgt/draw.h"
#include "models/vgt/draw_engine.h"
#include "registers/si_names.h"

namespace archipelago::vgt {

namespace si = regs::si;

struct DrawBench {
    VgtSpec spec = gcn::si::vgt_spec();
    VgtRegisters registers{spec.map};
    uint32_t initiator = 2;  // automatic
    uint32_t number = 1;

    DrawBench() {
        set(si::VGT_PRIMITIVE_TYPE, 4);
        set(si::VGT_NUM_INDICES, 3);
    }
    DrawBench& set(uint32_t offset, uint32_t value, unsigned context = 1) {
        registers.set(offset, context, value);
        return *this;
    }
    Draw draw() { return decode_draw(registers, 1, number, initiator, spec); }
};

struct EngineOutput {
    std::vector<VertexWave> waves;
    std::vector<PrimitiveMessage> primitives;
    const VertexWave* vs(uint32_t number) const {
        for (const VertexWave& w : waves)
            if (w.stage == ShaderStage::Vs && w.wave == number)
                return &w;
        return nullptr;
    }
    std::vector<const VertexWave*> of(ShaderStage stage) const {
        std::vector<const VertexWave*> found;
        for (const VertexWave& w : waves)
            if (w.stage == stage)
                found.push_back(&w);
        return found;
    }
};

inline void drain(DrawEngine& engine, EngineOutput& out) {
    while (!engine.waves.empty()) {
        out.waves.push_back(engine.waves.front());
        engine.waves.pop_front();
    }
    while (!engine.primitives.empty()) {
        out.primitives.push_back(engine.primitives.front());
        engine.primitives.pop_front();
    }
}

// Draws without stages that others wait for.
inline EngineOutput run(DrawEngine& engine, const Draw& draw,
                        const std::vector<uint32_t>& indices = {}) {
    EngineOutput out;
    engine.begin(draw);
    for (size_t i = 0; !engine.input_done(); ++i) {
        engine.index(indices.empty() ? 0 : indices[i % indices.size()]);
        drain(engine, out);
    }
    drain(engine, out);
    return out;
}

}  // namespace archipelago::vgt
