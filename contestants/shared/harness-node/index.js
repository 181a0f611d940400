// Does what dyno alone asks of a contestant: an address, an artificial delay, a quick stop. It is not counted as
// the contestant's source.
"use strict";

const cluster = require("node:cluster");
const os = require("node:os");

// Milliseconds per unit of a Go duration.
const units = { ns: 1e-6, us: 1e-3, "µs": 1e-3, ms: 1, s: 1e3, m: 60e3, h: 3600e3 };

// parse reads a Go duration of one number and one unit: "30ms", "1.5s", "500us", "0".
function parse(text) {
  if (!text || text === "0") {
    return 0;
  }
  const [, number, unit] = /^([0-9.]+)([a-zµ]+)$/.exec(text) || [];
  if (!(unit in units) || Number.isNaN(Number(number))) {
    throw new Error(`read DYNO_DELAY: "${text}" is no duration such as 30ms`);
  }
  return Number(number) * units[unit];
}

// delay is DYNO_DELAY in milliseconds; a handler calls wait if it is not 0.
const delay = parse(process.env.DYNO_DELAY);

// wait resolves after delay. A timer counts from the begin of the event loop's turn, so that it may fire early.
async function wait() {
  const due = performance.now() + delay;
  for (let left = delay; left > 0; left = due - performance.now()) {
    await new Promise((resolve) => setTimeout(resolve, Math.ceil(left)));
  }
}

const at = process.env.DYNO_ADDR.lastIndexOf(":");
const host = process.env.DYNO_ADDR.slice(0, at);
const port = Number(process.env.DYNO_ADDR.slice(at + 1));

process.on("SIGTERM", () => process.exit(0));

// serve calls listen(port, host), which a framework has.
function serve(listen) {
  listen(port, host);
}

// serveCluster calls listen in one process for each CPU that this one may use.
function serveCluster(listen) {
  if (!cluster.isPrimary) {
    serve(listen);
    return;
  }
  for (let i = 0; i < os.availableParallelism(); i++) {
    cluster.fork();
  }
  cluster.on("exit", (worker, code) => process.exit(code)); // 0 if it was told to stop
}

module.exports = { delay, wait, serve, serveCluster };
