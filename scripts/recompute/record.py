"""The record of a run: which trials count, the metrics of each, and what others took of it (doc/method.md, Noise)."""
import gzip
import json
import os
from math import exp, hypot, log, sqrt
from statistics import fmean as mean, median


def same_level(level):
    return json.dumps({k: v for k, v in level.items() if k != "rate_per_sec"}, sort_keys=True)


def discarded(trial):
    load, causes = trial["load"], trial["causes"]
    pause = load.get("gap_ns", 0) - load.get("run_queue_ns", 0)
    share = .01 if "pace" in load else .1
    return causes.get("suspended_ns", 0) > 0 or pause > max(1e7, share * load["window_ns"]) or background(trial)[2] > .1


def background(trial):
    """CPU time of others, as shares: on the server's CPUs, on the generator's own; and steal on all of them"""
    c = trial["causes"]
    shared = c.get("shared_cpus", 0)
    cpus = c["server_cpus"], c["generator_cpus"] - shared
    taken = (c["background_server_ns"] + c.get("other_sides_ns", 0), c["background_generator_ns"], c["steal_ns"])
    return [min(.95, ns / (c["wall_ns"] * n)) if n else 0
            for ns, n in zip(taken, cpus + (sum(cpus) + c.get("service_cpus", 0),))]


class Record:
    def __init__(self, folder):
        trials = []
        with gzip.open(os.path.join(folder, "trials.jsonl.gz"), "rt") as lines:
            for (key, value), in (json.loads(line).items() for line in lines):
                if key == "plan":
                    self.plan = value
                elif key == "trial":
                    trials.append(value)
        plan = self.plan
        self.levels = plan["levels"]
        number = {same_level(level): i for i, level in enumerate(self.levels)}
        last, attempts = {}, {}
        for t in trials:
            t["cell"] = t["contestant"], number[same_level(t.get("level") or self.levels[0])]
            place = t["epoch"], t["round"]
            attempts[place] = max(attempts.get(place, 0), t["attempt"])
            if place + t["cell"] not in last or last[place + t["cell"]]["attempt"] <= t["attempt"]:
                last[place + t["cell"]] = t
        last = [t for t in last.values() if t["attempt"] == attempts[t["epoch"], t["round"]]]
        valid = [t for t in last if not discarded(t)]
        half = {e for e in {t["epoch"] for t in last}
                if 2 * sum(t["epoch"] == e for t in valid) >= sum(t["epoch"] == e for t in last)}
        pilots = plan.get("pilots", 0)
        self.valid = [t for t in valid if t["epoch"] >= pilots and t["epoch"] in half]
        self.pilot = [t for t in valid if t["epoch"] < pilots]


# ---- metrics of a trial -------------------------------------------------------------------------------------------

def rate(trial):
    load = trial["load"]
    return load["rate_answers"] / load["rate_ns"] * 1e9


def server(*keys, per=False):
    def of(trial):
        if any(key not in trial["server"] for key in keys):
            return None
        return sum(trial["server"][key] for key in keys) / (trial["load"]["succeeded"] if per else 1)
    return of


def load(key):
    return lambda trial: trial["load"].get(key) or None


def share(of, cpus):
    return lambda t: of(t) / t["clocks_ns"] / t["causes"][cpus] if "services" in t else None


services = share(lambda t: sum(s["cpu_ns"] for s in t["services"]), "generator_cpus")

METRICS = {
    "throughput": rate, "cpu_per_request": server("cpu_ns", per=True), "p50": load("service_p50_ns"),
    "memory": lambda t: server("private_bytes")(t) or server("pss_bytes")(t), "heap_inuse": server("heap_inuse_bytes"),
    "alloc_per_request": server("alloc_bytes", per=True),
    "goroutines_per_request": server("goroutines_started", per=True), "rate_sd": load("rate_sd_per_sec"),
    "rate_max": load("rate_max_per_sec"), "service_mean": load("service_mean_ns"), "service_sd": load("service_sd_ns"),
    "service_max": load("service_max_ns"), "cpu_time": server("cpu_ns"),
    "cpu_since_start": server("cpu_user_total_ns", "cpu_system_total_ns"), "threads": server("threads"),
    "sockets": server("open_sockets"), "swap_pss": server("swap_pss_bytes"), "file_memory": server("file_bytes"),
    "server_cpu_share": share(lambda t: t["server"]["cpu_ns"], "server_cpus"),
    "service_cpu_share": services,
    "service_cpu": lambda t: sum(s["cpu_ns"] for s in t["services"]) / t["load"]["succeeded"] if t.get("services") else None,
    "service_ceiling": lambda t: rate(t) / services(t) if services(t) else None,
    "service_memory": lambda t: (sum(s.get("private_bytes", s.get("pss_bytes")) for s in t["services"])
                                 if t.get("services") else None),
    "generator_cpu_share": share(lambda t: t["generator"]["cpu_ns"], "generator_cpus")}
LATENCIES = {"p50", "service_mean", "service_sd", "service_max"}


# ---- trials by epoch, round and cell; what others took ------------------------------------------------------------

def cpu(trial):
    """the share of its CPUs' time that the server used, with a generator on the same CPUs, and that others left to it"""
    c, used = trial["causes"], trial["server"]["cpu_ns"]
    if c.get("shared_cpus"):
        used += trial["generator"].get("cpu_ns", 0) - trial["load"].get("spun_ns", 0)
        used += sum(s["cpu_ns"] for s in trial.get("services", []))
    used /= trial["clocks_ns"] * c["server_cpus"]
    taken = background(trial)
    return used, 1 - taken[0] - taken[2]


def slopes(rows, least=3):
    """least squares of y on x[0..2]; the least clear slope below three standard errors is left out, one at a time"""
    left = [0, 1, 2]
    while left and len(rows) > 3 * len(left):
        k = len(left)
        m = [[sum(x[a] * x[b] for x, _ in rows) + (a == b) * 1e-9 for b in left] + [float(a == b) for b in left]
             for a in left]
        for i in range(k):  # Gauss and Jordan
            m[i] = [v / m[i][i] for v in m[i]]
            for j in set(range(k)) - {i}:
                m[j] = [v - m[j][i] * w for v, w in zip(m[j], m[i])]
        right = [sum(x[a] * y for x, y in rows) for a in left]
        b = [sum(m[i][k + j] * right[j] for j in range(k)) for i in range(k)]
        rest = sum((y - sum(c * x[a] for c, a in zip(b, left))) ** 2 for x, y in rows) / (len(rows) - k)
        if rest == 0:
            break
        clear, worst = min((abs(b[i]) / sqrt(m[i][k + i] * rest), i) for i in range(k))
        if clear >= least:
            return {a: c for a, c in zip(left, b)}
        left.pop(worst)
    return {}


class Table:
    def __init__(self, trials):
        self.at, rounds = {}, {}
        for t in trials:
            self.at.setdefault((t["cell"], t["epoch"]), {})[t["round"]] = t
            rounds.setdefault((t["epoch"], t["round"]), []).append(t)
        self.epochs = sorted({e for e, _ in rounds})
        self.rounds = {e: sorted(r for f, r in rounds if f == e) for e in self.epochs}
        self.loaded = {(t["epoch"], t["cell"][1]) for t in trials}
        self.busy = {place for place, of in rounds.items() if any(
            mean([background(t)[k] for t in of]) > most for k, most in enumerate((.1, .1, .03)))}
        self.full, self.error, self.lost = {}, {}, {}
        for cell in {t["cell"] for t in trials}:
            own = [t for t in trials if t["cell"] == cell]
            used, left = zip(*(cpu(t) for t in own))
            full = mean(used) / max(mean(used), mean(left))
            if full >= .9:
                self.full[cell], n = full, len(own)
                self.error[cell] = sqrt(sum((u - full * v) ** 2 for u, v in zip(used, left)) / (n * max(1, n - 1))) / mean(used)
            taken = [background(t) for t in own]
            self.lost[cell] = max(mean([x[k] + x[2] for x in taken]) for k in (0, 1))
        self.slopes = {}
        self.slopes = slopes(self.apart(rounds))

    def apart(self, rounds):
        rows = {}
        for (epoch, _), of in rounds.items():
            if len(of) > 1:
                x = [[0] * 3 if t["cell"] in self.full else [log(1 - s) for s in background(t)] for t in of]
                y = [log(self.value("throughput", t)) for t in of]
                for t, a, b in zip(of, x, y):
                    rows.setdefault((t["cell"], epoch), []).append(
                        ([v - mean([w[k] for w in x]) for k, v in enumerate(a)], b - mean(y)))
        out = []
        for (cell, _), own in rows.items():
            if cell not in self.full:
                out += [([v - mean([w[k] for w, _ in own]) for k, v in enumerate(a)], b - mean([y for _, y in own]))
                        for a, b in own]
        return out

    def rounds_of(self):
        return sum(map(len, self.rounds.values())) // len(self.rounds)

    def measured(self, metric, t):
        if metric in LATENCIES and (t["epoch"], t["round"]) in self.busy:
            return None
        return METRICS[metric](t)

    def value(self, metric, t):
        v = self.measured(metric, t)
        if metric != "throughput" or v is None:
            return v
        if t["cell"] in self.full:
            return v * self.full[t["cell"]] / cpu(t)[0]
        return v * exp(-sum(b * log(1 - background(t)[k]) for k, b in self.slopes.items()))

    def logs(self, metric, cell, epoch):
        values = {r: self.value(metric, t) for r, t in self.at.get((cell, epoch), {}).items()}
        return {r: log(v) for r, v in values.items() if v and v > 0}

    def mixed(self, metric, a, b):
        """what others may have cost the cell that alone is not saturated, and whether it is b"""
        if metric != "throughput" or (a in self.full) == (b in self.full):
            return 0, False
        return self.lost.get(b if a in self.full else a, 0), a in self.full

    def allow(self, j, metric, a, b):
        if metric == "throughput":
            error = hypot(self.error.get(a, 0), self.error.get(b, 0))
            j.allow(hypot(j.se, error) - j.se, *self.mixed(metric, a, b))
        return j

    def differences(self, metric, a, b):
        """of each epoch with the level of one of them the median log ratio over the rounds; None: it has none"""
        out, comparable = [], self.mixed(metric, a, b)[0] <= .1
        for e in self.epochs:
            if (e, a[1]) in self.loaded or (e, b[1]) in self.loaded:
                x, y = self.logs(metric, a, e), self.logs(metric, b, e)
                both = [x[r] - y[r] for r in x if r in y]
                out.append(median(both) if both and comparable else None)
        return out

    def medians(self, metric, cell):
        values = [[v for t in self.at.get((cell, e), {}).values() if (v := self.measured(metric, t)) is not None]
                  for e in self.epochs]
        return [median(v) for v in values if v]
