// SPDX-License-Identifier: Apache-2.0
// What requests do to the global data share, without time.
#pragma once

#include <string>
#include <vector>

#include "models/gds/gds_state.h"

namespace archipelago::gds {

// Carries the request out and appends its answer, and those of earlier requests that could not be
// carried out before; a request that has to wait is kept in `contents`.
void execute(Contents& contents, const GdsRequest& request, std::vector<GdsResponse>& done);

// Requests kept, for the watchdog's report: "2 at barrier 3 (counter 1), ordered wave 5 at counter
// 0, due is wave 4". Empty: none.
std::string waiting(const Contents& contents);

// The GDS of functional mode.
class FunctionalGds : public GdsPort {
  public:
    explicit FunctionalGds(unsigned bytes) { contents_.memory.resize(bytes); }
    void request(const GdsRequest& request, std::vector<GdsResponse>& done) override {
        execute(contents_, request, done);
    }
    Contents& contents() { return contents_; }

  private:
    Contents contents_;
};

}  // namespace archipelago::gds
