"""The test, the interval and the estimates of doc/method.md, Statistics: each by its formula there."""
from functools import cache
from math import comb, copysign, exp, inf, lgamma, log, log1p, pi, sqrt
from statistics import fmean as mean, median

LEAST = 8  # epochs that sign flips need


def mad(values):
    return 1.4826 * median(abs(v - median(values)) for v in values)


def variance(values):
    return sum((v - mean(values)) ** 2 for v in values) / (len(values) - 1)


def spread(series):
    """√((1+r)/(1−r)) of the pooled correlation with the epoch before"""
    products = squares = lengths = 0
    for x in (x for x in series if len(x) >= 4):
        d = [v - mean(x) for v in x]
        own = sum(v * v for v in d)
        products += sum(a * b for a, b in zip(d, d[1:]))
        squares, lengths = squares + own, lengths + own * len(x)
    if not squares or (n := lengths / squares) < 4:
        return 1
    r = max(0, min(1, (products / squares * n + 1) / (n - 3)))
    servers = (1 + sqrt(1 + 8 * len(series))) / 2
    if r > 1.645 / sqrt(max(1, (n - 1) * (servers - 1))):
        r = .6
    return sqrt((1 + r) / (1 - r))


@cache
def flips(n):
    """for each eight epochs a byte a flip, whose bits say whose signs are flipped; flip 0 flips none"""
    if n <= 12:
        return [bytes((f >> at) & 255 for f in range(1 << n - 1)) for at in range(0, n, 8)]
    state, out = 1 << 64 | n, []
    for _ in range(0, n, 8):  # PCG-DXSM with 128 bits (Go's math/rand/v2), seeds 1 and n
        masks = bytearray(1)
        for _ in range(4095):
            state = state * 47026247687942121848144207491837523525 + 117397592171526113268558934119004209487
            state %= 1 << 128
            hi, lo = state >> 64, state & (1 << 64) - 1
            hi = (hi ^ hi >> 32) * 0xda942042e4dd58b5 % (1 << 64)
            masks.append((hi ^ hi >> 48) * (lo | 1) % (1 << 64) >> 32 & 255)
        out.append(bytes(masks))
    return out


def flipped_sums(column):
    total = None
    for masks, at in zip(flips(len(column)), range(0, len(column), 8)):
        part = column[at:at + 8]
        table = [sum(-v if b >> i & 1 else v for i, v in enumerate(part)) for b in range(1 << len(part))]
        own = [table[m & len(table) - 1] for m in masks]
        total = own if total is None else [a + b for a, b in zip(total, own)]
    return total


class Judged:
    """of one pair: location, standard error, adjusted p, critical values of two sides and of one"""
    def __init__(self, loc, se, df, average, average_se, n):
        self.loc, self.se, self.df, self.mean, self.mean_se, self.n = loc, se, df, average, average_se, n
        self.p, self.crit, self.side, self.different = 1, inf, inf, False
        self.moved = self.low = self.high = self.narrower = 0
        self.shown = True

    def allow(self, error, lost, turned):
        """widens the interval for what is not known of the background"""
        if not 0 < self.crit * error + lost < inf:
            return
        self.low = self.high = self.crit * error
        self.narrower = lost + self.crit * error
        if turned:
            self.low -= log(1 - lost)
        else:
            self.high -= log(1 - lost)
        lo, hi = self.interval()
        self.shown = lo > 0 or hi < 0

    def interval(self):
        if not self.crit * self.se < inf:
            return -inf, inf
        lo, hi = self.loc - self.crit * self.se, self.loc + self.crit * self.se
        if not self.different:
            lo, hi = min(lo, 0), max(hi, 0)
        else:
            lo, hi = (max(lo, 0), hi) if self.loc > 0 else (lo, min(hi, 0))
        return lo - self.low, hi + self.high

    def verdict(self, margin):
        limit, (lo, hi) = log1p(margin), self.interval()
        if self.different and self.shown:
            return "negligible" if lo > -limit and hi < limit else "different"
        far = max(abs(self.loc) + self.side * self.se, abs(self.mean) + self.side * self.mean_se)
        return "equivalent" if self.narrower < 1 and far < log1p(margin - self.narrower) else "inconclusive"


def joint(columns, alpha, factor):
    known = [[v for v in c if v is not None] for c in columns]
    medians, limit = [median(c) for c in known], 3 * median(mad(c) for c in known)
    out, centred, squares = [], [], []
    for column, own, m in zip(columns, known, medians):
        n = len(own)
        z = [None if v is None else max(-limit, min(limit, v - m)) for v in column]
        inside = max(.5, sum(v is not None and abs(v - m) <= limit for v in column) / n)
        shift = sum(v for v in z if v is not None) / n / inside
        centred.append([0 if v is None else v / inside - shift for v in z])
        squares.append(sum(v * v for v in centred[-1]))
        out.append(Judged(m + shift, 0, n - 1, mean(own), factor * sqrt(variance(own) / n), n))

    def errors(variances):
        typical = median(variances)
        return [max(1e-12, sqrt((v + 3 * typical) / 4 / j.n)) for v, j in zip(variances, out)]

    for j, se in zip(out, errors([q / j.df for q, j in zip(squares, out)])):
        j.se = factor * se
        j.t = abs(j.loc) / j.se if abs(j.loc) > 1e-12 else 0
    order = sorted(range(len(out)), key=lambda i: out[i].t)  # the clearest last
    reached, largest, sided = [1] * len(out), [], []
    ways = zip(*[flipped_sums(c) for c in centred])
    next(ways)  # the values as they were seen count, and are not in the reference
    for row in ways:
        se = errors([(q - s * s / j.n) / j.df for q, s, j in zip(squares, row, out)])
        t = [s / j.n / e for s, e, j in zip(row, se, out)]
        most = 0
        for i in order:
            most = max(most, abs(t[i]))
            reached[i] += most >= out[i].t * (1 - 1e-9)
        largest.append(most)
        turned = [copysign(v, v * j.loc) for v, j in zip(t, out)]
        sided += max(turned), -min(turned)
    least = 0
    for i in reversed(order):
        out[i].p = least = max(least, reached[i] / (len(largest) + 1))
        out[i].crit, out[i].side = critical(largest, alpha, 1), critical(sided, alpha, 2)
        out[i].different = out[i].p <= alpha
    return out


def critical(reference, alpha, sides):
    over = int(alpha * (len(reference) + sides) * (1 + 1e-12)) - 1
    return sorted(reference)[max(0, len(reference) - 1 - over)] if over >= 0 else inf


def student(t, df, n=4000):
    """the distribution function of Student's t at t > 0: an integral by Simpson's rule"""
    scale = exp(lgamma((df + 1) / 2) - lgamma(df / 2)) / sqrt(df * pi)
    y = [(1 + (t * i / n) ** 2 / df) ** (-(df + 1) / 2) for i in range(n + 1)]
    return .5 + scale * t / n / 3 * (y[0] + y[n] + 4 * sum(y[1:n:2]) + 2 * sum(y[2:n:2]))


@cache
def student_quantile(p, df):
    lo, hi = 0, 100
    for _ in range(60):
        middle = (lo + hi) / 2
        lo, hi = (middle, hi) if student(middle, df) < p else (lo, middle)
    return lo


def early(columns, alpha, s0):
    out, n, m = [], len(columns[0]), len(columns)
    for c in columns:
        se = sqrt((4 * s0 * s0 + (n - 1) * variance(c)) / (n + 3) / n) if n > 1 else inf
        out.append(j := Judged(mean(c), se, n + 3 if n > 1 else 0, mean(c), se, n))
        if n > 1:
            j.p = min(1, 2 * m * (1 - student(abs(j.loc) / se, n + 3)))
            j.crit, j.side = student_quantile(1 - alpha / 2 / m, n + 3), student_quantile(1 - alpha / m, n + 3)
            j.different = abs(j.loc) >= j.crit * se
    return out


def judge(columns, alpha, beside=(), rounds=12):
    """the family; columns with too few epochs are estimated alone"""
    epochs = len(columns[0])
    known = [[v for v in c if v is not None] for c in columns]
    family = [i for i, c in enumerate(known) if len(c) == epochs or len(c) >= LEAST]
    out = [None if i in family or not c else judge([c], alpha, (), rounds)[0] for i, c in enumerate(known)]
    if family and epochs < LEAST:
        found = early([columns[i] for i in family], alpha, .08 * sqrt(12 / max(1, min(12, rounds))))
    elif family:
        series = [known[i] for i in family]
        found = joint([columns[i] for i in family], alpha, max(spread(series), spread(series + list(beside))))
    for i, j in zip(family, found if family else ()):
        out[i] = j
    return out


def median_interval(values):
    n, rank, below = len(values), 0, 0
    while (below := below + comb(n, rank) / 2 ** n) <= .025:
        rank += 1
    return (sorted(values)[rank - 1], sorted(values)[n - rank]) if rank else (None, None)
