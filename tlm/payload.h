// SPDX-License-Identifier: Apache-2.0
// Pooled TLM-2.0 payloads and the one ignorable extension the chip's buses carry. tlm/README.md.
#pragma once

#include <memory>
#include <tlm>
#include <vector>

#include "models/common/memory_message.h"

namespace archipelago::tlm_shell {

// Fields of the chip's requests that a generic payload lacks. Ignorable: a target without it still
// serves reads and writes. Atomics are TLM_IGNORE_COMMAND: only the chip's own L2 executes them.
struct Extension : tlm::tlm_extension<Extension> {
    Client client = Client::Host;
    uint8_t vmid = 0;  // address space
    bool glc = false, slc = false, write_through = false, returns = true;
    bool atomic = false;
    AtomicOp atomic_op = AtomicOp::None;
    uint8_t atomic_bytes = 4;  // of an operand: 4 or 8
    uint16_t source = 0;       // unit number among its kind, as MemRequest::source
    uint64_t byte_mask = 0;    // bytes of the line accessed, bit n: byte n
    uint64_t compare = 0;      // operand of a compare-and-swap
    uint64_t uid = 0;          // transaction id, the same at every hop
    RegRequest reg{};          // register bus: steering and source

    tlm_extension_base* clone() const override { return new Extension(*this); }
    void copy_from(const tlm_extension_base& other) override {
        *this = static_cast<const Extension&>(other);
    }
};

// The last phase of a transaction, as an arbiter sees it; Waiting: the request is not sent yet.
enum class LastPhase : uint8_t { None, Waiting, BeginReq, EndReq, BeginResp };

// What an arbiter remembers of a transaction under way.
struct ArbiterRecord {
    uint16_t input = 0;
    bool completed = false;  // TLM_COMPLETED by the target: it gets no END_RESP
    LastPhase phase = LastPhase::None;
    uint64_t number = 0;  // of the request, in order of arrival
};

// A payload with room for one line. `tag` and `port` are the initiator's, restored in the response.
struct Payload {
    struct Owned : tlm::tlm_generic_payload {
        Payload* owner = nullptr;
    } gp;
    Extension ext;
    Line data{};
    Line byte_enable{};  // 0xFF for a byte that is written
    uint32_t tag = 0;
    uint16_t port = 0;
    ArbiterRecord arbiter;
    uint64_t line = 0;  // byte address of the line
    MemCommand command = MemCommand::Read;
};

class PayloadPool : public tlm::tlm_mm_interface {
  public:
    // A payload with one reference held by the caller.
    Payload& acquire() {
        if (free_.empty()) {
            all_.push_back(std::make_unique<Payload>());
            Payload& p = *all_.back();
            p.gp.owner = &p;
            p.gp.set_mm(this);
            p.gp.set_extension(&p.ext);
            p.gp.set_data_ptr(p.data.data());
            free_.push_back(&p);
        }
        Payload* p = free_.back();
        free_.pop_back();
        p->gp.acquire();
        p->gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
        p->gp.set_dmi_allowed(false);
        return *p;
    }
    void free(tlm::tlm_generic_payload* gp) override {
        gp->reset();  // frees extensions that others added for this transaction
        free_.push_back(static_cast<Payload::Owned*>(gp)->owner);
    }
    // Every payload in use, in the order in which they were allocated.
    template <class Do>
    void each_in_use(const Do& visit) const {
        for (const auto& p : all_)
            if (p->gp.get_ref_count() > 0)
                visit(*p);
    }
    size_t allocated() const { return all_.size(); }
    size_t in_use() const { return all_.size() - free_.size(); }
    ~PayloadPool() override {
        for (auto& p : all_)
            p->gp.clear_extension(&p->ext);
    }

  private:
    std::vector<std::unique_ptr<Payload>> all_;
    std::vector<Payload*> free_;
};

}  // namespace archipelago::tlm_shell
