#!/usr/bin/env python3
"""Mirrors a tree of files and mirrors it again, unchanged, beside lftp and wget2 (stdlib only).

  mirror.py [--trees small,large] [--servers vsftpd,sshd,nginx] [--repeat 3] [--repeat-large 1]

Prints a line of JSON a run and a table with ratios to the baseline of each server: lftp, which speaks all three. Fails
above the bars.
"""
import argparse, json, os, shutil, signal, statistics, subprocess, sys, tempfile
from run import BIN, du, measure, stop_cleanly

TREES = {
    # name: files, bytes of each, files in a folder
    "small": (20000, 4096, 100),
    "large": (5, 1 << 30, 5),
}
# What Gleaner may cost, as a multiple of lftp: (tree, step) to figure to bar, on every server or (tree, step, server) on one.
BARS = {
    ("small", "first"): {"cpu_s": 1.5, "wall_s": 1.5},
    ("small", "again"): {"cpu_s": 1.0, "wall_s": 1.0},
    ("large", "first", "nginx"): {"cpu_s": 2.5, "wall_s": 2.0},
}
MEMORY_MB = 128


class Server:
    """treeserver, until its input is closed."""

    def __init__(self, name, files, size, folder):
        command = [os.path.join(BIN, "treeserver"), "--server", name, "--files", str(files), "--bytes", str(size), "--folder", str(folder)]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        words = self.process.stdout.readline().split()
        if words[:1] != ["ready"]:
            raise SystemExit(f"{name} did not start")
        told = dict(word.split("=", 1) for word in words[1:])
        self.url, self.site, self.key = told["url"], told["site"], told["key"]
        self.size = du(self.site)[0]

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


def commands(server):
    """How each peer mirrors: (name, first, again)."""
    login = f" --user root --key-file {server.key}" if server.key != "-" else ""
    # As many connections as wget2 has by default. Servers of files get one by default, from lftp and from Gleaner.
    delay = " --delay 0 --per-host 5" if server.url.startswith("http") else ""
    peers = [("gleaner", f"exec {BIN}/gleaner crawl {server.url} --name bench --data {{out}}/data --max-body 2G --json{login}{delay}",
              f"exec {BIN}/gleaner track bench --data {{out}}/data --json{login}{delay}")]
    settings = "set net:max-retries 1; set cmd:fail-exit yes; "
    url = server.url
    if server.key != "-":
        settings += f"set sftp:connect-program 'ssh -a -x -i {server.key} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null'; "
        url = url.replace("sftp://", "sftp://root:x@")
    lftp = f"exec lftp --norc -c \"{settings}mirror {url} {{out}}/tree\""
    peers.append(("lftp", lftp, lftp))
    if server.url.startswith("http"):
        wget2 = f"exec wget2 --quiet --no-http2 --no-hsts --recursive --level=inf --no-parent --timestamping -P {{out}} {server.url}"
        peers.append(("wget2", wget2, wget2))
    return peers


def loopback_bytes():
    with open("/proc/net/dev") as f:
        for line in f:
            if line.strip().startswith("lo:"):
                return int(line.split(":")[1].split()[0])
    return 0


def run(args, tree, name, server, rep, results):
    for peer, first, again in commands(server):
        if args.only and peer not in args.only.split(","):
            continue
        out = tempfile.mkdtemp(prefix="mirror-", dir=args.tmp)
        try:
            for step, command in (("first", first), ("again", again)):
                os.sync()
                before, stored = loopback_bytes(), du(out)[0]
                with open(os.path.join(args.tmp, f"mirror-{peer}.log"), "ab") as log:
                    figures = measure(command.replace("{out}", out), out, dict(os.environ), args.timeout, "", log)
                size, disk, files = du(out)
                row = {"tree": tree, "server": name, "name": peer, "step": step, "rep": rep, **figures,
                       "net_mb": round((loopback_bytes() - before) / 1048576, 1), "out_mb": round((size - stored) / 1048576, 1),
                       "disk_mb": round(disk / 1048576, 1), "out_files": files}
                print(json.dumps(row), flush=True)
                results.append(row)
        finally:
            shutil.rmtree(out, ignore_errors=True)


def table(results):
    """Medians with ratios to lftp, and what is over a bar."""
    groups, lines, over = {}, [], []
    for row in results:
        groups.setdefault((row["tree"], row["server"], row["step"]), {}).setdefault(row["name"], []).append(row)
    lines.append("| tree | server | mirror | program | seconds | CPU-seconds | peak MB | MB over the line | seconds vs lftp | CPU vs lftp |")
    lines.append("|---|---|---|---|" + "---:|" * 6)
    for (tree, server, step), by in groups.items():
        middle = {name: {k: statistics.median([r[k] for r in rows]) for k in ("wall_s", "cpu_s", "rss_mb", "net_mb")} for name, rows in by.items()}
        base = middle.get("lftp")
        for name, m in middle.items():
            # A failed run is cheap and worth nothing.
            bad = [r["exit"] for r in by[name] if r["exit"] or r["timed_out"]]
            if bad:
                over.append(f"{name} on {server}, {tree}, {step}: exit {bad}")
            ratio = {k: m[k] / max(base[k], 0.01) if base else float("nan") for k in ("wall_s", "cpu_s")}
            lines.append(f"| {tree} | {server} | {step} | {name} | {m['wall_s']:.2f} | {m['cpu_s']:.2f} | {m['rss_mb']:.0f} | {m['net_mb']:.1f} | "
                         f"{ratio['wall_s']:.2f}x | {ratio['cpu_s']:.2f}x |")
            if name != "gleaner":
                continue
            if m["rss_mb"] > MEMORY_MB:
                over.append(f"gleaner on {server}, {tree}, {step}: {m['rss_mb']:.0f} MB, at most {MEMORY_MB}")
            for k, bar in {**BARS.get((tree, step), {}), **BARS.get((tree, step, server), {})}.items():
                if base and ratio[k] > bar:
                    over.append(f"gleaner on {server}, {tree}, {step}: {k} {ratio[k]:.2f} x lftp, at most {bar}")
    return "\n".join(lines), over


def main():
    signal.signal(signal.SIGTERM, stop_cleanly)
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--trees", default="small,large")
    ap.add_argument("--servers", default="vsftpd,sshd,nginx")
    ap.add_argument("--only", default="", help="comma list of programs")
    ap.add_argument("--repeat", type=int, default=3, help="of the small tree")
    ap.add_argument("--repeat-large", type=int, default=1)
    ap.add_argument("--timeout", type=float, default=600)
    ap.add_argument("--tmp", default=os.path.join(tempfile.gettempdir(), "bench-out"))
    args = ap.parse_args()
    os.makedirs(args.tmp, exist_ok=True)
    results = []
    for tree in args.trees.split(","):
        for name in args.servers.split(","):
            server = Server(name, *TREES[tree])
            try:
                # Repeats are the outer loop, so that noise is spread over all programs.
                for rep in range(args.repeat if tree == "small" else args.repeat_large):
                    run(args, tree, name, server, rep, results)
            finally:
                server.stop()
    text, over = table(results)
    print(text)
    if over:
        raise SystemExit("over the bar: " + "; ".join(over))


if __name__ == "__main__":
    main()
