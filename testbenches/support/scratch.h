// SPDX-License-Identifier: Apache-2.0
// A folder of a test's own below the system's folder for temporary files ($TMPDIR), gone with the
// object, whether the test holds or not.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

namespace archipelago::test {

class Scratch {
  public:
    // Throws std::runtime_error when the folder cannot be made.
    Scratch() {
        std::string pattern =
            (std::filesystem::temp_directory_path() / "archipelago-test-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr)
            throw std::runtime_error(pattern + ": cannot create the folder");
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

}  // namespace archipelago::test
