// SPDX-License-Identifier: Apache-2.0
// One draw from indices to waves and primitives, in functional mode: the timed VGT and the
// functional mode both drive it. Its inputs are indices, and the ends of waves that others wait
// for.
//
//   indices -> primitives -+-> VS waves
//                          +-> ES waves -> GS waves -> copy-shader VS waves
//                          +-> patches: LS waves -> HS waves -> domain points -> VS or ES waves
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "models/gcn/draw_message.h"
#include "models/gcn/export_message.h"
#include "models/vgt/draw.h"
#include "models/vgt/primitives.h"
#include "models/vgt/streamout.h"
#include "models/vgt/wave_grouper.h"

namespace archipelago::vgt {

// Pipeline statistics, while they are counted (PIPELINESTAT_START, _STOP).
struct PipelineCounts {
    bool counting = false;
    uint64_t ia_vertices = 0, ia_primitives = 0;
    uint64_t vs = 0, gs = 0, hs = 0, ds = 0;  // invocations
    uint64_t gs_primitives = 0;
};

// What draws leave for later ones.
struct DrawCarry {
    StreamoutState streamout;
    PipelineCounts counts;
    uint32_t primitive_id = 0;
    bool continued = false;   // the draw before had NOT_EOP
    uint64_t vertices = 0;    // VGT_VTX_CNT_EN: counted since RESET_VTX_CNT
    unsigned engine = 0;      // shader engine that takes the next primitive
    uint32_t in_group = 0;    // primitives of the group it is at
    uint64_t primitives = 0;  // of all draws, as they came out of the indices
    // Vertices found in the wave being filled: of API vertices in VS and ES waves, domain points.
    uint64_t reused_vs = 0, reused_es = 0, reused_ds = 0;
    uint64_t patch_groups = 0, ds_primitives = 0;
    uint64_t es_done = 0, gs_done = 0;  // waves reported done
};

class DrawEngine {
  public:
    explicit DrawEngine(const VgtSpec& spec);

    void begin(const Draw& draw);
    const Draw& draw() const { return draw_; }
    // All indices have been taken.
    bool input_done() const { return left_ == 0; }
    uint64_t left() const { return left_; }  // indices
    // Takes another index now: not held up by waves that have not ended.
    bool ready() const;
    // Takes the next index; `raw` is as fetched, automatic indices are made here.
    void index(uint32_t raw);
    // A VS or ES wave of this draw has ended, where a geometry shader or tessellation stands before
    // it: what it read is free.
    void stage_done(const StageDone& done);
    // GS emits, cuts, or is done. Throws MachineStop(BadInput) for a wave that does not run.
    void message(const ShaderMessage& message);
    // Nothing more will come out, and nothing is left in `waves` and `primitives`.
    bool finished() const;
    // What it waits for; empty when for indices only, or for nothing.
    std::string waiting_for() const;
    void reset();
    template <class Archive>
    void archive(Archive& a) {
        a.at_rest(finished() && waves.empty() && primitives.empty(), "a draw is at work");
        a(carry);
    }

    // Out, in order; the caller takes from the front.
    std::deque<VertexWave> waves;
    std::deque<PrimitiveMessage> primitives;
    DrawCarry carry;

  private:
    struct EsWave {
        VertexWave wave;
        bool sent = false;
        uint32_t slot = 0;
        unsigned readers = 0;  // GS waves that are not done
    };
    struct GsLane {
        uint32_t primitive = 0, instance = 0;
        std::array<uint32_t, kStreams> emitted{};
        std::array<std::vector<uint32_t>, kStreams> cuts;  // vertices before each cut
    };
    struct GsWave {
        VertexWave wave;
        uint32_t es = kNone;  // ES wave it reads, once that has ended
        bool sent = false, done = false, produced = false;
        uint32_t slot = 0;
        unsigned vs_left = 0;
        std::vector<GsLane> lanes;
    };
    struct Patch {
        Primitive primitive;
        uint32_t id = 0, instance = 0;
    };
    struct PatchGroup {
        uint32_t number = 0;
        unsigned engine = 0;
        std::vector<Patch> patches;
        bool sent = false;
        unsigned left = 0;  // waves of domain points that have not ended
    };
    static constexpr uint32_t kNone = ~0u;

    void take(const Primitives& list);
    void end_instance();
    void end_input();
    void end_group();
    uint32_t vertex_id(uint32_t raw) const;
    void count(uint64_t PipelineCounts::*counter, uint64_t n);
    VertexInput input(uint32_t vertex, uint32_t primitive) const;

    // VS
    void begin_vs(unsigned stream, unsigned reuse);
    PrimitiveMessage to_message(const Primitive& p, uint32_t id, uint32_t instance) const;
    // `message`: what the primitive is, without its vertices and its draw.
    void place_vs(unsigned engine, const VertexInput* vertices, unsigned n,
                  PrimitiveMessage message, unsigned stream);
    void end_vs(unsigned engine);
    // ES, GS
    void place_es(unsigned engine, const VertexInput* vertices, unsigned n, uint32_t primitive,
                  uint32_t instance);
    void end_es(unsigned engine);
    void end_gs(unsigned engine);
    void advance_geometry();
    void produce(GsWave& gs);
    static bool take_slot(std::vector<bool>& slots, uint32_t wave, uint32_t& slot);
    // LS, HS, domain points
    void end_patches();
    void advance_patches();
    void send_patches(PatchGroup& group);
    uint32_t offchip_offset(const PatchGroup& group) const;
    void send_points(PatchGroup& group);
    void advance();

    const VgtSpec spec_;
    Draw draw_;
    PrimitiveDecoder decoder_;
    Streamout streamout_;
    uint64_t left_ = 0;      // indices
    uint32_t position_ = 0;  // in the instance
    uint32_t instance_ = 0;
    uint32_t first_ = 0;                               // automatic index
    std::vector<WaveGrouper> vs_, es_;                 // by shader engine
    std::vector<std::vector<PrimitiveMessage>> held_;  // primitives of the VS wave being filled
    uint32_t next_vs_ = 0, next_es_ = 0, next_gs_ = 0, next_copy_ = 0, next_ls_ = 0, next_hs_ = 0;
    std::deque<EsWave> es_waves_;
    std::deque<GsWave> gs_waves_;
    std::vector<GsWave> gs_open_;     // by shader engine
    std::vector<uint32_t> gs_of_es_;  // GS threads of the ES wave being filled
    std::vector<bool> es_slots_, gs_slots_;
    GsWave* producing_ = nullptr;
    std::vector<PatchGroup> patches_open_;  // none or one
    std::deque<PatchGroup> patch_groups_;
    PatchGroup* pointing_ = nullptr;
    uint32_t next_group_ = 0;
    std::map<uint32_t, uint32_t> vs_owner_, es_owner_;  // wave -> GS wave or group of patches
};

}  // namespace archipelago::vgt
