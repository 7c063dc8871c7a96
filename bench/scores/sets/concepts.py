"""Concepts: S3's case of 500 pages with its tables 4.1 to 4.3, and 100,000 pages.

S3 crawled 500 pages of one site and gave its concept engine all their text (table 4.1), then what stands in `<p>` (4.2), and
compared both (4.3): tokens that the engine wrote, which are rows of its table, seconds, and space on disk. Here the same is done
with 500 pages of the corpora, and with the main text besides; `seed` is what S3 measured. Seconds are those of extraction and
concepts together, on all processors.
100,000 texts go from phrase to phrase as those of the corpus `topics` do. The law of closure is looked at in every run.
`navigation` is the share of concepts that stem from what WCXB says is no part of the main text.
"""

import json
import os
import subprocess

from scores import Line

PAGES = 500
TEXTS = int(os.environ.get("GLEANER_CONCEPT_TEXTS", 100_000))
# Tokens, seconds and share of the bytes in S3's tables.
SEED = {"all text": (243_550, 5921.98, 1.0), "paragraphs": (102_749, 2186.79, 0.30)}
TABLES = {"all text": "S3 4.1 all text", "paragraphs": "S3 4.2 paragraphs", "main text": "S3 main text"}
# On two cores. Where others work on this machine, only the processor time says anything.
SECONDS_MAX, CORES = 2.0, 2
IS_FREE = os.getloadavg()[0] < 1.0


def rows(place, *arguments):
    program = place.programs / "examples" / "concepts"
    done = subprocess.run([program, *map(str, arguments)], check=True, capture_output=True, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def lines(place):
    if (place.corpora / "wcxb").is_dir():
        found = {row["of"]: row for row in rows(place, "pages", place.corpora, PAGES)}
        for row in found.values():
            yield from table(row)
        for of in ("paragraphs", "main text"):
            yield from compared(found[of], found["all text"])
    if (place.corpora / "topics").is_dir():
        (row,) = rows(place, "texts", place.corpora, TEXTS)
        name = f"concepts of {row['documents']} pages"
        yield Line(name=name, metric="minutes", gleaner=row["seconds"] / 60, most=10.0, more=row)
        yield Line(name=name, metric="CPU minutes", gleaner=row["cpu_seconds"] / 60, more=row)
        yield Line(name=name, metric="memory, MB", gleaner=row["megabytes"], most=2048.0)
        yield Line(name=name, metric="closure law", gleaner=float(row["closed"]), bar=1.0)


def table(row):
    name = TABLES[row["of"]]
    tokens, seconds, _ = SEED.get(row["of"], (None, None, None))
    most = None if row["of"] == "all text" else SECONDS_MAX
    cpu_most = most and CORES * most
    yield Line(name=name, metric=f"tokens, {row['pages']} pages", seed=tokens, gleaner=row["concepts"], more=row)
    yield Line(name=name, metric="words", gleaner=row["tokens"])
    yield Line(name=name, metric="seconds", seed=seconds, gleaner=row["seconds"], most=most if IS_FREE else None)
    yield Line(name=name, metric="CPU seconds", gleaner=row["cpu_seconds"], most=cpu_most)
    yield Line(name=name, metric="bytes", gleaner=row["bytes"])
    yield Line(name=name, metric="closure law", gleaner=float(row["closed"]), bar=1.0)
    if row["of"] == "main text":
        yield Line(name=name, metric="from navigation", gleaner=row["navigation"], most=0.02)


def compared(row, whole):
    """Table 4.3: what is left of the work when less than all text is taken."""
    name = f"S3 4.3 {row['of']}"
    seed, all_text = SEED.get(row["of"]), SEED["all text"]
    for at, (metric, of) in enumerate((("tokens", "concepts"), ("seconds", "seconds"), ("bytes", "bytes"))):
        then = seed[at] / all_text[at] if seed else None
        yield Line(name=name, metric=f"{metric} / all text", seed=then, gleaner=row[of] / max(whole[of], 1e-9))
