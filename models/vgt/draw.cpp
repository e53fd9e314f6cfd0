// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/draw.h"

#include <algorithm>

#include "models/common/error.h"

namespace archipelago::vgt {
namespace {

// Reads registers and fields of a draw and stops with its number.
class Reader {
  public:
    Reader(const RegisterMap& map, const VgtRegisters& registers, uint8_t context, uint32_t number)
        : map_(map), registers_(registers), context_(context), number_(number) {}
    const RegisterMap& map() const { return map_; }
    uint32_t at(uint32_t offset) const { return registers_.get(offset, context_); }
    uint32_t at(const regs::NamedField& field) const { return field(at(field.offset())); }
    [[noreturn]] void bad(const std::string& what) const { stop(StopKind::BadInput, what); }
    [[noreturn]] void missing(const std::string& what) const {
        stop(StopKind::Unimplemented, what + " is not implemented");
    }

  private:
    [[noreturn]] void stop(StopKind kind, const std::string& what) const {
        throw MachineStop(kind, "vgt, draw " + std::to_string(number_), what);
    }
    const RegisterMap& map_;
    const VgtRegisters& registers_;
    const uint8_t context_;
    const uint32_t number_;
};

void read_initiator(const Reader& r, uint32_t value, Draw& d) {
    const RegisterMap& m = r.map();
    if (m.VGT_DRAW_INITIATOR.SOURCE_SELECT(value) > 2)
        r.bad("VGT_DRAW_INITIATOR.SOURCE_SELECT 3 is reserved");
    d.source = static_cast<IndexSource>(m.VGT_DRAW_INITIATOR.SOURCE_SELECT(value));
    if (m.VGT_DRAW_INITIATOR.MAJOR_MODE(value) > 1)
        r.bad("VGT_DRAW_INITIATOR.MAJOR_MODE " +
              std::to_string(m.VGT_DRAW_INITIATOR.MAJOR_MODE(value)) + " is reserved");
    if (m.VGT_DRAW_INITIATOR.MAJOR_MODE(value) == 1)
        r.missing("VGT_DRAW_INITIATOR.MAJOR_MODE 1 (primitives grouped by VGT_GROUP_*)");
    if (m.VGT_DRAW_INITIATOR.SPRITE_EN_R6XX(value) != 0)
        r.missing("VGT_DRAW_INITIATOR.SPRITE_EN_R6XX");
    d.not_eop = m.VGT_DRAW_INITIATOR.NOT_EOP(value) != 0;
    if (m.VGT_DRAW_INITIATOR.USE_OPAQUE(value) == 0)
        return;
    if (d.source != IndexSource::Auto)
        r.bad("VGT_DRAW_INITIATOR.USE_OPAQUE needs automatic indices");
    const uint32_t filled = r.at(m.VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE);
    const uint32_t offset = r.at(m.VGT_STRMOUT_DRAW_OPAQUE_OFFSET);
    const uint32_t stride = r.at(m.VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE.VERTEX_STRIDE);
    if (stride == 0)
        r.bad("VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE is 0 in a draw with USE_OPAQUE");
    d.count = filled > offset ? (filled - offset) / stride : 0;
}

void read_type(const Reader& r, Draw& d) {
    const RegisterMap& m = r.map();
    const unsigned type = r.at(m.VGT_PRIMITIVE_TYPE.PRIM_TYPE);
    if (prim_type_name(type) == nullptr || type == 0)
        r.bad("VGT_PRIMITIVE_TYPE " + std::to_string(type) + " is no primitive");
    d.type = static_cast<PrimType>(type);
    if (d.type == PrimType::TriWithWFlags)
        r.missing("VGT_PRIMITIVE_TYPE TRI_WITH_WFLAGS");
    if (r.at(m.PA_SU_SC_MODE_CNTL.PROVOKING_VTX_LAST) != 0)
        d.provoking = Provoking::Last;
}

void read_dma(const Reader& r, Draw& d) {
    const RegisterMap& m = r.map();
    if (r.at(m.VGT_DMA_INDEX_TYPE.INDEX_TYPE) > 1)
        r.bad("VGT_DMA_INDEX_TYPE.INDEX_TYPE " +
              std::to_string(r.at(m.VGT_DMA_INDEX_TYPE.INDEX_TYPE)) + " is reserved");
    if (r.at(m.VGT_DMA_INDEX_TYPE.BUF_TYPE) != 0)
        r.missing("VGT_DMA_INDEX_TYPE.BUF_TYPE " +
                  std::to_string(r.at(m.VGT_DMA_INDEX_TYPE.BUF_TYPE)));
    if (r.at(m.VGT_DMA_INDEX_TYPE.ATC) != 0)
        r.missing("VGT_DMA_INDEX_TYPE.ATC");
    d.index32 = r.at(m.VGT_DMA_INDEX_TYPE.INDEX_TYPE) == 1;
    d.dma.type = static_cast<uint8_t>(r.at(m.VGT_DMA_INDEX_TYPE.INDEX_TYPE));
    d.dma.swap = static_cast<uint8_t>(r.at(m.VGT_DMA_INDEX_TYPE.SWAP_MODE));
    d.dma.base = uint64_t{r.at(m.VGT_DMA_BASE_HI) & 0xFFFF} << 32 | r.at(m.VGT_DMA_BASE);
    d.dma.count = r.at(m.VGT_DMA_SIZE);
    d.dma.max_size = r.at(m.VGT_DMA_MAX_SIZE);
    d.dma.draw = d.number;
    d.vmid_override = r.at(m.IA_VMID_OVERRIDE.ENABLE) != 0;
    d.dma.vmid = static_cast<uint8_t>(d.vmid_override ? r.at(m.IA_VMID_OVERRIDE.VMID) : 0);
    if (d.dma.count != d.count)
        r.bad("VGT_DMA_SIZE is " + std::to_string(d.dma.count) + ", VGT_NUM_INDICES " +
              std::to_string(d.count));
    const unsigned bytes = d.index32 ? 4 : 2;
    if (d.dma.base % bytes != 0)
        r.bad("VGT_DMA_BASE is not a multiple of " + std::to_string(bytes) + " bytes");
}

void read_streamout(const Reader& r, Draw& d) {
    const RegisterMap& m = r.map();
    StreamoutSetup& s = d.streamout;
    s.enabled = static_cast<uint8_t>(r.at(m.VGT_STRMOUT_CONFIG) & 0xF);
    const uint32_t buffers = r.at(m.VGT_STRMOUT_BUFFER_CONFIG);
    for (unsigned i = 0; i < kStreams; ++i) {
        s.buffers[i] = static_cast<uint8_t>(buffers >> 4 * i & 0xF);
        s.size[i] = r.at(m.VGT_STRMOUT_BUFFER_SIZE[i]);
        s.stride[i] = r.at(m.VGT_STRMOUT_VTX_STRIDE[i]) & 0x3FF;
    }
    d.gs.raster_stream = r.at(m.VGT_STRMOUT_CONFIG.RAST_STREAM);
    if (r.at(m.VGT_STRMOUT_CONFIG.USE_RAST_STREAM_MASK) != 0)
        r.missing("VGT_STRMOUT_CONFIG.USE_RAST_STREAM_MASK");
}

void read_gs(const Reader& r, Draw& d, const VgtSpec& spec) {
    const RegisterMap& m = r.map();
    GsSetup& gs = d.gs;
    if (!gs.enabled) {
        if (r.at(m.VGT_GS_MODE.MODE) > 1)
            r.bad("VGT_GS_MODE.MODE " + std::to_string(r.at(m.VGT_GS_MODE.MODE)) +
                  " without a geometry shader stage");
        return;
    }
    if (r.at(m.VGT_GS_MODE.MODE) != 3)
        r.missing("a geometry shader with VGT_GS_MODE.MODE " +
                  std::to_string(r.at(m.VGT_GS_MODE.MODE)) + " other than 3 (scenario G)");
    if (r.at(m.VGT_GS_MODE.ONCHIP) != 0)
        r.missing("VGT_GS_MODE.ONCHIP");
    gs.es_item = r.at(m.VGT_ESGS_RING_ITEMSIZE.ITEMSIZE);
    gs.gs_item = r.at(m.VGT_GSVS_RING_ITEMSIZE.ITEMSIZE);
    gs.es_ring = uint64_t{r.at(m.VGT_ESGS_RING_SIZE)} * 256;
    gs.gs_ring = uint64_t{r.at(m.VGT_GSVS_RING_SIZE)} * 256;
    gs.max_vertices = r.at(m.VGT_GS_MAX_VERT_OUT.MAX_VERT_OUT);
    gs.instances = r.at(m.VGT_GS_INSTANCE_CNT.ENABLE) != 0
                       ? std::max<uint32_t>(r.at(m.VGT_GS_INSTANCE_CNT.CNT), 1)
                       : 1;
    gs.vertex = {r.at(m.VGT_GS_VERT_ITEMSIZE.ITEMSIZE), r.at(m.VGT_GS_VERT_ITEMSIZE_1.ITEMSIZE),
                 r.at(m.VGT_GS_VERT_ITEMSIZE_2.ITEMSIZE), r.at(m.VGT_GS_VERT_ITEMSIZE_3.ITEMSIZE)};
    gs.offset = {0, r.at(m.VGT_GSVS_RING_OFFSET_1.OFFSET), r.at(m.VGT_GSVS_RING_OFFSET_2.OFFSET),
                 r.at(m.VGT_GSVS_RING_OFFSET_3.OFFSET)};
    const bool unique = r.at(m.VGT_GS_OUT_PRIM_TYPE.UNIQUE_TYPE_PER_STREAM) != 0;
    gs.out_type = {static_cast<uint8_t>(r.at(m.VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE)),
                   static_cast<uint8_t>(unique ? r.at(m.VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE_1)
                                               : r.at(m.VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE)),
                   static_cast<uint8_t>(unique ? r.at(m.VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE_2)
                                               : r.at(m.VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE)),
                   static_cast<uint8_t>(unique ? r.at(m.VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE_3)
                                               : r.at(m.VGT_GS_OUT_PRIM_TYPE.OUTPRIM_TYPE))};
    for (const uint8_t type : gs.out_type)
        if (type > 2)
            r.bad("VGT_GS_OUT_PRIM_TYPE " + std::to_string(type) + " is no primitive");
    const uint64_t es_wave = uint64_t{gs.es_item} * 4 * VertexWave::kLanes;
    const uint64_t gs_wave = uint64_t{gs.gs_item} * 4 * VertexWave::kLanes;
    if (es_wave == 0 || gs.es_ring < es_wave)
        r.bad("VGT_ESGS_RING_SIZE of " + std::to_string(gs.es_ring) +
              " bytes does not hold a wave of " + std::to_string(es_wave) + " bytes");
    if (gs_wave == 0 || gs.gs_ring < gs_wave)
        r.bad("VGT_GSVS_RING_SIZE of " + std::to_string(gs.gs_ring) +
              " bytes does not hold a wave of " + std::to_string(gs_wave) + " bytes");
    gs.reuse = std::min(r.at(m.VGT_GS_VERTEX_REUSE.VERT_REUSE), spec.reuse_most);
    const uint32_t per_es = r.at(m.VGT_GS_PER_ES.GS_PER_ES);
    gs.per_es = std::min(per_es == 0 ? ~0u : per_es, spec.gs_threads_per_es);
    gs.partial_es = r.at(m.IA_MULTI_VGT_PARAM.PARTIAL_ES_WAVE_ON) != 0;
}

void read_tess(const Reader& r, Draw& d) {
    const RegisterMap& m = r.map();
    TessSetup& t = d.tess;
    d.patch = r.at(m.VGT_LS_HS_CONFIG.HS_NUM_INPUT_CP);
    t.outputs = r.at(m.VGT_LS_HS_CONFIG.HS_NUM_OUTPUT_CP);
    t.patches = r.at(m.VGT_LS_HS_CONFIG.NUM_PATCHES);
    if (d.patch == 0 || d.patch > Primitive::kMax || t.outputs == 0 || t.outputs > Primitive::kMax)
        r.bad("VGT_LS_HS_CONFIG: " + std::to_string(d.patch) + " and " + std::to_string(t.outputs) +
              " control points, of 1 to 32");
    if (t.patches == 0 || t.patches > VertexWave::kLanes)
        r.bad("VGT_LS_HS_CONFIG.NUM_PATCHES " + std::to_string(t.patches) + ", of 1 to 64");
    t.type = static_cast<uint8_t>(r.at(m.VGT_TF_PARAM.TYPE));
    t.topology = static_cast<uint8_t>(r.at(m.VGT_TF_PARAM.TOPOLOGY));
    t.buffers = std::max<uint32_t>(r.at(m.VGT_HS_OFFCHIP_PARAM.OFFCHIP_BUFFERING), 1);
    t.buffer_bytes = 0x8000u >> r.at(m.VGT_HS_OFFCHIP_PARAM.OFFCHIP_GRANULARITY);
    t.factor_ring = 4 * r.at(m.VGT_TF_RING_SIZE.SIZE);
    if (t.type > 2)
        r.bad("VGT_TF_PARAM.TYPE 3 is reserved");
    if (t.topology > 3)
        r.bad("VGT_TF_PARAM.TOPOLOGY " + std::to_string(t.topology) + " is reserved");
    if ((t.type == 0 && t.topology > 1) || (t.type != 0 && t.topology == 1))
        r.bad("VGT_TF_PARAM: TOPOLOGY " + std::to_string(t.topology) + " of TYPE " +
              std::to_string(t.type));
    // A control word and the factors of each patch.
    const uint32_t factors = 4 + t.patches * 4 * (t.type == 0 ? 2 : t.type == 1 ? 4 : 6);
    if (t.factor_ring < factors)
        r.bad("VGT_TF_RING_SIZE of " + std::to_string(t.factor_ring) + " bytes, a group needs " +
              std::to_string(factors));
}

void read_stages(const Reader& r, Draw& d) {
    const RegisterMap& m = r.map();
    const uint32_t ls = r.at(m.VGT_SHADER_STAGES_EN.LS_EN), hs = r.at(m.VGT_SHADER_STAGES_EN.HS_EN),
                   es = r.at(m.VGT_SHADER_STAGES_EN.ES_EN);
    const uint32_t gs = r.at(m.VGT_SHADER_STAGES_EN.GS_EN), vs = r.at(m.VGT_SHADER_STAGES_EN.VS_EN);
    const bool tess = ls == 1 && hs == 1;
    const bool geometry = gs == 1 && vs == 2 && es == (tess ? 1u : 2u);
    const bool plain = gs == 0 && es == 0 && vs == (tess ? 1u : 0u);
    if ((!tess && (ls != 0 || hs != 0)) || (!geometry && !plain))
        r.bad("VGT_SHADER_STAGES_EN: LS " + std::to_string(ls) + ", HS " + std::to_string(hs) +
              ", ES " + std::to_string(es) + ", GS " + std::to_string(gs) + ", VS " +
              std::to_string(vs) + " do not follow each other");
    if (r.at(m.VGT_SHADER_STAGES_EN.DYNAMIC_HS) != 0)
        r.missing("VGT_SHADER_STAGES_EN.DYNAMIC_HS");
    d.tess.enabled = tess;
    d.gs.enabled = geometry;
    if ((d.type == PrimType::Patch) != tess)
        r.bad(tess ? std::string("LS and HS take patches, not ") +
                         prim_type_name(static_cast<unsigned>(d.type))
                   : std::string("VGT_PRIMITIVE_TYPE PATCH without the LS and HS stages"));
}

}  // namespace

Draw decode_draw(const VgtRegisters& registers, uint8_t context, uint32_t number,
                 uint32_t initiator, const VgtSpec& spec) {
    const RegisterMap& m = spec.map;
    const Reader r(m, registers, context, number);
    Draw d;
    d.number = number;
    d.context = context;
    d.count = r.at(m.VGT_NUM_INDICES);
    d.instances = std::max<uint32_t>(r.at(m.VGT_NUM_INSTANCES), 1);  // document 2.5.14
    read_initiator(r, initiator, d);
    read_type(r, d);
    if (r.at(m.VGT_OUTPUT_PATH_CNTL.PATH_SELECT) != 0)
        r.missing("VGT_OUTPUT_PATH_CNTL.PATH_SELECT other than 0");
    if (d.source == IndexSource::Dma) {
        read_dma(r, d);
    } else if (d.source == IndexSource::Immediate) {
        const unsigned type = r.at(m.VGT_INDEX_TYPE.INDEX_TYPE);
        if (type > 1)
            r.bad("VGT_INDEX_TYPE " + std::to_string(type) + " is reserved");
        d.index32 = type == 1;
    }
    d.index_offset = r.at(m.VGT_INDX_OFFSET);
    d.index_min = r.at(m.VGT_MIN_VTX_INDX);
    d.index_max = r.at(m.VGT_MAX_VTX_INDX);
    d.reset = r.at(m.VGT_MULTI_PRIM_IB_RESET_EN.RESET_EN) != 0 && d.source != IndexSource::Auto;
    d.reset_index = r.at(m.VGT_MULTI_PRIM_IB_RESET_INDX);
    d.step_rate = {std::max<uint32_t>(r.at(m.VGT_INSTANCE_STEP_RATE_0), 1),
                   std::max<uint32_t>(r.at(m.VGT_INSTANCE_STEP_RATE_1), 1)};
    d.primitive_id = r.at(m.VGT_PRIMITIVEID_EN.PRIMITIVEID_EN) != 0;
    d.keep_id = r.at(m.VGT_PRIMITIVEID_EN.DISABLE_RESET_ON_EOI) != 0;
    d.id_reset = r.at(m.VGT_PRIMITIVEID_RESET);
    const bool off = r.at(m.VGT_REUSE_OFF.REUSE_OFF) != 0;
    d.reuse =
        off ? 0 : std::min(r.at(m.VGT_VERTEX_REUSE_BLOCK_CNTL.VTX_REUSE_DEPTH), spec.reuse_most);
    d.group = r.at(m.IA_MULTI_VGT_PARAM.PRIMGROUP_SIZE) + 1;
    d.partial_vs = r.at(m.IA_MULTI_VGT_PARAM.PARTIAL_VS_WAVE_ON) != 0;
    d.switch_on_eop = r.at(m.IA_MULTI_VGT_PARAM.SWITCH_ON_EOP) != 0;
    d.switch_on_eoi = r.at(m.IA_MULTI_VGT_PARAM.SWITCH_ON_EOI) != 0;
    d.counted = r.at(m.VGT_VTX_CNT_EN.VTX_CNT_EN) != 0;
    d.eject = r.at(m.VGT_VTX_VECT_EJECT_REG.PRIM_COUNT);
    read_stages(r, d);
    read_streamout(r, d);
    read_gs(r, d, spec);
    if (d.tess.enabled)
        read_tess(r, d);
    return d;
}

}  // namespace archipelago::vgt
