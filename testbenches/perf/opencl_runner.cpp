// SPDX-License-Identifier: Apache-2.0
// Runs one kernel of a workload on the CPU through an installed OpenCL implementation (PoCL) and
// prints the seconds one launch takes and whether buffers came out as expected. Driven by
// opencl_ratio.py, which writes arguments as files.
//
//   archipelago_opencl_runner KERNEL.cl NAME GX GY GZ LX LY LZ LAUNCHES ARGUMENT...
//   ARGUMENT: buffer:FILE | scalar:FILE (bytes of the value) | local:BYTES
//
// Output: device name, then seconds of the fastest launch. Buffers are written back to FILE.out
// after the first launch. Exit status 1 with a message when anything fails.
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

[[noreturn]] void fail(const std::string& what) {
    std::fprintf(stderr, "archipelago_opencl_runner: %s\n", what.c_str());
    std::exit(1);
}

void check(cl_int status, const char* call) {
    if (status != CL_SUCCESS)
        fail(std::string(call) + " returned " + std::to_string(status));
}

std::string read(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    if (!in)
        fail("cannot read " + path);
    return {std::istreambuf_iterator<char>(in), {}};
}

struct Buffer {
    std::string path;
    std::string bytes;
    cl_mem memory = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
    if (argc < 10)
        fail("needs KERNEL.cl NAME GX GY GZ LX LY LZ LAUNCHES ARGUMENT...");
    cl_platform_id platform = nullptr;
    check(clGetPlatformIDs(1, &platform, nullptr), "clGetPlatformIDs");
    cl_device_id device = nullptr;
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_CPU, 1, &device, nullptr), "clGetDeviceIDs");
    char name[256] = {};
    check(clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof name, name, nullptr), "clGetDeviceInfo");
    cl_int status = CL_SUCCESS;
    cl_context context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
    check(status, "clCreateContext");
    cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status);
    check(status, "clCreateCommandQueue");
    const std::string source = read(argv[1]);
    const char* text = source.data();
    const size_t length = source.size();
    cl_program program = clCreateProgramWithSource(context, 1, &text, &length, &status);
    check(status, "clCreateProgramWithSource");
    if (clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) {
        std::string log(65536, '\0');
        size_t size = 0;
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), &size);
        log.resize(std::min(size, log.size()));
        fail("the kernel does not compile:\n" + log);
    }
    cl_kernel kernel = clCreateKernel(program, argv[2], &status);
    check(status, "clCreateKernel");

    size_t global[3];
    size_t local[3];
    for (int i = 0; i < 3; ++i) {
        global[i] = std::strtoul(argv[3 + i], nullptr, 0);
        local[i] = std::strtoul(argv[6 + i], nullptr, 0);
    }
    const unsigned long launches = std::max(1ul, std::strtoul(argv[9], nullptr, 0));
    std::vector<Buffer> buffers;
    for (int i = 10; i < argc; ++i) {
        const std::string argument = argv[i];
        const size_t colon = argument.find(':');
        if (colon == std::string::npos)
            fail("argument without a kind: " + argument);
        const std::string kind = argument.substr(0, colon);
        const std::string value = argument.substr(colon + 1);
        const auto index = static_cast<cl_uint>(i - 10);
        if (kind == "buffer") {
            Buffer b{value, read(value), nullptr};
            b.memory = clCreateBuffer(context, CL_MEM_READ_WRITE,
                                      std::max<size_t>(b.bytes.size(), 1), nullptr, &status);
            check(status, "clCreateBuffer");
            check(clSetKernelArg(kernel, index, sizeof b.memory, &b.memory), "clSetKernelArg");
            buffers.push_back(b);
        } else if (kind == "scalar") {
            const std::string bytes = read(value);
            check(clSetKernelArg(kernel, index, bytes.size(), bytes.data()), "clSetKernelArg");
        } else if (kind == "local") {
            check(clSetKernelArg(kernel, index, std::strtoul(value.c_str(), nullptr, 0), nullptr),
                  "clSetKernelArg");
        } else {
            fail("unknown kind of argument: " + argument);
        }
    }

    double best = 1e30;
    for (unsigned long n = 0; n < launches; ++n) {
        for (const Buffer& b : buffers)
            check(clEnqueueWriteBuffer(queue, b.memory, CL_TRUE, 0, b.bytes.size(), b.bytes.data(),
                                       0, nullptr, nullptr),
                  "clEnqueueWriteBuffer");
        check(clFinish(queue), "clFinish");
        const auto start = std::chrono::steady_clock::now();
        check(clEnqueueNDRangeKernel(queue, kernel, 3, nullptr, global, local, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
        check(clFinish(queue), "clFinish");
        const std::chrono::duration<double> t = std::chrono::steady_clock::now() - start;
        best = std::min(best, t.count());
        if (n == 0)
            for (const Buffer& b : buffers) {
                std::string out(b.bytes.size(), '\0');
                check(clEnqueueReadBuffer(queue, b.memory, CL_TRUE, 0, out.size(), out.data(), 0,
                                          nullptr, nullptr),
                      "clEnqueueReadBuffer");
                std::ofstream(b.path + ".out", std::ios::binary) << out;
            }
    }
    std::printf("%s\n%.9g\n", name, best);
    for (const Buffer& b : buffers)
        clReleaseMemObject(b.memory);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseCommandQueue(queue);
    clReleaseContext(context);
    return 0;
}
