// SPDX-License-Identifier: Apache-2.0
// A part of a program in a process of its own: SystemC keeps one simulation in each, and one that
// crashes or does not end fails alone.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>

namespace archipelago {

// What the child writes to its parent.
class ChildPipe {
  public:
    explicit ChildPipe(int file) : file_(file) {}
    // False when the parent is gone.
    bool write(const void* data, size_t bytes) const {
        const auto* at = static_cast<const char*>(data);
        while (bytes != 0) {
            const ssize_t written = ::write(file_, at, bytes);
            if (written < 0 && errno != EINTR)
                return false;
            if (written > 0) {
                at += written;
                bytes -= static_cast<size_t>(written);
            }
        }
        return true;
    }
    bool write(const std::string& text) const { return write(text.data(), text.size()); }

  private:
    int file_;
};

struct ChildResult {
    int status = 0;      // as waitpid() gives it
    std::string output;  // all that went through the pipe

    bool succeeded() const { return WIFEXITED(status) && WEXITSTATUS(status) == 0; }
};

namespace child_process_detail {

// The exit status is what `body` returns, 1 after an exception. Nothing of the parent is destroyed.
[[noreturn]] inline void run_child(const std::function<int(const ChildPipe&)>& body, int to) {
    int status = 1;
    try {
        status = body(ChildPipe(to));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
    }
    std::fflush(nullptr);
    _exit(status);
}

inline std::string read_all(int from) {
    std::string text;
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t bytes = read(from, buffer.data(), buffer.size());
        if (bytes > 0)
            text.append(buffer.data(), static_cast<size_t>(bytes));
        else if (bytes == 0 || errno != EINTR)
            return text;
    }
}

}  // namespace child_process_detail

// Returns when the child has ended. Throws std::runtime_error when there can be no child.
inline ChildResult run_in_child(const std::function<int(const ChildPipe&)>& body) {
    int ends[2];
    std::fflush(nullptr);
    const pid_t child = pipe(ends) == 0 ? fork() : -1;
    if (child < 0)
        throw std::runtime_error(std::string("cannot start a process: ") + std::strerror(errno));
    if (child == 0) {
        close(ends[0]);
        child_process_detail::run_child(body, ends[1]);
    }
    close(ends[1]);
    ChildResult result;
    result.output = child_process_detail::read_all(ends[0]);
    close(ends[0]);
    while (waitpid(child, &result.status, 0) < 0 && errno == EINTR) {
    }
    return result;
}

}  // namespace archipelago
