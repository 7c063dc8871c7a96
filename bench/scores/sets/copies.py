"""Copies, formats and versions: pairs of texts of which it is known what they are, among 10,000 texts of other sets.

`crossed` is with shares that were chosen on the pairs of all other owners, `Gleaner` with the shares of the program. The seed is S1's
rule (the same name and size, then the same bytes; the same name in the same folder but for its extension). Peers, given the pairs'
texts alone: MinHash (datasketch, 128 values, 5-word shingles, candidates by its LSH at 0.7, verified at 0.7) and simhash (64 bits,
distance at most 3), both from PyPI. They say only whether two texts are related. A bond with a text of another owner counts as wrong.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

try:
    from scores import Line
except ImportError:  # run by itself, as the peer
    Line = None

BARS = {"f1": 0.95, "precision": 0.99}
RECALL_MIN = 0.98


def lines(place):
    if not (place.corpora / "near-duplicates" / "pairs.jsonl.zst").exists():
        return
    program = place.programs / "gleaner-scores"
    ours = subprocess.run([program, "copies", place.corpora], check=True, capture_output=True, text=True).stdout
    python = place.peers("datasketch", "simhash")
    theirs = subprocess.run([python, __file__, place.corpora], check=True, capture_output=True, text=True).stdout
    figures = {}
    for row in map(json.loads, (ours + theirs).splitlines()):
        figures[row["set"], row["of"]] = row["value"]
    yield Line(
        name="copies candidates",
        metric="recall",
        peer=figures["minhash", "candidates"],
        peer_name="datasketch LSH",
        gleaner=figures["candidates", "recall"],
        bar=RECALL_MIN,
    )
    for of in ["f1", "precision", "recall"]:
        best = max(["minhash", "simhash"], key=lambda name: figures[name, of])
        yield Line(
            name="copies pairs",
            metric=of,
            seed=figures["seed pairs", of],
            peer=figures[best, of],
            peer_name=best,
            gleaner=figures["pairs", of],
            crossed=figures["crossed pairs", of],
            bar=BARS.get(of),
        )
    yield Line(
        name="copies labels",
        metric="macro-F1 of 4",
        seed=figures["seed pairs", "macro-f1"],
        gleaner=figures["pairs", "macro-f1"],
        crossed=figures["crossed pairs", "macro-f1"],
        more={of: value for (name, of), value in figures.items() if name == "pairs"},
    )
    if ("original", "right") in figures:
        yield Line(
            name="copies original",
            metric="right",
            seed=figures["original", "seed right"],
            gleaner=figures["original", "right"],
            bar=0.95,
        )
    yield Line(name="copies speed", metric="ms to add a text", gleaner=figures["speed", "ms to add"])


def peers(corpora):
    from datasketch import MinHash, MinHashLSH
    from simhash import Simhash

    packed = Path(corpora, "near-duplicates", "pairs.jsonl.zst")
    text = subprocess.run(["zstd", "-dcq", "--long=31", packed], capture_output=True, check=True).stdout.decode()
    pairs = [json.loads(line) for line in text.splitlines()]
    sketches, hashes = {}, {}
    index = MinHashLSH(threshold=0.7, num_perm=128)

    def key(side):
        return "\n".join([side["repo"], side["path"], side["rev"]])

    for pair in pairs:
        for side in (pair["a"], pair["b"]):
            if key(side) in sketches:
                continue
            words = re.findall(r"\w+", side["text"].lower())
            shingles = {" ".join(words[at : at + 5]) for at in range(max(1, len(words) - 4))}
            sketch = MinHash(num_perm=128)
            sketch.update_batch([shingle.encode() for shingle in shingles])
            sketches[key(side)] = sketch
            hashes[key(side)] = Simhash(sorted(shingles)).value
            index.insert(key(side), sketch)
    told = {"minhash": [], "simhash": []}
    candidates = related = 0
    for pair in pairs:
        one, other = key(pair["a"]), key(pair["b"])
        near = one == other or other in index.query(sketches[one])
        if pair["label"] != "different":
            related += 1
            candidates += near
        told["minhash"].append(near and sketches[one].jaccard(sketches[other]) >= 0.7)
        told["simhash"].append(bin(hashes[one] ^ hashes[other]).count("1") <= 3)
    print(json.dumps({"set": "minhash", "of": "candidates", "value": candidates / max(related, 1)}))
    for name, said in told.items():
        truth = [pair["label"] != "different" for pair in pairs]
        right = sum(a and b for a, b in zip(said, truth))
        wrong = sum(a and not b for a, b in zip(said, truth))
        missed = sum(b and not a for a, b in zip(said, truth))
        print(json.dumps({"set": name, "of": "precision", "value": right / max(right + wrong, 1)}))
        print(json.dumps({"set": name, "of": "recall", "value": right / max(right + missed, 1)}))
        print(json.dumps({"set": name, "of": "f1", "value": 2 * right / max(2 * right + wrong + missed, 1)}))


if __name__ == "__main__":
    peers(sys.argv[1])
