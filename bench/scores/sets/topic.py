"""Is a page on the topic: F1 and accuracy on real pages about Ebola and others, beside S1's keyword rule and TF-IDF with a linear model.

Every page is judged by what was learned from pages of other hosts, in five parts, the same for all. `20 examples` has seen 20 good
pages and others that were only met; `no examples` has the topic's words alone, which are also those of S1's rule. The peer is
LogisticRegression (scikit-learn) on TF-IDF of words and pairs of title and text.
"""

import json
import subprocess

try:
    from scores import Line
except ImportError:  # run by itself, as the peer
    Line = None

METRICS = {"f1": "F1", "accuracy": "accuracy"}
MILLISECONDS_MAX = 2.0


def lines(place):
    if not (place.corpora / "focused-ebola" / "index.json").exists():
        return
    program = place.programs / "examples" / "topic"

    def said(*words):
        return subprocess.run([program, place.corpora, *words], check=True, capture_output=True, text=True).stdout

    python = place.peers("scikit-learn")
    theirs = subprocess.run([python, __file__], input=said("dump"), check=True, capture_output=True, text=True).stdout
    figures = {(row["set"], row["of"]): row["value"] for row in map(json.loads, (said() + theirs).splitlines())}
    for of, metric in METRICS.items():
        peer = figures["peer", of]
        yield Line(name="topic", metric=metric, seed=figures["seed", of], peer=peer, peer_name="TF-IDF linear",
                   gleaner=figures["gleaner", of], bar=peer)
        for few in ("20 examples", "no examples"):
            yield Line(name=f"topic, {few}", metric=metric, seed=figures["seed", of], gleaner=figures[few, of],
                       bar=figures["seed", of] if few == "20 examples" else None)
    yield Line(name="topic speed", metric="ms a page", gleaner=figures["speed", "ms"], most=MILLISECONDS_MAX)


def peers():
    import sys

    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import accuracy_score, f1_score

    rows = [json.loads(line) for line in sys.stdin]
    texts = [row["title"] + "\n" + row["text"] for row in rows]
    good = [row["good"] for row in rows]
    said = [False] * len(rows)
    for part in sorted({row["fold"] for row in rows}):
        seen = [at for at, row in enumerate(rows) if row["fold"] != part]
        rest = [at for at, row in enumerate(rows) if row["fold"] == part]
        words = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2)
        model = LogisticRegression(C=30.0, class_weight="balanced", max_iter=1000)
        model.fit(words.fit_transform([texts[at] for at in seen]), [good[at] for at in seen])
        for at, one in zip(rest, model.predict(words.transform([texts[at] for at in rest]))):
            said[at] = bool(one)
    print(json.dumps({"set": "peer", "of": "f1", "value": float(f1_score(good, said))}))
    print(json.dumps({"set": "peer", "of": "accuracy", "value": float(accuracy_score(good, said))}))


if __name__ == "__main__":
    peers()
