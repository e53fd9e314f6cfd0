// SPDX-License-Identifier: Apache-2.0
// Files that a program reads or writes by name. What is read comes whole, or the reason comes in
// words; what is written takes its name once it is whole, so that a full disk leaves the old file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <stdexcept>
#include <streambuf>
#include <string>
#include <string_view>

namespace archipelago {

// A file that cannot be read or written. what(): "PATH: reason".
class FileError : public std::runtime_error {
  public:
    FileError(const std::string& path, std::string reason)
        : std::runtime_error((path.empty() ? "\"\"" : path) + ": " + reason),
          reason_(std::move(reason)) {}
    const std::string& reason() const { return reason_; }

  private:
    std::string reason_;
};

// The contents of a file, a device or a pipe; of a longer one than `limit` bytes, one byte more
// than that. A FIFO is refused when nobody opens it for writing within a second. Throws FileError.
std::string read_file(const std::string& path, uint64_t limit = ~uint64_t{0});

// A file that is written. Until complete() it stands beside its name, as NAME.xxxxxx.part, and goes
// with the object. Devices and pipes are written as they are; so is a file in a folder that cannot
// be written.
class OutputFile : private std::streambuf {
  public:
    // `what` it is, as "the log", begins messages: "cannot write the log PATH: reason". Throws
    // FileError when nothing can be written there. A FIFO needs a reader.
    explicit OutputFile(std::string path, std::string what = "");
    ~OutputFile() override;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    const std::string& path() const { return path_; }
    // The name of what is open, until complete(): for a writer that opens its file itself.
    const std::string& place() const {
        return !part_.empty() ? part_ : !target_.empty() ? target_ : path_;
    }
    // Unbuffered: for pieces of some size.
    std::ostream& stream() { return stream_; }
    void write(std::string_view bytes);
    // Gives the file its name. Throws FileError when a write has failed. Nothing is written
    // after it.
    void complete();

  private:
    std::streamsize xsputn(const char* bytes, std::streamsize count) override;
    int_type overflow(int_type byte) override;

    FileError in_context(const FileError& error) const;
    void open_file();
    void open_device();
    void open_part(bool exists);
    void open_in_place();
    void discard();

    std::string path_;
    std::string what_;
    std::string target_;  // without links
    std::string part_;    // empty: the file itself is open
    int file_ = -1;
    int fault_ = 0;  // errno of the first write that failed
    std::ostream stream_;
};

}  // namespace archipelago
