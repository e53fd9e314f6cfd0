// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/waveform_file.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "models/common/error.h"
#include "testbenches/host/output_files.h"
#include "testbenches/host/stopped_by_user.h"

namespace archipelago::host {
namespace {

// Blocks of a kind (one byte) and a length (8 bytes, the most significant first, counting
// themselves); the last one ends with the file. A writer that is at work marks its block.
bool is_whole_fst(const std::string& path) {
    constexpr int kUnfinished = 255;
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const auto size = static_cast<uint64_t>(file.tellg());
    uint64_t at = 0;
    while (file && at < size) {
        file.seekg(static_cast<std::streamoff>(at));
        const int kind = file.get();
        uint64_t length = 0;
        for (unsigned i = 0; i < 8; ++i)
            length = length << 8 | static_cast<uint8_t>(file.get());
        if (!file || kind == kUnfinished || length < 8 || length >= size - at)
            return false;
        at += 1 + length;
    }
    return size != 0 && at == size;
}

}  // namespace

std::string WaveformFile::open() {
    file_.emplace(path_, "the waveform");
    return file_->place();
}

void WaveformFile::complete() {
    if (!file_)
        return;
    if (is_plain_output(path_) && !is_whole_fst(file_->place()))
        throw FileError("cannot write the waveform " + path_, "it is not whole: a full disk?");
    // The writer has put a new file there.
    std::error_code none;
    if (is_plain_output(path_) && std::filesystem::exists(path_, none))
        std::filesystem::permissions(file_->place(),
                                     std::filesystem::status(path_, none).permissions(), none);
    file_->complete();
}

int WaveformFile::complete_after(const std::function<int()>& run) {
    try {
        const int status = run();
        complete();
        return status;
    } catch (const MachineStop&) {
        complete();
        throw;
    } catch (const StoppedByUser&) {
        complete();
        throw;
    }
}

}  // namespace archipelago::host
