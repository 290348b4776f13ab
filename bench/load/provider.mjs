// A provider in a process of its own, which answers at once: `node provider.mjs`. Its first line is its address.
import { createServer } from "node:http";

let jobs = 0;

const server = createServer((request, response) => {
  request.resume();
  const { method = "", url = "" } = request;
  response.setHeader("content-type", "application/json");
  if (method === "POST" && url.startsWith("/reports")) {
    jobs += 1;
    response.statusCode = 202;
    response.end(JSON.stringify({ id: `job-${jobs}`, asked: 0 }));
  } else if (url.startsWith("/reports/")) {
    response.end('{"status":"done","result":{"items":[1,2,3]}}');
  } else {
    response.end('{"degrees":20.5,"wind":"from the west"}');
  }
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`http://127.0.0.1:${server.address().port}\n`));
process.stdin.resume();
process.stdin.once("end", () => process.exit(0));
