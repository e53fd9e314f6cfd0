// SPDX-License-Identifier: Apache-2.0
// Large pages of the host for a chip's many small objects.
#pragma once

namespace archipelago::host {

// Asks the host for large pages under what is allocated from now on. A chip is many small objects
// that every run builds and takes down: Tahiti's take 13 MB, or 3,200 faults of small pages, and
// the vector registers of its compute units 8 MB more.
// Hosts without large pages stay as they are. Call it early, once.
void prefer_large_pages();

}  // namespace archipelago::host
