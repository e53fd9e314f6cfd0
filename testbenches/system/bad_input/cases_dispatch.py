# SPDX-License-Identifier: Apache-2.0
"""Dispatches a compute unit cannot take, and kernels that ask for more than there is."""
from framework import BAD_INPUT, MACHINE_STOPPED, Suite
from pm4 import IB1, in_ib, set_sh, type3
from shader import ARGS, source, workload

suite = Suite("dispatch")

NUM_THREAD_X = 0xB81C
PGM_LO = 0xB830
PGM_RSRC1 = 0xB848
RESOURCE_LIMITS = 0xB854
TMPRING_SIZE = 0xB860

VGPRS_256 = 63          # COMPUTE_PGM_RSRC1.VGPRS, in granules of 4
SGPRS_104 = 12 << 6     # COMPUTE_PGM_RSRC1.SGPRS, in granules of 8


def packets(threads=(64, 1, 1), rsrc1=0, rsrc2=0, limits=(0, 0xFFFFFFFF, 0xFFFFFFFF), tmpring=0,
            initiator=5, groups=(1, 1, 1)):
    """Any code will do: the dispatch is refused before a wave starts."""
    return (set_sh(NUM_THREAD_X, list(threads)) + set_sh(PGM_LO, [IB1 >> 8, 0]) +
            set_sh(PGM_RSRC1, [rsrc1, rsrc2]) + set_sh(RESOURCE_LIMITS, list(limits)) +
            set_sh(TMPRING_SIZE, [tmpring]) + type3(0x15, [*groups, initiator], True))


def refused(name, message, **values):
    stream = packets(**values)
    suite.workload(name, in_ib(stream), MACHINE_STOPPED,
                   rf"bad input\): ring gfx, IB1 {IB1:#x} dword {len(stream) - 5}: packet "
                   rf"DISPATCH_DIRECT: dispatch: {message}")


refused("no_threads_in_x", r"COMPUTE_NUM_THREAD_X.NUM_THREAD_FULL is 0", threads=(0, 1, 1))
refused("no_threads_in_z", r"COMPUTE_NUM_THREAD_Z.NUM_THREAD_FULL is 0", threads=(64, 1, 0))
refused("partial_group_of_no_threads", r"COMPUTE_NUM_THREAD_X.NUM_THREAD_PARTIAL is 0, must be "
        r"1\.\.64", threads=(64, 1 | 1 << 16, 1 | 1 << 16), initiator=7)
refused("partial_group_larger_than_a_full_one", r"COMPUTE_NUM_THREAD_X.NUM_THREAD_PARTIAL is 65",
        threads=(64 | 65 << 16, 1 | 1 << 16, 1 | 1 << 16), initiator=7)
refused("group_too_large", r"a work-group of more than \d+ threads", threads=(64, 64, 2))
refused("group_too_large_by_far", r"a work-group of more than \d+ threads",
        threads=(0xFFFF, 0xFFFF, 0xFFFF))
refused("too_many_user_sgprs", r"COMPUTE_PGM_RSRC2.USER_SGPR is 17, at most 16", rsrc2=17 << 1,
        rsrc1=SGPRS_104)
refused("user_sgprs_beyond_the_allocation",
        r"COMPUTE_PGM_RSRC2 asks for 10 initial SGPRs, COMPUTE_PGM_RSRC1.SGPRS allocates 8",
        rsrc2=10 << 1)
refused("more_lds_than_a_group_may_have",
        r"COMPUTE_PGM_RSRC2.LDS_SIZE asks for 65280 bytes of LDS per group, at most 32768",
        rsrc2=255 << 15)
refused("waves_do_not_fit_a_compute_unit",
        r"a work-group of 16 waves with 256 VGPRs and 8 SGPRs does not fit", threads=(1024, 1, 1),
        rsrc1=VGPRS_256)
refused("no_compute_unit_enabled", "COMPUTE_STATIC_THREAD_MGMT_SE0/1 enables no compute unit",
        limits=(0, 0, 0))
refused("scratch_without_slots", r"COMPUTE_TMPRING_SIZE.WAVES is 0, a work-group needs 1 scratch",
        rsrc2=1)

# A dispatch of no groups is legal and does nothing.
suite.workload("no_groups_is_legal", in_ib(packets(groups=(0, 1, 1))), 0, "")

# A chip with fewer registers than the kernel was compiled for.
suite.workload("kernel_needs_more_vgprs_than_the_chip_has", workload(), MACHINE_STOPPED,
               r"bad input\): ring gfx.*dispatch: COMPUTE_PGM_RSRC1 asks for 200 VGPRs and \d+ "
               r"SGPRs, a SIMD has 128",
               files={"k.s": source("  s_nop 0", vgprs=200)},
               options=["--set", "cu.resources.vgprs=128"])
suite.workload("kernel_needs_more_sgprs_than_the_chip_has", workload(), MACHINE_STOPPED,
               r"bad input\): ring gfx.*dispatch: COMPUTE_PGM_RSRC1 asks for \d+ VGPRs and \d+ "
               r"SGPRs, a SIMD has \d+ and 64",
               files={"k.s": source("  s_nop 0", sgprs=100)},
               options=["--set", "cu.resources.sgprs=64"])
suite.workload("kernel_needs_more_lds_than_a_group_may_have", workload(args=ARGS), BAD_INPUT,
               r"k\.s: kernel 'victim': 40000 bytes of local memory exceed the 32768",
               files={"k.s": source("  s_nop 0", lds=40000, metadata=True)}, modes=["cycle"])
suite.workload("kernel_needs_more_lds_than_the_chip_has", workload(args=ARGS), MACHINE_STOPPED,
               r"bad input\): ring gfx.*dispatch: COMPUTE_PGM_RSRC2.LDS_SIZE asks for 30208 bytes",
               files={"k.s": source("  s_nop 0", lds=30000, metadata=True)},
               options=["--set", "cu.resources.lds_max_per_group=16 KiB"])
suite.workload("group_larger_than_the_kernel_allows",
               workload(global_size="[512]", local_size="[512]", args=ARGS), BAD_INPUT,
               r"k\.s: kernel 'victim': .*512.*256",
               files={"k.s": source("  s_nop 0", metadata=True)}, modes=["cycle"])

CASES = suite.cases
