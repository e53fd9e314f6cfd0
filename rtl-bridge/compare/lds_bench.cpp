// SPDX-License-Identifier: Apache-2.0
// Lockstep bench of a compute unit's local data share.
#include <algorithm>
#include <array>
#include <iterator>
#include <vector>

#include "models/asic/chip_options.h"
#include "models/cu/isa/opcodes.h"
#include "models/cu/pipeline/lds_core.h"
#include "pins/lds_pins.h"
#include "rtl-bridge/compare/bench.h"

namespace archipelago::rtl {
namespace {

using Operation = LdsPins::Operation;
using RowAccess = LdsPins::RowAccess;
using In = LdsPins::In;
using Out = LdsPins::Out;
using isa::MemKind;
constexpr unsigned kLanes = LdsPins::kLanes;
constexpr unsigned kBytes = 4 * LdsPins::kBanks * LdsPins::kRows;

const isa::OpInfo& info_of(const Operation& op) {
    return isa::op_info(isa::op_from_number(isa::Format::Ds, op.code));
}
bool in_register(const Operation& op) {
    return (op.offset & 0x8000) != 0;
}

struct Command {
    bool is_row = false;
    RowAccess row;
    Operation op;
};

class LdsRecording : public RecordingOf<Command>, public cu::LdsUnit {
  public:
    // A command is some 1,400 bytes.
    static constexpr uint64_t kMax = 50'000;
    explicit LdsRecording(uint64_t limit) : RecordingOf(std::min(limit, kMax)) {}
    void attach(asic::ChipOptions& options) override {
        options.substitutes.use<cu::LdsUnit>(*this);
    }
    bool execute(const isa::Inst& inst, isa::WaveState& wave, uint8_t* lds, unsigned lds_bytes,
                 unsigned* passes) override {
        return unit_.execute(inst, wave, lds, lds_bytes, passes);
    }

  private:
    // Writes down what passes the model's ports.
    class Listener : public PinBlock<LdsPins> {
      public:
        explicit Listener(LdsRecording& recording) : recording_(recording) {}
        void step(const In& in, Out& out) override {
            core_.step(in, out);
            if (in.row_valid != 0 && out.row_ready != 0)
                recording_.add({true, in.row, {}});
            if (in.op_valid != 0 && out.op_ready != 0)
                recording_.add({false, {}, in.op});
        }

      private:
        LdsRecording& recording_;
        cu::LdsCore core_;
    };
    Listener listener_{*this};
    cu::PinLdsUnit unit_{listener_};
};

class LdsStimulus : public Stimulus<LdsPins> {
  public:
    explicit LdsStimulus(const CosimOptions& options)
        : random_(options.seed),
          recorded_(recorded_traffic<Command>(options)),
          operations_(nullptr),
          rows_(nullptr) {
        std::vector<std::string> bins;
        for (unsigned code = 0; code < 256; ++code) {
            const isa::OpInfo& info = isa::op_info(isa::op_from_number(isa::Format::Ds, code));
            if (info.format != isa::Format::Ds || info.cls != isa::Class::Lds)
                continue;
            opcode_bin_[code] = bins.size();
            codes_.push_back(static_cast<uint8_t>(code));
            bins.emplace_back(info.name);
        }
        opcode_ = coverage_.add_group("opcode with lanes in range", bins);
        bins.clear();
        for (const char* passes : {"0", "1", "2", "3-4", "5-8", "9-16", "17-32", "33-64", "65-128"})
            bins.push_back(std::string("passes: ") + passes);
        passes_ = coverage_.add_group("passes", bins);
        lanes_ = coverage_.add_group("lanes",
                                     {"all active", "none active", "one active", "lower half only",
                                      "upper half only", "a 64-bit group of lanes without any"});
        bins.clear();
        for (const char* width : {"bytes", "16 bits", "32 bits", "64 bits"})
            for (const char* what :
                 {"no conflict", "conflict", "one element for all", "some beyond the part",
                  "some beyond M0", "some beyond the sum's 32 bits", "last element of the part",
                  "several lanes write one element"})
                bins.push_back(std::string(width) + ": " + what);
        for (const char* width : {"16 bits", "32 bits", "64 bits"})
            bins.push_back(std::string(width) + ": address not aligned");
        access_ = coverage_.add_group("access", bins);
        special_ = coverage_.add_group(
            "special", {"swizzle of quads", "swizzle by masks", "swizzle from an inactive lane",
                        "counter in range", "counter out of range", "counter without lanes",
                        "operand's distance in the offset", "operand's distance in the register",
                        "exchange of two elements that are one", "part beyond the storage",
                        "no such instruction", "two addresses with one range", "part without bytes",
                        "comparison equal", "comparison different", "float comparison equal",
                        "operand far from the place"});
        flow_ =
            coverage_.add_group("flow", {"row written", "row read", "row and operation together",
                                         "row waits", "operation waits", "result waits", "idle",
                                         "reset while working", "reset of a result"});
    }

    void next(In& in) override {
        in.out_ready = out_flow_.next(random_) ? 1 : 0;
        if (recorded_ != nullptr)
            replay(in);
        else
            choose_cycle(in);
    }

    void observe(const In& in, const Out& out) override {
        const bool row = in.row_valid != 0 && out.row_ready != 0;
        const bool taken = in.op_valid != 0 && out.op_ready != 0;
        const bool given = out.out_valid != 0 && in.out_ready != 0;
        coverage_.hit(flow_, 0, row && in.row.write != 0);
        coverage_.hit(flow_, 1, row && in.row.write == 0);
        coverage_.hit(flow_, 2, row && taken);
        coverage_.hit(flow_, 3, in.row_valid != 0 && !row);
        coverage_.hit(flow_, 4, in.op_valid != 0 && !taken);
        coverage_.hit(flow_, 5, out.out_valid != 0 && in.out_ready == 0);
        coverage_.hit(flow_, 6,
                      in.op_valid == 0 && in.row_valid == 0 && out.op_ready != 0 && in.rst == 0);
        const bool working = out.op_ready == 0 && out.out_valid == 0;
        coverage_.hit(flow_, 7, in.rst != 0 && working);
        coverage_.hit(flow_, 8, in.rst != 0 && out.out_valid != 0);
        waiting_ = out.out_valid != 0 && in.out_ready == 0;
        if (given && in.rst == 0)
            count(asked_, out);
        if (taken)
            asked_ = in.op;
        inside_ = in.rst == 0 && (taken || (inside_ && !given));
        if (row) {
            rows_.drop();
            if (fill_ < LdsPins::kRows)
                ++fill_;
        }
        if (taken)
            operations_.drop();
        taken_ = taken_ || row || taken;
        if (in.rst != 0) {
            operations_.drop();
            rows_.drop();
            // What an interrupted operation has written is not compared.
            if (working || taken)
                fill_ = 0;
        }
    }

    bool finished() const override {
        return recorded_ != nullptr && next_ == recorded_->size() && taken_ && !inside_;
    }
    const Coverage& coverage() const override { return coverage_; }

  private:
    void replay(In& in) {
        if (taken_ && next_ < recorded_->size()) {
            command_ = (*recorded_)[next_++];
            taken_ = false;
        }
        in.row_valid = !taken_ && command_.is_row ? 1 : 0;
        in.op_valid = !taken_ && !command_.is_row ? 1 : 0;
        in.row = command_.row;
        if (!command_.is_row)
            in.op = command_.op;
    }

    void choose_cycle(In& in) {
        in.rst = random_.one_in(20'000) || (waiting_ && random_.one_in(400)) ? 1 : 0;
        const bool filled = fill_ == LdsPins::kRows;
        if (mood_left_-- == 0) {
            mood_left_ = random_.below(2'000);
            static constexpr unsigned kMoods[] = {0, 1, 1, 2, 10, 50};
            mood_ = random_.pick(kMoods);
        }
        const RowAccess* row =
            rows_.in_cycle(!filled || random_.percent(mood_), [&](RowAccess& r) { choose(r); });
        in.row_valid = row != nullptr ? 1 : 0;
        if (row != nullptr)
            in.row = *row;
        else
            in.row.data[random_.below(LdsPins::kBanks)] = random_.word();  // must not matter
        const bool wanted = op_flow_.next(random_);
        const Operation* op =
            operations_.in_cycle(filled && wanted, [&](Operation& o) { choose(o); });
        in.op_valid = op != nullptr ? 1 : 0;
        if (op != nullptr) {
            in.op = *op;
        } else {
            in.op.code = static_cast<uint8_t>(random_.word());  // must not matter
            in.op.exec = random_.bits();
            in.op.address[random_.below(kLanes)] = random_.word();
        }
    }

    // Often one of few values, so that comparisons meet equal ones; floats of every kind.
    uint32_t dword() {
        static constexpr uint32_t kValues[] = {
            0,          1,          2,          0xffffffff, 0x80000000, 0x7fffffff, 0x3f800000,
            0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x00000001, 0x80000001,
            0x7ff00000, 0xfff00000, 0x7ff80000, 0x3ff00000, 0xbff00000, 0x40000000};
        return random_.one_in(3) ? random_.word() : random_.pick(kValues);
    }
    uint64_t datum() {
        const uint32_t low = random_.one_in(2) ? 0 : dword();
        return uint64_t{dword()} << 32 | (few_ ? dword() : low);
    }

    void choose(RowAccess& r) {
        const bool filling = fill_ < LdsPins::kRows;
        r.write = filling || random_.one_in(4) ? 1 : 0;
        r.number = static_cast<uint16_t>(filling             ? fill_
                                         : random_.one_in(2) ? random_.below(8)
                                                             : random_.below(LdsPins::kRows));
        for (uint32_t& x : r.data)
            x = dword();
    }

    void choose(Operation& op) {
        op.code = random_.one_in(60) ? static_cast<uint8_t>(random_.word())
                                     : codes_[random_.below(static_cast<uint32_t>(codes_.size()))];
        const isa::OpInfo& info = info_of(op);
        const unsigned bytes = std::max<unsigned>(info.mem_bytes, 1);
        // The group's part: mostly small, and rows are few then.
        static constexpr uint32_t kSizes[] = {64,   128,  256,  256,   512,   512,  1024,
                                              1024, 2048, 4096, 32768, 65536, 65536};
        op.size = random_.one_in(16)   ? random_.below(1u << 17)
                  : random_.one_in(16) ? random_.below(17)
                                       : random_.pick(kSizes);
        const uint32_t room = op.size < kBytes ? kBytes - op.size : 0;
        op.base = static_cast<uint16_t>(random_.one_in(3)    ? 0
                                        : random_.one_in(12) ? random_.below(1u << 13)
                                        : random_.one_in(8)
                                            ? room / 8
                                            : random_.below(std::min(room, 1024u) / 8 + 1));
        op.m0 = random_.one_in(3)    ? 0xffffffff
                : random_.one_in(4)  ? random_.below(op.size + 8)
                : random_.one_in(30) ? random_.word()
                                     : op.size;
        const bool counter = info.mem == MemKind::LdsAppend || info.mem == MemKind::LdsConsume;
        if (counter && !random_.one_in(4))
            op.m0 = random_.below(op.size + 4) | random_.word() << 16;
        choose_exec(op);
        choose_offset(op, info, bytes);
        choose_addresses(op, info, bytes);
        few_ = random_.one_in(2);
        for (uint64_t& x : op.first)
            x = datum();
        for (uint64_t& x : op.second)
            x = datum();
    }
    void choose_exec(Operation& op) {
        const bool lane_by_lane = (op.code & 0x80) != 0;  // these take long
        switch (random_.below(lane_by_lane ? 14 : 10)) {
            case 0:
                op.exec = 0;
                break;
            case 1:
                op.exec = uint64_t{1} << random_.below(64);
                break;
            case 2:
                op.exec = random_.bits();
                break;
            case 3:
                op.exec = random_.bits() & 0xffffffff;
                break;
            case 4:
                op.exec = random_.bits() << 32;
                break;
            case 5:
            case 10:
            case 11:
            case 12:
            case 13:
                op.exec = random_.bits() & random_.bits() & random_.bits();
                break;
            default:
                op.exec = ~uint64_t{0};
                break;
        }
    }
    void choose_offset(Operation& op, const isa::OpInfo& info, unsigned bytes) {
        op.offset = static_cast<uint16_t>(random_.one_in(3)   ? 0
                                          : random_.one_in(8) ? random_.word()
                                                              : bytes * random_.below(16));
        if (info.mem_pair != 0) {
            const unsigned most = info.mem_pair == 1 ? 32 : 4;
            const unsigned first = random_.one_in(8) ? random_.word() & 255 : random_.below(most);
            const unsigned second = random_.one_in(4)   ? first
                                    : random_.one_in(8) ? random_.word() & 255
                                                        : random_.below(most);
            op.offset = static_cast<uint16_t>(first | second << 8);
            // Elements the storage's size apart, of which one lies beyond it.
            if (info.mem_pair == 64 && bytes == 8 && random_.one_in(4))
                op.offset = static_cast<uint16_t>(128 | first % 4 | (first % 4) << 8);
        }
        if (info.mem == MemKind::LdsSrc2 || info.mem == MemKind::LdsWriteSrc2)
            op.offset =
                static_cast<uint16_t>((random_.one_in(2) ? 0x8000 : 0) | (distance() & 0x7fff));
        if (info.mem == MemKind::LdsSwizzle)
            op.offset = static_cast<uint16_t>(random_.word());
    }
    // In dwords, signed.
    uint32_t distance() { return random_.one_in(8) ? random_.word() : random_.below(128) - 64; }
    void choose_addresses(Operation& op, const isa::OpInfo& info, unsigned bytes) {
        const uint32_t span = std::max<uint32_t>(std::min(op.size, kBytes), 1);
        const uint32_t start = random_.one_in(2) ? 0 : random_.below(span);
        static constexpr uint32_t kStrides[] = {1, 1, 2, 3, 4, 8, 16, 17, 32, 33, 64};
        const uint32_t stride = random_.pick(kStrides) * bytes;
        const unsigned pattern = random_.below(10);
        const uint32_t few = 1 + random_.below(6);
        std::array<uint32_t, 8> some{};
        for (uint32_t& x : some)
            x = random_.below(span);
        for (unsigned l = 0; l < kLanes; ++l) {
            uint32_t& a = op.address[l];
            switch (pattern) {
                case 0:
                    a = start;
                    break;
                case 1:
                    a = some[random_.below(few)];
                    break;
                case 2:
                    a = random_.below(span);
                    break;
                case 3:  // all in few banks
                    a = start % 8 + 128 * random_.below(span / 128 + 1);
                    break;
                case 4:  // about the end
                    a = span + random_.below(64) - 48;
                    break;
                case 5:  // about the ends of 32 bits
                    a = random_.below(512) - (random_.one_in(2) ? 256 : op.offset);
                    break;
                case 6:
                    a = random_.one_in(8) ? random_.word() : random_.below(span) & ~(bytes - 1);
                    break;
                default:
                    a = (start & ~(bytes - 1)) + stride * l;
                    if (!random_.one_in(64))
                        a %= span;
                    break;
            }
            const bool operand = info.mem == MemKind::LdsSrc2 || info.mem == MemKind::LdsWriteSrc2;
            if (operand && in_register(op))
                a = (a & 0x1ffff) | distance() << 17;
        }
    }

    // ---- what was reached

    void count(const Operation& op, const Out& out) {
        const isa::OpInfo& info = info_of(op);
        const unsigned p = out.out_passes;
        unsigned bin = 0;
        while (p > (bin < 3 ? bin : 1u << (bin - 1)))
            ++bin;
        coverage_.hit(passes_, bin);
        coverage_.hit(special_, 10, out.out_illegal != 0);
        if (out.out_illegal != 0)
            return;
        coverage_.hit(opcode_, opcode_bin_[op.code], p != 0);
        coverage_.hit(lanes_, 0, op.exec == ~uint64_t{0});
        coverage_.hit(lanes_, 1, op.exec == 0);
        coverage_.hit(lanes_, 2, op.exec != 0 && (op.exec & (op.exec - 1)) == 0);
        coverage_.hit(lanes_, 3, op.exec >> 32 == 0 && op.exec != 0);
        coverage_.hit(lanes_, 4, op.exec << 32 == 0 && op.exec != 0);
        bool empty = false;
        for (unsigned g = 0; g < 4; ++g)
            empty |= (op.exec >> 16 * g & 0xffff) == 0;
        coverage_.hit(lanes_, 5, info.mem_bytes == 8 && empty && op.exec != 0);
        coverage_.hit(special_, 9, op.base * 8u + op.size > kBytes);
        coverage_.hit(special_, 12, op.size == 0);
        switch (info.mem) {
            case MemKind::LdsSwizzle:
                coverage_.hit(special_, 0, (op.offset & 0x8000) != 0 && op.exec != 0);
                coverage_.hit(special_, 1, (op.offset & 0x8000) == 0 && op.exec != 0);
                coverage_.hit(special_, 2, op.exec != 0 && op.exec != ~uint64_t{0});
                break;
            case MemKind::LdsAppend:
            case MemKind::LdsConsume:
                coverage_.hit(special_, 3, p != 0);
                coverage_.hit(special_, 4, p == 0 && op.exec != 0);
                coverage_.hit(special_, 5, op.exec == 0);
                break;
            default:
                count_access(op, info, out);
                break;
        }
    }

    void count_access(const Operation& op, const isa::OpInfo& info, const Out& out) {
        const bool operand = info.mem == MemKind::LdsSrc2 || info.mem == MemKind::LdsWriteSrc2;
        coverage_.hit(special_, 6, operand && !in_register(op) && out.out_passes != 0);
        coverage_.hit(special_, 7, operand && in_register(op) && out.out_passes != 0);
        const bool pair = info.mem_pair != 0;
        const bool same = pair && (op.offset & 255) == op.offset >> 8;
        coverage_.hit(special_, 8,
                      same && info.mem == MemKind::LdsExchange2 && out.out_passes != 0);
        coverage_.hit(special_, 11, same && out.out_passes != 0);
        const unsigned bytes = info.mem_bytes;
        const unsigned offset = operand ? 0
                                : pair  ? (op.offset & 255) * bytes * info.mem_pair
                                        : op.offset;
        const uint64_t part = std::min<uint64_t>(op.size, kBytes - op.base * 8u);
        bool askew = false, beyond = false, beyond_m0 = false, wraps = false, last = false;
        bool one = op.exec != 0, repeats = false;
        uint64_t elements = 0, before = ~uint64_t{0};
        const uint32_t first_lane = op.exec != 0 ? op.address[__builtin_ctzll(op.exec)] : 0;
        for (uint64_t m = op.exec; m != 0; m &= m - 1) {
            const uint32_t v = op.address[__builtin_ctzll(m)];
            const uint64_t sum = (operand && in_register(op) ? v & 0x1ffff : uint64_t{v}) + offset;
            const uint64_t at = sum / bytes * bytes;
            askew |= at != sum;
            beyond |= at + bytes > part;
            beyond_m0 |= at + bytes <= part && at + bytes > op.m0;
            wraps |= sum >> 32 != 0;
            last |= at + bytes == part && at + bytes <= op.m0;
            one &= v == first_lane;
            repeats |= at == before;
            before = at;
            ++elements;
        }
        const unsigned groups = pair ? 2 : 1;
        const unsigned free_passes = groups * (bytes == 8 ? 4 : 2);
        const unsigned width = bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
        const size_t bin = 8 * width;
        if (width != 0)
            coverage_.hit(access_, 4 * 8 + width - 1, askew && out.out_passes != 0);
        coverage_.hit(access_, bin, elements == kLanes && out.out_passes == free_passes);
        coverage_.hit(access_, bin + 1, out.out_passes > free_passes);
        coverage_.hit(access_, bin + 2, one && elements == kLanes && out.out_passes != 0);
        coverage_.hit(access_, bin + 3, beyond && out.out_passes != 0);
        coverage_.hit(access_, bin + 4, beyond_m0 && out.out_passes != 0);
        coverage_.hit(access_, bin + 5, wraps);
        coverage_.hit(access_, bin + 6, last);
        coverage_.hit(access_, bin + 7,
                      repeats && info.mem != MemKind::LdsRead && out.out_passes != 0);
        if (info.mem_returns &&
            (info.atomic == isa::AtomicOp::CmpSwap || info.atomic == isa::AtomicOp::FCmpSwap)) {
            for (uint64_t m = op.exec; m != 0; m &= m - 1) {
                const auto l = static_cast<unsigned>(__builtin_ctzll(m));
                uint64_t old = out.out_data0[l];
                uint64_t compared = op.first[l];
                if (bytes == 8)
                    old |= uint64_t{out.out_data1[l]} << 32;
                else
                    compared &= 0xffffffff;
                const bool is_float = info.atomic == isa::AtomicOp::FCmpSwap;
                coverage_.hit(special_, 13, !is_float && old == compared && old != 0);
                coverage_.hit(special_, 14, !is_float && old != compared);
                coverage_.hit(special_, 15, is_float && old == compared && old != 0);
            }
        }
        coverage_.hit(
            special_, 16,
            operand && !in_register(op) && (op.offset & 0x7fc0) != 0 && out.out_passes != 0);
    }

    Random random_;
    Activity op_flow_, out_flow_;
    const std::vector<Command>* recorded_;
    size_t next_ = 0;
    Command command_;
    bool taken_ = true;
    Offer<Operation> operations_;
    Offer<RowAccess> rows_;
    unsigned fill_ = 0;  // rows written since the storage's contents were last unknown
    unsigned mood_ = 1;
    uint32_t mood_left_ = 100;
    bool few_ = false;
    bool inside_ = false;
    bool waiting_ = false;
    Operation asked_;
    std::vector<uint8_t> codes_;
    std::array<size_t, 256> opcode_bin_{};
    Coverage coverage_;
    size_t opcode_ = 0, passes_ = 0, lanes_ = 0, access_ = 0, special_ = 0, flow_ = 0;
};

struct Parts {
    using Pins = LdsPins;
    using Core = cu::LdsCore;
    using Stimulus = LdsStimulus;
    using Recording = LdsRecording;
    using Unit = cu::PinLdsUnit;
    static constexpr const char* kDescription = "local data share of a compute unit";
    static void attach(asic::ChipOptions& options, Unit& unit) {
        options.substitutes.use<cu::LdsUnit>(unit);
    }
};

}  // namespace

template <>
const CosimBench& cosim_bench<Parts::Pins>() {
    static const BlockBench<Parts> bench;
    return bench;
}

}  // namespace archipelago::rtl
