// SPDX-License-Identifier: Apache-2.0
// Workload files: what to put into memory, what to run and what must come out. WORKLOADS.md of this
// folder lists every key.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "models/common/address_spaces.h"
#include "models/config/diagnostics.h"
#include "models/config/node.h"
#include "models/ctm/isa/instruction.h"
#include "models/ctm/mc/address.h"
#include "testbenches/host/code_object/build_options.h"
#include "testbenches/host/ctm/program_info.h"
#include "testbenches/host/expect.h"
#include "testbenches/host/image/picture_spec.h"
#include "testbenches/host/image_descriptor.h"
#include "testbenches/host/kernel_sync.h"

namespace archipelago::front {
class PacketLanguage;
}

namespace archipelago::host {

// Most bytes a workload may map, and most that one file, list or random buffer may have.
constexpr uint64_t kMaxWorkloadBytes = uint64_t{16} << 30;
constexpr uint64_t kMaxDataBytes = uint64_t{4} << 30;
// The place, among the rings of a chip, of the one into which the host puts kernels and waves.
constexpr unsigned kKernelRing = 0;

// Where something was written, for messages at run time.
struct Source {
    config::Origin origin;
    std::string key_path;  // "steps[3].memory"
    // "file.yaml:12:5: steps[3].memory"
    std::string to_string() const;
};

// --- data

struct FileData {
    std::string path;     // resolved against the workload's directory
    uint64_t offset = 0;  // bytes into the file
    uint64_t size = 0;    // bytes, at least 1; what follows `offset` when the workload says nothing
};
struct WordData {
    std::vector<uint32_t> words;  // little-endian in memory
};
// `pattern` repeated: one byte, or the four of a 32-bit word, lowest first.
struct FillData {
    std::vector<uint8_t> pattern;
    uint64_t size = 0;  // bytes; a multiple of the pattern
};
// Numbers of one type.
struct ListData {
    ElementType type = ElementType::U32;
    std::vector<uint8_t> bytes;  // little-endian
};
// first + n * step in element n: see store_term().
struct RangeData {
    ElementType type = ElementType::U32;
    std::vector<uint8_t> first, step;  // an element of the type each
    uint64_t count = 0;
};
// See random_data.h.
struct RandomSpec {
    ElementType type = ElementType::U32;
    uint64_t count = 0;
    uint64_t seed = 1;
};

struct FormulaNames;
// Elements computed from what buffers hold before the run: formula.h.
struct FormulaData {
    std::string text;
    ElementType type = ElementType::U32;
    uint64_t count = 0;
    std::shared_ptr<const FormulaNames> names;
};

struct DataSource {
    Source source;
    std::variant<FileData, WordData, FillData, ListData, RangeData, RandomSpec, FormulaData> data;

    uint64_t size() const;  // bytes
    // Of its elements, where the form of the data says it.
    std::optional<ElementType> type() const;
    // The byte that fills all of it, for memory that needs no copying.
    std::optional<uint8_t> uniform_byte() const;
};

// The buffers of a workload that have names, in one order.
struct FormulaNames {
    std::vector<std::string> names;
    std::vector<DataSource> contents;
};

// Calls take with the bytes in order, in pieces whose sizes are multiples of 8 except the last.
// Throws std::runtime_error with place and name when a file can no longer be read.
void for_each_piece(const DataSource& source,
                    const std::function<void(const uint8_t* bytes, size_t count)>& take);
// All bytes in one piece; throws as for_each_piece().
std::vector<uint8_t> read_bytes(const DataSource& source);

// --- memory, expectations, dumps

struct MemorySpec {
    Source source;
    uint64_t address = 0;
    DataSource data;
};

struct MemoryExpectation {
    uint64_t address = 0;
    DataSource expected;
    CompareSpec compare;
};
// What a buffer of the kernels holds once those before have ended.
struct BufferContents {
    unsigned buffer = 0;  // its place in Workload::buffers
    DataSource expected;  // not longer than the buffer
    CompareSpec compare;
};
struct RegisterExpectation {
    std::string name;
    uint32_t value = 0;
    uint32_t mask = ~uint32_t{0};
};
struct InterruptExpectation {
    std::string name;  // "eop"
    uint64_t count = 1;
};
struct SurfaceExpectation {
    PictureSpec surface;
    std::string image;       // a PNG or PAM file
    unsigned tolerance = 0;  // of a sample, in units of the image's
};
struct Expectation {
    Source source;
    std::variant<MemoryExpectation, BufferContents, RegisterExpectation, InterruptExpectation,
                 SurfaceExpectation>
        what;
};

struct DumpFile {
    Source source;
    std::string path;  // resolved; its directory exists
};
struct DumpSpec {
    Source source;
    std::optional<unsigned> buffer;      // its place in Workload::buffers
    std::optional<PictureSpec> surface;  // as an image file; neither: of memory
    uint64_t address = 0;
    uint64_t size = 0;
    DumpFile file;
};

// --- kernels

// A buffer of kernels' arguments, in memory for the whole run.
struct BufferSpec {
    Source source;
    std::string name;  // empty: only the argument that declares it has it
    DataSource data;
    std::optional<ImageShape> image;  // the kernel gets a descriptor of it
};
struct BufferExpectation {
    DataSource expected;  // not longer than the buffer
    CompareSpec compare;
};
struct BufferUse {
    unsigned buffer = 0;  // its place in Workload::buffers
    // Once the kernel has ended.
    std::optional<BufferExpectation> expect;
    std::optional<DumpFile> dump;
};
struct NullBuffer {};  // a pointer that is 0
// A number, or a vector of OpenCL C.
struct ScalarSpec {
    ElementType type = ElementType::I32;
    std::vector<uint8_t> bytes;  // little-endian
    std::vector<uint8_t> step;   // added each time that a repeated step runs; empty: none

    // The bytes when the step has run so many times before.
    std::vector<uint8_t> in_run(uint64_t run) const;
};
// A structure, or anything else by value.
struct ValueSpec {
    DataSource data;
};
struct LocalSpec {
    uint32_t bytes = 0;  // LDS after a `local` pointer
};
struct Arg {
    Source source;
    std::variant<BufferUse, NullBuffer, ScalarSpec, ValueSpec, LocalSpec, SamplerShape> value;
};

struct KernelSpec {
    Source source;
    Source code_source;
    std::string code;  // resolved path of an existing file
    BuildOptions build;
    std::string name;  // empty: the only kernel of the file
    std::array<uint32_t, 3> global_size{1, 1, 1};
    // Absent: what the kernel requires, else the host's choice.
    std::optional<std::array<uint32_t, 3>> local_size;
    uint32_t dimensions = 1;  // that global_size lists
    std::array<uint32_t, 3> global_offset{0, 0, 0};
    std::vector<Arg> args;
    uint32_t repeat = 1;
    // In front of its dispatches, but for the first of the workload.
    KernelSync sync = KernelSync::All;
};

// --- waves

// A register of a wave with its value: what it starts with, or what it ends with.
struct WaveRegister {
    enum class File : uint8_t { Scalar, Vector, Exec, Vcc, M0, Scc };
    Source source;
    std::string name;  // as the workload has it
    File file = File::Scalar;
    unsigned number = 0;           // of EXEC and VCC: 0 low, 1 high
    bool every_lane = true;        // the one value counts for all lanes that are active
    std::vector<uint32_t> values;  // of lanes from 0 on; of others one
};

// One wave that runs a sequence of instructions by itself.
struct WaveSpec {
    Source source;
    std::vector<uint32_t> code;  // s_endpgm included
    uint32_t lds_bytes = 0;
    uint8_t float_mode = 0xc0;  // PGM_RSRC1.FLOAT_MODE: as LLVM's kernels have it
    std::vector<WaveRegister> set;
    std::vector<WaveRegister> expect;
    std::optional<DumpFile> dump;
};

// --- programs of CTM chips

// A surface of a program, in memory for the whole run. What a workload gives and expects of it are
// its elements row by row, without padding; the host puts them where the tables say.
struct SurfaceSpec {
    Source source;
    std::string name;                // empty: only the program that declares it has it
    ctm::Surface surface;            // but for the base
    uint32_t width = 0;              // elements
    uint32_t height = 0;             // rows
    std::optional<DataSource> data;  // absent: zeros

    unsigned log2_bytes() const { return ctm::format_info(surface.format).log2_bytes; }
    uint64_t rows_bytes() const { return (uint64_t{width} * height) << log2_bytes(); }
    // Padding and whole tiles included.
    uint64_t memory_bytes() const;
};
struct SurfaceUse {
    Source source;
    unsigned surface = 0;  // its place in Workload::surfaces
    // Once the program has ended and its outputs are in memory.
    std::optional<BufferExpectation> expect;
    std::optional<DumpFile> dump;
};

// Of the conditional operation unit.
struct ConditionSpec {
    SurfaceUse use;
    uint32_t test = 0;           // of set_cond_test
    bool of_processors = false;  // set_cond_loc: whether the processors ask, or PE
    uint32_t value = 0;          // set_cond_val: bits of a float
    bool writes = true;          // set_cond_out_mask
};

struct ProgramSpec {
    Source source;
    std::vector<ctm::isa::Words> code;
    ProgramInfo info;
    std::array<uint32_t, 4> domain{};  // i0, j0, i1, j1; both ends count
    std::vector<SurfaceUse> inputs;    // from 0 on
    std::vector<SurfaceUse> outputs;
    std::optional<ConditionSpec> condition;
    uint32_t output_mask = 0xf;  // set_out_mask: channels c0 to c3
    // By index from 0 on.
    std::vector<std::array<uint32_t, 4>> floats;  // bits
    std::vector<uint32_t> integers;               // KR, KG, KB from the lowest byte on
    std::vector<uint32_t> booleans;
};

// --- steps

struct IndirectBuffer {
    uint64_t address = 0;  // a multiple of 4
    uint32_t dwords = 0;   // 1..2^20-1, as INDIRECT_BUFFER can say
    uint32_t vmid = 0;     // 0..15
};
// Rings are by number: their places in WorkloadChip::rings.
struct RingStep {
    unsigned ring = 0;
    // DataSource: dwords for the ring itself (a file, words or packets), a multiple of 4 bytes.
    std::variant<DataSource, IndirectBuffer> what;
    std::optional<ProgramInfo> program_info;  // from here on
};
struct WaitStep {
    unsigned ring = 0;
};
struct Step {
    Source source;
    std::variant<MemorySpec, RingStep, WaitStep, Expectation, ProgramSpec, KernelSpec> what;
};

// The host sets up an interrupt ring here (Linux radeon si_irq_init) once its rings are up.
struct InterruptRing {
    Source source;
    uint64_t address = 0;
    uint64_t size = 0;
};

struct Workload {
    std::string path;                  // as given
    std::string name;                  // of its file, unless it gives another
    std::string directory;             // that its paths are relative to
    std::vector<std::string> inputs;   // every file a run reads, this one too; absolute, sorted
    std::vector<std::string> outputs;  // every file a run dumps into; absolute
    // Where it names them, and what that is as an absolute path.
    std::vector<std::pair<config::Origin, std::string>> file_names;
    std::optional<std::string> asic;
    // Of the VMIDs the workload maps; absent: addresses of every VMID are those of memory. Options
    // of the chip that runs it name them (ChipOptions::address_spaces).
    std::optional<RangeMap> address_spaces;
    std::vector<MemorySpec> memory;
    std::vector<BufferSpec> buffers;  // of kernels' arguments
    std::optional<KernelSpec> kernel;
    std::vector<WaveSpec> waves;        // one after the other, after the kernel
    std::vector<SurfaceSpec> surfaces;  // of programs
    std::vector<Step> steps;            // a program of the workload itself is the first
    std::vector<Expectation> expect;
    std::vector<DumpSpec> dump;
    std::optional<InterruptRing> interrupt_ring;

    const AddressSpaces* spaces() const { return address_spaces ? &*address_spaces : nullptr; }
    // That of the workload itself and those of the steps, in the order in which they run.
    std::vector<const KernelSpec*> kernels() const;
    std::vector<KernelSpec*> kernels();
};

// What of a chip a workload may name.
struct WorkloadChip {
    struct Ring {
        std::string name;
        const front::PacketLanguage* packets = nullptr;  // as text; null: words only
        bool program_info = false;                       // its steps may have `proginfo`
    };
    std::vector<Ring> rings;
    const front::PacketLanguage* packets = nullptr;  // in memory
    std::optional<unsigned> program_ring = {};       // of those, the one that runs programs
    bool waves = false;                              // it has GCN compute units
    bool address_spaces = false;                     // packets of a ring name a VMID
    SurfaceFacts surfaces = {};
};
// There is no chip of the name that a workload has as its `asic`.
struct NoSuchChip : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};
// The chip of a workload with this `asic`. What it refers to lives as long as the reading. Throws
// NoSuchChip, which the reading reports where the workload has the name.
using ChipOfWorkload = std::function<WorkloadChip(const std::optional<std::string>& asic)>;

// Reads and checks a workload. Every fault goes to `diagnostics` with its place; nothing is
// returned when there is one. Of the files it names only existence and sizes are read.
std::optional<Workload> load_workload(const std::string& path, const ChipOfWorkload& chip,
                                      config::Diagnostics& diagnostics);

// The same for a text: `filename` is how messages call it, `directory` what paths are relative to.
std::optional<Workload> parse_workload_text(std::string_view text, const std::string& filename,
                                            const std::string& directory,
                                            const ChipOfWorkload& chip,
                                            config::Diagnostics& diagnostics);

// The same for a tree, e.g. one with overrides.
std::optional<Workload> parse_workload_tree(const config::Node& root, const std::string& filename,
                                            const std::string& directory,
                                            const ChipOfWorkload& chip,
                                            config::Diagnostics& diagnostics);

// Every range of addresses the workload names (memory, indirect buffers, expectations, dumps):
// sorted, disjoint, not touching each other. The host keeps its own things out of them.
struct AddressRange {
    uint64_t first = 0;
    uint64_t last = 0;  // inclusive
};
std::vector<AddressRange> named_ranges(const Workload& workload);

}  // namespace archipelago::host
