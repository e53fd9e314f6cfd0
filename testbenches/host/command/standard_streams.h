// SPDX-License-Identifier: Apache-2.0
// Standard input and output of the command: closed ones, and output that cannot be written.
#pragma once

namespace archipelago::host {

// Opens standard streams that are closed, the wrong way round: reading and writing them fails, and
// no file that the command opens takes their numbers.
void hold_standard_streams();

// Throws FileError when standard input could not be read.
void check_standard_input();

// Writes what is left of standard output. The exit status: `status`, or kBadUsage in place of kDone
// when not all could be written, which is on standard error then.
int flush_standard_output(int status);

}  // namespace archipelago::host
