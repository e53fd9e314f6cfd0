// SPDX-License-Identifier: Apache-2.0
// Runs a generated kernel, compiled for the host as a shared object, over a range of work-items.
//
//   kernel_reference KERNEL.so GROUP_SIZE GROUPS SCALAR WIDE
//
// Reads in.bin and atomics.bin and writes what the kernel leaves in its buffers to out.ref.bin,
// atomics.ref.bin and items.ref.bin, all in the current folder. Not part of what is tested, hence
// built without sanitizers: they do not know the stacks of work-items.
#include <dlfcn.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

#include "testbenches/support/opencl_on_host.h"

namespace {

using Kernel = void (*)(void* out, const void* in, void* atomics, void* items, uint32_t scalar,
                        int64_t wide);

constexpr size_t kItemBytes = 64;

// Kernels take buffers for arrays of their largest vectors.
struct alignas(64) Block {
    char bytes[64];
};

class Buffer {
  public:
    explicit Buffer(size_t bytes) : bytes_(bytes), blocks_((bytes + 63) / 64) {}
    explicit Buffer(const std::string& bytes) : Buffer(bytes.size()) {
        bytes.copy(blocks_.data()->bytes, bytes.size());
    }
    void* data() { return blocks_.data(); }
    void write(const char* name) {
        std::ofstream file(name, std::ios::binary);
        if (!file.write(blocks_.data()->bytes, static_cast<std::streamsize>(bytes_)).flush())
            throw std::runtime_error(std::string(name) + " cannot be written");
    }

  private:
    size_t bytes_;
    std::vector<Block> blocks_;
};

Buffer read(const char* name) {
    std::ifstream file(name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file || bytes.empty())
        throw std::runtime_error(std::string(name) + " cannot be read");
    return Buffer(bytes);
}

Kernel load(const char* file) {
    void* const library = dlopen(file, RTLD_NOW);
    void* const kernel = library != nullptr ? dlsym(library, "generated") : nullptr;
    if (kernel == nullptr)
        throw std::runtime_error(dlerror());
    return reinterpret_cast<Kernel>(kernel);
}

void run(char** arguments) {
    const Kernel kernel = load(arguments[1]);
    const auto group_size = static_cast<uint32_t>(std::stoul(arguments[2]));
    const auto count = group_size * static_cast<uint32_t>(std::stoul(arguments[3]));
    const auto scalar = static_cast<uint32_t>(std::stoul(arguments[4]));
    const int64_t wide = std::stoll(arguments[5]);
    Buffer in = read("in.bin");
    Buffer atomics = read("atomics.bin");
    Buffer out(size_t{4} * count);
    Buffer items(kItemBytes * count);
    opencl_on_host::run({count, 1, 1}, {group_size, 1, 1}, [&] {
        kernel(out.data(), in.data(), atomics.data(), items.data(), scalar, wide);
    });
    out.write("out.ref.bin");
    atomics.write("atomics.ref.bin");
    items.write("items.ref.bin");
}

}  // namespace

int main(int count, char** arguments) {
    try {
        if (count != 6)
            throw std::invalid_argument("expected KERNEL.so GROUP_SIZE GROUPS SCALAR WIDE");
        run(arguments);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "kernel_reference: %s\n", error.what());
        return 2;
    }
}
