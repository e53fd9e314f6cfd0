// SPDX-License-Identifier: Apache-2.0
// One group walks a graph breadth first: frontier bits in local memory, atomics, a loop until nothing moves.
#define NODES 256
kernel __attribute__((reqd_work_group_size(NODES, 1, 1)))
void bfs(global int* distance, global const uint* edges, uint degree) {
    local uint frontier[NODES];
    local uint next[NODES];
    local uint moved;
    const uint node = get_local_id(0);
    int mine = node == 0 ? 0 : -1;
    frontier[node] = node == 0;
    for (int level = 1;; ++level) {
        next[node] = 0;
        if (node == 0)
            moved = 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (frontier[node] != 0)
            for (uint k = 0; k < degree; ++k)
                atomic_or(&next[edges[node * degree + k] % NODES], 1u);
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint reached = next[node] != 0 && mine < 0;
        frontier[node] = reached;
        if (reached) {
            mine = level;
            atomic_add(&moved, 1u);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        const uint count = moved;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (count == 0)
            break;
    }
    distance[node] = mine;
}
