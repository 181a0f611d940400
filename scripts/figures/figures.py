#!/usr/bin/env python3
"""Shows that reports of two versions of dyno have the same figures.

    python3 scripts/figures/figures.py OLD NEW

OLD and NEW are folders with the same files, written by `dyno report --format csv` (NAME.csv) and `--format json`
(NAME.json) of the same records. OLD may have the four headers of CSV that were before the one, and a run.json whose
contestants have their figures.
Each figure of OLD that NEW lacks is printed; the exit code is 1 if there is any.
"""
import csv
import json
import os
import re
import sys

csv.field_size_limit(1 << 30)


def cell(names, level):
    return " ÷ ".join(dict.fromkeys(names)), " ÷ ".join(dict.fromkeys(level))


def number(x):
    try:
        return float(x)
    except (TypeError, ValueError):
        return x


def old_csv(path):
    """The figures of any header: (contestant, level or None, metric, column, number)."""
    rows = list(csv.DictReader(open(path, newline="")))
    if rows and "unit" in rows[0] and "notes" in rows[0]:
        yield from rows_of(rows)
        return
    for r in rows:
        name, level, metric = r["contestant"], r.get("level"), r["metric"]
        if "level" not in r and metric.endswith(")"):  # a further level of a paired comparison
            metric, level = metric[:-1].split(" (", 1)
        by = r.get("load_generator", "dyno")
        if r.get("against"):
            if r["epochs"] == "0":
                continue  # it has no ratio
            name, level = cell([name, r["against"]], [level, r["against_level"]])
            for old, new in (("pair_ratio", "ratio"), ("pair_lo", "ratio_lo"), ("pair_hi", "ratio_hi"), ("epochs", "epochs"),
                             ("verdict", "verdict")):
                if r[old]:
                    yield name, level, metric, new, r[old], by
            yield name, level, metric, "p", r["p"], by
            continue
        if r.get("state", r.get("verdict")) in ("absent", "excluded"):
            continue
        for old, new in (("value", "value"), ("lo", "lo"), ("hi", "hi"), ("epochs", "epochs"), ("loads", "epochs"),
                         ("ratio_to_reference", "ratio"), ("ratio_lo", "ratio_lo"), ("ratio_hi", "ratio_hi")):
            if r.get(old):
                yield name, level, metric, new, r[old], by
        for old, new in (("least", "lo"), ("most", "hi")):
            if r.get(old) and r["least"] != r["most"]:
                yield name, level, metric + "_range", new, r[old], by
        for old, metric, new in (("tier", "tier", "value"), ("rank_lo", "rank", "lo"), ("rank_hi", "rank", "hi"),
                                 ("requests", "requests", "value")):
            if r.get(old, "–") != "–" and r[old]:
                yield name, None, metric, new, r[old], by
        if r.get("errors", "none") not in ("none", "–"):
            yield name, None, "errors", "notes", r["errors"], by


def rows_of(rows):
    figures = set()
    for r in rows:
        name, level, notes, by = r.get("contestant", ""), r.get("level", ""), r.get("notes", ""), "dyno"
        if ", by " in level:
            by = level.rsplit(", by ", 1)[1]
        figures_of = {k: r[k] for k in ("value", "lo", "hi", "epochs", "ratio", "ratio_lo", "ratio_hi", "verdict", "notes") if r.get(k, "") != ""}
        if notes.startswith("p = "):
            figures_of["p"] = notes[4:].split(";")[0]
        if "ratio" in figures_of:
            said = re.search(r"ratio of (\d+) epoch", notes)
            figures_of["ratio_epochs"] = said.group(1) if said else figures_of.get("epochs")
        of = list(figures_of.items())
        if figures_of.get("verdict") in ("absent", "excluded"):  # the reason stands first in the notes
            said = notes.split("; ")
            of += [("absent", "; ".join(said[:i])) for i in range(1, len(said) + 1)]
        for k, x in of:
            figures.add((name, level, r["metric"], k, x, by))
            figures.add((name, None, r["metric"], k, x, by))
    return figures


def new_csv(path):
    return rows_of(csv.DictReader(open(path, newline="")))


def nested(name, level, metric, f):
    """the rows of a figure of a contestant"""
    if not isinstance(f, dict):
        return
    if f.get("absent"):
        yield name, level, metric, "absent", f["absent"], "dyno"
        return
    numbers = {k.split("_")[0]: x for k, x in f.items() if k.startswith(("value_", "lo_", "hi_", "least_", "most_"))}
    to = f.get("to_reference") or {}
    numbers |= {"epochs": f.get("epochs", f.get("loads")), "ratio": to.get("value_ratio"), "ratio_lo": to.get("lo_ratio"),
                "ratio_hi": to.get("hi_ratio"), "ratio_epochs": to.get("epochs")}
    least, most = numbers.pop("least", None), numbers.pop("most", None)
    if least != most:
        yield name, level, metric + "_range", "lo", least, "dyno"
        yield name, level, metric + "_range", "hi", most, "dyno"
    yield from ((name, level, metric, k, x, "dyno") for k, x in numbers.items() if x is not None)


def old_json(path):
    """the figures of contestants that run.json had before its rows, and all else by its path"""
    run = json.load(open(path))
    if "rows" in run:
        yield from new_json(path)
        return
    for c in run.get("contestants", []):
        name, starts = c["name"], c.get("starts", {})
        for level, of in [(None, c)] + [(x["level"], x) for x in c.get("levels", [])]:
            for metric, f in of.pop("metrics", {}).items():
                yield from nested(name, level, metric, f)
            share = of.pop("ceiling_share_ratio", None)
            if share is not None:
                yield name, level, "ceiling_share", "value", share, "dyno"
            if of.pop("lower_bound", None):
                yield name, level, "throughput", "verdict", "lower bound", "dyno"
        for metric, f in c.pop("idle", {}).items():
            yield from nested(name, "before the first load", metric, f)
        for metric in ("first_answer", "warm_up"):
            yield from nested(name, None, metric, starts.pop(metric, None))
        for key, metric, column in (("tier", "tier", "value"), ("rank_lo", "rank", "lo"), ("rank_hi", "rank", "hi"),
                                    ("requests", "requests", "value")):
            x = c.pop(key, None)
            if x is not None:
                yield name, None, metric, column, x, "dyno"
        c.pop("levels", None)
    external = run.get("external", {"rows": []})
    for r in external["rows"]:
        name, by = r["contestant"], r["load_generator"]
        for key, x in (*r.pop("metrics", {}).items(), ("of_ceiling_", r.pop("of_ceiling", None))):
            metric = re.sub("_(per_sec|ns|bytes|)$", "", key)
            if x is not None:
                yield name, None, metric, "value", x, by
    external["rows"] = [r for r in external["rows"] if r["load_generator"] != "dyno"]
    for at, x in leaves(run):
        if at != ("format",):
            yield at + (x,)


def leaves(x, path=()):
    if isinstance(x, dict):
        for k, v in x.items():
            yield from leaves(v, path + (k,))
    elif isinstance(x, list):
        for i, v in enumerate(x):
            yield from leaves(v, path + (i,))
    else:
        yield path, x


def new_json(path):
    run = json.load(open(path))
    return rows_of(run.pop("rows")) | {at + (x,) for at, x in leaves(run)}


def main(old, new):
    all_of, missing = 0, 0
    for name in sorted(os.listdir(old)):
        a, b = os.path.join(old, name), os.path.join(new, name)
        if name.endswith(".csv"):
            had, have = list(old_csv(a)), new_csv(b)
        elif name.endswith(".json"):
            had, have = list(old_json(a)), new_json(b)
        else:
            continue
        had, have = [tuple(map(number, f)) for f in had], {tuple(map(number, f)) for f in have}
        lacks = [f for f in had if f not in have]
        all_of, missing = all_of + len(had), missing + len(lacks)
        for f in lacks[:5]:
            print(name, *f)
        if lacks[5:]:
            print(name, "and", len(lacks) - 5, "more")
    print(f"{all_of} figures in {old}; {missing} of them are not in {new}")
    return 1 if missing or not all_of else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
