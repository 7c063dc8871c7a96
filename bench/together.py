#!/usr/bin/env python3
"""Twenty projects tracked at once in one process, beside the same projects tracked one after the other (stdlib only).

  together.py [--projects 20] [--pages 1000] [--repeat 3]

Each project has a site of its own. All are crawled once; then the sites change, and two copies of the data folder are tracked, one
project by project, the other by `track --all`. Both have to tell the same, and all at once may cost at most so many times the CPU
of the single ones: fails above that bar.
"""
import argparse, json, os, shutil, signal, statistics, subprocess, sys, tempfile
from run import BIN, get, measure, stop_cleanly

CPU_BAR = 1.1
GLEANER = os.path.join(BIN, "gleaner")
FLAGS = "--delay 0 --per-host 8 --concurrency 16 --json"


class Site:
    def __init__(self, number, pages):
        command = [os.path.join(BIN, "synthsite"), "--pages", str(pages), "--seed", str(number + 1), "--port", "0", "--admin-port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        self.seed = line.split("seed=")[1].split()[0]
        self.admin = line.split("admin=")[1].split()[0].rstrip("/")
        self.project = f"site-{number:02}"

    def stop(self):
        self.process.terminate()
        self.process.wait()


def run(command, folder, log):
    figures = measure("exec " + command, folder, dict(os.environ), 600, "", log)
    # 1: done, with findings to look at.
    if figures["exit"] not in (0, 1):
        raise SystemExit(f"{command}: exit {figures['exit']} (see {log.name})")
    return figures


def told(data):
    """What the newest run of each project says: states and addresses, without numbers of rows and moments."""
    def lines(*words):
        command = [GLEANER, *words, "--data", data, "--json"]
        return [json.loads(line) for line in subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()]

    newest = {run["project"]: run["run"] for run in sorted(lines("runs"), key=lambda run: run["run"])}
    return {project: sorted((row["state"], row["url"]) for row in lines("report", str(run))) for project, run in newest.items()}


def once(sites, crawled, folder, log):
    """CPU-seconds of the single tracks together, and of all at once."""
    alone, together = os.path.join(folder, "alone"), os.path.join(folder, "together")
    shutil.copytree(crawled, alone)
    shutil.copytree(crawled, together)
    sum_cpu = sum_wall = 0
    for site in sites:
        figures = run(f"{GLEANER} track {site.project} --data {alone} {FLAGS}", folder, log)
        sum_cpu, sum_wall = sum_cpu + figures["cpu_s"], sum_wall + figures["wall_s"]
    figures = run(f"{GLEANER} track --all --data {together} {FLAGS}", folder, log)
    told_alone, told_together = told(alone), told(together)
    for site in sites:
        if not told_alone[site.project] or told_alone[site.project] != told_together[site.project]:
            raise SystemExit(f"{site.project}: another report than alone, or an empty one (both are kept in {folder})")
    shutil.rmtree(alone)
    shutil.rmtree(together)
    return sum_cpu, figures["cpu_s"], sum_wall, figures["wall_s"], figures["rss_mb"]


def main():
    signal.signal(signal.SIGTERM, stop_cleanly)
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--projects", type=int, default=20)
    ap.add_argument("--pages", type=int, default=1000)
    ap.add_argument("--repeat", type=int, default=3)
    ap.add_argument("--tmp", default=os.path.join(tempfile.gettempdir(), "bench-out"))
    args = ap.parse_args()
    os.makedirs(args.tmp, exist_ok=True)
    folder = tempfile.mkdtemp(prefix="together-", dir=args.tmp)
    crawled, rows, sites = os.path.join(folder, "crawled"), [], []
    with open(os.path.join(args.tmp, "bench-together.log"), "ab") as log:
        try:
            sites += [Site(number, args.pages) for number in range(args.projects)]
            for site in sites:
                run(f"{GLEANER} crawl {site.seed} --name {site.project} --data {crawled} {FLAGS}", folder, log)
                get(f"{site.admin}/set?epoch=1")
            rows = [once(sites, crawled, folder, log) for _ in range(args.repeat)]
        finally:
            for site in sites:
                site.stop()
    shutil.rmtree(folder)
    alone, together, alone_s, together_s, peak = (statistics.median(column) for column in zip(*rows))
    ratio = statistics.median(row[1] / row[0] for row in rows)
    print("| projects | pages each | CPU-seconds alone | at once | ratio | bar | seconds alone | at once | peak MB at once |")
    print("|" + "---:|" * 9)
    print(f"| {args.projects} | {args.pages} | {alone:.2f} | {together:.2f} | {ratio:.2f}x | {CPU_BAR} | {alone_s:.2f} | {together_s:.2f} | {peak:.0f} |")
    if ratio > CPU_BAR:
        raise SystemExit(f"over the bar: {ratio:.2f} x the CPU of the single tracks, at most {CPU_BAR}")


if __name__ == "__main__":
    main()
