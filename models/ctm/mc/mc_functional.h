// SPDX-License-Identifier: Apache-2.0
// The CTM memory controller in functional mode. It has the same caches, so that programs see the
// same old data as in cycle mode, and gives the same errors.
#pragma once

#include <vector>

#include "models/ctm/mc/cache.h"
#include "models/ctm/mc/located.h"
#include "models/ctm/mc/mc_spec.h"

namespace archipelago::ctm {

// Memory, local and the host's, in lines. Nothing of a line that is not mapped is read or written.
class LineMemory {
  public:
    virtual ~LineMemory() = default;
    // False: it is not mapped. `address`: a multiple of 64.
    virtual bool read_line(uint32_t address, Line& to) = 0;
    virtual bool write_line(uint32_t address, const Line& from, uint64_t mask) = 0;
};

using QuadLanes = std::array<uint32_t, 4>;  // a number of each lane

class McFunctional {
  public:
    // `memory` must outlive this. Throws std::invalid_argument for what is wrong with the Spec.
    McFunctional(const McSpec& spec, LineMemory& memory);

    // All of these throw MachineStop naming client, index and address.
    void apply(const UnitCommand& command);
    ElementResponse read_elements(const ElementRequest& request);
    // As read_elements() of each quad in turn, of the lanes with a bit. What of a quad with one
    // goes to other lanes has no meaning.
    void read_lanes(uint8_t client, isa::LaneMask lanes, const Point* index, isa::Register& to);
    ElementResponse write_elements(const ElementRequest& request);  // values are meaningless
    WordsResponse words(const WordsRequest& request);

    // Everything dirty to memory, everything forgotten: for a change of mode.
    void flush_all();
    void invalidate_all();
    void reset();
    void archive(Archive& a);

    const McRegisters& registers() const { return registers_; }
    const Cache& cache(CacheId id) const { return caches_[number_of(id)]; }

  private:
    template <Format F>
    void read_lanes_as(const Translator& translator, uint8_t client, isa::LaneMask lanes,
                       const Point* index, isa::Register& to);
    template <Format F>
    void read_quad(Cache& cache, uint8_t client, const QuadLanes& point, const QuadLanes& address,
                   QuadElements& value);
    static bool find_quad(Cache& cache, const QuadLanes& line, QuadLanes& entry);
    void read_superfine(uint8_t client, isa::LaneMask lanes, const Point* index, isa::Register& to);
    LocatedQuad locate(const ElementRequest& request);
    // The entry with these bytes of the line.
    uint32_t read(Cache& cache, uint32_t line, uint64_t mask, const Origin& origin);
    uint32_t claim(Cache& cache, uint32_t line);
    uint32_t give_up(Cache& cache, uint32_t line);
    void write_back(Cache& cache, uint32_t entry);
    void flush(Cache& cache);

    const McSpec spec_;
    LineMemory& memory_;
    McRegisters registers_;
    std::vector<Cache> caches_;
};

}  // namespace archipelago::ctm
