// SPDX-License-Identifier: Apache-2.0
// The same inputs in every run, as many as fit a few seconds. An input that crashes is kept in the
// file that is named; the libFuzzer build of the target takes it as an argument.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "testbenches/fuzz/fuzz_target.h"

namespace archipelago::fuzz {
namespace {

const Bytes* current = nullptr;
char crash_file[256];

// Only calls that are safe in a signal handler.
void keep_input(int number) {
    const auto say = [](const char* text) {
        if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
            _exit(2);
    };
    if (current != nullptr) {
        const int file = open(crash_file, O_WRONLY | O_CREAT | O_TRUNC, 0644);
        if (file >= 0 && write(file, current->data(), current->size()) >= 0) {
            say("the input is in ");
            say(crash_file);
            say("\n");
        }
    }
    std::signal(number, SIG_DFL);
    std::raise(number);
}

class FUZZ_SUITE : public ::testing::Test {
  protected:
    static void SetUpTestSuite() {
        std::snprintf(crash_file, sizeof crash_file, "%s.crash", kTarget.name);
        for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM})
            std::signal(number, keep_input);
    }
    static bool run(const Bytes& input) {
        // Exactly as long as the input, so that reading beyond it is noticed.
        const Bytes copy(input);
        current = &copy;
        const bool accepted = exercise(copy.data(), copy.size());
        current = nullptr;
        return accepted;
    }
};

TEST_F(FUZZ_SUITE, SeedsAreAccepted) {
    const std::vector<Bytes> list = seeds();
    ASSERT_GE(list.size(), 3u);
    for (size_t i = 0; i < list.size(); ++i)
        EXPECT_TRUE(run(list[i])) << "seed " << i;
}

TEST_F(FUZZ_SUITE, MutatedSeedsAreAcceptedOrRefusedInGoodOrder) {
    const std::vector<Bytes> list = seeds();
    Random random(0x5EED);
    unsigned accepted = 0;
    for (unsigned i = 0; i < kTarget.mutated; ++i)
        accepted += run(mutate(random.pick(list), random)) ? 1 : 0;
    EXPECT_GT(accepted, 0u) << "mutations destroy everything: nothing behind the checks is reached";
    EXPECT_LT(accepted, kTarget.mutated) << "nothing is ever refused";
}

TEST_F(FUZZ_SUITE, MostlyLegalInputsAreAcceptedOrRefusedInGoodOrder) {
    Random random(0xA11CE);
    unsigned accepted = 0;
    for (unsigned i = 0; i < kTarget.generated; ++i)
        accepted += run(generate(random)) ? 1 : 0;
    EXPECT_GE(accepted, kTarget.accepted_generated * kTarget.generated);
    EXPECT_LT(accepted, kTarget.generated) << "nothing is ever refused";
}

TEST_F(FUZZ_SUITE, EmptyAndTinyInputsAreRefusedOrAcceptedInGoodOrder) {
    run({});
    for (unsigned byte = 0; byte < 256; ++byte)
        run({static_cast<uint8_t>(byte)});
    SUCCEED();  // exercise() aborts otherwise
}

}  // namespace
}  // namespace archipelago::fuzz
