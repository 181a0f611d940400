// Answers TechEmpower's contracts, values and hello with Express, pg and Pug.
"use strict";

const express = require("express");
const { Pool } = require("pg");

const { serve } = require("./harness-node");
const db = require("./node-pg")(new Pool({ connectionString: process.env.DATABASE_URL, idleTimeoutMillis: 0 }));

const app = express();

app.set("views", `${__dirname}/views`);
app.set("view engine", "pug");

app.use((req, res, next) => {
  res.set("Server", "Express");
  next();
});

app.get("/api/values/:id", (req, res, next) => {
  if (!/^-?[0-9]+$/.test(req.params.id)) {
    return next();
  }
  res.type("text/plain").send("value");
});

app.get("/hello", (req, res) => {
  res.type("text/plain").send("hello world");
});

app.get("/plaintext", (req, res) => {
  res.type("text/plain").send("Hello, World!");
});

app.get("/json", (req, res) => {
  res.json({ message: "Hello, World!" });
});

app.get("/db", async (req, res) => {
  res.json(await db.world());
});

app.get("/queries", async (req, res) => {
  res.json(await db.worlds(req.query.queries));
});

app.get("/updates", async (req, res) => {
  res.json(await db.update(req.query.queries));
});

app.get("/cached-queries", async (req, res) => {
  res.json(await db.cached(req.query.count));
});

app.get("/fortunes", async (req, res) => {
  res.render("fortunes", { fortunes: await db.fortunes() });
});

serve((port, host) => app.listen(port, host));
