// SPDX-License-Identifier: Apache-2.0
// Steps until the Collatz sequence from i + 1 reaches 1: lanes of a wave leave the loop at very
// different times.
kernel void collatz(global uint* steps) {
    const uint i = get_global_id(0);
    uint n = i + 1;
    uint count = 0;
    while (n != 1) {
        if (n & 1)
            n = 3 * n + 1;
        else
            n >>= 1;
        ++count;
    }
    steps[i] = count;
}
