// SPDX-License-Identifier: Apache-2.0
// Fields of the Southern Islands packets, as section 2 of "Radeon Southern Islands Acceleration"
// lays them out. What is not laid out there: CP_DMA follows Mesa's packet database (pkt3.json);
// MEM_WRITE and DRAW_INDEX the R6xx/R7xx document; COPY_DW and DRAW_INDEX_OFFSET what the Linux
// radeon driver checks; REG_RMW, SET_SH_REG_OFFSET, SCRATCH_RAM_WRITE and the draws of several
// indirect structures AMD's PAL (gfx6 packet structures); ONE_REG_WRITE, PREAMBLE_CNTL and
// SWITCH_BUFFER what public drivers emit. For SCRATCH_RAM_READ, SET_RESOURCE_INDIRECT and
// DRAW_INDEX_MULTI_ELEMENT no public source gives a layout: their bodies are DATA.
// Evergreen and later share these layouts where they share the packet.
//
// A field whose meaning hangs on another one carries that as its condition, so several fields may
// name the same bits; kAll lists what logs, text and tests show, in the order they show it.
#pragma once

#include "models/cp/packet_table.h"

namespace archipelago::cp::fields {

namespace set_base {
inline constexpr PacketField kBaseIndex{"BASE_INDEX", 1, 0, 3};
inline constexpr PacketField kAddress0{"ADDRESS0", 2, 0, 31};
inline constexpr PacketField kAddress1{"ADDRESS1", 3, 0, 15};
inline constexpr FieldCondition kBase = when(kBaseIndex, {0, 1});
inline constexpr FieldCondition kPartition = when(kBaseIndex, {2, 3});
inline constexpr PacketField kAddressLo{"ADDRESS_LO", 2, 3, 31, &kBase};
inline constexpr PacketField kAddressHi{"ADDRESS_HI", 3, 0, 15, &kBase};
inline constexpr PacketField kCs1Index{"CS1_INDEX", 2, 0, 15, &kPartition};
inline constexpr PacketField kCs2Index{"CS2_INDEX", 3, 0, 15, &kPartition};
inline constexpr PacketField kAll[] = {kBaseIndex, kAddressLo, kAddressHi, kCs1Index, kCs2Index};
}  // namespace set_base

namespace dispatch_direct {
inline constexpr PacketField kDimX{"DIM_X", 1, 0, 31};
inline constexpr PacketField kDimY{"DIM_Y", 2, 0, 31};
inline constexpr PacketField kDimZ{"DIM_Z", 3, 0, 31};
inline constexpr PacketField kInitiator{"DISPATCH_INITIATOR", 4, 0, 31};
inline constexpr PacketField kAll[] = {kDimX, kDimY, kDimZ, kInitiator};
}  // namespace dispatch_direct

namespace dispatch_indirect {
inline constexpr PacketField kDataOffset{"DATA_OFFSET", 1, 0, 31};
inline constexpr PacketField kInitiator{"DISPATCH_INITIATOR", 2, 0, 31};
inline constexpr PacketField kAll[] = {kDataOffset, kInitiator};
}  // namespace dispatch_indirect

namespace context_control {
inline constexpr PacketField kLoadControl{"LOAD_CONTROL", 1, 0, 31};
inline constexpr PacketField kLoadUpdate{"LOAD_DW_ENABLE", 1, 31, 31};
inline constexpr PacketField kShadowEnable{"SHADOW_ENABLE", 2, 0, 31};
inline constexpr PacketField kShadowUpdate{"SHADOW_DW_ENABLE", 2, 31, 31};
inline constexpr PacketField kLoadCsSh{"LOAD_CS_SH", 1, 24, 24};
inline constexpr PacketField kLoadGfxSh{"LOAD_GFX_SH", 1, 16, 16};
inline constexpr PacketField kLoadContext{"LOAD_CONTEXT", 1, 1, 1};
inline constexpr PacketField kLoadConfig{"LOAD_CONFIG", 1, 0, 0};
inline constexpr PacketField kShadowCsSh{"SHADOW_CS_SH", 2, 24, 24};
inline constexpr PacketField kShadowGfxSh{"SHADOW_GFX_SH", 2, 16, 16};
inline constexpr PacketField kShadowContext{"SHADOW_CONTEXT", 2, 1, 1};
inline constexpr PacketField kShadowConfig{"SHADOW_CONFIG", 2, 0, 0};
inline constexpr PacketField kAll[] = {kLoadUpdate,    kLoadCsSh,     kLoadGfxSh,  kLoadContext,
                                       kLoadConfig,    kShadowUpdate, kShadowCsSh, kShadowGfxSh,
                                       kShadowContext, kShadowConfig};
// Bits of both dwords.
inline constexpr uint32_t kConfig = 1u << 0, kContext = 1u << 1, kGfxSh = 1u << 16,
                          kComputeSh = 1u << 24;
}  // namespace context_control

namespace indirect_buffer {
inline constexpr PacketField kSwap{"SWAP", 1, 0, 1};
inline constexpr PacketField kBaseLo{"IB_BASE_LO", 1, 2, 31};
inline constexpr PacketField kBaseHi{"IB_BASE_HI", 2, 0, 15};
inline constexpr PacketField kSize{"IB_SIZE", 3, 0, 19};
inline constexpr PacketField kChain{"CHAIN", 3, 20, 20};
inline constexpr PacketField kVmid{"VMID", 3, 24, 31};
inline constexpr PacketField kAll[] = {kSwap, kBaseLo, kBaseHi, kVmid, kChain, kSize};
}  // namespace indirect_buffer

namespace write_data {
inline constexpr PacketField kEngine{"ENGINE_SEL", 1, 30, 31};
inline constexpr PacketField kConfirm{"WR_CONFIRM", 1, 20, 20};
inline constexpr PacketField kOneAddress{"WR_ONE_ADDR", 1, 16, 16};
inline constexpr PacketField kDestination{"DST_SEL", 1, 8, 11};
inline constexpr PacketField kAddressLo{"DST_ADDR_LO", 2, 0, 31};
inline constexpr PacketField kAddressHi{"DST_ADDR_HI", 3, 0, 31};
inline constexpr FieldCondition kToRegister = when(kDestination, {0});
inline constexpr FieldCondition kToMemory = unless(kDestination, {0, 3});
inline constexpr FieldCondition kToGds = when(kDestination, {3});
inline constexpr PacketField kRegister{"DST_REGISTER", 2, 0, 15, &kToRegister};
inline constexpr PacketField kMemoryLo{"DST_ADDR_LO", 2, 0, 31, &kToMemory};
inline constexpr PacketField kGdsOffset{"DST_GDS", 2, 0, 15, &kToGds};
inline constexpr PacketField kData{"DATA", 4, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kEngine,   kConfirm,   kOneAddress, kDestination, kRegister,
                                       kMemoryLo, kGdsOffset, kAddressHi,  kData};
}  // namespace write_data

namespace wait_reg_mem {
inline constexpr PacketField kEngine{"ENGINE", 1, 8, 8};
inline constexpr PacketField kMemSpace{"MEM_SPACE", 1, 4, 4};
inline constexpr PacketField kFunction{"FUNCTION", 1, 0, 2};
inline constexpr PacketField kSwap{"SWAP", 2, 0, 1};
inline constexpr PacketField kAddressLo{"POLL_ADDRESS_LO", 2, 0, 31};
inline constexpr PacketField kAddressHi{"POLL_ADDRESS_HI", 3, 0, 15};
inline constexpr PacketField kReference{"REFERENCE", 4, 0, 31};
inline constexpr PacketField kMask{"MASK", 5, 0, 31};
inline constexpr PacketField kInterval{"POLL_INTERVAL", 6, 0, 15};
inline constexpr FieldCondition kOfRegister = when(kMemSpace, {0});
inline constexpr FieldCondition kOfMemory = when(kMemSpace, {1});
inline constexpr PacketField kRegister{"POLL_REGISTER", 2, 0, 15, &kOfRegister};
inline constexpr PacketField kMemoryLo{"POLL_ADDRESS_LO", 2, 2, 31, &kOfMemory};
inline constexpr PacketField kMemorySwap{"SWAP", 2, 0, 1, &kOfMemory};
inline constexpr PacketField kAll[] = {kEngine,    kMemSpace,   kFunction,  kRegister, kMemoryLo,
                                       kAddressHi, kMemorySwap, kReference, kMask,     kInterval};
}  // namespace wait_reg_mem

namespace cond_write {
inline constexpr PacketField kWriteSpace{"WRITE_SPACE", 1, 8, 8};
inline constexpr PacketField kPollSpace{"POLL_SPACE", 1, 4, 4};
inline constexpr PacketField kFunction{"FUNCTION", 1, 0, 2};
inline constexpr PacketField kPollLo{"POLL_ADDRESS_LO", 2, 0, 31};
inline constexpr PacketField kPollHi{"POLL_ADDRESS_HI", 3, 0, 15};
inline constexpr PacketField kReference{"REFERENCE", 4, 0, 31};
inline constexpr PacketField kMask{"MASK", 5, 0, 31};
inline constexpr PacketField kWriteLo{"WRITE_ADDRESS_LO", 6, 0, 31};
inline constexpr PacketField kWriteHi{"WRITE_ADDRESS_HI", 7, 0, 15};
inline constexpr PacketField kData{"WRITE_DATA", 8, 0, 31};
inline constexpr FieldCondition kPollsRegister = when(kPollSpace, {0});
inline constexpr FieldCondition kPollsMemory = when(kPollSpace, {1});
inline constexpr FieldCondition kWritesRegister = when(kWriteSpace, {0});
inline constexpr FieldCondition kWritesMemory = when(kWriteSpace, {1});
inline constexpr PacketField kPollRegister{"POLL_REGISTER", 2, 0, 15, &kPollsRegister};
inline constexpr PacketField kPollMemoryLo{"POLL_ADDRESS_LO", 2, 2, 31, &kPollsMemory};
inline constexpr PacketField kPollSwap{"POLL_SWAP", 2, 0, 1, &kPollsMemory};
inline constexpr PacketField kWriteRegister{"WRITE_REGISTER", 6, 0, 15, &kWritesRegister};
inline constexpr PacketField kWriteMemoryLo{"WRITE_ADDRESS_LO", 6, 2, 31, &kWritesMemory};
inline constexpr PacketField kWriteSwap{"WRITE_SWAP", 6, 0, 1, &kWritesMemory};
inline constexpr PacketField kAll[] = {
    kWriteSpace, kPollSpace, kFunction,      kPollRegister,  kPollMemoryLo, kPollHi,    kPollSwap,
    kReference,  kMask,      kWriteRegister, kWriteMemoryLo, kWriteHi,      kWriteSwap, kData};
}  // namespace cond_write

namespace mem_write {
inline constexpr PacketField kSwap{"SWAP", 1, 0, 1};
inline constexpr PacketField kAddressLo{"ADDRESS_LO", 1, 2, 31};
inline constexpr PacketField kAddressHi{"ADDRESS_HI", 2, 0, 15};
inline constexpr PacketField kCounter{"CNTR_SEL", 2, 16, 16};
inline constexpr PacketField kConfirm{"WR_CONFIRM", 2, 17, 17};
inline constexpr PacketField kData32{"DATA32", 2, 18, 18};
inline constexpr PacketField kDataLo{"DATA_LO", 3, 0, 31};
inline constexpr PacketField kDataHi{"DATA_HI", 4, 0, 31};
inline constexpr PacketField kAll[] = {kSwap,    kAddressLo, kAddressHi, kCounter,
                                       kConfirm, kData32,    kDataLo,    kDataHi};
}  // namespace mem_write

namespace copy_data {
inline constexpr PacketField kEngine{"ENGINE_SEL", 1, 30, 31};
inline constexpr PacketField kConfirm{"WR_CONFIRM", 1, 20, 20};
inline constexpr PacketField kCount{"COUNT_SEL", 1, 16, 16};
inline constexpr PacketField kDestination{"DST_SEL", 1, 8, 11};
inline constexpr PacketField kSource{"SRC_SEL", 1, 0, 3};
inline constexpr PacketField kSourceLo{"SRC_ADDR_LO", 2, 0, 31};
inline constexpr PacketField kSourceHi{"SRC_ADDR_HI", 3, 0, 31};
inline constexpr PacketField kAddressLo{"DST_ADDR_LO", 4, 0, 31};
inline constexpr PacketField kAddressHi{"DST_ADDR_HI", 5, 0, 31};
inline constexpr FieldCondition kFromRegister = when(kSource, {0});
inline constexpr FieldCondition kFromMemory = unless(kSource, {0, 3, 5});
inline constexpr FieldCondition kFromGds = when(kSource, {3});
inline constexpr FieldCondition kFromPacket = when(kSource, {5});
inline constexpr FieldCondition kToRegister = when(kDestination, {0});
inline constexpr FieldCondition kToMemory = unless(kDestination, {0, 3});
inline constexpr FieldCondition kToGds = when(kDestination, {3});
inline constexpr PacketField kSourceRegister{"SRC_REGISTER", 2, 0, 15, &kFromRegister};
inline constexpr PacketField kSourceMemoryLo{"SRC_ADDR_LO", 2, 0, 31, &kFromMemory};
inline constexpr PacketField kSourceMemoryHi{"SRC_ADDR_HI", 3, 0, 31, &kFromMemory};
inline constexpr PacketField kSourceGds{"SRC_GDS", 2, 0, 15, &kFromGds};
inline constexpr PacketField kDataLo{"DATA_LO", 2, 0, 31, &kFromPacket};
inline constexpr PacketField kDataHi{"DATA_HI", 3, 0, 31, &kFromPacket};
inline constexpr PacketField kRegister{"DST_REGISTER", 4, 0, 15, &kToRegister};
inline constexpr PacketField kMemoryLo{"DST_ADDR_LO", 4, 0, 31, &kToMemory};
inline constexpr PacketField kMemoryHi{"DST_ADDR_HI", 5, 0, 31, &kToMemory};
inline constexpr PacketField kGds{"DST_GDS", 4, 0, 15, &kToGds};
inline constexpr PacketField kAll[] = {
    kEngine,         kConfirm,        kCount,          kDestination, kSource,
    kSourceRegister, kSourceMemoryLo, kSourceMemoryHi, kSourceGds,   kDataLo,
    kDataHi,         kRegister,       kMemoryLo,       kMemoryHi,    kGds};
}  // namespace copy_data

namespace cp_dma {
inline constexpr PacketField kSourceLo{"SRC_ADDR_LO", 1, 0, 31};  // or the fill data
inline constexpr PacketField kSourceHi{"SRC_ADDR_HI", 2, 0, 15};
inline constexpr PacketField kDestination{"DST_SEL", 2, 20, 21};
inline constexpr PacketField kEngine{"ENGINE", 2, 27, 27};
inline constexpr PacketField kSource{"SRC_SEL", 2, 29, 30};
inline constexpr PacketField kSync{"CP_SYNC", 2, 31, 31};
inline constexpr PacketField kAddressLo{"DST_ADDR_LO", 3, 0, 31};
inline constexpr PacketField kAddressHi{"DST_ADDR_HI", 4, 0, 15};
inline constexpr PacketField kBytes{"BYTE_COUNT", 5, 0, 20};
inline constexpr PacketField kNoConfirm{"DISABLE_WR_CONFIRM", 5, 21, 21};
inline constexpr PacketField kSourceSwap{"SRC_SWAP", 5, 22, 23};
inline constexpr PacketField kDestinationSwap{"DST_SWAP", 5, 24, 25};
inline constexpr PacketField kSas{"SAS", 5, 26, 26};
inline constexpr PacketField kDas{"DAS", 5, 27, 27};
inline constexpr PacketField kSaic{"SAIC", 5, 28, 28};
inline constexpr PacketField kDaic{"DAIC", 5, 29, 29};
inline constexpr PacketField kRawWait{"RAW_WAIT", 5, 30, 30};
inline constexpr FieldCondition kFromPacket = when(kSource, {2});
inline constexpr FieldCondition kFromAddress = unless(kSource, {2});
inline constexpr PacketField kSourceAddressLo{"SRC_ADDR_LO", 1, 0, 31, &kFromAddress};
inline constexpr PacketField kFill{"DATA", 1, 0, 31, &kFromPacket};
inline constexpr PacketField kAll[] = {kSourceAddressLo,
                                       kFill,
                                       kSourceHi,
                                       kDestination,
                                       kEngine,
                                       kSource,
                                       kSync,
                                       kAddressLo,
                                       kAddressHi,
                                       kBytes,
                                       kNoConfirm,
                                       kSourceSwap,
                                       kDestinationSwap,
                                       kSas,
                                       kDas,
                                       kSaic,
                                       kDaic,
                                       kRawWait};
}  // namespace cp_dma

namespace surface_sync {
inline constexpr PacketField kEngine{"ENGINE", 1, 31, 31};
inline constexpr PacketField kControl{"COHER_CNTL", 1, 0, 30};
inline constexpr PacketField kSize{"COHER_SIZE", 2, 0, 31};
inline constexpr PacketField kBase{"COHER_BASE", 3, 0, 31};
inline constexpr PacketField kInterval{"POLL_INTERVAL", 4, 0, 15};
inline constexpr PacketField kAll[] = {kEngine, kControl, kSize, kBase, kInterval};
}  // namespace surface_sync

namespace me_initialize {
inline constexpr PacketField kReset{"DEFAULT_RESET_CONTROL", 1, 0, 0};
inline constexpr PacketField kMaxContext{"MAX_CONTEXT", 3, 0, 2};
inline constexpr PacketField kDevice{"DEVICE_ID", 4, 16, 23};
inline constexpr PacketField kSwap{"EXTERNAL_MEM_SWAP", 4, 0, 1};
inline constexpr PacketField kDumpBase{"HEADER_DUMP_BASE", 5, 4, 31};
inline constexpr PacketField kDumpSwap{"HEADER_DUMP_SWAP", 5, 0, 1};
inline constexpr PacketField kHeaderDump{"HEADER_DUMP_ENABLE", 6, 31, 31};
inline constexpr PacketField kDumpSize{"HEADER_DUMP_SIZE", 6, 0, 29};
inline constexpr PacketField kAll[] = {kReset,    kMaxContext, kDevice,     kSwap,
                                       kDumpBase, kDumpSwap,   kHeaderDump, kDumpSize};
}  // namespace me_initialize

namespace event_write {
inline constexpr PacketField kInvalidateL2{"INV_L2", 1, 20, 20};
inline constexpr PacketField kIndex{"EVENT_INDEX", 1, 8, 11};
inline constexpr PacketField kType{"EVENT_TYPE", 1, 0, 5};
// Only the sampling events have them.
inline constexpr PacketField kAddressLo{"ADDRESS_LO", 2, 3, 31};
inline constexpr PacketField kAddressHi{"ADDRESS_HI", 3, 0, 15};
inline constexpr PacketField kAll[] = {kInvalidateL2, kIndex, kType, kAddressLo, kAddressHi};
}  // namespace event_write

namespace event_write_eop {
inline constexpr PacketField kAddressLo{"ADDRESS_LO", 2, 0, 31};
inline constexpr PacketField kDataSel{"DATA_SEL", 3, 29, 31};
inline constexpr PacketField kIntSel{"INT_SEL", 3, 24, 25};
inline constexpr PacketField kAddressHi{"ADDRESS_HI", 3, 0, 15};
inline constexpr PacketField kDataLo{"DATA_LO", 4, 0, 31};
inline constexpr PacketField kDataHi{"DATA_HI", 5, 0, 31};
inline constexpr PacketField kAll[] = {event_write::kInvalidateL2,
                                       event_write::kIndex,
                                       event_write::kType,
                                       kAddressLo,
                                       kDataSel,
                                       kIntSel,
                                       kAddressHi,
                                       kDataLo,
                                       kDataHi};
}  // namespace event_write_eop

namespace event_write_eos {
inline constexpr PacketField kAddressLo{"ADDRESS_LO", 2, 0, 31};
inline constexpr PacketField kCommand{"CMD", 3, 29, 31};
inline constexpr PacketField kAddressHi{"ADDRESS_HI", 3, 0, 15};
inline constexpr PacketField kData{"DATA_INFO", 4, 0, 31};
inline constexpr FieldCondition kStores = when(kCommand, {1});
inline constexpr FieldCondition kFences = unless(kCommand, {1});
inline constexpr PacketField kFence{"DATA", 4, 0, 31, &kFences};
inline constexpr PacketField kSize{"SIZE", 4, 16, 31, &kStores};
inline constexpr PacketField kGdsIndex{"GDS_INDEX", 4, 0, 15, &kStores};
inline constexpr PacketField kAll[] = {event_write::kIndex,
                                       event_write::kType,
                                       kAddressLo,
                                       kCommand,
                                       kAddressHi,
                                       kFence,
                                       kSize,
                                       kGdsIndex};
}  // namespace event_write_eos

namespace preamble_cntl {
inline constexpr PacketField kCommand{"COMMAND", 1, 28, 31};
inline constexpr PacketField kAll[] = {kCommand};
}  // namespace preamble_cntl

namespace one_reg_write {
inline constexpr PacketField kOffset{"REG_OFFSET", 1, 0, 15};
inline constexpr PacketField kData{"DATA", 2, 0, 31};
inline constexpr PacketField kAll[] = {kOffset, kData};
}  // namespace one_reg_write

namespace set_reg {
inline constexpr PacketField kOffset{"REG_OFFSET", 1, 0, 15};
inline constexpr PacketField kData{"REG_DATA", 2, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kOffset, kData};
}  // namespace set_reg

namespace load_reg {  // LOAD_CONFIG_REG, LOAD_CONTEXT_REG, LOAD_SH_REG
inline constexpr PacketField kBaseLo{"BASE_ADDR_LO", 1, 2, 31};
inline constexpr PacketField kWaitForIdle{"WAIT_FOR_IDLE", 2, 31, 31};  // LOAD_CONFIG_REG
inline constexpr PacketField kBaseHi{"BASE_ADDR_HI", 2, 0, 15};
// Pairs of them up to the end of the packet.
inline constexpr PacketField kOffset{"REG_OFFSET", 3, 0, 15, nullptr, 2};
inline constexpr PacketField kCount{"NUM_DWORDS", 4, 0, 13, nullptr, 2};
inline constexpr PacketField kAll[] = {kBaseLo, kBaseHi, kOffset, kCount};
inline constexpr PacketField kConfig[] = {kBaseLo, kWaitForIdle, kBaseHi, kOffset, kCount};
}  // namespace load_reg

namespace set_context_reg_indirect {
inline constexpr PacketField kOffset{"REG_OFFSET", 1, 0, 15};
inline constexpr PacketField kIndex{"REG_INDEX", 2, 0, 31};
inline constexpr PacketField kAll[] = {kOffset, kIndex};
}  // namespace set_context_reg_indirect

namespace set_sh_reg_offset {
inline constexpr PacketField kOffset{"REG_OFFSET", 1, 0, 15};
inline constexpr PacketField kBufferOffset{"IB_OFFSET", 2, 0, 21};
inline constexpr PacketField kDriverData{"DRIVER_DATA", 3, 16, 31};
inline constexpr PacketField kAll[] = {kOffset, kBufferOffset, kDriverData};
}  // namespace set_sh_reg_offset

namespace reg_rmw {
inline constexpr PacketField kRegister{"MOD_ADRS", 1, 0, 13};
inline constexpr PacketField kOrSource{"OR_MASK_SRC", 1, 30, 30};
inline constexpr PacketField kAndSource{"AND_MASK_SRC", 1, 31, 31};
inline constexpr FieldCondition kAndValue = when(kAndSource, {0});
inline constexpr FieldCondition kAndRegister = when(kAndSource, {1});
inline constexpr FieldCondition kOrValue = when(kOrSource, {0});
inline constexpr FieldCondition kOrRegister = when(kOrSource, {1});
inline constexpr PacketField kAndMask{"AND_MASK", 2, 0, 31, &kAndValue};
inline constexpr PacketField kAndAddress{"AND_ADRS", 2, 0, 15, &kAndRegister};
inline constexpr PacketField kOrMask{"OR_MASK", 3, 0, 31, &kOrValue};
inline constexpr PacketField kOrAddress{"OR_ADRS", 3, 0, 15, &kOrRegister};
inline constexpr PacketField kAll[] = {kRegister,   kOrSource, kAndSource, kAndMask,
                                       kAndAddress, kOrMask,   kOrAddress};
}  // namespace reg_rmw

// ---- predication, 2.7 --------------------------------------------------------------------------
// The document gives START_ADDR_HI bits 15:0 beside flags in bits 8 and 12; the drivers have 7:0.
namespace set_predication {
inline constexpr PacketField kAddressLo{"START_ADDR_LO", 1, 4, 31};
inline constexpr PacketField kAddressHi{"START_ADDR_HI", 2, 0, 7};
inline constexpr PacketField kBoolean{"PREDICATION_BOOLEAN", 2, 8, 8};
inline constexpr PacketField kHint{"HINT", 2, 12, 12};
inline constexpr PacketField kOperation{"PRED_OP", 2, 16, 18};
inline constexpr PacketField kContinue{"CONTINUE", 2, 31, 31};
inline constexpr PacketField kAll[] = {kAddressLo, kAddressHi, kBoolean,
                                       kHint,      kOperation, kContinue};
}  // namespace set_predication

// The document's packet ends with a fence value that the driver's does not have.
namespace cond_exec {
inline constexpr PacketField kAddressLo{"BOOL_ADDR_LO", 1, 2, 31};
inline constexpr PacketField kCommand{"COMMAND", 2, 28, 31};
inline constexpr PacketField kAddressHi{"BOOL_ADDR_HI", 2, 0, 15};
inline constexpr PacketField kCount{"EXEC_COUNT", 3, 0, 13};
inline constexpr PacketField kFence{"FENCE", 4, 0, 30};
inline constexpr PacketField kAll[] = {kAddressLo, kCommand, kAddressHi, kCount, kFence};
}  // namespace cond_exec

namespace pred_exec {
inline constexpr PacketField kDevices{"DEVICE_SELECT", 1, 24, 31};
inline constexpr PacketField kCount{"EXEC_COUNT", 1, 0, 13};
inline constexpr PacketField kAll[] = {kDevices, kCount};
}  // namespace pred_exec

// ---- draws, 2.5 --------------------------------------------------------------------------------
namespace draw_index {
inline constexpr PacketField kBaseLo{"INDEX_BASE_LO", 1, 1, 31};
inline constexpr PacketField kBaseHi{"INDEX_BASE_HI", 2, 0, 15};
inline constexpr PacketField kCount{"INDEX_COUNT", 3, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 4, 0, 31};
inline constexpr PacketField kAll[] = {kBaseLo, kBaseHi, kCount, kInitiator};
}  // namespace draw_index

namespace draw_index_2 {
inline constexpr PacketField kMaxSize{"MAX_SIZE", 1, 0, 31};
inline constexpr PacketField kBaseLo{"INDEX_BASE_LO", 2, 1, 31};
inline constexpr PacketField kBaseHi{"INDEX_BASE_HI", 3, 0, 15};
inline constexpr PacketField kCount{"INDEX_COUNT", 4, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 5, 0, 31};
inline constexpr PacketField kAll[] = {kMaxSize, kBaseLo, kBaseHi, kCount, kInitiator};
}  // namespace draw_index_2

namespace draw_index_auto {
inline constexpr PacketField kCount{"INDEX_COUNT", 1, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 2, 0, 31};
inline constexpr PacketField kAll[] = {kCount, kInitiator};
}  // namespace draw_index_auto

namespace draw_index_immed {  // DRAW_INDEX_IMMD to the drivers
inline constexpr PacketField kCount{"INDEX_COUNT", 1, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 2, 0, 31};
inline constexpr PacketField kData{"INDEX_DATA", 3, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kCount, kInitiator, kData};
}  // namespace draw_index_immed

// The document's table lacks the dword of START_INST_LOC, which the drivers send.
namespace draw_index_indirect {
inline constexpr FieldCondition kShort = when_body(3);
inline constexpr FieldCondition kLong = when_body(4);
inline constexpr PacketField kDataOffset{"DATA_OFFSET", 1, 0, 31};
inline constexpr PacketField kBaseVertex{"BASE_VTX_LOC", 2, 0, 15};
inline constexpr PacketField kStartInstance{"START_INST_LOC", 3, 0, 15, &kLong};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 4, 0, 31, &kLong};
inline constexpr PacketField kInitiatorShort{"DRAW_INITIATOR", 3, 0, 31, &kShort};
inline constexpr PacketField kAll[] = {kDataOffset, kBaseVertex, kStartInstance, kInitiator,
                                       kInitiatorShort};
}  // namespace draw_index_indirect

namespace draw_indirect {
inline constexpr PacketField kDataOffset{"DATA_OFFSET", 1, 0, 31};
inline constexpr PacketField kBaseVertex{"BASE_VTX_LOC", 2, 0, 15};
inline constexpr PacketField kStartInstance{"START_INST_LOC", 3, 0, 15};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 4, 0, 31};
inline constexpr PacketField kAll[] = {kDataOffset, kBaseVertex, kStartInstance, kInitiator};
}  // namespace draw_indirect

namespace draw_indirect_multi {  // and DRAW_INDEX_INDIRECT_MULTI
inline constexpr PacketField kDataOffset{"DATA_OFFSET", 1, 0, 31};
inline constexpr PacketField kBaseVertex{"BASE_VTX_LOC", 2, 0, 15};
inline constexpr PacketField kStartInstance{"START_INST_LOC", 3, 0, 15};
inline constexpr PacketField kDrawIndex{"DRAW_INDEX_LOC", 4, 0, 15};
inline constexpr PacketField kCountIndirect{"COUNT_INDIRECT_ENABLE", 4, 30, 30};
inline constexpr PacketField kDrawIndexEnable{"DRAW_INDEX_ENABLE", 4, 31, 31};
inline constexpr PacketField kCount{"COUNT", 5, 0, 31};
inline constexpr PacketField kCountLo{"COUNT_ADDR_LO", 6, 2, 31};
inline constexpr PacketField kCountHi{"COUNT_ADDR_HI", 7, 0, 31};
inline constexpr PacketField kStride{"STRIDE", 8, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 9, 0, 31};
inline constexpr PacketField kAll[] = {kDataOffset,    kBaseVertex,      kStartInstance, kDrawIndex,
                                       kCountIndirect, kDrawIndexEnable, kCount,         kCountLo,
                                       kCountHi,       kStride,          kInitiator};
}  // namespace draw_indirect_multi

namespace draw_index_multi_auto {
inline constexpr PacketField kPrimCount{"PRIMCOUNT", 1, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 2, 0, 31};
inline constexpr PacketField kIndexOffset{"INDEX_OFFSET", 3, 0, 15, nullptr, 1};
inline constexpr PacketField kPrimType{"PRIM_TYPE", 3, 16, 20, nullptr, 1};
inline constexpr PacketField kIndexCount{"INDEX_COUNT", 3, 21, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kPrimCount, kInitiator, kIndexOffset, kPrimType,
                                       kIndexCount};
}  // namespace draw_index_multi_auto

namespace draw_index_offset {
inline constexpr PacketField kOffset{"INDEX_OFFSET", 1, 0, 31};
inline constexpr PacketField kCount{"INDEX_COUNT", 2, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 3, 0, 31};
inline constexpr PacketField kAll[] = {kOffset, kCount, kInitiator};
}  // namespace draw_index_offset

namespace draw_index_offset_2 {
inline constexpr PacketField kMaxSize{"MAX_SIZE", 1, 0, 31};
inline constexpr PacketField kOffset{"INDEX_OFFSET", 2, 0, 31};
inline constexpr PacketField kCount{"INDEX_COUNT", 3, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 4, 0, 31};
inline constexpr PacketField kAll[] = {kMaxSize, kOffset, kCount, kInitiator};
}  // namespace draw_index_offset_2

namespace index_base {
inline constexpr PacketField kBaseLo{"INDEX_BASE_LO", 1, 1, 31};
inline constexpr PacketField kBaseHi{"INDEX_BASE_HI", 2, 0, 15};
inline constexpr PacketField kAll[] = {kBaseLo, kBaseHi};
}  // namespace index_base

namespace index_buffer_size {
inline constexpr PacketField kSize{"INDEX_BUFFER_SIZE", 1, 0, 31};
inline constexpr PacketField kAll[] = {kSize};
}  // namespace index_buffer_size

namespace index_type {
inline constexpr PacketField kType{"INDEX_TYPE", 1, 0, 0};
inline constexpr PacketField kSwap{"SWAP_MODE", 1, 2, 3};
inline constexpr PacketField kAll[] = {kType, kSwap};
}  // namespace index_type

namespace num_instances {
inline constexpr PacketField kCount{"NUM_INSTANCES", 1, 0, 31};
inline constexpr PacketField kAll[] = {kCount};
}  // namespace num_instances

namespace mpeg_index {
inline constexpr PacketField kCount{"NUM_INDICES", 1, 0, 31};
inline constexpr PacketField kInitiator{"DRAW_INITIATOR", 2, 0, 31};
inline constexpr PacketField kIndex{"INDEX", 3, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kCount, kInitiator, kIndex};
}  // namespace mpeg_index

// ---- synchronisation, 2.8 ----------------------------------------------------------------------
namespace atomic {
inline constexpr PacketField kOp{"OP", 1, 0, 6};
inline constexpr PacketField kCommand{"CMD", 1, 8, 11};
inline constexpr PacketField kAddressLo{"ADDR_LO", 2, 0, 31};
inline constexpr PacketField kAddressHi{"ADDR_HI", 3, 0, 31};
inline constexpr PacketField kSourceLo{"SRC_DATA_LO", 4, 0, 31};
inline constexpr PacketField kSourceHi{"SRC_DATA_HI", 5, 0, 31};
inline constexpr PacketField kCompareLo{"CMP_DATA_LO", 6, 0, 31};
inline constexpr PacketField kCompareHi{"CMP_DATA_HI", 7, 0, 31};
inline constexpr PacketField kInterval{"LOOP_INTERVAL", 8, 0, 12};
inline constexpr PacketField kAll[] = {kOp,       kCommand,   kAddressLo, kAddressHi, kSourceLo,
                                       kSourceHi, kCompareLo, kCompareHi, kInterval};
}  // namespace atomic

namespace atomic_gds {
inline constexpr PacketField kOp{"ATOM_OP", 1, 0, 6};
inline constexpr PacketField kCompareSwap{"ATOM_CMP_SWAP", 1, 16, 16};
inline constexpr PacketField kComplete{"ATOM_COMPLETE", 1, 17, 17};
inline constexpr PacketField kRead{"ATOM_READ", 1, 18, 18};
inline constexpr PacketField kReadControl{"ATOM_RD_CNTL", 1, 19, 20};
inline constexpr PacketField kAutoIncrement{"AUTO_INCREMENT", 2, 0, 5};
inline constexpr PacketField kDmode{"DMODE", 2, 8, 8};
inline constexpr PacketField kControl{"ATOM_CNTL", 2, 0, 8};  // both of them
inline constexpr PacketField kBase{"ATOM_BASE", 3, 0, 15};
inline constexpr PacketField kSize{"ATOM_SIZE", 4, 0, 15};
inline constexpr PacketField kOffset0{"ATOM_OFFSET0", 5, 0, 7};
inline constexpr PacketField kOffset1{"ATOM_OFFSET1", 5, 16, 23};
inline constexpr PacketField kDestination{"ATOM_DST", 6, 0, 31};
inline constexpr PacketField kSource0{"ATOM_SRC0", 7, 0, 31};
inline constexpr PacketField kSource0Hi{"ATOM_SRC0_U", 8, 0, 31};
inline constexpr PacketField kSource1{"ATOM_SRC1", 9, 0, 31};
inline constexpr PacketField kSource1Hi{"ATOM_SRC1_U", 10, 0, 31};
inline constexpr PacketField kAll[] = {kOp,          kCompareSwap,   kComplete, kRead,
                                       kReadControl, kAutoIncrement, kDmode,    kBase,
                                       kSize,        kOffset0,       kOffset1,  kDestination,
                                       kSource0,     kSource0Hi,     kSource1,  kSource1Hi};
}  // namespace atomic_gds

namespace mem_semaphore {
inline constexpr PacketField kAddressLo{"ADDRESS_LO", 1, 3, 31};
inline constexpr PacketField kSelect{"SEM_SEL", 2, 29, 31};
inline constexpr PacketField kClient{"CLIENT_CODE", 2, 24, 25};
inline constexpr PacketField kSignalType{"SIGNAL_TYPE", 2, 20, 20};
inline constexpr PacketField kMailbox{"USE_MAILBOX", 2, 16, 16};
inline constexpr PacketField kWaitOnSignal{"WAIT_ON_SIGNAL", 2, 12, 12};
inline constexpr PacketField kAddressHi{"ADDRESS_HI", 2, 0, 7};
inline constexpr PacketField kAll[] = {kAddressLo, kSelect,       kClient,   kSignalType,
                                       kMailbox,   kWaitOnSignal, kAddressHi};
}  // namespace mem_semaphore

namespace occlusion_query {
inline constexpr PacketField kStartLo{"START_ADDR_LO", 1, 4, 31};
inline constexpr PacketField kStartHi{"START_ADDR_HI", 2, 0, 15};
inline constexpr PacketField kQueryLo{"QUERY_ADDR_LO", 3, 2, 31};
inline constexpr PacketField kQueryHi{"QUERY_ADDR_HI", 4, 0, 15};
inline constexpr PacketField kAll[] = {kStartLo, kStartHi, kQueryLo, kQueryHi};
}  // namespace occlusion_query

namespace strmout_buffer_update {
inline constexpr PacketField kBuffer{"BUFFER_SELECT", 1, 8, 9};
inline constexpr PacketField kSource{"SOURCE_SELECT", 1, 1, 2};
inline constexpr PacketField kUpdate{"UPDATE_MEMORY", 1, 0, 0};
inline constexpr FieldCondition kFromAddress = when(kSource, {2});
inline constexpr FieldCondition kFromPacket = unless(kSource, {2});
inline constexpr PacketField kDestinationLo{"DST_ADDRESS_LO", 2, 2, 31};
inline constexpr PacketField kDestinationSwap{"DST_SWAP", 2, 0, 1};
inline constexpr PacketField kDestinationHi{"DST_ADDRESS_HI", 3, 0, 15};
inline constexpr PacketField kOffset{"BUFFER_OFFSET", 4, 0, 31, &kFromPacket};
inline constexpr PacketField kSourceLo{"SRC_ADDRESS_LO", 4, 2, 31, &kFromAddress};
inline constexpr PacketField kSourceSwap{"SRC_SWAP", 4, 0, 1, &kFromAddress};
inline constexpr PacketField kSourceHi{"SRC_ADDRESS_HI", 5, 0, 15};
inline constexpr PacketField kAll[] = {kBuffer,          kSource,        kUpdate, kDestinationLo,
                                       kDestinationSwap, kDestinationHi, kOffset, kSourceLo,
                                       kSourceSwap,      kSourceHi};
}  // namespace strmout_buffer_update

// ---- data, 2.9 ---------------------------------------------------------------------------------
namespace alloc_gds {
inline constexpr PacketField kSize{"SEGMENT_SIZE", 1, 0, 15};
inline constexpr PacketField kAll[] = {kSize};
}  // namespace alloc_gds

namespace write_gds_ram {
inline constexpr PacketField kIndex{"GDS_INDEX", 1, 0, 15};
inline constexpr PacketField kData{"DATA", 2, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kIndex, kData};
}  // namespace write_gds_ram

namespace copy_dw {
inline constexpr PacketField kSource{"SRC_SPACE", 1, 0, 0};
inline constexpr PacketField kDestination{"DST_SPACE", 1, 1, 1};
inline constexpr FieldCondition kFromRegister = when(kSource, {0});
inline constexpr FieldCondition kFromMemory = when(kSource, {1});
inline constexpr FieldCondition kToRegister = when(kDestination, {0});
inline constexpr FieldCondition kToMemory = when(kDestination, {1});
inline constexpr PacketField kSourceRegister{"SRC_REGISTER", 2, 0, 15, &kFromRegister};
inline constexpr PacketField kSourceLo{"SRC_ADDR_LO", 2, 2, 31, &kFromMemory};
inline constexpr PacketField kSourceHi{"SRC_ADDR_HI", 3, 0, 15, &kFromMemory};
inline constexpr PacketField kRegister{"DST_REGISTER", 4, 0, 15, &kToRegister};
inline constexpr PacketField kAddressLo{"DST_ADDR_LO", 4, 2, 31, &kToMemory};
inline constexpr PacketField kAddressHi{"DST_ADDR_HI", 5, 0, 15, &kToMemory};
inline constexpr PacketField kAll[] = {kSource,   kDestination, kSourceRegister, kSourceLo,
                                       kSourceHi, kRegister,    kAddressLo,      kAddressHi};
}  // namespace copy_dw

namespace ce_write {
inline constexpr PacketField kAddressLo{"ADDR_LO", 1, 2, 31};
inline constexpr PacketField kAddressHi{"ADDR_HI", 2, 0, 15};
inline constexpr PacketField kData{"DATA", 3, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kAddressLo, kAddressHi, kData};
}  // namespace ce_write

// As the Linux driver of Cayman uses it; no document lays it out.
namespace me_write {
inline constexpr PacketField kAddressLo{"ADDR_LO", 1, 2, 31};
inline constexpr PacketField kAddressHi{"ADDR_HI", 2, 0, 15};
inline constexpr PacketField kData{"DATA", 3, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kAddressLo, kAddressHi, kData};
}  // namespace me_write

namespace scratch_ram_write {
inline constexpr PacketField kAddress{"SCRATCH_ADDR", 1, 0, 7};
inline constexpr PacketField kEngine{"ENG_SEL", 1, 30, 31};
inline constexpr PacketField kData{"SCRATCH_DATA", 2, 0, 31};
inline constexpr PacketField kAll[] = {kAddress, kEngine, kData};
}  // namespace scratch_ram_write

// A dword that is not looked at.
namespace dummy {
inline constexpr PacketField kDummy{"DUMMY", 1, 0, 31};
inline constexpr PacketField kAll[] = {kDummy};
}  // namespace dummy

// A body without a layout: the payload of NOP, and packets no public source lays out.
namespace payload {
inline constexpr PacketField kData{"DATA", 1, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kData};
}  // namespace payload

// ---- constant engine, 2.3 ----------------------------------------------------------------------
namespace write_const_ram {  // and WRITE_CONST_RAM_OFFSET
inline constexpr PacketField kOffset{"OFFSET", 1, 0, 15};
inline constexpr PacketField kData{"DATA", 2, 0, 31, nullptr, 1};
inline constexpr PacketField kAll[] = {kOffset, kData};
}  // namespace write_const_ram

namespace dump_const_ram {
inline constexpr PacketField kOffset{"OFFSET", 1, 0, 15};
inline constexpr PacketField kCount{"NUM_DW", 2, 0, 14};
inline constexpr PacketField kAddressLo{"ADDR_LO", 3, 0, 31};
inline constexpr PacketField kAddressHi{"ADDR_HI", 4, 0, 31};
inline constexpr PacketField kAll[] = {kOffset, kCount, kAddressLo, kAddressHi};
}  // namespace dump_const_ram

namespace load_const_ram {
inline constexpr PacketField kAddressLo{"ADDR_LO", 1, 0, 31};
inline constexpr PacketField kAddressHi{"ADDR_HI", 2, 0, 31};
inline constexpr PacketField kCount{"NUM_DW", 3, 0, 14};
inline constexpr PacketField kOffset{"OFFSET", 4, 0, 15};
inline constexpr PacketField kAll[] = {kAddressLo, kAddressHi, kCount, kOffset};
}  // namespace load_const_ram

namespace de_counter {  // SET_CE_DE_COUNTERS, WAIT_ON_DE_COUNTER
inline constexpr PacketField kLo{"COUNTER_LO", 1, 0, 31};
inline constexpr PacketField kHi{"COUNTER_HI", 2, 0, 31};
inline constexpr PacketField kAll[] = {kLo, kHi};
}  // namespace de_counter

namespace de_counter_diff {
inline constexpr PacketField kDiff{"DIFF", 1, 0, 31};
inline constexpr PacketField kAll[] = {kDiff};
}  // namespace de_counter_diff

}  // namespace archipelago::cp::fields
