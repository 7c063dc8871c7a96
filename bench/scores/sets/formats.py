"""Documents that are no pages: the median of word F1 for each format, and PDF against pdftotext.

The reference of `formats` is one tool for each format (SOURCE.md there). Files with a flag or with fewer than twenty words do not
count. Formats that need a program from outside have a second line without it. Old slides have catppt as their reference, which
prints every saved state of the outline and no text of shapes, so they are measured by what LibreOffice shows instead.
Peers are programs and packages that are not the reference itself, computed in this run.
"""

import gzip
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

try:
    from scores import Line
except ImportError:  # run by itself, as the peer
    Line = None

WORDS_MIN = 20
MEDIAN_BAR, MEAN_BAR, PDF_BAR = 0.95, 0.90, 0.95
PDF_CHARS_MIN = 200
SECONDS_MAX, MEGABYTES_MAX = 10.0, 512.0
# What the reader says of itself, not of the document.
BROKEN = ("document-crashed", "document-timeout", "document-too-large")
NEEDS_TOOL = ("ps", "eps")
PACKAGES = ("python-docx", "docx2txt", "odfpy", "openpyxl", "xlrd", "striprtf", "ebooklib", "pylatexenc", "pypdf")
# Packages that read a format, beside programs. None where the only tool at hand is the reference.
PEERS = {
    "doc": ["catdoc"],
    "docx": ["docx2txt", "python-docx"],
    "epub": ["ebooklib"],
    "odp": ["odfpy"],
    "ods": ["odfpy"],
    "odt": ["odfpy"],
    "rtf": ["striprtf", "catdoc"],
    "tex": ["pylatexenc"],
    "xls": ["xlrd"],
    "xlsx": ["openpyxl"],
    "pdf": ["pypdf"],
}


def bag(text):
    return Counter(re.findall(r"\w+", text.lower()))


def f1(one, other):
    one, other = bag(one), bag(other)
    both = sum(one.values()) + sum(other.values())
    return 2 * sum((one & other).values()) / both if both else 1.0


def said(command, timeout=120):
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout)
    except (subprocess.TimeoutExpired, FileNotFoundError):
        return ""
    return done.stdout.decode("utf-8", "replace")


def shown_by_office(file):
    """The words that LibreOffice shows, by way of PDF."""
    with tempfile.TemporaryDirectory() as folder:
        profile = f"-env:UserInstallation=file://{folder}/profile"
        said(["soffice", profile, "--headless", "--convert-to", "pdf", "--outdir", folder, file])
        return said(["pdftotext", f"{folder}/{pathlib.Path(file).stem}.pdf", "-"])


def by_peer(python, peer, files):
    """What a peer says of each file."""
    if peer == "catdoc":
        if shutil.which("catdoc") is None:
            return None
        return {file: said(["catdoc", "-d", "utf-8", file]) for file in files}
    told = subprocess.run(
        [python, __file__, peer], input="\n".join(files), capture_output=True, text=True, errors="replace"
    ).stdout
    return {row["file"]: row["text"] for row in map(json.loads, told.splitlines())}


def best_peer(python, format, expected):
    best = (None, "")
    for peer in PEERS.get(format, []):
        texts = by_peer(python, peer, list(expected))
        if texts is None:
            continue
        score = middle([f1(texts.get(file, ""), text) for file, text in expected.items()])
        if best[0] is None or score > best[0]:
            best = (score, peer)
    return best


def middle(scores):
    return statistics.median(scores) if scores else None


def lines(place):
    gleaner = str(place.programs / "gleaner")
    python = place.peers(*PACKAGES)

    def ours(files, *more):
        with ThreadPoolExecutor(2) as pool:
            texts = pool.map(lambda file: said([gleaner, "convert", file, *more]), files)
            return dict(zip(files, texts))

    missing = [tool for tool in ("gs", "pdftotext", "soffice", "catdoc") if shutil.which(tool) is None]
    if missing:
        print("not installed here:", ", ".join(missing), file=sys.stderr)
    root = place.corpora / "formats"
    groups = {}
    if (root / "manifest.tsv").exists():
        for row in (root / "manifest.tsv").read_text().splitlines()[1:]:
            file, format, *_, words, flags, _ = row.split("\t")
            is_clean = flags in ("", "derived-gz")
            packed = root / "expected" / f"{file}.txt.gz"
            if not words.isdigit() or int(words) < WORDS_MIN or not packed.exists():
                continue
            text = gzip.open(packed).read().decode("utf-8", "replace")
            groups.setdefault(format.removesuffix(".gz"), []).append((str(root / file), text, is_clean))
    all_scores = []
    for format, files in sorted(groups.items()):
        texts = ours([file for file, _, _ in files])
        scores = {file: f1(texts[file], text) for file, text, _ in files}
        all_scores += scores.values()
        clean = {file: text for file, text, is_clean in files if is_clean}
        unpacked = {file: text for file, text in clean.items() if not file.endswith(".gz")}
        median = middle([scores[file] for file in clean])
        peer, peer_name = best_peer(python, format, unpacked)
        if format == "ppt":
            yield Line("formats ppt", "catppt, median F1", None, peer, peer_name, median)
            if shutil.which("soffice") and shutil.which("pdftotext"):
                shown = {file: shown_by_office(file) for file in clean}
                yield Line(
                    "formats ppt shown",
                    "LibreOffice, med. F1",
                    None,
                    middle([f1(shown[file], text) for file, text in clean.items()]),
                    "itself with catppt",
                    middle([f1(texts[file], shown[file]) for file in clean]),
                    bar=MEDIAN_BAR,
                )
            continue
        bar = None if format in NEEDS_TOOL and not shutil.which("gs") else MEDIAN_BAR
        yield Line(f"formats {format}", "median words F1", None, peer, peer_name, median, bar=bar)
        if format in NEEDS_TOOL:
            alone = ours(list(clean), "--no-tools")
            without = middle([f1(alone[file], text) for file, text in clean.items()])
            yield Line(f"formats {format} no tools", "median words F1", None, None, "", without)
    if all_scores:
        bar = MEAN_BAR if shutil.which("gs") else None
        yield Line("formats", "mean words F1", gleaner=statistics.mean(all_scores), bar=bar)
    yield from pdfs(place, gleaner, python)


def pdfs(place, gleaner, python):
    """PDFs that break programs: none may break ours, and what pdftotext reads is read."""
    files = [str(file) for file in sorted((place.corpora / "pdf-robustness").glob("*.pdf"))]
    if not files:
        return
    texts, cost = {}, Cost()
    for file in files:
        texts[file] = cost.of([gleaner, "convert", file])
    name = f"pdf-robustness, {len(files)} files"
    yield Line(name, "broken or cut off", gleaner=float(len(cost.bad)), most=0.0, more={"files": cost.bad})
    yield Line(name, "slowest, CPU s", gleaner=cost.seconds, most=SECONDS_MAX)
    yield Line(name, "largest, MB", gleaner=cost.megabytes, most=MEGABYTES_MAX)
    if not shutil.which("pdftotext"):
        return
    said_there = {file: said(["pdftotext", file, "-"]) for file in files}
    expected = {file: text for file, text in said_there.items() if len(text) >= PDF_CHARS_MIN}
    if not expected:
        return
    theirs = by_peer(python, "pypdf", list(expected))
    yield Line(
        f"pdf-robustness, {len(expected)} files",
        "mean F1, pdftotext",
        None,
        statistics.mean(f1(theirs.get(file, ""), text) for file, text in expected.items()),
        "pypdf",
        statistics.mean(f1(texts[file], text) for file, text in expected.items()),
        bar=PDF_BAR,
    )


class Cost:
    """What converting files costs at the most, and which of them are no answer."""

    def __init__(self):
        self.seconds, self.megabytes, self.bad = 0.0, 0.0, []

    def of(self, command):
        with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
            process = subprocess.Popen(command, stdout=out, stderr=errors)
            # What it used itself, and its readers, for which it waits.
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            errors.seek(0)
            text, told = (file.read().decode("utf-8", "replace") for file in (out, errors))
        self.seconds = max(self.seconds, used.ru_utime + used.ru_stime)
        self.megabytes = max(self.megabytes, used.ru_maxrss / 1024)
        if process.returncode not in (0, 1) or any(reason in told for reason in BROKEN):
            self.bad.append({"command": command, "code": process.returncode, "told": told.strip()})
        return text


def readers():
    """How each package is asked for the text of a file."""

    def word(file):
        import docx

        document = docx.Document(file)
        cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
        return "\n".join([paragraph.text for paragraph in document.paragraphs] + cells)

    def word_text(file):
        import docx2txt

        return docx2txt.process(file)

    def open_document(file):
        from odf import opendocument, teletype, text

        document = opendocument.load(file)
        parts = document.getElementsByType(text.H) + document.getElementsByType(text.P)
        return "\n".join(teletype.extractText(part) for part in parts)

    def sheets(file):
        import openpyxl

        book = openpyxl.load_workbook(file, data_only=True)
        rows = (row for sheet in book.worksheets for row in sheet.iter_rows(values_only=True))
        return "\n".join(" ".join(str(cell) for cell in row if cell is not None) for row in rows)

    def old_sheets(file):
        import xlrd

        book = xlrd.open_workbook(file)
        rows = (sheet.row_values(at) for sheet in book.sheets() for at in range(sheet.nrows))
        return "\n".join(" ".join(str(cell) for cell in row) for row in rows)

    def rich(file):
        from striprtf.striprtf import rtf_to_text

        return rtf_to_text(pathlib.Path(file).read_text("latin-1"), errors="ignore")

    def book(file):
        import html

        import ebooklib
        from ebooklib import epub

        parts = epub.read_epub(file).get_items_of_type(ebooklib.ITEM_DOCUMENT)
        marked = " ".join(part.get_body_content().decode("utf-8", "replace") for part in parts)
        return html.unescape(re.sub(r"<[^>]*>", " ", marked))

    def tex(file):
        from pylatexenc.latex2text import LatexNodes2Text

        return LatexNodes2Text().latex_to_text(pathlib.Path(file).read_bytes().decode("utf-8", "replace"))

    def pdf(file):
        import pypdf

        return "\n".join(page.extract_text() for page in pypdf.PdfReader(file).pages)

    return {
        "python-docx": word,
        "docx2txt": word_text,
        "odfpy": open_document,
        "openpyxl": sheets,
        "xlrd": old_sheets,
        "striprtf": rich,
        "ebooklib": book,
        "pylatexenc": tex,
        "pypdf": pdf,
    }


def main():
    take = readers()[sys.argv[1]]
    for file in sys.stdin.read().splitlines():
        try:
            text = take(file)
        except Exception:  # a file that a peer cannot read is a file without text
            text = ""
        print(json.dumps({"file": file, "text": text}), flush=True)


if __name__ == "__main__":
    main()
