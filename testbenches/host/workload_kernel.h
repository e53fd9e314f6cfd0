// SPDX-License-Identifier: Apache-2.0
// Reads `kernel` of a workload file and of its steps: code, sizes, and arguments with their
// buffers.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "models/config/reader.h"
#include "testbenches/host/workload.h"
#include "testbenches/host/workload_program.h"

namespace archipelago::host {

class KernelReader {
  public:
    // All must outlive this. Buffers are added to `buffers`; folders of `options` are relative to
    // `folder`.
    KernelReader(WorkloadParts& parts, std::vector<BufferSpec>& buffers, const std::string& folder)
        : parts_(parts), buffers_(buffers), folder_(folder) {}
    // Reads `code` and `options` of a map; kernels that are read later have them unless they name
    // their own.
    void read_code(config::Reader& r);
    // Nothing when there is a fault, which has been reported.
    std::optional<KernelSpec> read(config::Reader& r);
    // The buffer that an earlier kernel has given this name.
    std::optional<unsigned> named(const config::Value& value) const;
    // Bytes of a buffer; of none: 0.
    uint64_t size_of(std::optional<unsigned> buffer) const {
        return buffer ? buffers_[*buffer].data.size() : 0;
    }

    // Of its elements, where its contents say it.
    std::optional<ElementType> type_of(std::optional<unsigned> buffer) const {
        return buffer ? buffers_[*buffer].data.type() : std::nullopt;
    }

  private:
    std::optional<Arg> argument(config::Reader& r);
    std::optional<DataSource> by_value(const config::Value& value);
    std::optional<unsigned> buffer(const config::Value& value);
    std::optional<unsigned> declare(config::Reader& r, const std::optional<ImageShape>& image = {});
    std::optional<unsigned> image(const config::Value& value);

    WorkloadParts& parts_;
    std::vector<BufferSpec>& buffers_;
    const std::string& folder_;
    std::map<std::string, unsigned> names_;
    std::string code_;
    BuildOptions build_;
    Source code_source_;
};

// Whether `kernel` of the workload says no more than the code of the kernels of its steps.
bool names_code_alone(const config::Node& workload);

// Gives the arguments of steps that are repeated the values that they have in each repetition.
void set_repeated_arguments(std::vector<Step>& steps);

}  // namespace archipelago::host
