// SPDX-License-Identifier: Apache-2.0
// The build options of a kernel: how users write them, what compilers get, what is refused.
#include "testbenches/host/code_object/build_options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "testbenches/host/code_object/code_object.h"
#include "testbenches/host/code_object/compiler.h"
#include "testbenches/support/scratch.h"

namespace archipelago::host {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

BuildOptions read(const std::vector<std::string>& texts, SourceKind kind = SourceKind::OpenCl) {
    BuildOptionReader reader(kind, {});
    for (const std::string& text : texts)
        EXPECT_EQ(reader.add(text), std::nullopt) << text;
    EXPECT_EQ(reader.finish(), std::nullopt);
    return reader.options();
}

std::string fault_of(const std::vector<std::string>& texts, SourceKind kind = SourceKind::OpenCl) {
    BuildOptionReader reader(kind, {});
    for (const std::string& text : texts)
        if (const auto fault = reader.add(text))
            return *fault;
    return reader.finish().value_or("");
}

TEST(BuildOptionsOfKernels, AreReadInAllTheWaysInWhichUsersWriteThem) {
    EXPECT_THAT(read({"-DA=1", "-D B=2", "-D", "C=3", "-DD -U E -cl-mad-enable"}),
                ElementsAre("-DA=1", "-DB=2", "-DC=3", "-DD", "-UE", "-cl-mad-enable"));
    EXPECT_THAT(read({"-DT=unsigned int", "-D\"V=a  b\"", "'-DW=x y'", "-DS=\\\"s\\\""}),
                ElementsAre("-DT=unsigned int", "-DV=a  b", "-DW=x y", "-DS=\"s\""));
    EXPECT_THAT(read({"", "-DF(a, b)=a+b", "-DNEGATIVE=-1"}),
                ElementsAre("-DF(a, b)=a+b", "-DNEGATIVE=-1"));
}

TEST(BuildOptionsOfKernels, QuotedOnesAreReadBack) {
    for (const char* option : {"-DA=1", "-DT=unsigned int", "-DS=\"it's\"", "-DB=a  -b"})
        EXPECT_THAT(read({quoted_option(option)}), ElementsAre(option));
}

TEST(BuildOptionsOfKernels, FoldersAreRelativeToTheFileThatNamesThem) {
    const Scratch scratch;
    std::filesystem::create_directory(scratch.path() / "my headers");
    scratch.write("first.h", "");
    BuildOptionReader reader(SourceKind::OpenCl, scratch.path());
    EXPECT_EQ(reader.add("-Imy headers -include first.h"), std::nullopt);
    EXPECT_THAT(reader.options(), ElementsAre("-I" + (scratch.path() / "my headers").string(),
                                              "-include" + (scratch.path() / "first.h").string()));
    EXPECT_THAT(*reader.add("-I none"),
                HasSubstr("no folder " + (scratch.path() / "none").string()));
    EXPECT_THAT(*reader.add("-include none.h"), HasSubstr("no file "));
}

TEST(BuildOptionsOfKernels, WhatTheModelChoosesItselfIsRefused) {
    for (const char* option :
         {"-target x86_64", "--target=x86_64", "-mcpu=gfx900", "-o out", "-c", "-S", "-E", "-x c",
          "-emit-llvm", "-Wl,-r", "-mllvm", "-Xclang", "-fsyntax-only"})
        EXPECT_THAT(fault_of({option}), HasSubstr("are the model's")) << option;
}

TEST(BuildOptionsOfKernels, WhatTheCompilerDoesNotKnowIsRefused) {
    EXPECT_THAT(fault_of({"-cl-mad-enabel"}), HasSubstr("did you mean \"-cl-mad-enable\"?"));
    EXPECT_THAT(fault_of({"-cl-std=CL9"}), HasSubstr("unknown option"));
    EXPECT_THAT(fault_of({"-cl-nv-verbose"}), HasSubstr("unknown option"));
    EXPECT_THAT(fault_of({"TILE=8"}), HasSubstr("\"TILE=8\" is no option"));
    EXPECT_THAT(fault_of({"-DA=1", "TILE=8"}), HasSubstr("\"TILE=8\" is no option"));
    EXPECT_THAT(fault_of({"-D8=8"}), HasSubstr("expected a name or NAME=VALUE"));
    EXPECT_THAT(fault_of({"-UA=1"}), HasSubstr("expected a name"));
    EXPECT_THAT(fault_of({"-DA=1", "-D"}), HasSubstr("\"-D\" has no value"));
    EXPECT_THAT(fault_of({"-DA='1"}), HasSubstr("quote"));
    EXPECT_THAT(fault_of({"-DA='1\n2'"}), HasSubstr("line's end"));
}

TEST(BuildOptionsOfKernels, AssemblyTakesIntegersAndFolders) {
    EXPECT_THAT(assembler_words(read({"-D N=0x10", "-DM", "-I."}, SourceKind::Assembly)),
                ElementsAre("--defsym=N=0x10", "--defsym=M=1", "-I."));
    EXPECT_THAT(fault_of({"-DN=x"}, SourceKind::Assembly), HasSubstr("integer"));
    for (const char* option : {"-UN", "-O2", "-include x", "-cl-mad-enable"})
        EXPECT_THAT(fault_of({option}, SourceKind::Assembly),
                    HasSubstr("-D NAME=INTEGER and -I FOLDER"))
            << option;
    EXPECT_THAT(fault_of({"-DN"}, SourceKind::Object), HasSubstr("compiled already"));
}

class BuildOptionsCompiled : public ::testing::Test {
  protected:
    void SetUp() override {
        if (find_toolchain().clang.empty() || find_toolchain().libclc.empty())
            GTEST_SKIP() << "no clang or no libclc";
    }
    const Scratch scratch_;
};

// Names of parameters of OpenCL's own functions, and of the header's: a definition spares them.
TEST_F(BuildOptionsCompiled, DefinitionsHoldInTheSourceAlone) {
    const auto source =
        scratch_.write("a.cl",
                       "#if x + T + get_global_id(2) != 9\n#error\n#endif\n"
                       "kernel void f(global int* p) { p[get_local_id(0)] = a; }\n");
    CompileOptions options;
    options.build = read({"-Dx=3", "-DT=4", "-Dget_global_id(d)=d", "-Da=5"});
    EXPECT_FALSE(compile_opencl(source, options).empty());
}

TEST_F(BuildOptionsCompiled, TheLastDefinitionWinsAndMessagesNameTheOptions) {
    const auto source = scratch_.write("a.cl",
                                       "#if N != 2 || defined M\n#error\n#endif\n"
                                       "kernel void f(global int* p) { *p = V; }\n");
    CompileOptions options;
    options.build = read({"-DN=1", "-DM", "-DN=2", "-UM", "-DV=1"});
    std::string diagnostics;
    EXPECT_FALSE(compile_opencl(source, options, &diagnostics).empty());
    EXPECT_EQ(diagnostics, "");
    options.build.back() = "-DV=q";
    try {
        compile_opencl(source, options);
        FAIL() << "compiled";
    } catch (const CodeObjectError& error) {
        EXPECT_THAT(error.what(), HasSubstr("options:"));
        EXPECT_THAT(error.what(), HasSubstr("undeclared identifier 'q'"));
    }
}

TEST_F(BuildOptionsCompiled, IncludedFilesAreThoseOfTheOptions) {
    std::filesystem::create_directory(scratch_.path() / "include");
    const std::string header = scratch_.write("include/a.h", "").string();
    const std::string text = scratch_.write("include/a.inc", "").string();
    BuildOptionReader folder(SourceKind::OpenCl, scratch_.path());
    EXPECT_EQ(folder.add("-Iinclude -DNAME=<a.h>"), std::nullopt);
    const auto source = scratch_.write("a.cl", "#include NAME\n");
    EXPECT_THAT(included_files(source, folder.options()), ElementsAre(source.string(), header));
    const auto listing = scratch_.write("a.s", ".include \"a.inc\"\n");
    EXPECT_THAT(included_files(listing, {"-I" + (scratch_.path() / "include").string()}),
                ElementsAre(text));
}

}  // namespace
}  // namespace archipelago::host
