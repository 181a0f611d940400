#!/usr/bin/env python3
"""Computes how far servers follow the machine's speed, and the SD of the slopes of pairs that second verdicts assume.

    python3 scripts/recompute/slopes.py studies/iris-vs-netcore-mvc ...

In each round the logs of CPU per request, less each server's mean, are the machine's speed times the server's slope,
and noise of its own: the covariance of two servers is the product of their slopes and the speed's variance. A server's
slope is its mean covariance with the others over the mean of all. A pair's slope is the difference of two: its SD is
the contestants', times the root of 2; the errors of the slopes are not taken off. Levels with fewer than four servers
(with the controls), or 40 rounds, are left out.
"""
import sys
from itertools import permutations
from math import log, sqrt
from statistics import NormalDist, fmean as mean, variance

sys.dont_write_bytecode = True
from record import METRICS, Record  # noqa: E402

squares = df = 0
for folder in sys.argv[1:]:
    record = Record(folder)
    for level in range(len(record.levels)):
        rounds = {}
        for t in record.valid:
            cpu = METRICS["cpu_per_request"](t) if t["load"]["succeeded"] else None
            if t["cell"][1] == level and cpu:
                rounds.setdefault((t["epoch"], t["round"]), {})[t["contestant"]] = log(cpu)
        names = {name for r in rounds.values() for name in r} - {"null"}
        whole = [r for r in rounds.values() if names <= r.keys()]
        if len(names) < 4 or len(whole) < 40:
            continue
        level_of = {x: mean(r[x] for r in whole) for x in names}
        together = {(x, y): mean((r[x] - level_of[x]) * (r[y] - level_of[y]) for r in whole)
                    for x, y in permutations(names, 2)}
        speed = mean(together.values())
        slopes = {x: mean(c for pair, c in together.items() if pair[0] == x) / speed
                  for x in sorted(names & set(record.plan["contestants"]))}
        print(f"{folder}, level {level}: {len(whole)} rounds, speed ± {100 * sqrt(speed):.1f} %;",
              ", ".join(f"{x} {s:.2f}" for x, s in slopes.items()))
        squares, df = squares + variance(slopes.values()) * (len(slopes) - 1), df + len(slopes) - 1
# the lower 20 % quantile of chi squared (Wilson and Hilferty 1931)
low = df * (1 - 2 / (9 * df) + NormalDist().inv_cdf(.2) * sqrt(2 / (9 * df))) ** 3
print(f"SD of the slopes of pairs: {sqrt(2 * squares / df):.2f}, upper 80 % limit {sqrt(2 * squares / low):.2f}")
