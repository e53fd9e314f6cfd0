// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of the instruction decoder of a compute unit.
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/cu_decode_core.h"
#include "pins/cu_decode_pins.h"
#include "rtl-bridge/compare/bench.h"
#include "rtl-bridge/compare/cu_words.h"
#include "rtl-bridge/compare/pipe_stimulus.h"

namespace archipelago::rtl {
namespace {

using Words = CuDecodePins::Words;
using Result = CuDecodePins::Result;
using In = CuDecodePins::In;
using Out = CuDecodePins::Out;
using cu::Action;

// Each instruction once: a chip decodes it when it first meets it.
class CuDecodeRecording : public RecordingOf<Words>, public cu::DecodeUnit {
  public:
    using RecordingOf::RecordingOf;
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::DecodeUnit>(*this);
    }
    cu::Decoded decode(uint32_t first, uint32_t second, bool skip) override {
        add({first, second, static_cast<uint8_t>(skip)});
        const uint32_t words[2] = {first, second};
        return cu::make_decoded(words, 2, skip);
    }
};

constexpr const char* kActions[] = {"vector ALU",
                                    "scalar ALU",
                                    "branch",
                                    "scalar memory",
                                    "vector memory",
                                    "LDS",
                                    "LDS direct",
                                    "interpolation",
                                    "GDS",
                                    "export",
                                    "message",
                                    "control",
                                    "nop",
                                    "wait",
                                    "barrier",
                                    "end",
                                    "sleep",
                                    "priority",
                                    "instruction cache",
                                    "mark",
                                    "without effect",
                                    "illegal",
                                    "not implemented"};
static_assert(std::size(kActions) == static_cast<size_t>(Action::Unimplemented) + 1);

constexpr const char* kCosts[] = {"load", "wide load", "store", "atomic", "compare and swap"};

// What isa::illegal_reason() says, and its bin.
struct Reason {
    const char* text;
    const char* bin;
};
constexpr Reason kReasons[] = {
    {"no encoding has these upper bits", "no encoding"},
    {"no such opcode", "no such opcode"},
    {"VOP3 takes no literal", "literal in VOP3"},
    {"a literal constant in a field", "literal in another field"},
    {"is no register pair", "odd pair"},
    {"starts at a multiple of four", "range from another register"},
    {"reaches beyond s", "range beyond the SGPRs"},
    {"reaches beyond ttmp", "range beyond the trap registers"},
    {"or no range of", "range of none"},
    {"is reserved here", "reserved code"},
    {"reads a vector register", "operand of a lane access"},
    {"interpolation parameter", "parameter"},
    {"export target", "export target"},
};

// Instructions, most of them of an opcode that exists.
class Choice {
  public:
    explicit Choice(Random& random) : random_(random), words_(random_) {
        for (const CuEncoding& e : cu_encodings())
            for (unsigned n = 0; n < e.numbers; ++n)
                (e.has(n) ? known_ : unknown_).push_back({&e, n});
    }

    void words(Words& w) {
        const uint32_t how = random_.below(32);
        if (how == 0) {
            w = {random_.word() | (random_.one_in(2) ? 0xc0000000u : 0), random_.word(),
                 static_cast<uint8_t>(random_.below(2))};
            return;
        }
        const std::vector<Number>& from = how < 5 ? unknown_ : known_;
        const Number& number = from[random_.below(static_cast<uint32_t>(from.size()))];
        w = words_.of(*number.encoding, number.number);
    }

  private:
    struct Number {
        const CuEncoding* encoding;
        unsigned number;
    };
    Random& random_;
    CuWords words_;
    std::vector<Number> known_, unknown_;
};

class CuDecodeStimulus final : public PipeStimulus<CuDecodePins, Words> {
  public:
    explicit CuDecodeStimulus(const CosimOptions& options) : PipeStimulus(options, 1, 5'000) {
        add_opcodes();
        action_ = bins_.add_group("action", {std::begin(kActions), std::end(kActions)});
        std::vector<std::string> bins;
        for (const Reason& reason : kReasons)
            bins.emplace_back(reason.bin);
        reason_ = bins_.add_group("why illegal", bins);
        bins.clear();
        for (unsigned c = 0; c < cu::kClasses; ++c)
            bins.emplace_back(cu::class_name(static_cast<isa::Class>(c)));
        skip_ = bins_.add_group("class of the opcode in vector skip mode", bins);
        cost_ =
            bins_.add_group("issue cost of vector memory", {std::begin(kCosts), std::end(kCosts)});
        field_ = bins_.add_group("field", {"literal of an illegal instruction",
                                           "literal of SOP",
                                           "literal of VOP",
                                           "scalar writes SCC",
                                           "scalar writes VCC",
                                           "scalar writes EXEC",
                                           "vector writes VCC",
                                           "vector writes EXEC",
                                           "vector writes an SGPR",
                                           "comparison",
                                           "scalar reads VCCZ",
                                           "scalar reads all of VCC",
                                           "to LDS",
                                           "to LDS is stored",
                                           "to LDS with status",
                                           "two address registers",
                                           "status behind the data",
                                           "gathers",
                                           "image resource of four",
                                           "swizzle with gds",
                                           "compressed export",
                                           "halts",
                                           "drains",
                                           "last SGPR",
                                           "last VGPR and beyond"});
    }

  private:
    void choose(Words& w) override { choice_.words(w); }
    void disturb(Words& w) override { choice_.words(w); }
    void count_result(const Words& w, const Out& out) override { count(w, out.out); }

    static constexpr unsigned kNumbers = 512;  // of out_op
    static constexpr unsigned kFormats = static_cast<unsigned>(isa::Format::Illegal);

    // One bin for each opcode of each encoding, one for the encoding.
    void add_opcodes() {
        std::vector<std::string> encodings, opcodes;
        for (const CuEncoding& e : cu_encodings()) {
            encodings.emplace_back(e.name);
            const auto format = static_cast<unsigned>(e.format);
            for (unsigned n = 0; n < kNumbers; ++n) {
                const isa::Op op = cu::opcode_from_pins(e.format, n);
                if (op == isa::Op::Illegal)
                    continue;
                opcode_bin_[format][n] = opcodes.size();
                opcodes.push_back(std::string(e.name) + " " + isa::op_info(op).name);
            }
        }
        encoding_ = bins_.add_group("legal in encoding", encodings);
        opcode_ = bins_.add_group("opcode", opcodes);
    }

    void count(const Words& w, const Result& r) {
        const auto action = static_cast<Action>(r.action);
        bins_.hit(action_, r.action);
        if (action == Action::Illegal) {
            count_illegal(w, r);
            return;
        }
        bins_.hit(encoding_, r.format);
        bins_.hit(opcode_, opcode_bin_[r.format][r.op]);
        const isa::Op op = cu::opcode_from_pins(static_cast<isa::Format>(r.format), r.op);
        bins_.hit(skip_, static_cast<size_t>(isa::op_info(op).cls), w.skip != 0);
        bins_.hit(cost_, r.vmem_cost, action == Action::VectorMem);
        if (r.format < static_cast<uint8_t>(isa::Format::Smrd))
            count_scalar(r);
        else if (action == Action::Valu || action == Action::LdsDirect)
            count_vector(r);
        else
            count_memory(r, action);
        bins_.hit(field_, 21, r.halts != 0);
        bins_.hit(field_, 22, r.drains != 0);
        bins_.hit(field_, 23, r.sgprs_used == 104);
        bins_.hit(field_, 24, r.vgprs_used >= 256);
    }

    void count_illegal(const Words& w, const Result& r) {
        isa::Inst inst;
        inst.dwords = r.two != 0 ? 2 : 1;
        inst.words[0] = w.first;
        inst.words[1] = r.two != 0 ? w.second : 0;
        const std::string why = isa::illegal_reason(inst);
        for (size_t i = 0; i < std::size(kReasons); ++i)
            bins_.hit(reason_, i, why.find(kReasons[i].text) != std::string::npos);
        const uint32_t upper = w.first >> 30;
        bins_.hit(field_, 0, r.two != 0 && upper != 3);
    }

    void count_scalar(const Result& r) {
        bins_.hit(field_, 1, r.two != 0);
        for (unsigned bit = 0; bit < 3; ++bit)
            bins_.hit(field_, 3 + bit, (r.status_changed >> bit & 1) != 0);
        const uint64_t vcc = uint64_t{3} << 42;
        const bool reads_vccz = r.src0 == isa::kVccz || r.src1 == isa::kVccz;
        bins_.hit(field_, 10, reads_vccz);
        bins_.hit(field_, 11, !reads_vccz && (r.sgprs[1] & vcc) == vcc);
    }

    void count_vector(const Result& r) {
        bins_.hit(field_, 2, r.two != 0 && r.format != static_cast<uint8_t>(isa::Format::Vop3));
        bins_.hit(field_, 6, (r.status_changed & cu::kStatusVcc) != 0);
        bins_.hit(field_, 7, (r.status_changed & cu::kStatusExec) != 0);
        bins_.hit(field_, 8, r.status_changed == 0 && (r.sgprs[0] | r.sgprs[1]) != 0);
        bins_.hit(field_, 9, r.compares != 0);
    }

    void count_memory(const Result& r, Action action) {
        const bool buffer = r.format == static_cast<uint8_t>(isa::Format::Mubuf);
        const bool image = r.format == static_cast<uint8_t>(isa::Format::Mimg);
        bins_.hit(field_, 12, r.lds != 0 && action == Action::VectorMem);
        bins_.hit(field_, 13, buffer && r.lds != 0 && action == Action::Unimplemented && !r.tfe);
        bins_.hit(field_, 14, buffer && r.lds != 0 && action == Action::Unimplemented && r.tfe);
        bins_.hit(field_, 15, buffer && r.offen != 0 && r.idxen != 0);
        bins_.hit(field_, 16, buffer && r.tfe != 0 && r.lds == 0);
        bins_.hit(field_, 17, image && r.op >= 64 && r.op <= 95);
        bins_.hit(field_, 18, image && r.r128 != 0);
        bins_.hit(field_, 19, action == Action::Lds && r.gds != 0);
        bins_.hit(field_, 20, action == Action::Export && r.exp_compr != 0);
    }

    Choice choice_{random_};
    size_t encoding_ = 0, opcode_ = 0, action_ = 0, reason_ = 0, skip_ = 0, cost_ = 0, field_ = 0;
    std::array<std::array<size_t, kNumbers>, kFormats> opcode_bin_{};
};

struct Parts {
    using Pins = CuDecodePins;
    using Core = cu::CuDecodeCore;
    using Stimulus = CuDecodeStimulus;
    using Recording = CuDecodeRecording;
    using Unit = cu::PinDecodeUnit;
    static constexpr const char* kDescription = "instruction decoder of a compute unit";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::DecodeUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
