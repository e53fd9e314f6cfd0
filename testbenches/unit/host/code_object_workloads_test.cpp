// SPDX-License-Identifier: Apache-2.0
// The real toolchain: every shipped workload compiles, loads and can be planned; objects from clang
// survive damage; the compiler's own messages reach the user.
#include <gmock/gmock.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "testbenches/host/code_object/compiler.h"
#include "testbenches/host/code_object/dispatch.h"
#include "testbenches/support/scratch.h"
#include "workload_files.h"

namespace archipelago::host {
namespace {

namespace fs = std::filesystem;
using archipelago::test::Scratch;
using ::testing::HasSubstr;

const fs::path kWorkloads = fs::path(ARCHIPELAGO_SOURCE_DIR) / "testbenches" / "workloads";

std::string missing_tool() {
    const Toolchain tools = find_toolchain();
    if (tools.clang.empty())
        return "clang";
    if (tools.llvm_mc.empty())
        return "llvm-mc";
    if (tools.lld.empty())
        return "ld.lld";
    return tools.libclc.empty() ? "libclc (amdgcn--amdhsa.bc)" : "";
}

class CodeObjectToolchain : public ::testing::Test {
  protected:
    void SetUp() override {
        if (const std::string tool = missing_tool(); !tool.empty())
            GTEST_SKIP() << tool << " is not installed";
    }
};

std::string error_of(const fs::path& source) {
    try {
        load_code_object_file(source);
    } catch (const CodeObjectError& error) {
        return error.what();
    }
    return "no error";
}

ArgValue value_of(const Arg& arg) {
    if (const auto* scalar = std::get_if<ScalarSpec>(&arg.value))
        return ScalarArg{scalar->bytes};
    if (const auto* local = std::get_if<LocalSpec>(&arg.value))
        return LocalArg{local->bytes};
    return BufferArg{0x100000};
}

TEST_F(CodeObjectToolchain, EveryWorkloadCompilesCleanlyAndCanBePlanned) {
    unsigned count = 0;
    for (const auto& entry : fs::directory_iterator(kWorkloads)) {
        if (entry.path().extension() != ".yaml")
            continue;
        SCOPED_TRACE(entry.path().filename().string());
        config::Diagnostics faults;
        const std::optional<Workload> workload =
            load_workload(entry.path().string(), test::test_chip, faults);
        ASSERT_TRUE(workload) << faults.format();
        if (!workload->kernel)
            continue;
        ++count;
        const KernelSpec& kernel = *workload->kernel;
        std::string diagnostics;
        const CodeObject object = load_code_object_file(kernel.code, &diagnostics);
        EXPECT_EQ(diagnostics, "");
        ASSERT_TRUE(kernel.local_size);
        LaunchGeometry geometry;
        geometry.global_size = kernel.global_size;
        geometry.local_size = *kernel.local_size;
        std::vector<ArgValue> args;
        bool expects = false;
        for (const Arg& arg : kernel.args) {
            args.push_back(value_of(arg));
            const auto* buffer = std::get_if<BufferUse>(&arg.value);
            if (buffer == nullptr || !buffer->expect)
                continue;
            expects = true;
            EXPECT_EQ(buffer->expect->expected.size(),
                      workload->buffers[buffer->buffer].data.size());
        }
        EXPECT_TRUE(expects) << "a workload that checks nothing";
        const DispatchPlan plan = plan_dispatch(object, object.kernel(kernel.name), args, geometry);
        EXPECT_EQ(plan.entry_offset % 256, 0u);
        EXPECT_EQ(make_user_sgprs(plan, {}).size(), plan.user_sgpr_count);
    }
    EXPECT_GE(count, 30u);
}

TEST_F(CodeObjectToolchain, KernelArgumentsHaveTheNamesOfTheSource) {
    const CodeObject object = load_code_object_file(kWorkloads / "saxpy.cl");
    const std::vector<KernelArg>& args = object.kernel("saxpy").metadata.args;
    ASSERT_GE(args.size(), 6u);
    EXPECT_EQ(args[0].name, "y");
    EXPECT_EQ(args[2].name, "a");
    EXPECT_EQ(args[2].type_name, "float");
    EXPECT_EQ(args[3].value_kind, "hidden_global_offset_x");
}

TEST_F(CodeObjectToolchain, ConstantTablesAreRelocated) {
    const CodeObject object = load_code_object_file(kWorkloads / "crc32.cl");
    ASSERT_EQ(object.image.relocations.size(), 2u);
    constexpr uint64_t kBase = 0x400000000;
    const std::vector<uint8_t> image = object.image_at(kBase);
    // Both table addresses must point at tables: 0 first in each; then 0x1db71064 (the CRC of
    // nibble 1) in one and 1 in the other.
    std::vector<uint64_t> second;
    for (const ElfRelocation& r : object.image.relocations) {
        const uint64_t address = load_le(image.data() + r.offset, 8);
        ASSERT_GE(address, kBase);
        ASSERT_LE(address - kBase + 8, image.size());
        EXPECT_EQ(load_le(image.data() + (address - kBase), 4), 0u);
        second.push_back(load_le(image.data() + (address - kBase) + 4, 4));
    }
    std::sort(second.begin(), second.end());
    EXPECT_THAT(second, ::testing::ElementsAre(1u, 0x1db71064u));
}

TEST_F(CodeObjectToolchain, AnObjectOnDiskLoadsLikeItsSource) {
    const Scratch scratch;
    const std::vector<uint8_t> bytes = compile_opencl(kWorkloads / "saxpy.cl");
    scratch.write("saxpy.hsaco", {bytes.begin(), bytes.end()});
    const CodeObject object = load_code_object_file(scratch.path() / "saxpy.hsaco");
    EXPECT_EQ(object.image.bytes, load_code_object_file(kWorkloads / "saxpy.cl").image.bytes)
        << "compiling twice gives the same bytes";
}

TEST_F(CodeObjectToolchain, WorkDimensionAndOffsetsComeFromTheAbi) {
    const Scratch scratch;
    const fs::path source = scratch.write(
        "ids.cl",
        "kernel void ids(global ulong* o) { o[0] = get_work_dim(); o[1] = get_global_offset(1); }");
    const CodeObject object = load_code_object_file(source);
    const Kernel& kernel = object.kernel("ids");
    const bool packet =
        std::any_of(kernel.descriptor.user_sgprs.begin(), kernel.descriptor.user_sgprs.end(),
                    [](const UserSgpr& s) { return s.kind == UserSgprKind::DispatchPtr; });
    EXPECT_TRUE(packet) << "the dimension is in the dispatch packet";
    LaunchGeometry geometry;
    geometry.global_offset[1] = 0x123456789a;
    const KernargSegment segment = build_kernarg(object, kernel, {BufferArg{1}}, geometry);
    EXPECT_EQ(load_le(segment.bytes.data() + 16, 8), 0x123456789au);
}

TEST_F(CodeObjectToolchain, CompilerMessagesReachTheUser) {
    const Scratch scratch;
    const fs::path broken =
        scratch.write("broken.cl", "kernel void f(global int* p) { *p = q; }\n");
    EXPECT_THAT(error_of(broken), HasSubstr("broken.cl"));
    EXPECT_THAT(error_of(broken), HasSubstr("use of undeclared identifier 'q'"));
    const fs::path listing = scratch.write("broken.s", "  v_frobnicate_b32 v0, v1\n");
    EXPECT_THAT(error_of(listing), HasSubstr("broken.s:1:3: error: invalid instruction"));
    const fs::path undefined =
        scratch.write("undefined.cl", "int g(int); kernel void f(global int* p) { *p = g(*p); }\n");
    EXPECT_THAT(error_of(undefined), HasSubstr("undefined"));
    std::string diagnostics;
    load_code_object_file(scratch.write("warn.cl", "#warning careful\nkernel void f() {}\n"),
                          &diagnostics);
    EXPECT_THAT(diagnostics, HasSubstr("careful"));
}

TEST_F(CodeObjectToolchain, FlagsAreForwardedAndNeverGoThroughAShell) {
    const Scratch scratch;
    const fs::path source =
        scratch.write("a $(touch pwned) 'b.cl", "kernel void f(global int* p) { *p = N; }\n");
    CompileOptions options;
    options.flags = {"-DN=7"};
    EXPECT_EQ(load_code_object(compile_opencl(source, options), "f").kernels.size(), 1u);
    EXPECT_FALSE(fs::exists("pwned"));
    options.cpu = "gfx900";
    const std::vector<uint8_t> other = compile_opencl(source, options = {"gfx900", {"-DN=7"}});
    EXPECT_THROW(load_code_object(other, "f"), CodeObjectError);
}

TEST_F(CodeObjectToolchain, LeavesNoTemporaryFiles) {
    const Scratch scratch;
    ASSERT_EQ(setenv("TMPDIR", scratch.path().c_str(), 1), 0);
    compile_opencl(kWorkloads / "saxpy.cl");
    assemble(kWorkloads / "saxpy_asm.s");
    const std::string failed = error_of(scratch.write("broken.cl", "int int;\n"));
    EXPECT_NE(failed, "no error");
    unsetenv("TMPDIR");
    EXPECT_EQ(std::distance(fs::directory_iterator(scratch.path()), {}), 1) << "only broken.cl";
}

TEST_F(CodeObjectToolchain, LinesOfAssemblyAreThoseOfItsInstructions) {
    const CodeObject object =
        load_code_object_file(kWorkloads / "saxpy_asm.s", nullptr, DebugLines::Read);
    std::ifstream text(kWorkloads / "saxpy_asm.s");
    std::vector<std::string> lines{""};  // from 1
    for (std::string line; std::getline(text, line);)
        lines.push_back(line);
    const uint64_t entry = object.kernel("").entry_offset;
    const auto line_at = [&](uint64_t address) {
        const std::optional<SourceLine> line = object.lines.find(address);
        return line ? lines.at(line->line) : "";
    };
    EXPECT_THAT(line_at(entry), HasSubstr("s_load_dwordx4"));
    EXPECT_THAT(line_at(entry + 4), HasSubstr("s_load_dword s3"));
    EXPECT_THAT(line_at(entry + 8), HasSubstr("s_lshl_b32"));
    EXPECT_THAT(object.lines.find(entry)->file, HasSubstr("saxpy_asm.s"));
    EXPECT_FALSE(object.lines.find(entry - 4));
    EXPECT_FALSE(object.lines.find(entry + 0x1000));
    EXPECT_TRUE(load_code_object_file(kWorkloads / "saxpy_asm.s").lines.empty());
}

// Bytes of the executable segments, and where they are.
std::vector<std::pair<uint64_t, std::vector<uint8_t>>> code_of(const CodeObject& object) {
    std::vector<std::pair<uint64_t, std::vector<uint8_t>>> code;
    for (const ElfSegment& segment : object.image.segments) {
        if (!segment.executable)
            continue;
        const auto begin = object.image.bytes.begin() + static_cast<std::ptrdiff_t>(segment.offset);
        code.emplace_back(
            segment.offset,
            std::vector<uint8_t>(begin, begin + static_cast<std::ptrdiff_t>(segment.size)));
    }
    return code;
}

TEST_F(CodeObjectToolchain, LineTablesChangeNoCode) {
    for (const char* source : {"matmul.cl", "nbody.cl", "function_calls.cl", "saxpy_asm.s"}) {
        const CodeObject plain = load_code_object_file(kWorkloads / source);
        const CodeObject lines =
            load_code_object_file(kWorkloads / source, nullptr, DebugLines::Read);
        EXPECT_FALSE(code_of(plain).empty());
        EXPECT_TRUE(code_of(plain) == code_of(lines)) << source;
        EXPECT_TRUE(lines.lines.find(lines.kernels.front().entry_offset)) << source;
    }
}

TEST_F(CodeObjectToolchain, LineTablesSurviveDamage) {
    const std::vector<uint8_t> whole = assemble(kWorkloads / "saxpy_asm.s", {"gfx600", {"-g"}});
    unsigned whole_tables = 0;
    for (size_t i = 0; i < whole.size(); ++i) {
        std::vector<uint8_t> bytes = whole;
        bytes[i] ^= static_cast<uint8_t>(1u << (i % 8));
        try {
            whole_tables += LineTable::read(bytes, 0, "f").empty() ? 0 : 1;
        } catch (const CodeObjectError&) {
        }
    }
    EXPECT_GT(whole_tables, 100u);
    for (size_t size = 0; size < whole.size(); size += 16)
        try {
            LineTable::read({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}, 0, "f");
        } catch (const CodeObjectError&) {
        }
}

TEST_F(CodeObjectToolchain, ObjectsFromClangSurviveDamage) {
    const std::vector<uint8_t> whole = compile_opencl(kWorkloads / "crc32.cl");
    const auto survives = [](const std::vector<uint8_t>& bytes) {
        try {
            const CodeObject object = load_code_object(bytes, "f");
            object.image_at(0x100000);
            for (const Kernel& kernel : object.kernels)
                plan_dispatch(object, kernel, {BufferArg{1}, BufferArg{2}, scalar_arg(0u)}, {});
            return true;
        } catch (const CodeObjectError&) {
            return false;
        }
    };
    ASSERT_TRUE(survives(whole));
    for (size_t size = 0; size < whole.size(); size += 64)
        EXPECT_FALSE(survives({whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size)}))
            << size;
    unsigned refused = 0;
    for (size_t i = 0; i < whole.size(); ++i)
        for (unsigned bit = 0; bit < 8; ++bit) {
            std::vector<uint8_t> bytes = whole;
            bytes[i] ^= static_cast<uint8_t>(1u << bit);
            refused += survives(bytes) ? 0 : 1;
        }
    EXPECT_GT(refused, 500u);
}

TEST(CodeObjectTools, MissingOnesAreNamed) {
    const Scratch scratch;
    const fs::path source = scratch.write("k.cl", "kernel void k() {}\n");
    ASSERT_EQ(setenv("ARCHIPELAGO_CLANG", "/nowhere/clang-99", 1), 0);
    std::string message, tool;
    try {
        compile_opencl(source);
    } catch (const ToolMissingError& error) {
        message = error.what();
        tool = error.tool();
    }
    unsetenv("ARCHIPELAGO_CLANG");
    EXPECT_EQ(tool, "clang");
    EXPECT_THAT(message, HasSubstr("k.cl: clang not found (looked for /nowhere/clang-99)"));
    ASSERT_EQ(setenv("ARCHIPELAGO_LLVM_MC", "/nowhere/llvm-mc", 1), 0);
    EXPECT_THROW(assemble(source), ToolMissingError);
    unsetenv("ARCHIPELAGO_LLVM_MC");
}

TEST(CodeObjectTools, MissingFilesAreNamed) {
    EXPECT_THAT(error_of("/nowhere/k.cl"), HasSubstr("/nowhere/k.cl: no such file"));
    EXPECT_THAT(error_of("/nowhere/k.s"), HasSubstr("/nowhere/k.s: no such file"));
    EXPECT_THAT(error_of("/nowhere/k.hsaco"), HasSubstr("/nowhere/k.hsaco: cannot be opened"));
}

}  // namespace
}  // namespace archipelago::host
