// SPDX-License-Identifier: Apache-2.0
#include "models/vgt/draw.h"

#include <algorithm>

#include "models/common/error.h"
#include "registers/si_names.h"
#include "registers/si_pa.h"
#include "registers/si_vgt.h"

namespace archipelago::vgt {
namespace {

namespace typed = regs::si::typed;

// Reads registers of a draw and stops with its number.
class Reader {
  public:
    Reader(const VgtRegisters& registers, uint8_t context, uint32_t number)
        : registers_(registers), context_(context), number_(number) {}
    template <class Register>
    Register get() const {
        Register r;
        r.raw = registers_.get(Register::kOffset, context_);
        return r;
    }
    uint32_t at(uint32_t offset) const { return registers_.get(offset, context_); }
    [[noreturn]] void bad(const std::string& what) const { stop(StopKind::BadInput, what); }
    [[noreturn]] void missing(const std::string& what) const {
        stop(StopKind::Unimplemented, what + " is not implemented");
    }

  private:
    [[noreturn]] void stop(StopKind kind, const std::string& what) const {
        throw MachineStop(kind, "vgt, draw " + std::to_string(number_), what);
    }
    const VgtRegisters& registers_;
    const uint8_t context_;
    const uint32_t number_;
};

void read_initiator(const Reader& r, uint32_t value, Draw& d) {
    const typed::VGT_DRAW_INITIATOR bits{value};
    if (bits.SOURCE_SELECT() > 2)
        r.bad("VGT_DRAW_INITIATOR.SOURCE_SELECT 3 is reserved");
    d.source = static_cast<IndexSource>(bits.SOURCE_SELECT());
    if (bits.MAJOR_MODE() > 1)
        r.bad("VGT_DRAW_INITIATOR.MAJOR_MODE " + std::to_string(bits.MAJOR_MODE()) +
              " is reserved");
    if (bits.MAJOR_MODE() == 1)
        r.missing("VGT_DRAW_INITIATOR.MAJOR_MODE 1 (primitives grouped by VGT_GROUP_*)");
    if (bits.SPRITE_EN_R6XX() != 0)
        r.missing("VGT_DRAW_INITIATOR.SPRITE_EN_R6XX");
    d.not_eop = bits.NOT_EOP() != 0;
    if (bits.USE_OPAQUE() == 0)
        return;
    if (d.source != IndexSource::Auto)
        r.bad("VGT_DRAW_INITIATOR.USE_OPAQUE needs automatic indices");
    const uint32_t filled = r.at(regs::si::VGT_STRMOUT_DRAW_OPAQUE_BUFFER_FILLED_SIZE);
    const uint32_t offset = r.at(regs::si::VGT_STRMOUT_DRAW_OPAQUE_OFFSET);
    const uint32_t stride = r.get<typed::VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE>().VERTEX_STRIDE();
    if (stride == 0)
        r.bad("VGT_STRMOUT_DRAW_OPAQUE_VERTEX_STRIDE is 0 in a draw with USE_OPAQUE");
    d.count = filled > offset ? (filled - offset) / stride : 0;
}

void read_type(const Reader& r, Draw& d) {
    const unsigned type = r.get<typed::VGT_PRIMITIVE_TYPE>().PRIM_TYPE();
    if (prim_type_name(type) == nullptr || type == 0)
        r.bad("VGT_PRIMITIVE_TYPE " + std::to_string(type) + " is no primitive");
    d.type = static_cast<PrimType>(type);
    if (d.type == PrimType::TriWithWFlags)
        r.missing("VGT_PRIMITIVE_TYPE TRI_WITH_WFLAGS");
    if (r.get<typed::PA_SU_SC_MODE_CNTL>().PROVOKING_VTX_LAST() != 0)
        d.provoking = Provoking::Last;
}

void read_dma(const Reader& r, Draw& d) {
    const auto type = r.get<typed::VGT_DMA_INDEX_TYPE>();
    if (type.INDEX_TYPE() > 1)
        r.bad("VGT_DMA_INDEX_TYPE.INDEX_TYPE " + std::to_string(type.INDEX_TYPE()) +
              " is reserved");
    if (type.BUF_TYPE() != 0)
        r.missing("VGT_DMA_INDEX_TYPE.BUF_TYPE " + std::to_string(type.BUF_TYPE()));
    if (type.ATC() != 0)
        r.missing("VGT_DMA_INDEX_TYPE.ATC");
    d.index32 = type.INDEX_TYPE() == 1;
    d.dma.type = static_cast<uint8_t>(type.INDEX_TYPE());
    d.dma.swap = static_cast<uint8_t>(type.SWAP_MODE());
    d.dma.base =
        uint64_t{r.at(regs::si::VGT_DMA_BASE_HI) & 0xFFFF} << 32 | r.at(regs::si::VGT_DMA_BASE);
    d.dma.count = r.at(regs::si::VGT_DMA_SIZE);
    d.dma.max_size = r.at(regs::si::VGT_DMA_MAX_SIZE);
    d.dma.draw = d.number;
    const auto vmid = r.get<typed::IA_VMID_OVERRIDE>();
    d.vmid_override = vmid.ENABLE() != 0;
    d.dma.vmid = static_cast<uint8_t>(d.vmid_override ? vmid.VMID() : 0);
    if (d.dma.count != d.count)
        r.bad("VGT_DMA_SIZE is " + std::to_string(d.dma.count) + ", VGT_NUM_INDICES " +
              std::to_string(d.count));
    const unsigned bytes = d.index32 ? 4 : 2;
    if (d.dma.base % bytes != 0)
        r.bad("VGT_DMA_BASE is not a multiple of " + std::to_string(bytes) + " bytes");
}

void read_streamout(const Reader& r, Draw& d) {
    const auto config = r.get<typed::VGT_STRMOUT_CONFIG>();
    StreamoutSetup& s = d.streamout;
    s.enabled = static_cast<uint8_t>(config.raw & 0xF);
    const uint32_t buffers = r.get<typed::VGT_STRMOUT_BUFFER_CONFIG>().raw;
    for (unsigned i = 0; i < kStreams; ++i) {
        s.buffers[i] = static_cast<uint8_t>(buffers >> 4 * i & 0xF);
        const uint32_t at = 16 * i;  // registers of a buffer
        s.size[i] = r.at(regs::si::VGT_STRMOUT_BUFFER_SIZE_0 + at);
        s.stride[i] = r.at(regs::si::VGT_STRMOUT_VTX_STRIDE_0 + at) & 0x3FF;
    }
    d.gs.raster_stream = config.RAST_STREAM();
    d.rasterised = d.gs.raster_stream < kStreams &&
                   r.get<typed::PA_CL_CLIP_CNTL>().DX_RASTERIZATION_KILL() == 0;
    if (config.USE_RAST_STREAM_MASK() != 0)
        r.missing("VGT_STRMOUT_CONFIG.USE_RAST_STREAM_MASK");
}

void read_gs(const Reader& r, Draw& d, const VgtSpec& spec) {
    const auto mode = r.get<typed::VGT_GS_MODE>();
    GsSetup& gs = d.gs;
    if (!gs.enabled) {
        if (mode.MODE() > 1)
            r.bad("VGT_GS_MODE.MODE " + std::to_string(mode.MODE()) +
                  " without a geometry shader stage");
        return;
    }
    if (mode.MODE() != 3)
        r.missing("a geometry shader with VGT_GS_MODE.MODE " + std::to_string(mode.MODE()) +
                  " other than 3 (scenario G)");
    if (mode.ONCHIP() != 0)
        r.missing("VGT_GS_MODE.ONCHIP");
    gs.es_item = r.get<typed::VGT_ESGS_RING_ITEMSIZE>().ITEMSIZE();
    gs.gs_item = r.get<typed::VGT_GSVS_RING_ITEMSIZE>().ITEMSIZE();
    gs.es_ring = uint64_t{r.at(regs::si::VGT_ESGS_RING_SIZE)} * 256;
    gs.gs_ring = uint64_t{r.at(regs::si::VGT_GSVS_RING_SIZE)} * 256;
    gs.max_vertices = r.get<typed::VGT_GS_MAX_VERT_OUT>().MAX_VERT_OUT();
    const auto instances = r.get<typed::VGT_GS_INSTANCE_CNT>();
    gs.instances = instances.ENABLE() != 0 ? std::max<uint32_t>(instances.CNT(), 1) : 1;
    gs.vertex = {r.at(regs::si::VGT_GS_VERT_ITEMSIZE) & 0x7FFF,
                 r.at(regs::si::VGT_GS_VERT_ITEMSIZE_1) & 0x7FFF,
                 r.at(regs::si::VGT_GS_VERT_ITEMSIZE_2) & 0x7FFF,
                 r.at(regs::si::VGT_GS_VERT_ITEMSIZE_3) & 0x7FFF};
    gs.offset = {0, r.at(regs::si::VGT_GSVS_RING_OFFSET_1) & 0x7FFF,
                 r.at(regs::si::VGT_GSVS_RING_OFFSET_2) & 0x7FFF,
                 r.at(regs::si::VGT_GSVS_RING_OFFSET_3) & 0x7FFF};
    const auto out = r.get<typed::VGT_GS_OUT_PRIM_TYPE>();
    const bool unique = out.UNIQUE_TYPE_PER_STREAM() != 0;
    gs.out_type = {static_cast<uint8_t>(out.OUTPRIM_TYPE()),
                   static_cast<uint8_t>(unique ? out.OUTPRIM_TYPE_1() : out.OUTPRIM_TYPE()),
                   static_cast<uint8_t>(unique ? out.OUTPRIM_TYPE_2() : out.OUTPRIM_TYPE()),
                   static_cast<uint8_t>(unique ? out.OUTPRIM_TYPE_3() : out.OUTPRIM_TYPE())};
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
    gs.reuse = std::min(r.get<typed::VGT_GS_VERTEX_REUSE>().VERT_REUSE(), spec.reuse_most);
    const uint32_t per_es = r.get<typed::VGT_GS_PER_ES>().GS_PER_ES();
    gs.per_es = std::min(per_es == 0 ? ~0u : per_es, spec.gs_threads_per_es);
    gs.partial_es = r.get<typed::IA_MULTI_VGT_PARAM>().PARTIAL_ES_WAVE_ON() != 0;
}

void read_tess(const Reader& r, Draw& d) {
    const auto config = r.get<typed::VGT_LS_HS_CONFIG>();
    const auto param = r.get<typed::VGT_TF_PARAM>();
    TessSetup& t = d.tess;
    d.patch = config.HS_NUM_INPUT_CP();
    t.outputs = config.HS_NUM_OUTPUT_CP();
    t.patches = config.NUM_PATCHES();
    if (d.patch == 0 || d.patch > Primitive::kMost || t.outputs == 0 ||
        t.outputs > Primitive::kMost)
        r.bad("VGT_LS_HS_CONFIG: " + std::to_string(d.patch) + " and " + std::to_string(t.outputs) +
              " control points, of 1 to 32");
    if (t.patches == 0 || t.patches > VertexWave::kLanes)
        r.bad("VGT_LS_HS_CONFIG.NUM_PATCHES " + std::to_string(t.patches) + ", of 1 to 64");
    t.type = static_cast<uint8_t>(param.TYPE());
    t.topology = static_cast<uint8_t>(param.TOPOLOGY());
    const auto offchip = r.get<typed::VGT_HS_OFFCHIP_PARAM>();
    t.buffers = std::max<uint32_t>(offchip.OFFCHIP_BUFFERING(), 1);
    t.buffer_bytes = 0x8000u >> offchip.OFFCHIP_GRANULARITY();
    t.factor_ring = 4 * (r.at(regs::si::VGT_TF_RING_SIZE) & 0xFFFF);
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
    const auto stages = r.get<typed::VGT_SHADER_STAGES_EN>();
    const uint32_t ls = stages.LS_EN(), hs = stages.HS_EN(), es = stages.ES_EN();
    const uint32_t gs = stages.GS_EN(), vs = stages.VS_EN();
    const bool tess = ls == 1 && hs == 1;
    const bool geometry = gs == 1 && vs == 2 && es == (tess ? 1u : 2u);
    const bool plain = gs == 0 && es == 0 && vs == (tess ? 1u : 0u);
    if ((!tess && (ls != 0 || hs != 0)) || (!geometry && !plain))
        r.bad("VGT_SHADER_STAGES_EN: LS " + std::to_string(ls) + ", HS " + std::to_string(hs) +
              ", ES " + std::to_string(es) + ", GS " + std::to_string(gs) + ", VS " +
              std::to_string(vs) + " do not follow each other");
    if (stages.DYNAMIC_HS() != 0)
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
    const Reader r(registers, context, number);
    Draw d;
    d.number = number;
    d.context = context;
    d.count = r.at(regs::si::VGT_NUM_INDICES);
    d.instances = std::max<uint32_t>(r.at(regs::si::VGT_NUM_INSTANCES), 1);  // document 2.5.14
    read_initiator(r, initiator, d);
    read_type(r, d);
    if (r.get<typed::VGT_OUTPUT_PATH_CNTL>().PATH_SELECT() != 0)
        r.missing("VGT_OUTPUT_PATH_CNTL.PATH_SELECT other than 0");
    if (d.source == IndexSource::Dma) {
        read_dma(r, d);
    } else if (d.source == IndexSource::Immediate) {
        const unsigned type = r.get<typed::VGT_INDEX_TYPE>().INDEX_TYPE();
        if (type > 1)
            r.bad("VGT_INDEX_TYPE " + std::to_string(type) + " is reserved");
        d.index32 = type == 1;
    }
    d.index_offset = r.at(regs::si::VGT_INDX_OFFSET);
    d.index_min = r.at(regs::si::VGT_MIN_VTX_INDX);
    d.index_max = r.at(regs::si::VGT_MAX_VTX_INDX);
    d.reset =
        r.get<typed::VGT_MULTI_PRIM_IB_RESET_EN>().RESET_EN() != 0 && d.source != IndexSource::Auto;
    d.reset_index = r.at(regs::si::VGT_MULTI_PRIM_IB_RESET_INDX);
    d.step_rate = {std::max<uint32_t>(r.at(regs::si::VGT_INSTANCE_STEP_RATE_0), 1),
                   std::max<uint32_t>(r.at(regs::si::VGT_INSTANCE_STEP_RATE_1), 1)};
    const auto id = r.get<typed::VGT_PRIMITIVEID_EN>();
    d.primitive_id = id.PRIMITIVEID_EN() != 0;
    d.keep_id = id.DISABLE_RESET_ON_EOI() != 0;
    d.id_reset = r.at(regs::si::VGT_PRIMITIVEID_RESET);
    const bool off = r.get<typed::VGT_REUSE_OFF>().REUSE_OFF() != 0;
    d.reuse = off ? 0
                  : std::min(r.get<typed::VGT_VERTEX_REUSE_BLOCK_CNTL>().VTX_REUSE_DEPTH(),
                             spec.reuse_most);
    const auto multi = r.get<typed::IA_MULTI_VGT_PARAM>();
    d.group = multi.PRIMGROUP_SIZE() + 1;
    d.partial_vs = multi.PARTIAL_VS_WAVE_ON() != 0;
    d.switch_on_eop = multi.SWITCH_ON_EOP() != 0;
    d.switch_on_eoi = multi.SWITCH_ON_EOI() != 0;
    d.counted = r.get<typed::VGT_VTX_CNT_EN>().VTX_CNT_EN() != 0;
    d.eject = r.get<typed::VGT_VTX_VECT_EJECT_REG>().PRIM_COUNT();
    read_stages(r, d);
    read_streamout(r, d);
    read_gs(r, d, spec);
    if (d.tess.enabled)
        read_tess(r, d);
    return d;
}

}  // namespace archipelago::vgt
