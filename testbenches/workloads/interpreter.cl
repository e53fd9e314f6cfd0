// SPDX-License-Identifier: Apache-2.0
// A stack machine with a private stack: data-dependent switch, deep divergence.
kernel void interpreter(global int* out, global const uchar* code, uint steps) {
    const size_t i = get_global_id(0);
    int stack[8];
    for (int k = 0; k < 8; ++k)
        stack[k] = (int)i + k;
    uint top = 7;
    for (uint step = 0; step < steps; ++step) {
        const uint op = code[(i & 15) * steps + step];
        const int a = stack[top];
        const int b = stack[(top + 7) & 7];
        switch (op & 7) {
            case 0: stack[top] = a + b; break;
            case 1: stack[top] = a - b; break;
            case 2: stack[top] = a * b; break;
            case 3: top = (top + 1) & 7; stack[top] = a ^ (int)(op << 4); break;
            case 4: top = (top + 7) & 7; break;
            case 5: stack[top] = b; stack[(top + 7) & 7] = a; break;
            case 6: stack[top] = a < b ? -a : a >> 1; break;
            default: stack[top] = (int)((uint)a << (b & 15)); break;
        }
    }
    out[i] = stack[top];
}
