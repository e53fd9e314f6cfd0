// SPDX-License-Identifier: Apache-2.0
// Newton's method and a recurrence in double precision: multiply-add, division, square root, comparisons.
kernel void f64_solver(global double* out, global const double* in, uint steps) {
    const size_t i = get_global_id(0);
    const double target = in[i] + 0.5;
    double x = 1.0;
    for (uint k = 0; k < steps; ++k)
        x = 0.5 * (x + target / x);
    double y = target;
    uint rounds = 0;
    while (y > 1.0e-3 && rounds < 100) {
        y = fma(y, 0.5, -0.0001);
        ++rounds;
    }
    out[2 * i] = x;
    out[2 * i + 1] = y + (double)rounds;
}
