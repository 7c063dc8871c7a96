"""A thousand hostile files: honest documents of the corpora with bytes changed. Nothing dies and nothing is left running.

Each is given to `gleaner convert`, which ends with text (0) or a reason (1). `broken` counts those whose reader died: that is a
reason on that document and no failure. Processes are known by a folder for temporary files that only they have.
"""

import os
import random
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from scores import Line

FILES = int(os.environ.get("GLEANER_HOSTILE_FILES", 1000))
SEED = 1311
SECONDS_MAX = 120


def lines(place):
    files = [file for file in sorted((place.corpora / "formats").glob("*/*")) if file.parent.name != "expected" and file.is_file()]
    files += sorted((place.corpora / "pdf-robustness").glob("*.pdf"))
    if not files:
        return
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder, "own")
        own.mkdir()
        environment = {**os.environ, "TMPDIR": str(own)}

        def convert(number):
            chance = random.Random(SEED + number)
            file = chance.choice(files)
            at = Path(folder, f"{number}-{file.name}")
            at.write_bytes(mutated(file.read_bytes(), chance))
            command = [place.programs / "gleaner", "convert", at]
            try:
                done = subprocess.run(command, capture_output=True, timeout=SECONDS_MAX, env=environment)
            except subprocess.TimeoutExpired:
                return file.name, None, ""
            at.unlink()
            return file.name, done.returncode, done.stderr.decode("utf-8", "replace")

        with ThreadPoolExecutor(2) as pool:
            ends = list(pool.map(convert, range(FILES)))
        left, files_left = running(str(own)), list(own.iterdir())
    died = [(name, code, told) for name, code, told in ends if code not in (0, 1)]
    broken = sum("document-crashed" in told for _, _, told in ends)
    name = f"hostile, {len(ends)} files"
    yield Line(name, "died", gleaner=float(len(died)), most=0.0, more={"died": died})
    yield Line(name, "left running or lying", gleaner=float(len(left) + len(files_left)), most=0.0, more={"left": left})
    yield Line(name, "readers broken", gleaner=float(broken))


def mutated(data, chance):
    """Bits flipped, pieces cut out, doubled or overwritten, the end cut off."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 5)):
        if not data:
            break
        at = chance.randrange(len(data))
        end = min(len(data), at + chance.randrange(2000))
        way = chance.randrange(6)
        if way == 0:
            del data[at:]
        elif way == 1:
            for _ in range(chance.randint(1, 200)):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        elif way == 2:
            del data[at:end]
        elif way == 3:
            data[at:at] = data[at:end]
        else:
            data[at:end] = (b"\xff" if way == 4 else b"\0") * (end - at)
    return bytes(data)


def running(mark):
    """Processes that have this in their environment."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (entry / "environ").read_bytes():
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        except OSError:
            continue
    return found
