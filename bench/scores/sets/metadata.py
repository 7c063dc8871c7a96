"""Title, authors and day of pages, on the sets that know them, beside trafilatura in the same run.

What is compared is written in bench/scores/src/fields.rs. `half 0` and `half 1` are the pages parted by host: rules for
authors and days are made by looking at the first half only, those for titles by looking at both.
"""

import json
import subprocess

try:
    from scores import Line
except ImportError:  # run by itself, as the peer
    Line = None

BARS = {"title": 0.95, "date": 0.90, "author": 0.80}
METRICS = {"title": "words F1", "author": "names F1"}


def read(command, given=None):
    out = subprocess.run(command, check=True, input=given, capture_output=True).stdout.decode()
    return {(row["set"], row["of"]): row["value"] for row in map(json.loads, out.splitlines())}


def lines(place):
    program = place.programs / "gleaner-scores"
    ours = read([program, "fields", place.corpora])
    python = place.peers("trafilatura", "lxml_html_clean")
    said = subprocess.run([python, __file__, str(place.corpora)], check=True, capture_output=True).stdout
    peer = read([program, "judge-fields", place.corpora], said)
    for (name, of), value in sorted(ours.items()):
        yield Line(
            name=f"{name} {of}",
            metric=METRICS.get(of.removeprefix("half 0 ").removeprefix("half 1 "), "share"),
            peer=peer.get((name, of)),
            peer_name="trafilatura",
            gleaner=value,
            bar=BARS.get(of) if name == "wcxb" else None,
        )


def extract(corpora):
    """Prints what the peer says about each page."""
    import gzip
    import pathlib

    from trafilatura import extract_metadata

    root = pathlib.Path(corpora)
    pages = []
    for file in sorted((root / "wcxb/ground-truth").glob("*.json")):
        url = json.loads(file.read_text()).get("url")
        pages.append(("wcxb", file.stem, root / f"wcxb/html/{file.stem}.html.gz", url))
    if (root / "trafilatura-eval/evaldata.json").exists():
        for url, page in json.loads((root / "trafilatura-eval/evaldata.json").read_text()).items():
            pages.append(("trafilatura-eval", page["file"], root / "trafilatura-eval/html" / page["file"], url))
    for set_, id, file, url in pages:
        try:
            found = extract_metadata(gzip.open(file).read(), default_url=url)
            row = {"title": found.title, "author": found.author, "date": found.date}
        except Exception:  # a page that a peer cannot read is one about which it says nothing
            row = {}
        print(json.dumps({"set": set_, "id": id, **row}))


if __name__ == "__main__":
    import sys

    extract(sys.argv[1])
