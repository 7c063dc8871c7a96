"""When to come back: real traces of changes, rates that are known, and what it costs among a million documents.

On the traces (times at which real documentation files changed) the measure is the share of page-time in which the copy was out of
date, at one look per 60 and per 120 days a page; shown as a ratio to round robin, geometric mean over traces and budgets. All
policies see only changed or unchanged, all run in one simulation with equal numbers of looks; S1's levels as printed and repaired,
their waits multiplied by one factor so that the numbers are equal. The peer is an adaptive wait (× 1.4, × 0.8), as Nutch has it.
`index, constant rates` is the same index without what is known of sites: bursts are what makes the difference.
"""

import json
import math
import subprocess

from scores import Line

POLICIES = ("S1 as printed", "S1 repaired", "adaptive", "index, constant rates", "gleaner")


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def lines(place):
    program = place.programs / "examples" / "revisit"
    done = subprocess.run([program, str(place.corpora)], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    traces = [row for row in rows if row["of"] == "trace"]
    if traces:
        yield from compared(traces)
    for row in rows:
        if row["of"] == "known":
            name = f"rates known, 1/{row['days']:.0f} d"
            yield Line(name=name, metric="freshness", seed=row["round robin"], peer=row["true rates"],
                       peer_name="true rates", gleaner=row["gleaner"], more=row)
            yield Line(name=name, metric="share of true rates", gleaner=row["share"], bar=0.97)
        if row["of"] == "cost":
            name = "1,000,000 documents"
            yield Line(name=name, metric="choosing, µs", gleaner=row["choosing_us"], most=50.0, more=row)
            yield Line(name=name, metric="updating, µs", gleaner=row["updating_us"], most=50.0)
            yield Line(name=name, metric="bytes a document", gleaner=row["bytes_a_document"], most=256.0)


def compared(traces):
    def ratios(policy, other):
        return [row[policy]["stale"] / row[other]["stale"] for row in traces]

    for row in traces:
        robin = row["round robin"]["stale"]
        yield Line(name=f"{row['trace'][:18]} 1/{row['days']:.0f} d", metric="stale / round robin", seed=row["S1 as printed"]["stale"] / robin,
                   peer=row["adaptive"]["stale"] / robin, peer_name="adaptive", gleaner=row["gleaner"]["stale"] / robin, most=1.0, more=row)
        # Nobody may look more often than the others; a few looks may be left over.
        yield Line(name=f"{row['trace'][:18]} 1/{row['days']:.0f} d", metric="looks / budget", seed=row["S1 as printed"]["looks"],
                   peer=row["adaptive"]["looks"], peer_name="adaptive", gleaner=row["gleaner"]["looks"], most=1.0)
    against = {policy: mean(ratios(policy, "round robin")) for policy in POLICIES}
    yield Line(name="traces", metric="stale / round robin", seed=against["S1 as printed"], peer=against["adaptive"],
               peer_name="adaptive", gleaner=against["gleaner"], most=0.80, more=against)
    yield Line(name="traces", metric="… without bursts", gleaner=against["index, constant rates"])
    for mode in ("S1 as printed", "S1 repaired"):
        yield Line(name="traces", metric=f"stale / {mode}", gleaner=mean(ratios("gleaner", mode)), most=0.70)
