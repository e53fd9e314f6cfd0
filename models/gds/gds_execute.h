// SPDX-License-Identifier: Apache-2.0
// What requests do to the global data share, in functional mode.
#pragma once

#include <string>
#include <vector>

#include "models/gds/gds_conflicts.h"
#include "models/gds/gds_spec.h"
#include "models/gds/gds_state.h"

namespace archipelago::gds {

// Carries the request out and appends its answer, and those of earlier requests that could not be
// executed before; a request that has to wait is kept in `contents`.
void execute(const RegisterMap& map, Contents& contents, const GdsRequest& request,
             std::vector<GdsResponse>& done);

// Requests kept, for the watchdog's report: "2 at barrier 3 (counter 1), ordered wave 5 at counter
// 0, due is wave 4". Empty: none.
std::string waiting(const Contents& contents);

// Every wave that waits at the resource goes on; its counter stays.
void release_all(Resource& resource, std::vector<GdsResponse>& done);

// Remembers the conflicts of a request for GDS_CNTL_STATUS.
void note(Contents& contents, const Occupancy& occupancy);

// The GDS of functional mode.
class FunctionalGds : public GdsPort {
  public:
    // On contents that others see as well; they must outlive this.
    FunctionalGds(const GdsSpec& spec, Contents& contents) : spec_(spec), contents_(&contents) {}
    // On its own.
    explicit FunctionalGds(const GdsSpec& spec) : spec_(spec) { own_.memory.resize(spec.bytes); }
    FunctionalGds(const FunctionalGds&) = delete;
    FunctionalGds& operator=(const FunctionalGds&) = delete;

    void request(const GdsRequest& request, std::vector<GdsResponse>& done) override {
        note(*contents_, occupancy(spec_, request));
        execute(spec_.map, *contents_, request, done);
    }
    Contents& contents() { return *contents_; }

  private:
    GdsSpec spec_;
    Contents own_;
    Contents* contents_ = &own_;
};

}  // namespace archipelago::gds
