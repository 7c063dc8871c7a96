#!/usr/bin/env python3
"""Benchmark runner for crawlers against the synthetic site (stdlib only).

  run.py crawl  SPEC.json [--only a,b] [--latency 0,50] [--pages 20000] ...
  run.py report RESULTS.jsonl [--baseline NAME]
  run.py score  REPORT --admin URL [--from E --to E]

See README.md for the spec format and the meaning of every figure.
"""
import argparse, json, os, shlex, shutil, signal, statistics, subprocess, sys, tempfile, threading, time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
# The workspace's release build; CARGO_TARGET_DIR moves it, GLEANER_BENCH_BIN names it outright.
TARGET = os.environ.get("CARGO_TARGET_DIR") or os.path.join(HERE, "..", "target")
BIN = os.environ.get("GLEANER_BENCH_BIN") or os.path.join(os.path.abspath(TARGET), "release")
# What tools/setup.sh builds or installs for the peers.
CACHE = os.environ.get("GLEANER_CACHE") or os.path.join(os.path.expanduser("~"), ".cache", "gleaner")
# What a later step of a peer is compared by with its first one.
RATIOS = ("requests", "bytes_out", "cpu_s", "wall_s")
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")


def get(url, timeout=600):
    with urllib.request.urlopen(url, timeout=timeout) as r:
        return r.read().decode()


# ---------------------------------------------------------------- server
class Server:
    def __init__(self, args, pages):
        cmd = [os.path.join(BIN, "synthsite"), "--pages", str(pages), "--port", str(args.port),
               "--admin-port", str(args.admin_port), "--hosts", str(args.hosts)] + shlex.split(args.server_args)
        self.proc = subprocess.Popen(cmd, stdout=subprocess.PIPE, text=True)
        if args.server_cpu:
            os.sched_setaffinity(self.proc.pid, cpus(args.server_cpu))
        line = self.proc.stdout.readline()
        if not line.startswith("ready"):
            raise SystemExit("server did not start: " + line)
        self.seed = line.split("seed=")[1].split()[0]
        self.admin = line.split("admin=")[1].split()[0].rstrip("/")

    def stats(self):
        return json.loads(get(self.admin + "/stats"))

    def stop(self):
        self.proc.terminate()
        self.proc.wait()


def cpus(s):
    return {int(x) for x in s.split(",")}


# ---------------------------------------------------------------- sampling
class Tree(threading.Thread):
    """Samples the process tree under pid: summed RSS and bytes written."""

    def __init__(self, pid, period=0.05):
        super().__init__(daemon=True)
        self.pid, self.period, self.stop_now = pid, period, threading.Event()
        self.peak_rss, self.hwm, self.io, self.nproc = 0, 0, {}, 0

    def pids(self):
        out, todo = [], [self.pid]
        while todo:
            p = todo.pop()
            out.append(p)
            try:
                for t in os.listdir(f"/proc/{p}/task"):
                    with open(f"/proc/{p}/task/{t}/children") as f:
                        todo += [int(x) for x in f.read().split()]
            except OSError:
                pass
        return out

    def sample(self):
        rss, ps = 0, self.pids()
        for p in ps:
            try:
                with open(f"/proc/{p}/statm") as f:
                    rss += int(f.read().split()[1]) * PAGE
                with open(f"/proc/{p}/status") as f:  # VmHWM starts afresh at exec, ru_maxrss does not
                    for line in f:
                        if line.startswith("VmHWM:"):
                            self.hwm = max(self.hwm, int(line.split()[1]) * 1024)
                            break
                with open(f"/proc/{p}/io") as f:
                    self.io[p] = dict((k, int(v)) for k, v in (l.split(": ") for l in f.read().splitlines()))
            except (OSError, ValueError):
                pass
        self.peak_rss = max(self.peak_rss, rss)
        self.nproc = max(self.nproc, len(ps))

    def run(self):
        while not self.stop_now.wait(self.period):
            self.sample()

    def total(self, key):
        return sum(d.get(key, 0) for d in self.io.values())


def du(path):
    size = disk = files = 0
    for d, _, fs in os.walk(path):
        for f in fs:
            try:
                s = os.lstat(os.path.join(d, f))
            except OSError:
                continue
            size, disk, files = size + s.st_size, disk + s.st_blocks * 512, files + 1
    return size, disk, files


def measure(cmd, cwd, env, timeout, cpu, log):
    """Runs cmd in its own process group; returns times, memory and I/O."""
    t0 = time.monotonic()
    p = subprocess.Popen(cmd, shell=True, cwd=cwd, env=env, stdout=log, stderr=log, start_new_session=True,
                         preexec_fn=(lambda: os.sched_setaffinity(0, cpus(cpu))) if cpu else None)
    tree = Tree(p.pid)
    tree.start()
    timed_out = False

    def kill():
        nonlocal timed_out
        timed_out = True
        try:
            os.killpg(p.pid, signal.SIGTERM)
            time.sleep(3)
            os.killpg(p.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    timer = threading.Timer(timeout, kill)
    timer.daemon = True
    timer.start()
    try:
        _, st, ru = os.wait4(p.pid, 0)
    except BaseException:
        os.killpg(p.pid, signal.SIGKILL)
        p.wait()
        raise
    wall = time.monotonic() - t0
    timer.cancel()
    tree.stop_now.set()
    tree.join()
    p.returncode = os.waitstatus_to_exitcode(st)
    return {"wall_s": round(wall, 3), "user_s": round(ru.ru_utime, 2), "sys_s": round(ru.ru_stime, 2),
            "cpu_s": round(ru.ru_utime + ru.ru_stime, 2), "rss_mb": round(max(tree.peak_rss, tree.hwm) / 1048576, 1),
            "written_mb": round(tree.total("write_bytes") / 1048576, 1),
            "exit": p.returncode, "timed_out": timed_out}


# ---------------------------------------------------------------- crawl
def fill(s, d):
    for k, v in d.items():
        s = s.replace("{" + k + "}", str(v))
    return s


def run_peer(args, srv, peer, pages, latency, rep, results):
    out = tempfile.mkdtemp(prefix="bench-", dir=args.tmp)
    ctx = {"seed": srv.seed, "host": srv.seed.split("//")[1].rstrip("/"), "out": out, "conc": args.concurrency,
           "pages": pages, "hosts": args.hosts, "latency": latency, "bench": HERE, "bin": BIN, "cache": CACHE, "spec": args.specdir,
           "admin": srv.admin}
    steps = peer.get("steps") or [peer]
    try:
        for i, step in enumerate(steps):
            epoch = step.get("epoch", 0)
            get(f"{srv.admin}/set?epoch={epoch}&latency_ms={latency}")
            if "{urls}" in step["cmd"]:
                ctx["urls"] = os.path.join(out, "urls.txt")
                with open(ctx["urls"], "w") as f:
                    f.write(get(srv.admin + "/urls"))
            get(srv.admin + "/reset")
            cpu0 = srv.stats()["server_cpu_s"]
            before = du(out)
            with open(os.path.join(args.tmp, f"bench-{peer['name']}.log"), "ab") as log:
                m = measure(fill(step["cmd"], ctx), args.specdir, dict(os.environ, **peer.get("env", {})),
                            step.get("timeout", peer.get("timeout", args.timeout)), args.crawler_cpu, log)
            s = srv.stats()
            size, disk, files = du(out)
            got = s["distinct_pages"] if not step.get("count_304") else s["distinct_pages"] + s["not_modified"]
            r = {"name": peer["name"] + (f"/{step.get('label', i)}" if len(steps) > 1 else ""), "pages_site": pages,
                 "hosts": args.hosts, "latency_ms": latency, "concurrency": args.concurrency, "rep": rep, "epoch": epoch, **m,
                 "out_mb": round((size - before[0]) / 1048576, 1), "out_disk_mb": round((disk - before[1]) / 1048576, 1),
                 "out_files": files - before[2], "pages": got, "coverage": round(got / max(1, s["pages"]), 4),
                 "pages_per_s": round(got / max(m["wall_s"], 1e-9), 1),
                 "pages_per_s_active": round(got / max(s["span_s"], 1e-9), 1),
                 "cpu_ms_per_page": round(1000 * m["cpu_s"] / max(1, got), 4),
                 "pages_per_cpu_s": round(got / max(m["cpu_s"], 0.01), 1),
                 "server_cpu_s_used": round(s["server_cpu_s"] - cpu0, 2), "load1": round(os.getloadavg()[0], 2),
                 "peer_bars": peer.get("peer_bars", []), "growth_bars": peer.get("growth_bars", {}), "highest": peer.get("highest", {}),
                 **{k: s[k] for k in ("requests", "duplicate_pages", "hubs_200", "not_modified", "redirects", "not_found",
                                      "robots", "sitemaps", "private_hits", "session_requests", "session_distinct",
                                      "bytes_out", "connections", "max_inflight", "max_host_inflight", "hosts_seen", "span_s")}}
            if i > 0:
                # What the step costs beside the first one, and what it may cost.
                r["beside"], r["bars"] = results[-i]["name"], step.get("bars", {})
                r["ratios"] = {k: round(r[k] / max(results[-i][k], 1e-9), 4) for k in RATIOS}
            if step.get("score"):
                r["tracking"] = score(fill(step["score"], ctx), srv.admin, step.get("from", max(0, epoch - 1)), epoch)
            print(json.dumps(r), flush=True)
            results.append(r)
            if args.results:
                with open(args.results, "a") as f:
                    f.write(json.dumps(r) + "\n")
    finally:
        if not args.keep:
            shutil.rmtree(out, ignore_errors=True)


def crawl(args):
    with open(args.spec) as f:
        spec = json.load(f)
    args.specdir = os.path.dirname(os.path.abspath(args.spec))
    peers = [p for p in spec["peers"] if not args.only or p["name"] in args.only.split(",")]
    results = []
    os.makedirs(args.tmp, exist_ok=True)
    for pages in [int(x) for x in args.pages.split(",")]:
        srv = Server(args, pages)
        try:
            # Repeats are the outer loop, so that noise is spread over all peers.
            for rep in range(args.repeat):
                for lat in [float(x) for x in args.latency.split(",")]:
                    for p in peers:
                        # A slow peer may ask for fewer repeats than the others.
                        if rep < p.get("repeat", args.repeat):
                            run_peer(args, srv, p, pages, lat, rep, results)
        finally:
            srv.stop()
    print(table(results, args.baseline))
    over = over_the_bars(results)
    if over:
        raise SystemExit("over the bar: " + "; ".join(over))


# ---------------------------------------------------------------- report
def step_ratios(rows):
    """Medians of the ratios of each later step to its peer's first step, with the bars that were set."""
    by = {}
    for r in rows:
        if "ratios" in r:
            by.setdefault((r["name"], r["beside"], r["pages_site"], r["latency_ms"]), []).append(r)
    return {key: ({k: statistics.median([x["ratios"][k] for x in rs]) for k in RATIOS}, rs[0]["bars"]) for key, rs in by.items()}


def medians(rows, key):
    """The middle of a figure for each run, site and latency."""
    by = {}
    for r in rows:
        by.setdefault((r["name"], r["pages_site"], r["latency_ms"]), []).append(r[key])
    return {where: statistics.median(values) for where, values in by.items()}


def held(rows):
    """What a peer has to hold beside other peers, beside itself on a smaller site, and at all: (what, measured, bar, is over)."""
    out, seen = [], set()
    for r in rows:
        where = (r["name"], r["pages_site"], r["latency_ms"])
        if where in seen:
            continue
        seen.add(where)
        at = f"{r['name']}, {r['pages_site']} pages, {r['latency_ms']:g} ms"
        for bar in r.get("peer_bars", []):
            figures = medians(rows, bar["figure"])
            other = figures.get((bar["beside"], *where[1:]))
            if bar["latency_ms"] == r["latency_ms"] and other:
                ratio = figures[where] / other
                out.append((f"{at}: {bar['figure']} beside {bar['beside']}", ratio, f"at least {bar['least']}", ratio < bar["least"]))
        smallest = min(x["pages_site"] for x in rows if x["name"] == r["name"])
        for figure, bar in r.get("growth_bars", {}).items():
            figures = medians(rows, figure)
            if r["pages_site"] > smallest:
                ratio = figures[where] / max(figures[(r["name"], smallest, r["latency_ms"])], 1e-9)
                out.append((f"{at}: {figure} beside {smallest} pages", ratio, f"at most {bar}", ratio > bar))
        for figure, bar in r.get("highest", {}).items():
            value = medians(rows, figure)[where]
            out.append((f"{at}: {figure}", value, f"at most {bar}", value > bar))
    return out


def over_the_bars(rows):
    """Which bars were passed. A step that failed, or left pages out, is cheap and worth nothing."""
    is_held = lambda r: any(r.get(k) for k in ("bars", "peer_bars", "growth_bars", "highest"))
    failed = [f"{r['name']}: exit {r['exit']}, coverage {r['coverage']}" for r in rows
              if is_held(r) and (r["exit"] != 0 or r["coverage"] < 1)]
    failed += [f"{what} {value:.3f}, {bar}" for what, value, bar, is_over in held(rows) if is_over]
    return failed + [f"{name}: {k} {ratios[k]:.3f} x {beside}, at most {bar}"
            for (name, beside, _, _), (ratios, bars) in step_ratios(rows).items() for k, bar in bars.items() if ratios[k] > bar]


def table(rows, baseline=None):
    out, groups = [], {}
    for r in rows:
        groups.setdefault((r["pages_site"], r["hosts"], r["latency_ms"], r["concurrency"]), {}).setdefault(r["name"], []).append(r)
    for (pages, hosts, lat, conc), by in groups.items():
        med = {n: {k: statistics.median([x[k] for x in rs]) for k in
                   ("pages", "wall_s", "pages_per_s", "cpu_ms_per_page", "pages_per_cpu_s", "rss_mb", "requests",
                    "duplicate_pages", "not_modified", "private_hits", "out_mb", "out_disk_mb", "max_inflight")} for n, rs in by.items()}
        base = med.get(baseline) if baseline else None
        out.append(f"\n**{pages} pages, {hosts} host(s), {lat:g} ms latency, concurrency {conc}** (medians)\n")
        out.append("| run | n | distinct pages | requests | dup | 304 | wall s | pages/s | CPU ms/page | pages/CPU-s | peak RSS MB | out MB | disk MB | in flight |"
                   + (f" pages/s vs {baseline} | CPU vs {baseline} |" if base else ""))
        out.append("|---|" + "---:|" * (13 + (2 if base else 0)))
        for n, m in sorted(med.items(), key=lambda x: x[1]["cpu_ms_per_page"]):
            flag = "*" if any(x["timed_out"] for x in by[n]) else ""
            row = (f"| {n}{flag} | {len(by[n])} | {m['pages']:.0f} | {m['requests']:.0f} | {m['duplicate_pages']:.0f} | {m['not_modified']:.0f} | "
                   f"{m['wall_s']:.2f} | {m['pages_per_s']:.0f} | {m['cpu_ms_per_page']:.3f} | {m['pages_per_cpu_s']:.0f} | "
                   f"{m['rss_mb']:.0f} | {m['out_mb']:.0f} | {m['out_disk_mb']:.0f} | {m['max_inflight']:.0f} |")
            if base:
                row += (f" {m['pages_per_s'] / max(base['pages_per_s'], 1e-9):.2f}x |"
                        f" {m['cpu_ms_per_page'] / max(base['cpu_ms_per_page'], 1e-9):.2f}x |")
            out.append(row)
        if any(x["timed_out"] for rs in by.values() for x in rs):
            out.append("\n(* stopped at the time limit)")
        steps = {k: v for k, v in step_ratios(r for rs in by.values() for r in rs).items()}
        if steps:
            out.append("\n| step | beside | requests | bytes | CPU-seconds | seconds |\n|---|---|" + "---:|" * len(RATIOS))
        for (n, beside, _, _), (ratios, bars) in steps.items():
            cells = [f"{ratios[k]:.3f}x" + (f" (bar {bars[k]})" if k in bars else "") for k in RATIOS]
            out.append(f"| {n} | {beside} | " + " | ".join(cells) + " |")
        tr = [(r["name"], r["tracking"]) for rs in by.values() for r in rs if r.get("tracking")]
        for n, t in tr:
            out.append(f"\ntracking {n}: " + json.dumps(t))
    bars = held(rows)
    if bars:
        out.append("\n| held | measured | bar |\n|---|---:|---:|")
        out += [f"| {what} | {value:.3f} | {bar} |" for what, value, bar, _ in bars]
    return "\n".join(out)


# ---------------------------------------------------------------- tracking accuracy
def score(path, admin, frm, to):
    """Compares a crawler's change report with the ground truth.

    The report is TSV or JSON lines: status and url (`UPD<TAB>http://...` or
    {"state": "UPD", "url": "http://..."}). A URL that is not reported counts
    as SAM if the truth is SAM, and as missed otherwise.
    """
    truth = {}
    for line in get(f"{admin}/truth?from={frm}&to={to}").splitlines():
        st, detail, _, url = line.split("\t")
        truth[url] = (st, detail)
    said, unknown = {}, 0
    with open(path) as f:
        for line in f:
            line = line.strip()
            if not line:
                continue
            if line.startswith("{"):
                d = json.loads(line)
                st, url = d.get("state") or d["status"], d["url"]
            else:
                st, url = line.split("\t")[:2]
            if url in truth:
                said[url] = st
            else:
                unknown += 1
    res, conf = {"unknown_urls": unknown}, {}
    for url, (st, _) in truth.items():
        key = f"{st}->{said.get(url, '-')}"
        conf[key] = conf.get(key, 0) + 1
    for c in ("NEW", "UPD", "SAM", "MIS"):
        tp = conf.get(f"{c}->{c}", 0) + (conf.get("SAM->-", 0) if c == "SAM" else 0)
        true = sum(v for k, v in conf.items() if k.startswith(c + "->"))
        claimed = sum(v for k, v in conf.items() if k.endswith("->" + c)) + (conf.get("SAM->-", 0) if c == "SAM" else 0)
        res[c] = {"true": true, "precision": round(tp / claimed, 4) if claimed else None,
                  "recall": round(tp / true, 4) if true else None}
    noisy = [u for u, (st, d) in truth.items() if d == "noisy" and st == "SAM"]
    if noisy:
        res["noisy_same_called_upd"] = round(sum(said.get(u) == "UPD" for u in noisy) / len(noisy), 4)
    res["confusion"] = conf
    return res


def stop_cleanly(*_):
    raise SystemExit("stopped")


def main():
    signal.signal(signal.SIGTERM, stop_cleanly)  # so that the server and the crawl are ended too
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sub = ap.add_subparsers(dest="what", required=True)
    c = sub.add_parser("crawl", help="start the server, run every peer of a spec, measure")
    c.add_argument("spec")
    c.add_argument("--only", default="")
    c.add_argument("--pages", default="20000", help="comma list: one server per size (growth test)")
    c.add_argument("--hosts", type=int, default=1)
    c.add_argument("--latency", default="0", help="comma list of ms")
    c.add_argument("--concurrency", type=int, default=64)
    c.add_argument("--repeat", type=int, default=1)
    c.add_argument("--timeout", type=float, default=300)
    c.add_argument("--port", type=int, default=0, help="0 takes a free one")
    c.add_argument("--admin-port", type=int, default=0, help="0 takes a free one")
    c.add_argument("--server-args", default="", help="further synthsite options, quoted")
    c.add_argument("--server-cpu", default="", help="pin the server, e.g. 1")
    c.add_argument("--crawler-cpu", default="", help="pin the crawler, e.g. 0")
    c.add_argument("--baseline", default="")
    c.add_argument("--results", default="", help="append JSON lines here")
    c.add_argument("--tmp", default=os.path.join(tempfile.gettempdir(), "bench-out"))
    c.add_argument("--keep", action="store_true", help="keep the crawlers' output folders")
    r = sub.add_parser("report", help="markdown table from JSON lines")
    r.add_argument("results")
    r.add_argument("--baseline", default="")
    s = sub.add_parser("score", help="tracking accuracy of a change report")
    s.add_argument("report")
    s.add_argument("--admin", default="http://127.0.0.1:8601")
    s.add_argument("--from", dest="frm", type=int, default=0)
    s.add_argument("--to", type=int, default=1)
    a = ap.parse_args()
    if a.what == "crawl":
        crawl(a)
    elif a.what == "report":
        with open(a.results) as f:
            print(table([json.loads(l) for l in f if l.strip()], a.baseline))
    else:
        print(json.dumps(score(a.report, a.admin, a.frm, a.to), indent=1))


if __name__ == "__main__":
    main()
