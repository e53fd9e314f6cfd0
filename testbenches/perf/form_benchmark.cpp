// SPDX-License-Identifier: Apache-2.0
// How fast functional mode executes each instruction of the set, slowest first: a loop of one
// instruction for every opcode in every encoding, buffer accesses in every way of addressing. The
// loops are made from the table of opcodes and assembled; all lanes are active.
//
//   archipelago_form_speed [--seconds S] [--below M] [--portable] [NAME]...
//
// NAME: a part of the instruction's text. --below M: only what is below M million a second.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "models/common/page.h"
#include "models/cu/functional/functional_cu.h"
#include "models/cu/isa/assemble.h"
#include "models/cu/isa/encoding.h"
#include "models/cu/isa/lane_exec.h"
#include "models/cu/isa/opcodes.h"
#include "testbenches/support/command_line.h"
#include "testbenches/unit/isa/image_bench.h"

namespace archipelago::isa {
namespace {

// Registers of a loop. v[0:23] and s[0:23] are set at launch.
constexpr unsigned kCount = 0;     // s: loops left
constexpr unsigned kPointer = 2;   // s[2:3]: kData
constexpr unsigned kSampler = 4;   // s[4:7]
constexpr unsigned kRaw = 8;       // s[8:11]: buffer of bytes
constexpr unsigned kRecords = 12;  // s[12:15]: buffer of records
constexpr unsigned kImage = 16;    // s[16:23]
constexpr unsigned kScalars = 24;  // s[24:31]: operands
constexpr unsigned kScalarDst = 40;
constexpr unsigned kBytesOf = 0;    // v: byte offset, of elements side by side
constexpr unsigned kLaneOf = 1;     // v: lane
constexpr unsigned kAddressOf = 2;  // v[2:3]: byte offset
constexpr unsigned kTexelOf = 4;    // v[4:15]: address of a texel
constexpr unsigned kVectors = 16;   // v[16:23]: operands
constexpr unsigned kVectorDst = 24;
constexpr unsigned kVgprs = 40;

constexpr uint64_t kCode = 0x10000, kData = 0x100000, kDataBytes = 1 << 16;
constexpr unsigned kCopies = 64;  // of the instruction in its loop

// ---- forms -----------------------------------------------------------------------------------

struct Form {
    Op op{};
    std::string name;       // for people
    std::string statement;  // for the assembler
    std::string missing;    // why it is not measured
};

enum class Places : uint8_t { Offset, Index, Flat };

class FormMaker {
  public:
    std::vector<Form> all() {
        for (unsigned i = 0; i < kOpCount; ++i) {
            op_ = Op{static_cast<uint16_t>(i)};
            const OpInfo& info = op_info(op_);
            switch (info.format) {
                case Format::Mubuf:
                case Format::Mtbuf:
                    for (const Places p : {Places::Offset, Places::Index, Places::Flat})
                        if (info.mem != MemKind::CacheInvalidate || p == Places::Offset)
                            add(buffer(info, p), 2);
                    break;
                case Format::Vop1:
                case Format::Vop2:
                case Format::Vopc:
                    add(narrow(info), info.has(kOpConstant) ? 2 : 1);
                    if (!info.has(kOpNoVop3))
                        add(vop3(info), 2);
                    break;
                case Format::Vop3:
                    add(vop3(info), 2);
                    break;
                case Format::Mimg:
                    add(image(info), 2);
                    break;
                case Format::Ds:
                    add(local(info), 2);
                    break;
                case Format::Exp:
                    add(enc::exp::kId.put(enc::exp::kIdValue) | enc::exp::kEn.put(15) |
                            enc::exp::kVsrc0.put(kVectors) | enc::exp::kVsrc1.put(kVectors + 1) |
                            enc::exp::kVsrc2.put(kVectors + 2) | enc::exp::kVsrc3.put(kVectors + 3),
                        2);
                    break;
                default:
                    add(scalar(info), info.has(kOpConstant) ? 2 : 1);
                    break;
            }
        }
        return std::move(forms_);
    }

  private:
    static uint32_t vgpr(unsigned operand) { return kVgprFirst + kVectors + 2 * operand; }

    void add(uint64_t bits, unsigned dwords) {
        uint32_t words[2] = {static_cast<uint32_t>(bits), static_cast<uint32_t>(bits >> 32)};
        if (op_info(op_).has(kOpConstant))
            words[1] = 0x3fa00000;
        const Inst inst = decode(words, dwords);
        Form form;
        form.op = op_;
        form.name = inst.format == Format::Illegal ? op_info(op_).name : disassemble(inst, 0);
        form.statement = disassemble_exact(inst, 0);
        form.missing = inst.format == Format::Illegal ? "not an encoding"
                       : !is_implemented(inst)        ? "not implemented"
                                                      : elsewhere(inst);
        forms_.push_back(form);
    }

    // Why a loop cannot hold the instruction, or none.
    std::string elsewhere(const Inst& inst) const {
        const MemKind mem = op_info(op_).mem;
        if (mem == MemKind::Gws || mem == MemKind::OrderedCount)
            return "carried out by the global data share";
        switch (op_) {
            case Op::S_ENDPGM:
            case Op::S_SETHALT:
            case Op::S_SENDMSGHALT:
                return "ends or halts the wave";
            default:
                return inst.cls == Class::Branch && inst.format != Format::Sopp
                           ? "jumps to an address in registers"
                           : "";
        }
    }

    uint64_t scalar(const OpInfo& info) const {
        const unsigned a = kScalars + 2;
        const unsigned b = kScalars + 4;
        switch (info.format) {
            case Format::Sop2:
                return enc::sop2::kId.put(enc::sop2::kIdValue) | enc::sop2::kOp.put(info.number) |
                       enc::sop2::kSdst.put(kScalarDst) | enc::sop2::kSsrc0.put(a) |
                       enc::sop2::kSsrc1.put(b);
            case Format::Sop1:
                return enc::sop1::kId.put(enc::sop1::kIdValue) | enc::sop1::kOp.put(info.number) |
                       enc::sop1::kSdst.put(info.dst_dwords != 0 ? kScalarDst : 0) |
                       enc::sop1::kSsrc0.put(info.num_src != 0 ? a : 0);
            case Format::Sopc:
                return enc::sopc::kId.put(enc::sopc::kIdValue) | enc::sopc::kOp.put(info.number) |
                       enc::sopc::kSsrc0.put(a) | enc::sopc::kSsrc1.put(b);
            case Format::Sopk: {
                constexpr uint32_t kRoundMode = 1 | 3 << 11;  // hwreg(HW_REG_MODE, 0, 4)
                const bool reg = std::string(info.name).find("etreg") != std::string::npos;
                return enc::sopk::kId.put(enc::sopk::kIdValue) | enc::sopk::kOp.put(info.number) |
                       enc::sopk::kSdst.put(kScalarDst) |
                       enc::sopk::kSimm16.put(reg ? kRoundMode : 1);
            }
            case Format::Sopp: {
                const bool message = op_ == Op::S_SENDMSG;
                return enc::sopp::kId.put(enc::sopp::kIdValue) | enc::sopp::kOp.put(info.number) |
                       enc::sopp::kSimm16.put(message ? 1 : 0);
            }
            case Format::Smrd: {
                const unsigned base = info.mem == MemKind::ScalarBufferLoad ? kRaw : kPointer;
                return enc::smrd::kId.put(enc::smrd::kIdValue) | enc::smrd::kOp.put(info.number) |
                       enc::smrd::kSdst.put(info.dst_dwords != 0 ? kScalarDst : 0) |
                       (info.num_src != 0
                            ? enc::smrd::kSbasePair.put(base / 2) | enc::smrd::kImm.put(1)
                            : 0);
            }
            default:  // VINTRP
                return enc::vintrp::kId.put(enc::vintrp::kIdValue) |
                       enc::vintrp::kOp.put(info.number) | enc::vintrp::kVdst.put(kVectorDst) |
                       enc::vintrp::kVsrc.put(info.num_src != 0 ? kVectors : 2);
        }
    }

    // VOP1, VOP2 and VOPC in their own encodings.
    uint64_t narrow(const OpInfo& info) const {
        const bool selects = info.has(kOpLaneSel);
        const unsigned dst = info.has(kOpSgprDst)   ? kScalarDst
                             : info.dst_dwords != 0 ? kVectorDst
                                                    : 0;
        const unsigned src0 = info.num_src == 0                  ? 0
                              : selects && !info.has(kOpSgprDst) ? kScalars
                                                                 : vgpr(0);
        const unsigned src1 = selects ? kScalars : kVectors + 2;
        switch (info.format) {
            case Format::Vop1:
                return enc::vop1::kId.put(enc::vop1::kIdValue) | enc::vop1::kOp.put(info.number) |
                       enc::vop1::kVdst.put(dst) | enc::vop1::kSrc0.put(src0);
            case Format::Vop2:
                return enc::vop2::kId.put(enc::vop2::kIdValue) | enc::vop2::kOp.put(info.number) |
                       enc::vop2::kVdst.put(dst) | enc::vop2::kSrc0.put(src0) |
                       enc::vop2::kVsrc1.put(src1);
            default:
                return enc::vopc::kId.put(enc::vopc::kIdValue) | enc::vopc::kOp.put(info.number) |
                       enc::vopc::kSrc0.put(src0) | enc::vopc::kVsrc1.put(src1);
        }
    }

    uint64_t vop3(const OpInfo& info) const {
        const unsigned base = info.format == Format::Vop2   ? 256
                              : info.format == Format::Vop1 ? 384
                                                            : 0;
        const bool scalar_dst = info.format == Format::Vopc || info.has(kOpSgprDst);
        uint64_t bits = enc::vop3::kId.put(enc::vop3::kIdValue) |
                        enc::vop3::kOp.put(info.number + base) |
                        enc::vop3::kVdst.put(scalar_dst             ? kScalarDst
                                             : info.dst_dwords != 0 ? kVectorDst
                                                                    : 0);
        if (info.has(kOpMaskOut) && info.format != Format::Vopc)
            bits |= enc::vop3::kSdst.put(kScalarDst);
        const enc::Field fields[3] = {enc::vop3::kSrc0, enc::vop3::kSrc1, enc::vop3::kSrc2};
        for (unsigned i = 0; i < 3 && i < info.num_src; ++i) {
            const bool lane = info.has(kOpLaneSel) && (i == 1 || !info.has(kOpSgprDst));
            bits |= fields[i].put(lane ? kScalars : vgpr(i));
        }
        if (info.has(kOpMaskIn))
            bits |= enc::vop3::kSrc2.put(kScalars + 2);
        return bits;
    }

    static uint64_t local(const OpInfo& info) {
        const auto has = [&](unsigned operand) { return info.src_dwords[operand] != 0; };
        return enc::ds::kId.put(enc::ds::kIdValue) | enc::ds::kOp.put(info.number) |
               enc::ds::kVdst.put(info.dst_dwords != 0 ? kVectorDst : 0) |
               enc::ds::kAddr.put(has(0) ? kBytesOf : 0) |
               enc::ds::kData0.put(has(1) ? kVectors : 0) |
               enc::ds::kData1.put(has(2) ? kVectors + 4 : 0) |
               enc::ds::kOffset1.put(info.mem_pair != 0 ? 1 : 0);
    }

    // MUBUF and MTBUF have these fields at the same places.
    static uint64_t buffer(const OpInfo& info, Places p) {
        uint64_t bits = 0;
        if (info.format == Format::Mubuf) {
            bits = enc::mubuf::kId.put(enc::mubuf::kIdValue) | enc::mubuf::kOp.put(info.number);
        } else {
            static constexpr uint32_t kDwords[] = {4, 11, 13, 14};  // 32 to 32_32_32_32
            constexpr uint32_t kFloat = 7;
            bits = enc::mtbuf::kId.put(enc::mtbuf::kIdValue) | enc::mtbuf::kOp.put(info.number) |
                   enc::mtbuf::kDfmt.put(kDwords[info.number & 3]) | enc::mtbuf::kNfmt.put(kFloat);
        }
        if (info.mem == MemKind::CacheInvalidate)
            return bits;
        static constexpr unsigned kAddresses[] = {kBytesOf, kLaneOf, kAddressOf};
        return bits |
               enc::mubuf::kVdata.put(
                   info.dst_dwords != 0 && info.mem != MemKind::Atomic ? kVectorDst : kVectors) |
               enc::mubuf::kVaddr.put(kAddresses[static_cast<unsigned>(p)]) |
               enc::mubuf::kSrsrcQuad.put((p == Places::Index ? kRecords : kRaw) / 4) |
               enc::mubuf::kSoffset.put(kConstZero) | enc::mubuf::kOffen.put(p == Places::Offset) |
               enc::mubuf::kIdxen.put(p == Places::Index) |
               enc::mubuf::kAddr64.put(p == Places::Flat);
    }

    uint64_t image(const OpInfo& info) const {
        const std::string name = info.name;
        const auto names = [&](const char* part) { return name.find(part) != std::string::npos; };
        const bool atomic = info.mem == MemKind::ImageAtomic;
        const bool samples = info.mem == MemKind::ImageSample || op_ == Op::IMAGE_GET_LOD;
        const unsigned mask = names("cmpswap") ? 3 : atomic || names("gather4") ? 1 : 15;
        return enc::mimg::kId.put(enc::mimg::kIdValue) | enc::mimg::kOp.put(info.number) |
               enc::mimg::kDmask.put(mask) | enc::mimg::kUnorm.put(samples ? 0 : 1) |
               enc::mimg::kGlc.put(atomic ? 1 : 0) |
               enc::mimg::kVdata.put(names("store") ? kVectors : kVectorDst) |
               enc::mimg::kVaddr.put(kTexelOf) | enc::mimg::kSrsrcQuad.put(kImage / 4) |
               enc::mimg::kSsampQuad.put(samples ? kSampler / 4 : 0);
    }

    Op op_{};
    std::vector<Form> forms_;
};

// ---- loops -----------------------------------------------------------------------------------

bool may_clear_exec(const Form& form) {
    return op_info(form.op).has(kOpExecOut) || form.name.find("saveexec") != std::string::npos;
}

std::string program(const Form& form, unsigned loops) {
    const OpInfo& info = op_info(form.op);
    std::string text = "s_mov_b32 s" + std::to_string(kCount) + ", " + std::to_string(loops) + "\n";
    for (unsigned i = 0; i < 8; ++i)
        text +=
            "s_mov_b32 s" + std::to_string(kScalars + i) + ", " + std::to_string(5 * i + 3) + "\n";
    text += info.format == Format::Ds ? "s_mov_b32 m0, -1\n" : "s_mov_b32 m0, 0\n";
    text += "loop:\n";
    for (unsigned i = 0; i < kCopies; ++i) {
        text += form.statement + "\n";
        if (may_clear_exec(form))
            text += "s_mov_b64 exec, -1\n";
    }
    const std::string count = "s" + std::to_string(kCount);
    return text + "s_sub_u32 " + count + ", " + count + ", 1\ns_cmp_lg_u32 " + count +
           ", 0\ns_cbranch_scc1 loop\ns_endpgm\n";
}

// Code and data, each in one piece.
class Memory : public cu::FunctionalMemory {
  public:
    Memory() : data_(kDataBytes) {}
    void load(std::vector<uint8_t> code) {
        code_ = std::move(code);
        code_.resize((code_.size() + kPageBytes - 1) / kPageBytes * kPageBytes);
    }
    uint8_t* page(uint64_t address, uint8_t vmid) override {
        const cu::HostWindow w = window(address, vmid);
        return w.host == nullptr ? nullptr : w.host + (address - w.first);
    }
    cu::HostWindow window(uint64_t address, uint8_t) override {
        if (address - kData < data_.size())
            return {kData, data_.size(), data_.data()};
        if (address - kCode < code_.size())
            return {kCode, code_.size(), code_.data()};
        return {};
    }

  private:
    std::vector<uint8_t> code_, data_;
};

uint32_t bits_of(float x) {
    uint32_t bits = 0;
    std::memcpy(&bits, &x, 4);
    return bits;
}

// Bytes of the elements that a buffer or DS instruction accesses.
uint32_t element_bytes(const OpInfo& info) {
    const bool typed = info.mem == MemKind::LoadFormat || info.mem == MemKind::StoreFormat;
    if (typed && info.format == Format::Mubuf)
        return 4;  // 8_8_8_8
    const uint32_t elements = info.mem_pair != 0 ? 2 : 1;
    return std::max<uint32_t>(4, info.mem_bytes * elements);
}

void fill_vectors(const OpInfo& info, LaunchData& data) {
    const bool samples = info.mem == MemKind::ImageSample;
    const uint32_t step = element_bytes(info);
    data.written = (1u << LaunchData::kVgprs) - 1;
    for (uint32_t l = 0; l < kLanes; ++l) {
        const auto set = [&](unsigned v, uint32_t value) { data.vgpr[v][l] = value; };
        set(kBytesOf, step * l);
        set(kLaneOf, l);
        set(kAddressOf, step * l);
        set(kAddressOf + 1, 0);
        for (unsigned c = 0; c < 12; ++c)
            set(kTexelOf + c, samples ? bits_of(static_cast<float>(c % 2 == 0 ? l % 8 : l / 8) / 16)
                              : c == 0 ? l
                              : c == 1 ? 7
                                       : 0);
        // Pairs are doubles a little above 1, their dwords ordinary floats.
        for (unsigned v = 0; v < 8; v += 2) {
            set(kVectors + v, bits_of(1.0f + static_cast<float>(l + v) / 100));
            set(kVectors + v + 1, 0x3ff00000 + 0x1000 * l);
        }
    }
}

void fill_scalars(const OpInfo& info, WaveLaunch& launch) {
    uint32_t* const s = launch.sgpr_init.data();
    launch.sgpr_init_count = WaveLaunch::kMaxSgprInit;
    s[kPointer] = static_cast<uint32_t>(kData);
    constexpr uint32_t kSelect = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    constexpr uint32_t kWord3 = kSelect | 10 << 15;  // 8_8_8_8, UNORM
    constexpr uint32_t kStride = 16;
    for (const unsigned buffer : {kRaw, kRecords}) {
        const bool records = buffer == kRecords;
        s[buffer] = static_cast<uint32_t>(kData);
        s[buffer + 1] = records ? kStride << 16 : 0;
        s[buffer + 2] = static_cast<uint32_t>(kDataBytes / (records ? kStride : 1));
        s[buffer + 3] = kWord3;
    }
    test::Resource image;
    image.width = image.height = image.pitch = 64;
    image.base = kData;
    if (info.mem == MemKind::ImageAtomic) {
        image.dfmt = 4;  // 32, UINT
        image.nfmt = 4;
    }
    image.words(s + kImage);
    test::Sampler().words(s + kSampler);
}

class Sinks : public ExportSink, public MessageSink {
  public:
    void take(const ExportMessage&) override {}
    void take(const ShaderMessage&) override {}
};

struct Measured {
    Form form;
    double rate = 0;  // instructions a second
};

// A loop of the instruction on a compute unit of its own.
class Loop {
  public:
    Loop(const Form& form, unsigned loops) : cu_({}, memory_, {"benchmark", {}, 0, 0}) {
        const Assembly code = assemble(program(form, loops));
        if (!code.errors.empty())
            throw std::runtime_error(code.errors.front().message);
        memory_.load(code.bytes);
        const OpInfo& info = op_info(form.op);
        fill_vectors(info, data_);
        launch_.pc = kCode;
        launch_.exec = ~uint64_t{0};
        launch_.vgpr_count = kVgprs;
        launch_.sgpr_count = 104;
        launch_.lds_bytes = 1 << 15;
        launch_.float_mode = 0xc0;  // as compilers of this family ask for: f32 denormals flushed
        launch_.ieee = launch_.dx10_clamp = true;
        launch_.waves_in_group = 1;
        launch_.stage = ShaderStage::Ps;
        launch_.data = &data_;
        fill_scalars(info, launch_);
        cu_.connect({nullptr, &sinks_, &sinks_, &sinks_});
        cu_.set_tiling(test::tahiti_tiling());
    }
    double seconds() {
        const std::clock_t start = std::clock();  // processor time: other processes do not count
        stats_ = {};
        cu_.run_group(&launch_, 1, stats_);
        return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    }
    // Of the last run.
    uint64_t instructions() const {
        return std::accumulate(stats_.work.instructions.begin(), stats_.work.instructions.end(),
                               uint64_t{0});
    }

  private:
    Memory memory_;
    Sinks sinks_;
    LaunchData data_;
    WaveLaunch launch_;
    cu::FunctionalCu cu_;
    cu::FunctionalStats stats_;
};

// Instructions a second, of the fastest of many short runs: one that nothing disturbed.
double measure(const Form& form, double seconds) {
    constexpr double kShort = 5e-4;
    unsigned loops = 16;
    while (Loop(form, loops).seconds() < kShort)
        loops *= 2;
    Loop loop(form, loops);
    double best = loop.seconds();
    for (double sum = best; sum < seconds;) {
        const double one = loop.seconds();
        best = std::min(best, one);
        sum += one;
    }
    return static_cast<double>(loop.instructions()) / best;
}

bool wanted(const Form& form, const std::vector<std::string>& names) {
    return names.empty() || std::any_of(names.begin(), names.end(), [&](const std::string& name) {
               return form.name.find(name) != std::string::npos;
           });
}

int run(int argc, char** argv) {
    double seconds = 0.02;  // of each form
    double below = 0;
    bool portable = false;
    std::vector<std::string> names;
    CLI::App app{"how fast functional mode executes each instruction", "archipelago_form_speed"};
    app.add_option("--seconds", seconds, "of each instruction's loop")
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--below", below, "only what is below so many million a second")
        ->check(CLI::PositiveNumber);
    app.add_flag("--portable", portable, "lanes without the host's vector instructions");
    app.add_option("names", names, "parts of instructions' texts; all when none is named");
    if (const auto status = command_line::parse(app, argc, argv))
        return *status;
    if (portable)
        setenv("ARCHIPELAGO_LANES", "portable", 1);
    std::vector<Measured> measured;
    std::vector<Form> missing;
    for (Form& form : FormMaker().all()) {
        if (!wanted(form, names))
            continue;
        try {
            if (form.missing.empty())
                measured.push_back({form, measure(form, seconds)});
        } catch (const std::exception& e) {
            form.missing = e.what();
        }
        if (!form.missing.empty())
            missing.push_back(std::move(form));
    }
    std::sort(measured.begin(), measured.end(),
              [](const Measured& a, const Measured& b) { return a.rate < b.rate; });
    std::printf("lanes: %s\n%9s %9s  %s\n", lane_backend(), "M instr/s", "ns/instr", "instruction");
    for (const Measured& m : measured)
        if (below == 0 || m.rate < below * 1e6)
            std::printf("%9.1f %9.1f  %s\n", m.rate / 1e6, 1e9 / m.rate, m.form.name.c_str());
    for (const Form& form : missing)
        std::printf("not measured: %s: %s\n", form.name.c_str(), form.missing.c_str());
    return 0;
}

}  // namespace
}  // namespace archipelago::isa

int main(int argc, char** argv) {
    try {
        return archipelago::isa::run(argc, argv);
    } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        return 1;
    }
}
