# SPDX-License-Identifier: Apache-2.0
"""-k EXPR: words joined by and, or, not and parentheses. A word holds for names that it is a part of, in any case."""

from __future__ import annotations

import re
from typing import Callable

from archipelago.errors import Refused

Holds = Callable[[str], bool]


class _Reader:
    def __init__(self, text: str):
        self._text = text
        self._words = re.findall(r"[()]|[^\s()]+", text)

    def _refuse(self, why: str) -> Refused:
        return Refused(f'-k "{self._text}": {why}, expected words joined by and, or, not and parentheses')

    def whole(self) -> Holds:
        holds = self._either()
        if self._words:
            raise self._refuse(f'got "{self._words[0]}" where it could end')
        return holds

    def _next_is(self, word: str) -> bool:
        if self._words and self._words[0] == word:
            self._words.pop(0)
            return True
        return False

    def _either(self) -> Holds:
        parts = [self._both()]
        while self._next_is("or"):
            parts.append(self._both())
        return lambda name: any(part(name) for part in parts)

    def _both(self) -> Holds:
        parts = [self._one()]
        while self._next_is("and"):
            parts.append(self._one())
        return lambda name: all(part(name) for part in parts)

    def _one(self) -> Holds:
        if self._next_is("not"):
            inner = self._one()
            return lambda name: not inner(name)
        if self._next_is("("):
            inner = self._either()
            if not self._next_is(")"):
                raise self._refuse("a parenthesis is open")
            return inner
        if not self._words or self._words[0] in (")", "and", "or"):
            raise self._refuse(f'got "{self._words[0]}" in place of a word' if self._words else "it ends in place of a word")
        word = self._words.pop(0).lower()
        return lambda name: word in name.lower()


def parse(text: str) -> Holds:
    """Whether a name, "tahiti/saxpy", is chosen."""
    return _Reader(text).whole()
