/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The device interface of ATI's CTM Guide 1.01, chapter 5: four functions, here to a chip of the
 * model that runs within the process. A C header; link archipelago::ctm_device of the installed
 * package (libarchipelago_ctm_device.so), nothing else is needed.
 *
 * The guide's pages 51 to 54 are lost: the functions are its own (5.1.1 to 5.1.4), signatures and
 * members are those that users of the time relied on (testbenches/host/ctm/DECISIONS.md).
 *
 * Errors are printed on standard error, with place and reason. Once the machine has stopped
 * (a fault, a command or an instruction that it refuses, a hang), no connection works any more in
 * this process. One connection at a time; calls may come from any thread, and wait for each other.
 * State of caches, and commands that have set something, outlive a connection, as a device does.
 *
 * Environment:
 *   ARCHIPELAGO_CTM_CHIP   name of an installed chip or a YAML file; r580 without it
 *   ARCHIPELAGO_CTM_MODE   cycle (the default), or functional: no time, much faster
 *   ARCHIPELAGO_CTM_SET    KEY=VALUE;KEY=VALUE: of the chip's description, as `--set`
 *   ARCHIPELAGO_CTM_STATS  file for the statistics of the chip so far, written as a connection is
 *                          closed
 * They are read by the first amOpenManagedConnection of a process; later ones get the same chip.
 */
#ifndef AM_DEVICE_MANAGED_H
#define AM_DEVICE_MANAGED_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef uint32_t AMuint32;

/* A connection. */
typedef struct AMmanagedDeviceRec* AMmanagedDevice;

/*
 * Arenas of memory that the program may use. Addresses are those of the device, sizes are bytes; an
 * arena of 0 bytes does not exist. All bytes are 0 at first. Addresses that commands take are
 * aligned to 2 KiB.
 */
typedef struct AMmanagedDeviceInfoRec {
    AMuint32 baseAddressGPU; /* local memory; the host sees none of it */
    AMuint32 arenaSizeGPU;
    AMuint32 baseAddressGPUb; /* more local memory */
    AMuint32 arenaSizeGPUb;
    AMuint32 baseAddressSYS; /* the host's memory, not cached by the host */
    AMuint32 arenaSizeSYS;
    void* baseAddressCPU;     /* where the program finds it */
    AMuint32 baseAddressSYSc; /* the host's memory, cached by it */
    AMuint32 arenaSizeSYSc;
    void* baseAddressCPUc; /* where the program finds it */
    AMuint32 reserved0;    /* 0 */
    AMuint32 reserved1;    /* 0 */
} AMmanagedDeviceInfo;

/*
 * 5.1.3. Connects to a device and tells its arenas. `device`: the path of a device ("/dev/pcie0")
 * is the chip of the environment, else the name or file of a chip. NULL: there is no such chip, it
 * runs no command buffers, a connection is open, the machine has stopped, or the process has
 * another chip already.
 */
AMmanagedDevice amOpenManagedConnection(const char* device, AMmanagedDeviceInfo* info);

/*
 * 5.1.4. Submits the `size` bytes of commands at `address` of the device (both multiples of 4;
 * section 2.2 of the guide). They are read later: they stay as they are until the buffer is
 * consumed. A set_inst_fmt may name bare instructions, or a whole executable (chapter 4) in memory,
 * which is loaded as the buffer is submitted. Returns the number of the buffer, or 0 for an error.
 */
AMuint32 amSubmitCommandBuffer(AMmanagedDevice connection, AMuint32 address, AMuint32 size);

/*
 * 5.1.2. Whether all commands of buffer `number` are carried out and its programs have ended: 0 as
 * long as they are not, 1 then, -1 for an error, so that a loop `while (... == 0)` ends. In cycle
 * mode each call lets the chip run for up to 100,000 of its cycles. Outputs are in memory as far
 * as the commands have flushed them.
 */
int amCommandBufferConsumed(AMmanagedDevice connection, AMuint32 number);

/* 5.1.1. Closes a connection. What runs goes on in later ones. */
void amCloseManagedConnection(AMmanagedDevice connection);

#ifdef __cplusplus
}
#endif

#endif
