// A loop over the typed client, some requests at a time: `node client-loop.mjs name rows concurrency [keys]`. It sends the
// same requests as a batch does and keeps nothing of their answers; with `keys` each has an idempotency key, as a batch's rows have.
import { createClient } from "../../dist/client.js";

const [name, rows, concurrency, keys] = process.argv.slice(2);
const client = createClient({ baseUrl: process.env.MKT_API_URL, key: process.env.MKT_API_KEY });

let next = 0;
async function work() {
  for (let at = next++; at < Number(rows); at = next++) {
    const item = `${name}i${at}`;
    const body = { provider: "vendor", endpoint: "/it", input: { queryParams: { item } } };
    const options = keys === undefined ? {} : { headers: { "idempotency-key": `loop-${item}` } };
    const run = await client.startRun({ body }, options);
    if (run.status !== "COMPLETED") throw new Error(JSON.stringify(run).slice(0, 500));
  }
}
await Promise.all(Array.from({ length: Number(concurrency) }, work));
