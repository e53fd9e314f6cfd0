// SPDX-License-Identifier: Apache-2.0
#include "rtl-bridge/verilated/cu_image_model.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <vector>

#include "models/cu/isa/image_op.h"
#include "models/cu/pipeline/coalescer.h"
#include "models/cu/pipeline/image_memory.h"
#include "models/mc/surface/tile_mode.h"
#include "pins/cu_pins.h"
#include "rtl-bridge/verilated/cu_context.h"

namespace archipelago {
namespace {

using Words = CuImageWords;

constexpr unsigned kQuad = 4;
constexpr unsigned kQuads = isa::kLanes / kQuad;
constexpr unsigned kShown = rtl::CuPins::kRequests;

// Decoded when the values differ from those of the call before.
const surface::TilingRegisters& decoded_tiling(const uint32_t* values) {
    struct Last {
        std::array<uint32_t, Words::kTilingWords> values{};
        surface::TilingRegisters registers;
    };
    thread_local Last last;
    if (std::memcmp(last.values.data(), values, sizeof last.values) != 0) {
        std::memcpy(last.values.data(), values, sizeof last.values);
        last.registers.gb_addr_config = values[0];
        std::memcpy(last.registers.tile_mode, values + 1, sizeof last.registers.tile_mode);
        last.registers.cs_border_colors = values[surface::TilingWrite::kBorderColors];
        last.registers.decode();
    }
    return last.registers;
}

// What an instruction is before any of its memory has answered.
struct Operation {
    isa::VectorMemOp op;
    isa::ImageOp image;
};

void describe(const uint32_t* words, const uint32_t* wave, const uint32_t* tiling,
              const uint32_t* address_rows, const uint32_t* data_rows, Operation& o) {
    thread_local isa::ImageUnit layouts;
    const isa::Inst& inst = decoded(words).inst;
    Registers& r = registers();
    r.put(inst.vaddr, address_rows, Words::kAddressRows);
    if (data_rows != nullptr)
        r.put(inst.vdst, data_rows, Words::kDataRows);
    isa::WaveState w;
    read_context(wave, w);
    w.v = r.rows;
    isa::image_mem(inst, w, decoded_tiling(tiling), layouts, o.op, o.image);
}

Operation& scratch() {
    thread_local Operation one;
    return one;
}

// ---- quads: what their cycles follow from

uint64_t lanes_of(unsigned quad, uint64_t lanes) {
    return lanes & uint64_t{15} << (kQuad * quad);
}

unsigned lines_of(const isa::ImageOp& image, uint64_t quad) {
    std::array<uint64_t, size_t{kQuad} * isa::ImageOp::kTexels> seen;
    size_t count = 0;
    for (; quad != 0; quad &= quad - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(quad));
        for (unsigned t = 0; t < image.count[lane]; ++t) {
            const uint64_t line = line_of(image.addr[lane][t]);
            if (image.in_memory(lane, t) &&
                std::find(seen.begin(), seen.begin() + count, line) == seen.begin() + count)
                seen[count++] = line;
        }
    }
    return static_cast<unsigned>(count);
}

uint32_t quad_word(const isa::ImageOp& image, uint64_t quad) {
    unsigned footprints = 1, single = 1;
    for (uint64_t m = quad; m != 0; m &= m - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctzll(m));
        footprints = std::max<unsigned>(footprints, image.passes[lane]);
        single = image.count[lane] <= 1 ? single : 0;
    }
    return footprints | lines_of(image, quad) << Words::kLinesShift | single << Words::kSingleShift;
}

void put64(uint32_t* words, uint64_t value) {
    std::memcpy(words, &value, sizeof value);
}

void write_texels(const Operation& o, uint32_t* to) {
    const isa::ImageOp& image = o.image;
    to[Words::kRegisters] = image.registers;
    to[Words::kStatus] = image.status;
    to[Words::kDirect] = image.result == isa::ImageOp::Result::Direct;
    to[Words::kWide] = image.texel_bytes > 8 ? 2 : image.texel_bytes > 4 ? 1 : 0;
    put64(to + Words::kWarned, image.lod_warn);
    for (unsigned q = 0; q < kQuads; ++q)
        to[Words::kQuads + q] = quad_word(image, lanes_of(q, o.op.lanes));
}

void write_operation(const Operation& o, uint32_t* to) {
    std::memset(to, 0, Words::kCount * sizeof *to);
    to[Words::kKind] = static_cast<uint32_t>(o.op.kind);
    to[Words::kAtomic] = static_cast<uint32_t>(o.op.atomic);
    to[Words::kBytes] = o.op.bytes;
    to[Words::kDwords] = o.op.dwords;
    to[Words::kTexels] = o.op.image;
    to[Words::kReturns] = o.op.returns;
    to[Words::kGlc] = o.op.glc;
    to[Words::kSlc] = o.op.slc;
    put64(to + Words::kLanes, o.op.lanes);
    put64(to + Words::kZeroLanes, o.op.zero_lanes);
    if (o.op.image)
        write_texels(o, to);
}

// ---- instructions that read texels, from issue to return

class Images {
  public:
    void issue(unsigned op, const Operation& o) {
        auto& place = flights_[op];
        if (place == nullptr)
            place = std::make_unique<Flight>();
        place->operation = o;
        // The Verilog writes the status register.
        place->operation.image.status = false;
        // At a cycle a footprint, a request's cycle is how many are before its last quad's.
        cu::coalesce_image(o.image, o.op.lanes, {1, 0}, place->requests);
        place->masks.clear();
        for (const cu::LineAccess& access : place->requests)
            place->masks.push_back(cu::image_bytes(o.image, access));
    }
    void answer(unsigned op, unsigned number, const Line& line) {
        Flight& f = *flights_[op];
        cu::scatter_image(f.requests.at(number), line, f.operation.image);
    }

    struct Flight {
        Operation operation;
        std::vector<cu::LineAccess> requests;
        std::vector<uint64_t> masks;  // of their bytes
    };
    // Null: none has been issued with this number.
    const Flight* find(int op) const { return flights_[static_cast<unsigned>(op)].get(); }

  private:
    std::array<std::unique_ptr<Flight>, 64> flights_;
};

Images& images_of(void* handle) {
    return *static_cast<Images*>(handle);
}

}  // namespace
}  // namespace archipelago

extern "C" {

using namespace archipelago;

int cu_image_describe(const uint32_t* words, const uint32_t* wave, const uint32_t* tiling,
                      const uint32_t* address_rows, const uint32_t* data_rows, uint32_t* op,
                      uint32_t* addresses, uint32_t* data) {
    Operation& o = scratch();
    describe(words, wave, tiling, address_rows, data_rows, o);
    if (o.op.unsupported != nullptr)
        return o.image.bad_input ? rtl::CuPins::kBadInput : rtl::CuPins::kNotImplemented;
    write_operation(o, op);
    std::memcpy(addresses, o.op.addr[0], sizeof o.op.addr[0]);
    std::memcpy(data, o.op.data, sizeof o.op.data);
    return 0;
}

void* cu_images_new() {
    return new Images;
}

void cu_images_delete(void* images) {
    delete static_cast<Images*>(images);
}

void cu_image_issue(void* images, int op, const uint32_t* words, const uint32_t* wave,
                    const uint32_t* tiling, const uint32_t* address_rows) {
    Operation& o = scratch();
    describe(words, wave, tiling, address_rows, nullptr, o);
    if (o.op.unsupported == nullptr && o.op.image)
        images_of(images).issue(static_cast<unsigned>(op), o);
}

void cu_image_answer(void* images, int op, int number, const uint32_t* line) {
    Line bytes;
    std::memcpy(bytes.data(), line, kLineBytes);
    images_of(images).answer(static_cast<unsigned>(op), static_cast<unsigned>(number), bytes);
}

void cu_image_requests(void* images, int, int op, int first, uint32_t* lanes, uint32_t* addresses,
                       uint32_t* masks, uint32_t* footprints, uint32_t* last) {
    static const Images::Flight kNone{};
    const Images::Flight* const found = images_of(images).find(op);
    const Images::Flight& f = found != nullptr ? *found : kNone;
    const size_t count = f.requests.size();
    *last = 0;
    for (unsigned i = 0; i < kShown; ++i) {
        const size_t n = static_cast<size_t>(first) + i;
        const bool there = n < count;
        const cu::LineAccess access = there ? f.requests[n] : cu::LineAccess{};
        put64(lanes + 2 * i, access.lanes);
        put64(addresses + 2 * i, access.line);
        put64(masks + 2 * i, there ? f.masks[n] : 0);
        footprints[i] = access.cycle;
        *last |= n + 1 == count ? 1u << i : 0;
    }
}

void cu_image_result(void* images, int, int op, uint32_t* rows) {
    alignas(64) isa::VReg written[Words::kDataRows] = {};
    if (const Images::Flight* f = images_of(images).find(op)) {
        isa::WaveState w;
        w.v = written;
        thread_local isa::VectorMemOp to_first_row;
        isa::image_complete(to_first_row, f->operation.image, w);
    }
    std::memcpy(rows, written, sizeof written);
}

}  // extern "C"
