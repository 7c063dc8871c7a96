"""Search measured: known items beside SQLite FTS5, and the size and speed of the index.

    python3 bench/scores/search.py CORPORA [--documents 100000] [--measure PROGRAM] [--kills 0]

Known items are titles of three words or more that one document alone has, and sentences of bodies that stand in one document
alone. Both engines get the same words, and all of them have to be there. The documents of the corpus `topics` are indexed
alone for the known items; for size and speed they are filled up to --documents with pages mixed from their paragraphs.
PROGRAM is the example `measure` of the room `search`, built with `cargo build --release -p gleaner-search --example measure`.
"""

import argparse
import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def corpus(folder):
    documents = []
    for path in sorted(Path(folder, "topics").glob("*.jsonl.zst")):
        text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode()
        documents += [json.loads(line) for line in text.split("\n") if line]
    return [{"title": d["title"] or "", "text": d["text"]} for d in documents]


def words(text):
    return [word.lower() for word in re.findall(r"[^\W_]+", text)]


def known_items(documents, count, chance):
    """Questions with the number of the one document that is meant."""
    seen = {}
    for at, document in enumerate(documents):
        seen.setdefault(" ".join(words(document["title"])), []).append(at)
    titles = [(title, at[0] + 1) for title, at in seen.items() if len(at) == 1 and len(title.split()) >= 3]
    texts = [" ".join(words(document["text"])) for document in documents]
    whole = "\n".join(texts)
    sentences = []
    for at in chance.sample(range(len(documents)), len(documents)):
        found = [s for s in re.split(r"(?<=[.!?])\s+", documents[at]["text"]) if 8 <= len(words(s)) <= 30]
        if not found:
            continue
        sentence = " ".join(words(chance.choice(found)))
        if sentence in texts[at] and whole.count(sentence) == texts[at].count(sentence):
            sentences.append((sentence, at + 1))
        if len(sentences) == count:
            break
    chance.shuffle(titles)
    return titles[:count], sentences


def rank(found, meant):
    return 1 / (found.index(meant) + 1) if meant in found[:10] else 0.0


class Fts5:
    """The best that SQLite offers by itself: stems, accents off, the title weighed."""

    def __init__(self, documents):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE d USING fts5(title, text, tokenize = 'porter unicode61 remove_diacritics 2')")
        rows = ((at + 1, d["title"], d["text"]) for at, d in enumerate(documents))
        self.db.executemany("INSERT INTO d(rowid, title, text) VALUES (?, ?, ?)", rows)

    def ask(self, question, weight):
        asked = " ".join(f'"{word}"' for word in question.split())
        sql = "SELECT rowid FROM d WHERE d MATCH ? ORDER BY bm25(d, ?, 1.0) LIMIT 10"
        return [row[0] for row in self.db.execute(sql, (asked, weight))]


def write_lines(path, lines):
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(line + "\n" for line in lines)


def run(program, *arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, check=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return [json.loads(line) for line in done.stdout.splitlines()], cpu


def bytes_in(folder):
    return sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())


def mixed(documents, count, chance):
    """Pages made of paragraphs of the corpus, until there are enough."""
    paragraphs = [p for d in documents for p in d["text"].split("\n\n") if 80 <= len(p) <= 2000]
    yield from documents
    for at in range(count - len(documents)):
        some = chance.sample(paragraphs, chance.randint(2, 8))
        yield {"title": f"{' '.join(words(some[0])[:4])} {at}", "text": "\n\n".join(some)}


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]


def killed(program, folder, source, kills, seconds, chance):
    """Builds an index that is killed again and again."""
    done = 0
    while done < kills:
        process = subprocess.Popen([program, "index", folder, source], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(chance.uniform(0.02, max(0.05, seconds * 0.6)))
        process.send_signal(signal.SIGKILL)
        process.wait()
        done += 1
    run(program, "index", folder, source)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("corpora")
    parser.add_argument("--documents", type=int, default=100_000)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--kills", type=int, default=0)
    target = os.environ.get("CARGO_TARGET_DIR", str(Path.home() / ".cache/gleaner/target"))
    parser.add_argument("--measure", default=f"{target}/release/examples/measure")
    given = parser.parse_args()
    if not Path(given.corpora, "topics").is_dir() or not shutil.which("zstd"):
        print("search: skipped, there is no corpus `topics` or no zstd")
        return 0
    chance = random.Random(20)
    documents = corpus(given.corpora)
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        write_lines(at("small.jsonl"), (json.dumps(d) for d in documents))
        run(given.measure, "index", at("small"), at("small.jsonl"))
        fts5 = Fts5(documents)
        titles, sentences = known_items(documents, given.items, chance)
        for name, items in (("titles", titles), ("sentences", sentences)):
            write_lines(at("questions"), (question for question, _ in items))
            answers, _ = run(given.measure, "ask", at("small"), at("questions"))
            ours = sum(rank(a["found"], meant) for a, (_, meant) in zip(answers, items)) / len(items)
            theirs = max(sum(rank(fts5.ask(q, w), meant) for q, meant in items) / len(items) for w in (1.0, 5.0, 10.0))
            print(f"search {name:9}  MRR@10 of {len(items)}: SQLite FTS5 {theirs:.3f}, Gleaner {ours:.3f}", flush=True)
            if ours < 0.9 or ours < theirs:
                failed.append(name)

        if given.documents > len(documents):
            write_lines(at("large.jsonl"), (json.dumps(d) for d in mixed(documents, given.documents, chance)))
            told, cpu = run(given.measure, "index", at("large"), at("large.jsonl"))
            count, text = told[0]["documents"], told[0]["text_bytes"]
            share = bytes_in(at("large")) / text
            each = cpu * 1000 / count
            print(f"search index     {count} documents, {text / 1e6:.0f} MB of text: {each:.2f} ms of CPU a document, "
                  f"index {share:.2f} of the text", flush=True)
            questions = [q for q, _ in titles + sentences][: 2 * given.items]
            short = [" ".join(chance.sample(q.split(), min(2, len(q.split())))) for q in questions]
            write_lines(at("questions"), questions + short)
            answers, _ = run(given.measure, "ask", at("large"), at("questions"))
            times = [a["ms"] for a in answers]
            print(f"search questions {len(times)}: p50 {quantile(times, 0.5):.1f} ms, p99 {quantile(times, 0.99):.1f} ms", flush=True)
            if each > 1.0 or share > 0.5 or quantile(times, 0.99) > 50:
                failed.append("size and speed")

        if given.kills:
            began = time.time()
            run(given.measure, "index", at("again"), at("small.jsonl"))
            killed(given.measure, at("killed"), at("small.jsonl"), given.kills, time.time() - began, chance)
            items = (titles + sentences)[:1000]
            write_lines(at("questions"), (question for question, _ in items))
            one, _ = run(given.measure, "ask", at("again"), at("questions"))
            two, _ = run(given.measure, "ask", at("killed"), at("questions"))
            other = sum(a["found"] != b["found"] for a, b in zip(one, two))
            print(f"search kills     {given.kills}: {other} of {len(items)} questions have other answers", flush=True)
            if other:
                failed.append("kills")
    if failed:
        print("search: below its bar: " + ", ".join(failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
