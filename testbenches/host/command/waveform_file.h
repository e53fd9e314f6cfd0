// SPDX-License-Identifier: Apache-2.0
// The FST file of a run: its writer, in Verilated code, opens it by name and reports no error.
// Until it is whole it stands beside its name, as every output does (OutputFile).
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "models/common/files.h"

namespace archipelago::host {

class WaveformFile {
  public:
    explicit WaveformFile(std::string path) : path_(std::move(path)) {}

    // The name for the writer. Throws FileError. Nothing is touched before.
    std::string open();
    // Once the writer has closed it. Throws FileError for a file that is not whole, as when the
    // disk is full: then the old one stays. Without open() nothing.
    void complete();
    // Calls run(), which has let go of the writer when it ends, and completes the file; also when
    // the machine has stopped (MachineStop), but not when the run could not begin.
    int complete_after(const std::function<int()>& run);

  private:
    const std::string path_;
    std::optional<OutputFile> file_;
};

}  // namespace archipelago::host
