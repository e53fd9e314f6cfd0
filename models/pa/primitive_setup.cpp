// SPDX-License-Identifier: Apache-2.0
#include "models/pa/primitive_setup.h"

#include <algorithm>
#include <cfloat>
#include <cmath>
#include <cstdlib>
#include <string>

#include "models/common/error.h"
#include "models/pa/line.h"
#include "models/pa/window.h"

namespace archipelago::pa {
namespace {

using raster::Point;
using Shape = raster::Primitive::Shape;
using Mode = SetupState::PolygonMode;

// False: not a number, or infinite, and kept so.
bool finite(const NanInfState::Component& state, float value, double& out) {
    if (std::isnan(value)) {
        if (!state.nan_to_infinity)
            return false;
        value = HUGE_VALF;
    }
    if (std::isinf(value)) {
        if (state.retain_infinity)
            return false;
        value = std::copysign(FLT_MAX, value);
    }
    out = value;
    return true;
}

// Exports of one lane.
struct Lane {
    const VertexExports& exports;
    unsigned lane;
    uint32_t operator()(unsigned slot, unsigned component) const {
        return exports.position[slot][component][lane];
    }
};

// False: the primitive of this vertex is dropped.
bool load_vertex(const SetupState& state, const Lane& from, SourceVertex& out) {
    const ExportLayout& layout = state.exports;
    bool good = true;
    for (unsigned c = 0; c < 4; ++c) {
        const NanInfState::Component& rule = c < 2    ? state.naninf.xy
                                             : c == 2 ? state.naninf.z
                                                      : state.naninf.w;
        good &= finite(rule, as_float(from(0, c)), out.position[c]);
    }
    if (layout.misc != ExportLayout::kAbsent) {
        out.point_size = as_float(from(layout.misc, 0));
        out.edge = !layout.edge_flag || (from(layout.misc, 1) & 1) != 0;
        out.layer = static_cast<uint16_t>(layout.layer ? from(layout.misc, 2) & 0x7ff : 0);
        const uint32_t viewport = layout.viewport ? from(layout.misc, 3) : 0;
        out.viewport = static_cast<uint8_t>(viewport < 16 ? viewport : 0);
    }
    for (unsigned n = 0; n < 8; ++n) {
        const uint8_t slot = layout.distances[n / 4];
        if (slot == ExportLayout::kAbsent)
            continue;
        const float value = as_float(from(slot, n % 4));
        const bool used = ((state.clip.distances | state.clip.cull_distances) >> n & 1) != 0;
        good &= !(used && std::isinf(value) && state.naninf.discard_infinite_distance);
        out.distance[n] = std::isinf(value) ? std::copysign(double(FLT_MAX), value) : value;
    }
    return good;
}

// The triangle of three corners with the largest area: the best known plane.
std::array<const WindowVertex*, 3> largest_triangle(const WindowVertex* corner, unsigned count) {
    std::array<const WindowVertex*, 3> best{&corner[0], &corner[1], &corner[2]};
    int64_t most = -1;
    for (unsigned a = 0; a + 2 < count; ++a)
        for (unsigned b = a + 1; b + 1 < count; ++b)
            for (unsigned c = b + 1; c < count; ++c) {
                const int64_t area =
                    std::abs(area_of(corner[a].plane, corner[b].plane, corner[c].plane));
                if (area > most) {
                    most = area;
                    best = {&corner[a], &corner[b], &corner[c]};
                }
            }
    return best;
}

int64_t polygon_area(const WindowVertex* corner, unsigned count) {
    int64_t sum = 0;
    for (unsigned k = 1; k + 1 < count; ++k)
        sum += area_of(corner[0].at, corner[k].at, corner[k + 1].at);
    return sum;
}

raster::PlaneVertex plane_vertex(const WindowVertex& v) {
    return {v.plane, v.inverse_w, v.i, v.j, v.linear_i, v.linear_j};
}

}  // namespace

void fill(const PipelineCounts& counts, SampleCounts& sample) {
    sample.counts[SampleCounts::kClipperInvocations] = counts.invocations;
    sample.counts[SampleCounts::kClipperPrimitives] = counts.primitives;
}

void count_by_event(const RegisterMap& map, uint8_t event_type, PipelineCounts& counts) {
    const auto& type = map.VGT_EVENT_INITIATOR.EVENT_TYPE;
    if (event_type == type.PIPELINESTAT_START)
        counts.counting = true;
    else if (event_type == type.PIPELINESTAT_STOP)
        counts.counting = false;
}

class PrimitiveSetup::Job {
  public:
    Job(PrimitiveSetup& setup, const SetupState& state, const PrimitiveMessage& message,
        std::vector<raster::Primitive>& out, SetupCounters& counters)
        : setup_(setup),
          state_(state),
          message_(message),
          out_(out),
          counters_(counters),
          polygon_(setup.polygon_),
          corner_(setup.corner_),
          unclipped_(setup.unclipped_),
          count_(message.vertices),
          order_(message.vertices, state.provoking_last) {}

    // Each step says whether the primitive goes on to the next.
    bool load(const Positions& positions);
    bool clip();
    bool project();
    void draw();

  private:
    bool whole() const { return !clipped_; }
    std::string where() const { return "pa: draw " + std::to_string(message_.draw); }
    void choose_plane();
    void draw_polygon();
    void fill();
    void add_triangle(unsigned a, unsigned b, unsigned c);
    unsigned fan_origin(int64_t area) const;
    void draw_outline(Mode mode, const PolygonOffset& offset);
    // `from`: a source vertex.
    void add_point(const WindowVertex& v, const ClipVertex& from, double z_added);
    void add_line(const WindowVertex& a, const WindowVertex& b, const PolygonOffset& offset,
                  const double* z_added, bool begins);
    raster::Primitive& add();

    PrimitiveSetup& setup_;
    const SetupState& state_;
    const PrimitiveMessage& message_;
    std::vector<raster::Primitive>& out_;
    SetupCounters& counters_;
    ClipPolygon& polygon_;
    std::array<WindowVertex, ClipPolygon::kMax>& corner_;
    std::array<WindowVertex, 3>& unclipped_;  // source vertices in the window
    const unsigned count_;                    // vertices
    const ParameterOrder order_;
    std::array<SourceVertex, 3> source_;
    std::array<double, 3> source_w_{};
    bool clipped_ = false;
    std::array<const WindowVertex*, 3> plane_{};  // three points of its planes
    int64_t area_ = 0;                            // its sign says which side is seen
    raster::Primitive base_;                      // what all pieces have in common
};

bool PrimitiveSetup::Job::load(const Positions& positions) {
    const ExportLayout& layout = state_.exports;
    bool good = true;
    for (unsigned v = 0; v < count_; ++v) {
        const VertexExports* exports = positions.find(message_.draw, message_.wave[v]);
        if (exports == nullptr)
            throw MachineStop(StopKind::Internal, where(),
                              "VS wave " + std::to_string(message_.wave[v]) +
                                  " has no positions when its primitive comes");
        if (exports->position.size() < layout.slots)
            throw MachineStop(StopKind::BadInput, where(),
                              "VS has exported " + std::to_string(exports->position.size()) +
                                  " vectors to POS slots, SPI_SHADER_POS_FORMAT has formats for " +
                                  std::to_string(layout.slots));
        good &= load_vertex(state_, {*exports, message_.lane[v] % VertexWave::kLanes}, source_[v]);
        source_[v].edge &= (message_.inner_edges >> v & 1) == 0;
        source_w_[v] = source_[v].position[3];
    }
    if (!good) {
        ++counters_.bad_position;
        return false;
    }
    const SourceVertex& provoking = source_[order_.source[0]];
    base_.context = message_.context;
    base_.vmid = message_.vmid;
    base_.draw = message_.draw;
    base_.viewport = provoking.viewport;
    base_.layer = provoking.layer;
    base_.parameters.count = static_cast<uint8_t>(count_);
    for (unsigned n = 0; n < count_; ++n) {
        base_.parameters.wave[n] = message_.wave[order_.source[n]];
        base_.parameters.lane[n] = message_.lane[order_.source[n]];
    }
    return true;
}

// The corners, and of them what is inside.
bool PrimitiveSetup::Job::clip() {
    Clipper clipper(state_.clip, source_, count_);
    polygon_.count = 0;
    for (unsigned v = 0; v < count_; ++v) {
        if (message_.rectangle && v == 2) {  // its fourth corner
            ClipVertex& corner = polygon_.corner[polygon_.count++];
            corner = clipper.corner({-1, 1, 1});
            corner.made = true;
        }
        ClipVertex& corner = polygon_.corner[polygon_.count++];
        corner.weight = {};
        corner.weight[v] = 1;
        corner.position = source_[v].position;
        corner.edge = source_[v].edge;
        corner.made = false;
    }
    if (state_.clip.enabled) {
        switch (clipper.judge(polygon_)) {
            case Clipper::Fate::Inside:
                break;
            case Clipper::Fate::Clip:
                clipped_ = true;
                ++counters_.clipped;
                if (count_ == 2 ? clipper.clip_line(polygon_) : clipper.clip_polygon(polygon_))
                    break;
                [[fallthrough]];
            case Clipper::Fate::Outside:
                ++counters_.outside;
                return false;
            case Clipper::Fate::CullDistance:
                ++counters_.cull_distance;
                return false;
            case Clipper::Fate::UserPlane:
                ++counters_.user_plane;
                return false;
            case Clipper::Fate::GuardBand:
                ++counters_.guard_band;
                return false;
        }
    }
    if (counters_.pipeline.counting)
        counters_.pipeline.primitives += clipped_ && count_ == 3 ? polygon_.count - 2 : 1;
    return true;
}

bool PrimitiveSetup::Job::project() {
    for (unsigned k = 0; k < polygon_.count; ++k)
        if (!to_window(state_, polygon_.corner[k], source_w_, order_, base_.viewport, corner_[k])) {
            ++counters_.bad_position;
            return false;
        }
    if (message_.rectangle && whole()) {  // a parallelogram on the grid, too
        const Point v0 = corner_[0].at, v1 = corner_[1].at, v2 = corner_[3].at;
        corner_[2].at = {v1.x + v2.x - v0.x, v1.y + v2.y - v0.y};
    }
    return true;
}

// A clipped polygon has the planes of the whole one where that has its place in the window, so
// that clipping moves no plane.
void PrimitiveSetup::Job::choose_plane() {
    if (whole()) {
        plane_ = {&corner_[0], &corner_[1], &corner_[message_.rectangle ? 3 : 2]};
        area_ = polygon_area(corner_.data(), polygon_.count);
        return;
    }
    bool valid = state_.clip.linear_in_window;
    for (unsigned v = 0; v < 3 && valid; ++v) {
        ClipVertex source;
        source.weight[v] = 1;
        source.position = source_[v].position;
        valid = to_window(state_, source, source_w_, order_, base_.viewport, unclipped_[v]) &&
                unclipped_[v].plane_valid;
    }
    if (valid) {
        plane_ = {&unclipped_[0], &unclipped_[1], &unclipped_[2]};
        area_ = area_of(unclipped_[0].plane, unclipped_[1].plane, unclipped_[2].plane);
    } else {
        plane_ = largest_triangle(corner_.data(), polygon_.count);
        area_ = polygon_area(corner_.data(), polygon_.count);
    }
}

void PrimitiveSetup::Job::draw() {
    if (count_ == 1)
        add_point(corner_[0], polygon_.corner[0], 0);
    else if (count_ == 2)
        add_line(corner_[0], corner_[1], state_.line_offset, nullptr, message_.first);
    else
        draw_polygon();
}

void PrimitiveSetup::Job::draw_polygon() {
    choose_plane();
    const bool rectangle = message_.rectangle;
    const bool back = !rectangle && (state_.positive_front ? area_ < 0 : area_ > 0);
    if (!rectangle && (back ? state_.cull_back : state_.cull_front)) {
        ++(back ? counters_.back_face : counters_.front_face);
        return;
    }
    base_.back_facing = back;
    base_.shape = rectangle ? Shape::Rectangle : Shape::Triangle;
    const Mode mode = rectangle ? Mode::Fill : back ? state_.back_mode : state_.front_mode;
    const PolygonOffset& offset = back ? state_.back_offset : state_.front_offset;
    base_.depth = depth_plane(plane_);
    if (mode != Mode::Fill) {
        draw_outline(mode, offset);
        return;
    }
    double largest_z = 0;
    for (unsigned n = 0; n < 3; ++n) {
        base_.plane[n] = plane_vertex(*plane_[order_.source[n]]);
        largest_z = std::max(largest_z, std::abs(plane_[n]->z));
    }
    base_.depth.z += polygon_offset(state_, offset, base_.depth, largest_z);
    fill();
}

void PrimitiveSetup::Job::fill() {
    const int64_t area = polygon_area(corner_.data(), polygon_.count);
    if (area == 0 || area_of(plane_[0]->plane, plane_[1]->plane, plane_[2]->plane) == 0) {
        ++counters_.zero_area;
        return;
    }
    if (whole()) {
        raster::Primitive& p = add();
        p.corners = static_cast<uint8_t>(polygon_.count);
        for (unsigned k = 0; k < polygon_.count; ++k)
            p.corner[k] = corner_[k].at;
        return;
    }
    // A fan. Snapping may have bent the polygon inwards at a corner: then that is its origin.
    const unsigned origin = fan_origin(area), count = polygon_.count;
    for (unsigned k = 1; k + 1 < count; ++k) {
        const unsigned a = (origin + k) % count, b = (origin + k + 1) % count;
        const int64_t piece = area_of(corner_[origin].at, corner_[a].at, corner_[b].at);
        if (piece != 0 && (piece > 0) == (area > 0))
            add_triangle(origin, a, b);
    }
}

// A corner from which all others are seen from one side; corner 0 when there is none.
unsigned PrimitiveSetup::Job::fan_origin(int64_t area) const {
    const unsigned count = polygon_.count;
    for (unsigned origin = 0; origin < count; ++origin) {
        bool good = true;
        for (unsigned k = 1; k + 1 < count && good; ++k) {
            const int64_t piece = area_of(corner_[origin].at, corner_[(origin + k) % count].at,
                                          corner_[(origin + k + 1) % count].at);
            good = piece == 0 || (piece > 0) == (area > 0);
        }
        if (good)
            return origin;
    }
    return 0;
}

void PrimitiveSetup::Job::add_triangle(unsigned a, unsigned b, unsigned c) {
    raster::Primitive& p = add();
    p.corners = 3;
    p.corner = {corner_[a].at, corner_[b].at, corner_[c].at, {}};
}

// Polygon mode: corners as points, edges as lines. They keep the polygon's offset of z.
void PrimitiveSetup::Job::draw_outline(Mode mode, const PolygonOffset& offset) {
    double largest_z = 0;
    for (const WindowVertex* v : plane_)
        largest_z = std::max(largest_z, std::abs(v->z));
    const double added = polygon_offset(state_, offset, base_.depth, largest_z);
    bool begins = true;  // a stipple
    for (unsigned k = 0; k < polygon_.count; ++k) {
        const ClipVertex& v = polygon_.corner[k];
        if (!v.edge)
            continue;
        if (mode == Mode::Lines) {
            add_line(corner_[k], corner_[(k + 1) % polygon_.count], offset, &added, begins);
            begins = false;
        } else if (!v.made) {
            add_point(corner_[k], v, added);
        }
    }
}

void PrimitiveSetup::Job::add_point(const WindowVertex& v, const ClipVertex& from, double z_added) {
    int32_t half_x = state_.point_half_x, half_y = state_.point_half_y;
    const auto source = static_cast<size_t>(std::find(from.weight.begin(), from.weight.end(), 1.0) -
                                            from.weight.begin());
    if (state_.exports.point_size) {
        const float size = source_[source].point_size;
        // Half of it in 12.4, as PA_SU_POINT_SIZE and _MINMAX are.
        const double half = size > 0 ? std::min(8.0 * size, 65535.0) : 0;
        const int32_t exact = static_cast<int32_t>(std::lround(half)) * (raster::kSubpixels / 16);
        half_x = half_y = std::max(std::min(exact, state_.point_half_max), state_.point_half_min);
    }
    if (half_x == 0 || half_y == 0) {
        ++counters_.zero_area;
        return;
    }
    raster::Primitive& p = add();
    p.shape = Shape::Point;
    // A corner of a polygon has its own vertex's parameters.
    p.parameters = {1, {message_.wave[source]}, {message_.lane[source]}};
    p.corners = 4;
    const int32_t x = v.at.x, y = v.at.y;
    p.corner = {Point{x - half_x, y - half_y}, Point{x + half_x, y - half_y},
                Point{x + half_x, y + half_y}, Point{x - half_x, y + half_y}};
    p.plane.fill({v.at, v.inverse_w, 0, 0, 0, 0});
    p.plane[1].at = {x + half_x, y};
    p.plane[2].at = {x, y + half_y};
    p.depth = {};
    p.depth.at = v.at;
    p.depth.z = v.z + z_added;
    if (count_ == 1)
        p.depth.z += polygon_offset(state_, state_.line_offset, p.depth, std::abs(v.z));
    p.w = v.w;
}

// `z_added`: of the polygon whose edge it is; nullptr: it is a line, with an offset of its own.
void PrimitiveSetup::Job::add_line(const WindowVertex& a, const WindowVertex& b,
                                   const PolygonOffset& offset, const double* z_added,
                                   bool begins) {
    LineShape line;
    if (!shape_line(state_, a.at, b.at, line)) {
        ++counters_.zero_area;
        return;
    }
    raster::Primitive& p = add();
    p.shape = Shape::Line;
    p.corners = 4;
    p.corner = line.corner;
    // Across the line values do not change.
    WindowVertex start = a, end = b;
    start.plane = a.at;
    end.plane = b.at;
    WindowVertex side = start;
    side.plane = {a.at.x + line.side.x, a.at.y + line.side.y};
    p.plane = {plane_vertex(start), plane_vertex(end), plane_vertex(side)};
    p.depth = depth_plane({&start, &end, &side});
    p.depth.z += z_added != nullptr ? *z_added
                                    : polygon_offset(state_, offset, p.depth,
                                                     std::max(std::abs(a.z), std::abs(b.z)));
    p.x_major = line.x_major;
    p.descending = line.descending;
    if (state_.stipple) {
        using Reset = SetupState::StippleReset;
        if (state_.stipple_reset == Reset::EachLine ||
            (state_.stipple_reset == Reset::EachStrip && begins))
            setup_.stipple_ = 0;
        p.stipple_start = setup_.stipple_;
        setup_.stipple_ += line.pixels;
    }
}

// One more primitive, with what all pieces have in common.
raster::Primitive& PrimitiveSetup::Job::add() {
    out_.push_back(base_);
    raster::Primitive& p = out_.back();
    p.number = setup_.number_++;
    p.free_through = setup_.free_through_;
    ++counters_.out;
    return p;
}

void PrimitiveSetup::setup(const SetupState& state, const PrimitiveMessage& message,
                           const Positions& positions, std::vector<raster::Primitive>& out,
                           SetupCounters& counters) {
    if (message.vertices == 0 || message.vertices > 3)
        throw MachineStop(StopKind::Internal, "pa: draw " + std::to_string(message.draw),
                          "a primitive has " + std::to_string(message.vertices) + " vertices");
    if (message.draw != draw_) {
        draw_ = message.draw;
        free_through_ = number_ = 0;
    }
    ++counters.in;
    if (counters.pipeline.counting)
        ++counters.pipeline.invocations;
    const size_t before = out.size();
    if (state.clip.kill) {
        ++counters.rasterization_kill;
    } else {
        Job job(*this, state, message, out, counters);
        if (job.load(positions) && job.clip() && job.project())
            job.draw();
    }
    if (!message.end_of_packet)
        return;
    for (unsigned v = 0; v < message.vertices; ++v)
        free_through_ = std::max(free_through_, message.wave[v] + 1);
    if (out.size() != before)
        out.back().free_through = free_through_;
}

void PrimitiveSetup::pass(const PrimitiveMessage& message, std::vector<raster::Primitive>& out) {
    raster::Primitive p;
    const bool event = message.kind == PrimitiveMessage::Kind::Event;
    p.kind = event ? raster::Primitive::Kind::Event : raster::Primitive::Kind::DrawEnd;
    p.context = message.context;
    p.ring = message.ring;
    p.event_type = message.event_type;
    p.draw = message.draw;
    p.free_through = !event && message.draw == draw_ ? free_through_ : 0;
    out.push_back(p);
}

}  // namespace archipelago::pa
