#!/usr/bin/env python3
"""Shows that reports of two versions of dyno have the same figures.

    python3 scripts/figures/figures.py OLD NEW

OLD and NEW are folders with the same files, written by `dyno report --format csv` (NAME.csv) and `--format json`
(NAME.json) of the same records. OLD may have the four headers of CSV that were before the one, and run.json format 2.
Each figure of OLD that NEW lacks is printed; the exit code is 1 if there is any.
"""
import csv
import json
import os
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
    for r in csv.DictReader(open(path, newline="")):
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


def new_csv(path):
    figures = set()
    for r in csv.DictReader(open(path, newline="")):
        level, by = r["level"], "dyno"
        if ", by " in level:
            by = level.rsplit(", by ", 1)[1]
        figures_of = {k: r[k] for k in ("value", "lo", "hi", "epochs", "ratio", "ratio_lo", "ratio_hi", "verdict", "notes") if r[k]}
        if r["notes"].startswith("p = "):
            figures_of["p"] = r["notes"][4:].split(";")[0]
        for k, x in figures_of.items():
            figures.add((r["contestant"], level, r["metric"], k, x, by))
            figures.add((r["contestant"], None, r["metric"], k, x, by))
    return figures


def leaves(x, path=()):
    if isinstance(x, dict):
        for k, v in x.items():
            yield from leaves(v, path + (k,))
    elif isinstance(x, list):
        for i, v in enumerate(x):
            yield from leaves(v, path + (i,))
    else:
        yield path, x


def json_figures(path):
    for at, x in leaves(json.load(open(path))):
        if at[-1] == "loads" and "metrics" in at:  # of format 2
            at = at[:-1] + ("epochs",)
        if at != ("format",):
            yield at + (x,)


def main(old, new):
    all_of, missing = 0, 0
    for name in sorted(os.listdir(old)):
        a, b = os.path.join(old, name), os.path.join(new, name)
        if name.endswith(".csv"):
            had, have = list(old_csv(a)), new_csv(b)
        elif name.endswith(".json"):
            had, have = list(json_figures(a)), set(json_figures(b))
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
