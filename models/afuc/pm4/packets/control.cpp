// SPDX-License-Identifier: Apache-2.0
// Packets that steer the command processor: buffers, conditions, waits, events, modes, threads.
#include <array>

#include "models/afuc/pm4/packets/field_values.h"
#include "models/front/join_fields.h"

namespace archipelago::afuc {
namespace {

using front::FieldCondition;
using front::PacketField;
using front::unless;
using front::when;

// ---- start and buffers -------------------------------------------------------------------------

// From the payload that the msm driver sends; only the words with a known purpose have names.
constexpr PacketField kMeInit[] = {{"ORDINALS", 1, 0, 31},        {"HW_CONTEXTS", 2, 0, 31},
                                   {"ERROR_DETECTION", 3, 0, 31}, {"HEADER_DUMP_LO", 4, 0, 31},
                                   {"HEADER_DUMP_HI", 5, 0, 31},  {"WORKAROUNDS", 6, 0, 31}};
constexpr PacketField kMeInitA7[] = {
    {"ORDINALS", 1, 0, 31},       {"HW_CONTEXTS", 2, 0, 31},      {"ERROR_DETECTION", 3, 0, 31},
    {"OPERATION_MODE", 4, 0, 31}, {"REGISTER_LIST_LO", 5, 0, 31}, {"REGISTER_LIST_HI", 6, 0, 31}};
constexpr PacketField kIndirectBuffer[] = {
    {"IB_BASE_LO", 1, 0, 31}, {"IB_BASE_HI", 2, 0, 31}, {"IB_SIZE", 3, 0, 19}};
constexpr ValueName kAmbleNames[] = {{0, "PREAMBLE_AMBLE_TYPE"},
                                     {1, "BIN_PREAMBLE_AMBLE_TYPE"},
                                     {2, "POSTAMBLE_AMBLE_TYPE"},
                                     {3, "KMD_AMBLE_TYPE"}};
constexpr front::FieldMeaning kAmble = front::value_names(kAmbleNames);
constexpr PacketField kSetAmble[] = {{"ADDR_LO", 1, 0, 31},
                                     {"ADDR_HI", 2, 0, 31},
                                     {"DWORDS", 3, 0, 19},
                                     {"TYPE", 3, 20, 21, &kAmble}};

// ---- conditions and waits ----------------------------------------------------------------------

constexpr ValueName kFunctionNames[] = {{0, "WRITE_ALWAYS"}, {1, "WRITE_LT"}, {2, "WRITE_LE"},
                                        {3, "WRITE_EQ"},     {4, "WRITE_NE"}, {5, "WRITE_GE"},
                                        {6, "WRITE_GT"}};
constexpr front::FieldMeaning kFunction = front::value_names(kFunctionNames);
constexpr ValueName kPollNames[] = {{0, "POLL_REGISTER"}, {1, "POLL_MEMORY"}, {2, "POLL_SCRATCH"}};
constexpr front::FieldMeaning kPollA5 = front::value_names(kPollNames);
constexpr ValueName kPollNamesA7[] = {
    {0, "POLL_REGISTER"}, {1, "POLL_MEMORY"}, {2, "POLL_SCRATCH"}, {3, "POLL_ON_CHIP"}};
constexpr front::FieldMeaning kPollA7 = front::value_names(kPollNamesA7);
constexpr PacketField kPoll{"POLL", 1, 4, 5, &kPollA5};
constexpr PacketField kPollSeventh{"POLL", 1, 4, 5, &kPollA7};
constexpr FieldCondition kPollsRegister = when(kPoll, {0});
constexpr FieldCondition kPollsOther = unless(kPoll, {0});
// POLL_ADDR_LO in the source, regardless of what is polled.
constexpr PacketField kPollReg = PacketField{"POLL_REG", 2, 0, 17, &kRegister}.when(kPollsRegister);
constexpr PacketField kPollAddrLo = PacketField{"POLL_ADDR_LO", 2, 0, 31}.when(kPollsOther);
constexpr PacketField kPollAddrHi = PacketField{"POLL_ADDR_HI", 3, 0, 31}.when(kPollsOther);

// What is compared with REF under MASK.
constexpr std::array<PacketField, 9> compared(const PacketField& poll) {
    return {{{"FUNCTION", 1, 0, 2, &kFunction},
             {"SIGNED_COMPARE", 1, 3, 3},
             poll,
             {"WRITE_MEMORY", 1, 8, 8},
             kPollReg,
             kPollAddrLo,
             kPollAddrHi,
             {"REF", 4, 0, 31},
             {"MASK", 5, 0, 31}}};
}
constexpr std::array<PacketField, 1> kAgain{{{"DELAY_LOOP_CYCLES", 6, 0, 31}}};
constexpr auto kWaitRegMem = join(compared(kPoll), kAgain);
constexpr auto kWaitRegMemA7 = join(compared(kPollSeventh), kAgain);
constexpr std::array<PacketField, 3> kWritten{
    {{"WRITE_ADDR_LO", 6, 0, 31}, {"WRITE_ADDR_HI", 7, 0, 31}, {"WRITE_DATA", 8, 0, 31}}};
constexpr auto kCondWrite5 = join(compared(kPoll), kWritten);
constexpr auto kCondWrite5A7 = join(compared(kPollSeventh), kWritten);
constexpr PacketField kWaitMemGte[] = {{"RESERVED", 1, 0, 31},
                                       {"POLL_ADDR_LO", 2, 0, 31},
                                       {"POLL_ADDR_HI", 3, 0, 31},
                                       {"REF", 4, 0, 31}};
constexpr PacketField kWaitTwoRegs[] = {
    {"REG0", 1, 0, 17, &kRegister}, {"REG1", 2, 0, 17, &kRegister}, {"REF", 3, 0, 31}};

constexpr ValueName kTsSourceNames[] = {
    {0, "TS_WAIT_GE_32B"}, {1, "TS_WAIT_GE_64B"}, {2, "TS_WAIT_GE_TIMESTAMP_SUM"}};
constexpr front::FieldMeaning kTsSource = front::value_names(kTsSourceNames);
constexpr ValueName kTsPlaceNames[] = {{0, "TS_WAIT_RAM"}, {1, "TS_WAIT_ONCHIP"}};
constexpr front::FieldMeaning kTsPlace = front::value_names(kTsPlaceNames);
constexpr PacketField kWaitDst{"WAIT_DST", 1, 4, 4, &kTsPlace};
constexpr FieldCondition kWaitsForRam = when(kWaitDst, {0});
constexpr FieldCondition kWaitsOnChip = when(kWaitDst, {1});
constexpr PacketField kWaitTimestamp[] = {{"WAIT_VALUE_SRC", 1, 0, 1, &kTsSource},
                                          kWaitDst,
                                          PacketField{"ADDR_LO", 2, 0, 31}.when(kWaitsForRam),
                                          PacketField{"ADDR_HI", 3, 0, 31}.when(kWaitsForRam),
                                          PacketField{"ONCHIP_ADDR_0", 2, 0, 31}.when(kWaitsOnChip),
                                          {"SRC_0", 4, 0, 31},
                                          {"SRC_1", 5, 0, 31}};

constexpr PacketField kCondExec[] = {{"ADDR0_LO", 1, 0, 31}, {"ADDR0_HI", 2, 0, 31},
                                     {"ADDR1_LO", 3, 0, 31}, {"ADDR1_HI", 4, 0, 31},
                                     {"REF", 5, 0, 31},      {"DWORDS", 6, 0, 31}};

constexpr ValueName kSourceNames[] = {{0, "SOURCE_REG"}};
constexpr front::FieldMeaning kSource = front::value_names(kSourceNames);
constexpr ValueName kSourceNamesA7[] = {{0, "SOURCE_REG"}, {1, "SOURCE_SCRATCH_MEM"}};
constexpr front::FieldMeaning kSourceA7 = front::value_names(kSourceNamesA7);
constexpr PacketField kTestSource{"SOURCE", 1, 18, 18, &kSource};
constexpr PacketField kTestSourceA7{"SOURCE", 1, 18, 18, &kSourceA7};
constexpr PacketField kPredUpdate{"PRED_UPDATE", 1, 31, 31};
constexpr FieldCondition kTestsRegister = when(kTestSource, {0});
constexpr FieldCondition kTestsScratch = when(kTestSource, {1});
constexpr FieldCondition kUpdatesPredicate = when(kPredUpdate, {1});
constexpr PacketField kRegTest[] = {PacketField{"REG", 1, 0, 17, &kRegister}.when(kTestsRegister),
                                    kTestSource,
                                    {"BIT", 1, 20, 24},
                                    {"SKIP_WAIT_FOR_ME", 1, 25, 25},
                                    {"PRED_BIT", 1, 26, 30},
                                    kPredUpdate,
                                    PacketField{"PRED_MASK", 2, 0, 31}.when(kUpdatesPredicate),
                                    PacketField{"PRED_VAL", 3, 0, 31}.when(kUpdatesPredicate)};
constexpr PacketField kRegTestA7[] = {
    PacketField{"REG", 1, 0, 17, &kRegister}.when(kTestsRegister),
    PacketField{"SCRATCH_MEM_OFFSET", 1, 0, 17}.when(kTestsScratch),
    kTestSourceA7,
    {"BIT", 1, 20, 24},
    {"SKIP_WAIT_FOR_ME", 1, 25, 25},
    {"PRED_BIT", 1, 26, 30},
    kPredUpdate,
    PacketField{"PRED_MASK", 2, 0, 31}.when(kUpdatesPredicate),
    PacketField{"PRED_VAL", 3, 0, 31}.when(kUpdatesPredicate)};

constexpr ValueName kModeNamesA5[] = {{1, "PRED_TEST"}, {2, "REG_COMPARE"}};
constexpr front::FieldMeaning kModesA5 = front::value_names(kModeNamesA5);
constexpr ValueName kModeNamesA6[] = {{1, "PRED_TEST"}, {2, "REG_COMPARE"}, {3, "RENDER_MODE"}};
constexpr front::FieldMeaning kModesA6 = front::value_names(kModeNamesA6);
constexpr ValueName kModeNamesA7[] = {{1, "PRED_TEST"},
                                      {2, "REG_COMPARE"},
                                      {3, "RENDER_MODE"},
                                      {4, "REG_COMPARE_IMM"},
                                      {5, "THREAD_MODE"}};
constexpr front::FieldMeaning kModesA7 = front::value_names(kModeNamesA7);
constexpr PacketField kCompareMode{"MODE", 1, 28, 31, &kModesA7};
constexpr FieldCondition kPredTest = when(kCompareMode, {1});
constexpr FieldCondition kRegCompare = when(kCompareMode, {2});
constexpr FieldCondition kRenderMode = when(kCompareMode, {3});
constexpr FieldCondition kRegCompareImm = when(kCompareMode, {4});
constexpr FieldCondition kThreadMode = when(kCompareMode, {5});
constexpr FieldCondition kComparesReg0 = when(kCompareMode, {2, 4});
constexpr FieldCondition kOneOperand = when(kCompareMode, {1, 3, 5});

constexpr PacketField kReg0 = PacketField{"REG0", 1, 0, 17, &kRegister}.when(kComparesReg0);
constexpr PacketField kPredBit = PacketField{"PRED_BIT", 1, 18, 22}.when(kPredTest);
constexpr PacketField kReg1 = PacketField{"REG1", 2, 0, 17, &kRegister}.when(kRegCompare);
constexpr PacketField kDwords2 = PacketField{"DWORDS", 2, 0, 23}.when(kOneOperand);
constexpr PacketField kDwords3 = PacketField{"DWORDS", 3, 0, 23}.when(kComparesReg0);
constexpr PacketField kCondRegExecA5[] = {
    {"MODE", 1, 28, 31, &kModesA5}, kReg0, kPredBit, kReg1, kDwords2, kDwords3};
constexpr PacketField kCondRegExecA6[] = {{"MODE", 1, 28, 31, &kModesA6},
                                          kReg0,
                                          kPredBit,
                                          PacketField{"BINNING", 1, 25, 25}.when(kRenderMode),
                                          PacketField{"GMEM", 1, 26, 26}.when(kRenderMode),
                                          PacketField{"SYSMEM", 1, 27, 27}.when(kRenderMode),
                                          kReg1,
                                          kDwords2,
                                          kDwords3};
// ONCHIP_MEM of dword 2 has the name of its register here.
constexpr PacketField kCondRegExecA7[] = {
    kCompareMode,
    kReg0,
    kPredBit,
    {"SKIP_WAIT_FOR_ME", 1, 23, 23},
    {"ONCHIP_MEM", 1, 24, 24},
    PacketField{"BINNING", 1, 25, 25}.when(kRenderMode),
    PacketField{"GMEM", 1, 26, 26}.when(kRenderMode),
    PacketField{"SYSMEM", 1, 27, 27}.when(kRenderMode),
    PacketField{"BV", 1, 25, 25}.when(kThreadMode),
    PacketField{"BR", 1, 26, 26}.when(kThreadMode),
    PacketField{"LPAC", 1, 27, 27}.when(kThreadMode),
    kReg1,
    PacketField{"REG1_ONCHIP_MEM", 2, 24, 24}.when(kRegCompare),
    PacketField{"IMM", 2, 0, 31}.when(kRegCompareImm),
    kDwords2,
    kDwords3};

// ---- events ------------------------------------------------------------------------------------

constexpr ValueName kEventNamesA5[] = {{0, "VS_DEALLOC"},
                                       {1, "PS_DEALLOC"},
                                       {2, "VS_DONE_TS"},
                                       {3, "PS_DONE_TS"},
                                       {4, "CACHE_FLUSH_TS"},
                                       {5, "CONTEXT_DONE"},
                                       {8, "WT_DONE_TS"},
                                       {13, "START_FRAGMENT_CTRS"},
                                       {14, "STOP_FRAGMENT_CTRS"},
                                       {15, "START_COMPUTE_CTRS"},
                                       {16, "STOP_COMPUTE_CTRS"},
                                       {17, "FLUSH_SO_0"},
                                       {18, "FLUSH_SO_1"},
                                       {19, "FLUSH_SO_2"},
                                       {20, "FLUSH_SO_3"},
                                       {21, "ZPASS_DONE"},
                                       {22, "RB_DONE_TS"},
                                       {24, "PC_CCU_INVALIDATE_DEPTH"},
                                       {25, "PC_CCU_INVALIDATE_COLOR"},
                                       {27, "VS_FETCH_DONE"},
                                       {28, "PC_CCU_FLUSH_DEPTH_TS"},
                                       {29, "PC_CCU_FLUSH_COLOR_TS"},
                                       {30, "BLIT"},
                                       {37, "LRZ_CLEAR"},
                                       {38, "LRZ_FLUSH"},
                                       {39, "BLIT_OP_FILL_2D"},
                                       {40, "BLIT_OP_COPY_2D"},
                                       {42, "BLIT_OP_SCALE_2D"},
                                       {43, "CONTEXT_DONE_2D"},
                                       {44, "UNK_2C"},
                                       {45, "UNK_2D"}};
constexpr ValueName kEventNamesA6[] = {{0, "VS_DEALLOC"},
                                       {1, "PS_DEALLOC"},
                                       {2, "VS_DONE_TS"},
                                       {3, "PS_DONE_TS"},
                                       {4, "CACHE_FLUSH_TS"},
                                       {5, "CONTEXT_DONE"},
                                       {8, "WT_DONE_TS"},
                                       {9, "WRITE_PRIMITIVE_COUNTS"},
                                       {11, "START_PRIMITIVE_CTRS"},
                                       {12, "STOP_PRIMITIVE_CTRS"},
                                       {13, "START_FRAGMENT_CTRS"},
                                       {14, "STOP_FRAGMENT_CTRS"},
                                       {15, "START_COMPUTE_CTRS"},
                                       {16, "STOP_COMPUTE_CTRS"},
                                       {17, "FLUSH_SO_0"},
                                       {18, "FLUSH_SO_1"},
                                       {19, "FLUSH_SO_2"},
                                       {20, "FLUSH_SO_3"},
                                       {21, "ZPASS_DONE"},
                                       {22, "RB_DONE_TS"},
                                       {24, "PC_CCU_INVALIDATE_DEPTH"},
                                       {25, "PC_CCU_INVALIDATE_COLOR"},
                                       {26, "PC_CCU_RESOLVE_TS"},
                                       {27, "VS_FETCH_DONE"},
                                       {28, "PC_CCU_FLUSH_DEPTH_TS"},
                                       {29, "PC_CCU_FLUSH_COLOR_TS"},
                                       {30, "BLIT"},
                                       {37, "LRZ_CLEAR"},
                                       {38, "LRZ_FLUSH"},
                                       {39, "BLIT_OP_FILL_2D"},
                                       {40, "BLIT_OP_COPY_2D"},
                                       {42, "BLIT_OP_SCALE_2D"},
                                       {43, "CONTEXT_DONE_2D"},
                                       {44, "UNK_2C"},
                                       {45, "UNK_2D"},
                                       {49, "CACHE_INVALIDATE"},
                                       {63, "LABEL"}};
// Older names of a value after the generation's own.
constexpr ValueName kEventNamesA7[] = {{0, "VS_DEALLOC"},
                                       {1, "DUMMY_EVENT"},
                                       {2, "VS_DONE_TS"},
                                       {3, "PS_DONE_TS"},
                                       {4, "CACHE_FLUSH_TS"},
                                       {5, "CONTEXT_DONE"},
                                       {8, "WT_DONE_TS"},
                                       {9, "WRITE_PRIMITIVE_COUNTS"},
                                       {11, "START_PRIMITIVE_CTRS"},
                                       {12, "STOP_PRIMITIVE_CTRS"},
                                       {13, "START_FRAGMENT_CTRS"},
                                       {14, "STOP_FRAGMENT_CTRS"},
                                       {15, "START_COMPUTE_CTRS"},
                                       {16, "STOP_COMPUTE_CTRS"},
                                       {17, "FLUSH_SO_0"},
                                       {18, "FLUSH_SO_1"},
                                       {19, "FLUSH_SO_2"},
                                       {20, "FLUSH_SO_3"},
                                       {21, "ZPASS_DONE"},
                                       {22, "RB_DONE_TS"},
                                       {24, "CCU_INVALIDATE_DEPTH"},
                                       {24, "PC_CCU_INVALIDATE_DEPTH"},
                                       {25, "CCU_INVALIDATE_COLOR"},
                                       {25, "PC_CCU_INVALIDATE_COLOR"},
                                       {26, "CCU_RESOLVE_CLEAN"},
                                       {27, "VS_FETCH_DONE"},
                                       {28, "CCU_FLUSH_DEPTH"},
                                       {28, "PC_CCU_FLUSH_DEPTH_TS"},
                                       {29, "CCU_FLUSH_COLOR"},
                                       {29, "PC_CCU_FLUSH_COLOR_TS"},
                                       {30, "CCU_RESOLVE"},
                                       {30, "BLIT"},
                                       {31, "CCU_END_RESOLVE_GROUP"},
                                       {32, "CCU_CLEAN_DEPTH"},
                                       {33, "CCU_CLEAN_COLOR"},
                                       {36, "LRZ_FLIP_BUFFER"},
                                       {37, "LRZ_CLEAR"},
                                       {38, "LRZ_FLUSH"},
                                       {39, "BLIT_OP_FILL_2D"},
                                       {40, "UNK_40"},
                                       {41, "LRZ_Q_CACHE_INVALIDATE"},
                                       {42, "BLIT_OP_SCALE_2D"},
                                       {43, "CONTEXT_DONE_2D"},
                                       {44, "UNK_2C"},
                                       {45, "UNK_2D"},
                                       {48, "CACHE_RESET"},
                                       {49, "CACHE_CLEAN"},
                                       {50, "CACHE_FLUSH7"},
                                       {51, "CACHE_INVALIDATE7"},
                                       {63, "LABEL"}};
constexpr front::FieldMeaning kEventsA5 = front::value_names(kEventNamesA5);
constexpr front::FieldMeaning kEventsA6 = front::value_names(kEventNamesA6);
constexpr front::FieldMeaning kEventsA7 = front::value_names(kEventNamesA7);

// Dword 4 is what a timestamp writes; the source has no name for it.
constexpr PacketField kEventWriteA5[] = {
    {"EVENT", 1, 0, 7, &kEventsA5}, {"TIMESTAMP", 1, 30, 30}, {"IRQ", 1, 31, 31},
    {"ADDR_0_LO", 2, 0, 31},        {"ADDR_0_HI", 3, 0, 31},  {"DATA", 4, 0, 31}};
constexpr PacketField kEventWriteA6[] = {
    {"EVENT", 1, 0, 7, &kEventsA6}, {"TIMESTAMP", 1, 30, 30}, {"IRQ", 1, 31, 31},
    {"ADDR_0_LO", 2, 0, 31},        {"ADDR_0_HI", 3, 0, 31},  {"DATA", 4, 0, 31}};

constexpr ValueName kWriteSourceNames[] = {{0, "EV_WRITE_USER_32B"},
                                           {1, "EV_WRITE_USER_64B"},
                                           {2, "EV_WRITE_TIMESTAMP_SUM"},
                                           {3, "EV_WRITE_ALWAYSON"},
                                           {4, "EV_WRITE_REGS_CONTENT"}};
constexpr front::FieldMeaning kWriteSource = front::value_names(kWriteSourceNames);
constexpr ValueName kWriteDstNames[] = {{0, "EV_DST_RAM"}, {1, "EV_DST_ONCHIP"}};
constexpr front::FieldMeaning kWriteDsts = front::value_names(kWriteDstNames);
constexpr PacketField kWriteDst{"WRITE_DST", 1, 24, 24, &kWriteDsts};
constexpr FieldCondition kWritesRam = when(kWriteDst, {0});
constexpr FieldCondition kWritesOnChip = when(kWriteDst, {1});
constexpr PacketField kEventWrite7[] = {{"EVENT", 1, 0, 7, &kEventsA7},
                                        {"WRITE_SAMPLE_COUNT", 1, 12, 12},
                                        {"SAMPLE_COUNT_END_OFFSET", 1, 13, 13},
                                        {"WRITE_ACCUM_SAMPLE_COUNT_DIFF", 1, 14, 14},
                                        {"INC_BV_COUNT", 1, 16, 16},
                                        {"INC_BR_COUNT", 1, 17, 17},
                                        {"CLEAR_RENDER_RESOURCE", 1, 18, 18},
                                        {"CLEAR_LRZ_RESOURCE", 1, 19, 19},
                                        {"WRITE_SRC", 1, 20, 22, &kWriteSource},
                                        kWriteDst,
                                        {"WRITE_ENABLED", 1, 27, 27},
                                        {"IRQ", 1, 31, 31},
                                        PacketField{"ADDR_LO", 2, 0, 31}.when(kWritesRam),
                                        PacketField{"ADDR_HI", 3, 0, 31}.when(kWritesRam),
                                        PacketField{"ONCHIP_ADDR_0", 2, 0, 31}.when(kWritesOnChip),
                                        {"PAYLOAD_0", 4, 0, 31},
                                        {"PAYLOAD_1", 5, 0, 31}};
constexpr PacketField kPerfcounterAction[] = {{"ADDR_0_LO", 2, 0, 31}, {"ADDR_0_HI", 3, 0, 31}};

// ---- modes -------------------------------------------------------------------------------------

constexpr PacketField kMode[] = {{"MODE", 1, 0, 31}};
constexpr PacketField kEnable[] = {{"ENABLE", 1, 0, 31}};
constexpr PacketField kDisable[] = {{"DISABLE", 1, 0, 31}};
constexpr PacketField kInterrupt[] = {{"STATUS", 1, 0, 31}};
constexpr PacketField kWhereAmI[] = {{"ADDR_LO", 1, 0, 31}, {"ADDR_HI", 2, 0, 31}};

constexpr ValueName kMarkerModeNames[] = {{0, "SET_RENDER_MODE"}, {1, "SET_IFPC_MODE"}};
constexpr front::FieldMeaning kMarkerModes = front::value_names(kMarkerModeNames);
constexpr ValueName kMarkerNames[] = {
    {1, "RM6_DIRECT_RENDER"},    {2, "RM6_BIN_VISIBILITY"},   {3, "RM6_BIN_DIRECT"},
    {4, "RM6_BIN_RENDER_START"}, {5, "RM6_BIN_END_OF_DRAWS"}, {6, "RM6_BIN_RESOLVE"},
    {7, "RM6_BIN_RENDER_END"},   {8, "RM6_COMPUTE"},          {12, "RM6_BLIT2DSCALE"},
    {13, "RM6_IB1LIST_START"},   {14, "RM6_IB1LIST_END"}};
constexpr front::FieldMeaning kMarkers = front::value_names(kMarkerNames);
constexpr ValueName kIfpcNames[] = {{0, "IFPC_ENABLE"}, {1, "IFPC_DISABLE"}};
constexpr front::FieldMeaning kIfpc = front::value_names(kIfpcNames);
constexpr PacketField kMarkerMode{"MARKER_MODE", 1, 8, 8, &kMarkerModes};
constexpr FieldCondition kSetsRenderMode = when(kMarkerMode, {0});
constexpr FieldCondition kSetsIfpcMode = when(kMarkerMode, {1});
constexpr PacketField kSetMarker[] = {
    kMarkerMode,
    PacketField{"MODE", 1, 0, 3, &kMarkers}.when(kSetsRenderMode),
    PacketField{"USES_GMEM", 1, 4, 4}.when(kSetsRenderMode),
    PacketField{"IFPC_MODE", 1, 0, 0, &kIfpc}.when(kSetsIfpcMode),
};
constexpr PacketField kSetMarkerA7[] = {
    kMarkerMode,
    PacketField{"MODE", 1, 0, 3, &kMarkers}.when(kSetsRenderMode),
    PacketField{"USES_GMEM", 1, 4, 4}.when(kSetsRenderMode),
    PacketField{"IFPC_MODE", 1, 0, 0, &kIfpc}.when(kSetsIfpcMode),
    {"SHADER_USES_RT", 1, 9, 9},
    {"RT_WA_START", 1, 10, 10},
    {"RT_WA_END", 1, 11, 11}};

constexpr ValueName kRenderModeNames[] = {{1, "BYPASS"}, {2, "BINNING"},     {3, "GMEM"},
                                          {5, "BLIT2D"}, {7, "BLIT2DSCALE"}, {8, "END2D"}};
constexpr front::FieldMeaning kRenderModes = front::value_names(kRenderModeNames);
constexpr PacketField kSetRenderMode[] = {
    {"MODE", 1, 0, 8, &kRenderModes}, {"ADDR_0_LO", 2, 0, 31},  {"ADDR_0_HI", 3, 0, 31},
    {"VSC_ENABLE", 4, 3, 3},          {"GMEM_ENABLE", 4, 4, 4}, {"ADDR_1_LEN", 6, 0, 31},
    {"ADDR_1_LO", 7, 0, 31},          {"ADDR_1_HI", 8, 0, 31}};
constexpr PacketField kComputeCheckpoint[] = {{"ADDR_0_LO", 1, 0, 31},
                                              {"ADDR_0_HI", 2, 0, 31},
                                              {"ADDR_1_LEN", 5, 0, 31},
                                              {"ADDR_1_LO", 6, 0, 31},
                                              {"ADDR_1_HI", 7, 0, 31}};
constexpr PacketField kSmmuTableUpdate[] = {{"TTBR0_LO", 1, 0, 31},
                                            {"TTBR0_HI", 2, 0, 15},
                                            {"ASID", 2, 16, 31},
                                            {"CONTEXTIDR", 3, 0, 31},
                                            {"CONTEXTBANK", 4, 0, 31}};

// ---- threads and timestamps --------------------------------------------------------------------

constexpr ValueName kThreadNames[] = {
    {1, "CP_SET_THREAD_BR"}, {2, "CP_SET_THREAD_BV"}, {3, "CP_SET_THREAD_BOTH"}};
constexpr front::FieldMeaning kThreads = front::value_names(kThreadNames);
constexpr PacketField kThreadControl[] = {{"THREAD", 1, 0, 1, &kThreads},
                                          {"CONCURRENT_BIN_DISABLE", 1, 27, 27},
                                          {"SYNC_THREADS", 1, 31, 31}};
constexpr ValueName kCountOpNames[] = {{1, "PIPE_CLEAR_BV_BR"},
                                       {2, "PIPE_SET_BR_OFFSET"},
                                       {3, "PIPE_BR_WAIT_FOR_BV"},
                                       {4, "PIPE_BV_WAIT_FOR_BR"}};
constexpr front::FieldMeaning kCountOps = front::value_names(kCountOpNames);
constexpr PacketField kBvBrCountOps[] = {{"OP", 1, 0, 3, &kCountOps}, {"BR_OFFSET", 2, 0, 15}};
constexpr ValueName kTimestampOpNames[] = {{0, "MODIFY_TIMESTAMP_CLEAR"},
                                           {1, "MODIFY_TIMESTAMP_ADD_GLOBAL"},
                                           {2, "MODIFY_TIMESTAMP_ADD_LOCAL"}};
constexpr front::FieldMeaning kTimestampOps = front::value_names(kTimestampOpNames);
constexpr PacketField kModifyTimestamp[] = {{"ADD", 1, 0, 7}, {"OP", 1, 28, 31, &kTimestampOps}};
constexpr PacketField kResetContextState[] = {{"CLEAR_ON_CHIP_TS", 1, 0, 0},
                                              {"CLEAR_RESOURCE_TABLE", 1, 1, 1},
                                              {"CLEAR_GLOBAL_LOCAL_TS", 1, 2, 2},
                                              {"RESET_CONTEXT_STATE", 1, 3, 3}};

constexpr PacketRow kRows[] = {
    row("CP_ME_INIT", 8, kMeInit, kA5 | kA6),
    row("CP_ME_INIT", 7, kMeInitA7, kA7),
    row("CP_INDIRECT_BUFFER", 3, kIndirectBuffer),
    row("CP_INDIRECT_BUFFER_CHAIN", 3, kIndirectBuffer),
    row("CP_INDIRECT_BUFFER_PFD", 3, kIndirectBuffer),
    row("CP_INDIRECT_BUFFER_PFE", 3, kIndirectBuffer),
    row("CP_SET_AMBLE", 3, kSetAmble),
    row("CP_WAIT_REG_MEM", 6, kWaitRegMem, kA5 | kA6),
    row("CP_WAIT_REG_MEM", 6, kWaitRegMemA7, kA7),
    row("CP_COND_WRITE5", 8, kCondWrite5, kA5 | kA6),
    row("CP_COND_WRITE5", 8, kCondWrite5A7, kA7),
    row("CP_WAIT_MEM_GTE", 4, kWaitMemGte),
    row("CP_WAIT_TWO_REGS", 3, kWaitTwoRegs),
    row("CP_WAIT_TIMESTAMP", 5, kWaitTimestamp),
    row("CP_WAIT_MEM_WRITES"),
    row("CP_WAIT_FOR_ME"),
    row("CP_WAIT_FOR_IDLE"),
    row("CP_COND_EXEC", 6, kCondExec),
    row("CP_REG_TEST", 1, 3, kRegTest, kA6),
    row("CP_REG_TEST", 1, 3, kRegTestA7, kA7),
    row("CP_COND_REG_EXEC", 2, 3, kCondRegExecA5, kA5),
    row("CP_COND_REG_EXEC", 2, 3, kCondRegExecA6, kA6),
    row("CP_COND_REG_EXEC", 2, 3, kCondRegExecA7, kA7),
    row("CP_EVENT_WRITE", 1, 4, kEventWriteA5, kA5),
    row("CP_EVENT_WRITE", 1, 4, kEventWriteA6, kA6),
    row("CP_EVENT_WRITE7", 1, 5, kEventWrite7),
    row("CP_PERFCOUNTER_ACTION", 3, kPerfcounterAction),
    row("CP_SKIP_IB2_ENABLE_GLOBAL", 1, kEnable),
    row("CP_SKIP_IB2_ENABLE_LOCAL", 1, kEnable),
    row("CP_SET_MODE", 1, kMode),
    row("CP_SET_SECURE_MODE", 1, kMode),
    row("CP_SET_PROTECTED_MODE", 1, kMode),
    row("CP_PREEMPT_DISABLE", 1, kDisable),
    row("CP_INTERRUPT", 1, kInterrupt),
    row("CP_WHERE_AM_I", 2, kWhereAmI),
    row("CP_SET_MARKER", 1, kSetMarker, kA6),
    row("CP_SET_MARKER", 1, kSetMarkerA7, kA7),
    row("CP_SET_RENDER_MODE", 5, 8, kSetRenderMode),
    row("CP_COMPUTE_CHECKPOINT", 8, kComputeCheckpoint),
    row("CP_SMMU_TABLE_UPDATE", 4, kSmmuTableUpdate),
    row("CP_THREAD_CONTROL", 1, kThreadControl),
    row("CP_BV_BR_COUNT_OPS", 1, 2, kBvBrCountOps),
    row("CP_MODIFY_TIMESTAMP", 1, kModifyTimestamp),
    row("CP_RESET_CONTEXT_STATE", 1, kResetContextState),
};

}  // namespace

Rows control_packets() {
    return rows_of(kRows);
}

}  // namespace archipelago::afuc
