// SPDX-License-Identifier: Apache-2.0
#include "testbenches/fuzz/packet_streams.h"

#include <algorithm>
#include <bitset>
#include <cstring>

#include "models/cp/si_packet_fields.h"
#include "testbenches/fuzz/packet_places.h"

namespace archipelago::fuzz {
namespace {

using namespace cp::test;
using cp::PacketField;
using cp::PacketId;
using cp::PacketInfo;
namespace fields = cp::fields;
using Words = std::vector<uint32_t>;

// Who writes: those of one kind do it in order, of two kinds nobody orders.
enum Writer : uint32_t {
    kByMe,
    kByPfp,
    kByEop,
    kByAtomics,
    kByDma,
    kByShadow,
    kByQuery,
    kByStrmout,
    kByCe,
    kWriters
};
constexpr uint32_t kWriterBytes = 0x880, kLongestWrite = 0x280;
static_assert(kTo + kWriters * kWriterBytes <= kHeaders);

const PacketInfo& info_of(PacketId id) {
    static const std::array<const PacketInfo*, static_cast<size_t>(PacketId::kCount)> kList = [] {
        std::array<const PacketInfo*, static_cast<size_t>(PacketId::kCount)> list{};
        for (const PacketInfo& info : cp::si_packet_table())
            list[static_cast<size_t>(info.id)] = &info;
        return list;
    }();
    return *kList[static_cast<size_t>(id)];
}

std::bitset<static_cast<size_t>(PacketId::kCount)> made;

// A packet field by field.
class Make {
  public:
    explicit Make(PacketId id, uint32_t dwords = 0)
        : info_(info_of(id)), body_(dwords != 0 ? dwords : info_.min_body) {
        made.set(static_cast<size_t>(id));
    }
    Make& set(const PacketField& field, uint32_t value) {
        body_[field.dword - 1] |= (value << field.lsb) & field.mask();
        return *this;
    }
    // Two dwords, the lower one in bytes.
    Make& address(const PacketField& lo, const PacketField& hi, uint64_t address) {
        body_[lo.dword - 1] |= static_cast<uint32_t>(address) & lo.mask();
        return set(hi, static_cast<uint32_t>(address >> 32));
    }
    Make& compute() {
        compute_ = true;
        return *this;
    }
    Make& data(Random& r, uint32_t from) {
        for (size_t i = from; i < body_.size(); ++i)
            body_[i] = r.one_in(3) ? r.word() : r.below(64);
        return *this;
    }
    operator Words() const {
        Words words{
            cp::make_header(info_.opcodes[0], static_cast<uint32_t>(body_.size()), compute_)};
        words.insert(words.end(), body_.begin(), body_.end());
        return words;
    }

  private:
    const PacketInfo& info_;
    Words body_;
    bool compute_ = false;
};

uint64_t to_address(Random& r, Writer writer, uint32_t align = 4) {
    return kTo + writer * kWriterBytes + align * r.below((kWriterBytes - kLongestWrite) / align);
}
uint64_t number_address(Random& r, uint32_t align = 4) {
    return kNumbers + align * r.below(0x3000 / align);
}
uint64_t zero_address(Random& r) {
    return kZeroes + 4 * r.below(0xF00);
}
// A register that means nothing to anybody here.
uint32_t plain_register(Random& r) {
    return 0x9508 / 4 + r.below(8);
}
uint32_t user_data(Random& r) {
    return (si::SPI_SHADER_USER_DATA_VS_0 - 0xB000) / 4 + r.below(14);
}

Words any_draw(Random& r) {
    namespace f = fields;
    const uint64_t indices = number_address(r);
    constexpr uint32_t kFetched = 0, kImmediate = 1, kAutomatic = 2;
    switch (r.below(15)) {
        case 13: {
            const bool indexed = r.one_in(2);
            const bool counted = r.one_in(2);
            const uint64_t count = number_address(r);
            Make draw(indexed ? PacketId::DrawIndexIndirectMulti : PacketId::DrawIndirectMulti);
            draw.set(f::draw_indirect_multi::kDataOffset, 4 * r.below(20))
                .set(f::draw_indirect_multi::kBaseVertex, user_data(r))
                .set(f::draw_indirect_multi::kStartInstance, user_data(r))
                .set(f::draw_indirect_multi::kDrawIndex, user_data(r))
                .set(f::draw_indirect_multi::kDrawIndexEnable, r.below(2))
                .set(f::draw_indirect_multi::kCountIndirect, counted)
                .set(f::draw_indirect_multi::kCount, r.below(6))
                .address(f::draw_indirect_multi::kCountLo, f::draw_indirect_multi::kCountHi,
                         counted ? count : 0)
                .set(f::draw_indirect_multi::kStride, 4 * r.below(20))
                .set(f::draw_indirect_multi::kInitiator, indexed ? kFetched : kAutomatic);
            return Words(Make(PacketId::SetBase)
                             .set(f::set_base::kBaseIndex, 1)
                             .address(f::set_base::kAddressLo, f::set_base::kAddressHi,
                                      number_address(r, 8))) +
                   Words(Make(PacketId::IndexBase)
                             .address(f::index_base::kBaseLo, f::index_base::kBaseHi, indices)) +
                   Words(Make(PacketId::IndexBufferSize)
                             .set(f::index_buffer_size::kSize, r.below(500))) +
                   Words(draw);
        }
        case 0:
            return Make(PacketId::IndexBase)
                .address(f::index_base::kBaseLo, f::index_base::kBaseHi, indices);
        case 1:
            return Make(PacketId::IndexBufferSize).set(f::index_buffer_size::kSize, r.below(500));
        case 2:
            return Make(PacketId::IndexType).set(f::index_type::kSwap, r.below(3));
        case 3:
            return Make(PacketId::NumInstances).set(f::num_instances::kCount, r.below(9));
        case 4:
            return Make(PacketId::DrawIndexAuto)
                .set(f::draw_index_auto::kCount, r.below(99))
                .set(f::draw_index_auto::kInitiator, kAutomatic);
        case 5:
            return Make(PacketId::DrawIndex2)
                .set(f::draw_index_2::kMaxSize, r.below(300))
                .address(f::draw_index_2::kBaseLo, f::draw_index_2::kBaseHi, indices)
                .set(f::draw_index_2::kCount, r.below(99))
                .set(f::draw_index_2::kInitiator, kFetched);
        case 6:
            return Make(PacketId::DrawIndex)
                .address(f::draw_index::kBaseLo, f::draw_index::kBaseHi, indices)
                .set(f::draw_index::kCount, r.below(99))
                .set(f::draw_index::kInitiator, kFetched);
        case 7:
            return Words(Make(PacketId::IndexBase)
                             .address(f::index_base::kBaseLo, f::index_base::kBaseHi, indices)) +
                   Words(Make(PacketId::DrawIndexOffset)
                             .set(f::draw_index_offset::kOffset, r.below(50))
                             .set(f::draw_index_offset::kCount, r.below(99))
                             .set(f::draw_index_offset::kInitiator, kFetched));
        case 8:
            return Words(Make(PacketId::IndexBase)
                             .address(f::index_base::kBaseLo, f::index_base::kBaseHi, indices)) +
                   Words(Make(PacketId::DrawIndexOffset2)
                             .set(f::draw_index_offset_2::kMaxSize, r.below(500))
                             .set(f::draw_index_offset_2::kOffset, r.below(50))
                             .set(f::draw_index_offset_2::kCount, r.below(99))
                             .set(f::draw_index_offset_2::kInitiator, kFetched));
        case 9: {
            const uint32_t dwords = 1 + r.below(8);
            return Words(Make(PacketId::IndexType)) +
                   Words(Make(PacketId::DrawIndexImmed, 2 + dwords)
                             .data(r, 2)
                             .set(f::draw_index_immed::kCount, 2 * dwords - r.below(2))
                             .set(f::draw_index_immed::kInitiator, kImmediate));
        }
        case 10: {
            const uint32_t primitives = 1 + r.below(6);
            return Make(PacketId::DrawIndexMultiAuto, 2 + primitives)
                .data(r, 2)
                .set(f::draw_index_multi_auto::kPrimCount, primitives)
                .set(f::draw_index_multi_auto::kInitiator, kAutomatic);
        }
        case 11: {
            const uint32_t rectangles = 1 + r.below(5);
            return Words(Make(PacketId::IndexType).set(f::index_type::kType, 1)) +
                   Words(Make(PacketId::MpegIndex, 2 + rectangles)
                             .data(r, 2)
                             .set(f::mpeg_index::kCount, 3 * rectangles)
                             .set(f::mpeg_index::kInitiator, kImmediate));
        }
        case 12:
            return Words(Make(PacketId::SetBase)
                             .set(f::set_base::kBaseIndex, 1)
                             .address(f::set_base::kAddressLo, f::set_base::kAddressHi,
                                      number_address(r, 8))) +
                   Words(Make(PacketId::DrawIndirect)
                             .set(f::draw_indirect::kDataOffset, 4 * r.below(20))
                             .set(f::draw_indirect::kBaseVertex, user_data(r))
                             .set(f::draw_indirect::kStartInstance, user_data(r))
                             .set(f::draw_indirect::kInitiator, kAutomatic));
        default: {
            const bool wide = r.one_in(2);
            Make draw(PacketId::DrawIndexIndirect, wide ? 4 : 3);
            draw.set(f::draw_index_indirect::kDataOffset, 4 * r.below(20))
                .set(f::draw_index_indirect::kBaseVertex, user_data(r));
            if (wide)
                draw.set(f::draw_index_indirect::kStartInstance, user_data(r));
            return Words(Make(PacketId::SetBase)
                             .set(f::set_base::kBaseIndex, 1)
                             .address(f::set_base::kAddressLo, f::set_base::kAddressHi,
                                      number_address(r, 8))) +
                   Words(Make(PacketId::IndexBase)
                             .address(f::index_base::kBaseLo, f::index_base::kBaseHi, indices)) +
                   Words(Make(PacketId::IndexBufferSize)
                             .set(f::index_buffer_size::kSize, r.below(500))) +
                   Words(draw);
        }
    }
}

Words any_state(Random& r, unsigned ring) {
    namespace f = fields;
    const auto registers = [&](PacketId id, uint32_t first, uint32_t count) {
        return Make(id, 1 + count).data(r, 1).set(f::set_reg::kOffset, first);
    };
    const uint64_t shadow = kTo + kByShadow * kWriterBytes;
    const auto load = [&](PacketId id, uint32_t first) {
        return Make(id, 4)
            .address(f::load_reg::kBaseLo, f::load_reg::kBaseHi, shadow)
            .set(f::load_reg::kOffset, first)
            .set(f::load_reg::kCount, r.below(8));
    };
    switch (r.below(18)) {
        case 0:
        case 1:
            return registers(PacketId::SetConfigReg, 0x542, 1 + r.below(5));
        case 2:
        case 3:
            return registers(PacketId::SetContextReg, r.below(3), 1 + r.below(12));
        case 4:
        case 5:
            return registers(PacketId::SetShReg, 0x240 + r.below(8), 1 + r.below(8)).compute();
        case 6:
            return Make(PacketId::OneRegWrite)
                .set(f::one_reg_write::kOffset, plain_register(r))
                .set(f::one_reg_write::kData, r.word());
        case 7:
            return Make(PacketId::RegRmw)
                .set(f::reg_rmw::kRegister, plain_register(r))
                .set(f::reg_rmw::kAndMask, r.word())
                .set(f::reg_rmw::kOrMask, r.below(64));
        case 8:
            return Words{cp::make_type0_header(4 * plain_register(r), 2), r.word(), r.word()};
        case 9:
            return Make(PacketId::ClearState).data(r, 0);
        case 17:
            return Make(PacketId::ScratchRamWrite)
                .set(f::scratch_ram_write::kAddress, r.below(256))
                .set(f::scratch_ram_write::kData, r.word());
        case 10:
            return Make(PacketId::PreambleCntl).set(f::preamble_cntl::kCommand, r.below(2));
        case 11:
            return Words(Make(PacketId::SetBase)
                             .set(f::set_base::kBaseIndex, 0)
                             .address(f::set_base::kAddressLo, f::set_base::kAddressHi,
                                      number_address(r, 8))) +
                   Words(Make(PacketId::SetContextRegIndirect)
                             .set(f::set_context_reg_indirect::kOffset, r.below(40))
                             .set(f::set_context_reg_indirect::kIndex, r.below(200)));
        case 12: {
            // Loads say where the registers are before anything is shadowed.
            const uint32_t bits = 1u << 31 | 1 | 2 | 1u << 24;
            return Words(Make(PacketId::ContextControl)
                             .set(f::context_control::kLoadControl, bits)
                             .set(f::context_control::kShadowEnable, 1u << 31)) +
                   (ring == 0 ? Words(load(PacketId::LoadConfigReg, 0x542)) : Words()) +
                   Words(load(PacketId::LoadContextReg, 2)) +
                   Words(load(PacketId::LoadShReg, 0x240).compute()) +
                   Words(Make(PacketId::ContextControl)
                             .set(f::context_control::kShadowEnable,
                                  1u << 31 | (r.one_in(2) && ring == 0 ? 1 : 0) |
                                      (r.one_in(2) ? 2 : 0) | (r.one_in(2) ? 1u << 24 : 0)));
        }
        case 13:
        case 14:
            return Make(PacketId::SetBase)
                .set(f::set_base::kBaseIndex, 2 + r.below(2))
                .set(f::set_base::kCs1Index, 0x4000 + 64 * r.below(64))
                .set(f::set_base::kCs2Index, 0xA000 + 64 * r.below(64));
        case 15:
            if (ring != 0)
                return Make(PacketId::Nop, 1 + r.below(20)).data(r, 0);
            if (r.one_in(3))
                return Make(PacketId::MeInitialize)
                    .set(f::me_initialize::kMaxContext, 7)
                    .set(f::me_initialize::kDevice, 1)
                    .set(f::me_initialize::kDumpBase, kHeaders >> 12)
                    .set(f::me_initialize::kHeaderDump, r.below(2))
                    .set(f::me_initialize::kDumpSize, 1 + r.below(60));
            return Make(PacketId::MeInitialize)
                .set(f::me_initialize::kReset, r.below(2))
                .set(f::me_initialize::kMaxContext, 1 + r.below(7))
                .set(f::me_initialize::kDevice, 1u << r.below(8));
        default:
            return {0x80000000u | r.word() >> 2};
    }
}

// Packets that follow are skipped or not: whole ones.
Words any_packet(Random& r, unsigned ring, bool& shows_time);

Words any_predication(Random& r, unsigned ring, bool& shows_time) {
    namespace f = fields;
    switch (r.below(6)) {
        case 0: {
            const Words next = any_packet(r, ring, shows_time);
            return Words(Make(PacketId::CondExec, 3 + r.below(2))
                             .address(f::cond_exec::kAddressLo, f::cond_exec::kAddressHi,
                                      r.one_in(2) ? zero_address(r) : number_address(r))
                             .set(f::cond_exec::kCount, static_cast<uint32_t>(next.size()))) +
                   next;
        }
        case 1: {
            const Words next = any_packet(r, ring, shows_time);
            return Words(Make(PacketId::PredExec)
                             .set(f::pred_exec::kDevices, r.below(256))
                             .set(f::pred_exec::kCount, static_cast<uint32_t>(next.size()))) +
                   next;
        }
        case 2:
            return Make(PacketId::CondWrite)
                .set(f::cond_write::kWriteSpace, 1)
                .set(f::cond_write::kPollSpace, 1)
                .set(f::cond_write::kFunction, r.below(7))
                .address(f::cond_write::kPollMemoryLo, f::cond_write::kPollHi, number_address(r))
                .set(f::cond_write::kReference, r.below(0x2000))
                .set(f::cond_write::kMask, ~0u)
                .address(f::cond_write::kWriteMemoryLo, f::cond_write::kWriteHi,
                         to_address(r, kByMe))
                .set(f::cond_write::kData, r.word());
        case 3:
            return Make(PacketId::CondWrite)
                .set(f::cond_write::kFunction, r.below(7))
                .set(f::cond_write::kPollRegister, plain_register(r))
                .set(f::cond_write::kReference, r.word())
                .set(f::cond_write::kMask, r.word())
                .set(f::cond_write::kWriteRegister, plain_register(r))
                .set(f::cond_write::kData, r.word());
        case 4: {
            Words words = Make(PacketId::SetPredication)
                              .address(f::set_predication::kAddressLo,
                                       f::set_predication::kAddressHi, kCounters)
                              .set(f::set_predication::kBoolean, r.below(2))
                              .set(f::set_predication::kHint, r.below(2))
                              .set(f::set_predication::kOperation, r.below(3));
            Words next = any_packet(r, ring, shows_time);
            if (next[0] >> 30 == 3)
                next[0] |= 1;
            return words + next + Words(Make(PacketId::SetPredication));
        }
        default:
            return Make(PacketId::OcclusionQuery)
                .address(f::occlusion_query::kStartLo, f::occlusion_query::kStartHi, kCounters)
                .address(f::occlusion_query::kQueryLo, f::occlusion_query::kQueryHi,
                         to_address(r, kByQuery, 8));
    }
}

Words any_sync(Random& r, unsigned ring, bool& shows_time) {
    namespace f = fields;
    static const std::vector<uint32_t> kEvents = {7, 15, 16, 23, 24, 25, 26, 27, 33, 36};
    static const std::vector<uint32_t> kEop = {4, 20, 40, 43, 45};
    static const std::vector<uint32_t> kAtomics = {0x07, 0x0F, 0x10, 0x11, 0x12, 0x13,
                                                   0x14, 0x15, 0x16, 0x17, 0x18, 0x19};
    switch (r.below(17)) {
        case 0:
            return Make(PacketId::EventWrite).set(f::event_write::kType, r.pick(kEvents));
        case 1:
            return Make(PacketId::EventWrite)
                .set(f::event_write::kType, 7 + 8 * r.below(2))
                .set(f::event_write::kIndex, 4);
        case 2:
            return Make(PacketId::EventWrite)
                .set(f::event_write::kType, r.one_in(2) ? 6 : 22)
                .set(f::event_write::kIndex, 7)
                .set(f::event_write::kInvalidateL2, r.below(2));
        case 3: {
            const uint32_t select = r.one_in(16) ? 3 : r.below(3);
            shows_time = shows_time || select == 3;
            return Make(PacketId::EventWriteEop)
                .set(f::event_write::kType, r.pick(kEop))
                .set(f::event_write::kIndex, 5)
                .set(f::event_write::kInvalidateL2, r.below(2))
                .address(f::event_write_eop::kAddressLo, f::event_write_eop::kAddressHi,
                         to_address(r, kByEop, 8))
                .set(f::event_write_eop::kDataSel, select)
                .set(f::event_write_eop::kIntSel, 2 * r.below(2))
                .set(f::event_write_eop::kDataLo, r.word());
        }
        case 4:
        case 5: {
            // Directly behind the work whose end it is.
            const bool draw = ring == 0 && r.one_in(2);
            const Words work = draw ? Words(Make(PacketId::DrawIndexAuto)
                                                .set(f::draw_index_auto::kCount, r.below(99))
                                                .set(f::draw_index_auto::kInitiator, 2))
                                    : Words(Make(PacketId::DispatchDirect)
                                                .compute()
                                                .set(f::dispatch_direct::kDimX, 1 + r.below(9))
                                                .set(f::dispatch_direct::kDimY, 1)
                                                .set(f::dispatch_direct::kDimZ, 1)
                                                .set(f::dispatch_direct::kInitiator, 1));
            Make eos(PacketId::EventWriteEos);
            if (!draw)
                eos.compute();
            eos.set(f::event_write::kType, draw ? 48 : 47)
                .set(f::event_write::kIndex, 6)
                .address(f::event_write_eos::kAddressLo, f::event_write_eos::kAddressHi,
                         to_address(r, kByEop));
            const bool fence = !r.one_in(6);
            shows_time = shows_time || !fence;  // of what is in GDS by then
            if (fence)
                eos.set(f::event_write_eos::kCommand, 2).set(f::event_write_eos::kFence, r.word());
            else
                eos.set(f::event_write_eos::kCommand, 1)
                    .set(f::event_write_eos::kSize, 1 + r.below(40))
                    .set(f::event_write_eos::kGdsIndex, 4 * r.below(100));
            return work + Words(eos);
        }
        case 6:
            return Make(PacketId::MemSemaphore)
                .address(f::mem_semaphore::kAddressLo, f::mem_semaphore::kAddressHi,
                         kSemaphores + 8 * r.below(16))
                .set(f::mem_semaphore::kSelect, 6 + r.below(2))
                .set(f::mem_semaphore::kClient, r.below(3));
        case 7:
            return Make(PacketId::PfpSyncMe).data(r, 0);
        case 8:
            return Make(PacketId::SurfaceSync)
                .set(f::surface_sync::kEngine, r.below(2))
                .set(f::surface_sync::kControl, 1u << (22 + r.below(2)))
                .set(f::surface_sync::kSize, ~0u)
                .set(f::surface_sync::kInterval, r.below(12));
        case 9:
            return Make(PacketId::WaitRegMem)
                .set(f::wait_reg_mem::kEngine, r.below(2))
                .set(f::wait_reg_mem::kMemSpace, 1)
                .set(f::wait_reg_mem::kFunction, 5)
                .address(f::wait_reg_mem::kMemoryLo, f::wait_reg_mem::kAddressHi, zero_address(r))
                .set(f::wait_reg_mem::kMask, r.word())
                .set(f::wait_reg_mem::kReference, r.one_in(200) ? 1 : 0)
                .set(f::wait_reg_mem::kInterval, r.below(12));
        case 10:
            return Make(PacketId::Atomic)
                .set(f::atomic::kOp, r.pick(kAtomics))
                .address(f::atomic::kAddressLo, f::atomic::kAddressHi, to_address(r, kByAtomics, 8))
                .set(f::atomic::kSourceLo, r.word());
        case 11: {
            static const std::vector<uint32_t> kOps = {0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 13};
            return Make(PacketId::AtomicGds)
                .set(f::atomic_gds::kOp, r.pick(kOps))
                .set(f::atomic_gds::kComplete, r.below(2))
                .set(f::atomic_gds::kSize, 0xFFFC)
                .set(f::atomic_gds::kOffset0, 4 * r.below(60))
                .set(f::atomic_gds::kSource0, r.word());
        }
        case 12:
            if (ring != 0)
                return Make(PacketId::IncrementDeCounter);
            return Make(PacketId::StrmoutBufferUpdate)
                .set(f::strmout_buffer_update::kBuffer, r.below(4))
                .set(f::strmout_buffer_update::kSource, r.below(2))
                .set(f::strmout_buffer_update::kUpdate, r.below(2))
                .address(f::strmout_buffer_update::kDestinationLo,
                         f::strmout_buffer_update::kDestinationHi, to_address(r, kByStrmout))
                .set(f::strmout_buffer_update::kOffset, r.below(100));
        case 13: {
            // Few constants are made, so most waits have no end.
            if (!r.one_in(40))
                return Make(PacketId::SwitchBuffer);
            return Make(r.one_in(2) ? PacketId::WaitOnCeCounter : PacketId::WaitOnAvailBuffer);
        }
        case 14: {
            static const std::vector<uint32_t> kSamples = {1, 2, 3, 21, 30, 32};
            const uint32_t type = r.pick(kSamples);
            return Make(PacketId::EventWrite, 3)
                .set(f::event_write::kType, type)
                .set(f::event_write::kIndex, type == 21   ? 1
                                             : type == 30 ? 2
                                                          : 3)
                .address(f::event_write::kAddressLo, f::event_write::kAddressHi,
                         to_address(r, kByEop, 16));
        }
        default:
            return Make(PacketId::IncrementDeCounter);
    }
}

Words any_data(Random& r, bool& shows_time) {
    namespace f = fields;
    switch (r.below(15)) {
        case 0:
            return Make(PacketId::Nop, 1 + r.below(20)).data(r, 0);
        case 13:
            return Make(PacketId::CpDma)
                .set(f::cp_dma::kSourceLo, static_cast<uint32_t>(number_address(r)))
                .set(f::cp_dma::kSync, 1)
                .set(f::cp_dma::kAddressLo, static_cast<uint32_t>(to_address(r, kByDma)))
                .set(f::cp_dma::kBytes, 4 + 4 * r.below(20))
                .set(f::cp_dma::kSaic, r.below(2))
                .set(f::cp_dma::kDaic, r.below(2));
        case 1:
            return Make(PacketId::WriteData, 4 + r.below(40))
                .data(r, 3)
                .set(f::write_data::kDestination, r.one_in(2) ? 5 : 1)
                .set(f::write_data::kConfirm, r.below(2))
                .set(f::write_data::kOneAddress, r.one_in(8))
                .address(f::write_data::kAddressLo, f::write_data::kAddressHi,
                         to_address(r, kByMe));
        case 2:
            return Make(PacketId::WriteData, 4 + r.below(4))
                .data(r, 3)
                .set(f::write_data::kConfirm, r.below(2))
                .set(f::write_data::kAddressLo, plain_register(r));
        case 3:
            return Make(PacketId::WriteData, 4 + r.below(8))
                .data(r, 3)
                .set(f::write_data::kEngine, 1)
                .set(f::write_data::kDestination, 1)
                .set(f::write_data::kConfirm, 1)
                .address(f::write_data::kAddressLo, f::write_data::kAddressHi,
                         to_address(r, kByPfp));
        case 4:
            return Make(PacketId::WriteData, 4 + r.below(8))
                .data(r, 3)
                .set(f::write_data::kDestination, 3)
                .set(f::write_data::kAddressLo, 4 * r.below(200));
        case 5:
            return Make(PacketId::CopyData)
                .set(f::copy_data::kSource, 1)
                .set(f::copy_data::kDestination, 5)
                .set(f::copy_data::kConfirm, r.below(2))
                .set(f::copy_data::kCount, r.below(2))
                .address(f::copy_data::kSourceLo, f::copy_data::kSourceHi, number_address(r, 8))
                .address(f::copy_data::kAddressLo, f::copy_data::kAddressHi,
                         to_address(r, kByMe, 8));
        case 6:
            return Make(PacketId::CopyData)
                .set(f::copy_data::kSource, 5)
                .set(f::copy_data::kSourceLo, r.word())
                .set(f::copy_data::kAddressLo, plain_register(r));
        case 7:
            return Make(PacketId::CopyData)
                .set(f::copy_data::kSource, 3)
                .set(f::copy_data::kDestination, 1)
                .set(f::copy_data::kSourceLo, 4 * r.below(200))
                .address(f::copy_data::kAddressLo, f::copy_data::kAddressHi, to_address(r, kByMe));
        case 8: {
            const bool clock = r.one_in(16);
            shows_time = shows_time || clock;
            return Make(PacketId::MemWrite)
                .address(f::mem_write::kAddressLo, f::mem_write::kAddressHi,
                         to_address(r, kByMe, 8))
                .set(f::mem_write::kCounter, clock)
                .set(f::mem_write::kConfirm, r.below(2))
                .set(f::mem_write::kData32, !clock)
                .set(f::mem_write::kDataLo, r.word());
        }
        case 9:
            return Make(PacketId::CpDma)
                .set(f::cp_dma::kSourceLo, static_cast<uint32_t>(number_address(r, 1)))
                .set(f::cp_dma::kSync, 1)
                .set(f::cp_dma::kAddressLo, static_cast<uint32_t>(to_address(r, kByDma, 1)))
                .set(f::cp_dma::kBytes, 1 + r.below(600))
                .set(f::cp_dma::kRawWait, r.below(2));
        case 10:
            return Make(PacketId::CpDma)
                .set(f::cp_dma::kSourceLo, r.word())
                .set(f::cp_dma::kSource, 2)
                .set(f::cp_dma::kSync, 1)
                .set(f::cp_dma::kAddressLo, static_cast<uint32_t>(to_address(r, kByDma)))
                .set(f::cp_dma::kBytes, 4 + 4 * r.below(150));
        case 11:
            return Make(PacketId::CopyDw)
                .set(f::copy_dw::kSource, 1)
                .set(f::copy_dw::kDestination, 1)
                .address(f::copy_dw::kSourceLo, f::copy_dw::kSourceHi, number_address(r))
                .address(f::copy_dw::kAddressLo, f::copy_dw::kAddressHi, to_address(r, kByMe));
        case 12:
            return Make(PacketId::WriteGdsRam, 2 + r.below(20))
                .data(r, 1)
                .set(f::write_gds_ram::kIndex, 4 * r.below(200));
        default:
            return r.one_in(2)
                       ? Words(Make(PacketId::AllocGds).set(f::alloc_gds::kSize, 64 * r.below(100)))
                       : Words(Make(PacketId::MeWrite, 3 + r.below(4))
                                   .data(r, 2)
                                   .address(f::me_write::kAddressLo, f::me_write::kAddressHi,
                                            to_address(r, kByMe)));
    }
}

Words any_dispatch(Random& r) {
    namespace f = fields;
    if (r.one_in(2))
        return Make(PacketId::DispatchDirect)
            .compute()
            .set(f::dispatch_direct::kDimX, r.below(9))
            .set(f::dispatch_direct::kDimY, r.below(9))
            .set(f::dispatch_direct::kDimZ, r.below(9))
            .set(f::dispatch_direct::kInitiator, 1);
    return Words(Make(PacketId::SetBase)
                     .set(f::set_base::kBaseIndex, 1)
                     .address(f::set_base::kAddressLo, f::set_base::kAddressHi,
                              number_address(r, 8))) +
           Words(Make(PacketId::DispatchIndirect)
                     .compute()
                     .set(f::dispatch_indirect::kDataOffset, 4 * r.below(20))
                     .set(f::dispatch_indirect::kInitiator, 1));
}

Words any_packet(Random& r, unsigned ring, bool& shows_time) {
    switch (r.below(ring == 0 ? 10 : 8)) {
        case 0:
        case 1:
            return any_state(r, ring);
        case 2:
            return any_predication(r, ring, shows_time);
        case 3:
        case 4:
            return any_sync(r, ring, shows_time);
        case 5:
        case 6:
            return any_data(r, shows_time);
        case 7:
            return any_dispatch(r);
        default:
            return any_draw(r);
    }
}

Words any_constant(Random& r) {
    namespace f = fields;
    const uint32_t offset = 32 * r.below(64);
    switch (r.below(13)) {
        case 0:
        case 1:
            return Make(r.one_in(2) ? PacketId::WriteConstRam : PacketId::WriteConstRamOffset,
                        2 + r.below(20))
                .data(r, 1)
                .set(f::write_const_ram::kOffset, offset + 4 * r.below(8));
        case 2:
        case 3:
            return Make(PacketId::DumpConstRam)
                .set(f::dump_const_ram::kOffset, offset)
                .set(f::dump_const_ram::kCount, r.below(60))
                .address(f::dump_const_ram::kAddressLo, f::dump_const_ram::kAddressHi,
                         to_address(r, kByCe));
        case 4:
            return Make(PacketId::LoadConstRam)
                .address(f::load_const_ram::kAddressLo, f::load_const_ram::kAddressHi,
                         number_address(r, 32))
                .set(f::load_const_ram::kCount, 8 * r.below(6))
                .set(f::load_const_ram::kOffset, offset);
        case 5:
            return Make(PacketId::IncrementCeCounter);
        case 9:
            return Make(PacketId::WriteData, 4 + r.below(8))
                .data(r, 3)
                .set(f::write_data::kEngine, 2)
                .set(f::write_data::kDestination, r.one_in(2) ? 1 : 5)
                .address(f::write_data::kAddressLo, f::write_data::kAddressHi,
                         to_address(r, kByCe));
        case 10:
            return Make(PacketId::CopyData)
                .set(f::copy_data::kEngine, 2)
                .set(f::copy_data::kSource, 5)
                .set(f::copy_data::kDestination, 2)
                .set(f::copy_data::kSourceLo, r.word())
                .address(f::copy_data::kAddressLo, f::copy_data::kAddressHi, to_address(r, kByCe));
        case 11:
            return Make(PacketId::SetBase)
                .set(f::set_base::kBaseIndex, 3)
                .set(f::set_base::kCs1Index, 0x4000)
                .set(f::set_base::kCs2Index, 0xA000);
        case 6:
            return r.one_in(4) ? Make(PacketId::SetCeDeCounters).set(f::de_counter::kLo, r.below(4))
                               : Make(PacketId::Nop).data(r, 0);
        case 7:
            return Make(PacketId::WaitOnDeCounter)
                .set(f::de_counter::kLo, r.one_in(8) ? r.below(4) : 0);
        case 8:
            return Make(PacketId::CeWrite, 3 + r.below(4))
                .data(r, 2)
                .address(f::ce_write::kAddressLo, f::ce_write::kAddressHi, to_address(r, kByCe));
        default:
            return Make(PacketId::WaitOnDeCounterDiff)
                .set(f::de_counter_diff::kDiff, r.one_in(4) ? 1 + r.below(4) : 100);
    }
}

Words call(PacketId id, uint64_t base, const Words& buffer) {
    namespace f = fields::indirect_buffer;
    return Make(id)
        .address(f::kBaseLo, f::kBaseHi, base)
        .set(f::kSize, static_cast<uint32_t>(buffer.size()));
}

}  // namespace

std::string packets_never_made() {
    std::string names;
    for (const PacketInfo& info : cp::si_packet_table())
        if (info.implemented() && !made.test(static_cast<size_t>(info.id)))
            names += (names.empty() ? "" : " ") + std::string(info.name);
    return names;
}

PacketScenario make_scenario(Random& r, const ScenarioOptions& options) {
    PacketScenario s;
    s.stall = r.one_in(6);
    bool shows_time = false;
    const auto fill = [&](Words& words, unsigned ring, unsigned packets) {
        for (; packets > 0 && words.size() < 800; --packets, ++s.packets)
            words = words + any_packet(r, ring, shows_time);
    };
    const unsigned rings = r.one_in(3) ? 7 : 1u << r.below(3);
    const bool constants = r.one_in(3);
    if (constants)
        for (unsigned n = 1 + r.below(12); n > 0; --n, ++s.packets)
            s.constants = s.constants + any_constant(r);
    // What the compute rings may not do is in no buffer that they call.
    const unsigned buffer_ring = rings == 1 ? 0 : 1;
    const auto point_into = [&](Words& buffer) {
        namespace f = fields::set_sh_reg_offset;
        ++s.packets;
        buffer = buffer + Words(Make(PacketId::SetShRegOffset)
                                    .compute()
                                    .set(f::kOffset, 0x240 + r.below(8))
                                    .set(f::kBufferOffset, 4 * r.below(64))
                                    .set(f::kDriverData, r.below(0x10000)));
    };
    fill(s.ib2, buffer_ring, 1 + r.below(6));
    if (r.one_in(4))
        point_into(s.ib2);
    fill(s.ib1, buffer_ring, r.below(6));
    if (r.one_in(4))
        point_into(s.ib1);
    if (r.one_in(2))
        s.ib1 = s.ib1 + call(PacketId::IndirectBuffer, kIb2, s.ib2);
    fill(s.ib1, buffer_ring, 1 + r.below(6));
    unsigned used = 0;
    for (unsigned ring = 0; ring < cp::kRings; ++ring) {
        if ((rings >> ring & 1) == 0)
            continue;
        ++used;
        Words& words = s.rings[ring];
        fill(words, ring, options.packets / 2);
        if (constants && r.one_in(2))
            words = words + call(PacketId::IndirectBufferConst, kConstants, s.constants);
        if (!r.one_in(3) && words.size() < 800)
            words = words + call(PacketId::IndirectBuffer, kIb1, s.ib1);
        fill(words, ring, options.packets / 2);
    }
    s.comparable = used == 1 && !constants && !shows_time;
    if (options.corrupted != 0 && r.one_in(options.corrupted)) {
        Words* lists[] = {&s.rings[0], &s.rings[1], &s.rings[2], &s.ib1, &s.ib2, &s.constants};
        Words& list = *lists[r.below(6)];
        if (!list.empty()) {
            uint32_t& word = list[r.below(static_cast<uint32_t>(list.size()))];
            word = r.one_in(2) ? r.word() : word ^ 1u << r.below(32);
            s.comparable = false;
        }
    }
    return s;
}

Bytes pack(const PacketScenario& s) {
    Bytes bytes = {static_cast<uint8_t>(s.stall)};
    const Words* lists[] = {&s.rings[0], &s.rings[1], &s.rings[2], &s.ib1, &s.ib2, &s.constants};
    for (const Words* list : lists) {
        bytes.push_back(static_cast<uint8_t>(list->size()));
        bytes.push_back(static_cast<uint8_t>(list->size() >> 8));
    }
    bytes.resize(16);
    for (const Words* list : lists)
        for (const uint32_t word : *list)
            for (unsigned i = 0; i < 4; ++i)
                bytes.push_back(static_cast<uint8_t>(word >> (8 * i)));
    return bytes;
}

bool unpack(const uint8_t* data, size_t size, PacketScenario& s) {
    if (size < 16)
        return false;
    s = {};
    s.stall = (data[0] & 1) != 0;
    Words* lists[] = {&s.rings[0], &s.rings[1], &s.rings[2], &s.ib1, &s.ib2, &s.constants};
    size_t at = 16;
    for (unsigned k = 0; k < 6; ++k) {
        const size_t limit = k < 3 ? kRingDwords - 1 : kBufferDwords;
        size_t left = std::min<size_t>(data[1 + 2 * k] | size_t{data[2 + 2 * k]} << 8, limit);
        for (; left > 0 && at + 4 <= size; --left, at += 4) {
            uint32_t word = 0;
            std::memcpy(&word, data + at, 4);
            lists[k]->push_back(word);
        }
    }
    return true;
}

}  // namespace archipelago::fuzz
