import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { mountDaemonCommands } from "../../../bin/daemon-commands.ts";
import { mktHome } from "../../support/mkt-home.ts";
import { startOpenApiUpstream } from "../../support/openapi-upstream/start-openapi-upstream.ts";
import { type CliSurroundings, runMkt } from "../../support/run-cli.ts";
import { spawnMkt } from "../../support/spawn-mkt.ts";
import { startTestDaemon } from "../../support/start-daemon.ts";
import { readDocument } from "./conform.ts";

const mountCommands: CliSurroundings["mount"] = (program, context) =>
  mountDaemonCommands(program, context, { version: "0.1.0", startedAtMs: Date.now() });

test("a document that is imported, granted and run with commands alone is called as it says", async () => {
  using home = mktHome();
  const bodies = fileURLToPath(new URL("documents/bodies-3.1.yaml", import.meta.url));
  const queries = fileURLToPath(new URL("documents/query-styles-3.1.yaml", import.meta.url));
  await using bodiesUpstream = await startOpenApiUpstream(readDocument(bodies));
  await using queriesUpstream = await startOpenApiUpstream(readDocument(queries));

  const files = [
    await spawnMkt(["catalog", "import", bodies, "--base-url", bodiesUpstream.origin], { home }),
    await spawnMkt(["catalog", "import", queries, "--base-url", `${queriesUpstream.origin}/v2`], { home }),
    await spawnMkt(["catalog", "check"], { home }),
  ];
  await using daemon = await startTestDaemon({ home });
  const mkt = async (words: readonly string[]) =>
    await runMkt(words, { env: { MKT_API_URL: daemon.url, MKT_API_KEY: daemon.key }, mount: mountCommands });
  const grants = [
    await mkt(["catalog", "grant", "bodies", "--yes"]),
    await mkt(["catalog", "grant", "query-styles", "--yes"]),
  ];
  const runs = [
    await mkt(["run", "bodies/object", "name=Zürich, a/b", 'color:={"R": 255, "note": "50 % & more"}']),
    await mkt(["run", "bodies/list", "-i", '{"items": [{"name": "one"}, {"name": "two"}]}']),
    await mkt(["run", "bodies/form", "word=a&b=c", 'joined:=["a", "b"]', 'deep:={"R": 1, "note": "é"}']),
    await mkt(["run", "bodies/multipart", "file=iVBORw==", 'settings:={"R": 2}', "title=A picture"]),
    await mkt(["run", "query-styles/form", "word=«a»", 'listed:=["b c", "d,e"]', 'joined:=["f,g", "h"]']),
    await mkt(["run", "query-styles/deep", 'filter:={"R": 3, "note": "i&j"}', "page[size]=20"]),
  ];

  expect(files.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect([...grants, ...runs].filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
  expect([...bodiesUpstream.complaints, ...queriesUpstream.complaints]).toEqual([]);
  expect(bodiesUpstream.calls.map(({ operation, body }) => [operation, body])).toEqual([
    ["POST /object", { name: "Zürich, a/b", color: { R: 255, note: "50 % & more" } }],
    ["POST /list", [{ name: "one" }, { name: "two" }]],
    ["POST /form", { word: "a&b=c", joined: ["a", "b"], deep: { R: 1, note: "é" } }],
    ["POST /multipart", { file: "\u0089PNG", settings: { R: 2 }, title: "A picture" }],
  ]);
  expect(queriesUpstream.calls.map(({ operation, parameters }) => [operation, parameters.query])).toEqual([
    ["GET /form", { word: "«a»", listed: ["b c", "d,e"], joined: ["f,g", "h"] }],
    ["GET /deep", { filter: { R: 3, note: "i&j" }, "page[size]": 20 }],
  ]);
});
