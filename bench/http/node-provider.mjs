// The provider of the HTTP benchmark where nginx is missing: prints its address, ends with its stdin.
import { createServer } from "node:http";
import { ANSWERS, answerOf } from "./nginx-provider.mjs";

const answers = new Map(Object.entries(ANSWERS).map(([name, bytes]) => [`/${name}`, answerOf(bytes)]));
answers.set("/jobs", JSON.stringify({ status: "working", id: "job-1" }));

const server = createServer((request, response) => {
  request.resume();
  response.setHeader("content-type", "application/json");
  response.end(answers.get(request.url) ?? "{}");
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.resume().once("end", () => process.exit());
