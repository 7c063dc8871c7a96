"""Key phrases: F1 of the ten best, beside tf-idf, YAKE and RAKE on the same documents in the same run.

All get the same text and are judged alike: phrases by the stems of their words, doubles dropped, the ten first, averaged over
documents. `crossed` is by tables of weights that have not seen the document; on other data there is no second figure.
The bar of each set is the best of the three. YAKE and RAKE are the packages from PyPI, with up to three words a phrase;
tf-idf weighs runs of up to three words without stop words by how many documents of the set have them.
"""

import json
import math
import re
import subprocess
from collections import Counter

try:
    from scores import Line
except ImportError:  # run by itself, as the peers
    Line = None

PEERS = ("tf-idf", "YAKE", "RAKE")
TAKEN = 10


def lines(place):
    if not sorted((place.corpora / "keyphrases").glob("*.jsonl.zst")):
        return
    program = place.programs / "examples" / "phrases"
    ours = subprocess.run(
        [program, place.corpora, *(["--cross"] if place.is_own else [])], check=True, capture_output=True, text=True
    ).stdout
    python = place.peers("yake", "rake-nltk", "snowballstemmer")
    judged = subprocess.run(
        [python, __file__, str(place.corpora)], input=ours, check=True, capture_output=True, text=True
    ).stdout
    figures = {(row["set"], row["of"]): row["value"] for row in map(json.loads, judged.splitlines())}
    for name in sorted({set_ for set_, _ in figures}):
        peers = {peer: figures[(name, peer)] for peer in PEERS}
        best = max(peers, key=peers.get)
        yield Line(
            name=f"keyphrases {name}",
            metric="F1@10 by stems",
            peer=peers[best],
            peer_name=best,
            gleaner=figures[(name, "gleaner")],
            crossed=figures.get((name, "crossed")),
            bar=peers[best],
            more=peers,
        )


def documents(corpora):
    from pathlib import Path

    for file in sorted(Path(corpora, "keyphrases").glob("*.jsonl.zst")):
        text = subprocess.run(["zstd", "-dcq", file], capture_output=True, check=True).stdout.decode()
        yield file.name.split(".")[0], [json.loads(line) for line in text.split("\n") if line]


class Judge:
    def __init__(self):
        import snowballstemmer

        self.stemmer = snowballstemmer.stemmer("english")

    def stems(self, phrase):
        return " ".join(self.stemmer.stemWords([word.lower() for word in re.findall(r"[^\W_]+", phrase)]))

    def f1(self, phrases, keys):
        gold = {stems for stems in map(self.stems, keys) if stems}
        if not gold:
            return None
        taken = list(dict.fromkeys(stems for stems in map(self.stems, phrases) if stems))[:TAKEN]
        right = sum(stems in gold for stems in taken)
        return 2 * right / (len(taken) + len(gold)) if taken else 0.0


class TfIdf:
    """Runs of up to three words, none of them a stop word, merged by their stems."""

    def __init__(self, texts, stop_words, judge):
        self.judge, self.stop_words, self.cache = judge, stop_words, {}
        self.counts = [self.runs(text) for text in texts]
        self.documents = Counter(run for counts in self.counts for run in counts)

    def stem(self, word):
        if word not in self.cache:
            self.cache[word] = self.judge.stems(word)
        return self.cache[word]

    def runs(self, text):
        counts = Counter()
        for piece in re.split(r"[^\w\s'’-]+|\n\s*\n", text):
            words = re.findall(r"[^\W_]+", piece.lower())
            fits = [word not in self.stop_words and len(word) > 1 and not word.isdigit() for word in words]
            for at in range(len(words)):
                for end in range(at + 1, min(at + 3, len(words)) + 1):
                    if not fits[end - 1]:
                        break
                    counts[" ".join(map(self.stem, words[at:end]))] += 1
        return counts

    def best(self, at):
        total = len(self.counts)
        weights = {run: n * math.log(total / self.documents[run]) for run, n in self.counts[at].items()}
        return sorted(weights, key=lambda run: (-weights[run], run))[: 2 * TAKEN]


def main(corpora, rows):
    """Reads Gleaner's phrases, makes the others', and prints the figures of all."""
    from pathlib import Path

    import yake
    from nltk.tokenize import wordpunct_tokenize
    from rake_nltk import Rake

    judge = Judge()
    extractor = yake.KeywordExtractor(lan="en", n=3, top=2 * TAKEN)
    lists = sorted(Path(yake.__file__).parent.rglob("stopwords_en.txt"))
    stop_words = set(lists[0].read_text().split())
    rake = Rake(
        stopwords=stop_words,
        max_length=3,
        sentence_tokenizer=lambda text: re.split(r"(?<=[.!?])\s+", text),
        word_tokenizer=wordpunct_tokenize,
    )
    ours = {(row["set"], str(row["id"])): row for row in map(json.loads, rows)}
    for name, found in documents(corpora):
        tf_idf = TfIdf([document["text"] for document in found], stop_words, judge)
        figures = {}
        for at, document in enumerate(found):
            rake.extract_keywords_from_text(document["text"])
            row = ours[(name, str(document["id"]))]
            phrases = {
                "tf-idf": tf_idf.best(at),
                "YAKE": [phrase for phrase, _ in extractor.extract_keywords(document["text"])],
                "RAKE": rake.get_ranked_phrases()[: 2 * TAKEN],
                "gleaner": row["phrases"],
            }
            if "crossed" in row:
                phrases["crossed"] = row["crossed"]
            for of, those in phrases.items():
                value = judge.f1(those, document["keys"])
                if value is not None:
                    figures.setdefault(of, []).append(value)
        for of, values in figures.items():
            print(json.dumps({"set": name, "of": of, "value": sum(values) / len(values)}))


if __name__ == "__main__":
    import sys

    main(sys.argv[1], sys.stdin)
