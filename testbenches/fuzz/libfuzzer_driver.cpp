// SPDX-License-Identifier: Apache-2.0
// Entry points of libFuzzer. `--write-seeds=FOLDER` writes the seed inputs and ends.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "testbenches/fuzz/fuzz_target.h"

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    constexpr const char* kOption = "--write-seeds=";
    for (int i = 1; i < *argc; ++i) {
        if (std::strncmp((*argv)[i], kOption, std::strlen(kOption)) != 0)
            continue;
        const std::string folder = (*argv)[i] + std::strlen(kOption);
        unsigned number = 0;
        for (const archipelago::fuzz::Bytes& seed : archipelago::fuzz::seeds()) {
            const std::string path = folder + "/seed" + std::to_string(number++);
            std::ofstream file(path, std::ios::binary);
            file.write(reinterpret_cast<const char*>(seed.data()),
                       static_cast<std::streamsize>(seed.size()));
            if (!file) {
                std::fprintf(stderr, "cannot write %s\n", path.c_str());
                std::exit(2);
            }
        }
        std::exit(0);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    archipelago::fuzz::exercise(data, size);
    return 0;
}

// Now and then a fresh legal input, or edits that know what words and tokens are.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size,
                                          unsigned seed) {
    namespace fuzz = archipelago::fuzz;
    fuzz::Random random(seed);
    const uint32_t choice = random.below(16);
    if (choice > 4)
        return LLVMFuzzerMutate(data, size, max_size);
    const fuzz::Bytes bytes =
        choice == 0 ? fuzz::generate(random) : fuzz::mutate(fuzz::Bytes(data, data + size), random);
    const size_t count = std::min(bytes.size(), max_size);
    std::copy_n(bytes.begin(), count, data);
    return count;
}
