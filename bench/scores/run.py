#!/usr/bin/env python3
"""Scores beside other methods: one line a set (name, metric, seed's method, best peer, Gleaner).

Every file in bench/scores/sets is a module with a function `lines(place)` that gives `Line`s; it is found by its being
there. `place` has the folder of the corpora, the built programs and a Python with the peers from PyPI.

    python3 bench/scores/run.py CORPORA PROGRAMS [SET ...]
"""

import importlib.util
import json
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass, field

HERE = pathlib.Path(__file__).resolve().parent


@dataclass
class Line:
    """A figure of one set. Figures are numbers or None where nobody has one."""

    name: str
    metric: str
    seed: float | None = None
    peer: float | None = None
    peer_name: str = ""
    gleaner: float | None = None
    # Figures of what was trained on this very set: by models that have not seen the page's host.
    crossed: float | None = None
    bar: float | None = None
    # The bar where less is better: the figure may not be above it.
    most: float | None = None
    # More for programs: per type, per language …
    more: dict = field(default_factory=dict)


@dataclass
class Place:
    corpora: pathlib.Path
    programs: pathlib.Path
    cache: pathlib.Path
    # The data that the checked-in models were made from is the data that is measured.
    is_own: bool

    def peers(self, *packages):
        """A Python with these packages, installed once."""
        python = self.cache / "scores-venv" / "bin" / "python"
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", self.cache / "scores-venv"], check=True)
        have = subprocess.run([python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True).stdout
        names = {line.split("==")[0].lower().replace("-", "_") for line in have.splitlines()}
        wanted = [package for package in packages if package.split("[")[0].lower().replace("-", "_") not in names]
        if wanted:
            subprocess.run([python, "-m", "pip", "install", "-q", *wanted], check=True, stdout=subprocess.DEVNULL)
        return python


def shown(value):
    return "–" if value is None else f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    cache = pathlib.Path(os.environ.get("GLEANER_CACHE", pathlib.Path.home() / ".cache" / "gleaner"))
    corpora = pathlib.Path(sys.argv[1]).resolve()
    own = os.environ.get("GLEANER_OWN_CORPORA")
    place = Place(corpora, pathlib.Path(sys.argv[2]), cache, own is not None and pathlib.Path(own).resolve() == corpora)
    print(f"{'set':28} {'metric':22} {'seed':>7} {'best peer':>24} {'Gleaner':>8} {'crossed':>8} {'bar':>6}")
    failed = False
    for file in sorted((HERE / "sets").glob("*.py")):
        if sys.argv[3:] and file.stem not in sys.argv[3:]:
            continue
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault("scores", sys.modules[__name__])
        spec.loader.exec_module(module)
        for line in module.lines(place):
            peer = f"{shown(line.peer)} {line.peer_name}"
            judged = line.crossed if line.crossed is not None else line.gleaner
            is_below = line.bar is not None and judged is not None and judged < line.bar
            is_above = line.most is not None and judged is not None and judged > line.most
            failed |= is_below or is_above
            bar = shown(line.bar) if line.most is None else f"≤{line.most:g}"
            told = "  below its bar" if is_below else "  above its bar" if is_above else ""
            print(
                f"{line.name:28} {line.metric:22} {shown(line.seed):>7} {peer:>24} {shown(line.gleaner):>8} "
                f"{shown(line.crossed):>8} {bar:>6}{told}",
                flush=True,
            )
            if os.environ.get("GLEANER_SCORES_JSON"):
                print(json.dumps(line.__dict__))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
