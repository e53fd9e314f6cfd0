// SPDX-License-Identifier: Apache-2.0
// Double precision. Results of item i at out[16 * i]; all exact except the square root, which the
// library refines from an estimate.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
kernel void f64(global double* out, global double* roots, global const double* x_in,
                global const double* y_in) {
    const size_t i = get_global_id(0);
    const double x = x_in[i];
    const double y = y_in[i];
    const double a = (x - 0.5) * 1024.0;
    const double b = y + 0.125;
    global double* o = out + 16 * i;
    o[0] = a + b;
    o[1] = a * y;
    o[2] = fma(a, b, -x);
    o[3] = a / b;
    o[4] = -a / y;
    roots[i] = sqrt(b);
    o[5] = fmin(a, b);
    o[6] = fmax(a, -b);
    o[7] = floor(a);
    o[8] = ceil(a);
    o[9] = trunc(a);
    o[10] = rint(a);
    o[11] = ldexp(b, (int)i - 32);
    o[12] = (double)(float)a;
    o[13] = (double)(int)a + (double)(uint)(b * 1000.0);
    o[14] = fabs(a) - (a < b ? 1.0 : 2.0);
    o[15] = a - floor(a);
}
