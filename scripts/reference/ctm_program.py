# SPDX-License-Identifier: Apache-2.0
"""Programs of CTM's processors as words: six to an instruction. The fields' places are read from the table of the model.

    p = Program()
    p.load("r1", "r0", 0)                          # r1 = element (r0.r, r0.g) of input 0
    p.math(("MAD", "r2.rgb", "r1", "c0", "-r1"))   # vec3 half, scalar half the same way
    p.out("o0.rgba", "r2")
    words = p.words()
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROW = re.compile(r'\{Field::\w+, "(\w+)", (\d+), (\d+), (\d+), ')
FIELDS = {m[1]: tuple(map(int, m.groups()[1:]))
          for m in ROW.finditer((ROOT / "models/ctm/isa/fields.h").read_text())}

ALU, OUT, FLOW, TEXTURE = range(4)
RGB_OPS = {"MAD": 0, "DP3": 1, "DP4": 2, "D2A": 3, "MIN": 4, "MAX": 5, "CND": 7, "CMP": 8, "FRC": 9, "SOP": 10,
           "MDH": 11, "MDV": 12}
ALPHA_OPS = {"MAD": 0, "DP": 1, "MIN": 2, "MAX": 3, "CND": 5, "CMP": 6, "FRC": 7, "EX2": 8, "LN2": 9, "RCP": 10,
             "RSQ": 11, "SIN": 12, "COS": 13, "MDH": 14, "MDV": 15}
OPERANDS = {"MAD": 3, "DP3": 2, "DP4": 2, "D2A": 3, "MIN": 2, "MAX": 2, "CND": 3, "CMP": 3, "FRC": 1, "SOP": 0,
            "DP": 0, "EX2": 1, "LN2": 1, "RCP": 1, "RSQ": 1, "SIN": 1, "COS": 1, "MDH": 1, "MDV": 1}
SWIZZLE = {"r": 0, "g": 1, "b": 2, "a": 3, "0": 4, "h": 5, "1": 6}
COMPARE = {"==": 0, "<": 1, ">=": 2, "!=": 3}
EXACT = 7  # OMOD: bits as they are


def inline_constant(value):
    """Seven bits: an exponent of four, a bias of 7, a mantissa of three; None when it has none."""
    for bits in range(128):
        exponent, mantissa = bits >> 3, bits & 7
        is_worth = mantissa / 8 * 2.0 ** -6 if exponent == 0 else (1 + mantissa / 8) * 2.0 ** (exponent - 7)
        if is_worth == value:
            return bits
    return None


class Program:
    def __init__(self):
        self._code = []
        self._labels = {}

    def __len__(self):
        return len(self._code)

    def words(self):
        return [word for instruction in self._code for word in instruction]

    def _add(self, **fields):
        words = [0] * 6
        for name, value in fields.items():
            word, low, width = FIELDS[name]
            if not 0 <= value < 1 << width:
                raise ValueError(f"{name} = {value} has more than {width} bits")
            words[word] |= value << low
        self._code.append(words)
        return len(self._code) - 1

    def _patch(self, pc, name, value):
        word, low, width = FIELDS[name]
        self._code[pc][word] |= value << low

    # ---- lookups

    def load(self, target, source, number, coordinates="rg", mask="rgba", unscaled=True, last_of_group=True):
        """The element at the source's coordinates."""
        s, t = (SWIZZLE[c] for c in coordinates)
        self._add(TYPE=TEXTURE, TEX_INST=1, TEX_ID=number, TEX_UNSCALED=int(unscaled), TEX_SEM_ACQUIRE=int(last_of_group),
                  TEX_SEM_WAIT=int(last_of_group), TEX_SRC_ADDR=int(source[1:]), TEX_SRC_S_SWIZ=s, TEX_SRC_T_SWIZ=t,
                  TEX_DST_ADDR=int(target[1:]), TEX_DST_R_SWIZ=0, TEX_DST_G_SWIZ=1, TEX_DST_B_SWIZ=2, TEX_DST_A_SWIZ=3,
                  **self._masks(mask))

    @staticmethod
    def _masks(mask, what="WMASK"):
        return {f"RGB_{what}": sum(1 << "rgb".index(c) for c in mask if c != "a"), f"ALPHA_{what}": int("a" in mask)}

    # ---- arithmetic

    def math(self, rgb=None, alpha=None, kind=ALU, wait=True, **fields):
        """(operation, target, operands...) of the vec3 and the scalar half. An operand: r3, -c4.rrr, |r1|.a, 0.5, aL+r2.
        A target: r2.rg, o0.rgba, or none."""
        sources = []
        f = {"TYPE": kind, "TEX_SEM_WAIT": int(wait)}
        for half, ops, what in (("RGB", RGB_OPS, rgb), ("ALPHA", ALPHA_OPS, alpha)):
            # A half without an operation: MAD of zeros, to nowhere.
            name, target, *operands = what or ("MAD", "", "0", "0", "0")
            f[f"{half}_OP"] = ops[name]
            if what and len(operands) != OPERANDS[name]:
                raise ValueError(f"{name} has {OPERANDS[name]} operands")
            self._target(f, half, target)
            for letter, operand in zip("ABC", operands):
                self._operand(f, half, letter, operand, sources)
        for i, (bits, constant, relative) in enumerate(sources):
            for half in ("RGB", "ALPHA"):
                f.update({f"{half}_ADDR{i}": bits, f"{half}_ADDR{i}_CONST": constant, f"{half}_ADDR{i}_REL": relative})
        f.update(fields)
        return self._add(**f)

    @staticmethod
    def _target(f, half, target):
        if not target:
            return
        name, _, channels = target.partition(".")
        channels = channels or ("rgb" if half == "RGB" else "a")
        mask = Program._masks([c for c in channels if (c == "a") == (half == "ALPHA")],
                              "OMASK" if name[0] == "o" else "WMASK")
        if name[0] == "o":
            f[f"{half}_TARGET"] = int(name[1:])
        else:
            f[f"{half}_ADDRD"] = int(name[1:])
        f.update({key: value for key, value in mask.items() if key.startswith(half)})

    @staticmethod
    def _operand(f, half, letter, text, sources):
        text = str(text)
        modifier = 1 if text.startswith("-") else 0
        text = text.lstrip("-")
        if text.startswith("|"):
            modifier |= 2
            text = text.replace("|", "")
        name, _, channels = text.partition(".") if text[0] in "rca" else (text, "", "")
        swizzle = channels or ("rgb" if half == "RGB" else "a")
        select = 0
        if name in ("0", "0.5", "1"):
            swizzle = {"0": "0", "0.5": "h", "1": "1"}[name]
        else:
            source = Program._source(name)
            if source not in sources:
                sources.append(source)
            select = sources.index(source)
            if select > 2:
                raise ValueError("an instruction has three sources")
        if half == "RGB":
            swizzle = swizzle if len(swizzle) == 3 else swizzle[0] * 3 if len(swizzle) == 1 else swizzle.ljust(3, "0")
            for colour, channel in zip(("RED", "GREEN", "BLUE"), swizzle):
                f[f"{colour}_SWIZ_{letter}"] = SWIZZLE[channel]
        else:
            f[f"ALPHA_SWIZ_{letter}"] = SWIZZLE[swizzle[0]]
        f[f"{half}_SEL_{letter}"] = select
        f[f"{half}_MOD_{letter}"] = modifier

    @staticmethod
    def _source(name):
        relative = name.startswith("aL+")
        name = name[3:] if relative else name
        if name[0] in "rc" and name[1:].isdigit():
            return int(name[1:]), int(name[0] == "c"), int(relative)
        bits = inline_constant(float(name))
        if bits is None:
            raise ValueError(f"{name} is no inline constant")
        return 0x80 | bits, 0, 0

    def move(self, target, source, **fields):
        """Bits as they are."""
        self.math(("MAX", target, source, source), ("MAX", target, source, source), RGB_OMOD=EXACT, ALPHA_OMOD=EXACT,
                  **fields)

    def both(self, name, target, *operands, **fields):
        """The same operation in both halves."""
        self.math((name, target, *operands), (name, target, *operands), **fields)

    def scalar(self, name, target, operand, **fields):
        """A transcendental of the scalar half, to any channels."""
        self.math(("SOP", target), (name, target, operand), **fields)

    def out(self, target, source, last=True, **fields):
        self.move(target, source, kind=OUT, LAST=int(last), **fields)

    def compare(self, rgb, how, **fields):
        """Sets the ALU result by the red channel of an operation."""
        return self.math(rgb, ALU_WMASK=1, ALU_RESULT_SEL=0, ALU_RESULT_OP=COMPARE[how], **fields)

    # ---- flow control

    def flow(self, operation, **fields):
        return self._add(TYPE=FLOW, FC_OP=operation, **fields)

    def repeat(self, constant):
        """Ends with end_repeat(); KR of an integer constant times."""
        self._labels.setdefault("repeat", []).append((self.flow(3, FC_INT_ADDR=constant), []))

    def break_if(self):
        """By the ALU result."""
        self._labels["repeat"][-1][1].append(self.flow(6, FC_JUMP_FUNC=0xF0, FC_JUMP_ANY=0))

    def end_repeat(self):
        start, breaks = self._labels["repeat"].pop()
        end = self.flow(4, FC_JUMP_FUNC=0xFF, FC_JUMP_ADDR=start + 1)
        for pc in [start] + breaks:
            self._patch(pc, "FC_JUMP_ADDR", end + 1)

    def loop(self, constant):
        """Ends with end_loop(); aL from KG in steps of KB."""
        self._labels.setdefault("loop", []).append((self.flow(1, FC_INT_ADDR=constant), constant))

    def end_loop(self):
        start, constant = self._labels["loop"].pop()
        end = self.flow(2, FC_JUMP_FUNC=0xFF, FC_INT_ADDR=constant, FC_JUMP_ADDR=start + 1)
        self._patch(start, "FC_JUMP_ADDR", end + 1)
