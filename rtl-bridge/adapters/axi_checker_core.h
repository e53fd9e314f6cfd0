// SPDX-License-Identifier: Apache-2.0
// Watches both sides of an AXI4 or AXI4-Lite port and names every breach of the protocol. No
// SystemC. IHI 0022.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "rtl-bridge/adapters/axi_burst.h"
#include "rtl-bridge/adapters/axi_spec.h"

namespace archipelago::adapters {

enum class AxiRule : uint8_t {
    // A3.2.1: VALID stays until READY, with the same payload; one of each per channel.
    AwDropped,
    WDropped,
    ArDropped,
    BDropped,
    RDropped,
    AwChanged,
    WChanged,
    ArChanged,
    BChanged,
    RChanged,
    // A3.1.2: no VALID in reset, nor in the first cycle out of it. Its first cycle does not count:
    // a synchronous reset acts with the edge that ends it.
    AwInReset,
    WInReset,
    ArInReset,
    BInReset,
    RInReset,
    // A3.4.1: bursts.
    AwBurstReserved,
    ArBurstReserved,
    AwSizeTooWide,
    ArSizeTooWide,
    AwFixedTooLong,
    ArFixedTooLong,
    AwWrapLength,
    ArWrapLength,
    AwWrapUnaligned,
    ArWrapUnaligned,
    AwCrosses4K,
    ArCrosses4K,
    AwIdTooWide,
    ArIdTooWide,  // A2.2: beyond the width of the ID
    AwAddressTooWide,
    ArAddressTooWide,
    AwCacheReserved,
    ArCacheReserved,  // A4.4: allocate bits of an access that is not modifiable
    AwExclusive,
    ArExclusive,  // A7.2.4: size and alignment of exclusive accesses
    AwNotLite,
    ArNotLite,  // B1.1: AXI4-Lite has single full-width transfers
    WLastEarly,
    WLastMissing,    // A3.4.1: WLAST with the last transfer, and only there
    WStrobeOutside,  // A3.4.3: WSTRB on a lane the transfer does not use
    BWithoutWrite,   // A3.3.1: BVALID before the address and the last data of a write of its ID
    RWithoutRead,    // A3.3.1: RVALID before the address of a read of its ID
    BExOkay,
    RExOkay,  // A7.2.3: EXOKAY to an access that is not exclusive; B1.1
    RLastEarly,
    RLastMissing,  // A3.4.1
    // Not in the protocol, which sets no limits: AxiSpec::timeout.
    AwNotTaken,
    WNotTaken,
    ArNotTaken,
    BNotTaken,
    RNotTaken,
    WriteNotAnswered,
    ReadNotAnswered,
    kCount,
};
const char* to_string(AxiRule rule);    // "AW_DROPPED"
const char* description(AxiRule rule);  // a sentence, with the section

struct AxiViolation {
    uint64_t cycle = 0;
    AxiRule rule = AxiRule::kCount;
    std::string text;
};

class AxiCheckerCore {
  public:
    explicit AxiCheckerCore(const AxiSpec& spec, std::string name = "axi");

    // One cycle, as sampled before its edge. Returns the breaches seen in it.
    const std::vector<AxiViolation>& edge(const AxiInitiatorPins& initiator,
                                          const AxiTargetPins& target, bool in_reset = false);

    uint64_t cycles() const { return cycle_; }
    uint64_t bursts() const { return bursts_; }

  private:
    struct Write {
        AxiAddressPins address;
        uint64_t since = 0;
    };
    struct Read {
        AxiAddressPins address;
        unsigned beat = 0;
        uint64_t since = 0;
    };
    void breach(AxiRule rule, const std::string& detail = {});
    void check_reset(const AxiInitiatorPins& i, const AxiTargetPins& t);
    void check_stable(const AxiInitiatorPins& i, const AxiTargetPins& t);
    void check_address(const AxiAddressPins& a, bool write);
    void check_write_beat(const AxiAddressPins& a, unsigned n, const AxiWritePins& w);
    void match_write_data();
    void check_responses(const AxiInitiatorPins& i, const AxiTargetPins& t);
    void check_waits(const AxiInitiatorPins& i, const AxiTargetPins& t);

    AxiSpec spec_;
    std::string name_;
    std::vector<AxiViolation> found_;
    AxiInitiatorPins last_initiator_;
    AxiTargetPins last_target_;
    bool was_reset_ = true;  // or has seen nothing yet
    unsigned reset_cycles_ = 0;
    uint64_t cycle_ = 0;
    uint64_t bursts_ = 0;
    std::deque<Write> addresses_;                   // accepted, data not complete
    std::deque<AxiWritePins> data_;                 // accepted, address not
    unsigned beat_ = 0;                             // of the first of addresses_
    std::map<uint32_t, std::deque<Write>> writes_;  // complete, not answered
    std::map<uint32_t, std::deque<Read>> reads_;
    std::array<uint64_t, 5> waits_{};  // cycles VALID has waited: AW W AR B R
};

}  // namespace archipelago::adapters
