# SPDX-License-Identifier: Apache-2.0
"""Kernels that do what the machine must stop for, each with wave, address and instruction."""
from framework import MACHINE_STOPPED, Suite
from shader import UNMAPPED, resource, source, workload

suite = Suite("shader")

# The place of the first wave: unit, dispatch, group, wave, program counter.
WAVE = (r"(se\d\.sh\d\.cu\d+ simd\d slot\d|functional) cs\d+\.g0\.w0 "
        r"pc 0x[0-9a-f]+")


def stops(name, body, kind, message, instruction=None, options=(), modes=("cycle", "functional"),
          **kernel):
    place = WAVE + (rf" \({instruction}.*\)" if instruction else ".*")
    suite.workload(name, workload(), MACHINE_STOPPED, rf"\({kind}\): {place}: {message}",
                   files={"k.s": source(body, **kernel)}, options=options, modes=modes)


# ---- memory

stops("load_not_mapped", resource(UNMAPPED) + "  buffer_load_dword v1, off, s[8:11], 0\n"
      "  s_waitcnt vmcnt(0)", "access fault", rf"read of unmapped address {UNMAPPED:#x}, lane 0",
      "buffer_load_dword v1")
stops("load_not_mapped_in_one_lane",
      resource(UNMAPPED) + "  v_cmp_eq_u32_e32 vcc, 37, v0\n  s_and_b64 exec, exec, vcc\n"
      "  buffer_load_dword v1, off, s[8:11], 0\n  s_waitcnt vmcnt(0)", "access fault",
      rf"read of unmapped address {UNMAPPED:#x}, lane 37", "buffer_load_dword v1")
stops("store_not_mapped", resource(UNMAPPED) + "  buffer_store_dword v0, off, s[8:11], 0\n"
      "  s_waitcnt vmcnt(0)", "access fault", rf"write to unmapped address {UNMAPPED:#x}, lane 0",
      "buffer_store_dword v0")
stops("store_not_mapped_without_a_wait",
      resource(UNMAPPED) + "  buffer_store_dword v0, off, s[8:11], 0", "access fault",
      rf"write to unmapped address {UNMAPPED:#x}, lane 0", "buffer_store_dword v0")
stops("atomic_not_mapped", resource(UNMAPPED) + "  buffer_atomic_add v0, off, s[8:11], 0\n"
      "  s_waitcnt vmcnt(0)", "access fault", rf"atomic on unmapped address {UNMAPPED:#x}, lane 0",
      "buffer_atomic_add v0")
stops("scalar_load_not_mapped",
      resource(UNMAPPED) + "  s_load_dwordx4 s[12:15], s[8:9], 0x0\n  s_waitcnt lgkmcnt(0)",
      "access fault", rf"scalar read of unmapped address {UNMAPPED:#x}", "s_load_dwordx4 s")

# ---- code

stops("code_not_mapped",
      "  s_mov_b32 s4, 0x80\n  s_mov_b32 s5, 0x7\n  s_setpc_b64 s[4:5]", "access fault",
      "instruction fetch from an unmapped address")
stops("code_runs_out_of_its_mapping", "  s_branch .Lfar\n  .fill 1024, 4, 0xbf800000\n.Lfar:\n"
      "  .fill 1024, 4, 0xbf800000\n  s_branch 0x7fff", "access fault",
      "instruction fetch from an unmapped address")
stops("jump_misaligned", "  s_getpc_b64 s[4:5]\n  s_add_u32 s4, s4, 6\n  s_setpc_b64 s[4:5]",
      "bad input", "jump to an address that is not a multiple of 4", r"s_setpc_b64 s\[4:5\]")
stops("illegal_instruction", "  s_nop 0\n  .long 0xbeff7fff", "bad input",
      "illegal instruction 0xbeff7fff: no such opcode, SOP1 127")
stops("illegal_vector_instruction", "  .long 0x7e00feff", "bad input",
      "illegal instruction 0x7e00feff")
stops("illegal_register_pair", "  .long 0xd2080001, 0x00020401, 0xd2c20002, 0x00020501, 0xbe810400",
      "bad input", r"illegal instruction 0xbe810400: s\[1:2\] is no register pair")

# The consumer of exports knows the wave, not the instruction.
suite.workload("export_of_a_compute_wave", workload(), MACHINE_STOPPED,
               r"\(bad input\): cs1\.g\d+\.w0 pc 0x[0-9a-f]+: "
               "exports are for VS and PS waves, this is one of CS",
               files={"k.s": source("  exp mrt0 v0, v1, v2, v3 done vm")},
               modes=("cycle", "functional"))

suite.workload("graphics_message_of_a_compute_wave", workload(), MACHINE_STOPPED,
               r"\(bad input\): cs1\.g\d+\.w0 pc 0x[0-9a-f]+: "
               r"s_sendmsg of GS wave \d+, which does not run",
               files={"k.s": source("  s_sendmsg sendmsg(MSG_GS_DONE, GS_OP_NOP)")},
               modes=("cycle", "functional"))

# ---- instructions the model does not have

for title, text, name, message in (
        ("image_resource_of_a_buffer", "image_load v[0:3], v[4:7], s[8:15] dmask:0xf unorm",
         "image_load", "image access through a resource whose TYPE is not an image"),
        # The LDS bit on a load of more than a dword per lane, which assemblers refuse.
        ("load_to_lds_of_two_dwords", ".long 0xe0350000, 0x80020000",
         r"buffer_load_dwordx2 off, s\[8:11\], 0 lds",
         r"buffer_load_dwordx2 \(encoding 0xe0350000 0x80020000\) is not implemented")):
    stops(f"unimplemented_{title}", f"  {text}", "unimplemented", message, name)

# ---- registers the wave does not have

stops("vector_register_beyond_the_allocation", "  v_mov_b32_e32 v20, 0", "bad input",
      r"vector register v20 is used, the wave has \d+", "v_mov_b32_e32 v20", vgprs=4)
stops("vector_register_range_beyond_the_allocation",
      resource(0x1000) + "  buffer_load_dwordx4 v[6:9], off, s[8:11], 0", "bad input",
      r"vector register v9 is used, the wave has \d+", "buffer_load_dwordx4 v", vgprs=8)
stops("scalar_register_beyond_the_allocation", "  s_mov_b32 s60, 0", "bad input",
      r"scalar register s60 is used, the wave has \d+", "s_mov_b32 s60", sgprs=16)

# ---- waves that never end

suite.workload("endless_loop", workload(), MACHINE_STOPPED,
               {"cycle": [r"\(hang\): host: waits for the fence of ring 0 at the limit of 100000 "
                          "cycles", r"(?s)se\d\.sh\d\.cu\d.*pc 0x"],
                "functional": rf"\(hang\): {WAVE}.*: the wave has executed \d+ instructions "
                              "without ending"},
               files={"k.s": source("  .Lloop:\n  s_branch .Lloop")},
               options=["--max-cycles", "100000"])
suite.workload("endless_loop_at_the_bound_of_both_modes", workload(), MACHINE_STOPPED,
               rf"\(hang\): {WAVE}: the wave has executed 20000 instructions without ending",
               files={"k.s": source("  .Lloop:\n  s_branch .Lloop")},
               options=["--max-instructions", "20000"])
suite.workload("endless_sleep", workload(), MACHINE_STOPPED,
               {"cycle": r"\(hang\): host: waits for the fence of ring 0 at the limit of 100000 "
                         "cycles",
                "functional": rf"\(hang\): {WAVE}"},
               files={"k.s": source("  .Lloop:\n  s_sleep 10\n  s_branch .Lloop")},
               options=["--max-cycles", "100000"])
suite.workload("halted_wave", workload(), MACHINE_STOPPED,
               {"cycle": r"(?s)\(hang\): host: waits for the fence of ring 0.*s_sethalt 1\) is "
                         "halted .* and nothing resumes it",
                "functional": rf"\(hang\): {WAVE}: is halted .* and nothing resumes it"},
               files={"k.s": source("  s_sethalt 1")})
suite.workload("barrier_only_half_of_the_group_reaches",
               workload(global_size="[128]", local_size="[128]"), MACHINE_STOPPED,
               {"cycle": [r"\(hang\): host: waits for the fence of ring 0"],
                "functional": [r"\(hang\): functional cs\d+\.g0"]},
               files={"k.s": source("  v_readfirstlane_b32 s4, v0\n  s_cmp_eq_u32 s4, 0\n"
                                    "  s_cbranch_scc1 .Lwait\n.Lloop:\n  s_branch .Lloop\n"
                                    ".Lwait:\n  s_barrier")},
               options=["--max-cycles", "100000"])
CASES = suite.cases
