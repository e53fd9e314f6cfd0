// SPDX-License-Identifier: Apache-2.0
// The text about a kernel: one entry a line, `;key:field:field...`.
#include <algorithm>
#include <array>
#include <charconv>
#include <map>

#include "testbenches/host/code_object/catalyst.h"
#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/host/code_object/refuse.h"

namespace archipelago::host {
namespace {

constexpr size_t kMaxArguments = 1024;
constexpr uint32_t kArgumentAlign = 16;  // bytes, in constant buffer 1
constexpr uint32_t kMaxBufferId = 1023;

using Fields = std::vector<std::string>;

Fields split(const std::string& line) {
    Fields fields;
    size_t at = 1;  // after the semicolon
    while (at <= line.size()) {
        const size_t end = std::min(line.find(':', at), line.size());
        fields.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    return fields;
}

std::string printable(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return text.substr(0, 80);
}

class Text {
  public:
    Text(const std::string& where, KernelMetadata& metadata, CatalystKernel& kernel)
        : where_(where), metadata_(metadata), kernel_(kernel) {}

    CatalystText read(const std::string& text) {
        for (size_t at = 0; at < text.size();) {
            const size_t end = std::min(text.find('\n', at), text.size());
            ++line_;
            entry(text.substr(at, end - at));
            at = end + 1;
        }
        if (!began_ || !ended_)
            fail("has no {}", began_ ? "ARGEND" : "ARGSTART");
        finish();
        return result_;
    }

  private:
    template <class... Arguments>
    [[noreturn]] void fail(fmt::format_string<Arguments...> reason,
                           Arguments&&... arguments) const {
        refuse(fmt::format("{}, metadata line {}", where_, line_), reason,
               std::forward<Arguments>(arguments)...);
    }

    uint32_t number(const Fields& fields, size_t index, uint32_t most) const {
        const std::string& text = fields[index];
        uint32_t value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (text.empty() || error != std::errc() || end != text.data() + text.size() ||
            value > most)
            fail("field {} of '{}' is '{}', expected a number up to {}", index,
                 printable(fields[0]), printable(text), most);
        return value;
    }

    void need(const Fields& fields, size_t count) const {
        if (fields.size() < count)
            fail("'{}' has {} fields, expected {}", printable(fields[0]), fields.size(), count);
    }

    void entry(const std::string& line) {
        if (line.empty() || line == std::string(1, '\0'))
            return;
        if (line[0] != ';')
            fail("'{}' does not begin with a semicolon", printable(line));
        const Fields fields = split(line);
        if (ended_)
            fail("'{}' follows ARGEND", printable(line));
        using Reader = void (Text::*)(const Fields&);
        static const std::map<std::string, Reader> kReaders = {
            {"ARGSTART", &Text::start},
            {"ARGEND", &Text::end},
            {"version", &Text::version},
            {"memory", &Text::memory},
            {"value", &Text::value},
            {"pointer", &Text::pointer},
            {"cws", &Text::group_size},
            {"cbid", &Text::constants_uav},
            {"reflection", &Text::type},
            {"image", &Text::unsupported},
            {"sampler", &Text::unsupported},
            {"counter", &Text::unsupported},
            {"printf_fmt", &Text::unsupported},
            // For tools, of the compiler's own, or said elsewhere as well.
            {"device", &Text::nothing},
            {"uniqueid", &Text::nothing},
            {"function", &Text::nothing},
            {"uavid", &Text::nothing},
            {"printfid", &Text::nothing},
            {"privateid", &Text::nothing},
            {"constarg", &Text::nothing},
            {"constant", &Text::nothing},
            {"intrinsic", &Text::nothing},
            {"wsh", &Text::nothing}};
        const auto reader = kReaders.find(fields[0]);
        if (reader == kReaders.end())
            fail("unknown entry '{}'", printable(fields[0]));
        if (!began_ && fields[0] != "ARGSTART")
            fail("'{}' stands in front of ARGSTART", printable(fields[0]));
        (this->*reader->second)(fields);
    }

    void start(const Fields& fields) {
        need(fields, 2);
        if (began_ || fields[1] != "__OpenCL_" + metadata_.name + "_kernel")
            fail("ARGSTART of '{}'", printable(fields[1]));
        began_ = true;
    }
    void end(const Fields&) { ended_ = true; }
    void nothing(const Fields&) {}
    void unsupported(const Fields& fields) {
        fail(
            "'{}{}{}' is not supported: kernels with images, samplers, counters and printf are not",
            printable(fields[0]), fields.size() > 1 ? ":" : "",
            fields.size() > 1 ? printable(fields[1]) : "");
    }

    void version(const Fields& fields) {
        need(fields, 2);
        if (number(fields, 1, ~0u) != 3)
            fail("version {} is not supported, 3 is", printable(fields[1]));
    }

    void memory(const Fields& fields) {
        need(fields, 2);
        const std::string& what = fields[1];
        if (what == "datareqd") {
            result_.needs_constants = true;
        } else if (what == "64bitABI") {
            kernel_.wide = true;
        } else if (what == "hwlocal") {
            need(fields, 3);
            metadata_.group_segment_fixed_size = number(fields, 2, kMaxGroupSegmentBytes);
        } else if (what == "hwprivate" || what == "hwregion") {
            need(fields, 3);
            if (number(fields, 2, ~0u) != 0)
                fail("memory:{} of {} bytes is not supported", what, fields[2]);
        } else if (what != "uavprivate") {
            fail("unknown kind of memory '{}'", printable(what));
        }
    }

    void group_size(const Fields& fields) {
        need(fields, 4);
        std::array<uint32_t, 3> size{};
        for (size_t i = 0; i < 3; ++i)
            size[i] = number(fields, i + 1, kMaxGroupItems);
        if (size != std::array<uint32_t, 3>{})
            metadata_.reqd_workgroup_size = size;
    }

    void constants_uav(const Fields& fields) {
        need(fields, 2);
        kernel_.constants_uav = number(fields, 1, kMaxBufferId);
    }

    void type(const Fields& fields) {
        need(fields, 3);
        types_[number(fields, 1, kMaxArguments)] = printable(fields[2]);
    }

    // Bytes of an element; 0: unknown.
    static uint32_t element_bytes(const std::string& type) {
        static const std::map<std::string, uint32_t> kBytes = {
            {"i8", 1},  {"u8", 1},  {"i16", 2}, {"u16", 2},   {"i32", 4},
            {"u32", 4}, {"i64", 8}, {"u64", 8}, {"float", 4}, {"double", 8}};
        const auto found = kBytes.find(type);
        return found == kBytes.end() ? 0 : found->second;
    }

    // value:NAME:TYPE:COUNT:1:OFFSET, of structures struct:BYTES.
    void value(const Fields& fields) {
        need(fields, 6);
        KernelArg arg = argument(fields, 4, 5);
        arg.value_kind = "by_value";
        if (fields[2] == "struct") {
            arg.size = number(fields, 3, kMaxKernarg);
        } else {
            const uint32_t element = element_bytes(fields[2]);
            if (element == 0)
                fail("argument '{}': unknown type '{}'", arg.name, printable(fields[2]));
            const uint32_t count = number(fields, 3, 16);
            arg.size = element * (count == 3 ? 4 : count);
            arg.number = fields[2] == "float" || fields[2] == "double" ? ArgNumber::Real
                                                                       : ArgNumber::Integer;
            if (count != 1)
                arg.number = ArgNumber::Unknown;
        }
        if (arg.size == 0)
            fail("argument '{}' has no bytes", arg.name);
        arg.type_name = fields[2];
        metadata_.args.push_back(std::move(arg));
    }

    // pointer:NAME:TYPE:1:1:OFFSET:SPACE:BUFFER:...
    void pointer(const Fields& fields) {
        need(fields, 9);
        KernelArg arg = argument(fields, 4, 5);
        arg.type_name = printable(fields[2]) + "*";
        const std::string& space = fields[6];
        if (space == "hl") {
            arg.value_kind = "dynamic_shared_pointer";
            arg.address_space = "local";
            arg.size = 4;
        } else if (space == "uav" || space == "c" || space == "hc") {
            // Constant memory is a UAV in drivers from 13.12 on, else a constant buffer.
            arg.value_kind = space == "hc" ? "constant_buffer" : "uav_buffer";
            arg.address_space = space == "uav" ? "global" : "constant";
            arg.buffer = number(fields, 7, kMaxBufferId);
            if (space == "hc" && arg.buffer < 2)
                fail("argument '{}' is constant buffer {}, which has another purpose", arg.name,
                     arg.buffer);
            arg.size = 0;  // after 64bitABI is known
        } else {
            fail("argument '{}': unknown memory '{}'", arg.name, printable(space));
        }
        metadata_.args.push_back(std::move(arg));
    }

    KernelArg argument(const Fields& fields, size_t buffer, size_t offset) const {
        if (metadata_.args.size() >= kMaxArguments)
            fail("more than {} arguments", kMaxArguments);
        KernelArg arg;
        arg.name = printable(fields[1]);
        if (number(fields, buffer, kMaxBufferId) != 1)
            fail("argument '{}' is in constant buffer {}, expected 1", arg.name, fields[buffer]);
        arg.offset = number(fields, offset, kMaxKernarg);
        if (arg.offset % kArgumentAlign != 0)
            fail("argument '{}' is at byte {}, not a multiple of {}", arg.name, arg.offset,
                 kArgumentAlign);
        return arg;
    }

    // Sizes of pointers, and where arguments end.
    void finish() {
        uint32_t end = 0;
        for (size_t i = 0; i < metadata_.args.size(); ++i) {
            KernelArg& arg = metadata_.args[i];
            if (arg.size == 0)
                arg.size = kernel_.wide ? 8 : 4;
            if (const auto type = types_.find(static_cast<uint32_t>(i)); type != types_.end())
                arg.type_name = type->second;
            if (arg.offset < end)
                fail("argument '{}' at byte {} lies over the one before, which ends at {}",
                     arg.name, arg.offset, end);
            end = arg.offset + arg.size;
        }
        metadata_.kernarg_segment_size =
            (end + kArgumentAlign - 1) / kArgumentAlign * kArgumentAlign;
    }

    const std::string& where_;
    KernelMetadata& metadata_;
    CatalystKernel& kernel_;
    CatalystText result_;
    std::map<uint32_t, std::string> types_;  // as written in the source, by argument
    unsigned line_ = 0;
    bool began_ = false;
    bool ended_ = false;
};

}  // namespace

CatalystText read_catalyst_metadata(const std::string& text, const std::string& where,
                                    KernelMetadata& metadata, CatalystKernel& kernel) {
    return Text(where, metadata, kernel).read(text);
}

}  // namespace archipelago::host
