// SPDX-License-Identifier: Apache-2.0
// Packets of draws, dispatches, blits and the state they work with.
#include <array>

#include "models/afuc/pm4/packets/field_values.h"
#include "models/front/join_fields.h"

namespace archipelago::afuc {
namespace {

using front::FieldCondition;
using front::PacketField;
using front::when;

// ---- draws -------------------------------------------------------------------------------------

constexpr ValueName kPrimNames[] = {
    {0, "DI_PT_NONE"},       {1, "DI_PT_POINTLIST_PSIZE"}, {2, "DI_PT_LINELIST"},
    {3, "DI_PT_LINESTRIP"},  {4, "DI_PT_TRILIST"},         {5, "DI_PT_TRIFAN"},
    {6, "DI_PT_TRISTRIP"},   {7, "DI_PT_LINELOOP"},        {8, "DI_PT_RECTLIST"},
    {9, "DI_PT_POINTLIST"},  {10, "DI_PT_LINE_ADJ"},       {11, "DI_PT_LINESTRIP_ADJ"},
    {12, "DI_PT_TRI_ADJ"},   {13, "DI_PT_TRISTRIP_ADJ"},   {31, "DI_PT_PATCHES0"},
    {32, "DI_PT_PATCHES1"},  {33, "DI_PT_PATCHES2"},       {34, "DI_PT_PATCHES3"},
    {35, "DI_PT_PATCHES4"},  {36, "DI_PT_PATCHES5"},       {37, "DI_PT_PATCHES6"},
    {38, "DI_PT_PATCHES7"},  {39, "DI_PT_PATCHES8"},       {40, "DI_PT_PATCHES9"},
    {41, "DI_PT_PATCHES10"}, {42, "DI_PT_PATCHES11"},      {43, "DI_PT_PATCHES12"},
    {44, "DI_PT_PATCHES13"}, {45, "DI_PT_PATCHES14"},      {46, "DI_PT_PATCHES15"},
    {47, "DI_PT_PATCHES16"}, {48, "DI_PT_PATCHES17"},      {49, "DI_PT_PATCHES18"},
    {50, "DI_PT_PATCHES19"}, {51, "DI_PT_PATCHES20"},      {52, "DI_PT_PATCHES21"},
    {53, "DI_PT_PATCHES22"}, {54, "DI_PT_PATCHES23"},      {55, "DI_PT_PATCHES24"},
    {56, "DI_PT_PATCHES25"}, {57, "DI_PT_PATCHES26"},      {58, "DI_PT_PATCHES27"},
    {59, "DI_PT_PATCHES28"}, {60, "DI_PT_PATCHES29"},      {61, "DI_PT_PATCHES30"},
    {62, "DI_PT_PATCHES31"}};
constexpr front::FieldMeaning kPrim = front::value_names(kPrimNames);
constexpr ValueName kSourceNames[] = {{0, "DI_SRC_SEL_DMA"},
                                      {1, "DI_SRC_SEL_IMMEDIATE"},
                                      {2, "DI_SRC_SEL_AUTO_INDEX"},
                                      {3, "DI_SRC_SEL_AUTO_XFB"}};
constexpr front::FieldMeaning kSource = front::value_names(kSourceNames);
constexpr ValueName kVisCullNames[] = {{0, "IGNORE_VISIBILITY"}, {1, "USE_VISIBILITY"}};
constexpr front::FieldMeaning kVisCull = front::value_names(kVisCullNames);
constexpr ValueName kIndexSizeNames[] = {
    {0, "INDEX4_SIZE_8_BIT"}, {1, "INDEX4_SIZE_16_BIT"}, {2, "INDEX4_SIZE_32_BIT"}};
constexpr front::FieldMeaning kIndexSize = front::value_names(kIndexSizeNames);
constexpr ValueName kPatchNames[] = {
    {0, "TESS_QUADS"}, {1, "TESS_TRIANGLES"}, {2, "TESS_ISOLINES"}};
constexpr front::FieldMeaning kPatch = front::value_names(kPatchNames);

// Fields of the initiator, dword 1 of every draw.
constexpr PacketField kPrimType{"PRIM_TYPE", 1, 0, 5, &kPrim};
constexpr PacketField kSourceSelect{"SOURCE_SELECT", 1, 6, 7, &kSource};
constexpr PacketField kInitiatorVisCull{"VIS_CULL", 1, 8, 9, &kVisCull};
constexpr PacketField kInitiatorIndexSize{"INDEX_SIZE", 1, 10, 11, &kIndexSize};
constexpr PacketField kPatchType{"PATCH_TYPE", 1, 12, 13, &kPatch};
constexpr PacketField kGsEnable{"GS_ENABLE", 1, 16, 16};
constexpr PacketField kTessEnable{"TESS_ENABLE", 1, 17, 17};

constexpr ValueName kOldIndexSizeNames[] = {
    {0, "INDEX_SIZE_16_BIT"}, {0, "INDEX_SIZE_IGN"}, {1, "INDEX_SIZE_32_BIT"}};
constexpr front::FieldMeaning kOldIndexSize = front::value_names(kOldIndexSizeNames);
// The initiator of generations before a4xx.
constexpr PacketField kDrawIndx[] = {{"VIZ_QUERY", 1, 0, 31},
                                     {"PRIM_TYPE", 2, 0, 5, &kPrim},
                                     {"SOURCE_SELECT", 2, 6, 7, &kSource},
                                     {"VIS_CULL", 2, 9, 10, &kVisCull},
                                     {"INDEX_SIZE", 2, 11, 11, &kOldIndexSize},
                                     {"NOT_EOP", 2, 12, 12},
                                     {"SMALL_INDEX", 2, 13, 13},
                                     {"PRE_DRAW_INITIATOR_ENABLE", 2, 14, 14},
                                     {"NUM_INSTANCES", 2, 24, 31},
                                     {"NUM_INDICES", 3, 0, 31},
                                     {"INDX_BASE", 4, 0, 31},
                                     {"INDX_SIZE", 5, 0, 31}};
// VGT_DRAW_INITIATOR, which draws begin with.
constexpr std::array<PacketField, 7> kInitiator{{kPrimType, kSourceSelect, kInitiatorVisCull,
                                                 kInitiatorIndexSize, kPatchType, kGsEnable,
                                                 kTessEnable}};
constexpr auto kDrawIndxOffset =
    join(kInitiator, std::array<PacketField, 6>{{{"NUM_INSTANCES", 2, 0, 31},
                                                 {"NUM_INDICES", 3, 0, 31},
                                                 {"FIRST_INDX", 4, 0, 31},
                                                 {"INDX_BASE_LO", 5, 0, 31},
                                                 {"INDX_BASE_HI", 6, 0, 31},
                                                 {"MAX_INDICES", 7, 0, 31}}});
constexpr auto kDrawIndirect = join(
    kInitiator, std::array<PacketField, 2>{{{"INDIRECT_LO", 2, 0, 31}, {"INDIRECT_HI", 3, 0, 31}}});
constexpr auto kDrawIndxIndirect =
    join(kInitiator, std::array<PacketField, 5>{{{"INDX_BASE_LO", 2, 0, 31},
                                                 {"INDX_BASE_HI", 3, 0, 31},
                                                 {"MAX_INDICES", 4, 0, 31},
                                                 {"INDIRECT_LO", 5, 0, 31},
                                                 {"INDIRECT_HI", 6, 0, 31}}});

constexpr ValueName kMultiNames[] = {{2, "INDIRECT_OP_NORMAL"},
                                     {4, "INDIRECT_OP_INDEXED"},
                                     {6, "INDIRECT_OP_INDIRECT_COUNT"},
                                     {7, "INDIRECT_OP_INDIRECT_COUNT_INDEXED"}};
constexpr front::FieldMeaning kMulti = front::value_names(kMultiNames);
constexpr PacketField kMultiOpcode{"OPCODE", 2, 0, 3, &kMulti};
constexpr FieldCondition kNormal = when(kMultiOpcode, {2});
constexpr FieldCondition kIndexed = when(kMultiOpcode, {4});
constexpr FieldCondition kCounted = when(kMultiOpcode, {6});
constexpr FieldCondition kCountedIndexed = when(kMultiOpcode, {7});
constexpr auto kDrawIndirectMulti = join(
    kInitiator,
    std::array<PacketField, 25>{{kMultiOpcode,
                                 {"DST_OFF", 2, 8, 21},
                                 {"DRAW_COUNT", 3, 0, 31},
                                 PacketField{"INDIRECT_LO", 4, 0, 31}.when(kNormal),
                                 PacketField{"INDIRECT_HI", 5, 0, 31}.when(kNormal),
                                 PacketField{"STRIDE", 6, 0, 31}.when(kNormal),
                                 PacketField{"INDEX_LO", 4, 0, 31}.when(kIndexed),
                                 PacketField{"INDEX_HI", 5, 0, 31}.when(kIndexed),
                                 PacketField{"MAX_INDICES", 6, 0, 31}.when(kIndexed),
                                 PacketField{"INDIRECT_LO", 7, 0, 31}.when(kIndexed),
                                 PacketField{"INDIRECT_HI", 8, 0, 31}.when(kIndexed),
                                 PacketField{"STRIDE", 9, 0, 31}.when(kIndexed),
                                 PacketField{"INDIRECT_LO", 4, 0, 31}.when(kCounted),
                                 PacketField{"INDIRECT_HI", 5, 0, 31}.when(kCounted),
                                 PacketField{"INDIRECT_COUNT_LO", 6, 0, 31}.when(kCounted),
                                 PacketField{"INDIRECT_COUNT_HI", 7, 0, 31}.when(kCounted),
                                 PacketField{"STRIDE", 8, 0, 31}.when(kCounted),
                                 PacketField{"INDEX_LO", 4, 0, 31}.when(kCountedIndexed),
                                 PacketField{"INDEX_HI", 5, 0, 31}.when(kCountedIndexed),
                                 PacketField{"MAX_INDICES", 6, 0, 31}.when(kCountedIndexed),
                                 PacketField{"INDIRECT_LO", 7, 0, 31}.when(kCountedIndexed),
                                 PacketField{"INDIRECT_HI", 8, 0, 31}.when(kCountedIndexed),
                                 PacketField{"INDIRECT_COUNT_LO", 9, 0, 31}.when(kCountedIndexed),
                                 PacketField{"INDIRECT_COUNT_HI", 10, 0, 31}.when(kCountedIndexed),
                                 PacketField{"STRIDE", 11, 0, 31}.when(kCountedIndexed)}});
constexpr auto kDrawAuto =
    join(kInitiator, std::array<PacketField, 5>{{{"NUM_INSTANCES", 2, 0, 31},
                                                 {"NUM_VERTICES_BASE_LO", 3, 0, 31},
                                                 {"NUM_VERTICES_BASE_HI", 4, 0, 31},
                                                 {"NUM_VERTICES_OFFSET", 5, 0, 31},
                                                 {"STRIDE", 6, 0, 31}}});
constexpr PacketField kFixedStrideDrawTable[] = {{"IB_BASE_LO", 1, 0, 31},
                                                 {"IB_BASE_HI", 2, 0, 31},
                                                 {"IB_SIZE", 3, 0, 11},
                                                 {"STRIDE", 3, 20, 31},
                                                 {"COUNT", 4, 0, 31}};

constexpr PacketField kEnable[] = {{"ENABLE", 1, 0, 0}};
constexpr ValueName kPredSourceNames[] = {{5, "PRED_SRC_MEM"}};
constexpr front::FieldMeaning kPredSource = front::value_names(kPredSourceNames);
constexpr ValueName kPredTestNames[] = {{0, "NE_0_PASS"}, {1, "EQ_0_PASS"}};
constexpr front::FieldMeaning kPredTest = front::value_names(kPredTestNames);
constexpr PacketField kDrawPredSet[] = {{"SRC", 1, 4, 7, &kPredSource},
                                        {"TEST", 1, 8, 8, &kPredTest},
                                        {"MEM_ADDR_LO", 2, 0, 31},
                                        {"MEM_ADDR_HI", 3, 0, 31}};

// ---- dispatches --------------------------------------------------------------------------------

constexpr PacketField kExecCs[] = {
    {"NGROUPS_X", 2, 0, 31}, {"NGROUPS_Y", 3, 0, 31}, {"NGROUPS_Z", 4, 0, 31}};
constexpr PacketField kExecCsIndirect[] = {{"ADDR_LO", 2, 0, 31},
                                           {"ADDR_HI", 3, 0, 31},
                                           {"LOCALSIZEX", 4, 2, 11},
                                           {"LOCALSIZEY", 4, 12, 21},
                                           {"LOCALSIZEZ", 4, 22, 31}};

// ---- blits -------------------------------------------------------------------------------------

constexpr ValueName kBlitNames[] = {{0, "BLIT_OP_FILL"}, {1, "BLIT_OP_COPY"}, {3, "BLIT_OP_SCALE"}};
constexpr front::FieldMeaning kBlitOps = front::value_names(kBlitNames);
constexpr PacketField kBlit[] = {
    {"OP", 1, 0, 3, &kBlitOps}, {"SRC_X1", 2, 0, 13},  {"SRC_Y1", 2, 16, 29},
    {"SRC_X2", 3, 0, 13},       {"SRC_Y2", 3, 16, 29}, {"DST_X1", 4, 0, 13},
    {"DST_Y1", 4, 16, 29},      {"DST_X2", 5, 0, 13},  {"DST_Y2", 5, 16, 29}};

// ---- state -------------------------------------------------------------------------------------

constexpr ValueName kBlock4Names[] = {
    {0, "SB4_VS_TEX"},     {1, "SB4_HS_TEX"},     {2, "SB4_DS_TEX"},     {3, "SB4_GS_TEX"},
    {4, "SB4_FS_TEX"},     {5, "SB4_CS_TEX"},     {8, "SB4_VS_SHADER"},  {9, "SB4_HS_SHADER"},
    {10, "SB4_DS_SHADER"}, {11, "SB4_GS_SHADER"}, {12, "SB4_FS_SHADER"}, {13, "SB4_CS_SHADER"},
    {14, "SB4_SSBO"},      {15, "SB4_CS_SSBO"}};
constexpr front::FieldMeaning kBlock4 = front::value_names(kBlock4Names);
constexpr ValueName kSource4Names[] = {{0, "SS4_DIRECT"}, {2, "SS4_INDIRECT"}};
constexpr front::FieldMeaning kSource4 = front::value_names(kSource4Names);
constexpr ValueName kType4Names[] = {{0, "ST4_SHADER"}, {1, "ST4_CONSTANTS"}, {2, "ST4_UBO"}};
constexpr front::FieldMeaning kType4 = front::value_names(kType4Names);
constexpr PacketField kLoadState4[] = {{"DST_OFF", 1, 0, 13},
                                       {"STATE_SRC", 1, 16, 17, &kSource4},
                                       {"STATE_BLOCK", 1, 18, 21, &kBlock4},
                                       {"NUM_UNIT", 1, 22, 31},
                                       {"STATE_TYPE", 2, 0, 1, &kType4},
                                       {"EXT_SRC_ADDR_LO", 2, 2, 31, &kAddress},
                                       {"EXT_SRC_ADDR_HI", 3, 0, 31},
                                       PacketField{"DATA", 4, 0, 31}.every(1)};

constexpr ValueName kBlock6Names[] = {
    {0, "SB6_VS_TEX"},     {1, "SB6_HS_TEX"},     {2, "SB6_DS_TEX"},     {3, "SB6_GS_TEX"},
    {4, "SB6_FS_TEX"},     {5, "SB6_CS_TEX"},     {8, "SB6_VS_SHADER"},  {9, "SB6_HS_SHADER"},
    {10, "SB6_DS_SHADER"}, {11, "SB6_GS_SHADER"}, {12, "SB6_FS_SHADER"}, {13, "SB6_CS_SHADER"},
    {14, "SB6_IBO"},       {15, "SB6_CS_IBO"}};
constexpr front::FieldMeaning kBlock6 = front::value_names(kBlock6Names);
constexpr ValueName kSource6Names[] = {
    {0, "SS6_DIRECT"}, {1, "SS6_BINDLESS"}, {2, "SS6_INDIRECT"}, {3, "SS6_UBO"}};
constexpr front::FieldMeaning kSource6 = front::value_names(kSource6Names);
constexpr ValueName kType6Names[] = {
    {0, "ST6_SHADER"}, {1, "ST6_CONSTANTS"}, {2, "ST6_UBO"}, {3, "ST6_IBO"}};
constexpr front::FieldMeaning kType6 = front::value_names(kType6Names);
constexpr PacketField kLoadState6[] = {{"DST_OFF", 1, 0, 13},
                                       {"STATE_TYPE", 1, 14, 15, &kType6},
                                       {"STATE_SRC", 1, 16, 17, &kSource6},
                                       {"STATE_BLOCK", 1, 18, 21, &kBlock6},
                                       {"NUM_UNIT", 1, 22, 31},
                                       {"EXT_SRC_ADDR_LO", 2, 2, 31, &kAddress},
                                       {"EXT_SRC_ADDR_HI", 3, 0, 31},
                                       PacketField{"DATA", 4, 0, 31}.every(1)};

// A group begins with COUNT.
constexpr PacketField kSetDrawState[] = {PacketField{"COUNT", 1, 0, 15}.every(3),
                                         PacketField{"DIRTY", 1, 16, 16}.every(3),
                                         PacketField{"DISABLE", 1, 17, 17}.every(3),
                                         PacketField{"DISABLE_ALL_GROUPS", 1, 18, 18}.every(3),
                                         PacketField{"LOAD_IMMED", 1, 19, 19}.every(3),
                                         PacketField{"GROUP_ID", 1, 24, 28}.every(3),
                                         PacketField{"ADDR_LO", 2, 0, 31}.every(3),
                                         PacketField{"ADDR_HI", 3, 0, 31}.every(3)};
constexpr PacketField kSetDrawStateA6[] = {PacketField{"COUNT", 1, 0, 15}.every(3),
                                           PacketField{"DIRTY", 1, 16, 16}.every(3),
                                           PacketField{"DISABLE", 1, 17, 17}.every(3),
                                           PacketField{"DISABLE_ALL_GROUPS", 1, 18, 18}.every(3),
                                           PacketField{"LOAD_IMMED", 1, 19, 19}.every(3),
                                           PacketField{"BINNING", 1, 20, 20}.every(3),
                                           PacketField{"GMEM", 1, 21, 21}.every(3),
                                           PacketField{"SYSMEM", 1, 22, 22}.every(3),
                                           PacketField{"GROUP_ID", 1, 24, 28}.every(3),
                                           PacketField{"ADDR_LO", 2, 0, 31}.every(3),
                                           PacketField{"ADDR_HI", 3, 0, 31}.every(3)};

// ---- bins --------------------------------------------------------------------------------------

constexpr PacketField kSetBinData5[] = {
    {"VSC_SIZE", 1, 16, 21},           {"VSC_N", 1, 22, 26},
    {"BIN_DATA_ADDR_LO", 2, 0, 31},    {"BIN_DATA_ADDR_HI", 3, 0, 31},
    {"BIN_SIZE_ADDRESS_LO", 4, 0, 31}, {"BIN_SIZE_ADDRESS_HI", 5, 0, 31},
    {"BIN_PRIM_STRM_LO", 6, 0, 31},    {"BIN_PRIM_STRM_HI", 7, 0, 31}};
constexpr PacketField kSetBinData5Offset[] = {{"VSC_SIZE", 1, 16, 21},
                                              {"VSC_N", 1, 22, 26},
                                              {"BIN_DATA_OFFSET", 2, 0, 31},
                                              {"BIN_SIZE_OFFSET", 3, 0, 31},
                                              {"BIN_DATA2_OFFSET", 4, 0, 31}};
constexpr PacketField kStartBin[] = {{"BIN_COUNT", 1, 0, 31},
                                     {"PREFIX_ADDR_LO", 2, 0, 31},
                                     {"PREFIX_ADDR_HI", 3, 0, 31},
                                     {"PREFIX_DWORDS", 4, 0, 31},
                                     {"BODY_DWORDS", 5, 0, 31}};

constexpr PacketRow kRows[] = {
    row("CP_DRAW_INDX", 3, 5, kDrawIndx),
    row("CP_DRAW_INDX_OFFSET", 3, 7, kDrawIndxOffset),
    row("CP_DRAW_INDIRECT", 3, kDrawIndirect),
    row("CP_DRAW_INDX_INDIRECT", 6, kDrawIndxIndirect),
    row("CP_DRAW_INDIRECT_MULTI", 6, 11, kDrawIndirectMulti),
    row("CP_DRAW_AUTO", 6, kDrawAuto),
    row("CP_FIXED_STRIDE_DRAW_TABLE", 4, kFixedStrideDrawTable),
    row("CP_DRAW_PRED_ENABLE_GLOBAL", 1, kEnable),
    row("CP_DRAW_PRED_ENABLE_LOCAL", 1, kEnable),
    row("CP_DRAW_PRED_SET", 3, kDrawPredSet),
    row("CP_EXEC_CS", 4, kExecCs),
    row("CP_EXEC_CS_INDIRECT", 4, kExecCsIndirect),
    row("CP_BLIT", 1, 5, kBlit),
    row("CP_LOAD_STATE4", 3, kMaxBodyDwords, kLoadState4),
    row("CP_LOAD_STATE6", 3, kMaxBodyDwords, kLoadState6),
    row("CP_LOAD_STATE6_GEOM", 3, kMaxBodyDwords, kLoadState6),
    row("CP_LOAD_STATE6_FRAG", 3, kMaxBodyDwords, kLoadState6),
    row("CP_SET_DRAW_STATE", 3, kMaxBodyDwords, kSetDrawState, kA5),
    row("CP_SET_DRAW_STATE", 3, kMaxBodyDwords, kSetDrawStateA6, kFromA6),
    // The dwords that a7xx adds have no names.
    row("CP_SET_BIN_DATA5", 5, 11, kSetBinData5),
    row("CP_SET_BIN_DATA5_OFFSET", 4, kSetBinData5Offset),
    row("CP_START_BIN", 5, kStartBin),
};

}  // namespace

Rows draw_packets() {
    return rows_of(kRows);
}

}  // namespace archipelago::afuc
