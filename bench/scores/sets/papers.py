"""Metadata of papers: title, authors, year, abstract and number of references of documents about which it is known.

The truth is had without reading by hand: the names of files in a collection of papers that are their titles; the heads of Internet
standards (of PDF by `pdftotext -layout`), where it is also counted how many entries their lists have; the fields of proposals; TeX's own
commands; front matter of Markdown, which also says what the page made from the same source is called and who wrote it.

The seed is naive: the first line is the title. The peer for titles is pdftitle (PyPI; the largest letters of the first page), for
authors and years what the file says of itself.
"""

import gzip
import json
import re
import shutil
import subprocess
import tempfile
import unicodedata
from pathlib import Path

from scores import Line

# Names of files are titles only where a collection names them so.
TITLED = "papers-we-love/papers-we-love"
BARS = {"title": 0.85, "authors": 0.80, "year": 0.80, "abstract": 0.85, "references": 0.75}


def lines(place):
    manifest = place.corpora / "genre" / "manifest.tsv"
    if not manifest.exists():
        return
    with tempfile.TemporaryDirectory() as folder:
        truths = list(genre(place, manifest)) + list(tex(place)) + list(sources(place, Path(folder)))
        files = [str(file) for file, _ in truths]
        program = place.programs / "gleaner-scores"
        out = subprocess.run([program, "records", place.corpora], input="\n".join(files), check=True, capture_output=True, text=True).stdout
        told = {row["file"]: row for row in map(json.loads, out.splitlines())}
        titles = peer_titles(place, [file for file in files if file.endswith(".pdf")])
    right, seen = {}, {}

    def count(who, field, is_right):
        right[who, field] = right.get((who, field), 0) + is_right
        seen[who, field] = seen.get((who, field), 0) + 1

    missed = []
    for file, truth in truths:
        row = told[str(file)]
        record, said = row.get("record", {}), row.get("said", {})
        for field, wanted in truth.items():
            found = {
                "gleaner": record,
                "naive": {"title": row.get("first", ""), "authors": [], "year": None, "abstract": None, "references": []},
                "file": {"title": said.get("title"), "authors": said.get("authors", []), "year": year(said.get("created")), "references": []},
            }
            for who, values in found.items():
                is_right = judged(field, wanted, values)
                count(who, field, is_right)
                if who == "gleaner" and not is_right:
                    missed.append((field, str(file), wanted, values.get(field) if field != "references" else len(values.get(field, []))))
        if "title" in truth and str(file) in titles:
            count("pdftitle", "title", judged("title", truth["title"], {"title": titles[str(file)]}))
            count("gleaner pdf", "title", judged("title", truth["title"], record))
    if place.is_own:
        for field, file, wanted, value in missed:
            (place.cache / "papers-missed.txt").parent.mkdir(parents=True, exist_ok=True)
            with open(place.cache / "papers-missed.txt", "a" if (field, file, wanted, value) != missed[0] else "w") as out:
                print(field, Path(file).name, repr(wanted), repr(value), sep="\t", file=out)

    def rate(who, field):
        return right[who, field] / seen[who, field] if seen.get((who, field)) else None

    for field in ["title", "authors", "year", "abstract", "references"]:
        if not seen.get(("gleaner", field)):
            continue
        yield Line(
            name=f"papers {field}",
            metric=f"right of {seen['gleaner', field]}",
            seed=rate("naive", field),
            peer=rate("file", field),
            peer_name="the file itself",
            gleaner=rate("gleaner", field),
            bar=BARS[field],
        )
    if seen.get(("pdftitle", "title")):
        yield Line(
            name="papers title of PDF",
            metric=f"right of {seen['pdftitle', 'title']}",
            peer=rate("pdftitle", "title"),
            peer_name="pdftitle",
            gleaner=rate("gleaner pdf", "title"),
            bar=rate("pdftitle", "title"),
        )


def words(text):
    text = unicodedata.normalize("NFKD", text or "")
    text = "".join(c for c in text if not unicodedata.combining(c)).lower()
    return re.findall(r"[a-z0-9]+|[^\W\d_a-z]", text)


def family(name):
    name = name.split(",")[0] if "," in name else name
    parts = words(name.split("<")[0])
    return parts[-1] if parts else ""


def judged(field, wanted, values):
    if field == "title":
        have, want = words(values.get("title")), words(wanted)
        # A subtitle more is no mistake; a page of names is.
        return want == have[: len(want)] and len(have) <= 2 * len(want) + 6 or "".join(want) == "".join(have)
    if field == "slug":
        return False
    if field == "authors":
        have = {family(name) for name in values.get("authors") or []}
        return have == {family(name) for name in wanted}
    if field == "year":
        return values.get("year") == wanted
    if field == "abstract":
        have, want = words(values.get("abstract")), words(wanted)
        return bool(have) and have[:12] == want[:12] and abs(len(have) - len(want)) <= max(10, len(want) // 4)
    have = len(values.get("references") or [])
    return abs(have - wanted) <= max(1, wanted // 10)


def year(date):
    found = re.search(r"\b(19|20)\d\d\b", date or "")
    return int(found.group()) if found else None


def genre(place, manifest):
    rows = [line.split("\t") for line in manifest.read_text().splitlines()]
    head, rows = rows[0], rows[1:]
    for row in (dict(zip(head, row)) for row in rows):
        file = place.corpora / "genre" / row["file"]
        name = row["path"].rsplit("/", 1)[-1]
        if row["class"] == "paper" and row["repo"] == TITLED and name.count("-") >= 3:
            yield file, {"title": name.rsplit(".", 1)[0].replace("-", " ")}
        elif re.fullmatch(r"rfc\d+\.(txt|pdf)(\.gz)?", name):
            truth = standard(text_of(file))
            if truth:
                yield file, truth
        elif re.fullmatch(r"pep-\d+\.rst(\.gz)?", name):
            yield file, proposal(text_of(file))


def text_of(file):
    if file.suffix == ".pdf":
        return subprocess.run(["pdftotext", "-layout", file, "-"], capture_output=True, text=True).stdout if shutil.which("pdftotext") else ""
    raw = gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
    return raw.decode("utf-8", "replace")


def standard(text):
    """The head of a standard: names at the right end of its lines, then the title between blank lines."""
    rows = text.replace("\f", "").splitlines()
    begin = next((at for at, row in enumerate(rows[:30]) if row.strip()), None)
    if begin is None:
        return None
    end = next((at for at in range(begin, min(len(rows), 60)) if not rows[at].strip()), None)
    if end is None or not any("Request for Comments" in row for row in rows[begin:end]):
        return None
    authors, date = [], None
    for row in rows[begin:end]:
        column = re.split(r"\s{3,}", row.strip())
        last = column[-1] if len(column) > 1 or row.startswith(" " * 30) else ""
        if re.fullmatch(r"(?:(?:[A-Z]\.[ -]?)+)(?:(?:van|von|de|der|le) )*[A-Z][\w'’-]+(?:, Eds?\.)?", last):
            authors.append(last.replace(", Ed.", ""))
        found = re.search(r"(?:January|February|March|April|May|June|July|August|September|October|November|December) (\d{4})", row)
        date = int(found.group(1)) if found else date
    title = []
    for row in rows[end:]:
        if row.strip():
            title.append(row.strip())
        elif title:
            break
    truth = {"title": " ".join(title)}
    if authors:
        truth["authors"] = authors
    if date:
        truth["year"] = date
    summary = section(rows, r"(?:\d+\.\s+)?Abstract")
    if summary:
        truth["abstract"] = summary
    entries = entries_of(rows)
    if entries:
        truth["references"] = entries
    return truth


def section(rows, head):
    begin = next((at for at, row in enumerate(rows) if re.fullmatch(head, row.strip())), None)
    if begin is None:
        return None
    found = []
    for row in rows[begin + 1 :]:
        if row.strip() and not row.startswith(" "):
            break
        found.append(row.strip())
    return " ".join(found).strip() or None


def entries_of(rows):
    heads = [at for at, row in enumerate(rows) if re.match(r"(?:\d+(?:\.\d+)*\.?\s+)?(?:(?:Normative|Informative) )?References\s*$", row.strip()) and not row.startswith("    ")]
    if not heads:
        return None
    count = 0
    for row in rows[heads[-1] if not any("ormative" in rows[at] for at in heads) else heads[0] :]:
        if re.match(r"\s{2,12}\[[A-Za-z0-9.:_-]+\](\s|$)", row):
            count += 1
    return count or None


def proposal(text):
    fields = dict(re.findall(r"^([A-Z][\w-]+):\s*(.+(?:\n[ \t]+.+)*)", text.split("\n\n")[0], re.M))
    truth = {"title": fields["Title"]}
    people = [re.sub(r"<.*?>|\(.*?\)", "", name).strip() for name in re.split(r",\s*\n?\s*", fields.get("Author", ""))]
    truth["authors"] = [name for name in people if name]
    truth["year"] = year(fields.get("Created"))
    return {name: value for name, value in truth.items() if value}


def tex(place):
    for file in sorted((place.corpora / "formats" / "tex").glob("*.tex")):
        text = re.sub(r"(?<!\\)%.*", "", file.read_bytes().decode("latin-1"))
        truth = {}
        title = re.search(r"\\title\{([^{}\\]+)\}", text)
        if title:
            truth["title"] = title.group(1)
        author = re.search(r"\\author\{([^{}\\]+(?:\\and[^{}\\]+)*)\}", text)
        if author and title:
            truth["authors"] = [name.strip() for name in author.group(1).split("\\and")]
        entries = len(re.findall(r"\\bibitem\b", text))
        if entries and "\\begin{document}" in text:
            truth["references"] = entries
        if truth:
            yield file, truth


def sources(place, folder):
    """Pages made from Markdown whose front matter is known: the source as it is, the page without its source."""
    packed = place.corpora / "near-duplicates" / "pairs.jsonl.zst"
    if not packed.exists() or not shutil.which("zstd"):
        return
    text = subprocess.run(["zstd", "-dcq", "--long=31", packed], capture_output=True, check=True).stdout.decode()
    for pair in map(json.loads, text.splitlines()):
        if pair["label"] != "same-work-other-format" or pair["a"]["format"] != "md":
            continue
        front = re.match(r"---\r?\n(.*?)\r?\n---", pair["a"]["text"], re.S)
        title = front and re.search(r"^title:\s*(.+)$", front.group(1), re.M)
        if not title:
            continue
        truth = {"title": title.group(1).strip().strip("\"'").replace("`", "")}
        people = re.findall(r"^\s+-?\s*name:\s*(.+?)\s*$", front.group(1), re.M)
        if people:
            truth["authors"] = people
        date = re.search(r"\b(20\d\d)-\d\d-\d\d\b", pair["b"]["text"][:600])
        source, page = folder / f"{pair['id']}.md", folder / f"{pair['id']}.txt"
        source.write_text(pair["a"]["text"])
        page.write_text(pair["b"]["text"])
        yield source, truth
        yield page, {**truth, **({"year": int(date.group(1))} if date else {})}


def peer_titles(place, files):
    """What pdftitle takes for the title of each; nothing where it cannot be installed."""
    try:
        python = place.peers("pdftitle")
    except subprocess.CalledProcessError:
        return {}
    found = {}
    for file in files:
        asked = subprocess.run([python.with_name("pdftitle"), "-p", file], capture_output=True, text=True)
        found[file] = asked.stdout.strip() if asked.returncode == 0 else ""
    return found
