import { readdirSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../dist/", import.meta.url));

/**
 * Where the processor time of a profile (`node --cpu-prof`) went: µs by part (a folder of ours, a package, a module of Node,
 * the garbage collector) and by function. What the process waited is left out.
 */
export function partsOf(folder) {
  const name = readdirSync(folder).find((file) => file.endsWith(".cpuprofile"));
  if (name === undefined) throw new Error(`no profile was written to ${folder}`);
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(join(folder, name), "utf8"));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const [parts, functions] = [new Map(), new Map()];
  const placeOf = placesInSources();
  for (const [index, id] of samples.entries()) {
    const frame = frames.get(id);
    if (frame.functionName === "(idle)") continue;
    const { part, place } = placeOf(frame);
    add(parts, part, timeDeltas[index]);
    add(functions, place, timeDeltas[index]);
  }
  return { parts: byTime(parts), functions: byTime(functions) };
}

function add(sums, name, value) {
  sums.set(name, (sums.get(name) ?? 0) + value);
}

function byTime(sums) {
  return [...sums].sort(([, one], [, other]) => other - one);
}

/** Finds the source of a function through the maps of the build. */
function placesInSources() {
  const maps = new Map();
  const known = new Map();
  const mapOf = (path) => {
    if (!maps.has(path)) {
      try {
        maps.set(path, new SourceMap(JSON.parse(readFileSync(`${path}.map`, "utf8"))));
      } catch {
        maps.set(path, undefined);
      }
    }
    return maps.get(path);
  };
  const find = ({ functionName, url, lineNumber, columnNumber }) => {
    const called = functionName === "" ? "(anonymous)" : functionName;
    if (url === "") return { part: called === "(program)" ? "native code and the system" : called, place: called };
    if (url.startsWith("node:")) return { part: partOfNode(url), place: `${called} ${url}` };
    if (url.startsWith("wasm:")) return { part: "WebAssembly", place: `${called} in WebAssembly` };
    const path = url.startsWith("file:") ? fileURLToPath(url) : url;
    const entry = path.startsWith(built) ? mapOf(path)?.findEntry(lineNumber, columnNumber) : undefined;
    const source = entry?.originalSource === undefined ? path : resolve(built, entry.originalSource);
    return { part: partOf(source), place: `${called} ${shortened(source)}:${(entry?.originalLine ?? lineNumber) + 1}` };
  };
  return (frame) => {
    const key = `${frame.functionName} ${frame.url} ${frame.lineNumber} ${frame.columnNumber}`;
    if (!known.has(key)) known.set(key, find(frame));
    return known.get(key);
  };
}

function partOfNode(url) {
  return `node: ${url
    .slice(5)
    .replace(/^internal\//, "")
    .split("/")[0]
    .replace(/^_/, "")
    .replace(/_.*$/, "")}`;
}

function partOf(source) {
  const [, ours] = source.split(`${resolve(built, "..")}/`);
  const inPackage = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules)/.exec(source)?.[1];
  if (inPackage !== undefined) return inPackage;
  return ours === undefined ? source : ours.split("/").slice(0, 2).join("/");
}

function shortened(source) {
  return source.replace(/^.*node_modules\//, "").replace(`${resolve(built, "..")}/`, "");
}
