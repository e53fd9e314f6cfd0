// SPDX-License-Identifier: Apache-2.0
#include "models/common/files.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

namespace archipelago {
namespace {

namespace fs = std::filesystem;

constexpr int kWriterMilliseconds = 1000;  // that a FIFO's writer has to come

[[noreturn]] void refuse(const std::string& path, int error) {
    throw FileError(path, std::strerror(error));
}

class Descriptor {
  public:
    explicit Descriptor(int file) : file_(file) {}
    ~Descriptor() {
        if (file_ >= 0)
            close(file_);
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return file_; }

  private:
    int file_;
};

void wait_for_data(int file, int milliseconds) {
    pollfd events{file, POLLIN, 0};
    poll(&events, 1, milliseconds);
}

// Opens without waiting: a FIFO would wait for its writer.
int open_to_read(const std::string& path, bool& is_fifo) {
    if (path.empty())
        throw FileError(path, "the name is empty, expected a file");
    if (path.find('\0') != std::string::npos)
        refuse(path, ENOENT);
    const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        refuse(path, errno);
    struct stat facts {};
    const int error = fstat(file, &facts) == 0 ? 0 : errno;
    if (error != 0 || S_ISDIR(facts.st_mode)) {
        close(file);
        throw FileError(path,
                        error != 0 ? std::strerror(error) : "is a directory, expected a file");
    }
    is_fifo = S_ISFIFO(facts.st_mode);
    return file;
}

// Streams of the process and what is no plain file: a new file cannot take their names.
bool is_stream(const std::string& path) {
    for (const char* const begin : {"/dev/std", "/dev/fd/", "/proc/"})
        if (path.rfind(begin, 0) == 0)
            return true;
    struct stat facts {};
    return stat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode);
}

// The file that a name leads to, which need not exist.
std::string target_of(const std::string& path) {
    std::error_code error;
    const fs::file_type type = fs::status(path, error).type();
    if (type == fs::file_type::none)
        refuse(path, error.value());
    const bool dangles = type == fs::file_type::not_found && fs::is_symlink(path, error);
    error.clear();
    const fs::path named =
        dangles ? fs::path(path).parent_path() / fs::read_symlink(path, error) : fs::path(path);
    const fs::path target = fs::weakly_canonical(fs::absolute(named, error), error);
    if (error)
        refuse(path, error.value());
    return target.string();
}

mode_t mode_of_new_files() {
    const mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

}  // namespace

std::string read_file(const std::string& path, uint64_t limit) {
    bool is_fifo = false;
    const Descriptor file(open_to_read(path, is_fifo));
    if (is_fifo)
        wait_for_data(file.get(), kWriterMilliseconds);
    std::string text;
    std::array<char, 65536> piece;
    bool waited = false;
    while (text.size() <= limit) {
        const ssize_t count = read(file.get(), piece.data(), piece.size());
        if (count > 0) {
            text.append(piece.data(), static_cast<size_t>(count));
        } else if (count == 0) {
            if (is_fifo && text.empty() && !waited)
                throw FileError(path, "is a FIFO that nobody writes");
            return text;
        } else if (errno == EAGAIN) {
            if (is_fifo && !std::exchange(waited, true))
                std::fprintf(stderr, "%s: waits for data of this FIFO\n", path.c_str());
            wait_for_data(file.get(), -1);
        } else if (errno != EINTR) {
            refuse(path, errno);
        }
    }
    text.resize(limit + 1);
    return text;
}

OutputFile::OutputFile(std::string path, std::string what)
    : path_(std::move(path)), what_(std::move(what)), stream_(this) {
    try {
        open_file();
    } catch (const FileError& error) {
        throw in_context(error);
    }
}

FileError OutputFile::in_context(const FileError& error) const {
    if (what_.empty())
        return error;
    return {"cannot write " + what_ + " " + (path_.empty() ? "\"\"" : path_), error.reason()};
}

void OutputFile::open_file() {
    if (path_.empty())
        throw FileError(path_, "the name is empty, expected a file to write");
    if (is_stream(path_)) {
        open_device();
        return;
    }
    target_ = target_of(path_);
    const bool exists = access(target_.c_str(), F_OK) == 0;
    if (exists && access(target_.c_str(), W_OK) != 0)
        refuse(path_, errno);
    open_part(exists);
}

void OutputFile::open_device() {
    // The number of a standard stream that leads to a plain file: as the shell has made it.
    struct stat facts {};
    const bool is_plain = stat(path_.c_str(), &facts) == 0 && S_ISREG(facts.st_mode);
    const bool is_fifo = !is_plain && S_ISFIFO(facts.st_mode);
    file_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC | (is_plain ? O_TRUNC : O_NONBLOCK));
    if (file_ < 0 && errno == ENXIO && is_fifo)
        throw FileError(path_, "is a FIFO that nobody reads");
    if (file_ < 0)
        refuse(path_, errno);
    fcntl(file_, F_SETFL, fcntl(file_, F_GETFL) & ~O_NONBLOCK);
}

void OutputFile::open_part(bool exists) {
    constexpr std::string_view kEnding = ".part";
    part_ = target_ + ".XXXXXX" + std::string(kEnding);
    file_ = mkostemps(part_.data(), static_cast<int>(kEnding.size()), O_CLOEXEC);
    if (file_ < 0) {
        const int error = errno;
        part_.clear();
        if (!exists && error != ENAMETOOLONG)
            refuse(path_, error);
        return open_in_place();
    }
    struct stat facts {};
    const bool known = exists && stat(target_.c_str(), &facts) == 0;
    fchmod(file_, known ? facts.st_mode & 07777 : mode_of_new_files());
}

void OutputFile::open_in_place() {
    file_ = open(target_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file_ < 0)
        refuse(path_, errno);
}

OutputFile::~OutputFile() {
    discard();
}

void OutputFile::discard() {
    if (file_ >= 0)
        close(file_);
    file_ = -1;
    if (!part_.empty())
        unlink(part_.c_str());
    part_.clear();
}

void OutputFile::write(std::string_view bytes) {
    while (!bytes.empty() && fault_ == 0 && file_ >= 0) {
        const ssize_t count = ::write(file_, bytes.data(), bytes.size());
        if (count >= 0)
            bytes.remove_prefix(static_cast<size_t>(count));
        else if (errno != EINTR)
            fault_ = errno;
    }
}

void OutputFile::complete() {
    if (file_ < 0)
        return;
    if (close(std::exchange(file_, -1)) != 0 && fault_ == 0)
        fault_ = errno;
    if (fault_ == 0 && !part_.empty() && std::rename(part_.c_str(), target_.c_str()) != 0)
        fault_ = errno;
    if (fault_ == 0)
        part_.clear();
    discard();
    if (fault_ != 0)
        throw in_context({path_, std::strerror(fault_)});
}

std::streamsize OutputFile::xsputn(const char* bytes, std::streamsize count) {
    write({bytes, static_cast<size_t>(count)});
    return fault_ == 0 ? count : 0;
}

OutputFile::int_type OutputFile::overflow(int_type byte) {
    const char one = traits_type::to_char_type(byte);
    return xsputn(&one, 1) == 1 ? byte : traits_type::eof();
}

}  // namespace archipelago
