#!/usr/bin/env python3
"""The room `graph` beside scipy and igraph on a synthetic web; prints ratios and fails above its bars.

    graph.py TARGET_FOLDER [--pages 1000000] [--links 10] [--repeat 3]

Needs numpy, scipy and igraph; makes a virtual environment for them in ~/.cache/gleaner when they are missing.
Each program runs in a process of its own, in turn, so that memory is its own and noise hits all alike. Ratios are of medians.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

PEER_THREADS = {name: "1" for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}

SCIPY = r"""
import json, resource, sys, time
import numpy as np, scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
file, nodes, tolerance = sys.argv[1], int(sys.argv[2]), 1e-12
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
out = {}
def timed(name, work):
    start, before = time.perf_counter(), cpu()
    value = work()
    out[name] = {"seconds": time.perf_counter() - start, "cpu": cpu() - before}
    return value
pairs = np.fromfile(file, dtype="<u4").reshape(-1, 2)
rows, columns = pairs[:, 0].astype(np.int32), pairs[:, 1].astype(np.int32)
del pairs
def build():
    data = np.ones(len(rows))
    forward = sp.coo_matrix((data, (rows, columns)), shape=(nodes, nodes)).tocsr()
    forward.sum_duplicates()
    return forward
forward = timed("build_forward", build)
backward = timed("transpose", lambda: forward.T.tocsr())
out["build"] = {key: out["build_forward"][key] + out["transpose"][key] for key in ("seconds", "cpu")}
del rows, columns
timed("strong", lambda: connected_components(forward, directed=True, connection="strong"))
timed("weak", lambda: connected_components(forward, directed=True, connection="weak"))
backward.data[:] = 1.0
degree = np.diff(forward.indptr).astype(float)
dangling = degree == 0
share = np.where(dangling, 0.0, 1.0 / np.maximum(degree, 1.0))
def rank():
    x = np.full(nodes, 1.0 / nodes)
    for rounds in range(1, 201):
        last = x
        x = 0.85 * (backward @ (x * share) + x[dangling].sum() / nodes) + 0.15 / nodes
        if np.abs(x - last).sum() < tolerance:
            break
    out["rounds"] = rounds
    return x
timed("pagerank", rank)
out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(out))
"""

IGRAPH = r"""
import json, resource, sys, time
import numpy as np, igraph
def cpu():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime
out = {}
def timed(name, work):
    start, before = time.perf_counter(), cpu()
    value = work()
    out[name] = {"seconds": time.perf_counter() - start, "cpu": cpu() - before}
    return value
pairs = np.fromfile(sys.argv[1], dtype="<u4").reshape(-1, 2).astype(np.int64)
graph = timed("build", lambda: igraph.Graph(n=int(sys.argv[2]), edges=pairs, directed=True).simplify(loops=False))
timed("pagerank", lambda: graph.pagerank(implementation="prpack"))
timed("strong", lambda: graph.connected_components(mode="strong"))
out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps(out))
"""


def peers_python():
    """A Python that has the peers."""
    wanted = "import numpy, scipy, igraph"
    cache = Path(os.environ.get("GLEANER_CACHE", Path.home() / ".cache/gleaner")) / "graph-venv"
    for python in (sys.executable, str(cache / "bin/python")):
        if Path(python).exists() and subprocess.run([python, "-c", wanted], capture_output=True).returncode == 0:
            return python
    subprocess.run([sys.executable, "-m", "venv", cache], check=True)
    subprocess.run([cache / "bin/pip", "install", "-q", "numpy", "scipy", "igraph"], check=True)
    return str(cache / "bin/python")


def peer(python, program, file, pages):
    ran = subprocess.run(
        [python, "-c", program, file, str(pages)], capture_output=True, text=True, env=os.environ | PEER_THREADS
    )
    if ran.returncode != 0:
        sys.exit(f"a peer failed: {ran.stderr[-2000:]}")
    return json.loads(ran.stdout)


def ours(target, file, pages, threads, steps):
    program = Path(target) / "release/examples/measure_graph"
    ran = subprocess.run([program, file, str(pages), str(threads), *steps], capture_output=True, text=True, check=True)
    found = {}
    for line in ran.stdout.splitlines():
        step, seconds, cpu, figure = line.split()
        found[step] = {"seconds": float(seconds), "cpu": float(cpu), "figure": float(figure)}
    return found


def median(runs, *keys):
    def value(run):
        for key in keys:
            run = run[key]
        return run

    return statistics.median(value(run) for run in runs)


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("target")
    arguments.add_argument("--pages", type=int, default=1_000_000)
    arguments.add_argument("--links", type=int, default=10, help="links of each page")
    arguments.add_argument("--repeat", type=int, default=3)
    arguments.add_argument("--without-igraph", action="store_true")
    given = arguments.parse_args()
    python = peers_python()
    rows = []

    def row(what, our, their, bar):
        rows.append((what, our, their, our / their, bar))

    with tempfile.TemporaryDirectory() as folder:
        generator = Path(given.target) / "release/linkgraph"
        file, small = f"{folder}/links.bin", f"{folder}/small.bin"
        subprocess.run([generator, str(given.pages), str(given.links), "1", "binary", file], check=True)
        subprocess.run([generator, str(given.pages // 10), str(given.links), "1", "binary", small], check=True)
        one, two, small_runs, scipy, igraph = [], [], [], [], []
        for _ in range(given.repeat):
            scipy.append(peer(python, SCIPY, file, given.pages))
            one.append(ours(given.target, file, given.pages, 1, ["strong", "weak", "pagerank"]))
            two.append(ours(given.target, file, given.pages, 2, ["pagerank"]))
            small_runs.append(ours(given.target, small, given.pages // 10, 1, ["strong", "weak"] + ["pagerank"]))
            if not given.without_igraph:
                igraph.append(peer(python, IGRAPH, file, given.pages))
        kept = ours(given.target, file, given.pages, 1, ["snapshot"])

    our_rounds, their_rounds = median(one, "pagerank", "figure"), median(scipy, "rounds")
    row("PageRank, CPU a round, one thread", median(one, "pagerank", "cpu") / our_rounds,
        median(scipy, "pagerank", "cpu") / their_rounds, 1.0)
    row("PageRank, seconds a round, two threads", median(two, "pagerank", "seconds") / our_rounds,
        median(scipy, "pagerank", "seconds") / their_rounds, 0.6)
    row("build, both directions, CPU", median(one, "build", "cpu"), median(scipy, "build", "cpu"), 1.0)
    row("strong components, CPU", median(one, "strong", "cpu"), median(scipy, "strong", "cpu"), 1.0)
    row("weak components, CPU", median(one, "weak", "cpu"), median(scipy, "weak", "cpu"), 1.0)
    row("memory, MB at the highest", median(one, "peak_mb", "figure"), median(scipy, "peak_mb"), 0.5)
    row("snapshot, bits a link forward (of 12)", kept["snapshot"]["figure"], 12, 1.0)
    row("snapshot, bits a link backward (of 12)", kept["backward"]["figure"], 12, 1.0)

    def a_link(runs, links):
        return sum(median(runs, step, "cpu") for step in ("build", "strong", "weak", "pagerank")) / links

    links = given.pages * given.links
    row("CPU a link, all steps, ten times the links", a_link(one, links), a_link(small_runs, links / 10), 2.0)
    if igraph:
        row("build beside igraph, CPU", median(one, "build", "cpu"), median(igraph, "build", "cpu"), None)
        row("PageRank whole beside igraph, CPU", median(one, "pagerank", "cpu"), median(igraph, "pagerank", "cpu"), None)
        row("strong components beside igraph, CPU", median(one, "strong", "cpu"), median(igraph, "strong", "cpu"), None)
        row("memory beside igraph, MB", median(one, "peak_mb", "figure"), median(igraph, "peak_mb"), None)

    print(f"{given.pages:,} pages, {links:,} links, {given.repeat} runs; rounds: {our_rounds:.0f} ours, {their_rounds} scipy's;"
          f" snapshot written in {kept['snapshot']['seconds']:.2f} s, read in {kept['read']['seconds']:.2f} s")
    print(f"{'':44}{'ours':>12}{'peer':>12}{'ratio':>8}{'bar':>6}")
    failed = 0
    for what, our, their, ratio, bar in rows:
        above = bar is not None and ratio > bar
        failed += above
        print(f"{what:44}{our:12.5g}{their:12.5g}{ratio:8.2f}{bar if bar else '':>6}{'  above' if above else ''}")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
