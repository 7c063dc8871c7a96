"""A focused crawl replayed on departments of universities: recall of the pages of a class when a fifth of all may be read.

Each university in turn is the one that is crawled; the judge of pages was trained on the others only, and nothing else is known
beforehand. `breadth first` and `S1's order` are the same where S1 has no knowledge yet. The oracle knows how far each page is from
the next that is wanted. Gleaner's figure is the mean over seeds of chance. Classes whose reachable pages are none count as 0 for all.
"""

import json
import subprocess

from scores import Line

SEEDS = 10
RECALL_MIN = 0.75
ORDERS = ("breadth first", "parent", "s1", "oracle", "gleaner")


def lines(place):
    if not (place.corpora / "webkb" / "stats.json").exists():
        return
    program = place.programs / "examples" / "webkb"
    done = subprocess.run([program, place.corpora, str(SEEDS)], check=True, capture_output=True, text=True)
    rows = sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda row: (row["university"], row["class"]))
    for row in rows:
        yield Line(name=f"webkb {row['university'][:12]} {row['class']}", metric="recall at 20 %", seed=row["s1"],
                   peer=row["parent"], peer_name="parent's score", gleaner=row["gleaner"], more=row)
    mean = {order: sum(row[order] for row in rows) / len(rows) for order in ORDERS}
    for order in ("breadth first", "oracle"):
        yield Line(name="webkb mean", metric=f"recall, {order}", gleaner=mean[order])
    yield Line(name="webkb mean", metric="recall at 20 %", seed=mean["s1"], peer=mean["parent"], peer_name="parent's score",
               gleaner=mean["gleaner"], bar=RECALL_MIN)
