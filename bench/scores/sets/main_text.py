"""The main text: WCXB (words), AEB (four words in a row), trafilatura's own pages (pieces), and what a page costs.

Gleaner's figures come from `gleaner-scores`; those of the peers from the same pages in this run. `crossed` is by models
that have not seen the host of the page; on other data the checked-in model has seen none of it and there is no second figure.
"""

import json
import subprocess

try:
    from scores import Line
except ImportError:  # run by itself, as the peer
    Line = None

BARS = {"wcxb": 0.83, "aeb": 0.965, "trafilatura-eval": 0.915}
FIELDS = {"empty": "pages without text"}
METRICS = {"wcxb": "words F1", "aeb": "4-word shingles F1", "trafilatura-eval": "pieces F1"}


def read(command):
    found = {}
    for text in subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines():
        row = json.loads(text)
        found[(row["set"], row["of"])] = row["value"]
    return found


def lines(place):
    program = place.programs / "gleaner-scores"
    ours = read([program, "measure", place.corpora])
    crossed = read([program, "cross", place.corpora]) if place.is_own else {}
    python = place.peers("trafilatura", "lxml_html_clean", "resiliparse")
    peers = {}
    for name in ("trafilatura", "resiliparse"):
        texts = subprocess.run(
            [python, __file__, name, str(place.corpora)], check=True, capture_output=True
        ).stdout
        judged = subprocess.run(
            [program, "judge", place.corpora], check=True, input=texts, capture_output=True
        ).stdout.decode()
        peers[name] = {(row["set"], row["of"]): row["value"] for row in map(json.loads, judged.splitlines())}
    sets = sorted(key for key in ours if not key[1].startswith("seed "))
    for key in sets:
        name, of = key
        # Of pages without any text few are best.
        better = min if of == "empty" else max
        best = better(
            ((values[key], peer) for peer, values in peers.items() if values.get(key) is not None),
            default=(None, ""),
        )
        trafilatura = peers["trafilatura"].get(key)
        is_kind = name == "wcxb" and of not in ("all", "empty")
        bar = BARS.get(name) if of == "all" else trafilatura if is_kind else None
        if of == "speed":
            bar = max(10 * peers["trafilatura"][key], 0.5 * peers["resiliparse"][key])
        yield Line(
            name=name if of in ("all", name) else f"{name} {of}",
            metric="pages a CPU-second" if of == "speed" else METRICS.get(name, "") if of == "all" or is_kind else FIELDS.get(of, of),
            seed=ours.get((name, f"seed {of}")),
            peer=best[0],
            peer_name=best[1],
            gleaner=ours[key],
            crossed=crossed.get(key),
            bar=bar,
            # Never empty where gold is not.
            most=0 if of == "empty" else None,
        )


def extract(name, corpora):
    """Prints what a peer takes from each page, and what it cost."""
    import gzip
    import pathlib
    import time

    if name == "trafilatura":
        import trafilatura

        def take(html, url):
            return trafilatura.extract(html, url=url, include_comments=True) or ""
    else:
        from resiliparse.extract.html2text import extract_plain_text
        from resiliparse.parse.encoding import bytes_to_str, detect_encoding

        def take(html, url):
            return extract_plain_text(bytes_to_str(html, detect_encoding(html)), main_content=True, comments=True)

    root = pathlib.Path(corpora)
    pages = []
    for file in sorted((root / "wcxb/ground-truth").glob("*.json")):
        gold = json.loads(file.read_text())
        pages.append(("wcxb", file.stem, root / f"wcxb/html/{file.stem}.html.gz", gold.get("url")))
    if (root / "aeb/ground-truth.json").exists():
        for id, page in json.loads((root / "aeb/ground-truth.json").read_text()).items():
            pages.append(("aeb", id, root / f"aeb/html/{id}.html.gz", page.get("url")))
    if (root / "trafilatura-eval/evaldata.json").exists():
        for url, page in json.loads((root / "trafilatura-eval/evaldata.json").read_text()).items():
            pages.append(("trafilatura-eval", page["file"], root / "trafilatura-eval/html" / page["file"], url))
    spent = 0.0
    for set_, id, file, url in pages:
        html = gzip.open(file).read()
        start = time.process_time()
        try:
            text = take(html, url)
        except Exception:  # a page that a peer cannot read is a page without text
            text = ""
        spent += time.process_time() - start
        print(json.dumps({"set": set_, "id": id, "text": text or ""}))
    print(json.dumps({"set": "speed", "id": "", "text": "", "pages": len(pages), "seconds": spent}))


if __name__ == "__main__":
    import sys

    extract(sys.argv[1], sys.argv[2])
