// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/command/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "models/common/files.h"
#include "testbenches/host/command/command.h"

namespace archipelago::host {

void hold_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (fcntl(stream, F_GETFD) < 0 && errno == EBADF)
            // The lowest number that is free: this one.
            open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

void check_standard_input() {
    if (std::ferror(stdin) != 0)
        throw FileError("standard input", errno != 0 ? std::strerror(errno) : "cannot be read");
}

int flush_standard_output(int status) {
    errno = 0;
    if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0)
        return status;
    // A write failed before, as of a long page of help, and nobody has kept the reason: another
    // one has it.
    if (errno == 0 && write(STDOUT_FILENO, "\n", 1) == 1)
        errno = 0;
    std::fprintf(stderr, "standard output: %s\n",
                 errno != 0 ? std::strerror(errno) : "cannot be written");
    return status == kDone ? static_cast<int>(kBadUsage) : status;
}

}  // namespace archipelago::host
