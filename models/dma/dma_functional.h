// SPDX-License-Identifier: Apache-2.0
// An async DMA engine in functional mode: walks its ring and runs the same packet programs at
// once. Effects and errors are those of the timed engine.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "models/common/interrupt.h"
#include "models/common/memory_message.h"
#include "models/common/trace_sink.h"
#include "models/dma/dma_spec.h"
#include "models/dma/packet_program.h"
#include "models/dma/register_file.h"
#include "models/dma/span_walk.h"
#include "models/dma/tile_copy.h"
#include "models/front/stream_reader.h"

namespace archipelago::dma {

// Host memory that holds a part of the address space.
struct MemoryWindow {
    uint64_t first = 0;
    uint64_t bytes = 0;  // 0: not mapped
    uint8_t* host = nullptr;
    bool has(uint64_t address) const { return address - first < bytes; }
    // Bytes from the address to its end.
    uint64_t left(uint64_t address) const { return bytes - (address - first); }
    uint8_t* at(uint64_t address) const { return host + (address - first); }
};

// The machine around a functional engine.
class DmaBackend {
  public:
    virtual ~DmaBackend() = default;
    virtual uint32_t reg_read(const RegRequest& request) = 0;
    virtual void reg_write(const RegRequest& request) = 0;
    // A window with the address; valid until the next call of this interface that is none of
    // memory.
    virtual MemoryWindow window(uint64_t address, uint8_t vmid) = 0;
    virtual void interrupt(const Interrupt& interrupt) = 0;
    virtual uint64_t clock() = 0;
};

class DmaFunctional {
  public:
    DmaFunctional(const Spec& spec, RegisterFile& file, DmaBackend& backend);

    enum class Outcome : uint8_t {
        Idle,
        Waiting,   // for memory or a register that another unit writes
        GivingUp,  // the same, and not for ever: running it again is one of its tries
    };
    // Executes the ring until it is empty, or until a poll fails: run() again polls again. Throws
    // MachineStop.
    Outcome run();
    uint64_t packets() const { return packets_; }
    std::string waiting_for() const;
    void reset();
    void archive(Archive& a);
    void observe(const Observers& observers, const std::string& path);

  private:
    void forget();
    void check_ring();
    bool begin();
    const PacketInfo* take_packet(uint32_t left);
    bool take_payload(Outcome& outcome);
    bool carry_out(Outcome& outcome);
    bool carry_out_own(Outcome& outcome);
    void call();
    void skip();
    RegRequest register_request(bool write) const;
    void take(uint32_t* dwords, unsigned count);
    const MemoryWindow& window(uint64_t address, bool write);
    uint8_t* memory(uint64_t address, uint64_t& bytes, bool write);
    void access(uint64_t address, void* bytes, uint64_t count, bool write);
    void copy(uint64_t to, uint64_t from, uint64_t bytes);
    void transfer(const Transfer& t);
    void move(const Transfer& t, unsigned target);
    void move_rows(const Transfer& t, const Side& to);
    void move_tiles(const Transfer& t, unsigned target, const Region& tiles, uint32_t x,
                    uint32_t y);
    bool move_row_of_tiles(const Transfer& t, unsigned target, uint32_t tiles);
    bool tile_pieces(const Side& side, uint32_t x, bool write, TilePieces& pieces);
    bool rows_of(const Side& side, uint64_t bytes, bool write, TileRows& rows);
    void move_spans(const Transfer& t, unsigned target);
    void move_through(const Transfer& t, unsigned target);
    void finish();
    [[noreturn]] void fault(uint64_t address, bool write) const;

    const Spec spec_;
    const front::RingNames names_;
    const ProgramSettings settings_;
    RegisterFile& file_;
    DmaBackend& backend_;
    front::StreamStack<> stream_{2};  // ring, as it was last seen, and indirect buffer
    bool ring_known_ = false;         // the ring cannot have changed since
    bool in_packet_ = false;
    front::Location location_;
    PacketProgram program_;
    MicroOp op_;
    uint32_t skip_ = 0;
    bool beyond_ = false;  // a packet, or what one skips, goes on beyond the write pointer
    std::array<uint32_t, kMaxFixedDwords> dwords_{};
    uint64_t clock_offset_ = 0;
    uint32_t last_read_ = 0;
    uint64_t packets_ = 0;
    MemoryWindow reading_, writing_;
    Observers observers_;
    std::string path_;
};

}  // namespace archipelago::dma
