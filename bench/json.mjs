/*
 * What it costs to look through JSON before it is parsed: `npm run json`. The ratio beside JSON.parse is what counts; the
 * milliseconds are those of this machine, now.
 */
import { importBundled } from "./bundle.mjs";

const { bodies, parseExactly, scan } = await importBundled("json");
const rounds = Number(process.env.MKT_BENCH_ROUNDS ?? 7);

const rows = Object.entries(bodies()).map(([name, text]) => {
  const [parse, scanned, exact] = fastest([() => JSON.parse(text), () => scan(text), () => parseExactly(text)]);
  return {
    body: name,
    MB: (Buffer.byteLength(text) / 1e6).toFixed(1),
    "JSON.parse, ms": parse.toFixed(1),
    "scan, ms": scanned.toFixed(1),
    "scan / parse": (scanned / parse).toFixed(2),
    "parseExactly / parse": (exact / parse).toFixed(2),
  };
});
console.table(rows);

/** The fastest of some rounds of each, interleaved. */
function fastest(works) {
  const best = works.map(() => Infinity);
  for (let round = 0; round < rounds; round += 1) {
    works.forEach((work, index) => {
      const begin = performance.now();
      work();
      best[index] = Math.min(best[index], performance.now() - begin);
    });
  }
  return best;
}
