"""One edited paragraph on each of 200 real pages: lines of Markdown that differ, and chunks that have new ids.

The words are typed into the bytes of the page, into the paragraph in the middle of its main text, so that what is measured is
the way from the bytes to the lines. The figures are shares of pages within the bar: three lines, two chunks.
"""

import json
import subprocess

from scores import Line

PAGES = 200
LINES_MAX, CHUNKS_MAX = 3, 2


def lines(place):
    if not (place.corpora / "wcxb" / "html").is_dir():
        return
    program = place.programs / "examples" / "edits"
    done = subprocess.run([program, place.corpora, str(PAGES)], check=True, capture_output=True, text=True)
    pages = [json.loads(line) for line in done.stdout.splitlines()]
    if not pages:
        return
    for name, of, most in (
        ("Markdown, main text", "main", LINES_MAX),
        ("Markdown, whole page", "whole", LINES_MAX),
        ("chunks", "chunks", CHUNKS_MAX),
    ):
        above = [page for page in pages if page[of] > most]
        unit = "chunks" if of == "chunks" else "lines"
        yield Line(
            name=f"edits {name}",
            metric=f"≤{most} {unit}, {len(pages)} pages",
            gleaner=1 - len(above) / len(pages),
            bar=1.0,
            more={"above": above},
        )
