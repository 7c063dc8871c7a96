"""Search: known items beside SQLite FTS5, what an index of 100,000 documents costs, and what kills do to it.

Known items are titles of three words or more that one document alone has, and sentences of bodies that stand in one document
alone. Both engines get the same words, and all of them have to be there. The weights of the fields were chosen with the
items of one sample in view (`Gleaner`); `crossed` is by items that are not in it. On other data all items are new.
The documents of the corpus `topics` are indexed alone for known items and kills; for size and speed they are filled up to
100,000 with pages mixed from their paragraphs. The figures come from the example `measure` of the room `search`.
"""

import json
import os
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
from pathlib import Path

from scores import Line

DOCUMENTS = int(os.environ.get("GLEANER_SEARCH_DOCUMENTS", 100_000))
KILLS = int(os.environ.get("GLEANER_SEARCH_KILLS", 100))
ITEMS = 500
# The sample that the weights were chosen with, and the one that judges them.
CHOSEN_WITH, JUDGED_BY = 20, 21


def lines(place):
    if not (place.corpora / "topics").is_dir() or not shutil.which("zstd"):
        return
    program = place.programs / "examples" / "measure"
    documents = corpus(place.corpora)
    with tempfile.TemporaryDirectory() as folder:
        at = lambda name: os.path.join(folder, name)
        write_lines(at("small.jsonl"), (json.dumps(d) for d in documents))
        run(program, "index", at("small"), at("small.jsonl"))
        fts5 = Fts5(documents)
        seen = known_items(documents, random.Random(CHOSEN_WITH))
        other = known_items(documents, random.Random(JUDGED_BY), {question for items in seen.values() for question, _ in items})
        for name in ("titles", "sentences"):
            figures = []
            for items in (seen[name], other[name]):
                write_lines(at("questions"), (question for question, _ in items))
                answers, _ = run(program, "ask", at("small"), at("questions"))
                ours = mean(rank(a["found"], meant) for a, (_, meant) in zip(answers, items))
                theirs = max(mean(rank(fts5.ask(q, w), meant) for q, meant in items) for w in (1.0, 5.0, 10.0))
                figures.append((ours, theirs))
            (chosen, _), (judged, peer) = figures
            yield Line(
                name=f"search {name}",
                metric=f"MRR@10 of {len(other[name])}",
                peer=peer,
                peer_name="SQLite FTS5",
                gleaner=chosen if place.is_own else judged,
                crossed=judged if place.is_own else None,
                bar=max(0.9, peer),
            )
        yield from size_and_speed(program, documents, other, at)
        yield from killed(program, documents, other, at)


def size_and_speed(program, documents, items, at):
    chance = random.Random(7)
    write_lines(at("large.jsonl"), (json.dumps(d) for d in mixed(documents, DOCUMENTS, chance)))
    told, cpu = run(program, "index", at("large"), at("large.jsonl"))
    # What reading the lines costs is not the index's.
    _, reading = run(program, "read", at("none"), at("large.jsonl"))
    count, text = told[0]["documents"], told[0]["text_bytes"]
    name = f"search {count} documents"
    yield Line(name=name, metric="CPU ms a document", gleaner=(cpu - reading) * 1000 / count, most=1.0)
    yield Line(name=name, metric="index / text", gleaner=bytes_in(at("large")) / text, most=0.5)
    questions = load(documents, items, chance)
    write_lines(at("questions"), (question for _, question in questions))
    answers, _ = run(program, "ask", at("large"), at("questions"))
    times = [answer["ms"] for answer in answers]
    kinds = {}
    for (kind, _), answer in zip(questions, answers):
        kinds.setdefault(kind, []).append(answer["cpu_ms"])
    more = {kind: {"p50": quantile(ms, 0.5), "p99": quantile(ms, 0.99)} for kind, ms in kinds.items()}
    yield Line(name=name, metric="p50 of questions, ms", gleaner=quantile(times, 0.5))
    yield Line(name=name, metric="p99 of questions, ms", gleaner=quantile(times, 0.99), most=50.0)
    cpu_ms = [answer["cpu_ms"] for answer in answers]
    yield Line(name=name, metric="p99, ms of CPU", gleaner=quantile(cpu_ms, 0.99), most=50.0, more=more)


def load(documents, items, chance):
    """Questions of all kinds, as (kind, question), in no order."""
    whole = [question for name in items for question, _ in items[name]]
    vocabulary = [word for d in chance.sample(documents, min(300, len(documents))) for word in words(d["text"])]
    long = [word for word in vocabulary if len(word) >= 6 and word.isascii()]
    some = lambda count: [chance.choice(vocabulary) for _ in range(count)]

    def misspelt(word):
        at = chance.randrange(1, len(word) - 1)
        return word[:at] + word[at + 1 :]

    asked = [("known item", question) for question in whole]
    asked += [("two words of it", " ".join(chance.sample(q.split(), min(2, len(q.split()))))) for q in whole]
    for _ in range(200):
        asked.append(("one word", some(1)[0]))
        asked.append(("three words", " ".join(some(3))))
        asked.append(("either word", " OR ".join(some(2))))
        asked.append(("one and not another", f"{some(1)[0]} -{some(1)[0]}"))
        sentence = chance.choice(whole).split()
        start = chance.randrange(max(1, len(sentence) - 3))
        asked.append(("phrase", '"' + " ".join(sentence[start : start + 3]) + '"'))
        asked.append(("beginning", chance.choice(long)[: chance.randint(3, 5)] + "*"))
        asked.append(("misspelt", misspelt(chance.choice(long)) + "~"))
        asked.append(("misspelt by two", misspelt(chance.choice(long)) + "~2"))
        asked.append(("in titles", "title:" + chance.choice(long)))
    chance.shuffle(asked)
    return asked


def killed(program, documents, items, at):
    """An index whose making is killed again and again, beside one that was made in one go."""
    every = "64"
    began = time.time()
    run(program, "index", at("again"), at("small.jsonl"), every)
    seconds = time.time() - began
    chance = random.Random(3)
    for kill in range(KILLS):
        command = [program, "index", at("killed"), at("small.jsonl"), every]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Short at first, so that it is not finished by the first of them.
        longest = seconds * 0.1 if kill < KILLS * 0.8 else seconds * 0.6
        time.sleep(chance.uniform(0.0, longest))
        process.send_signal(signal.SIGKILL)
        process.wait()
    run(program, "index", at("killed"), at("small.jsonl"), every)
    questions = [question for name in items for question, _ in items[name]]
    questions = (questions + [question for _, question in load(documents, items, chance)])[:1000]
    write_lines(at("questions"), questions)
    same = []
    for command in ("ask", "versions"):
        one, two = (run(program, command, at(folder), at("questions"))[0] for folder in ("again", "killed"))
        same.append(sum(a["found"] == b["found"] for a, b in zip(one, two, strict=True)) / len(one))
    yield Line(name=f"search after {KILLS} kills", metric=f"same top ten of {len(questions)}", gleaner=same[0], bar=1.0)
    yield Line(name=f"search after {KILLS} kills", metric="same live ids", gleaner=same[1], bar=1.0)


def corpus(folder):
    documents = []
    for path in sorted(Path(folder, "topics").glob("*.jsonl.zst")):
        text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode()
        documents += [json.loads(line) for line in text.split("\n") if line]
    return [{"title": d["title"] or "", "text": d["text"]} for d in documents]


def words(text):
    return [word.lower() for word in re.findall(r"[^\W_]+", text)]


def known_items(documents, chance, without=frozenset()):
    """Questions with the number of the one document that is meant: titles and sentences."""
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
        is_new = sentence not in without
        if is_new and sentence in texts[at] and whole.count(sentence) == texts[at].count(sentence):
            sentences.append((sentence, at + 1))
        if len(sentences) == ITEMS:
            break
    chance.shuffle(titles)
    titles = [item for item in titles if item[0] not in without]
    return {"titles": titles[:ITEMS], "sentences": sentences}


def rank(found, meant):
    return 1 / (found.index(meant) + 1) if meant in found[:10] else 0.0


def mean(values):
    values = list(values)
    return sum(values) / max(1, len(values))


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
    yield from documents[:count]
    for at in range(count - len(documents)):
        some = chance.sample(paragraphs, chance.randint(2, 8))
        yield {"title": f"{' '.join(words(some[0])[:4])} {at}", "text": "\n\n".join(some)}


def quantile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part))]
