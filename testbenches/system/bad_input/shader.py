# SPDX-License-Identifier: Apache-2.0
"""Kernels in assembly and the workloads that launch them."""
import functools
import os
import shutil
import subprocess
import tempfile

UNMAPPED = 0x7F0000000

METADATA = """
.amdgpu_metadata
amdhsa.version: [1, 1]
amdhsa.target: amdgcn-amd-amdhsa--gfx600
amdhsa.kernels:
  - .name: victim
    .symbol: victim.kd
    .kernarg_segment_size: 16
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: {sgprs}
    .vgpr_count: {vgprs}
    .max_flat_workgroup_size: 256
    .args:
      - {{.name: out, .value_kind: global_buffer, .address_space: global, .offset: 0, .size: 8}}
      - {{.name: count, .value_kind: by_value, .offset: 8, .size: 4}}
.end_amdgpu_metadata
"""

SOURCE = """
.amdgcn_target "amdgcn-amd-amdhsa--gfx600"
.text
.globl victim
.p2align 8
.type victim,@function
victim:
{body}
  s_endpgm
.Lend:
.size victim, .Lend-victim
.rodata
.p2align 6
.amdhsa_kernel victim
  .amdhsa_kernarg_size {kernarg}
  .amdhsa_group_segment_fixed_size {lds}
  .amdhsa_user_sgpr_kernarg_segment_ptr 1
  .amdhsa_system_sgpr_workgroup_id_x 1
  .amdhsa_next_free_vgpr {vgprs}
  .amdhsa_next_free_sgpr {sgprs}
.end_amdhsa_kernel
"""


def source(body, vgprs=8, sgprs=24, lds=0, metadata=False):
    """s[0:1] kernarg segment, s2 group, v0 work-item. Arguments only with metadata."""
    text = SOURCE.format(body=body, vgprs=vgprs, sgprs=sgprs, lds=lds,
                         kernarg=16 if metadata else 0)
    if metadata:
        text += METADATA.format(vgprs=vgprs, sgprs=sgprs, lds=lds)
    return text


# A buffer resource in s[8:11] that reaches every address from `address` on.
def resource(address):
    return (f"  s_mov_b32 s8, 0x{address & 0xFFFFFFFF:x}\n  s_mov_b32 s9, 0x{address >> 32:x}\n"
            "  s_mov_b32 s10, -1\n  s_mov_b32 s11, 0xf000\n")


def workload(code="k.s", global_size="[64]", local_size="[64]", args=None, name="victim"):
    text = f"kernel:\n  code: {code}\n"
    if name is not None:
        text += f"  name: {name}\n"
    text += f"  global_size: {global_size}\n  local_size: {local_size}\n"
    if args is not None:
        text += "  args:\n" + "".join(f"    - {arg}\n" for arg in args)
    return text


ARGS = ["buffer: {zeros: 4096}", "u32: 7"]


def tool(name):
    for candidate in (f"{name}-15", f"{name}-16", f"{name}-14", name):
        path = shutil.which(candidate)
        if path:
            return path
    raise RuntimeError(f"{name} is not installed (package llvm-15, lld-15)")


@functools.lru_cache(maxsize=None)
def code_object(cpu="gfx600", metadata=True):
    """The bytes of a linked code object with the kernel `victim`."""
    with tempfile.TemporaryDirectory(prefix="archipelago-bad-input-") as folder:
        path = os.path.join(folder, "k")
        with open(path + ".s", "w", encoding="ascii") as file:
            file.write(source("  s_nop 0", metadata=metadata).replace("gfx600", cpu))
        subprocess.run([tool("llvm-mc"), "-triple=amdgcn-amd-amdhsa", f"-mcpu={cpu}",
                        "--amdhsa-code-object-version=4", "-filetype=obj", path + ".s", "-o",
                        path + ".o"], check=True)
        subprocess.run([tool("ld.lld"), "-shared", path + ".o", "-o", path + ".hsaco"],
                       check=True)
        with open(path + ".hsaco", "rb") as file:
            return file.read()
