#!/usr/bin/env python3
"""Computes the figures of paired comparisons from the record and doc/method.md, and compares them with the program's.

    python3 scripts/recompute/recompute.py studies/iris-vs-netcore-mvc ...

The program is $DYNO, else `go run ./cmd/dyno`; it is asked for `report --format json`. The two share no code: the
rules here are those of the sections Noise and Statistics of doc/method.md, the keys those of doc/format.md.
Not computed: starts, the loads after the epochs, checks, claims, figures without load, and shares of the generator's
ceiling but where one withdraws a verdict.
Each figure that differs by more than a relative 1e-9 is printed; the exit code is 1 if there is any.
"""
import json
import os
import re
import subprocess
import sys
from itertools import combinations
from math import copysign, exp, isinf, log, log1p

sys.dont_write_bytecode = True
from record import Record, Table  # noqa: E402
from statistic import LEAST, joint, judge, mean, median, median_interval  # noqa: E402

MORE = {"throughput", "rate_max"}  # more of it is better
UNRANKED = {"swap_pss", "file_memory", "server_cpu_share", "service_cpu_share", "service_cpu", "service_ceiling",
            "service_memory", "generator_cpu_share"}
SPEED = ["throughput", "cpu_per_request", "p50"]


class Tally:
    def __init__(self):
        self.figures = self.off = 0

    def check(self, what, ours, theirs, tolerance=1e-9):
        self.figures += 1
        if isinstance(ours, float) and isinf(ours):
            ours = None
        if ours == theirs or None not in (ours, theirs) and not isinstance(theirs, str) and \
                abs(ours - theirs) <= tolerance * max(abs(ours), abs(theirs)):
            return
        self.off += 1
        print(f"  off: {what}: {ours} by this script, {theirs} by dyno")

    def ratio(self, what, j, theirs):
        lo, hi = (exp(x) for x in j.interval())
        self.check(what + " value", exp(j.loc), theirs["value_ratio"])
        self.check(what + " lo", lo * exp(-j.moved), theirs["lo_ratio"])
        self.check(what + " hi", hi * exp(j.moved), theirs["hi_ratio"])
        self.check(what + " epochs", j.n, theirs["epochs"])


def analyses(plan, fits, theirs):
    """the last analysis' level: of a run that was expected to end there, or its own or what is left where more was"""
    late = lambda of: sum(n >= LEAST for n in plan["epochs"] if n < of and 3 * n <= 2 * of)
    if fits < LEAST:
        return (.8 if fits == LEAST - 1 in plan["epochs"] else .1) * plan["alpha"]
    if LEAST - 1 in plan["epochs"]:  # a single pair
        planned = (({}, .8), ({7: .32, 8: .48}, .32), ({8: .32, 10: .32, 12: .2}, .2), ({8: .32, 10: .2, 12: .12, 24: .2}, .2))
        left = [last + sum(share for n, share in before.items() if n >= fits) for before, last in planned]
        levels = [share * plan["alpha"] for share in (.8, .32, .2, *(min(.8, share) for share in left))]
        return min(levels, key=lambda level: abs(level - theirs))
    levels = [.8 * plan["alpha"] / (1 + late(fits))]
    for more in range(fits + 1, max(plan["epochs"]) + 1):
        done = sum(LEAST <= n < fits for n in plan["epochs"] if 3 * n <= 2 * more)
        levels += [.8 * plan["alpha"] / (1 + late(more)), .8 * plan["alpha"] * (1 - done / (1 + late(more)))]
    return min(levels, key=lambda level: abs(level - theirs))


def trends(table, cells, controls, plan):
    out = []
    for metric in SPEED:
        for cell in cells:
            changes = [change(table, metric, e, cell, cells, controls) for e in table.epochs]
            if known := [v for v in changes if v is not None]:
                out.append((cell, metric, changes, judge([known], .04)[0]))
    enough = [x for x in out if x[3].n >= LEAST]
    found = joint([x[2] for x in enough], .04, 1) if enough else []
    p = {x[:2]: j.p for x, j in zip(enough, found)}
    return [(cell, metric, j, p.get((cell, metric), 1),
             p.get((cell, metric), 1) <= .04 and abs(j.loc) >= log1p(plan["margin"]) / 2) for cell, metric, _, j in out]


def change(table, metric, epoch, cell, cells, controls):
    own = table.logs(metric, cell, epoch)
    beside = [[logs for o in of if o != cell and set(own) <= set(logs := table.logs(metric, o, epoch))]
              for of in ([(c, cell[1]) for c in controls], cells)]
    if beside[0]:
        return slope(table, epoch, own, beside[0], mean)
    if len(beside[1]) == 2:
        x, y = (slope(table, epoch, own, [o], median) for o in beside[1])
        if x is None:
            return None
        return 0 if x * y < 0 else copysign(min(abs(x), abs(y)), x)
    return slope(table, epoch, own, beside[1], median) if beside[1] else None


def slope(table, epoch, own, others, middle):
    y = {r: v - middle([o[r] for o in others]) for r, v in own.items()}
    if len(y) < 4:
        return None
    return median((y[s] - y[r]) / (s - r) for r, s in combinations(sorted(y), 2)) * \
        (table.rounds[epoch][-1] - table.rounds[epoch][0])


def named(plan):
    """the comparisons of a plan; None: all pairs at the first level, and nothing at others"""
    family, n = plan["family"], sum({"contestant": c, "level": 0} in plan["cells"] for c in plan["contestants"])
    at_first = all(c["a"]["level"] == c["b"]["level"] == 0 for c in family)
    return None if at_first and len(family) == n * (n - 1) // 2 else family


def compare(record, published, tally):
    plan, family = record.plan, named(record.plan)
    names = {n: i for i, n in enumerate(plan["study"].get("level_names", []))}
    at = (lambda t: True) if family else (lambda t: t["cell"][1] == 0)
    table, pilot = (Table([t for t in trials if at(t)]) for trials in (record.valid, record.pilot))
    pairs, controls = published["pairs"], plan["controls"]
    cells_of = [[(p[s], names.get(p.get("level_" + s), 0)) for s in "ab"] for p in pairs]
    first = [c for c, p in zip(cells_of, pairs) if p["metric"] == plan["primary"]]
    epochs = min(sum((e, a[1]) in table.loaded or (e, b[1]) in table.loaded for e in table.epochs) for a, b in first)
    alpha, margin = analyses(plan, epochs, published["summary"]["alpha_per_analysis"]), plan["margin"]
    for key, ours in (("valid_epochs", epochs), ("valid_trials", len(record.valid)), ("alpha_per_analysis", alpha)):
        tally.check(key, ours, published["summary"][key])

    cells = sorted({c for pair in first for c in pair})
    moving = {}
    theirs = {(t["contestant"], t["level"], t["metric"]): t for t in published.get("trends", [])}
    for cell, metric, j, p, moves in trends(table, cells, controls, plan):
        if moves:
            moving[cell, metric] = 3 * max(j.interval()[1], -j.interval()[0])
        if theirs:
            t = theirs[cell + (metric,)]
            tally.ratio(f"trend {cell} {metric}", j, t)
            tally.check(f"trend {cell} {metric} p", p, t["p_adjusted"])
            tally.check(f"trend {cell} {metric} moving", moves, t["moving"])

    judged = {}
    for metric in dict.fromkeys(p["metric"] for p in pairs):
        of = [i for i, p in enumerate(pairs) if p["metric"] == metric]
        beside = []
        if not family and len(controls) > 1:
            beside = [[v for v in table.differences(metric, (n, 0), (controls[0], 0)) if v is not None]
                      for n in sorted({c[0] for c in cells} | {controls[1]})]
        columns = [table.differences(metric, *cells_of[i])[:epochs] for i in of]
        for i, j in zip(of, judge(columns, alpha, beside, table.rounds_of())):
            p, pair = pairs[i], cells_of[i]
            what = f"{metric} of {pair[0]} to {pair[1]}"
            if j is None:
                tally.check(what + " epochs", 0, p["epochs"])
                continue
            judged[pair[0], pair[1], metric] = table.allow(j, metric, *pair)
            in_family = j.n == epochs or j.n >= LEAST
            verdict = j.verdict(margin) if in_family else "inconclusive"
            moved = sum(moving.get((c, metric), 0) for c in pair)
            if moved:
                lo, hi = j.interval()
                if not (verdict == "different" and max(lo, -hi) > moved + log1p(margin)):
                    verdict = "inconclusive"
                j.moved = moved
            if "ceiling" in (p["note"] or ""):  # V02 withdraws it
                tally.check(what + " ceiling", ceiling(table, pilot, plan, pair) > .8, True)
                verdict = "inconclusive"
            tally.ratio(what, j, p)
            for key, ours in (("se_log", j.se), ("df", j.df), ("p", j.p if in_family else 1),
                              ("verdict", verdict), ("better", better(j, p, verdict, family))):
                tally.check(f"{what} {key}", ours, p[key])
    check_controls(table, published, controls, names, plan, alpha, tally)
    for i, rows in by_level(published, names).items():
        if family or i:
            check_level(record, i, rows, controls, tally)
        else:
            check_cells(table, rows, controls, judged, alpha, tally)
    if not family:
        check_places(published, plan, tally)


def better(j, pair, verdict, family):
    if verdict not in ("different", "negligible"):
        return None
    side = "a" if (j.loc > 0) == (pair["metric"] in MORE) else "b"
    return side if family else pair[side]


def check_places(published, plan, tally):
    """ranks, by the verdicts on the primary metric"""
    rows = {r["contestant"]: r for r in published["rows"] if r["metric"] == "rank"}
    of = [c["name"] for c in published["contestants"] if c["name"] in rows]
    beats = {(p["better"], p["b"] if p["better"] == p["a"] else p["a"]) for p in published["pairs"]
             if p["metric"] == plan["primary"] and p["verdict"] == "different"}
    for name in of:
        tally.check(f"rank_lo of {name}", 1 + sum(b == name for _, b in beats), rows[name]["lo"])
        tally.check(f"rank_hi of {name}", len(of) - sum(a == name for a, _ in beats), rows[name]["hi"])


def ceiling(table, pilot, plan, pair):
    """the larger share of the generator's ceiling of the two"""
    def ratio(t, a, b):
        d = [v for v in t.differences("throughput", a, b) if v is not None]
        return judge([d], .05)[0].loc
    return max(exp((0 if c[0] == plan["controls"][0] else ratio(table, c, (plan["controls"][0], c[1]))) +
                   ratio(pilot, (plan["controls"][0], c[1]), (plan["ceiling"], c[1]))) for c in pair)


def check_controls(table, published, controls, names, plan, alpha, tally):
    if not (aa := published.get("aa_check")):
        return
    levels = sorted({c[1] for c, _ in table.at if c[0] == controls[0]})
    levels = [i for i in levels if any(i in (c["a"]["level"], c["b"]["level"]) for c in plan["family"])]
    columns = [table.differences(plan["primary"], *((c, i) for c in controls[:2])) for i in levels]
    n = min(map(len, columns))
    found = judge([c[:n] for c in columns], alpha, (), table.rounds_of())
    found = [table.allow(j, plan["primary"], *((c, i) for c in controls[:2])) for i, j in zip(levels, found)]
    worst = min(found, key=lambda j: j.p)
    tally.ratio("A/A", worst, aa)
    for key, ours in (("se_log", worst.se), ("p", worst.p), ("verdict", worst.verdict(plan["margin"]))):
        tally.check("A/A " + key, ours, aa[key])


def figures(what, values, theirs, tally, factor=1):
    lo, hi = median_interval(values)
    for key, ours in (("value", median(values)), ("lo", lo), ("hi", hi)):
        tally.check(f"{what} {key}", ours if ours is None else ours * factor, theirs.get(key))
    tally.check(what + " epochs", len(values), theirs["epochs"])
    span = theirs["range"] or {"lo": values[0] * factor, "hi": values[0] * factor}  # no row: all epochs are equal
    tally.check(what + " least", min(values) * factor, span["lo"])
    tally.check(what + " most", max(values) * factor, span["hi"])


def by_level(published, level_names):
    """by the index of a level, or None for that of a paired comparison: contestant, metric and row of each figure"""
    service, of = next((s["name"] for s in published["plan"].get("services", []) if s.get("records")), None), {}
    rows = [r for r in published["rows"] if r.get("contestant") != service or not service]  # what it serves alone is no trial
    if "rated" in published["plan"]:  # the open loops after the epochs
        rated = [level["name"] for level in published["levels"] if "rate_per_sec" in level["at"]]
        rows = [r for r in rows if r.get("level") not in rated]
    spans = {(r["contestant"], r.get("level"), r["metric"]): r for r in rows if r["metric"].endswith("_range")}
    for r in rows:
        if r.get("level") not in (None, "before the first load") and " ÷ " not in r["contestant"] + r["level"] and "epochs" in r and "value" in r:
            r["range"] = spans.get((r["contestant"], r["level"], r["metric"] + "_range"))
            of.setdefault(level_names.get(r["level"]), []).append((r["contestant"], r["metric"], r))
    return of


def ratio_epochs(row):
    """the epochs of a ratio, which a note has where the value is of more"""
    said = re.search(r"ratio of (\d+) epoch", row.get("notes", ""))
    return int(said.group(1)) if said else row["epochs"]


def to_reference(what, table, metric, cell, reference, alpha, theirs, tally):
    d = [v for v in table.differences(metric, cell, reference) if v is not None]
    if d and "ratio" in theirs:
        ratio = {k + "_ratio": theirs.get("ratio" + x) for k, x in (("value", ""), ("lo", "_lo"), ("hi", "_hi"))}
        tally.ratio(what + " to reference", judge([d], alpha)[0], ratio | {"epochs": ratio_epochs(theirs)})
    else:
        tally.check(what + " to reference", bool(d), "ratio" in theirs)


def check_cells(table, rows, controls, judged, alpha, tally):
    best = None
    for name, metric, theirs in rows:
        cell, best = (name, 0), best or (name, 0)
        what, values = f"{metric} of {name}", table.medians(metric, cell)
        level, factor = median(table.medians(metric, best)), 1
        if (cell, best, metric) in judged:
            factor = exp(judged[cell, best, metric].loc) * level / median(values)
        elif (best, cell, metric) in judged:
            factor = exp(-judged[best, cell, metric].loc) * level / median(values)
        elif controls and cell[0] == controls[0] and metric not in UNRANKED:
            d = [v for v in table.differences(metric, best, cell) if v is not None]
            factor = exp(-judge([d], alpha)[0].loc) * level / median(values)
        figures(what, values, theirs, tally, factor)
        if controls and name != controls[0] and metric not in UNRANKED:
            to_reference(what, table, metric, cell, (controls[0], 0), alpha, theirs, tally)


def check_level(record, i, rows, controls, tally):
    table = Table([t for t in record.valid if t["cell"][1] == i])
    for name, metric, theirs in rows:
        what, cell = f"{metric} of {name} at level {i}", (name, i)
        figures(what, table.medians(metric, cell), theirs, tally)
        if controls and name != controls[0] and metric not in UNRANKED:
            to_reference(what, table, metric, cell, (controls[0], i), record.plan["alpha"], theirs, tally)


def main():
    program, off = [os.environ["DYNO"]] if "DYNO" in os.environ else ["go", "run", "./cmd/dyno"], 0
    for folder in sys.argv[1:]:
        published = json.loads(subprocess.run(program + ["report", "--format", "json", folder], check=True,
                                              capture_output=True).stdout)
        tally = Tally()
        compare(Record(folder), published, tally)
        print(f"{folder}: {tally.figures} figures, {tally.off} off")
        off += tally.off
    sys.exit(off > 0)


if __name__ == "__main__":
    main()
