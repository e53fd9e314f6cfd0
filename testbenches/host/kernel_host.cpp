// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/kernel_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>
#include <variant>

#include "models/common/archive.h"
#include "models/common/page.h"
#include "models/cu/isa/isa.h"
#include "testbenches/host/code_object/code_object_error.h"
#include "testbenches/host/nearest_argument.h"

namespace archipelago::host {
namespace {

// From a buffer's end to the end of its last page: an access there is no fault, so these bytes are
// compared after the kernels.
constexpr std::array<uint8_t, kPageBytes> kBeyond = [] {
    std::array<uint8_t, kPageBytes> bytes{};
    for (size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = static_cast<uint8_t>(0xa5 + 7 * i);
    return bytes;
}();

uint64_t bytes_beyond(uint64_t size) {
    return (kPageBytes - size % kPageBytes) % kPageBytes;
}

// visit(buffer, number of the argument)
template <class Visit>
void for_each_use(const KernelSpec& spec, const Visit& visit) {
    for (size_t i = 0; i < spec.args.size(); ++i)
        if (const auto* use = std::get_if<BufferUse>(&spec.args[i].value))
            visit(use->buffer, i);
}

}  // namespace

void write_data(MemoryImage& memory, uint64_t address, const DataSource& data) {
    uint64_t at = address;
    for_each_piece(data, [&](const uint8_t* bytes, size_t count) {
        memory.write(at, bytes, count);
        at += count;
    });
}

KernelHost::KernelHost(const Workload& workload, Machine& machine, GpuDriver& driver)
    : workload_(workload),
      machine_(machine),
      driver_(driver),
      specs_(workload.kernels()),
      last_use_(workload.buffers.size()) {
    std::map<std::pair<std::string, BuildOptions>, const HostKernel*> same_code;
    for (size_t i = 0; i < specs_.size(); ++i) {
        const HostKernel*& first = same_code[{specs_[i]->code, specs_[i]->build}];
        kernels_.push_back(driver_.load_kernel(kKernelRing, *specs_[i], first));
        if (first == nullptr)
            first = kernels_.back().get();
        for_each_use(*specs_[i], [&](unsigned buffer, size_t argument) {
            last_use_[buffer] = {i, argument};
        });
    }
    size_t next = workload.kernel ? 1 : 0;
    for (size_t step = 0; step < workload.steps.size(); ++step)
        if (std::holds_alternative<KernelSpec>(workload.steps[step].what))
            of_step_[step] = next++;
}

uint64_t KernelHost::dispatches_before(size_t kernel) const {
    uint64_t sum = 0;
    for (size_t i = 0; i < kernel; ++i)
        sum += specs_[i]->repeat;
    return sum;
}

void KernelHost::place_buffers(const KernelSpec& spec) {
    MemoryImage& memory = machine_.memory();
    for_each_use(spec, [&](unsigned buffer, size_t) {
        const DataSource& data = workload_.buffers[buffer].data;
        if (addresses_[buffer] != 0)
            return;
        const uint64_t address = addresses_[buffer] = machine_.allocate(data.size());
        if (data.uniform_byte() != uint8_t{0})
            write_data(memory, address, data);
        memory.write(address + data.size(), kBeyond.data(), bytes_beyond(data.size()));
    });
}

template <size_t N>
uint64_t KernelHost::place_words(const std::array<uint32_t, N>& words) const {
    constexpr uint64_t kDescriptorAlign = 64;
    const uint64_t address = machine_.allocate(sizeof words, kDescriptorAlign);
    machine_.memory().write(address, reinterpret_cast<const uint8_t*>(words.data()), sizeof words);
    return address;
}

std::vector<ArgValue> KernelHost::values_of(const KernelSpec& spec) const {
    std::vector<ArgValue> values;
    for (const Arg& arg : spec.args) {
        const auto* const use = std::get_if<BufferUse>(&arg.value);
        if (use != nullptr && workload_.buffers[use->buffer].image)
            values.emplace_back(
                DescriptorArg{place_words(image_descriptor(*workload_.buffers[use->buffer].image,
                                                           addresses_[use->buffer])),
                              false});
        else if (const auto* sampler = std::get_if<SamplerShape>(&arg.value))
            values.emplace_back(DescriptorArg{place_words(sampler_descriptor(*sampler)), true});
        else if (use != nullptr)
            values.emplace_back(
                BufferArg{addresses_[use->buffer], workload_.buffers[use->buffer].data.size()});
        else if (const auto* scalar = std::get_if<ScalarSpec>(&arg.value))
            values.emplace_back(ScalarArg{
                scalar->bytes, is_real(scalar->type) ? ArgNumber::Real : ArgNumber::Integer});
        else if (const auto* value = std::get_if<ValueSpec>(&arg.value))
            values.emplace_back(ScalarArg{read_bytes(value->data), ArgNumber::Unknown});
        else if (const auto* local = std::get_if<LocalSpec>(&arg.value))
            values.emplace_back(LocalArg{local->bytes});
        else
            values.emplace_back(BufferArg{});
    }
    return values;
}

void KernelHost::place() {
    addresses_.resize(workload_.buffers.size());
    for (size_t i = 0; i < kernels_.size(); ++i) {
        place_buffers(*specs_[i]);
        try {
            kernels_[i]->place(values_of(*specs_[i]));
        } catch (const ArgumentError& error) {
            throw std::runtime_error(specs_[i]->args.at(error.number()).source.to_string() + ": " +
                                     error.what());
        } catch (const CodeObjectError& error) {
            throw std::runtime_error(specs_[i]->source.to_string() + ": " + error.what());
        }
    }
    placed_ = true;
}

uint64_t KernelHost::groups(size_t kernel) const {
    const auto& [x, y, z] = kernels_.at(kernel)->launch().groups;
    return uint64_t{x} * y * z;
}

// A dimension has full groups, and a smaller one at its end when the size is no multiple.
uint64_t KernelHost::waves(size_t kernel) const {
    const KernelLaunch& launch = kernels_.at(kernel)->launch();
    uint64_t waves = 0;
    for (unsigned smaller = 0; smaller < 8; ++smaller) {
        uint64_t groups = 1, threads = 1;
        for (unsigned i = 0; i < 3; ++i) {
            const uint32_t rest = specs_[kernel]->global_size[i] % launch.local_size[i];
            const bool last = (smaller >> i & 1) != 0;
            groups *= last ? (rest != 0 ? 1 : 0) : launch.groups[i] - (rest != 0 ? 1 : 0);
            threads *= last ? rest : launch.local_size[i];
        }
        waves += groups * ((threads + isa::kLanes - 1) / isa::kLanes);
    }
    return waves;
}

void KernelHost::launch(size_t kernel, uint32_t done, uint32_t times) {
    if (times == 0)
        return;
    KernelLaunch& launch = kernels_.at(kernel)->launch();
    const KernelSync sync = specs_[kernel]->sync;
    launch.sync = sync;
    launch.first = kernel == 0 && done == 0 ? KernelSync::All : sync;
    launch.waits = driver_.pending(kKernelRing) && sync != KernelSync::None;
    driver_.launch(kKernelRing, launch, times);
}

void KernelHost::launch_rest(size_t kernel) {
    KernelLaunch& launch = kernels_.at(kernel)->launch();
    launch.first = KernelSync::None;
    launch.waits = false;
    driver_.launch(kKernelRing, launch, 1);
}

bool KernelHost::is_used_after(size_t kernel, unsigned buffer) const {
    return last_use_.at(buffer).first > kernel;
}

std::optional<uint64_t> KernelHost::written_beyond(unsigned buffer) const {
    const uint64_t size = workload_.buffers[buffer].data.size();
    std::vector<uint8_t> now(bytes_beyond(size));
    if (now.empty() || !machine_.memory().read(address(buffer) + size, now.data(), now.size()))
        return std::nullopt;
    const auto [changed, expected] = std::mismatch(now.begin(), now.end(), kBeyond.begin());
    return changed != now.end() ? std::optional<uint64_t>(size + (changed - now.begin()))
                                : std::nullopt;
}

std::string KernelHost::printed(size_t kernel) {
    std::istringstream lines(placed_ ? kernels_.at(kernel)->printed() : std::string());
    std::string text;
    for (std::string line; std::getline(lines, line);)
        text += kernels_[kernel]->loaded().name + ": " + line + "\n";
    return text;
}

LoadedKernels KernelHost::loaded() const {
    LoadedKernels out;
    if (placed_)
        for (const auto& kernel : kernels_)
            if (out.name(kernel->launch().code).empty())
                out.add(kernel->launch().code, kernel->loaded());
    return out;
}

std::string KernelHost::describe(const cu::AccessFault& fault) const {
    const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const auto& kernel) {
        return kernel->launch().code == fault.program;
    });
    if (!placed_ || found == kernels_.end())
        return "";
    const auto number = static_cast<size_t>(found - kernels_.begin());
    std::vector<BufferPlace> buffers;
    for_each_use(*specs_[number], [&](unsigned buffer, size_t argument) {
        buffers.push_back({argument, (*found)->argument_name(argument), addresses_[buffer],
                           workload_.buffers[buffer].data.size()});
    });
    const std::string near = nearest_argument(fault.address, buffers);
    std::string text = near.empty() ? "" : "; " + near;
    if (fault.item)
        text += "; work-item " + work_item(number, fault.group, *fault.item);
    if (const auto line = (*found)->source_line(fault.pc))
        text += fmt::format(" at {}:{}", line->file, line->line);
    return text;
}

// Groups and their items are numbered x fastest; the last group of a dimension may be partial.
std::string KernelHost::work_item(size_t kernel, uint32_t group, uint32_t item) const {
    const KernelSpec& spec = *specs_[kernel];
    const KernelLaunch& launch = std::as_const(*kernels_[kernel]).launch();
    std::array<uint64_t, 3> id{};
    for (size_t i = 0; i < id.size(); ++i) {
        const uint64_t first = uint64_t{group % launch.groups[i]} * launch.local_size[i];
        const uint64_t size = std::min<uint64_t>(launch.local_size[i], spec.global_size[i] - first);
        id[i] = spec.global_offset[i] + first + item % size;
        group /= launch.groups[i];
        item = static_cast<uint32_t>(item / size);
    }
    return fmt::format("({}, {}, {})", id[0], id[1], id[2]);
}

std::string KernelHost::argument(size_t kernel, size_t number) const {
    const std::string name = kernels_.at(kernel)->argument_name(number);
    return fmt::format("argument {}", number) + (name.empty() ? "" : " `" + name + "`");
}

void KernelHost::archive(Archive& a) {
    a(placed_, addresses_);
    for (const auto& kernel : kernels_)
        kernel->archive(a);
}

}  // namespace archipelago::host
