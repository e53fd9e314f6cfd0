// SPDX-License-Identifier: Apache-2.0
// Draw packets: "Radeon Southern Islands Acceleration" section 2.5. Each is register writes that
// end with VGT_DRAW_INITIATOR, or with the indices it carries.
#include <algorithm>

#include "models/cp/packet_program.h"
#include "models/cp/si_packet_fields.h"
#include "registers/si_names.h"
#include "registers/si_vgt.h"

namespace archipelago::cp {
namespace {

namespace si = regs::si;

// VGT_DRAW_INITIATOR.SOURCE_SELECT
constexpr uint32_t kFetched = 0, kImmediate = 1, kAutomatic = 2;
constexpr uint32_t kNoLimit = ~0u;  // VGT_DMA_MAX_SIZE
constexpr uint32_t kMpegLeast = 3, kMpegMost = 0x3FFF;

// Byte offset of a user data register of a stage vertices may run in, else 0.
bool is_vertex_user_data(uint32_t offset) {
    for (const uint32_t first : {si::SPI_SHADER_USER_DATA_VS_0, si::SPI_SHADER_USER_DATA_ES_0,
                                 si::SPI_SHADER_USER_DATA_LS_0})
        if (offset >= first && offset < first + 16 * 4)
            return true;
    return false;
}

}  // namespace

void PacketProgram::queue_write(uint32_t offset, uint32_t value) {
    writes_[write_count_++] = {offset, value};
}

// A packet whose indices come from elsewhere than the initiator says would leave VGT waiting.
void PacketProgram::queue_draw(uint32_t initiator, uint32_t source) {
    const uint32_t select = si::typed::VGT_DRAW_INITIATOR{initiator}.SOURCE_SELECT();
    if (select != source)
        bad("DRAW_INITIATOR.SOURCE_SELECT is " + std::to_string(select) + ", this packet's is " +
            std::to_string(source));
    queue_write(si::VGT_DRAW_INITIATOR, initiator);
}

// Fetched indices: `max` of them are in the buffer from `base` on.
void PacketProgram::queue_fetch(uint64_t base, uint32_t max, uint32_t count) {
    queue_write(si::VGT_DMA_MAX_SIZE, max);
    queue_write(si::VGT_DMA_BASE, static_cast<uint32_t>(base));
    queue_write(si::VGT_DMA_BASE_HI, static_cast<uint32_t>(base >> 32));
    queue_write(si::VGT_DMA_SIZE, count);
    queue_write(si::VGT_NUM_INDICES, count);
}

uint64_t PacketProgram::index_buffer(uint64_t first) const {
    if (!state_->draw.base_set)
        bad("no INDEX_BASE packet before it");
    return (state_->draw.base + first * (state_->draw.index32 ? 4 : 2)) & 0xFFFFFFFFFFFF;
}

// Indices from `first` on, of those INDEX_BUFFER_SIZE gives.
uint32_t PacketProgram::indices_behind(uint32_t first) const {
    if (!state_->draw.size_set)
        return kNoLimit;
    return state_->draw.size > first ? state_->draw.size - first : 0;
}

// 2.5.4: both are sent before a draw whose indices memory names.
void PacketProgram::check_indirect_indices() const {
    index_buffer(0);
    if (!state_->draw.size_set)
        bad("no INDEX_BUFFER_SIZE packet before it");
}

uint32_t PacketProgram::user_data(const char* field, uint32_t location) const {
    const uint32_t offset = kShWindow.start + 4 * location;
    if (!is_vertex_user_data(offset))
        bad(std::string(field) + " " + hex(location) + " is register " + hex(offset) +
            ", no user data of VS, ES or LS");
    return offset;
}

// 2.5.4, 2.5.7: the arguments of the draw are in memory.
bool PacketProgram::draw_indirect(MicroOp& op, bool indexed) {
    namespace f = fields::draw_indirect;
    namespace x = fields::draw_index_indirect;
    const bool instance_given = !indexed || body_dwords() == 4;
    if (step_ == 0) {
        const uint32_t offset = f::kDataOffset.in(body_.data());
        if (offset % 4 != 0)
            bad("DATA_OFFSET " + hex(offset) + " is not dword aligned");
        if (!state_->rings[location_.ring].base_set[1])
            bad("no SET_BASE of the draw arguments (BASE_INDEX 1) before it");
        if (indexed)
            check_indirect_indices();
        if (instance_given && indexed) {
            op.kind = OpKind::Take;
            op.stream = true;
            step_ = 1;
            return true;
        }
        step_ = 2;
    }
    if (step_ == 1) {
        words_[0] = result.data[0];  // the initiator, behind the body's fixed part
        step_ = 2;
    }
    if (step_ == 2) {
        op.kind = OpKind::MemRead;
        op.address = state_->rings[location_.ring].base[1] + f::kDataOffset.in(body_.data());
        op.dwords = indexed ? 5 : 4;
        step_ = 3;
        return true;
    }
    if (step_ != 3)
        return false;
    step_ = 4;
    const auto& args = result.data;
    const uint32_t location = f::kBaseVertex.in(body_.data());
    const uint32_t vertex = args[indexed ? 3 : 2], instance = args[indexed ? 4 : 3];
    queue_write(user_data("BASE_VTX_LOC", location), vertex);
    queue_write(user_data("START_INST_LOC",
                          instance_given ? f::kStartInstance.in(body_.data()) : location + 1),
                instance);
    queue_indirect(indexed, args.data(),
                   !indexed         ? f::kInitiator.in(body_.data())
                   : instance_given ? words_[0]
                                    : x::kInitiatorShort.in(body_.data()));
    return true;
}

// The draw of an argument structure, behind its user data.
void PacketProgram::queue_indirect(bool indexed, const uint32_t* args, uint32_t initiator) {
    const uint32_t count = args[0], instances = args[1];
    // Nothing to draw, where a register would take 0 instances for 1.
    if (instances == 0)
        return;
    queue_write(si::VGT_NUM_INSTANCES, instances);
    queue_write(si::VGT_DMA_NUM_INSTANCES, instances);
    if (indexed) {
        queue_fetch(index_buffer(args[2]), indices_behind(args[2]), count);
        queue_draw(initiator, kFetched);
    } else {
        queue_write(si::VGT_NUM_INDICES, count);
        queue_draw(initiator, kAutomatic);
    }
}

// As draw_indirect(), for several structures STRIDE apart; not in the document, but in AMD's PAL
// and Mesa. COUNT is the most that are drawn when the number itself is in memory.
bool PacketProgram::draw_indirect_multi(MicroOp& op, bool indexed) {
    namespace f = fields::draw_indirect_multi;
    enum : uint32_t { kStart, kCountRead, kRead, kArguments };
    const uint32_t* body = body_.data();
    const uint32_t stride = f::kStride.in(body);
    if (step_ == kStart) {
        const uint32_t offset = f::kDataOffset.in(body);
        if (offset % 4 != 0)
            bad("DATA_OFFSET " + hex(offset) + " is not dword aligned");
        if (stride % 4 != 0)
            bad("STRIDE " + hex(stride) + " is not dword aligned");
        if (!state_->rings[location_.ring].base_set[1])
            bad("no SET_BASE of the draw arguments (BASE_INDEX 1) before it");
        if (indexed)
            check_indirect_indices();
        count_ = f::kCount.in(body);
        step_ = kRead;
        if (f::kCountIndirect.in(body) != 0) {
            op.kind = OpKind::MemRead;
            op.address = dword_address(body[f::kCountLo.dword - 1], f::kCountHi.in(body));
            step_ = kCountRead;
            return true;
        }
    }
    if (step_ == kCountRead) {
        count_ = std::min(count_, result.data[0]);
        step_ = kRead;
    }
    if (step_ == kRead) {
        if (index_ == count_)
            return false;
        op.kind = OpKind::MemRead;
        op.address = state_->rings[location_.ring].base[1] + f::kDataOffset.in(body) +
                     uint64_t{stride} * index_;
        op.dwords = indexed ? 5 : 4;
        step_ = kArguments;
        return true;
    }
    step_ = kRead;
    const auto& args = result.data;
    queue_write(user_data("BASE_VTX_LOC", f::kBaseVertex.in(body)), args[indexed ? 3 : 2]);
    queue_write(user_data("START_INST_LOC", f::kStartInstance.in(body)), args[indexed ? 4 : 3]);
    if (f::kDrawIndexEnable.in(body) != 0)
        queue_write(user_data("DRAW_INDEX_LOC", f::kDrawIndex.in(body)), index_);
    ++index_;
    queue_indirect(indexed, args.data(), f::kInitiator.in(body));
    return true;
}

// 2.5.3: the indices follow the initiator.
bool PacketProgram::draw_immediate(MicroOp& op) {
    namespace f = fields::draw_index_immed;
    const uint32_t count = f::kCount.in(body_.data());
    const uint32_t data = body_dwords() - 2;
    if (step_ == 0) {
        const bool wide = state_->draw.index32;
        if (count == 0)
            bad("INDEX_COUNT is 0");
        if (data != (wide ? count : count / 2 + count % 2))
            bad(std::to_string(count) + " indices of " + (wide ? "32" : "16") + " bits in " +
                std::to_string(data) + " dwords");
        queue_write(si::VGT_NUM_INDICES, count);
        queue_draw(f::kInitiator.in(body_.data()), kImmediate);
        step_ = 1;
        return true;
    }
    if (index_++ == data)
        return false;
    op.kind = OpKind::RegWrite;
    op.stream = true;
    op.offset = si::VGT_IMMED_DATA;
    return true;
}

// 2.5.13: of each index given come three.
bool PacketProgram::mpeg_index(MicroOp& op) {
    namespace f = fields::mpeg_index;
    const uint32_t count = f::kCount.in(body_.data());
    if (step_ == 0) {
        if (count < kMpegLeast || count > kMpegMost)
            bad("NUM_INDICES " + hex(count) + ", of 0x3 to 0x3fff");
        if (count != 3 * uint64_t{body_dwords() - 2})
            bad("NUM_INDICES " + std::to_string(count) + " with " +
                std::to_string(body_dwords() - 2) + " first indices, three for each");
        if (!state_->draw.index32)
            bad("needs indices of 32 bits (INDEX_TYPE)");
        queue_write(si::VGT_NUM_INDICES, count);
        queue_draw(f::kInitiator.in(body_.data()), kImmediate);
        step_ = 1;
        return true;
    }
    if (index_ == count)
        return false;
    op.kind = OpKind::RegWrite;
    op.offset = si::VGT_IMMED_DATA;
    if (index_ % 3 == 0) {
        op.stream = true;
    } else {
        if (index_ % 3 == 1)
            words_[0] = static_cast<uint32_t>(result.value);
        op.value = words_[0] + index_ % 3;
    }
    ++index_;
    return true;
}

// 2.5.5: a draw for each dword behind the initiator.
bool PacketProgram::draw_multi_auto(MicroOp& op) {
    namespace f = fields::draw_index_multi_auto;
    if (step_ == 0) {
        const uint32_t count = f::kPrimCount.in(body_.data());
        if (count == 0 || count != body_dwords() - 2)
            bad("PRIMCOUNT " + std::to_string(count) + " with " +
                std::to_string(body_dwords() - 2) + " dwords of CONTROL");
        step_ = 1;
    }
    if (step_ == 1) {
        if (index_++ == f::kPrimCount.in(body_.data()))
            return false;
        op.kind = OpKind::Take;
        op.stream = true;
        step_ = 2;
        return true;
    }
    step_ = 1;
    // The field positions are those of the packet's dword 3.
    const uint32_t control[3] = {0, 0, result.data[0]};
    queue_write(si::VGT_PRIMITIVE_TYPE, f::kPrimType.in(control));
    queue_write(si::VGT_INDX_OFFSET, f::kIndexOffset.in(control));
    queue_write(si::VGT_NUM_INDICES, f::kIndexCount.in(control));
    queue_draw(f::kInitiator.in(body_.data()), kAutomatic);
    return true;
}

// Packets whose dwords are all known at once.
bool PacketProgram::draw_simple() {
    if (step_++ != 0)
        return false;
    const uint32_t* body = body_.data();
    DeState::Draw& draw = state_->draw;
    switch (info_->id) {
        case PacketId::IndexBase: {
            namespace f = fields::index_base;
            if ((body[0] & 1) != 0)
                bad("INDEX_BASE_LO " + hex(body[0]) + " is not aligned to 2 bytes");
            draw.base = uint64_t{f::kBaseHi.in(body)} << 32 | body[0];
            draw.base_set = true;
            return true;
        }
        case PacketId::IndexBufferSize:
            draw.size = body[0];
            draw.size_set = true;
            return true;
        case PacketId::IndexType: {
            namespace f = fields::index_type;
            if ((body[0] & ~0xDu) != 0)
                bad("reserved bits in " + hex(body[0]));
            draw.index32 = f::kType.in(body) != 0;
            queue_write(si::VGT_INDEX_TYPE, f::kType.in(body));
            queue_write(si::VGT_DMA_INDEX_TYPE, body[0]);
            return true;
        }
        case PacketId::NumInstances: {
            const uint32_t count = std::max(body[0], 1u);
            queue_write(si::VGT_NUM_INSTANCES, count);
            queue_write(si::VGT_DMA_NUM_INSTANCES, count);
            return true;
        }
        case PacketId::DrawIndex: {
            namespace f = fields::draw_index;
            if ((body[0] & 1) != 0)
                bad("INDEX_BASE_LO " + hex(body[0]) + " is not aligned to 2 bytes");
            queue_fetch(uint64_t{f::kBaseHi.in(body)} << 32 | body[0], kNoLimit,
                        f::kCount.in(body));
            queue_draw(f::kInitiator.in(body), kFetched);
            return true;
        }
        case PacketId::DrawIndex2: {
            namespace f = fields::draw_index_2;
            if ((body[1] & 1) != 0)
                bad("INDEX_BASE_LO " + hex(body[1]) + " is not aligned to 2 bytes");
            queue_fetch(uint64_t{f::kBaseHi.in(body)} << 32 | body[1], f::kMaxSize.in(body),
                        f::kCount.in(body));
            queue_draw(f::kInitiator.in(body), kFetched);
            return true;
        }
        case PacketId::DrawIndexOffset: {
            namespace f = fields::draw_index_offset;
            const uint32_t first = f::kOffset.in(body);
            queue_fetch(index_buffer(first), indices_behind(first), f::kCount.in(body));
            queue_draw(f::kInitiator.in(body), kFetched);
            return true;
        }
        case PacketId::DrawIndexOffset2: {
            namespace f = fields::draw_index_offset_2;
            queue_fetch(index_buffer(f::kOffset.in(body)), f::kMaxSize.in(body),
                        f::kCount.in(body));
            queue_draw(f::kInitiator.in(body), kFetched);
            return true;
        }
        default: {  // DRAW_INDEX_AUTO
            namespace f = fields::draw_index_auto;
            queue_write(si::VGT_NUM_INDICES, f::kCount.in(body));
            queue_draw(f::kInitiator.in(body), kAutomatic);
            return true;
        }
    }
}

bool PacketProgram::draw(MicroOp& op) {
    for (;;) {
        if (write_next_ < write_count_) {
            op.kind = OpKind::RegWrite;
            op.stream = false;
            op.dwords = 1;
            op.offset = writes_[write_next_].offset;
            op.value = writes_[write_next_].value;
            ++write_next_;
            return true;
        }
        write_next_ = write_count_ = 0;
        op.kind = OpKind::Delay;  // none yet
        bool more = false;
        switch (info_->id) {
            case PacketId::DrawIndexIndirect:
                more = draw_indirect(op, true);
                break;
            case PacketId::DrawIndirect:
                more = draw_indirect(op, false);
                break;
            case PacketId::DrawIndexIndirectMulti:
                more = draw_indirect_multi(op, true);
                break;
            case PacketId::DrawIndirectMulti:
                more = draw_indirect_multi(op, false);
                break;
            case PacketId::DrawIndexImmed:
                more = draw_immediate(op);
                break;
            case PacketId::MpegIndex:
                more = mpeg_index(op);
                break;
            case PacketId::DrawIndexMultiAuto:
                more = draw_multi_auto(op);
                break;
            default:
                more = draw_simple();
                break;
        }
        if (!more)
            return false;
        if (op.kind != OpKind::Delay)
            return true;
    }
}

}  // namespace archipelago::cp
