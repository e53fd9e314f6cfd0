// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/adapters/axi_checker_core.h"

#include <cstdio>
#include <stdexcept>

namespace archipelago::adapters {
namespace {

struct RuleText {
    const char* name;
    const char* text;
};
// In the order of AxiRule.
constexpr RuleText kRules[] = {
    {"AW_DROPPED", "AWVALID fell before AWREADY (A3.2.1)"},
    {"W_DROPPED", "WVALID fell before WREADY (A3.2.1)"},
    {"AR_DROPPED", "ARVALID fell before ARREADY (A3.2.1)"},
    {"B_DROPPED", "BVALID fell before BREADY (A3.2.1)"},
    {"R_DROPPED", "RVALID fell before RREADY (A3.2.1)"},
    {"AW_CHANGED", "AW changed while AWVALID waited for AWREADY (A3.2.1)"},
    {"W_CHANGED", "W changed while WVALID waited for WREADY (A3.2.1)"},
    {"AR_CHANGED", "AR changed while ARVALID waited for ARREADY (A3.2.1)"},
    {"B_CHANGED", "B changed while BVALID waited for BREADY (A3.2.1)"},
    {"R_CHANGED", "R changed while RVALID waited for RREADY (A3.2.1)"},
    {"AW_IN_RESET", "AWVALID in reset or in the first cycle out of it (A3.1.2)"},
    {"W_IN_RESET", "WVALID in reset or in the first cycle out of it (A3.1.2)"},
    {"AR_IN_RESET", "ARVALID in reset or in the first cycle out of it (A3.1.2)"},
    {"B_IN_RESET", "BVALID in reset or in the first cycle out of it (A3.1.2)"},
    {"R_IN_RESET", "RVALID in reset or in the first cycle out of it (A3.1.2)"},
    {"AW_BURST_RESERVED", "AWBURST has the reserved value 3 (A3.4.1)"},
    {"AR_BURST_RESERVED", "ARBURST has the reserved value 3 (A3.4.1)"},
    {"AW_SIZE_TOO_WIDE", "AWSIZE is wider than the data bus (A3.4.1)"},
    {"AR_SIZE_TOO_WIDE", "ARSIZE is wider than the data bus (A3.4.1)"},
    {"AW_FIXED_TOO_LONG", "a FIXED write of more than 16 beats (A3.4.1)"},
    {"AR_FIXED_TOO_LONG", "a FIXED read of more than 16 beats (A3.4.1)"},
    {"AW_WRAP_LENGTH", "a WRAP write of other than 2, 4, 8 or 16 beats (A3.4.1)"},
    {"AR_WRAP_LENGTH", "a WRAP read of other than 2, 4, 8 or 16 beats (A3.4.1)"},
    {"AW_WRAP_UNALIGNED", "a WRAP write with an address that is not aligned to its size (A3.4.1)"},
    {"AR_WRAP_UNALIGNED", "a WRAP read with an address that is not aligned to its size (A3.4.1)"},
    {"AW_CROSSES_4K", "a write across a 4 KiB boundary (A3.4.1)"},
    {"AR_CROSSES_4K", "a read across a 4 KiB boundary (A3.4.1)"},
    {"AW_ID_TOO_WIDE", "AWID has more bits than the port (A2.2)"},
    {"AR_ID_TOO_WIDE", "ARID has more bits than the port (A2.5)"},
    {"AW_ADDRESS_TOO_WIDE", "AWADDR has more bits than the port (A2.2)"},
    {"AR_ADDRESS_TOO_WIDE", "ARADDR has more bits than the port (A2.5)"},
    {"AW_CACHE_RESERVED", "AWCACHE[3:2] set in an access that is not modifiable (A4.4)"},
    {"AR_CACHE_RESERVED", "ARCACHE[3:2] set in an access that is not modifiable (A4.4)"},
    {"AW_EXCLUSIVE",
     "an exclusive write that is unaligned, longer than 16 beats, or of a size "
     "that is not a power of two up to 128 bytes (A7.2.4)"},
    {"AR_EXCLUSIVE",
     "an exclusive read that is unaligned, longer than 16 beats, or of a size "
     "that is not a power of two up to 128 bytes (A7.2.4)"},
    {"AW_NOT_LITE", "an AXI4-Lite write that is not one transfer of the whole width (B1.1)"},
    {"AR_NOT_LITE", "an AXI4-Lite read that is not one transfer of the whole width (B1.1)"},
    {"W_LAST_EARLY", "WLAST before the last beat (A3.4.1)"},
    {"W_LAST_MISSING", "no WLAST with the last beat (A3.4.1)"},
    {"W_STROBE_OUTSIDE", "WSTRB on a lane that the beat does not use (A3.4.3)"},
    {"B_WITHOUT_WRITE",
     "BVALID without a write of its ID whose address and last data were "
     "taken before (A3.3.1)"},
    {"R_WITHOUT_READ", "RVALID without a read of its ID that was taken before (A3.3.1)"},
    {"B_EXOKAY", "BRESP is EXOKAY and the write was not exclusive (A7.2.3)"},
    {"R_EXOKAY", "RRESP is EXOKAY and the read was not exclusive (A7.2.3)"},
    {"R_LAST_EARLY", "RLAST before the last beat (A3.4.1)"},
    {"R_LAST_MISSING", "no RLAST with the last beat (A3.4.1)"},
    {"AW_NOT_TAKEN", "AWVALID waits longer than the time-out"},
    {"W_NOT_TAKEN", "WVALID waits longer than the time-out"},
    {"AR_NOT_TAKEN", "ARVALID waits longer than the time-out"},
    {"B_NOT_TAKEN", "BVALID waits longer than the time-out"},
    {"R_NOT_TAKEN", "RVALID waits longer than the time-out"},
    {"WRITE_NOT_ANSWERED", "a write without B for longer than the time-out"},
    {"READ_NOT_ANSWERED", "a read without R for longer than the time-out"},
};
static_assert(sizeof kRules / sizeof kRules[0] == static_cast<size_t>(AxiRule::kCount),
              "every rule has its text");

// The rule of the read channel stands after that of the write channel.
AxiRule of(AxiRule write_rule, bool write) {
    return write ? write_rule : static_cast<AxiRule>(static_cast<unsigned>(write_rule) + 1);
}

std::string say(const AxiAddressPins& a) {
    char text[128];
    std::snprintf(text, sizeof text, "id %u, address 0x%llx, len %u, size %u, burst %u", a.id,
                  static_cast<unsigned long long>(a.addr), a.len, a.size,
                  static_cast<unsigned>(a.burst));
    return text;
}

}  // namespace

const char* to_string(AxiRule rule) {
    return rule < AxiRule::kCount ? kRules[static_cast<size_t>(rule)].name : "?";
}
const char* description(AxiRule rule) {
    return rule < AxiRule::kCount ? kRules[static_cast<size_t>(rule)].text : "?";
}

AxiCheckerCore::AxiCheckerCore(const AxiSpec& spec, std::string name)
    : spec_(spec), name_(std::move(name)) {
    const std::string problem = spec.problem();
    if (!problem.empty())
        throw std::invalid_argument(name_ + ": " + problem);
}

void AxiCheckerCore::breach(AxiRule rule, const std::string& detail) {
    std::string text = name_ + ", cycle " + std::to_string(cycle_) + ": " + to_string(rule) + ": " +
                       description(rule);
    if (!detail.empty())
        text += ": " + detail;
    found_.push_back({cycle_, rule, std::move(text)});
}

const std::vector<AxiViolation>& AxiCheckerCore::edge(const AxiInitiatorPins& i,
                                                      const AxiTargetPins& t, bool in_reset) {
    ++cycle_;
    found_.clear();
    if (reset_cycles_ != 0)
        check_reset(i, t);
    reset_cycles_ = in_reset ? reset_cycles_ + 1 : 0;
    if (in_reset) {
        addresses_.clear();
        data_.clear();
        writes_.clear();
        reads_.clear();
        beat_ = 0;
        waits_ = {};
    } else {
        if (!was_reset_)
            check_stable(i, t);
        // Responses first: what is accepted in this cycle cannot be answered in it.
        check_responses(i, t);
        if (i.aw.valid && (was_reset_ || !last_initiator_.aw.valid || last_target_.awready))
            check_address(i.aw, true);
        if (i.ar.valid && (was_reset_ || !last_initiator_.ar.valid || last_target_.arready))
            check_address(i.ar, false);
        if (i.ar.valid && t.arready)
            reads_[i.ar.id].push_back({i.ar, 0, cycle_});
        if (i.aw.valid && t.awready)
            addresses_.push_back({i.aw, cycle_});
        if (i.w.valid && t.wready)
            data_.push_back(i.w);
        match_write_data();
        check_waits(i, t);
    }
    was_reset_ = in_reset;
    last_initiator_ = i;
    last_target_ = t;
    return found_;
}

void AxiCheckerCore::check_reset(const AxiInitiatorPins& i, const AxiTargetPins& t) {
    if (i.aw.valid)
        breach(AxiRule::AwInReset);
    if (i.w.valid)
        breach(AxiRule::WInReset);
    if (i.ar.valid)
        breach(AxiRule::ArInReset);
    if (t.b.valid)
        breach(AxiRule::BInReset);
    if (t.r.valid)
        breach(AxiRule::RInReset);
}

void AxiCheckerCore::check_stable(const AxiInitiatorPins& i, const AxiTargetPins& t) {
    const AxiInitiatorPins& li = last_initiator_;
    const AxiTargetPins& lt = last_target_;
    const auto check = [&](const auto& before, bool ready, const auto& now, AxiRule dropped,
                           AxiRule changed) {
        if (!before.valid || ready)
            return;
        if (!now.valid)
            breach(dropped);
        else if (!before.same_payload(now))
            breach(changed);
    };
    check(li.aw, lt.awready, i.aw, AxiRule::AwDropped, AxiRule::AwChanged);
    check(li.w, lt.wready, i.w, AxiRule::WDropped, AxiRule::WChanged);
    check(li.ar, lt.arready, i.ar, AxiRule::ArDropped, AxiRule::ArChanged);
    check(lt.b, li.bready, t.b, AxiRule::BDropped, AxiRule::BChanged);
    check(lt.r, li.rready, t.r, AxiRule::RDropped, AxiRule::RChanged);
}

void AxiCheckerCore::check_address(const AxiAddressPins& a, bool write) {
    ++bursts_;
    const AxiBurstShape s(a);
    const auto refuse = [&](AxiRule write_rule) { breach(of(write_rule, write), say(a)); };
    if (spec_.lite && (a.len != 0 || a.size != spec_.data_size() || a.burst != AxiBurst::Incr ||
                       a.attributes.lock != 0))
        refuse(AxiRule::AwNotLite);
    if (s.burst == AxiBurst::Reserved)
        refuse(AxiRule::AwBurstReserved);
    if (s.beat_bytes() > spec_.data_bytes())
        refuse(AxiRule::AwSizeTooWide);
    if (s.burst == AxiBurst::Fixed && s.beats > kMaxFixedBeats)
        refuse(AxiRule::AwFixedTooLong);
    if (s.burst == AxiBurst::Wrap) {
        if (s.beats != 2 && s.beats != 4 && s.beats != 8 && s.beats != 16)
            refuse(AxiRule::AwWrapLength);
        if (s.address != s.aligned())
            refuse(AxiRule::AwWrapUnaligned);
    }
    if (s.burst == AxiBurst::Incr &&
        s.address / kBurstBoundary != (s.aligned() + s.wrap_bytes() - 1) / kBurstBoundary)
        refuse(AxiRule::AwCrosses4K);
    if (spec_.id_bits < 32 && a.id >> spec_.id_bits != 0)
        refuse(AxiRule::AwIdTooWide);
    if ((a.addr & ~spec_.address_mask()) != 0)
        refuse(AxiRule::AwAddressTooWide);
    if ((a.attributes.cache & 2) == 0 && (a.attributes.cache & 12) != 0)
        refuse(AxiRule::AwCacheReserved);
    if (a.attributes.lock != 0) {
        const uint64_t bytes = s.wrap_bytes();
        if (s.beats > 16 || bytes > 128 || (bytes & (bytes - 1)) != 0 || a.addr % bytes != 0)
            refuse(AxiRule::AwExclusive);
    }
}

void AxiCheckerCore::check_write_beat(const AxiAddressPins& a, unsigned n, const AxiWritePins& w) {
    const AxiBurstShape s(a);
    const bool is_last = n + 1 == s.beats;
    const auto where = [&] { return "beat " + std::to_string(n) + " of " + say(a); };
    if (spec_.has_wlast && !spec_.lite) {
        if (w.last && !is_last)
            breach(AxiRule::WLastEarly, where());
        if (!w.last && is_last)
            breach(AxiRule::WLastMissing, where());
    }
    if (!spec_.has_strobes || s.burst == AxiBurst::Reserved || s.beat_bytes() > spec_.data_bytes())
        return;
    AxiBeat beat = s.beat(n, spec_.data_bytes());
    if (spec_.lite)  // all lanes of the word, regardless of the low bits of the address
        beat = {s.aligned(), 0, spec_.data_bytes()};
    StrobeLanes used;
    used.set_range(beat.lane, beat.count);
    for (size_t i = 0; i < used.bits.size(); ++i)
        if ((w.strb.bits[i] & ~used.bits[i]) != 0) {
            breach(AxiRule::WStrobeOutside, where());
            return;
        }
}

void AxiCheckerCore::match_write_data() {
    while (!addresses_.empty() && !data_.empty()) {
        const Write& write = addresses_.front();
        check_write_beat(write.address, beat_, data_.front());
        data_.pop_front();
        if (++beat_ == write.address.len + 1u) {
            beat_ = 0;
            writes_[write.address.id].push_back({write.address, cycle_});
            addresses_.pop_front();
        }
    }
}

void AxiCheckerCore::check_responses(const AxiInitiatorPins& i, const AxiTargetPins& t) {
    const bool fresh_b = t.b.valid && (was_reset_ || !last_target_.b.valid ||
                                       last_initiator_.bready || !last_target_.b.same_payload(t.b));
    const auto b = writes_.find(t.b.id);
    const bool has_write = b != writes_.end() && !b->second.empty();
    if (fresh_b) {
        if (!has_write)
            breach(AxiRule::BWithoutWrite, "id " + std::to_string(t.b.id));
        else if (t.b.resp == AxiResp::ExOkay &&
                 (spec_.lite || b->second.front().address.attributes.lock == 0))
            breach(AxiRule::BExOkay, say(b->second.front().address));
    }
    if (t.b.valid && i.bready && has_write) {
        b->second.pop_front();
        if (b->second.empty())
            writes_.erase(b);
    }

    const bool fresh_r = t.r.valid && (was_reset_ || !last_target_.r.valid ||
                                       last_initiator_.rready || !last_target_.r.same_payload(t.r));
    const auto r = reads_.find(t.r.id);
    const bool has_read = r != reads_.end() && !r->second.empty();
    if (fresh_r && !has_read)
        breach(AxiRule::RWithoutRead, "id " + std::to_string(t.r.id));
    if (!has_read || !t.r.valid)
        return;
    Read& read = r->second.front();
    const bool is_last = read.beat == read.address.len;
    if (fresh_r) {
        const auto where = [&] {
            return "beat " + std::to_string(read.beat) + " of " + say(read.address);
        };
        if (t.r.resp == AxiResp::ExOkay && (spec_.lite || read.address.attributes.lock == 0))
            breach(AxiRule::RExOkay, where());
        if (spec_.has_rlast && !spec_.lite) {
            if (t.r.last && !is_last)
                breach(AxiRule::RLastEarly, where());
            if (!t.r.last && is_last)
                breach(AxiRule::RLastMissing, where());
        }
    }
    if (i.rready) {
        read.since = cycle_;
        ++read.beat;
        if (is_last) {
            r->second.pop_front();
            if (r->second.empty())
                reads_.erase(r);
        }
    }
}

void AxiCheckerCore::check_waits(const AxiInitiatorPins& i, const AxiTargetPins& t) {
    if (spec_.timeout == 0)
        return;
    const auto wait = [&](unsigned channel, bool valid, bool ready, AxiRule rule) {
        waits_[channel] = valid && !ready ? waits_[channel] + 1 : 0;
        if (waits_[channel] == spec_.timeout + 1)  // reported once
            breach(rule);
    };
    wait(0, i.aw.valid, t.awready, AxiRule::AwNotTaken);
    wait(1, i.w.valid, t.wready, AxiRule::WNotTaken);
    wait(2, i.ar.valid, t.arready, AxiRule::ArNotTaken);
    wait(3, t.b.valid, i.bready, AxiRule::BNotTaken);
    wait(4, t.r.valid, i.rready, AxiRule::RNotTaken);
    const auto answered = [&](const auto& by_id, AxiRule rule) {
        for (const auto& [id, queue] : by_id)
            if (cycle_ - queue.front().since == spec_.timeout + 1)
                breach(rule, say(queue.front().address));
    };
    answered(writes_, AxiRule::WriteNotAnswered);
    answered(reads_, AxiRule::ReadNotAnswered);
}

}  // namespace archipelago::adapters
