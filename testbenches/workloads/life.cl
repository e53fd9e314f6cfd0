// SPDX-License-Identifier: Apache-2.0
// Generations of Conway's game of life in one group: the board in local memory, two barriers a step.
#define SIDE 16
kernel __attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
void life(global uint* board, uint generations) {
    local uint cells[SIDE][SIDE];
    const uint x = get_local_id(0);
    const uint y = get_local_id(1);
    const size_t at = get_group_id(0) * SIDE * SIDE + y * SIDE + x;
    cells[y][x] = board[at] & 1;
    for (uint g = 0; g < generations; ++g) {
        barrier(CLK_LOCAL_MEM_FENCE);
        uint neighbours = 0;
        for (uint dy = SIDE - 1; dy <= SIDE + 1; ++dy)
            for (uint dx = SIDE - 1; dx <= SIDE + 1; ++dx)
                neighbours += cells[(y + dy) % SIDE][(x + dx) % SIDE];
        const uint self = cells[y][x];
        const uint next = (neighbours == 3 || (neighbours == 4 && self != 0)) ? 1 : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        cells[y][x] = next;
    }
    board[at] = cells[y][x];
}
