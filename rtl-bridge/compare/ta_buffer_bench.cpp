// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the buffer addressing of a compute unit.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cu/isa/buffer_access.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/ta_buffer_core.h"
#include "pins/ta_buffer_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {
namespace {

using Query = TaBufferPins::Query;
using Access = TaBufferPins::Access;
using In = TaBufferPins::In;
using Out = TaBufferPins::Out;
using Row = TaBufferPins::PerLane<uint32_t>;
using isa::BufferRefusal;
using Kind = isa::VectorMemOp::Kind;

constexpr unsigned kLanes = TaBufferPins::kLanes;

class TaBufferRecording : public RecordingOf<Query>, public cu::BufferUnit {
  public:
    using RecordingOf::RecordingOf;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::BufferUnit>(*this);
    }
    bool address(const isa::Inst& inst, const isa::WaveState& wave, bool offset_in_lds,
                 isa::VectorMemOp&) override {
        Query query;
        cu::buffer_query(inst, wave, offset_in_lds, query);
        add(query);
        return false;
    }
};

struct Opcode {
    uint8_t format;
    uint16_t number;
    isa::Op op;
};

std::vector<Opcode> opcodes() {
    std::vector<Opcode> r;
    const auto of = [&](isa::Format format, uint8_t code) {
        for (uint16_t n = 0; n < 128; ++n) {
            const isa::Op op = isa::op_from_number(format, n);
            if (op != isa::Op::Illegal)
                r.push_back({code, n, op});
        }
    };
    of(isa::Format::Mubuf, TaBufferPins::kMubuf);
    of(isa::Format::Mtbuf, TaBufferPins::kMtbuf);
    return r;
}

// Fields of a resource descriptor, at their places.
struct Resource {
    uint64_t base = 0;
    uint32_t stride = 0, num_records = 0, dst_sel = 0, nfmt = 0, dfmt = 0;
    uint32_t element_size = 0, index_stride = 0, type = 0, others = 0;
    bool swizzle = false, add_tid = false, cache_swizzle = false;

    explicit Resource(const std::array<uint32_t, 4>& w)
        : base(w[0] | uint64_t{w[1] & 0xffff} << 32),
          stride(w[1] >> 16 & 0x3fff),
          num_records(w[2]),
          dst_sel(w[3] & 0xfff),
          nfmt(w[3] >> 12 & 7),
          dfmt(w[3] >> 15 & 15),
          element_size(w[3] >> 19 & 3),
          index_stride(w[3] >> 21 & 3),
          type(w[3] >> 30),
          others(w[3] >> 24 & 63),
          swizzle(w[1] >> 31 != 0),
          add_tid((w[3] >> 23 & 1) != 0),
          cache_swizzle((w[1] >> 30 & 1) != 0) {}
    std::array<uint32_t, 4> words() const {
        return {static_cast<uint32_t>(base),
                static_cast<uint32_t>(base >> 32 & 0xffff) | stride << 16 |
                    (cache_swizzle ? 1u << 30 : 0) | (swizzle ? 1u << 31 : 0),
                num_records,
                dst_sel | nfmt << 12 | dfmt << 15 | element_size << 19 | index_stride << 21 |
                    (add_tid ? 1u << 23 : 0) | others << 24 | type << 30};
    }
};

// What matters to one of the block's rules, in its own proportions.
class Choice {
  public:
    explicit Choice(Random& random) : random_(random), opcodes_(opcodes()) {}
    const std::vector<Opcode>& known() const { return opcodes_; }

    void query(Query& q) {
        instruction(q);
        resource(q);
        q.exec = lanes();
        q.m0 = static_cast<uint16_t>(random_.word());
        lds_part(q);
        rows(q);
    }

  private:
    uint64_t lanes() {
        const uint64_t few = random_.bits() & random_.bits() & random_.bits() & random_.bits();
        switch (random_.below(6)) {
            case 0:
                return random_.one_in(4) ? 0 : uint64_t{1} << random_.below(kLanes);
            case 1:
            case 2:
                return ~uint64_t{0};
            case 3:
                return few;
            case 4:
                return ~few;
            default:
                return random_.bits();
        }
    }
    // Frequently a few, a few before the end of 32 bits, anything.
    uint32_t number() {
        switch (random_.below(6)) {
            case 0:
                return 0;
            case 1:
                return random_.below(20);
            case 2:
                return 0u - 1 - random_.below(20);
            case 3:
                return random_.below(0x10000);
            case 4:
                return 1u << random_.below(32);
            default:
                return random_.word();
        }
    }
    uint32_t near(uint32_t x) { return x + random_.below(20) - 10; }

    void instruction(Query& q) {
        const Opcode& code = opcodes_[random_.below(static_cast<uint32_t>(opcodes_.size()))];
        q.format = code.format;
        q.op = code.number;
        if (random_.one_in(64))
            q.op = static_cast<uint16_t>(random_.below(512));
        if (random_.one_in(128))
            q.format = static_cast<uint8_t>(random_.below(32));
        q.addr64 = random_.one_in(6) ? 1 : 0;
        const bool registers = q.addr64 == 0 || random_.one_in(8);
        q.offen = registers && random_.one_in(2) ? 1 : 0;
        q.idxen = registers && random_.one_in(2) ? 1 : 0;
        q.glc = static_cast<uint8_t>(random_.below(2));
        q.slc = static_cast<uint8_t>(random_.below(2));
        q.tfe = random_.one_in(6) ? 1 : 0;
        q.lds = random_.one_in(6) ? 1 : 0;
        q.offset = static_cast<uint16_t>(random_.one_in(3)   ? 0
                                         : random_.one_in(2) ? random_.below(64)
                                                             : random_.below(4096));
        q.offset_in_lds = random_.one_in(4) ? 0 : 1;
        q.dfmt = static_cast<uint8_t>(random_.below(16));
        q.nfmt = static_cast<uint8_t>(random_.below(8));
    }
    void resource(Query& q) {
        Resource r({});
        static constexpr uint32_t kStrides[] = {0, 0, 0, 1, 4, 8, 12, 16, 64, 0x1000, 0x3fff};
        r.base = random_.one_in(3) ? random_.bits() & 0xffffffffffff
                                   : uint64_t{random_.word()} << 8 | random_.below(4);
        if (random_.one_in(16))
            r.base = 0xffffffffffff - random_.below(64);
        r.stride = random_.one_in(6) ? random_.below(0x4000) : random_.pick(kStrides);
        r.swizzle = random_.one_in(3);
        r.add_tid = random_.one_in(3);
        r.cache_swizzle = random_.one_in(8);
        r.element_size = random_.below(4);
        r.index_stride = random_.below(4);
        r.dfmt = random_.below(16);
        r.nfmt = random_.below(8);
        r.dst_sel = random_.one_in(4) ? random_.below(4096) : 07654;
        if (random_.one_in(4))  // selectors that exist
            r.dst_sel = (random_.below(4096) & 01111) | (random_.one_in(2) ? 04444 : 0);
        r.type = random_.one_in(64) ? random_.below(4) : 0;
        r.others = random_.one_in(8) ? random_.below(64) : 0;
        q.soffset = random_.one_in(2) ? 0 : number();
        r.num_records = random_.one_in(8) ? number()
                        : r.stride == 0 && random_.one_in(2)
                            ? q.soffset + q.offset + random_.below(300)
                            : random_.below(300);
        q.resource = r.words();
    }
    void lds_part(Query& q) {
        if (random_.one_in(4)) {
            q.lds_base = number();
            q.lds_size = number();
            return;
        }
        q.lds_base = random_.below(256) << 8;
        q.lds_size = random_.below(129) << 8;
        if (random_.one_in(2))  // the part ends amid the wave's dwords
            q.m0 = static_cast<uint16_t>(q.lds_size - random_.below(300));
    }
    // Values of one register, around what the range check compares them with.
    void row(Row& to, uint32_t limit) {
        const uint32_t first = number();
        const uint32_t step = random_.one_in(2) ? 4 * random_.below(5) : random_.below(40);
        switch (random_.below(7)) {
            case 0:
                to.fill(random_.one_in(2) ? near(limit) : first);
                return;
            case 1:
                for (unsigned l = 0; l < kLanes; ++l)
                    to[l] = step * l;
                return;
            case 2:
                for (unsigned l = 0; l < kLanes; ++l)
                    to[l] = first + step * l;
                return;
            case 3:
                for (uint32_t& x : to)
                    x = near(limit);
                return;
            case 4:
                for (uint32_t& x : to)
                    x = number();
                return;
            case 5:  // one lane stands out
                for (unsigned l = 0; l < kLanes; ++l)
                    to[l] = 4 * l;
                to[random_.below(kLanes)] = random_.one_in(2) ? near(limit) : number();
                return;
            default:
                for (uint32_t& x : to)
                    x = random_.below(300);
                return;
        }
    }
    void rows(Query& q) {
        const Resource r(q.resource);
        const uint32_t offset_limit =
            r.stride != 0 ? r.stride - q.offset : r.num_records - q.soffset - q.offset;
        // The product of index and stride wraps there, a record of some strides with it.
        const uint32_t wraps = r.stride != 0 ? 0xffffffff / r.stride : 0;
        row(q.vaddr, q.idxen == 0 ? offset_limit : random_.one_in(8) ? wraps : r.num_records);
        row(q.vaddr_next, offset_limit);
        if (q.addr64 != 0 && random_.one_in(2))  // negative distances, and none
            for (uint32_t& high : q.vaddr_next)
                high = random_.one_in(2) ? 0xffffffff : 0;
    }

    Random& random_;
    std::vector<Opcode> opcodes_;
};

constexpr const char* kModes[] = {"nothing", "OFFEN", "IDXEN", "OFFEN and IDXEN"};

std::vector<std::string> crossed(std::initializer_list<const char*> first) {
    std::vector<std::string> r;
    for (const char* buffer : first)
        for (const char* mode : kModes)
            r.push_back(std::string(buffer) + ", " + mode);
    return r;
}

std::vector<std::string> numbered(const std::string& what, unsigned count) {
    std::vector<std::string> r;
    for (unsigned i = 0; i < count; ++i)
        r.push_back(what + std::to_string(i));
    return r;
}

class TaBufferCoverage {
  public:
    TaBufferCoverage(Coverage& bins, const std::vector<Opcode>& known) : bins_(bins) {
        std::vector<std::string> ops;
        for (const Opcode& code : known) {
            index_[code.format - TaBufferPins::kMubuf][code.number] = ops.size();
            ops.emplace_back(isa::op_info(code.op).name);
        }
        opcode_ = bins_.add_group("opcode", ops);
        std::vector<std::string> reasons;
        for (unsigned i = 1; i < isa::kBufferRefusals; ++i)
            reasons.emplace_back(isa::refusal_text(static_cast<BufferRefusal>(i)));
        refused_ = bins_.add_group("refused", reasons);
        mode_ = bins_.add_group("addressed by", crossed({"raw", "linear", "linear with the lane",
                                                         "swizzled", "swizzled with the lane"}));
        std::vector<std::string> swizzles;
        for (unsigned element = 2; element <= 16; element *= 2)
            for (unsigned records = 8; records <= 64; records *= 2)
                swizzles.push_back(std::to_string(element) + " bytes of " +
                                   std::to_string(records) + " records");
        swizzle_ = bins_.add_group("swizzle", swizzles);
        range_ = bins_.add_group(
            "range",
            {"raw: all in", "raw: none in", "raw: some in", "raw: a lane reaches over the end",
             "raw: last dword ends the buffer", "raw: first byte behind the buffer",
             "raw: SOFFSET is behind the buffer", "raw: the sum passes 32 bits",
             "records: last one in", "records: first one out", "records: last dword in",
             "records: offset is the stride", "records: some dwords of a lane out",
             "records: unchecked", "records: offset wraps", "STRIDE 0, swizzled: some in",
             "whole access: some in"});
        format_ = bins_.add_group("loaded, BUF_DATA_FORMAT", numbered("", 15));
        bins_format(number_, "loaded, BUF_NUM_FORMAT");
        stored_ = bins_.add_group("stored, BUF_DATA_FORMAT", numbered("", 15));
        access_ = bins_.add_group("access", {"ADDR64",
                                             "ADDR64 passes 48 bits",
                                             "sum passes 48 bits",
                                             "dwords beside each other",
                                             "dwords apart",
                                             "dwords apart of inactive lanes alone",
                                             "a byte at an odd address",
                                             "a dword between two",
                                             "TFE",
                                             "TFE of what gives nothing",
                                             "to LDS",
                                             "LDS: some in",
                                             "LDS: none in",
                                             "LDS: address wraps",
                                             "no format, load",
                                             "no format, store",
                                             "no lane active",
                                             "some lanes active",
                                             "atomic returns",
                                             "atomic does not",
                                             "sign extended"});
    }

    void count(const Query& q, const Access& a) {
        if (a.unsupported != 0) {
            bins_.hit(refused_, a.unsupported - 1u);
            return;
        }
        bins_.hit(opcode_, index_[q.format - TaBufferPins::kMubuf][q.op]);
        if (static_cast<Kind>(a.kind) == Kind::CacheInvalidate)
            return;
        const Resource r(q.resource);
        if (a.typed != 0)
            formats(a);
        access(q, a);
        if (a.typed != 0 && a.dfmt == 0)
            return;
        if (q.addr64 != 0) {
            wide(q, r);
            return;
        }
        const bool raw = r.stride == 0 && !r.swizzle;
        const unsigned buffer = raw ? 0 : 1u + (r.swizzle ? 2 : 0) + (r.add_tid ? 1 : 0);
        bins_.hit(mode_, 4 * buffer + q.offen + 2u * q.idxen);
        bins_.hit(swizzle_, 4 * r.element_size + r.index_stride, r.swizzle);
        if (raw)
            raw_range(q, r, a);
        else
            record_range(q, r, a);
    }

  private:
    void bins_format(size_t& group, const char* name) {
        group = bins_.add_group(name, numbered("", 8));
    }
    void formats(const Access& a) {
        if (static_cast<Kind>(a.kind) == Kind::Store) {
            bins_.hit(stored_, a.dfmt);
            return;
        }
        bins_.hit(format_, a.dfmt);
        bins_.hit(number_, a.nfmt);
    }
    void access(const Query& q, const Access& a) {
        const bool store = static_cast<Kind>(a.kind) == Kind::Store;
        const bool atomic = static_cast<Kind>(a.kind) == Kind::Atomic;
        const bool wide_enough = a.bytes > 4 && a.lanes != 0;
        bins_.hit(access_, 3, wide_enough && a.contiguous != 0);
        bins_.hit(access_, 4, wide_enough && a.contiguous == 0);
        bins_.hit(access_, 5, wide_enough && a.contiguous == 0 && beside_each_other(a));
        for (unsigned l = 0; l < kLanes; ++l)
            bins_.hit(access_, 6, a.bytes == 1 && a.addr[l] % 2 != 0);
        bins_.hit(access_, 7, a.bytes >= 4 && (q.offset % 4 != 0 || q.soffset % 4 != 0));
        bins_.hit(access_, 8, a.tfe != 0);
        bins_.hit(access_, 9, q.tfe != 0 && a.tfe == 0);
        const uint64_t to_lds = a.to_lds != 0 ? a.lanes | a.zero_lanes : 0;
        bins_.hit(access_, 10, to_lds != 0 && a.lds_lanes == to_lds);
        bins_.hit(access_, 11, a.lds_lanes != 0 && a.lds_lanes != to_lds);
        bins_.hit(access_, 12, to_lds != 0 && a.lds_lanes == 0);
        bins_.hit(access_, 13, to_lds != 0 && a.lds_addr < q.lds_base);
        bins_.hit(access_, 14, a.typed != 0 && a.dfmt == 0 && !store);
        bins_.hit(access_, 15, a.typed != 0 && a.dfmt == 0 && store);
        bins_.hit(access_, 16, q.exec == 0);
        bins_.hit(access_, 17, q.exec != 0 && ~q.exec != 0);
        bins_.hit(access_, 18, atomic && a.returns != 0);
        bins_.hit(access_, 19, atomic && a.returns == 0);
        bins_.hit(access_, 20, a.sign_extend != 0);
    }
    // Every lane that takes part, with all of its dwords.
    static bool beside_each_other(const Access& a) {
        for (unsigned k = 1; k < (a.bytes + 3u) / 4; ++k) {
            if (a.dword_lanes[k] != a.lanes)
                return false;
            for (unsigned l = 0; l < kLanes; ++l)
                if ((a.lanes >> l & 1) != 0 && a.addr[kLanes * k + l] != a.addr[l] + 4 * k)
                    return false;
        }
        return a.dword_lanes[0] == a.lanes;
    }
    void wide(const Query& q, const Resource& r) {
        bins_.hit(access_, 0);
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint64_t at = q.vaddr[l] | uint64_t{q.vaddr_next[l] & 0xffff} << 32;
            bins_.hit(access_, 1, (r.base + q.soffset + q.offset + at) >> 48 != 0);
        }
    }
    uint32_t offset_of(const Query& q, unsigned l) const {
        return q.offset + (q.offen == 0 ? 0 : q.idxen != 0 ? q.vaddr_next[l] : q.vaddr[l]);
    }
    void raw_range(const Query& q, const Resource& r, const Access& a) {
        bool parted = false;
        for (unsigned k = 1; k < (a.bytes + 3u) / 4; ++k)
            parted = parted || a.dword_lanes[k] != a.lanes;
        bins_.hit(range_, 0, q.exec != 0 && a.lanes == q.exec);
        bins_.hit(range_, 1, q.exec != 0 && a.lanes == 0);
        bins_.hit(range_, 2, a.lanes != 0 && a.lanes != q.exec);
        bins_.hit(range_, 3, parted);
        bins_.hit(range_, 6, q.soffset >= r.num_records);
        bins_.hit(range_, 16, a.bytes > 4 && a.lanes != 0 && a.lanes != q.exec && whole(a));
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint64_t end = uint64_t{q.soffset} + offset_of(q, l) + a.bytes;
            bins_.hit(range_, 4, end == r.num_records);
            bins_.hit(range_, 5, end - a.bytes == r.num_records);
            bins_.hit(range_, 7, end >> 32 != 0 && static_cast<uint32_t>(end) < r.num_records);
            bins_.hit(access_, 2, (r.base + end) >> 48 != 0 && (a.lanes >> l & 1) != 0);
        }
    }
    static bool whole(const Access& a) {
        return a.typed != 0 || static_cast<Kind>(a.kind) == Kind::Atomic;
    }
    void record_range(const Query& q, const Resource& r, const Access& a) {
        const bool checked = q.idxen != 0 || r.add_tid;
        const uint32_t last = 4 * ((a.bytes + 3u) / 4 - 1);
        bool parted = false;
        for (unsigned k = 1; k < (a.bytes + 3u) / 4; ++k)
            parted = parted || a.dword_lanes[k] != a.dword_lanes[0];
        bins_.hit(range_, 12, parted);
        bins_.hit(range_, 13, r.stride != 0 && !checked && a.lanes != 0);
        bins_.hit(range_, 15, r.stride == 0 && a.lanes != 0 && a.lanes != q.exec);
        bins_.hit(range_, 16, a.bytes > 4 && a.lanes != 0 && a.lanes != q.exec && whole(a));
        for (unsigned l = 0; l < kLanes; ++l) {
            const uint32_t index = (q.idxen != 0 ? q.vaddr[l] : 0) + (r.add_tid ? l : 0);
            const uint32_t offset = offset_of(q, l);
            const bool in = (a.lanes >> l & 1) != 0;
            bins_.hit(range_, 8, in && checked && index + 1 == r.num_records);
            bins_.hit(range_, 9, checked && index == r.num_records);
            bins_.hit(range_, 10, in && checked && offset + last + 1 == r.stride);
            bins_.hit(range_, 11, checked && offset == r.stride);
            bins_.hit(range_, 14, in && offset + last < offset);
        }
    }

    Coverage& bins_;
    size_t opcode_ = 0, refused_ = 0, mode_ = 0, swizzle_ = 0, range_ = 0, format_ = 0, number_ = 0,
           stored_ = 0, access_ = 0;
    std::array<std::array<size_t, 128>, 2> index_{};
};

class TaBufferStimulus final : public PipeStimulus<TaBufferPins, Query> {
  public:
    explicit TaBufferStimulus(const CosimOptions& options) : PipeStimulus(options, 1) {}

  private:
    void choose(Query& q) override { choice_.query(q); }
    void disturb(Query& q) override {
        q.op = static_cast<uint16_t>(random_.below(512));
        q.exec = random_.bits();
        q.vaddr[random_.below(kLanes)] = random_.word();
    }
    void count_result(const Query& q, const Out& out) override { coverage_.count(q, out.out); }

    Choice choice_{random_};
    TaBufferCoverage coverage_{bins_, choice_.known()};
};

struct Parts {
    using Pins = TaBufferPins;
    using Core = cu::TaBufferCore;
    using Stimulus = TaBufferStimulus;
    using Recording = TaBufferRecording;
    using Unit = cu::PinBufferUnit;
    static constexpr const char* kDescription = "buffer addressing of a compute unit";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::BufferUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
