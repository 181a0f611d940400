// Answers the scenarios values and hello with Fastify.
"use strict";

const fastify = require("fastify")();

const { delay, wait, serve } = require("./harness-node");

fastify.get("/api/values/:id", async (request, reply) => {
  if (!/^-?[0-9]+$/.test(request.params.id)) {
    return reply.callNotFound();
  }
  if (delay) {
    await wait();
  }
  return "value";
});

fastify.get("/hello", async () => {
  if (delay) {
    await wait();
  }
  return "hello world";
});

serve((port, host) => fastify.listen({ port, host }));
