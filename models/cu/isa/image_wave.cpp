// SPDX-License-Identifier: Apache-2.0
#include "models/cu/isa/image_wave.h"

#include <array>
#include <cstring>

#include "models/cu/isa/image_format.h"
#include "models/cu/isa/image_forms.h"
#include "models/cu/isa/image_lanes.h"
#include "models/cu/isa/image_lod.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/isa/small_float.h"
#include "models/cu/isa/valu_env.h"

namespace archipelago::isa {

// What whole waves want of a resource.
struct LaneLayout {
    ImageResource resource;
    LaneFormat format;
    LaneFormat degamma;  // `format` read as SRGB, if that can be
    std::array<LaneLevel, surface::kMaxLevels> levels;
};

namespace {

constexpr uint64_t kAllLanes = ~uint64_t{0};
constexpr unsigned kSlots = 8;  // texels of a footprint on two levels
constexpr uint32_t kWholeLevel = 256;
// A lane's choice: level << 16, this when it filters, fraction of the next level.
constexpr uint32_t kLinear = 1 << 15;
constexpr uint32_t kEachLanes = ~0u;

alignas(64) constexpr VReg kZeros = {};

bool all_alike(const uint32_t* values, uint64_t lanes) {
    const uint32_t first = values[__builtin_ctzll(lanes)];
    uint32_t different = 0;
    if (lanes == kAllLanes) {
        for (unsigned l = 0; l < kLanes; ++l) {
            different |= values[l] ^ first;
        }
        return different == 0;
    }
    for (uint64_t m = lanes; m != 0; m &= m - 1) {
        different |= values[__builtin_ctzll(m)] ^ first;
    }
    return different == 0;
}

}  // namespace

void LaneLevel::set_up(const surface::SurfaceLevel& s, uint32_t slices) {
    *this = LaneLevel();
    linear = surface::is_linear(s.layout.mode.array);
    macro = surface::is_macro(s.layout.mode.array);
    const uint32_t tile = linear ? 0 : s.element[63] + s.thick[(1u << s.thick_shift) - 1];
    // The largest offset there may be, from the largest of each term.
    const uint64_t width = s.width > s.layout.pitch ? s.width : s.layout.pitch;
    const uint64_t height = s.height > s.layout.height ? s.height : s.layout.height;
    const uint64_t most = (width >> s.column_shift) * s.column_bytes +
                          (height >> s.row_shift) * s.row_bytes + tile +
                          (tile >> s.split_shift) * s.split_bytes +
                          (uint64_t{slices} >> s.thick_shift) * s.group_bytes +
                          uint64_t{s.bank_width_mask} * s.bank_column_bytes +
                          uint64_t{s.bank_height_mask} * s.bank_row_bytes;
    if (most >= 1u << 30 || s.middle_mask != 0 || s.hash_mask > 0xff ||
        (most << s.channel_shift) + (uint64_t{s.hash_mask} << s.interleave_shift) >= 1u << 30) {
        return;
    }
    usable = true;
    split = tile >> s.split_shift != 0;
    column_shift = s.column_shift;
    row_shift = s.row_shift;
    tile_x_shift = s.tile_x_shift;
    bank_x_shift = s.bank_x_shift;
    bank_y_shift = s.bank_y_shift;
    split_shift = s.split_shift;
    interleave_shift = s.interleave_shift;
    channel_shift = s.channel_shift;
    for (unsigned i = 0; i < 16; ++i) {
        hash_x[i] = static_cast<uint8_t>(s.hash_x[i]);
        hash_y[i] = static_cast<uint8_t>(s.hash_y[i]);
        bank_x[i] = static_cast<uint8_t>(s.bank_x[i]);
        bank_y[i] = static_cast<uint8_t>(s.bank_y[i]);
    }
    // The bits of an element's number in its tile are bits of x, of y and of the slice.
    for (unsigned i = 0; i < 8; ++i) {
        in_row[i] = s.element[i];
        in_column[i] = s.element[8 * i];
    }
    column_bytes = s.column_bytes;
    row_bytes = static_cast<uint32_t>(s.row_bytes);
    bank_column_bytes = s.bank_column_bytes;
    bank_row_bytes = s.bank_row_bytes;
    bank_width_mask = s.bank_width_mask;
    bank_height_mask = s.bank_height_mask;
    split_mask = s.split_mask;
    split_bytes = static_cast<uint32_t>(s.split_bytes);
    split_rotation = s.split_rotation;
    hash_x_mask = s.hash_x_mask;
    hash_y_mask = s.hash_y_mask;
    hash_mask = s.hash_mask;
    low_mask = static_cast<uint32_t>(s.low_mask);
}

const ImageUnit::Layout& ImageUnit::lane_layout(const uint32_t* words, bool short_form,
                                                const surface::TilingRegisters& tiling) {
    Layout& l = find(words, short_form, tiling);
    if (l.lanes_ready || !l.error.empty()) {
        return l;
    }
    l.lanes_ready = true;
    if (l.lanes == nullptr) {
        l.lanes = std::make_shared<LaneLayout>();
    }
    LaneLayout& lanes = *l.lanes;
    const ImageResource& r = lanes.resource = ImageResource::decode(l.words, short_form);
    lanes.format = image_lane_format(r.dfmt, r.nfmt);
    lanes.degamma = r.nfmt == static_cast<uint8_t>(NumFormat::Unorm)
                        ? image_lane_format(r.dfmt, static_cast<unsigned>(NumFormat::Srgb))
                        : LaneFormat();
    const bool flat = r.kind() != ImageType::Dim3;
    for (unsigned i = 0; !r.is_msaa() && i <= r.last_level; ++i) {
        lanes.levels[i].set_up(l.levels[i],
                               flat ? r.base_array + r.reachable_slices() : l.levels[i].depth);
    }
    return l;
}

class ImageWave::Access {
  public:
    Access(const LaneMemory& memory, const FormatLanes& formats, const ImageLanes& lanes)
        : memory_(memory), formats_(formats), lanes_(lanes) {}

    bool prepare(const Inst& inst, WaveState& w, const surface::TilingRegisters& tiling,
                 ImageUnit& unit) {
        inst_ = &inst;
        w_ = &w;
        exec_ = w.exec();
        const OpInfo& info = op_info(inst.op);
        kind_ = info.mem;
        if (inst.tfe || exec_ == 0 ||
            (kind_ != MemKind::ImageLoad && kind_ != MemKind::ImageStore &&
             kind_ != MemKind::ImageSample)) {
            return false;
        }
        layout_ = &unit.lane_layout(&w.s[inst.srsrc], inst.r128, tiling);
        if (!layout_->error.empty()) {
            return false;
        }
        wide_ = layout_->lanes.get();
        r_ = &wide_->resource;
        format_ = &wide_->format;
        dmask_ = inst.dmask != 0 ? inst.dmask : 1;
        return format_->usable && !r_->is_msaa() && r_->kind() != ImageType::Cube &&
               inst.vdst + static_cast<unsigned>(__builtin_popcount(dmask_)) <= w.num_vgprs;
    }
    uint64_t address() const { return layout_->levels[r_->base_level].layout.base; }
    bool execute(const HostWindow& memory) {
        piece_ = memory;
        touched_ = 0;
        const FpEnvPause host_floats;
        switch (kind_) {
            case MemKind::ImageLoad:
                return load();
            case MemKind::ImageStore:
                return store();
            default:
                return sample();
        }
    }
    uint64_t touched() const { return touched_; }

  private:
    uint32_t* reg(unsigned index) const { return w_->v[inst_->vaddr + index]; }

    // ---- places of texels -----------------------------------------------------------------------
    // Of lanes in `lanes`, to offsets_, from the first byte of the level.
    void place(unsigned level, const uint32_t* x, const uint32_t* y, uint64_t lanes) {
        const surface::SurfaceLevel& s = layout_->levels[level];
        if (same_slice_) {
            const surface::SlicePart part = surface::slice_part(s, slice_[0]);
            lanes_.place(wide_->levels[level],
                         {static_cast<uint32_t>(part.offset), part.in_tile, part.hash}, x, y,
                         offsets_);
            return;
        }
        surface::LaneCoordinates at;
        uint64_t to[kLanes] = {};
        std::memcpy(at.x, x, sizeof at.x);
        std::memcpy(at.y, y, sizeof at.y);
        std::memcpy(at.slice, slice_, sizeof at.slice);
        std::memset(at.sample, 0, sizeof at.sample);
        surface::byte_addresses(s, at, lanes, to);
        for (unsigned l = 0; l < kLanes; ++l) {
            offsets_[l] = static_cast<uint32_t>(to[l] - s.layout.base);
        }
    }
    // Elements at offsets_ in a level. False: it does not begin in the piece of memory.
    bool elements(unsigned level, uint64_t lanes, LaneAccess& a) const {
        const uint64_t from = layout_->levels[level].layout.base - piece_.first;
        if (from >= piece_.bytes) {
            return false;
        }
        a.base = piece_.host + from;
        a.limit = piece_.bytes - from;
        a.address = offsets_;
        a.exec = lanes;
        a.count = a.element = format_->dwords;
        for (unsigned k = 1; k < 4; ++k) {
            a.offset[k] = 4 * k;
        }
        return true;
    }
    bool read(unsigned level, uint64_t lanes, VReg* raw, bool sign_extend = false) const {
        if (lanes == 0) {
            return true;
        }
        LaneAccess a;
        if (!elements(level, lanes, a)) {
            return false;
        }
        for (unsigned k = 0; k < 4; ++k) {
            a.reg[k] = raw[k];
        }
        return format_->bytes < 4 ? memory_.read_small(a, format_->bytes, sign_extend)
                                  : memory_.read(a);
    }

    // ---- without sampler ------------------------------------------------------------------------
    // Lanes whose texels exist, their offsets_ and their level. False: not done here.
    bool plain_places(uint64_t& inside, unsigned& level) {
        const ImageRegisters a = access_registers(*r_, inst_->da, names_level(inst_->op));
        if (inst_->vaddr + a.count > w_->num_vgprs) {
            return false;
        }
        uint32_t mip = 0;
        if (a.lod != ImageRegisters::kNone) {
            mip = reg(a.lod)[__builtin_ctzll(exec_)];
            if (mip >= r_->levels() || !all_alike(reg(a.lod), exec_)) {
                return false;
            }
        }
        level = r_->base_level + mip;
        const uint32_t* x = reg(a.coordinates);
        const uint32_t* y = a.dims > 1 ? reg(a.coordinates + 1u) : kZeros;
        inside = exec_ & memory_.below(x, r_->width_at(mip));
        if (a.dims > 1) {
            inside &= memory_.below(y, r_->height_at(mip));
        }
        const uint32_t* slice = nullptr;
        uint32_t first = r_->base_array;
        if (a.dims > 2) {
            slice = reg(a.coordinates + 2u);
            inside &= memory_.below(slice, r_->depth_at(mip));
            first = 0;
        } else if (r_->is_array() && a.slice != ImageRegisters::kNone) {
            slice = reg(a.slice);
            inside &= memory_.below(slice, r_->reachable_slices());
        }
        if (!wide_->levels[level].usable) {
            return false;
        }
        if (inside != 0) {
            find_slices(slice, first, inside);
            place(level, x, y, inside);
        }
        return true;
    }
    // The slices `slice`, or 0, plus `first`.
    void find_slices(const uint32_t* slice, uint32_t first, uint64_t lanes) {
        same_slice_ = slice == nullptr || all_alike(slice, lanes);
        if (same_slice_) {
            slice_[0] = first + (slice != nullptr ? slice[__builtin_ctzll(lanes)] : 0);
            return;
        }
        for (unsigned l = 0; l < kLanes; ++l) {
            slice_[l] = slice[l] + first;
        }
    }

    bool load() {
        uint64_t inside = 0;
        unsigned level = 0;
        if (!plain_places(inside, level)) {
            return false;
        }
        const bool raw = moves_raw_bits(inst_->op);
        const bool sign_extend = extends_sign(inst_->op);
        if (!read(level, inside, raw_[0], sign_extend)) {
            return false;
        }
        touched_ = inside;
        if (raw) {
            for (unsigned c = 0; c < 4; ++c) {
                from_[c] = c < format_->dwords ? clear_outside(raw_[0][c], inside) : kZeros;
            }
        } else {
            const unsigned needed = needed_components();
            formats_.unpack(*format_, raw_[0], needed, value_[0]);
            for (unsigned c = 0; c < 4; ++c) {
                if ((needed >> c & 1) != 0) {
                    clear_outside(value_[0][c], inside);
                }
            }
            select(value_[0]);
        }
        write_registers();
        return true;
    }
    const uint32_t* clear_outside(VReg& v, uint64_t inside) const {
        if ((exec_ & ~inside) != 0) {
            memory_.blend(v, kZeros, ~inside);
        }
        return v;
    }

    bool store() {
        const bool raw = moves_raw_bits(inst_->op);
        if (!raw && unsupported_image_store(r_->dfmt, r_->nfmt) != nullptr) {
            return false;
        }
        uint64_t inside = 0;
        unsigned level = 0;
        if (!plain_places(inside, level)) {
            return false;
        }
        if (inside == 0) {
            return true;
        }
        LaneAccess a;
        if (!elements(level, inside, a)) {
            return false;
        }
        // Components without a register are 0.
        uint32_t* given[4];
        unsigned next = inst_->vdst;
        for (unsigned c = 0; c < 4; ++c) {
            given[c] = (dmask_ >> c & 1) != 0 ? w_->v[next++] : zeros_;
        }
        if (!raw) {
            const uint32_t* const texel[4] = {given[r_->stored_from(0)], given[r_->stored_from(1)],
                                              given[r_->stored_from(2)], given[r_->stored_from(3)]};
            formats_.pack(*format_, texel, raw_[0]);
        }
        for (unsigned k = 0; k < 4; ++k) {
            a.reg[k] = raw ? given[k] : raw_[0][k];
        }
        touched_ = inside;
        return format_->bytes < 4 ? memory_.write_small(a, format_->bytes) : memory_.write(a);
    }

    // ---- results --------------------------------------------------------------------------------
    // Components that DST_SEL and DMASK ask for.
    unsigned needed_components() const {
        unsigned needed = 0;
        for (unsigned c = 0; c < 4; ++c) {
            const unsigned sel = r_->dst_sel >> (3 * c) & 7;
            needed |= (dmask_ >> c & 1) != 0 && sel >= 4 ? 1u << (sel - 4) : 0;
        }
        return needed;
    }
    // Sets from_ by DST_SEL.
    void select(const VReg* value) {
        bool ones = false;
        for (unsigned c = 0; c < 4; ++c) {
            const unsigned sel = r_->dst_sel >> (3 * c) & 7;
            from_[c] = sel >= 4 ? value[sel - 4] : sel == 1 ? ones_ : kZeros;
            ones = ones || sel == 1;
        }
        if (ones) {
            for (uint32_t& one : ones_) {
                one = format_->one;
            }
        }
    }
    void write_registers() const {
        unsigned next = inst_->vdst;
        for (unsigned c = 0; c < 4; ++c) {
            if ((dmask_ >> c & 1) != 0) {
                memory_.blend(w_->v[next++], from_[c], exec_);
            }
        }
    }

    // ---- with sampler ---------------------------------------------------------------------------
    bool sample() {
        const SampleForm form = sample_form(*inst_);
        s_ = ImageSampler::decode(&w_->s[inst_->ssamp]);
        const bool integers = image_is_integer(r_->nfmt);
        if (form.query || (form.compare && integers) || s_.filter_mode != 0 || s_.mip_filter == 3 ||
            s_.z_filter == 3 || r_->dims() == 3) {
            return false;
        }
        if (form.gather && (r_->dims() != 2 || inst_->dmask != (dmask_ & (0 - dmask_)) ||
                            inst_->vdst + 4u > w_->num_vgprs)) {
            return false;
        }
        a_ = sample_registers(form, *r_, inst_->da);
        if (inst_->vaddr + a_.count > w_->num_vgprs) {
            return false;
        }
        if (s_.degamma && wide_->degamma.usable) {
            format_ = &wide_->degamma;
        }
        form_ = form;
        find_named_slices();
        const SampleLod lods(*inst_, *w_, *r_, form, a_, s_);
        normalized_ = lods.normalized();
        slots_ = 0;
        // 0, or kLinear where the filter is that.
        const auto kind = [&](uint8_t filter) {
            return form.gather || ((filter & 1) != 0 && !integers) ? kLinear : 0;
        };
        const bool one_level =
            r_->levels() == 1 || s_.mip_filter == static_cast<uint8_t>(MipFilter::None);
        if (one_level && kind(s_.mag_filter) == kind(s_.min_filter)) {
            return footprints(kind(s_.mag_filter), exec_, 0) && finish_sample();
        }
        const unsigned alike = lods.alike();
        unsigned known = kLanes;  // first of the lanes that choose alike
        uint32_t choice = 0;
        uint32_t different = 0;
        for (uint64_t m = exec_; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            if (lane / alike * alike != known) {
                known = lane / alike * alike;
                const LevelChoice c = lods.choose(lane, lods.lod(lane));
                choice =
                    c.level << 16 | c.fraction | kind(c.magnified ? s_.mag_filter : s_.min_filter);
            }
            choice_[lane] = choice;
            different |= choice ^ choice_[__builtin_ctzll(exec_)];
        }
        return (different == 0 ? footprints(choice, exec_, choice & 0xff) : level_by_level()) &&
               finish_sample();
    }
    // Lanes of a wave usually choose the same one or two levels.
    bool level_by_level() {
        for (uint64_t rest = exec_; rest != 0;) {
            const uint32_t first = choice_[__builtin_ctzll(rest)] & ~0xffu;
            uint64_t lanes = 0;
            for (uint64_t m = rest; m != 0; m &= m - 1) {
                const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
                lanes |= uint64_t{(choice_[lane] & ~0xffu) == first} << lane;
            }
            rest &= ~lanes;
            if (!footprints(first, lanes)) {
                return false;
            }
        }
        return true;
    }

    void find_named_slices() {
        const uint32_t* slice = nullptr;
        if (r_->is_array() && a_.slice != ImageRegisters::kNone) {
            const uint32_t limit = r_->reachable_slices();
            for (unsigned l = 0; l < kLanes; ++l) {
                named_[l] = named_slice(to_float(reg(a_.slice)[l]), limit);
            }
            slice = named_;
        }
        find_slices(slice, r_->base_array, exec_);
    }

    // Both levels of a choice that `lanes` share but for, unless it is given, the fraction.
    bool footprints(uint32_t choice, uint64_t lanes, uint32_t fraction = kEachLanes) {
        const unsigned level = choice >> 16;
        const bool linear = (choice & kLinear) != 0;
        uint64_t next = fraction != 0 ? lanes : 0;
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint32_t own = fraction == kEachLanes ? choice_[l] & 0xff : fraction;
            next &= ~(uint64_t{own == 0} << l);
            level_weight_[l] = kWholeLevel - own;
        }
        if (!footprint(level, linear, lanes)) {
            return false;
        }
        if (next == 0) {
            return true;
        }
        for (uint32_t& weight : level_weight_) {
            weight = kWholeLevel - weight;
        }
        return footprint(level + 1, linear, next, 4);
    }

    // Texels of a level to the slots from `slot` on, weighed by level_weight_.
    bool footprint(unsigned of_view, bool linear, uint64_t lanes, unsigned slot = 0) {
        const unsigned level = r_->base_level + of_view;
        if (!wide_->levels[level].usable) {
            return false;
        }
        LaneAxis axis;
        axis.normalized = normalized_;
        axis.truncate = s_.trunc_coord;
        axis.linear = linear;
        axis.offsets = form_.offset ? reg(a_.offset) : nullptr;
        for (unsigned c = 0; c < a_.dims; ++c) {
            axis.size = c == 0 ? r_->width_at(of_view) : r_->height_at(of_view);
            axis.wrap = s_.wrap[c];
            axis.offset_shift = 26 - 8 * c;
            if (!lanes_.axis(axis, reg(a_.coordinates + c), texels_[c])) {
                return false;
            }
        }
        const bool plane = a_.dims > 1;
        const unsigned slots = linear ? 4 : 1;
        // A slot that only some lanes use weighs nothing for the others.
        for (unsigned t = 0; t < 4; ++t) {
            if ((slots_ >> (slot + t) & 1) == 0) {
                std::memset(weight_[slot + t], 0, sizeof weight_[0]);
            }
        }
        lanes_.weigh(linear ? texels_[0].fraction : kZeros,
                     linear && plane ? texels_[1].fraction : kZeros, level_weight_, lanes,
                     &weight_[slot]);
        for (unsigned t = 0; t < slots; ++t) {
            const unsigned i = t & 1;
            const unsigned j = t >> 1;
            if (j == 1 && !plane) {
                break;
            }
            const uint64_t border =
                lanes & (texels_[0].border[i] | (plane ? texels_[1].border[j] : 0));
            if (!one_texel(level, slot + t, i, j, lanes, border)) {
                return false;
            }
        }
        return true;
    }
    bool one_texel(unsigned level, unsigned slot, unsigned i, unsigned j, uint64_t lanes,
                   uint64_t border) {
        border_[slot] = border | ((slots_ >> slot & 1) != 0 ? border_[slot] & ~lanes : 0);
        slots_ |= 1u << slot;
        if (border != 0 && s_.border == BorderColor::Table) {
            return false;
        }
        const uint64_t inside = lanes & ~border;
        if ((i | j) == 0 || form_.gather) {
            touched_ |= inside;  // the first is never without weight
        }
        for (uint64_t m = inside & ~touched_; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            touched_ |= uint64_t{weight_[slot][lane] != 0} << lane;
        }
        place(level, texels_[0].at[i], a_.dims > 1 ? texels_[1].at[j] : kZeros, inside);
        return read(level, inside, raw_[slot]);
    }

    bool finish_sample() {
        const unsigned needed = needed_components();
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            if ((slots_ >> slot & 1) == 0) {
                continue;
            }
            formats_.unpack(*format_, raw_[slot], form_.compare ? 1 : needed, value_[slot]);
            if (border_[slot] != 0) {
                paint_border(slot);
            }
            if (form_.compare) {
                compare(value_[slot]);
            }
        }
        if (form_.gather) {
            write_gathered();
            return true;
        }
        if (slots_ == 1) {
            select(value_[0]);
        } else {
            uint64_t single = 0;
            // Slots without texels may hold anything.
            const bool finite = (format_->num != NumFormat::Float || form_.compare) &&
                                (slots_ == 0x0f || slots_ == 0xff);
            const uint64_t nan =
                lanes_.filter(value_, weight_, slots_ < 16 ? 4 : 8, needed, finite, sum_, single);
            // Which NaN comes out of several is the business of the order of operands.
            if ((nan & ~single & exec_) != 0) {
                return false;
            }
            single &= exec_;
            if (single != 0) {
                pass_single(single, needed);
            }
            select(sum_);
        }
        write_registers();
        return true;
    }
    void compare(VReg* value) const {
        const bool clamp = format_->num == NumFormat::Unorm || format_->num == NumFormat::Srgb;
        lanes_.compare(reg(a_.reference), s_.compare, clamp, value[0]);
        std::memset(value[1], 0, sizeof value[1]);
        std::memset(value[2], 0, sizeof value[2]);
        for (uint32_t& w : value[3]) {
            w = format_->one;
        }
    }
    // One component of each texel; the order is that of image_complete().
    void write_gathered() {
        static constexpr unsigned kOrder[4] = {2, 3, 1, 0};
        const auto component = static_cast<unsigned>(__builtin_ctz(dmask_));
        for (unsigned k = 0; k < 4; ++k) {
            select(value_[kOrder[k]]);
            memory_.blend(w_->v[inst_->vdst + k], from_[component], exec_);
        }
    }
    void paint_border(unsigned slot) {
        const uint32_t one = format_->one;
        const uint32_t color = s_.border == BorderColor::OpaqueWhite ? one : 0;
        for (uint64_t m = border_[slot]; m != 0; m &= m - 1) {
            const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
            for (unsigned c = 0; c < 3; ++c) {
                value_[slot][c][lane] = color;
            }
            value_[slot][3][lane] = s_.border != BorderColor::TransparentBlack ? one : 0;
        }
    }
    // What is one texel alone passes unchanged.
    void pass_single(uint64_t lanes, unsigned needed) {
        for (unsigned slot = 0; slot < kSlots; ++slot) {
            if ((slots_ >> slot & 1) == 0) {
                continue;
            }
            uint64_t here = 0;
            for (unsigned l = 0; l < kLanes; ++l) {
                here |= uint64_t{weight_[slot][l] != 0} << l;
            }
            here &= lanes;
            for (unsigned c = 0; here != 0 && c < 4; ++c) {
                if ((needed >> c & 1) != 0) {
                    memory_.blend(sum_[c], value_[slot][c], here);
                }
            }
        }
    }

    const LaneMemory& memory_;
    const FormatLanes& formats_;
    const ImageLanes& lanes_;

    // What prepare() found.
    const Inst* inst_ = nullptr;
    WaveState* w_ = nullptr;
    uint64_t exec_ = 0;
    MemKind kind_ = MemKind::None;
    unsigned dmask_ = 1;
    const ImageUnit::Layout* layout_ = nullptr;
    const LaneLayout* wide_ = nullptr;
    const ImageResource* r_ = nullptr;
    const LaneFormat* format_ = nullptr;

    HostWindow piece_;
    uint64_t touched_ = 0;
    bool same_slice_ = true;
    const uint32_t* from_[4] = {};  // registers' values

    // Of a sample.
    ImageSampler s_;
    ImageRegisters a_;
    SampleForm form_;
    bool normalized_ = true;
    unsigned slots_ = 0;  // that hold texels
    uint64_t border_[kSlots] = {};
    LaneTexels texels_[2] = {};

    alignas(64) uint32_t slice_[kLanes] = {};  // [0] alone when they are the same
    alignas(64) uint32_t named_[kLanes] = {};
    alignas(64) uint32_t choice_[kLanes] = {};
    alignas(64) uint32_t level_weight_[kLanes] = {};
    alignas(64) uint32_t offsets_[kLanes] = {};
    alignas(64) uint32_t ones_[kLanes] = {};
    alignas(64) uint32_t zeros_[kLanes] = {};
    alignas(64) VReg weight_[kSlots] = {};  // in units of 2^-24
    alignas(64) VReg raw_[kSlots][4] = {};
    alignas(64) VReg value_[kSlots][4] = {};
    alignas(64) VReg sum_[4] = {};
};

ImageWave::ImageWave() : ImageWave(lane_memory(), format_lanes(), image_lanes()) {}
ImageWave::ImageWave(const LaneMemory& memory, const FormatLanes& formats, const ImageLanes& lanes)
    : access_(std::make_unique<Access>(memory, formats, lanes)) {}
ImageWave::~ImageWave() = default;

bool ImageWave::prepare(const Inst& inst, WaveState& w, const surface::TilingRegisters& tiling,
                        ImageUnit& unit) {
    return access_->prepare(inst, w, tiling, unit);
}
uint64_t ImageWave::address() const {
    return access_->address();
}
bool ImageWave::execute(const HostWindow& memory) {
    return access_->execute(memory);
}
uint64_t ImageWave::lanes() const {
    return access_->touched();
}

}  // namespace archipelago::isa
