// SPDX-License-Identifier: Apache-2.0
#include "models/spi/dispatch.h"

#include <algorithm>

#include "models/common/error.h"

namespace archipelago::spi {
namespace {

// Reads COMPUTE_* registers and their fields.
class Reader {
  public:
    Reader(const RegisterMap& map, const ComputeRegisters& registers)
        : m(map), registers_(registers) {}
    uint32_t at(uint32_t offset) const {
        const uint32_t n = (offset - m.compute_start) / 4;
        return n < registers_.raw.size() ? registers_.raw[n] : 0;
    }
    uint32_t at(const regs::NamedField& field) const { return field(at(field.offset())); }
    bool is_set(const regs::NamedField& field) const { return at(field) != 0; }
    // A 40-bit address in units of 256 bytes.
    uint64_t address(uint32_t lo, uint32_t hi) const {
        return (uint64_t{at(hi)} & 0xFF) << 40 | uint64_t{at(lo)} << 8;
    }

    const RegisterMap& m;

  private:
    const ComputeRegisters& registers_;
};

[[noreturn]] void refuse(const std::string& why) {
    throw MachineStop(StopKind::BadInput, "dispatch", why);
}

// Grid and group sizes; returns the threads of a group.
uint64_t decode_size(const Reader& c, const SpiSpec& spec, Dispatch& d) {
    const RegisterMap& m = c.m;
    const uint32_t dims[3] = {c.at(m.COMPUTE_DIM_X), c.at(m.COMPUTE_DIM_Y), c.at(m.COMPUTE_DIM_Z)};
    const uint32_t starts[3] = {c.at(m.COMPUTE_START_X), c.at(m.COMPUTE_START_Y),
                                c.at(m.COMPUTE_START_Z)};
    const uint32_t threads[3] = {c.at(m.COMPUTE_NUM_THREAD_X), c.at(m.COMPUTE_NUM_THREAD_Y),
                                 c.at(m.COMPUTE_NUM_THREAD_Z)};
    static const char* const kThreadNames[3] = {"COMPUTE_NUM_THREAD_X", "COMPUTE_NUM_THREAD_Y",
                                                "COMPUTE_NUM_THREAD_Z"};
    uint64_t group_threads = 1;
    for (unsigned i = 0; i < 3; ++i) {
        d.start[i] = c.is_set(m.COMPUTE_DISPATCH_INITIATOR.FORCE_START_AT_000) ? 0 : starts[i];
        d.end[i] = dims[i];
        const uint32_t full = threads[i] & 0xFFFF;
        const uint32_t partial = threads[i] >> 16;
        if (full == 0)
            refuse(std::string(kThreadNames[i]) + ".NUM_THREAD_FULL is 0");
        if (c.is_set(m.COMPUTE_DISPATCH_INITIATOR.PARTIAL_TG_EN) &&
            (partial == 0 || partial > full))
            refuse(std::string(kThreadNames[i]) + ".NUM_THREAD_PARTIAL is " +
                   std::to_string(partial) + ", must be 1.." + std::to_string(full) +
                   " with PARTIAL_TG_EN");
        d.group_size[i] = static_cast<uint16_t>(full);
        d.last_size[i] = static_cast<uint16_t>(
            c.is_set(m.COMPUTE_DISPATCH_INITIATOR.PARTIAL_TG_EN) ? partial : full);
        group_threads *= full;
        if (group_threads > spec.cu.max_group_threads)
            refuse("a work-group of more than " + std::to_string(spec.cu.max_group_threads) +
                   " threads");
    }
    return group_threads;
}

// Refuses what no compute unit of the chip can hold.
void check_fits(const SpiSpec& spec, const Dispatch& d, uint64_t group_threads) {
    if (d.user_sgprs > 16)
        refuse("COMPUTE_PGM_RSRC2.USER_SGPR is " + std::to_string(d.user_sgprs) + ", at most 16");
    const unsigned init_sgprs = d.user_sgprs + static_cast<unsigned>(d.tgid_x) +
                                static_cast<unsigned>(d.tgid_y) + static_cast<unsigned>(d.tgid_z) +
                                static_cast<unsigned>(d.tg_size) + static_cast<unsigned>(d.scratch);
    if (init_sgprs > d.sgprs)
        refuse("COMPUTE_PGM_RSRC2 asks for " + std::to_string(init_sgprs) +
               " initial SGPRs, COMPUTE_PGM_RSRC1.SGPRS allocates " + std::to_string(d.sgprs));
    if (d.lds_bytes > spec.cu.lds_max_per_group)
        refuse("COMPUTE_PGM_RSRC2.LDS_SIZE asks for " + std::to_string(d.lds_bytes) +
               " bytes of LDS per group, at most " + std::to_string(spec.cu.lds_max_per_group));
    if (d.vgprs > spec.cu.vgprs_per_simd || d.sgprs > spec.cu.sgprs_per_simd)
        refuse("COMPUTE_PGM_RSRC1 asks for " + std::to_string(d.vgprs) + " VGPRs and " +
               std::to_string(d.sgprs) + " SGPRs, a SIMD has " +
               std::to_string(spec.cu.vgprs_per_simd) + " and " +
               std::to_string(spec.cu.sgprs_per_simd));
    const unsigned waves = static_cast<unsigned>((group_threads + 63) / 64);
    const unsigned per_simd =
        std::min({spec.cu.slots_per_simd,
                  spec.cu.vgpr_granules(spec.cu.vgprs_per_simd) / spec.cu.vgpr_granules(d.vgprs),
                  spec.cu.sgpr_granules(spec.cu.sgprs_per_simd) / spec.cu.sgpr_granules(d.sgprs)});
    if (waves > per_simd * spec.cu.simds)
        refuse("a work-group of " + std::to_string(waves) + " waves with " +
               std::to_string(d.vgprs) + " VGPRs and " + std::to_string(d.sgprs) +
               " SGPRs does not fit a compute unit");
    if (d.scratch && d.scratch_waves < waves)
        refuse("COMPUTE_TMPRING_SIZE.WAVES is " + std::to_string(d.scratch_waves) +
               ", a work-group needs " + std::to_string(waves) + " scratch slots");
    if (d.scratch && uint64_t{d.scratch_waves - 1} * d.scratch_wave_bytes > 0xFFFFFFFF)
        refuse("COMPUTE_TMPRING_SIZE gives " + std::to_string(d.scratch_waves) + " waves " +
               std::to_string(d.scratch_wave_bytes) +
               " bytes of scratch each, the last of which a 32-bit offset does not reach");
    if (d.waves_per_sh != 0 && d.waves_per_sh < waves)
        refuse("COMPUTE_RESOURCE_LIMITS.WAVES_PER_SH allows " + std::to_string(d.waves_per_sh) +
               " waves, a work-group has " + std::to_string(waves));
    if (d.groups() > 0xFFFFFFFF)
        throw MachineStop(StopKind::Unimplemented, "dispatch",
                          "a dispatch of 2^32 work-groups or more");
    bool any = false;
    for (unsigned se = 0; se < spec.shader_engines; ++se)
        for (unsigned sh = 0; sh < spec.sh_per_se; ++sh)
            any = any || (d.cu_enable[se] >> (16 * sh) & ((1U << spec.cu_per_sh) - 1)) != 0;
    if (!any)
        refuse("COMPUTE_STATIC_THREAD_MGMT_SE0/1 enables no compute unit");
}

}  // namespace

Dispatch decode_dispatch(const ComputeRegisters& registers, const SpiSpec& spec) {
    const RegisterMap& m = spec.map;
    const Reader c(m, registers);
    Dispatch d;

    const uint64_t group_threads = decode_size(c, spec, d);
    d.pc = c.address(m.COMPUTE_PGM_LO, m.COMPUTE_PGM_HI);
    d.vgprs = static_cast<uint16_t>((c.at(m.COMPUTE_PGM_RSRC1.VGPRS) + 1) * spec.units.vgprs);
    d.sgprs = static_cast<uint16_t>((c.at(m.COMPUTE_PGM_RSRC1.SGPRS) + 1) * spec.units.sgprs);
    d.lds_bytes = c.at(m.COMPUTE_PGM_RSRC2.LDS_SIZE) * spec.units.lds_bytes;
    d.float_mode = static_cast<uint8_t>(c.at(m.COMPUTE_PGM_RSRC1.FLOAT_MODE));
    d.dx10_clamp = c.is_set(m.COMPUTE_PGM_RSRC1.DX10_CLAMP);
    d.ieee = c.is_set(m.COMPUTE_PGM_RSRC1.IEEE_MODE);
    d.privileged = c.is_set(m.COMPUTE_PGM_RSRC1.PRIV);
    d.trap_present = c.is_set(m.COMPUTE_PGM_RSRC2.TRAP_PRESENT);
    d.exceptions = static_cast<uint8_t>(c.at(m.COMPUTE_PGM_RSRC2.EXCP_EN));
    d.tba = c.address(m.COMPUTE_TBA_LO, m.COMPUTE_TBA_HI);
    d.tma = c.address(m.COMPUTE_TMA_LO, m.COMPUTE_TMA_HI);
    d.priority = static_cast<uint8_t>(c.at(m.COMPUTE_PGM_RSRC1.PRIORITY));
    d.user_sgprs = static_cast<uint8_t>(c.at(m.COMPUTE_PGM_RSRC2.USER_SGPR));
    d.tgid_x = c.is_set(m.COMPUTE_PGM_RSRC2.TGID_X_EN);
    d.tgid_y = c.is_set(m.COMPUTE_PGM_RSRC2.TGID_Y_EN);
    d.tgid_z = c.is_set(m.COMPUTE_PGM_RSRC2.TGID_Z_EN);
    d.tg_size = c.is_set(m.COMPUTE_PGM_RSRC2.TG_SIZE_EN);
    d.scratch = c.is_set(m.COMPUTE_PGM_RSRC2.SCRATCH_EN);
    d.id_components =
        static_cast<uint8_t>(std::min<uint32_t>(c.at(m.COMPUTE_PGM_RSRC2.TIDIG_COMP_CNT), 2) + 1);
    d.ordered = c.is_set(m.COMPUTE_DISPATCH_INITIATOR.ORDERED_APPEND_ENBL);
    d.ordered_by_group = c.is_set(m.COMPUTE_DISPATCH_INITIATOR.ORDERED_APPEND_MODE);
    for (uint32_t i = 0; i < 16; ++i)
        d.user_data[i] = c.at(m.COMPUTE_USER_DATA_0 + 4 * i);
    d.scratch_waves = c.at(m.COMPUTE_TMPRING_SIZE.WAVES);
    d.scratch_wave_bytes = c.at(m.COMPUTE_TMPRING_SIZE.WAVESIZE) * 1024;  // counted in 256 dwords
    d.waves_per_sh = c.at(m.COMPUTE_RESOURCE_LIMITS.WAVES_PER_SH) *
                     16;  // Mesa ac_get_compute_resource_limits, GFX6
    d.groups_per_cu = c.at(m.COMPUTE_RESOURCE_LIMITS.TG_PER_CU);
    d.lock_threshold = c.at(m.COMPUTE_RESOURCE_LIMITS.LOCK_THRESHOLD) * 4;
    d.cu_enable = {c.at(m.COMPUTE_STATIC_THREAD_MGMT_SE0), c.at(m.COMPUTE_STATIC_THREAD_MGMT_SE1)};
    check_fits(spec, d, group_threads);
    return d;
}

GroupWalk::GroupWalk(const Dispatch& d) : id_(d.start), done_(d.groups() == 0) {
    skip(d);
}

Group GroupWalk::current(const Dispatch& d) const {
    Group g;
    g.number = number_;
    g.id = id_;
    g.threads = 1;
    for (unsigned i = 0; i < 3; ++i) {
        g.size[i] = id_[i] + 1 == d.end[i] ? d.last_size[i] : d.group_size[i];
        g.threads *= g.size[i];
    }
    g.waves = (g.threads + kWaveThreads - 1) / kWaveThreads;
    return g;
}

void GroupWalk::next(const Dispatch& d) {
    step(d);
    skip(d);
}

void GroupWalk::step(const Dispatch& d) {
    ++number_;
    for (unsigned i = 0; i < 3; ++i) {
        if (++id_[i] < d.end[i])
            return;
        id_[i] = d.start[i];
    }
    done_ = true;
}

WaveLaunch make_wave(const Dispatch& d, const Group& g, unsigned wave, uint32_t scratch_slot,
                     uint32_t ordered) {
    WaveLaunch w;
    w.dispatch = d.number;
    w.group = g.number;
    w.wave_in_group = static_cast<uint8_t>(wave);
    w.waves_in_group = static_cast<uint8_t>(g.waves);
    w.vmid = d.vmid;
    w.priority = d.priority;
    w.pc = d.pc;
    const unsigned lanes = std::min(kWaveThreads, g.threads - wave * kWaveThreads);
    w.exec = lanes == kWaveThreads ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
    w.vgpr_count = d.vgprs;
    w.sgpr_count = d.sgprs;
    w.lds_bytes = d.lds_bytes;
    w.float_mode = d.float_mode;
    w.dx10_clamp = d.dx10_clamp;
    w.ieee = d.ieee;
    w.privileged = d.privileged;
    w.trap_present = d.trap_present;
    w.exceptions = d.exceptions;
    w.tba = d.tba;
    w.tma = d.tma;
    w.id_components = d.id_components;
    w.first_thread = wave * kWaveThreads;
    w.group_dim = g.size;
    unsigned n = 0;
    for (; n < d.user_sgprs; ++n)
        w.sgpr_init[n] = d.user_data[n];
    if (d.tgid_x)
        w.sgpr_init[n++] = g.id[0];
    if (d.tgid_y)
        w.sgpr_init[n++] = g.id[1];
    if (d.tgid_z)
        w.sgpr_init[n++] = g.id[2];
    if (d.tg_size) {
        const uint32_t number = ordered + (d.ordered_by_group ? 0 : wave);
        const uint32_t term = d.ordered ? number % (1u << OrderedNumbers::kBits) : wave;
        w.sgpr_init[n++] = tg_size_word(g.waves, wave, term);
    }
    if (d.scratch)
        w.sgpr_init[n++] = scratch_slot * d.scratch_wave_bytes;
    w.sgpr_init_count = static_cast<uint8_t>(n);
    w.uid = wave_uid(d.number, g.number, wave);
    return w;
}

}  // namespace archipelago::spi
