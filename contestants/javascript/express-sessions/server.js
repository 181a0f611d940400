// Answers the scenarios sessions and sessions-jar with Express and the sessions of express-session in memory.
"use strict";

const express = require("express");
const session = require("express-session");
const MemoryStore = require("memorystore")(session);

const { delay, wait, serve } = require("./harness-node");

const minute = 60 * 1000;
const app = express();

app.use(session({
  name: ".cookiesession.id",
  secret: "a secret of the benchmark",
  cookie: { maxAge: minute },
  store: new MemoryStore({ checkPeriod: minute }),
  resave: false,
  saveUninitialized: false,
}));

app.get("/setget", async (req, res) => {
  if (delay) {
    await wait();
  }
  req.session.key = "value";
  res.type("text/plain").send(req.session.key);
});

app.get("/get", async (req, res) => {
  if (delay) {
    await wait();
  }
  res.type("text/plain").send(req.session.key || "");
});

app.post("/set", async (req, res) => {
  if (delay) {
    await wait();
  }
  req.session.key = req.query.value;
  res.end();
});

app.delete("/del", async (req, res) => {
  if (delay) {
    await wait();
  }
  delete req.session.key;
  res.end();
});

serve((port, host) => app.listen(port, host), {
  tls: (port, host, pem) => require("node:https").createServer(pem, app).listen(port, host),
});
