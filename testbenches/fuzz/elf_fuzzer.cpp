// SPDX-License-Identifier: Apache-2.0
// Code objects: everything a host does with one up to the launch. Seeds are workloads compiled
// when the target starts, and binaries in the format of Catalyst's compiler.
#include <fstream>
#include <iterator>
#include <variant>

#include "testbenches/fuzz/fuzz_target.h"
#include "testbenches/host/code_object/compiler.h"
#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/code_object/elf_code.h"
#include "testbenches/unit/host/code_object_elf_builder.h"

namespace archipelago::fuzz {

const TargetInfo kTarget = {"elf_fuzzer", false, 12000, 6000, 0.3};

namespace {

constexpr uint64_t kImageBase = 0x10'0000'0000;

// Arguments as the metadata wants them, as a host that read it would give.
std::vector<host::ArgValue> arguments_of(const host::Kernel& kernel) {
    std::vector<host::ArgValue> values;
    for (const host::KernelArg& arg : kernel.metadata.args) {
        if (arg.value_kind.rfind("hidden_", 0) == 0)
            continue;
        if (arg.value_kind == "global_buffer" || arg.value_kind == "uav_buffer" ||
            arg.value_kind == "constant_buffer")
            values.emplace_back(host::BufferArg{0x20'0000'0000, 4096});
        else if (arg.value_kind == "dynamic_shared_pointer")
            values.emplace_back(host::LocalArg{64});
        else
            values.emplace_back(host::ScalarArg{Bytes(arg.size % 4096, 7)});
    }
    return values;
}

bool launch(const host::CodeObject& object, const host::Kernel& kernel) {
    require(kernel.entry_offset % 256 == 0 && kernel.entry_offset < object.image.bytes.size(),
            "a kernel starts in its image");
    host::LaunchGeometry geometry;
    geometry.global_size = {256, 2, 1};
    geometry.local_size =
        kernel.metadata.reqd_workgroup_size.value_or(std::array<uint32_t, 3>{64, 1, 1});
    try {
        const host::DispatchPlan plan =
            host::plan_dispatch(object, kernel, arguments_of(kernel), geometry);
        require(plan.entry_offset < object.image.bytes.size(), "an entry lies in the image");
        require(plan.group_segment_bytes <= host::kMaxGroupSegmentBytes, "LDS is limited");
        require(plan.scratch_bytes_per_wave <= host::kMaxScratchBytesPerWave, "scratch is limited");
        host::DispatchAddresses where;
        where.kernarg = 0x30'0000'0000;
        require(host::make_user_sgprs(plan, where).size() == plan.user_sgpr_count,
                "as many user SGPRs as the descriptor says");
        host::make_dispatch_packet(plan, kImageBase, where.kernarg);
        require(host::make_kernarg(plan, where).size() == plan.kernarg.size(),
                "buffers are placed within the kernarg segment");
        return true;
    } catch (const host::CodeObjectError& error) {
        require(*error.what() != '\0', "a refusal has a reason");
        return false;
    }
}

// Listings take objects a launch does not; they need no more than the code.
void read_code(const Bytes& file) {
    if (!host::is_elf(file))
        return;
    try {
        const auto sections = host::read_elf_code(file, "fuzz.hsaco");
        require(!sections.empty(), "an object without code is refused");
        uint64_t bytes = 0;
        for (const host::CodeSection& section : sections) {
            bytes += section.bytes.size();
            uint64_t last = section.address;
            for (const host::CodeLabel& label : section.labels) {
                require(label.address >= last &&
                            label.address - section.address < section.bytes.size() &&
                            label.data_bytes <=
                                section.bytes.size() - (label.address - section.address),
                        "labels lie in their section, in order");
                require(!label.name.empty(), "a label has a name");
                last = label.address;
            }
        }
        require(bytes <= file.size(), "code is part of the file");
    } catch (const host::CodeObjectError& error) {
        require(std::string(error.what()).rfind("fuzz.hsaco", 0) == 0, "a refusal names the file");
    }
}

const std::vector<Bytes>& catalyst_seeds() {
    static const std::vector<Bytes> list = [] {
        const std::string folder = ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/catalyst/";
        std::vector<Bytes> read;
        for (const char* name : {"saxpy.bin", "reduction.bin", "constants.bin"}) {
            std::ifstream file(folder + name, std::ios::binary);
            read.emplace_back(std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>());
        }
        return read;
    }();
    return list;
}

// One of Catalyst's binaries with a word of its program information or a digit of its metadata
// changed: what random bytes rarely reach.
Bytes generate_catalyst(Random& r) {
    Bytes file = r.pick(catalyst_seeds());
    for (unsigned i = r.below(3); i > 0; --i) {
        // Any text or number from the metadata on; digits stay digits mostly.
        const size_t at = 64 + r.below(static_cast<uint32_t>(file.size() - 68));
        if (file[at] >= '0' && file[at] <= '9' && !r.one_in(8))
            file[at] = static_cast<uint8_t>('0' + r.below(10));
        else if (r.one_in(2))
            file[at] = static_cast<uint8_t>(file[at] ^ 1u << r.below(8));
        else
            host::store_le(&file[at / 4 * 4], r.one_in(2) ? r.below(32) : r.word(), 4);
    }
    return file;
}

}  // namespace

bool exercise(const uint8_t* data, size_t size) {
    read_code(Bytes(data, data + size));
    try {
        const host::CodeObject object =
            host::load_code_object(Bytes(data, data + size), "fuzz.hsaco");
        require(!object.kernels.empty(), "a code object has a kernel");
        require(object.image.bytes.size() <= host::kMaxImageBytes, "an image is limited");
        bool all = object.image_at(kImageBase).size() == object.image.bytes.size();
        for (const host::Kernel& kernel : object.kernels)
            all &= launch(object, kernel);
        return all;
    } catch (const host::CodeObjectError& error) {
        require(std::string(error.what()).rfind("fuzz.hsaco", 0) == 0, "a refusal names the file");
        return false;
    }
}

std::vector<Bytes> seeds() {
    static const std::vector<Bytes> list = [] {
        const std::string folder = ARCHIPELAGO_SOURCE_DIR "/testbenches/workloads/";
        std::vector<Bytes> made;
        for (const char* name : {"saxpy.cl", "scratch.cl", "local_atomics.cl", "arg_types.cl"})
            made.push_back(host::compile_opencl(folder + name));
        made.push_back(host::assemble(folder + "saxpy_asm.s"));
        made.push_back(host::test::ElfBuilder().build());
        for (const Bytes& binary : catalyst_seeds())
            made.push_back(binary);
        return made;
    }();
    return list;
}

// A small code object with odd numbers where a compiler puts its own.
Bytes generate(Random& r) {
    if (r.one_in(3))
        return generate_catalyst(r);
    host::test::ElfBuilder b;
    const auto odd = [&](auto& field) {
        using Field = std::remove_reference_t<decltype(field)>;
        switch (r.below(3)) {
            case 0:
                field = static_cast<Field>(field ^ Field{1} << r.below(8 * sizeof(Field) - 1));
                break;
            case 1:
                field = static_cast<Field>(r.below(300));
                break;
            default:
                field = static_cast<Field>(uint64_t{r.word()} << 32 | r.word());
                break;
        }
    };
    static const std::vector<std::string> kKinds = {
        "global_buffer", "by_value", "dynamic_shared_pointer", "hidden_none",
        "sampler",       "image",    "hidden_global_offset_x", "hidden_printf_buffer"};
    for (unsigned i = r.below(3); i > 0; --i)
        switch (r.below(14)) {
            case 0:
                odd(b.group_bytes);
                b.kernel()[".group_segment_fixed_size"] = b.group_bytes;
                break;
            case 1:
                odd(b.private_bytes);
                b.kernel()[".private_segment_fixed_size"] = b.private_bytes;
                break;
            case 2:
                odd(b.kernarg_bytes);
                break;
            case 3:
                odd(b.entry);
                break;
            case 4:
                odd(b.rsrc1);
                break;
            case 5:
                odd(b.rsrc2);
                break;
            case 6:
                odd(b.properties);
                break;
            case 7:
                odd(b.text_memory_bytes);
                break;
            case 8:
                b.relocations.push_back({host::test::ElfBuilder::kData + 8 * r.below(20),
                                         r.below(16), r.below(4),
                                         static_cast<int64_t>(r.word()) - (int64_t{1} << 31)});
                break;
            case 9: {
                nlohmann::json& args = b.kernel()[".args"];
                args[r.below(static_cast<uint32_t>(args.size()))][".value_kind"] = r.pick(kKinds);
                break;
            }
            case 10: {
                nlohmann::json& args = b.kernel()[".args"];
                args[r.below(static_cast<uint32_t>(args.size()))]
                    [r.one_in(2) ? ".offset" : ".size"] = r.one_in(4) ? r.word() : r.below(32);
                break;
            }
            case 11:
                b.symbols.push_back({r.one_in(2) ? "other.kd" : "k", uint64_t{r.below(0x3000)},
                                     r.below(128), static_cast<uint8_t>(r.below(4)),
                                     static_cast<uint8_t>(r.below(3)),
                                     static_cast<uint16_t>(r.below(4))});
                break;
            case 12:
                b.raw_metadata = nlohmann::json::to_msgpack(b.metadata);
                b.raw_metadata[r.below(static_cast<uint32_t>(b.raw_metadata.size()))] =
                    static_cast<uint8_t>(r.word());
                break;
            default:
                b.kernel()[".reqd_workgroup_size"] = {r.below(300), 1 + r.below(3), 1};
                break;
        }
    return b.build();
}

}  // namespace archipelago::fuzz
