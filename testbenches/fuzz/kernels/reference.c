// SPDX-License-Identifier: Apache-2.0
// Runs a generated kernel, compiled for the host as a shared object, over a range of work-items:
// one group after the other, the items of a group in turn up to their next barrier.
//
//   reference KERNEL.so GROUP_SIZE GROUPS SCALAR WIDE
//
// Reads in.bin (INPUT_DWORDS dwords) and atomics.bin (any number) and writes what the kernel leaves
// in its buffers to out.ref.bin, atomics.ref.bin and items.ref.bin, all in the current folder.
// Not part of what is tested, hence built without sanitizers: they do not know these stacks.
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

enum { kStackBytes = 1 << 18, kInputDwords = 1024, kAtomicDwords = 96, kItemDwords = 16 };

typedef void (*Kernel)(uint32_t* out, const uint32_t* in, uint32_t* atomics, uint32_t* items,
                       uint32_t scalar, int64_t wide);

static Kernel kernel;
// Kernels take the buffers for arrays of their largest vectors.
static _Alignas(64) uint32_t in[kInputDwords], atomics[kAtomicDwords];
static uint32_t *out, *items, scalar;
static int64_t wide;
static unsigned group, group_size, item;
static ucontext_t scheduler, *contexts;
static unsigned char* done;

static void fail(const char* what) {
    fprintf(stderr, "reference: %s\n", what);
    exit(2);
}

// OpenCL's functions, by the names the compiler gives them.
size_t _Z13get_global_idj(unsigned dimension) {
    return dimension == 0 ? group * group_size + item : 0;
}
size_t _Z12get_local_idj(unsigned dimension) {
    return dimension == 0 ? item : 0;
}
size_t _Z12get_group_idj(unsigned dimension) {
    return dimension == 0 ? group : 0;
}
void _Z7barrierj(unsigned flags) {
    (void)flags;
    swapcontext(&contexts[item], &scheduler);
}

static void* zeros(size_t bytes) {
    void* const memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
    if (memory == NULL)
        fail("no memory");
    return memset(memory, 0, bytes);
}

static void run_item(void) {
    kernel(out, in, atomics, items, scalar, wide);
    done[item] = 1;  // `item` is this one whenever it runs
}

static void run_group(unsigned char* stacks) {
    memset(done, 0, group_size);
    for (unsigned i = 0; i < group_size; ++i) {
        getcontext(&contexts[i]);
        contexts[i].uc_stack.ss_sp = stacks + (size_t)i * kStackBytes;
        contexts[i].uc_stack.ss_size = kStackBytes;
        contexts[i].uc_link = &scheduler;
        makecontext(&contexts[i], run_item, 0);
    }
    for (unsigned left = group_size; left != 0;) {
        left = 0;
        for (unsigned i = 0; i < group_size; ++i) {
            if (done[i])
                continue;
            item = i;
            swapcontext(&scheduler, &contexts[i]);
            left += !done[i];
        }
    }
}

static void read_file(const char* name, uint32_t* to, size_t dwords) {
    FILE* file = fopen(name, "rb");
    if (file == NULL || fread(to, 4, dwords, file) != dwords)
        fail(name);
    fclose(file);
}
static void write_file(const char* name, const uint32_t* from, size_t dwords) {
    FILE* file = fopen(name, "wb");
    if (file == NULL || fwrite(from, 4, dwords, file) != dwords || fclose(file) != 0)
        fail(name);
}

int main(int count, char** arguments) {
    if (count != 6)
        fail("expected KERNEL.so GROUP_SIZE GROUPS SCALAR WIDE");
    void* library = dlopen(arguments[1], RTLD_NOW);
    if (library == NULL)
        fail(dlerror());
    *(void**)&kernel = dlsym(library, "generated");
    if (kernel == NULL)
        fail("the shared object has no kernel `generated`");
    group_size = (unsigned)strtoul(arguments[2], NULL, 0);
    const unsigned groups = (unsigned)strtoul(arguments[3], NULL, 0);
    scalar = (uint32_t)strtoul(arguments[4], NULL, 0);
    wide = strtoll(arguments[5], NULL, 0);
    const size_t all = (size_t)group_size * groups;
    if (group_size == 0 || group_size > 256 || groups == 0)
        fail("expected 1 to 256 items in at least one group");
    out = zeros(all * 4);
    items = zeros(all * 4 * kItemDwords);
    contexts = zeros(group_size * sizeof *contexts);
    done = zeros(group_size);
    unsigned char* const stacks = zeros((size_t)group_size * kStackBytes);
    read_file("in.bin", in, kInputDwords);
    read_file("atomics.bin", atomics, kAtomicDwords);
    for (group = 0; group < groups; ++group)
        run_group(stacks);
    write_file("out.ref.bin", out, all);
    write_file("atomics.ref.bin", atomics, kAtomicDwords);
    write_file("items.ref.bin", items, all * kItemDwords);
    return 0;
}
