// SPDX-License-Identifier: Apache-2.0
// A folder of a process's own below the system's folder for temporary files ($TMPDIR), which nobody
// else can enter; gone with the object.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace archipelago {

class Scratch {
  public:
    // Throws std::runtime_error when the folder cannot be made.
    Scratch() {
        std::error_code error;
        std::filesystem::path base = std::filesystem::temp_directory_path(error);
        if (error)
            base = "/tmp";
        std::string pattern = (base / "archipelago-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error("no temporary directory in " + base.string() + ": " +
                                     std::strerror(errno));
        path_ = pattern;
    }
    ~Scratch() {
        std::error_code ignored;  // nothing can be done about a leftover in a destructor
        std::filesystem::remove_all(path_, ignored);
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    const std::filesystem::path& path() const { return path_; }
    // The path of the file, in a folder that is made where it is missing.
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::filesystem::path file = path_ / name;
        std::filesystem::create_directories(file.parent_path());
        std::ofstream(file, std::ios::binary) << text;
        return file;
    }

  private:
    std::filesystem::path path_;
};

}  // namespace archipelago

namespace archipelago::test {
using archipelago::Scratch;
}
