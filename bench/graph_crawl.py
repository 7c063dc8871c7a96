#!/usr/bin/env python3
"""The graph of a real crawl: what its snapshot costs beside the crawl, how long each answer and a drawing take. Fails above its bars.

    graph_crawl.py TARGET_FOLDER [--pages 200000] [--hosts 50] [--data FOLDER] [--repeat 3] [--only crawl|ask|draw]

The synthetic site is crawled into FOLDER, which is kept and used again by the next call when one is given (so that the crawl and the
questions can be measured at different times). The snapshot's CPU is that of the first question, which makes it, less that of the same
question asked again. Answers are medians by the clock; drawings are painted by Chromium, where there is one.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SNAPSHOT_OF_CRAWL = 0.05
ANSWER_SECONDS = 1.0
DRAWN_SECONDS = 2.0
NOTE = "bench-graph.json"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def ran(command, **more):
    """Runs a program to its end: seconds, CPU seconds, what it printed."""
    start = time.monotonic()
    more.setdefault("stderr", subprocess.DEVNULL)
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True, **more)
    out = child.stdout.read()
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        sys.exit(f"{' '.join(str(word) for word in command)}: exit {child.returncode}")
    return time.monotonic() - start, used.ru_utime + used.ru_stime, out, used.ru_maxrss / 1024


def crawl(target, data, pages, hosts):
    data.parent.mkdir(parents=True, exist_ok=True)
    site = subprocess.Popen(
        [target / "synthsite", "--pages", str(pages), "--hosts", str(hosts), "--port", "8640", "--admin-port", "8641"],
        stdout=subprocess.PIPE, text=True,
    )
    try:
        seed = site.stdout.readline().split("seed=")[1].split()[0]
        seconds, cpu, out, _ = ran([
            target / "gleaner", "crawl", seed, "--name", "synth", "--data", data, "--json", "--delay", "0",
            "--per-host", "8", "--concurrency", "64", "--allow-private", "--allow", r"http://127\.",
        ])
    finally:
        site.terminate()
        site.wait()
    found = json.loads(out.splitlines()[-1])
    note = {"seconds": seconds, "cpu": cpu, "pages": found["new"], "seed": seed}
    (data.parent / NOTE).write_text(json.dumps(note))
    return note


def snapshot(target, data, seed):
    """CPU seconds and memory of making the stored graph, and its bytes."""
    for old in (data / "derived").glob("graph-*.bin"):
        old.unlink()
    question = [target / "gleaner", "graph", "path", seed, seed, "--data", data, "--json"]
    _, first, _, memory = ran(question)
    _, again, _, _ = ran(question)
    size = sum(file.stat().st_size for file in (data / "derived").glob("graph-*.bin"))
    return first - again, memory, size


def questions(seed):
    yield "summary", ["summary"]
    for by in ("pagerank", "hubs", "authorities", "in", "out", "citations", "core", "depth"):
        yield f"rank --by {by}", ["rank", "--by", by, "--top", "100"]
    yield "rank --by authorities --guarded", ["rank", "--by", "authorities", "--guarded", "--top", "100"]
    yield "rank --by pagerank --level host", ["rank", "--level", "host"]
    yield "components", ["components"]
    yield "mirrors", ["mirrors"]
    yield "broken", ["broken", "--top", "20"]
    yield "hosts", ["hosts"]
    yield "types", ["types"]
    yield "path", ["path", seed, seed]
    yield "near --hops 2", ["near", seed, "--hops", "2"]


def on_screen(page, repeat):
    """Seconds until a drawing is painted, beyond those that the browser takes for an empty page; none without a browser."""
    browser = next((name for name in BROWSERS if shutil.which(name)), None)
    if browser is None:
        return None
    empty = page.with_suffix(".empty.html")
    empty.write_text("<!doctype html><title>Empty</title>")

    def shot(file):
        with tempfile.TemporaryDirectory() as profile:
            picture = Path(profile) / "shot.png"
            seconds = ran([
                browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync",
                "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage",
                "--window-size=1400,2000", f"--user-data-dir={profile}", f"--screenshot={picture}", f"file://{file}",
            ])[0]
            if not picture.exists():
                sys.exit(f"the browser took no picture of {file}")
            return seconds

    shown = [(shot(page), shot(empty)) for _ in range(repeat)]
    return statistics.median(seconds for seconds, _ in shown) - statistics.median(seconds for _, seconds in shown)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("target")
    arguments.add_argument("--pages", type=int, default=200_000)
    arguments.add_argument("--hosts", type=int, default=50)
    arguments.add_argument("--data", help="where the crawl is kept, or lies already")
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--only", choices=("crawl", "ask", "draw"))
    given = arguments.parse_args()
    target = Path(given.target) / "release"
    folder = tempfile.TemporaryDirectory()
    data = Path(given.data or folder.name) / "data"
    known = data.parent / NOTE
    note = json.loads(known.read_text()) if known.exists() else crawl(target, data, given.pages, given.hosts)
    seed = note["seed"]
    above = []

    def row(what, value, unit, bar):
        is_above = bar is not None and value > bar
        if is_above:
            above.append(what)
        print(f"{what:44}{value:10.3f} {unit:10}{bar if bar else '':>6}{'  above' if is_above else ''}", flush=True)

    print(f"{note['pages']:,} pages crawled in {note['seconds']:.0f} s, {note['cpu']:.1f} s of CPU; load {os.getloadavg()[0]:.1f}")
    if given.only in (None, "crawl"):
        cpu, memory, size = snapshot(target, data, seed)
        row("graph from the catalog, of the crawl's CPU", cpu / note["cpu"], "", SNAPSHOT_OF_CRAWL)
        row("the same", cpu, "CPU-s", None)
        row("memory while it is made", memory, "MB", None)
        row("its file", size / 2**20, "MB", None)
    if given.only in (None, "ask"):
        for name, words in questions(seed):
            command = [target / "gleaner", "graph", *words, "--data", data, "--json"]
            seconds = [ran(command)[0] for _ in range(given.repeat)]
            row(f"graph {name}", statistics.median(seconds), "s", ANSWER_SECONDS)
    if given.only in (None, "draw"):
        for level in ("page", "host"):
            page = Path(folder.name) / f"{level}.html"
            command = [target / "gleaner", "graph", "draw", "--level", level, "--to", page, "--data", data]
            row(f"graph draw --level {level}", statistics.median(ran(command)[0] for _ in range(given.repeat)), "s", DRAWN_SECONDS)
            shown = on_screen(page, given.repeat)
            if shown is None:
                print("  (no Chromium: not looked at)")
            else:
                row("  in Chromium, until it is painted", shown, "s", DRAWN_SECONDS)
    if above:
        sys.exit("above the bar: " + "; ".join(above))


if __name__ == "__main__":
    main()
