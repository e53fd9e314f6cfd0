// SPDX-License-Identifier: Apache-2.0
// Random programs of a compute unit for lockstep: instructions of every encoding with operands
// that keep the wave running to its end, and on demand one thing that stops the unit.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/cu/isa/encoding.h"
#include "models/cu/isa/isa.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/decoded.h"
#include "models/mc/surface/tile_mode.h"
#include "rtl-bridge/compare/random.h"

namespace archipelago::rtl {

// What the Verilog unit does; at anything else it stops, and the model does not. Random stimulus
// leaves that out, and takes it up when its line says true.
struct CuBuilt {
    bool images = true;         // MIMG
    bool gds = true;            // DS on the global data share
    bool exports = true;        // EXP
    bool interpolation = true;  // VINTRP
    bool lds_direct = true;     // operand LDS_DIRECT
    bool messages = true;       // s_sendmsg, s_sendmsghalt
    bool loads_to_lds = true;   // MUBUF with the lds bit
};
constexpr CuBuilt kCuBuilt;

// Addresses at which nothing is mapped.
constexpr uint64_t kCuUnmapped = uint64_t{0xee} << 40;
constexpr bool is_cu_unmapped(uint64_t address) {
    return (address >> 40 & 0xff) == 0xee;
}

class CuProgram {
  public:
    // The one thing a program does that it should not.
    enum class Accident : uint8_t {
        None,
        NoInstruction,
        Unimplemented,    // a buffer access through a resource that is no buffer, or an image's
        BeyondRegisters,  // of the wave's allocation
        OddJump,          // to an address that is not a multiple of 4
        NoMessage,        // s_sendmsg of a kind or operation that there is not
        Misaligned,       // an atomic of 64 bits
        ScalarFault,
        VectorFault,
        FetchFault,  // of a block that it executes
        Halt,        // for good
    };
    struct Shape {
        unsigned vgprs = 0, sgprs = 0;  // of the wave; at least kMinVgprs and kMinSgprs
        unsigned waves = 1;             // of the group
        uint64_t pc = 0;                // of the first dword, bytes
        uint64_t data = 0;  // memory it reads and writes, bytes; images: a multiple of 256
        // Of the unit, while its waves run; null: no image instructions.
        const surface::TilingRegisters* tiling = nullptr;
        Accident accident = Accident::None;
    };
    static constexpr unsigned kMinVgprs = 8, kMinSgprs = 32;

    // Image instructions, by what they do and by their resource.
    enum class ImageUse : uint8_t {
        Load,
        Store,
        Atomic,
        AtomicReturns,
        Sample,
        Gather,
        ResourceInfo,
        Lod,
        Status,
        ShortResource,
        Linear,
        MicroTiled,
        MacroTiled,
        Dim3,
        Cube,
        Array,
        Samples,
    };
    static constexpr unsigned kImageUses = 17;

    // Loads to registers that vector instructions write before the load is waited for.
    enum class Race : uint8_t { Memory, SharedData, Scalar };
    static constexpr unsigned kRaces = 3;

    CuProgram(Random& random, const Shape& shape);

    const std::vector<uint32_t>& words() const { return words_; }
    uint64_t handler() const { return address(handler_); }  // of traps
    // SGPRs the wave is launched with, from s0 on.
    const std::vector<uint32_t>& user_sgprs() const { return user_; }
    // What each wave that ends has executed: bit n for cu::Action n.
    uint32_t executes() const { return executes_; }
    bool executes(cu::Action action) const {
        return (executes_ >> static_cast<unsigned>(action) & 1) != 0;
    }
    bool executes(ImageUse use) const { return (images_ >> static_cast<unsigned>(use) & 1) != 0; }
    bool executes(Race race) const { return (races_ >> static_cast<unsigned>(race) & 1) != 0; }
    // Each wave that ends has executed an instruction of two dwords that lies in two blocks.
    bool crosses() const { return crosses_; }
    bool loops() const { return loops_; }
    bool loads_to_lds() const { return loads_to_lds_; }
    // Most instructions of vector memory, and of them those that read data, that follow each other
    // without s_waitcnt and are executed by each wave that ends.
    unsigned vectors_in_a_row() const { return most_vectors_; }
    unsigned stores_in_a_row() const { return most_stores_; }
    // Address of the dword that is not mapped, of an Accident::FetchFault; else 0.
    uint64_t unmapped() const { return unmapped_; }

  private:
    using Op = isa::Op;
    struct Pair {
        uint32_t words[2];
    };
    // Blocks that have other rules than the rest.
    struct Block {
        unsigned depth = 0;   // of loops and branches
        bool called = false;  // may not call
        bool forked = false;  // leaves the branch stack's registers and pointer alone
    };

    // s0 to s7 are the branch stack's, then three buffer resources, the address of `data` and two
    // registers for other things, loop counters, an address; from kFirstOther on nothing is kept.
    static constexpr unsigned kStack = 8;
    static constexpr unsigned kResources = 8, kSafeResource = 16, kData = 20, kSpare = 22;
    static constexpr unsigned kCounters = 24, kAddress = 28, kFirstOther = 30;
    static constexpr unsigned kShown = kFirstOther + 1;  // what the hardware's registers hold
    static constexpr unsigned kUser = 24;                // set at launch, or by the program
    static constexpr unsigned kFirstImage = 32;          // resource and sampler of an image

    struct Image {
        std::array<uint32_t, 8> resource{};
        std::array<uint32_t, 4> sampler{};
        unsigned srsrc = 0, ssamp = 0;  // their SGPRs
        Op op = Op::Illegal;
        Pair words{};
        bool spread = false;  // of many texels, which lie far from each other
    };
    // What a unit does with an image instruction.
    enum class Verdict : uint8_t { Executed, NotExecuted, TooFewRegisters };

    uint64_t address(size_t dword) const { return shape_.pc + 4 * dword; }
    size_t here() const { return words_.size(); }

    // ---- a program: cu_program.cpp
    void choose_profile();
    void choose_resources();
    void prologue();
    void block(const Block& b, unsigned items);
    void item(const Block& b);
    void accident();
    void no_instruction();
    void no_buffer();
    void beyond_registers();
    void odd_jump();
    void no_message();
    void misaligned_access();
    void scalar_fault();
    void vector_fault();
    void epilogue();
    void show(unsigned sgpr);
    void subroutine();
    void handler_code();
    void constants();

    // ---- parts with control flow: cu_program_flow.cpp
    void loop(const Block& b);
    void conditional(const Block& b);
    void jump();
    void call();
    void fork(const Block& b);
    void skip_section(const Block& b);
    void trap();
    void barrier();

    // ---- instructions: cu_program_instructions.cpp
    void vector_alu(const Block& b);
    void scalar_alu(const Block& b);
    void wait();
    void internal();
    void restore_exec();
    void relative_move();
    void special();
    void hazard(const Block& b);
    void outside();

    // ---- instructions that access memory or LDS: cu_program_memory.cpp
    void scalar_memory(const Block& b);
    void reload_resource();
    void vector_memory();
    void buffer_access(Op op, bool to_lds);
    Pair buffer(Op op, unsigned resource, bool to_lds);
    void local_data(const Block& b);

    // ---- cu_program_images.cpp
    bool has_images() const;
    // `at_the_end`: its first address register is one of the wave's last.
    Image any_image_words(Op op, bool at_the_end);
    Verdict verdict(const Image& image) const;
    bool find_image(Image& image, Verdict wanted);
    void image_memory(const Block& b);
    bool image_accident();
    void load_image_words(const Block& b, const Image& image);
    void image_address(const Image& image);
    void mark_image(const Image& image);
    void show_image(const Image& image);

    // ---- instructions that find by M0 what they access of LDS: cu_program_shared.cpp
    void shared_operands(const Block& b);
    void fill_lds();
    void write_lds();
    void write_and_read();
    void store_in_lds(Op op, unsigned data);
    void show_lds();
    void place_in_lds(uint32_t above);
    void interpolation(const Block& b);
    void interpolation_of_a_pixel();
    void lds_operand(const Block& b);
    void load_to_lds();

    // ---- loads and vector instructions that write the same: cu_program_races.cpp
    void race();
    void any_exec();
    void load_of_lanes(unsigned vgpr);
    void load_of_gds(unsigned vgpr);
    void vector_chain(unsigned data);
    void scalar_chain(unsigned data);

    // ---- words: cu_program_words.cpp
    void emit(uint32_t word);
    void emit(uint32_t first, uint32_t second);
    void mark(uint32_t first, uint32_t second);
    bool fits(const isa::Inst& inst, const Block& b) const;
    bool keeps_registers(const isa::Inst& inst, const Block& b) const;
    bool executable(const isa::Inst& inst) const;
    // Emits one of those that make() gives that fits; whether there was one. cu_program_parts.h has
    // it.
    template <class Make>
    bool try_emit(const Block& b, const Make& make);

    // ---- operands
    uint32_t literal();
    unsigned sgpr(unsigned dwords);
    unsigned scalar_source(unsigned dwords);
    unsigned scalar_destination(unsigned dwords);
    unsigned vgpr(unsigned dwords = 1);
    unsigned vector_source(unsigned dwords);

    // ---- encodings
    static uint32_t sop1(Op op, unsigned sdst, unsigned ssrc0);
    static uint32_t sop2(Op op, unsigned sdst, unsigned ssrc0, unsigned ssrc1);
    static uint32_t sopc(Op op, unsigned ssrc0, unsigned ssrc1);
    static uint32_t sopk(Op op, unsigned sdst, uint32_t simm16);
    static uint32_t sopp(Op op, uint32_t simm16 = 0);
    static uint32_t vop1(Op op, unsigned vdst, unsigned src0);
    static uint32_t vop2(Op op, unsigned vdst, unsigned src0, unsigned vsrc1);
    static uint32_t vopc(Op op, unsigned src0, unsigned vsrc1);
    static uint32_t vintrp(uint32_t op, unsigned vdst, unsigned vsrc, uint32_t attribute,
                           uint32_t channel);
    void move_literal(unsigned sdst, uint32_t value);
    // Its number to each lane that is active.
    void count_lanes(unsigned vgpr);
    unsigned lane_address() const { return shape_.vgprs - 2; }
    void lane_addresses();
    void store_of_lanes(unsigned vgpr);
    void wait_for(unsigned vm, unsigned exp, unsigned lgkm);
    // A branch whose target is not known yet; lands() makes it go here.
    size_t branch(Op op);
    void lands(size_t branch);

    Random& random_;
    Shape shape_;
    std::vector<uint32_t> words_;
    std::vector<uint32_t> user_;
    std::array<uint32_t, kUser> initial_{};  // of s0 to s23
    std::vector<size_t> calls_;              // literals that the offset of the subroutine is put in
    std::vector<uint32_t> image_words_;      // resources and samplers after the program
    std::vector<size_t> reloads_;            // literals that the address of the constants is put in
    size_t handler_ = 0;
    uint32_t executes_ = 0, images_ = 0, races_ = 0;
    bool crosses_ = false, loops_ = false, loads_to_lds_ = false;
    unsigned vectors_ = 0, stores_ = 0, most_vectors_ = 0, most_stores_ = 0;
    bool sure_ = true;       // each wave that ends comes here
    bool waits_ = true;      // for its vector loads
    bool skipping_ = false;  // vector instructions
    unsigned counters_ = 0;  // in use
    uint64_t unmapped_ = 0;
    static constexpr unsigned kParts = 24;
    std::array<unsigned, kParts> shares_{};  // of each kind of part
    unsigned all_shares_ = 0;
};

}  // namespace archipelago::rtl
