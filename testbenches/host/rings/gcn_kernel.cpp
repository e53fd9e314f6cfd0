// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/rings/gcn_kernel.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <utility>

#include "models/common/archive.h"
#include "models/cu/isa/wave_state.h"
#include "testbenches/host/code_object/code_object.h"
#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/code_object/kernel_printf.h"
#include "testbenches/host/machine.h"

namespace archipelago::host {
namespace {

// The largest power of two up to 256 that divides the first dimension.
std::array<uint32_t, 3> default_local_size(const std::array<uint32_t, 3>& global_size) {
    uint32_t size = 256;
    while (size > 1 && global_size[0] % size != 0)
        size /= 2;
    return {size, 1, 1};
}

// What all kernels of a file have in memory. 0: it is not there yet.
struct GcnCode {
    std::string file;
    BuildOptions build;
    CodeObject object;
    uint64_t image = 0;
    uint64_t queue = 0, printf_buffer = 0;
    std::map<uint32_t, uint64_t> scratch;    // by bytes a wave
    bool prints = false;                     // one of them
    uint32_t printed = kPrintfHeaderDwords;  // dwords of the printf buffer that have been read
};

class GcnKernel final : public HostKernel {
  public:
    GcnKernel(Machine& machine, const KernelSpec& spec, std::shared_ptr<GcnCode> code);

    void place(const std::vector<ArgValue>& arguments) override;
    const KernelLaunch& launch() const override { return launch_; }
    KernelLaunch& launch() override { return launch_; }
    LoadedKernel loaded() const override {
        return {kernel_->name, code_->image, code_->object.lines};
    }
    std::string argument_name(size_t number) const override;
    std::optional<archipelago::SourceLine> source_line(uint64_t pc) const override;
    bool prints() const override { return code_->prints && takes_printf_buffer(kernel_->metadata); }
    std::string printed() override;
    void archive(Archive& a) override;
    const std::shared_ptr<GcnCode>& code() const { return code_; }

  private:
    void place_code();
    void place_printf_buffer();
    uint64_t place_scratch(uint32_t bytes_per_wave);

    Machine& machine_;
    std::shared_ptr<GcnCode> code_;
    const Kernel* kernel_ = nullptr;
    LaunchGeometry geometry_;
    GcnLaunch launch_;
};

std::shared_ptr<GcnCode> load_code(Machine& machine, const KernelSpec& spec) {
    auto code = std::make_shared<GcnCode>();
    code->file = spec.code;
    code->build = spec.build;
    std::string diagnostics;
    code->object = load_code_object_file(
        spec.code, &diagnostics,
        machine.chip().options().profile || machine.chip().options().trace != nullptr
            ? DebugLines::Read
            : DebugLines::Leave,
        spec.build);
    std::fputs(diagnostics.c_str(), stderr);
    code->prints = image_prints(code->object.image.bytes);
    return code;
}

const Kernel& kernel_of(const CodeObject& object, const KernelSpec& spec) {
    try {
        return object.kernel(spec.name);
    } catch (const CodeObjectError& error) {
        throw std::runtime_error(spec.source.to_string() + ": " + error.what());
    }
}

GcnKernel::GcnKernel(Machine& machine, const KernelSpec& spec, std::shared_ptr<GcnCode> code)
    : machine_(machine), code_(std::move(code)), kernel_(&kernel_of(code_->object, spec)) {
    geometry_.global_size = spec.global_size;
    std::copy(spec.global_offset.begin(), spec.global_offset.end(),
              geometry_.global_offset.begin());
    geometry_.dimensions = 0;  // the highest whose size is not 1: the size has three numbers
    const auto& required = kernel_->metadata.reqd_workgroup_size;
    geometry_.local_size = spec.local_size ? *spec.local_size
                           : required      ? *required
                                           : default_local_size(geometry_.global_size);
}

// Hidden arguments have no number.
std::string GcnKernel::argument_name(size_t number) const {
    for (const KernelArg& arg : kernel_->metadata.args)
        if (arg.value_kind.rfind("hidden_", 0) != 0 && number-- == 0)
            return arg.name;
    return {};
}

// Sources are compiled without a line table unless somebody profiles: the table is made now.
std::optional<archipelago::SourceLine> GcnKernel::source_line(uint64_t pc) const {
    try {
        const CodeObject with_lines =
            load_code_object_file(code_->file, nullptr, DebugLines::Read, code_->build);
        if (const auto line = with_lines.lines.find(pc - code_->image))
            return archipelago::SourceLine{line->file, line->line};
    } catch (const CodeObjectError&) {
        // The file has changed since: it is for a message that has something else to say.
    }
    return {};
}

void GcnKernel::place(const std::vector<ArgValue>& arguments) {
    if (code_->queue == 0) {
        code_->queue = machine_.allocate(4096);
        place_printf_buffer();
    }
    DispatchAddresses where;
    HiddenAddresses hidden;
    hidden.queue = where.queue = code_->queue;
    hidden.printf_buffer = code_->printf_buffer;
    if (code_->prints)
        hidden.hostcall_buffer = code_->printf_buffer;  // clang's name of it here
    const DispatchPlan plan = plan_dispatch(code_->object, *kernel_, arguments, geometry_, hidden);

    place_code();
    where.kernarg =
        machine_.allocate(std::max<size_t>(plan.kernarg.size(), 64), plan.kernarg_align);
    where.image = code_->image;
    const std::vector<uint8_t> kernarg = make_kernarg(plan, where);
    machine_.memory().write(where.kernarg, kernarg.data(), kernarg.size());
    where.packet = machine_.allocate(kDispatchPacketBytes);
    const auto aql = make_dispatch_packet(plan, where.image, where.kernarg);
    machine_.memory().write(where.packet, aql.data(), aql.size());

    launch_.code = where.image + plan.entry_offset;
    launch_.rsrc1 = plan.pgm_rsrc1;
    launch_.rsrc2 = plan.pgm_rsrc2;
    launch_.groups = plan.group_count;
    launch_.local_size = plan.geometry.local_size;
    launch_.partial_size = plan.partial_size;
    if (plan.scratch_bytes_per_wave != 0)
        where.scratch = place_scratch(plan.scratch_bytes_per_wave);
    launch_.user_sgprs = make_user_sgprs(plan, where);
}

void GcnKernel::place_printf_buffer() {
    code_->printf_buffer = machine_.allocate(code_->prints ? kPrintfBytes : 4096);
    const std::array<uint32_t, kPrintfHeaderDwords> header = {kPrintfHeaderDwords,
                                                              kPrintfBytes / 4};
    if (code_->prints)
        machine_.memory().write(code_->printf_buffer,
                                reinterpret_cast<const uint8_t*>(header.data()), sizeof header);
}

std::string GcnKernel::printed() {
    std::vector<uint32_t> buffer(kPrintfBytes / 4);
    machine_.memory().read(code_->printf_buffer, reinterpret_cast<uint8_t*>(buffer.data()),
                           kPrintfBytes);
    const std::vector<uint8_t>& image = code_->object.image.bytes;
    return printed_text(buffer, code_->printed,
                        [&](uint64_t address) -> std::optional<std::string> {
                            const uint64_t at = address - code_->image;
                            if (at >= image.size())
                                return std::nullopt;
                            const auto first = image.begin() + static_cast<ptrdiff_t>(at);
                            return std::string(first, std::find(first, image.end(), 0));
                        });
}

void GcnKernel::place_code() {
    const CodeObject& object = code_->object;
    if (code_->image != 0)
        return;
    code_->image = machine_.allocate(object.image.bytes.size(), kImageAlign);
    const std::vector<uint8_t> bytes = object.image_at(code_->image);
    machine_.memory().write(code_->image, bytes.data(), bytes.size());
}

// Mesa's default: 32 waves per CU may hold scratch; the register counts up to 4095. All of it must
// be within reach of a 32-bit offset.
uint64_t GcnKernel::place_scratch(uint32_t bytes_per_wave) {
    const uint64_t waves =
        std::min(32 * machine_.chip().description().identity().compute_units, 0xFFFu);
    launch_.scratch_waves =
        static_cast<uint32_t>(std::min(waves, (uint64_t{1} << 32) / bytes_per_wave));
    launch_.scratch_bytes_per_wave = bytes_per_wave;
    uint64_t& scratch = code_->scratch[bytes_per_wave];
    if (scratch == 0)
        scratch = machine_.allocate(uint64_t{launch_.scratch_waves} * bytes_per_wave);
    return scratch;
}

void GcnKernel::archive(Archive& a) {
    GcnLaunch& l = launch_;
    a(code_->image, l.code, l.rsrc1, l.rsrc2, l.user_sgprs, l.groups, l.local_size, l.partial_size,
      l.scratch_waves, l.scratch_bytes_per_wave, l.first, l.sync, l.waits);
    a(code_->printf_buffer, code_->printed);
}

}  // namespace

std::unique_ptr<HostKernel> load_gcn_kernel(Machine& machine, const KernelSpec& spec,
                                            const HostKernel* same_code) {
    const auto* const same = dynamic_cast<const GcnKernel*>(same_code);
    return std::make_unique<GcnKernel>(machine, spec,
                                       same != nullptr ? same->code() : load_code(machine, spec));
}

GcnLaunch gcn_wave_launch(const WaveSpec& spec, uint64_t code) {
    constexpr uint32_t kAllRegisters = 63 | 12 << 6;  // RSRC1: 256 VGPRs, 104 SGPRs
    constexpr uint32_t kModes = 1 << 21 | 1 << 23;    // DX10_CLAMP, IEEE_MODE
    GcnLaunch launch;
    launch.code = code;
    launch.rsrc1 = kAllRegisters | uint32_t{spec.float_mode} << 12 | kModes;
    launch.rsrc2 = (spec.lds_bytes + kLdsGranuleBytes - 1) / kLdsGranuleBytes << 15;
    launch.local_size = {isa::kLanes, 1, 1};
    return launch;
}

}  // namespace archipelago::host
