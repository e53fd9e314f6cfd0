// SPDX-License-Identifier: Apache-2.0
#include "testbenches/host/code_object/metadata.h"

#include "testbenches/host/code_object/kernel_descriptor.h"
#include "testbenches/host/code_object/msgpack.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

using nlohmann::json;

// A map of the metadata together with its path, so that every error can say where it is.
class Node {
  public:
    Node(const json& value, std::string file, std::string path)
        : value_(value), file_(std::move(file)), path_(std::move(path)) {
        if (!value_.is_object())
            fail("", "is not a map");
    }

    template <class... Arguments>
    [[noreturn]] void fail(const std::string& key, fmt::format_string<Arguments...> reason,
                           Arguments&&... arguments) const {
        refuse(fmt::format("{}: metadata {}{}", file_, path_, key), reason,
               std::forward<Arguments>(arguments)...);
    }

    bool has(const std::string& key) const { return value_.contains(key); }

    const json& at(const std::string& key) const {
        const auto found = value_.find(key);
        if (found == value_.end())
            fail(key, "is missing");
        return *found;
    }

    uint32_t number(const std::string& key) const { return number_in(key, at(key)); }
    uint32_t number(const std::string& key, uint32_t otherwise) const {
        return has(key) ? number(key) : otherwise;
    }

    std::string text(const std::string& key) const {
        const json& value = at(key);
        if (!value.is_string())
            fail(key, "is not a string");
        return value.get<std::string>();
    }
    std::string text(const std::string& key, const std::string& otherwise) const {
        return has(key) ? text(key) : otherwise;
    }

    bool flag(const std::string& key) const {
        if (!has(key))
            return false;
        if (!at(key).is_boolean())
            fail(key, "is not a boolean");
        return at(key).get<bool>();
    }

    template <size_t N>
    std::array<uint32_t, N> numbers(const std::string& key) const {
        const json& value = list(key);
        if (value.size() != N)
            fail(key, "has {} items, expected {}", value.size(), N);
        std::array<uint32_t, N> out{};
        for (size_t i = 0; i < N; ++i)
            out[i] = number_in(fmt::format("{}[{}]", key, i), value[i]);
        return out;
    }

    const json& list(const std::string& key) const {
        const json& value = at(key);
        if (!value.is_array())
            fail(key, "is not an array");
        return value;
    }

    Node child(const std::string& key, size_t index) const {
        return {list(key)[index], file_, fmt::format("{}{}[{}]", path_, key, index)};
    }

  private:
    uint32_t number_in(const std::string& key, const json& value) const {
        if (!value.is_number_integer() || value.is_number_float())
            fail(key, "is not an integer");
        const bool negative = !value.is_number_unsigned() && value.get<int64_t>() < 0;
        if (negative || value.get<uint64_t>() > UINT32_MAX)
            fail(key, "{} is not in 0..4294967295", value.dump());
        return static_cast<uint32_t>(value.get<uint64_t>());
    }

    const json& value_;
    std::string file_;
    std::string path_;
};

// Of a type of OpenCL C or a vector of one; unknown for structures and names of the program's own.
ArgNumber number_of_type(const std::string& name) {
    const std::string element = name.substr(0, name.find_last_not_of("0123456789") + 1);
    for (const char* const real : {"half", "float", "double"})
        if (element == real)
            return ArgNumber::Real;
    for (const char* const integer : {"char", "uchar", "short", "ushort", "int", "uint", "long",
                                      "ulong", "size_t", "ptrdiff_t", "intptr_t", "uintptr_t"})
        if (element == integer)
            return ArgNumber::Integer;
    return ArgNumber::Unknown;
}

KernelArg read_arg(const Node& node) {
    KernelArg arg;
    arg.name = node.text(".name", "");
    arg.type_name = node.text(".type_name", "");
    arg.value_kind = node.text(".value_kind");
    arg.offset = node.number(".offset");
    arg.size = node.number(".size");
    arg.pointee_align = node.number(".pointee_align", 0);
    arg.address_space = node.text(".address_space", "");
    arg.is_const = node.flag(".is_const");
    if (arg.value_kind == "by_value")
        arg.number = number_of_type(arg.type_name);
    if (arg.size == 0)
        node.fail(".size", "is 0");
    const bool power_of_two = (arg.pointee_align & (arg.pointee_align - 1)) == 0;
    if (!power_of_two)
        node.fail(".pointee_align", "{} is not a power of two", arg.pointee_align);
    return arg;
}

void check_args(const Node& node, const KernelMetadata& kernel) {
    uint64_t end = 0;
    for (size_t i = 0; i < kernel.args.size(); ++i) {
        const KernelArg& arg = kernel.args[i];
        const uint64_t arg_end = uint64_t{arg.offset} + arg.size;
        if (arg.offset < end)
            node.fail(fmt::format(".args[{}].offset", i),
                      "{} is inside the argument before it, which ends at {}", arg.offset, end);
        if (arg_end > kernel.kernarg_segment_size)
            node.fail(fmt::format(".args[{}]", i), "ends at {}, beyond .kernarg_segment_size {}",
                      arg_end, kernel.kernarg_segment_size);
        end = arg_end;
    }
}

KernelMetadata read_kernel(const Node& node) {
    KernelMetadata kernel;
    kernel.name = node.text(".name");
    kernel.symbol = node.text(".symbol");
    kernel.language = node.text(".language", "");
    if (node.has(".language_version"))
        kernel.language_version = node.numbers<2>(".language_version");
    kernel.kernarg_segment_size = node.number(".kernarg_segment_size");
    kernel.kernarg_segment_align = node.number(".kernarg_segment_align");
    kernel.group_segment_fixed_size = node.number(".group_segment_fixed_size");
    kernel.private_segment_fixed_size = node.number(".private_segment_fixed_size");
    kernel.wavefront_size = node.number(".wavefront_size");
    kernel.sgpr_count = node.number(".sgpr_count");
    kernel.vgpr_count = node.number(".vgpr_count");
    kernel.max_flat_workgroup_size = node.number(".max_flat_workgroup_size");
    if (node.has(".reqd_workgroup_size"))
        kernel.reqd_workgroup_size = node.numbers<3>(".reqd_workgroup_size");
    kernel.uses_dynamic_stack = node.flag(".uses_dynamic_stack");
    if (node.has(".args"))
        for (size_t i = 0; i < node.list(".args").size(); ++i)
            kernel.args.push_back(read_arg(node.child(".args", i)));
    if (kernel.wavefront_size != 64)
        node.fail(".wavefront_size", "{} is not 64", kernel.wavefront_size);
    const uint32_t align = kernel.kernarg_segment_align;
    if (align == 0 || (align & (align - 1)) != 0 || align > 4096)
        node.fail(".kernarg_segment_align", "{} is not a power of two up to 4096", align);
    if (kernel.kernarg_segment_size > kMaxKernarg)
        node.fail(".kernarg_segment_size", "{} exceeds {}", kernel.kernarg_segment_size,
                  kMaxKernarg);
    check_args(node, kernel);
    return kernel;
}

}  // namespace

Metadata read_metadata(const std::vector<uint8_t>& note, const std::string& file, uint64_t offset) {
    const json root = read_msgpack(note, file + ": NT_AMDGPU_METADATA", offset);
    const Node node(root, file, "");
    Metadata metadata;
    metadata.version = node.numbers<2>("amdhsa.version");
    if (metadata.version[0] != 1 || metadata.version[1] > 2)
        node.fail("amdhsa.version", "{}.{} is not supported (1.0 to 1.2 are)", metadata.version[0],
                  metadata.version[1]);
    metadata.target = node.text("amdhsa.target", "");
    if (node.has("amdhsa.kernels"))
        for (size_t i = 0; i < node.list("amdhsa.kernels").size(); ++i) {
            metadata.kernels.push_back(read_kernel(node.child("amdhsa.kernels", i)));
            for (size_t j = 0; j < i; ++j)
                if (metadata.kernels[j].symbol == metadata.kernels[i].symbol)
                    node.fail("amdhsa.kernels", "'{}' is described twice",
                              metadata.kernels[i].symbol);
        }
    return metadata;
}

}  // namespace archipelago::host
