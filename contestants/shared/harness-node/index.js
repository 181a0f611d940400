// Does what dyno alone asks of a contestant: an address, an artificial delay, a quick stop. It is not counted as
// the contestant's source.
"use strict";

const cluster = require("node:cluster");
const fs = require("node:fs");
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

// at returns the arguments port, host of the address in an environment variable; null if it is not set.
function at(variable) {
  const address = process.env[variable];
  if (!address) {
    return null;
  }
  const colon = address.lastIndexOf(":");
  return [Number(address.slice(colon + 1)), address.slice(0, colon)];
}

process.on("SIGTERM", () => process.exit(0));

// serve calls listen(port, host), which a framework has. Where dyno asks for it, it also calls tls(port, host, pem),
// for HTTP/1.1, and by ALPN HTTP/2, with the certificate and the key in pem, and h2c(port, host), for HTTP/2 in the
// clear.
function serve(listen, { tls, h2c } = {}) {
  listen(...at("DYNO_ADDR"));
  if (tls && at("DYNO_TLS_ADDR")) {
    const [cert, key] = [process.env.DYNO_TLS_CERT, process.env.DYNO_TLS_KEY].map((file) => fs.readFileSync(file));
    tls(...at("DYNO_TLS_ADDR"), { cert, key });
  }
  if (h2c && at("DYNO_H2C_ADDR")) {
    h2c(...at("DYNO_H2C_ADDR"));
  }
}

// serveCluster is serve in one process for each CPU that this one may use.
function serveCluster(listen, more) {
  if (!cluster.isPrimary) {
    serve(listen, more);
    return;
  }
  for (let i = 0; i < os.availableParallelism(); i++) {
    cluster.fork();
  }
  cluster.on("exit", (worker, code) => process.exit(code)); // 0 if it was told to stop
}

module.exports = { delay, wait, serve, serveCluster };
