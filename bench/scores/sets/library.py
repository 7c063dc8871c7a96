"""Libraries on the synthetic topical web (bench/topicweb.json): five webs, and the worst figure of them is what counts.

Each web is collected three times from the same sites, examples and search service, with the same number of requests, counted at the
server: in Gleaner's order, breadth-first with the same filter, and in S1's mode. A document counts when the library accepted it and
the web says that it is one to keep; copies and other formats of a work count once. It takes many minutes, so it is measured only when it is asked for by name
(`make bench-library`). `GLEANER_TOPIC_SEEDS=1,2` takes other webs, `GLEANER_TOPIC_BUDGET=2000` another budget.
"""

import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

try:
    from scores import Line
except ImportError:
    Line = None

SPEC = pathlib.Path(__file__).resolve().parents[2] / "topicweb.json"
MODES = {"gleaner": "best-first", "breadth-first": "breadth-first", "S1": "s1"}
# A run that takes longer than this has failed.
SECONDS_MAX = 900
# Sites with so many pages are those that must be left in time.
LARGE_SITE_PAGES = 2000
CYCLES = 5


class Web:
    """A served web and what is true of it."""

    def __init__(self, program, corpora, seed):
        command = [program, "serve", "--spec", SPEC, "--corpora", corpora, "--seed", str(seed)]
        command += ["--port", "0", "--admin-port", "0", "--search-port", "0"]
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        ready = self.process.stdout.readline().split()
        if not ready:
            raise SystemExit("the topical web does not start")
        self.admin = dict(part.split("=", 1) for part in ready[1:])["admin"].rstrip("/")
        self.info = json.loads(self.ask("/info"))
        self.sites = []
        for row in self.ask("/sites").splitlines():
            url, kind, topic, of, pages, good = row.split("\t")[:6]
            self.sites.append({"url": url, "kind": kind, "class": of, "pages": int(pages), "good": int(good)})
        self.truth = {}
        for row in self.ask("/truth").splitlines():
            url, _, _, _, _, _, accept, work = row.split("\t")[:8]
            if accept == "yes" or accept == "either":
                self.truth[url] = (accept, work)

    def ask(self, path):
        with urllib.request.urlopen(self.admin + path, timeout=120) as answer:
            return answer.read().decode()

    def log(self):
        """(site, url, status, accept, work) of every request, in its order."""
        rows = []
        for row in self.ask("/log").splitlines():
            _, site, url, status, _, _, _, _, _, accept, work = row.split("\t")
            rows.append((int(site), url, int(status), accept, work))
        return rows

    def end(self):
        self.process.terminate()
        self.process.wait()


def library_file(web, order, budget):
    info = web.info
    words = [info["topic"].replace("-", " "), *info["words"][:6]]
    return f"""name = "topic"
topic = {json.dumps(words)}
examples = {json.dumps(info["examples"])}
sites = {json.dumps(info["known_sites"])}
order = "{order}"

[budget]
pages = {budget // CYCLES}
pages_per_site = {max(budget // CYCLES, 1000)}

[manners]
delay = "0s"
private = true

[[service]]
name = "searx"
url = {json.dumps(info["search"])}
"""


def collected(web, program, order, budget):
    """What one mode found with so many requests."""
    web.ask("/reset")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        file = folder / "topic.toml"
        file.write_text(library_file(web, order, budget))
        data = ["--data", str(folder / "data")]
        run = [program, "library", "run", file, "--cycles", str(CYCLES), "--json", *data]
        done = subprocess.run([str(part) for part in run], capture_output=True, text=True, timeout=SECONDS_MAX)
        if done.returncode not in (0, 1):
            raise SystemExit(f"library run failed ({order}): {done.stderr[-2000:]}")
        log = web.log()

        def told(*arguments):
            command = [str(program), "library", *arguments, "--json", *data]
            out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            return [json.loads(line) for line in out.splitlines() if line.startswith("{")]

        documents = told("documents", "topic", "--accepted")
        sites = told("sites", "topic")
    asked = {}
    for number, (_, url, status, accept, work) in enumerate(log[:budget]):
        if status == 200:
            asked.setdefault(url, (number, accept, work))
    works, wrong, either = {}, 0, 0
    for document in documents:
        number, accept, work = asked.get(document["url"], (budget, *web.truth.get(document["url"], ("no", "-"))))
        if accept == "yes":
            works[work] = min(number, works.get(work, number))
        elif accept == "either":
            either += 1
        else:
            wrong += 1
    right = sum(1 for document in documents if asked.get(document["url"], (0, "", ""))[1] == "yes")
    return {
        "requests": len(log),
        "good": len(works),
        "per_100": 100 * len(works) / budget,
        "precision": right / max(right + wrong, 1),
        "either": either,
        "wasted": wasted(web, log[:budget]),
        "sites": judged_sites(web, sites),
    }


def wasted(web, log):
    """The most pages that were fetched from a large site after its last good document."""
    since = collections.Counter()
    for site, _, _, accept, _ in log:
        since[site] = 0 if accept == "yes" else since[site] + 1
    large = [number for number, site in enumerate(web.sites) if site["pages"] >= LARGE_SITE_PAGES and site["good"] > 0]
    return max((since[site] for site in large), default=0)


def judged_sites(web, sites):
    """(taken and good, taken and bad, left and good) among the sites that were found on the way."""
    classes = {site["url"].rstrip("/"): site["class"] for site in web.sites}
    known = {site.rstrip("/") for site in web.info["known_sites"]}
    right = wrong = missed = 0
    for site in sites:
        url = site["site"].rstrip("/")
        of = classes.get(url, "none")
        if url in known or of == "none":
            continue
        if site["state"] in ("active", "stopped"):
            right += of == "good"
            wrong += of == "bad"
        elif site["state"] == "rejected":
            missed += of == "good"
    return right, wrong, missed


def lines(place):
    if "library" not in sys.argv[3:] or not (place.corpora / "topics").is_dir():
        return
    spec = json.loads(SPEC.read_text())
    seeds = os.environ.get("GLEANER_TOPIC_SEEDS")
    seeds = [int(seed) for seed in seeds.split(",")] if seeds else spec["seeds"]
    budget = int(os.environ.get("GLEANER_TOPIC_BUDGET", spec["budget"]))
    rows = []
    for seed in seeds:
        web = Web(place.programs / "topicweb", place.corpora, seed)
        try:
            row = {mode: collected(web, place.programs / "gleaner", order, budget) for mode, order in MODES.items()}
        finally:
            web.end()
        ours, breadth, s1 = row["gleaner"], row["breadth-first"], row["S1"]
        rows.append(row)
        yield Line(name=f"library {seed}: {web.info['topic']}", metric="good per 100 requests", seed=s1["per_100"],
                   peer=breadth["per_100"], peer_name="breadth-first", gleaner=ours["per_100"], more=row)
        yield Line(name=f"library {seed}: {web.info['topic']}", metric="precision", seed=s1["precision"],
                   peer=breadth["precision"], peer_name="breadth-first", gleaner=ours["precision"])

    def worst(of, mode="gleaner"):
        return min(row[mode]["per_100"] / max(row[of]["per_100"], 0.01) for row in rows)

    yield Line(name="library, worst web", metric="× S1's mode", gleaner=worst("S1"), bar=2.0)
    yield Line(name="library, worst web", metric="× breadth-first", gleaner=worst("breadth-first"), bar=1.3)
    yield Line(name="library, worst web", metric="pages after the last", seed=max(row["S1"]["wasted"] for row in rows),
               peer=max(row["breadth-first"]["wasted"] for row in rows), peer_name="breadth-first",
               gleaner=max(row["gleaner"]["wasted"] for row in rows), most=500)

    def of_sites(row, mode):
        right, wrong, missed = row[mode]["sites"]
        return right / max(right + wrong, 1), right / max(right + missed, 1)

    for at, (metric, bar) in enumerate((("precision", 0.95), ("recall", 0.90))):
        yield Line(name="new sites, worst web", metric=metric, seed=min(of_sites(row, "S1")[at] for row in rows),
                   gleaner=min(of_sites(row, "gleaner")[at] for row in rows), bar=bar)
