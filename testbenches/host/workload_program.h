// SPDX-License-Identifier: Apache-2.0
// Reads `program` of a workload file: a program of a CTM chip with its surfaces and constants.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "models/config/reader.h"
#include "testbenches/host/ctm/program_code.h"
#include "testbenches/host/workload.h"

namespace archipelago::host {

// What the reader of a workload lends to the readers of its parts.
class WorkloadParts {
  public:
    // Reads DATA; a `fill` without a size has `bytes` bytes, and needs one when there are none.
    virtual std::optional<DataSource> sized_data(config::Reader& r,
                                                 std::optional<uint64_t> bytes) = 0;
    virtual std::optional<DataSource> file_or_words(config::Reader& r) = 0;
    // Reads the path of a file, which must exist.
    virtual std::optional<std::string> input_file(const config::Value& value) = 0;
    // Reads {DATA, TOLERANCE} of a buffer of `bytes` bytes; 0: its size is not known. `type`: of
    // its elements, where that is known.
    virtual std::optional<BufferExpectation> buffer_expectation(
        config::Reader r, uint64_t bytes, std::optional<ElementType> type) = 0;
    virtual std::optional<DumpFile> dump_file(const config::Value& value) = 0;
    // Adds a buffer to what the workload maps, and reports it when that exceeds the limit.
    virtual void count_buffer(const Source& source, uint64_t bytes) = 0;

  protected:
    ~WorkloadParts() = default;
};

// Reads `proginfo`; keys that are not there keep the values of `info`.
ProgramInfo read_program_info(config::Reader r, ProgramInfo info = {});

class ProgramReader {
  public:
    // Both must outlive this. Surfaces are added to `surfaces`.
    ProgramReader(WorkloadParts& parts, std::vector<SurfaceSpec>& surfaces)
        : parts_(parts), surfaces_(surfaces) {}
    // Nothing when there is a fault, which has been reported.
    std::optional<ProgramSpec> read(config::Reader& r);

  private:
    std::optional<ProgramCode> code(config::Reader& r);
    std::optional<ProgramCode> code_of_file(const config::Value& value);
    std::optional<ProgramCode> code_of_map(config::Reader c);
    // That there is a surface for each that the executable's notes name.
    static void check_uses(config::Reader& r, const CtmExecutable& executable,
                           const ProgramSpec& spec);
    std::vector<SurfaceUse> uses(config::Reader& r, const char* key, size_t most);
    std::optional<SurfaceUse> use(config::Reader& r);
    // Its number among the surfaces.
    std::optional<unsigned> declare(config::Reader& r);
    std::optional<unsigned> named(config::Reader& r) const;
    std::optional<ConditionSpec> condition(config::Reader r);
    static void constants(config::Reader r, ProgramSpec& to);
    void domain(config::Reader& r, ProgramSpec& to) const;

    WorkloadParts& parts_;
    std::vector<SurfaceSpec>& surfaces_;
    std::map<std::string, unsigned> names_;
};

}  // namespace archipelago::host
