// SPDX-License-Identifier: Apache-2.0
// One-dimensional convolution; coefficients in constant memory, samples shared through local memory.
constant int kTaps[9] = {-3, 7, -21, 64, 160, 64, -21, 7, -3};
kernel __attribute__((reqd_work_group_size(64, 1, 1)))
void constant_filter(global short* out, global const short* in, int count) {
    local int samples[72];
    const int i = (int)get_global_id(0);
    const int l = (int)get_local_id(0);
    const int before = i - 4;
    samples[l] = before >= 0 ? in[before] : 0;
    if (l < 8)
        samples[64 + l] = before + 64 < count ? in[before + 64] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    int sum = 0;
    for (int k = 0; k < 9; ++k)
        sum += kTaps[k] * samples[l + k];
    sum >>= 8;
    out[i] = (short)(sum > 32767 ? 32767 : sum < -32768 ? -32768 : sum);
}
