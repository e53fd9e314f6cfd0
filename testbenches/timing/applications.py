# SPDX-License-Identifier: Apache-2.0
"""The programs of scripts/timing-report --applications: what the host gives each, and what must come out.

A program is a function of (files, keys of the row, length) that gives a Launch; files(name) is the path of a file of its
own. `length` is how much of the program runs: work-groups, or terms of a sum.
"""

from pathlib import Path

from programs import hashes, matrices, rates

FOLDER = Path(__file__).resolve().parent / "programs"
PROGRAMS = {program.__name__: program for program in (
    hashes.sha256_iterated, hashes.sha256_mining, hashes.pbkdf2_sha1, hashes.mask, matrices.sgemm, matrices.transpose_tiles,
    matrices.sums, matrices.column_products, matrices.syrk, rates.peak, rates.stream, rates.stream_double, rates.saxpy_two)}
