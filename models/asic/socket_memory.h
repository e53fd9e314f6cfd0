// SPDX-License-Identifier: Apache-2.0
// Memory of other parties as functional mode sees it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tlm>
#include <vector>

#include "models/common/address_spaces.h"
#include "models/common/page.h"
#include "models/cu/functional/code_cache.h"

namespace archipelago::asic {

// The memory after a TLM-2.0 socket in host pages, by its own addresses or by those of a VMID. Uses
// DMI; a memory that grants none is read and written through debug accesses, page by page, and
// flush() brings it up to date.
class SocketMemory : public cu::FunctionalMemory {
  public:
    // `spaces` of VMIDs; null: their addresses are those of the memory.
    explicit SocketMemory(tlm::tlm_initiator_socket<>& socket,
                          const AddressSpaces* spaces = nullptr)
        : socket_(socket), spaces_(spaces) {}
    uint8_t* page(uint64_t address);
    uint8_t* page(uint64_t address, uint8_t vmid) override;
    cu::HostWindow window(uint64_t address);
    cu::HostWindow window(uint64_t address, uint8_t vmid) override;
    // False: not all of it is mapped; what lies before that has been read or written.
    bool read(uint64_t address, void* to, size_t bytes, uint8_t vmid = 0);
    bool write(uint64_t address, const void* from, size_t bytes, uint8_t vmid = 0);
    // Where up to `bytes` bytes lie, as far as they lie in one piece; null: they are not mapped.
    const uint8_t* view(uint64_t address, size_t& bytes);
    const uint8_t* view(uint64_t address, size_t& bytes, uint8_t vmid);
    // Writes pages without DMI back where they have changed, and forgets them all. Throws
    // MachineStop(Fault) when the memory does not take one.
    void flush();
    // The memory took back what it had granted.
    void forget(uint64_t first, uint64_t last);

  private:
    struct Range {
        uint64_t first, last;
        uint8_t* host;
        // From the address to the end of its page.
        bool covers(uint64_t address) const {
            return address >= first && (address | (kPageBytes - 1)) <= last;
        }
    };
    struct Shadow {
        std::vector<uint8_t> bytes;
        std::vector<uint8_t> before;  // as they were read
    };
    uint8_t* in_range(uint64_t address);
    void add(const Range& range);
    bool transfer(tlm::tlm_command command, uint64_t page, uint8_t* bytes);

    std::string refusal_;  // of the last write that was refused
    tlm::tlm_initiator_socket<>& socket_;
    const AddressSpaces* const spaces_;
    std::vector<Range> ranges_;          // granted by DMI: by address, disjoint
    size_t last_ = 0;                    // of ranges_: found last
    std::map<uint64_t, Shadow> shadow_;  // by page, memories without DMI
};

}  // namespace archipelago::asic
