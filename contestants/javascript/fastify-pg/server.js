// Answers TechEmpower's contracts, values and hello with Fastify and its plugins for pg and templates.
"use strict";

const fastify = require("fastify");

const { serve } = require("./harness-node");
const queries = require("./node-pg");

const app = fastify();

app.register(require("@fastify/postgres"), { connectionString: process.env.DATABASE_URL, idleTimeoutMillis: 0 });
app.register(require("@fastify/view"), { engine: { ejs: require("ejs") }, root: `${__dirname}/views` });

app.addHook("onRequest", async (request, reply) => {
  reply.header("Server", "Fastify");
});

app.get("/api/values/:id", async (request, reply) => {
  if (!/^-?[0-9]+$/.test(request.params.id)) {
    return reply.callNotFound();
  }
  return "value";
});

app.get("/hello", async () => "hello world");

app.get("/plaintext", async () => "Hello, World!");

app.get("/json", async () => ({ message: "Hello, World!" }));

app.register(async (app) => {
  const db = queries(app.pg.pool);

  app.get("/db", () => db.world());

  app.get("/queries", (request) => db.worlds(request.query.queries));

  app.get("/updates", (request) => db.update(request.query.queries));

  app.get("/cached-queries", (request) => db.cached(request.query.count));

  app.get("/fortunes", async (request, reply) => reply.viewAsync("fortunes.ejs", { fortunes: await db.fortunes() }));
});

serve((port, host) => app.listen({ port, host }));
