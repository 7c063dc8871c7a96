"""Genre of documents: accepted or rejected rightly, and macro-F1 over the genres, beside S1's rules and TF-IDF with a linear SVC.

Three views: with all that is known; without the names of the files; by the text alone. `crossed` is by models that have not seen the
owner of what they judge, `Gleaner` by the checked-in model, which was trained on the own data. The peer is LinearSVC (scikit-learn)
on TF-IDF of the first 400 and last 200 words, crossed by owner in the same parts; it gets the numbers of the layout and n-grams
of the name where they are known. Labels are mended by bench/scores/genre-labels.tsv for all alike.
"""

import json
import subprocess

try:
    from scores import Line
except ImportError:  # run by itself, as the peer
    Line = None

VIEWS = {"all": "with all", "nameless": "without names", "text": "text alone"}
METRICS = {"accept": "accept or reject", "macro-f1": "macro-F1 of 14"}
BARS = {("all", "accept"): 0.975, ("all", "macro-f1"): 0.88, ("nameless", "accept"): 0.95, ("nameless", "macro-f1"): 0.82}
MILLISECONDS_MAX = 2.0


def lines(place):
    if not (place.corpora / "genre" / "manifest.tsv").exists():
        return
    program = place.programs / "gleaner-scores"
    ours = subprocess.run(
        [program, "genre", place.corpora, *([] if place.is_own else ["checked-in"])], check=True, capture_output=True, text=True
    ).stdout
    seen = subprocess.run([program, "genre-dump", place.corpora], check=True, capture_output=True, text=True).stdout
    python = place.peers("scikit-learn")
    theirs = subprocess.run([python, __file__], input=seen, check=True, capture_output=True, text=True).stdout
    figures = {}
    for row in map(json.loads, (ours + theirs).splitlines()):
        figures[row["set"], row["of"]] = row["value"]
    for view, words in VIEWS.items():
        for of, metric in METRICS.items():
            peer = figures[f"peer {view}", of]
            yield Line(
                name=f"genre {words}",
                metric=metric,
                seed=figures["seed", of],
                peer=peer,
                peer_name="TF-IDF SVC",
                gleaner=figures[f"checked-in {view}", of],
                crossed=figures.get((f"crossed {view}", of)),
                bar=max(peer, BARS.get((view, of), 0.0)) if place.is_own else None,
                more={genre: value for (name, genre), value in figures.items() if name == f"crossed {view}"},
            )
    yield Line(
        name="genre speed",
        metric="ms a document",
        gleaner=figures["speed", "mean ms"],
        most=MILLISECONDS_MAX,
        more={"slowest": figures["speed", "slowest ms"]},
    )


ACCEPTED = {"paper", "thesis", "technical-report", "faq-or-manual"}


def peers():
    import sys

    import numpy as np
    from scipy.sparse import csr_matrix, hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics import f1_score
    from sklearn.preprocessing import StandardScaler
    from sklearn.svm import LinearSVC

    rows = [json.loads(line) for line in sys.stdin]
    rows = [row for row in rows if row["unread"] is None]
    genres = np.array([row["genre"] for row in rows])
    folds = np.array([row["fold"] for row in rows])
    texts = [" ".join(row["words"]) for row in rows]
    names = [row["file"].rsplit("/", 1)[-1].split("_", 1)[-1] for row in rows]
    columns = rows[0]["names"]
    looks = slice(columns.index("pages"), columns.index("named-thesis"))
    numbers = np.array([row["numbers"][looks] for row in rows])

    def features(seen, of, view):
        words = TfidfVectorizer(sublinear_tf=True, token_pattern=r"\S+").fit([texts[at] for at in seen])
        parts = [words.transform([texts[at] for at in of])]
        if view != "text":
            scaler = StandardScaler().fit(numbers[seen])
            parts.append(csr_matrix(scaler.transform(numbers[of]) * 0.1))
        if view == "all":
            shapes = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)).fit([names[at] for at in seen])
            parts.append(shapes.transform([names[at] for at in of]))
        return hstack(parts).tocsr()

    for view in VIEWS:
        said = genres.copy().astype(object)
        for fold in sorted(set(folds)):
            seen, held = np.where(folds != fold)[0], np.where(folds == fold)[0]
            model = LinearSVC(C=1.0, random_state=0).fit(features(seen, seen, view), genres[seen])
            said[held] = model.predict(features(seen, held, view))
        right = np.mean([(one in ACCEPTED) == (other in ACCEPTED) for one, other in zip(genres, said)])
        for of, value in {"accept": right, "macro-f1": f1_score(genres, said, average="macro", zero_division=0)}.items():
            print(json.dumps({"set": f"peer {view}", "of": of, "value": float(value)}))


if __name__ == "__main__":
    peers()
