// SPDX-License-Identifier: Apache-2.0
// A chip as its YAML describes it: the interface of every family's description.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/asic/identity.h"
#include "models/config/node.h"
#include "models/config/records.h"

namespace archipelago::front {
class PacketLanguage;
}

namespace archipelago::asic {

class Asic;

// A ring a host writes packets into. Its number is its place in the list.
struct Ring {
    std::string name;
    std::string kind;                                // rings of one kind have one driver
    const front::PacketLanguage* packets = nullptr;  // as text; null: words only
    bool program_info = false;                       // a step may set the registers of a program
    bool names_vmid = false;                         // its packets that call a buffer do
};

// Where a host may put what is its own: addresses that every block of the chip can name.
struct HostMemory {
    uint64_t first = 0;
    uint64_t end = 0;  // after the last
};

// Interrupt::source_id by the name that expectations and reports use.
struct InterruptSource {
    std::string name;
    uint8_t id;
    std::optional<uint8_t> ring =
        {};  // Interrupt::ring, where it distinguishes units of one source
};

class ChipDescription {
  public:
    virtual ~ChipDescription();
    ChipDescription(const ChipDescription&) = delete;
    ChipDescription& operator=(const ChipDescription&) = delete;

    virtual const Identity& identity() const = 0;
    const config::Node& tree() const { return tree_; }  // resolved: inherited and overridden
    const config::Records& records() const { return records_; }
    // Every file it was read from: the chip's, those it inherits and those its values name.
    const std::vector<std::string>& files() const { return files_; }
    void set_files(std::vector<std::string> files) { files_ = std::move(files); }

    // Makes the chip. Throws MachineStop (Unimplemented) where the family builds none.
    virtual std::unique_ptr<Asic> build(const char* name, const ChipOptions& options = {}) const;
    // In the order of their numbers; none when no chip is built.
    virtual std::vector<Ring> rings() const { return {}; }
    virtual std::vector<InterruptSource> interrupts() const { return {}; }
    // The upper part of the 40-bit space that ring base registers can name, on most chips.
    virtual HostMemory host_memory() const { return {0xE0'0000'0000, 0x100'0000'0000}; }
    // Drawing for `describe`, lines with their ends.
    virtual std::string diagram() const = 0;
    // The rest of its line in `list`, without the name.
    virtual std::string summary() const = 0;
    // A block's Spec or the family's own, by its type; null: this chip has none.
    template <class Spec>
    const Spec* spec() const {
        return static_cast<const Spec*>(find_spec(typeid(Spec)));
    }

  protected:
    explicit ChipDescription(config::Node tree) : tree_(std::move(tree)) {}
    // The parts spec() finds.
    virtual const void* find_spec(const std::type_info& type) const = 0;
    // For build() of a family without a chip: what of it is there instead.
    virtual std::string instead_of_a_chip() const { return {}; }

    config::Node tree_;
    config::Records records_;
    std::vector<std::string> files_;
};

}  // namespace archipelago::asic
