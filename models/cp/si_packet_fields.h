// SPDX-License-Identifier: Apache-2.0
// Fields of the Southern Islands packets, as section 2 of "Radeon Southern Islands Acceleration"
// lays them out. CP_DMA, MEM_WRITE, ONE_REG_WRITE and PREAMBLE_CNTL are not laid out there: CP_DMA
// follows Mesa's packet database, MEM_WRITE the R6xx/R7xx document, the others the public drivers.
// Evergreen and later share these layouts where they share the packet.
#pragma once

#include "models/cp/packet_table.h"

namespace archipelago::cp::fields {

namespace set_base {
inline constexpr PacketField kBaseIndex{"BASE_INDEX", 1, 0, 3};
inline constexpr PacketField kAddress0{"ADDRESS0", 2, 0, 31};
inline constexpr PacketField kAddress1{"ADDRESS1", 3, 0, 15};
inline constexpr PacketField kAll[] = {kBaseIndex, kAddress0, kAddress1};
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
inline constexpr PacketField kAll[] = {kLoadControl, kShadowEnable};
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
inline constexpr PacketField kAll[] = {kSwap, kBaseLo, kBaseHi, kSize, kVmid};
}  // namespace indirect_buffer

namespace write_data {
inline constexpr PacketField kEngine{"ENGINE_SEL", 1, 30, 31};
inline constexpr PacketField kConfirm{"WR_CONFIRM", 1, 20, 20};
inline constexpr PacketField kOneAddress{"WR_ONE_ADDR", 1, 16, 16};
inline constexpr PacketField kDestination{"DST_SEL", 1, 8, 11};
inline constexpr PacketField kAddressLo{"DST_ADDR_LO", 2, 0, 31};
inline constexpr PacketField kAddressHi{"DST_ADDR_HI", 3, 0, 31};
inline constexpr PacketField kAll[] = {kEngine,      kConfirm,   kOneAddress,
                                       kDestination, kAddressLo, kAddressHi};
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
inline constexpr PacketField kAll[] = {kEngine,    kMemSpace,  kFunction, kAddressLo,
                                       kAddressHi, kReference, kMask,     kInterval};
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
inline constexpr PacketField kAll[] = {kWriteSpace, kPollSpace, kFunction, kPollLo,  kPollHi,
                                       kReference,  kMask,      kWriteLo,  kWriteHi, kData};
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
inline constexpr PacketField kAll[] = {kEngine,   kConfirm,  kCount,     kDestination, kSource,
                                       kSourceLo, kSourceHi, kAddressLo, kAddressHi};
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
inline constexpr PacketField kAll[] = {
    kSourceLo, kSourceHi,   kDestination,     kEngine, kSource, kSync, kAddressLo, kAddressHi,
    kBytes,    kSourceSwap, kDestinationSwap, kSas,    kDas,    kSaic, kDaic,      kRawWait};
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
inline constexpr PacketField kHeaderDump{"HEADER_DUMP_ENABLE", 6, 31, 31};
inline constexpr PacketField kAll[] = {kReset, kMaxContext, kDevice, kSwap, kHeaderDump};
}  // namespace me_initialize

namespace event_write {
inline constexpr PacketField kInvalidateL2{"INV_L2", 1, 20, 20};
inline constexpr PacketField kIndex{"EVENT_INDEX", 1, 8, 11};
inline constexpr PacketField kType{"EVENT_TYPE", 1, 0, 5};
inline constexpr PacketField kAll[] = {kInvalidateL2, kIndex, kType};
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
inline constexpr PacketField kAll[] = {
    event_write::kIndex, event_write::kType, kAddressLo, kCommand, kAddressHi, kData};
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
inline constexpr PacketField kAll[] = {kOffset};
}  // namespace set_reg

namespace set_predication {
inline constexpr PacketField kOperation{"PRED_OP", 2, 16, 18};
inline constexpr PacketField kAll[] = {kOperation};
}  // namespace set_predication

// ---- constant engine, 2.3 ----------------------------------------------------------------------
namespace write_const_ram {  // and WRITE_CONST_RAM_OFFSET; the data follow
inline constexpr PacketField kOffset{"OFFSET", 1, 0, 15};
inline constexpr PacketField kAll[] = {kOffset};
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
