// SPDX-License-Identifier: Apache-2.0
// Image instructions of random programs: resources and samplers at random, of which those stay that
// the model executes, in SGPRs that the program loads, and addresses of which many are in range.
#include <algorithm>
#include <array>

#include "models/cu/isa/image_op.h"
#include "rtl-bridge/compare/cu_program.h"
#include "rtl-bridge/compare/cu_program_parts.h"

namespace archipelago::rtl {

using namespace cu_program;

namespace {

using isa::MemKind;

constexpr unsigned kResourceDwords = 8, kSamplerDwords = 4;
constexpr unsigned kTries = 100;

// Codes of SQ_RSRC_IMG types.
enum Type : uint32_t { kDim1 = 8, kDim2, kDim3, kCube, kDim1Array, kDim2Array, kMsaa, kMsaaArray };

// Data formats that are executed with some numbers.
constexpr uint32_t kFormats[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 10, 10, 11, 12,
                                 13, 14, 14, 4,  16, 17, 18, 19, 20, 21, 22, 32, 33, 34,
                                 35, 36, 37, 38, 39, 40, 41, 44, 50, 52, 55, 57, 58};
constexpr uint32_t k32 = 4, k32_32 = 11;  // of atomics
constexpr uint32_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 7, 9};

uint32_t side(Random& random) {
    static constexpr uint32_t kSides[] = {1, 2, 3, 4, 8, 13, 16, 32, 33, 64, 100, 256};
    return random.pick(kSides);
}

uint32_t selectors(Random& random) {
    static constexpr uint32_t kSelectors[] = {0, 1, 4, 5, 6, 7};
    if (!random.one_in(4))
        return 4 | 5 << 3 | 6 << 6 | 7 << 9;
    return random.pick(kSelectors) | random.pick(kSelectors) << 3 | random.pick(kSelectors) << 6 |
           random.pick(kSelectors) << 9;
}

// SQ_IMG_RSRC_WORD0 to 7.
std::array<uint32_t, kResourceDwords> any_resource(Random& random, uint64_t base, uint32_t format) {
    static constexpr uint32_t kPitches[] = {64, 64, 128, 256, 512};
    const uint32_t type = random.one_in(3) ? unsigned{kDim2} : 8 + random.below(8);
    const bool samples = type >= kMsaa;
    const uint32_t first = samples || random.one_in(2) ? 0 : random.below(3);
    const uint32_t last = samples ? random.below(4) : first + random.below(4);
    const uint32_t width = side(random);
    const uint32_t height = random.one_in(3) ? width : side(random);
    const uint32_t pitch = random.one_in(4) ? width : std::max(width, random.pick(kPitches));
    const uint32_t depth = type == kDim2 || random.one_in(3) ? 1 : 1 + random.below(12);
    const uint32_t slice = random.one_in(3) ? random.below(depth) : 0;
    return {low(base >> 8),
            (high(base >> 8) & 0xff) | (random.one_in(4) ? random.below(0x300) : 0) << 8 |
                format << 20 | random.pick(kNumbers) << 26,
            (width - 1) | (height - 1) << 14,
            selectors(random) | first << 12 | last << 16 | random.below(32) << 20 |
                random.below(2) << 25 | type << 28,
            (depth - 1) | (pitch - 1) << 13,
            slice | (slice + random.below(depth)) << 13,
            random.one_in(2) ? random.below(0x300) : 0,
            random.word()};
}

// SQ_IMG_SAMP_WORD0 to 3. Of fields whose last code is reserved, rarely that one.
std::array<uint32_t, kSamplerDwords> any_sampler(Random& random) {
    const auto two_bits = [&] { return random.one_in(64) ? 3 : random.below(3); };
    const uint32_t lods = random.one_in(3) ? random.word() & 0xffffff : 0xfff000;
    const uint32_t bias = random.one_in(3) ? random.word() & 0xfffff : 0;
    return {
        (random.word() & 0x1fffffff) | two_bits() << 29, lods,
        bias | random.below(16) << 20 | two_bits() << 24 | two_bits() << 26 | random.below(2) << 28,
        random.word()};
}

Op any_image(Random& random) {
    static constexpr MemKind kKinds[] = {
        MemKind::ImageLoad,   MemKind::ImageLoad,   MemKind::ImageStore,  MemKind::ImageStore,
        MemKind::ImageAtomic, MemKind::ImageSample, MemKind::ImageSample, MemKind::ImageQuery};
    const MemKind kind = random.pick(kKinds);
    Op op = any_of(random, Format::Mimg);
    while (isa::op_info(op).mem != kind)
        op = any_of(random, Format::Mimg);
    return op;
}

// Registers of an atomic on 32 bits.
unsigned operands_of(Op op) {
    return compares(isa::op_info(op).atomic) ? 2 : 1;
}

bool is_gather(Op op) {
    return op >= Op::IMAGE_GATHER4 && op <= Op::IMAGE_GATHER4_C_LZ_O;
}

bool has_sampler(Op op) {
    return isa::op_info(op).mem == MemKind::ImageSample || op == Op::IMAGE_GET_LOD;
}

// Makes of resource and sampler ones of which each lane reads as many lines as there can be.
void make_spread(std::array<uint32_t, kResourceDwords>& resource,
                 std::array<uint32_t, kSamplerDwords>& sampler) {
    constexpr uint32_t kSide = 128, kLinear = 1, kBetweenSlices = 2, kBetweenLevels = 2;
    resource[2] = (kSide - 1) | (kSide - 1) << 14;
    resource[3] =
        (resource[3] & 0x00000fff) | 1u << 16 | (resource[3] & 31u << 20) | uint32_t{kDim3} << 28;
    resource[4] = (kSide - 1) | (kSide - 1) << 13;
    resource[5] = 0;
    sampler[0] &= 0x1fffffff;
    sampler[1] = 0xfff000;
    sampler[2] = kLinear << 20 | kLinear << 22 | kBetweenSlices << 24 | kBetweenLevels << 26;
}

// What the model says of an instruction at issue.
struct ImageProbe {
    isa::ImageUnit layouts;
    isa::ImageOp image;
};
ImageProbe& image_probe() {
    thread_local ImageProbe one;
    return one;
}

}  // namespace

bool CuProgram::has_images() const {
    return kCuBuilt.images && shape_.tiling != nullptr &&
           shape_.sgprs >= kFirstImage + kResourceDwords + kSamplerDwords;
}

CuProgram::Image CuProgram::any_image_words(Op op, bool at_the_end) {
    static constexpr uint32_t kMasks[] = {1, 2, 4, 8, 3, 15, 15};
    Image i;
    i.op = op;
    uint32_t format = random_.pick(kFormats);
    uint32_t mask = random_.one_in(3) ? random_.below(16) : random_.pick(kMasks);
    if (is_gather(op) && !random_.one_in(8))
        mask = 1u << random_.below(4);
    if (isa::op_info(op).mem == MemKind::ImageAtomic && !random_.one_in(8)) {
        format = random_.one_in(3) ? k32_32 : k32;
        mask = (1u << (format == k32 ? 1 : 2) * operands_of(op)) - 1;
    }
    i.resource = any_resource(random_, shape_.data + 256 * random_.below(64), format);
    i.sampler = any_sampler(random_);
    i.spread = random_.one_in(10);
    if (i.spread)
        make_spread(i.resource, i.sampler);
    const unsigned both = kResourceDwords + kSamplerDwords;
    i.srsrc = kFirstImage + 4 * random_.below((shape_.sgprs - kFirstImage - both) / 4 + 1);
    i.ssamp = i.srsrc + kResourceDwords;
    if (random_.one_in(2)) {
        i.ssamp = i.srsrc;
        i.srsrc += kSamplerDwords;
    }
    const bool array = (i.resource[3] >> 28) >= kCube;
    const uint64_t bits =
        enc::mimg::kId.put(enc::mimg::kIdValue) | enc::mimg::kOp.put(number(i.op)) |
        enc::mimg::kSlc.put(random_.below(2)) | enc::mimg::kLwe.put(random_.below(2)) |
        enc::mimg::kTfe.put(random_.one_in(4) ? 1 : 0) |
        enc::mimg::kR128.put(random_.one_in(8) ? 1 : 0) |
        enc::mimg::kDa.put(random_.one_in(8) ? random_.below(2)
                           : array           ? 1
                                             : 0) |
        enc::mimg::kGlc.put(random_.below(2)) | enc::mimg::kUnorm.put(random_.below(2)) |
        enc::mimg::kDmask.put(mask) |
        enc::mimg::kVaddr.put(at_the_end ? shape_.vgprs - 1 - random_.below(3) : vgpr(4)) |
        enc::mimg::kVdata.put(vgpr(random_.below(6))) | enc::mimg::kSrsrcQuad.put(i.srsrc / 4) |
        enc::mimg::kSsampQuad.put(i.ssamp / 4);
    i.words = {{low(bits), high(bits)}};
    return i;
}

CuProgram::Verdict CuProgram::verdict(const Image& i) const {
    Probe& p = probe();
    ImageProbe& q = image_probe();
    std::copy(i.resource.begin(), i.resource.end(), &p.wave.s[i.srsrc]);
    std::copy(i.sampler.begin(), i.sampler.end(), &p.wave.s[i.ssamp]);
    p.wave.num_vgprs = static_cast<decltype(p.wave.num_vgprs)>(shape_.vgprs);
    isa::image_mem(isa::decode(i.words.words, 2), p.wave, *shape_.tiling, q.layouts, p.op, q.image);
    p.wave.num_vgprs = 256;
    return p.op.unsupported == nullptr ? Verdict::Executed
           : q.image.bad_input         ? Verdict::TooFewRegisters
                                       : Verdict::NotExecuted;
}

bool CuProgram::find_image(Image& i, Verdict wanted) {
    const Op op = any_image(random_);
    for (unsigned n = 0; n < kTries; ++n) {
        i = any_image_words(op, wanted == Verdict::TooFewRegisters);
        if (fits(isa::decode(i.words.words, 2), {}) && verdict(i) == wanted)
            return true;
    }
    return false;
}

void CuProgram::image_memory(const Block& b) {
    Image i;
    if (!has_images() || !find_image(i, Verdict::Executed))
        return wait();
    load_image_words(b, i);
    image_address(i);
    mark_image(i);
    emit(i.words.words[0], i.words.words[1]);
    if (random_.one_in(2))
        show_image(i);
    else if (waits_ && !random_.one_in(3))
        wait_for(random_.below(4), 7, 15);
}

// Lets memory see a register that the instruction has written, a dword for each lane that is
// active; often the status register, which is the last one.
void CuProgram::show_image(const Image& i) {
    const isa::Inst inst = isa::decode(i.words.words, 2);
    const unsigned last = isa::image_data_dwords(inst) - 1;
    const unsigned shown = inst.vdst + (inst.tfe || last == 0 ? last : random_.below(last + 1));
    const unsigned address = shown == 0 ? 1 : 0;
    wait_for(0, 7, 15);
    count_lanes(address);
    emit(vop2(Op::V_LSHLREV_B32, address, kZero + 2, address));
    const uint64_t bits =
        enc::mubuf::kId.put(enc::mubuf::kIdValue) |
        enc::mubuf::kOp.put(number(Op::BUFFER_STORE_DWORD)) | enc::mubuf::kOffen.put(1) |
        enc::mubuf::kVaddr.put(address) | enc::mubuf::kVdata.put(shown) |
        enc::mubuf::kSrsrcQuad.put(kSafeResource / 4) | enc::mubuf::kSoffset.put(kZero);
    emit(low(bits), high(bits));
}

// An instruction that stops the unit; false: none for this accident.
bool CuProgram::image_accident() {
    Image i;
    switch (shape_.accident) {
        case Accident::Unimplemented:
            if (!find_image(i, Verdict::NotExecuted))
                return false;
            break;
        case Accident::BeyondRegisters:
            if (!find_image(i, Verdict::TooFewRegisters))
                return false;
            break;
        case Accident::VectorFault: {
            if (!find_image(i, Verdict::Executed))
                return false;
            const uint64_t base = kCuUnmapped >> 8;
            i.resource[0] = low(base);
            i.resource[1] = (i.resource[1] & ~0xffu) | high(base);
            emit(sop1(Op::S_MOV_B64, kExec, kMinusOne));
            break;
        }
        default:
            return false;
    }
    load_image_words({}, i);
    image_address(i);
    emit(i.words.words[0], i.words.words[1]);
    return true;
}

// Resource and sampler to their SGPRs, which no load writes afterwards.
void CuProgram::load_image_words(const Block& b, const Image& i) {
    wait_for(15, 7, 0);
    const bool sampler = has_sampler(i.op);
    if (b.called || b.depth != 0 || random_.one_in(2)) {
        for (unsigned k = 0; k < kResourceDwords; ++k)
            move_literal(i.srsrc + k, i.resource[k]);
        for (unsigned k = 0; k < kSamplerDwords && sampler; ++k)
            move_literal(i.ssamp + k, i.sampler[k]);
        return;
    }
    // Starting after the program.
    const auto load = [&](Op op, unsigned sdst, unsigned dword) {
        emit(low(enc::smrd::kId.put(enc::smrd::kIdValue) | enc::smrd::kOp.put(number(op)) |
                 enc::smrd::kSdst.put(sdst) | enc::smrd::kSbasePair.put(kAddress / 2) |
                 enc::smrd::kImm.put(1) | enc::smrd::kOffset.put(dword)));
    };
    move_literal(kAddress, low(4 * (kData - kResources + image_words_.size())));
    reloads_.push_back(here() - 1);
    move_literal(kAddress + 1, high(shape_.pc));
    load(Op::S_LOAD_DWORDX8, i.srsrc, 0);
    load(Op::S_LOAD_DWORDX4, i.ssamp, kResourceDwords);
    wait_for(15, 7, 0);
    image_words_.insert(image_words_.end(), i.resource.begin(), i.resource.end());
    image_words_.insert(image_words_.end(), i.sampler.begin(), i.sampler.end());
}

// Coordinates of texels beside each other, of some at random, of the same one.
void CuProgram::image_address(const Image& i) {
    static constexpr uint32_t kLimits[] = {0, 1, 3, 7, 15, 31, 63, 0xff};
    static constexpr uint32_t kScales[] = {0x3c000000, 0x3d000000, 0x3c800000, 0x3e000000,
                                           0x3f800000, 0x3f400000, 0xbd000000};
    const uint64_t bits = i.words.words[0] | uint64_t{i.words.words[1]} << 32;
    const unsigned first = enc::mimg::kVaddr.get(bits);
    const bool numbers = has_sampler(i.op) && !random_.one_in(6);
    for (unsigned v = first; v < std::min(first + 8, shape_.vgprs); ++v) {
        switch (i.spread ? 3 : random_.below(6)) {
            case 0:
                continue;
            case 3:  // far from each other
                count_lanes(v);
                emit(vop2(Op::V_MUL_U32_U24, v, isa::kLiteral, v), random_.word() | 1);
                emit(vop2(Op::V_AND_B32, v, isa::kLiteral, v),
                     i.spread ? 0xff : random_.pick(kLimits));
                break;
            case 1:
                emit(vop1(Op::V_MOV_B32, v, kZero + random_.below(4)));
                break;
            case 2:
                count_lanes(v);
                if (random_.one_in(2))
                    emit(vop2(Op::V_LSHRREV_B32, v, kZero + random_.below(4), v));
                break;
            default:
                emit(vop2(Op::V_AND_B32, v, isa::kLiteral, vgpr()), random_.pick(kLimits));
                break;
        }
        if (numbers) {
            emit(vop1(Op::V_CVT_F32_U32, v, isa::kVgprFirst + v));
            emit(vop2(Op::V_MUL_F32, v, isa::kLiteral, v),
                 i.spread ? kScales[0] : random_.pick(kScales));
        }
    }
}

// What will have been executed.
void CuProgram::mark_image(const Image& i) {
    if (!sure_ || skipping_)
        return;
    const auto use = [&](ImageUse u, bool is) {
        images_ |= is ? 1u << static_cast<unsigned>(u) : 0;
    };
    const isa::Inst inst = isa::decode(i.words.words, 2);
    const MemKind kind = isa::op_info(i.op).mem;
    const surface::ArrayMode mode = shape_.tiling->modes[i.resource[3] >> 20 & 31].array;
    const uint32_t type = i.resource[3] >> 28;
    use(ImageUse::Load, kind == MemKind::ImageLoad);
    use(ImageUse::Store, kind == MemKind::ImageStore);
    use(ImageUse::Atomic, kind == MemKind::ImageAtomic && !inst.glc);
    use(ImageUse::AtomicReturns, kind == MemKind::ImageAtomic && inst.glc);
    use(ImageUse::Sample, kind == MemKind::ImageSample && !is_gather(i.op));
    use(ImageUse::Gather, is_gather(i.op));
    use(ImageUse::ResourceInfo, i.op == Op::IMAGE_GET_RESINFO);
    use(ImageUse::Lod, i.op == Op::IMAGE_GET_LOD);
    use(ImageUse::Status, inst.tfe && kind != MemKind::ImageStore);
    use(ImageUse::ShortResource, inst.r128);
    use(ImageUse::Linear, surface::is_linear(mode));
    use(ImageUse::MicroTiled, !surface::is_linear(mode) && !surface::is_macro(mode));
    use(ImageUse::MacroTiled, surface::is_macro(mode));
    use(ImageUse::Dim3, type == kDim3);
    use(ImageUse::Cube, type == kCube);
    use(ImageUse::Array, type == kDim1Array || type == kDim2Array);
    use(ImageUse::Samples, type >= kMsaa);
}

}  // namespace archipelago::rtl
