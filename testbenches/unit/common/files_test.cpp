// SPDX-License-Identifier: Apache-2.0
// Files as they are read and written by name.
#include "models/common/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "testbenches/support/scratch.h"

namespace archipelago {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Files : public testing::Test {
  protected:
    std::string path(const std::string& name) const { return folder_.path() / name; }
    std::string fault_of_reading(const std::string& name) const {
        try {
            read_file(name);
        } catch (const FileError& error) {
            return error.what();
        }
        return "";
    }
    size_t entries() const {
        return static_cast<size_t>(std::distance(fs::directory_iterator(folder_.path()), {}));
    }

  private:
    Scratch folder_;
};

TEST_F(Files, WhatCannotBeReadSaysWhy) {
    fs::create_symlink("loop", path("loop"));
    EXPECT_THAT(fault_of_reading(""), HasSubstr("the name is empty"));
    EXPECT_THAT(fault_of_reading("/"), HasSubstr("/: is a directory"));
    EXPECT_THAT(fault_of_reading(path("none")), HasSubstr("none: No such file"));
    EXPECT_THAT(fault_of_reading(path("loop")), HasSubstr("symbolic links"));
}

TEST_F(Files, NoMoreIsReadThanTheLimitAndAByte) {
    EXPECT_EQ(read_file("/dev/zero", 100).size(), 101u);
}

TEST_F(Files, AFifoIsReadWhenSomebodyWritesIt) {
    ASSERT_EQ(mkfifo(path("fifo").c_str(), 0600), 0);
    EXPECT_THAT(fault_of_reading(path("fifo")), HasSubstr("is a FIFO that nobody writes"));
    std::thread writer([&] { std::ofstream(path("fifo")) << "text"; });
    EXPECT_EQ(read_file(path("fifo")), "text");
    writer.join();
    EXPECT_THROW(OutputFile(path("fifo")), FileError);
}

TEST_F(Files, AnOutputTakesItsNameWhenItIsComplete) {
    std::ofstream(path("file")) << "old";
    fs::permissions(path("file"), fs::perms::owner_read | fs::perms::owner_write);
    {
        OutputFile file(path("file"));
        file.stream() << "lost";
        EXPECT_EQ(entries(), 2u);
    }
    EXPECT_EQ(entries(), 1u);
    EXPECT_EQ(read_file(path("file")), "old");
    OutputFile file(path("file"));
    file.stream() << "new " << 1;
    EXPECT_EQ(read_file(path("file")), "old");
    file.complete();
    file.write("ignored");
    EXPECT_EQ(read_file(path("file")), "new 1");
    EXPECT_EQ(fs::status(path("file")).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Files, AnOutputFollowsLinks) {
    fs::create_symlink("target", path("link"));
    for (const char* text : {"made", "written again"}) {
        OutputFile file(path("link"));
        file.write(text);
        file.complete();
        EXPECT_TRUE(fs::is_symlink(path("link")));
        EXPECT_EQ(read_file(path("target")), text);
    }
}

TEST_F(Files, AFullDeviceIsAFault) {
    OutputFile file("/dev/full");
    file.write("text");
    EXPECT_THROW(file.complete(), FileError);
}

}  // namespace
}  // namespace archipelago
