/* SPDX-License-Identifier: Apache-2.0 */
/* Sums two vectors on a CTM chip through the four functions of the CTM guide. */
#include <amDeviceManaged.h>
#include <stdio.h>
#include <string.h>

/* An element is four floats; rows of 64 elements, as many as the pitch. */
enum { WIDTH = 64, HEIGHT = 16, FLOATS = 4 * WIDTH * HEIGHT };

/* Places in the host's memory, a multiple of 2 KiB each. */
enum {
    COMMANDS = 0x0000,
    PROGRAM = 0x1000,
    INPUT0 = 0x10000,
    INPUT1 = 0x20000,
    OUTPUT = 0x30000,
    BYTES = 0x40000
};

/* Headers of commands, and formats: 64 elements FLOAT32_4 a row; 1024 words (guide, 2.2). */
enum { FLOAT32_4_BY_64 = 4 << 24 | WIDTH, WORDS = 2 << 24 | 1024 };
static const AMuint32 kWaitForIdle = 0xc0000900, kSetInpFmt = 0xc0030b00, kSetOutFmt = 0xc0030c00,
                      kSetInstFmt = 0xc0010a00, kInvInstCache = 0xc0001100,
                      kInvInpCache = 0xc0001600, kSetDomain = 0xc0030700,
                      kStartProgram = 0xc0000800, kFlushOutCache = 0xc0001700;

static int load_program(const char* path, unsigned char* to, size_t room) {
    FILE* file = fopen(path, "rb");
    size_t count;
    if (file == NULL)
        return 0;
    count = fread(to, 1, room, file);
    fclose(file);
    return count > 0 && count < room;
}

static AMuint32 write_commands(AMuint32* to, AMuint32 base) {
    const AMuint32 commands[] = {
        kWaitForIdle, 0,
        kSetInpFmt, 0, base + INPUT0, FLOAT32_4_BY_64, HEIGHT,
        kSetInpFmt, 1, base + INPUT1, FLOAT32_4_BY_64, HEIGHT,
        kSetOutFmt, 0, base + OUTPUT, FLOAT32_4_BY_64, HEIGHT,
        kInvInpCache, 0,
        kSetInstFmt, base + PROGRAM, WORDS,
        kInvInstCache, 0,
        kSetDomain, 0, 0, WIDTH - 1, HEIGHT - 1,
        kStartProgram, 0,
        kWaitForIdle, 0,
        kFlushOutCache, 0,
    };
    memcpy(to, commands, sizeof commands);
    return sizeof commands;
}

static int count_right(const float* a, const float* b, const float* sum) {
    int right = 0;
    for (int i = 0; i < FLOATS; ++i)
        right += sum[i] == a[i] + b[i];
    return right;
}

static int run(AMmanagedDevice device, const AMmanagedDeviceInfo* info, const char* program) {
    unsigned char* const cpu = info->baseAddressCPUc;
    float* const a = (float*)(cpu + INPUT0);
    float* const b = (float*)(cpu + INPUT1);
    AMuint32 size, number;
    int consumed, right;
    if (info->arenaSizeSYSc < BYTES)
        return 1;
    /* The whole executable: the library finds the code in it. */
    if (!load_program(program, cpu + PROGRAM, INPUT0 - PROGRAM)) {
        fprintf(stderr, "%s cannot be read\n", program);
        return 1;
    }
    for (int i = 0; i < FLOATS; ++i) {
        a[i] = (float)i / 8;
        b[i] = 1000 - (float)(i % 97);
    }
    size = write_commands((AMuint32*)(cpu + COMMANDS), info->baseAddressSYSc);
    number = amSubmitCommandBuffer(device, info->baseAddressSYSc + COMMANDS, size);
    if (number == 0)
        return 1;
    while ((consumed = amCommandBufferConsumed(device, number)) == 0)
        continue;
    if (consumed < 0)
        return 1;
    right = count_right(a, b, (const float*)(cpu + OUTPUT));
    printf("%d of %d results right\n", right, FLOATS);
    return right == FLOATS ? 0 : 1;
}

int main(int argc, char** argv) {
    AMmanagedDeviceInfo info = {0};
    const AMmanagedDevice device = amOpenManagedConnection("/dev/pcie0", &info);
    int status;
    if (device == NULL)
        return 1;
    status = run(device, &info, argc > 1 ? argv[1] : CTM_PROGRAM);
    amCloseManagedConnection(device);
    return status;
}
