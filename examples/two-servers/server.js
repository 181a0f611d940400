// The same service as server.go, in Node.
const http = require("node:http");

const server = http.createServer((request, response) => {
  const found = /^\/users\/([0-9]+)$/.exec(request.url);
  const status = found ? 200 : 404;
  const body = JSON.stringify(found ? { id: Number(found[1]), name: `user ${found[1]}` } : { error: "not found" });
  response.writeHead(status, { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) });
  response.end(body);
});
server.listen(Number(process.env.PORT || 3000), "127.0.0.1");
