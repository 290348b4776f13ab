// A proxy that checks and records nothing: Fastify in front, undici behind. Prints its address, ends with its stdin.
import { setTimeout as delay } from "node:timers/promises";
import { fastify } from "fastify";
import { Pool } from "undici";

const [, , provider, pollMs] = process.argv;
const pool = new Pool(provider, { connections: 256 });

async function call(method, path) {
  const { body } = await pool.request({ method, path });
  return await body.json();
}

const app = fastify({ logger: false });
app.post("/v1/run", async ({ body: { endpoint } }) => {
  const [, kind, size] = endpoint.split("/");
  if (kind === "get") return { output: await call("GET", `/${size}`) };
  if (kind === "post") return { output: await call("POST", `/${size}`) };
  await call("POST", "/jobs");
  await delay(Number(pollMs));
  return { output: await call("GET", `/${size}`) };
});
console.log(await app.listen({ host: "127.0.0.1", port: 0 }));
process.stdin.resume().once("end", () => process.exit());
