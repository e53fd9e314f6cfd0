// SPDX-License-Identifier: Apache-2.0
// Packets that move registers and memory.
#include "models/afuc/pm4/packets/field_values.h"

namespace archipelago::afuc {
namespace {

using front::PacketField;

// ---- registers ---------------------------------------------------------------------------------

constexpr PacketField kRegRmw[] = {{"DST_REG", 1, 0, 17, &kRegister},
                                   {"ROTATE", 1, 24, 28},
                                   {"SRC1_ADD", 1, 29, 29},
                                   {"SRC1_IS_REG", 1, 30, 30},
                                   {"SRC0_IS_REG", 1, 31, 31},
                                   {"SRC0", 2, 0, 31},
                                   {"SRC1", 3, 0, 31}};
constexpr PacketField kRegRmwA7[] = {{"DST_REG", 1, 0, 17, &kRegister},
                                     {"DST_SCRATCH", 1, 19, 19},
                                     {"SKIP_WAIT_FOR_ME", 1, 23, 23},
                                     {"ROTATE", 1, 24, 28},
                                     {"SRC1_ADD", 1, 29, 29},
                                     {"SRC1_IS_REG", 1, 30, 30},
                                     {"SRC0_IS_REG", 1, 31, 31},
                                     {"SRC0", 2, 0, 31},
                                     {"SRC1", 3, 0, 31}};

constexpr ValueName kTrackerNames[] = {
    {1, "TRACK_CNTL_REG"}, {2, "TRACK_RENDER_CNTL"}, {4, "UNK_EVENT_WRITE"}, {8, "TRACK_LRZ"}};
constexpr front::FieldMeaning kTracker = front::value_names(kTrackerNames);
constexpr PacketField kRegWrite[] = {
    {"TRACKER", 1, 0, 3, &kTracker}, {"REG", 2, 0, 17, &kRegister}, {"VALUE", 3, 0, 31}};

constexpr PacketField kContextRegBunch[] = {PacketField{"REG", 1, 0, 17, &kRegister}.every(2),
                                            PacketField{"VALUE", 2, 0, 31}.every(2)};

constexpr ValueName kPseudoRegNames[] = {{0, "SMMU_INFO"},
                                         {1, "NON_SECURE_SAVE_ADDR"},
                                         {2, "SECURE_SAVE_ADDR"},
                                         {3, "NON_PRIV_SAVE_ADDR"},
                                         {4, "COUNTER"},
                                         {8, "DRAW_STRM_ADDRESS"},
                                         {9, "DRAW_STRM_SIZE_ADDRESS"},
                                         {10, "PRIM_STRM_ADDRESS"},
                                         {11, "UNK_STRM_ADDRESS"},
                                         {12, "UNK_STRM_SIZE_ADDRESS"},
                                         {16, "BINDLESS_BASE_0_ADDR"},
                                         {17, "BINDLESS_BASE_1_ADDR"},
                                         {18, "BINDLESS_BASE_2_ADDR"},
                                         {19, "BINDLESS_BASE_3_ADDR"},
                                         {20, "BINDLESS_BASE_4_ADDR"},
                                         {21, "BINDLESS_BASE_5_ADDR"},
                                         {22, "BINDLESS_BASE_6_ADDR"}};
constexpr front::FieldMeaning kPseudoReg = front::value_names(kPseudoRegNames);
// LO and HI in the source; the names here make ADDR of both.
constexpr PacketField kSetPseudoReg[] = {PacketField{"PSEUDO_REG", 1, 0, 10, &kPseudoReg}.every(3),
                                         PacketField{"ADDR_LO", 2, 0, 31}.every(3),
                                         PacketField{"ADDR_HI", 3, 0, 31}.every(3)};

// ---- registers to memory and back --------------------------------------------------------------

constexpr PacketField kRegToMem[] = {{"REG", 1, 0, 17, &kRegister}, {"CNT", 1, 18, 29},
                                     {"_64B", 1, 30, 30},           {"ACCUMULATE", 1, 31, 31},
                                     {"DEST_LO", 2, 0, 31},         {"DEST_HI", 3, 0, 31}};
constexpr PacketField kRegToMemOffsetReg[] = {{"REG", 1, 0, 17, &kRegister},
                                              {"CNT", 1, 18, 29},
                                              {"_64B", 1, 30, 30},
                                              {"ACCUMULATE", 1, 31, 31},
                                              {"DEST_LO", 2, 0, 31},
                                              {"DEST_HI", 3, 0, 31},
                                              {"OFFSET0", 4, 0, 17, &kRegister},
                                              {"OFFSET0_SCRATCH", 4, 19, 19}};
constexpr PacketField kRegToMemOffsetMem[] = {
    {"REG", 1, 0, 17, &kRegister}, {"CNT", 1, 18, 29},     {"_64B", 1, 30, 30},
    {"ACCUMULATE", 1, 31, 31},     {"DEST_LO", 2, 0, 31},  {"DEST_HI", 3, 0, 31},
    {"OFFSET_LO", 4, 0, 31},       {"OFFSET_HI", 5, 0, 31}};
constexpr PacketField kMemToReg[] = {{"REG", 1, 0, 17, &kRegister}, {"CNT", 1, 19, 29},
                                     {"SHIFT_BY_2", 1, 30, 30},     {"UNK31", 1, 31, 31},
                                     {"SRC_LO", 2, 0, 31},          {"SRC_HI", 3, 0, 31}};

// ---- memory ------------------------------------------------------------------------------------

constexpr PacketField kMemWrite[] = {
    {"ADDR_LO", 1, 0, 31}, {"ADDR_HI", 2, 0, 31}, PacketField{"DATA", 3, 0, 31}.every(1)};
// The destination, then what is added up.
constexpr PacketField kMemToMem[] = {
    {"NEG_A", 1, 0, 0},     {"NEG_B", 1, 1, 1},     {"NEG_C", 1, 2, 2},
    {"DOUBLE", 1, 29, 29},  {"UNK31", 1, 31, 31},   {"WAIT_FOR_MEM_WRITES", 1, 30, 30},
    {"DST_LO", 2, 0, 31},   {"DST_HI", 3, 0, 31},   {"SRC_A_LO", 4, 0, 31},
    {"SRC_A_HI", 5, 0, 31}, {"SRC_B_LO", 6, 0, 31}, {"SRC_B_HI", 7, 0, 31},
    {"SRC_C_LO", 8, 0, 31}, {"SRC_C_HI", 9, 0, 31}};
constexpr PacketField kMemcpy[] = {{"DWORDS", 1, 0, 31},
                                   {"SRC_LO", 2, 0, 31},
                                   {"SRC_HI", 3, 0, 31},
                                   {"DST_LO", 4, 0, 31},
                                   {"DST_HI", 5, 0, 31}};

// ---- scratch -----------------------------------------------------------------------------------

constexpr PacketField kScratchWrite[] = {{"SCRATCH", 1, 20, 22},
                                         PacketField{"DATA", 2, 0, 31}.every(1)};
constexpr PacketField kRegToScratch[] = {
    {"REG", 1, 0, 17, &kRegister}, {"SCRATCH", 1, 20, 22}, {"CNT", 1, 24, 26}};
constexpr PacketField kRegToScratchA7[] = {{"REG", 1, 0, 17, &kRegister},
                                           {"SCRATCH", 1, 20, 22},
                                           {"CNT", 1, 24, 26},
                                           {"SKIP_WAIT_FOR_ME", 1, 27, 27}};
constexpr PacketField kScratchToReg[] = {{"REG", 1, 0, 17, &kRegister},
                                         {"UNK18", 1, 18, 18},
                                         {"SCRATCH", 1, 20, 22},
                                         {"CNT", 1, 24, 26}};
constexpr PacketField kMemToScratchMem[] = {
    {"CNT", 1, 0, 5}, {"OFFSET", 2, 0, 5}, {"SRC_LO", 3, 0, 31}, {"SRC_HI", 4, 0, 31}};

constexpr PacketRow kRows[] = {
    row("CP_REG_RMW", 3, kRegRmw, kA5 | kA6),
    row("CP_REG_RMW", 3, kRegRmwA7, kA7),
    row("CP_REG_WRITE", 3, kRegWrite),
    row("CP_CONTEXT_REG_BUNCH", 2, kMaxBodyDwords, kContextRegBunch),
    row("CP_SET_PSEUDO_REG", 3, kMaxBodyDwords, kSetPseudoReg),
    row("CP_REG_TO_MEM", 3, kRegToMem),
    row("CP_REG_TO_MEM_OFFSET_REG", 4, kRegToMemOffsetReg),
    row("CP_REG_TO_MEM_OFFSET_MEM", 5, kRegToMemOffsetMem),
    row("CP_MEM_TO_REG", 3, kMemToReg),
    row("CP_MEM_WRITE", 2, kMaxBodyDwords, kMemWrite),
    row("CP_MEM_TO_MEM", 5, 9, kMemToMem),
    row("CP_MEMCPY", 5, kMemcpy),
    row("CP_SCRATCH_WRITE", 1, kMaxBodyDwords, kScratchWrite),
    row("CP_REG_TO_SCRATCH", 1, kRegToScratch, kA5 | kA6),
    row("CP_REG_TO_SCRATCH", 1, kRegToScratchA7, kA7),
    row("CP_SCRATCH_TO_REG", 1, kScratchToReg),
    row("CP_MEM_TO_SCRATCH_MEM", 4, kMemToScratchMem),
};

}  // namespace

Rows memory_packets() {
    return rows_of(kRows);
}

}  // namespace archipelago::afuc
