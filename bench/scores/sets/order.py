"""What it costs to choose among a million scored rows and to learn from each fetch, and what is kept of them in memory."""

import json
import subprocess

from scores import Line


def lines(place):
    done = subprocess.run([place.programs / "examples" / "order_cost"], check=True, capture_output=True, text=True)
    row = json.loads(done.stdout)
    name = "1,000,000 scored rows"
    for metric, key, most in (
        ("choosing, µs", "choosing_us", 50.0),
        ("updating, µs", "updating_us", 50.0),
        ("scoring, µs a link", "scoring_us", 20.0),
        ("scoring anew, µs a row", "rescoring_us", 20.0),
        ("MB", "mb", 100.0),
    ):
        yield Line(name=name, metric=metric, gleaner=row[key], most=most, more=row)
