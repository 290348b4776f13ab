import { readdir } from "node:fs/promises";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { CatalogEntry } from "../../../daemon/catalog/entries/catalog-entry.ts";
import { openSearchServices } from "../../../daemon/discovery/services/open-search-services.ts";
import type { Refined, SearchServices } from "../../../daemon/discovery/services/search-services.ts";
import type { SearchServiceSettings } from "../../../daemon/discovery/services/calls/service-settings.ts";
import type { CatalogFolderFixture } from "../../catalog/catalog-folder.ts";
import type { FakeCall } from "../../support/fake-provider.ts";
import { tempDir } from "../../support/temp-dir.ts";
import { marketFolder } from "../indexed-market.ts";
import { embedAnswer, type StandIn, startStandIn } from "./stand-in.ts";

const FLOOR = 0.2;
const KEY = "sk-very-secret-0123456789";

let standIn: StandIn;
let folder: CatalogFolderFixture;
let data: ReturnType<typeof tempDir>;
let opened: SearchServices[];
let log: string[];
beforeEach(async () => {
  [standIn, folder, data, opened, log] = [await startStandIn(), marketFolder(), tempDir(), [], []];
});
afterEach(async () => {
  for (const services of opened) await services.close();
  await standIn[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
  data[Symbol.dispose]();
});

/** For services that give no answer, which a test waits for. */
const SOON = { waitMs: 300 };

/** They wait so long that a machine under load does not take an answer for none. */
async function open(settings: Partial<SearchServiceSettings>): Promise<SearchServices> {
  const services = await openSearchServices({
    settings: { waitMs: 10_000, ...settings },
    dir: data.path,
    honestFloor: FLOOR,
    logger: pino({ level: "info" }, { write: (line: string) => void log.push(line) }),
  });
  opened.push(services);
  return services;
}

const embeddings = () => ({ embeddings: { url: standIn.embeddingsUrl, model: "small", key: KEY } });
const rerank = () => ({ rerank: { url: standIn.rerankUrl, model: "judge", key: KEY } });

async function entries(): Promise<readonly CatalogEntry[]> {
  return (await folder.load({ trusted: true, environment: { SKYWATCH_KEY: "sk-1" } })).entries();
}

/** What comes of a question, with what words found of it. */
async function ask(
  services: SearchServices,
  q: string,
  byWords: Refined["ranked"][number]["item"][] = [],
  { floor = FLOOR, accept = () => true }: { floor?: number; accept?: (entry: CatalogEntry) => boolean } = {},
): Promise<Refined> {
  const scored = byWords.map((item, place) => ({ item, score: 1.5 - place * 0.1 }));
  return await services.refine({ q, byWords: scored, limit: 200, floor, accept });
}

const shown = ({ ranked }: Refined) =>
  ranked.filter(({ score }) => score >= FLOOR).map(({ item }) => `${item.provider.provider}${item.path}`);

/** With the catalog embedded. */
async function openReady(settings: Partial<SearchServiceSettings> = embeddings()): Promise<SearchServices> {
  const services = await open(settings);
  services.follow(await entries());
  await services.idle();
  return services;
}

function manifestOf(paths: readonly string[], description = (path: string) => `About ${path.slice(1)} alone.`): object {
  const endpoints = paths.map((path) => [
    path,
    {
      displayName: `Endpoint ${path.slice(1)}`,
      description: description(path),
      request: { method: "GET", path: "/" },
      price: { type: "PER_CALL", amount: 0.01 },
    },
  ]);
  return {
    mkt: 1,
    provider: "many",
    displayName: "Many",
    http: { baseUrl: "https://api.many.example", auth: { type: "none" } },
    endpoints: Object.fromEntries(endpoints),
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, number) => `/number-${number}`);

describe("a catalog with an embeddings service", () => {
  test("is found by meaning where no word is shared", async () => {
    const services = await openReady();

    const answer = await ask(services, "va-t-il pleuvoir ce soir");

    expect(shown(answer).sort()).toEqual(["nimbus/forecast", "nimbus/history", "skywatch/v2/getWeatherForecast"]);
    expect(answer.services).toEqual([{ name: "embeddings", used: true }]);
    expect(answer.ranked[0]?.byServices).toEqual([{ name: "embeddings", score: expect.any(Number) }]);
  });

  test.each(["knock knock, who is there", "best pizza recipe", "zxcv asdf qwer", "j'ai mal dormi", "💤"])(
    "has nothing that is near to %s",
    async (q) => {
      const services = await openReady();

      expect(shown(await ask(services, q))).toEqual([]);
    },
  );

  test("finds nothing that the question does not accept", async () => {
    const services = await openReady();

    const answer = await ask(services, "va-t-il pleuvoir", [], { accept: ({ path }) => path === "/history" });

    expect(shown(answer)).toEqual(["nimbus/history"]);
  });

  test("is sent once: after a restart neither its texts nor a question are sent again", async () => {
    const services = await openReady();
    const before = await ask(services, "va-t-il pleuvoir");
    await services.close();
    const sent = standIn.texts().length;

    const after = await ask(await openReady(), "va-t-il pleuvoir");

    expect(standIn.texts()).toHaveLength(sent);
    expect(shown(after)).toEqual(shown(before));
    expect(sent).toBeGreaterThan(5);
  });

  test("is sent anew for another model, and what the one before said is let go of", async () => {
    await (await openReady()).close();
    const [sent, files] = [standIn.texts().length, await readdir(data.path)];

    await openReady({ embeddings: { url: standIn.embeddingsUrl, model: "large" } });

    expect(standIn.texts()).toHaveLength(sent * 2);
    expect(await readdir(data.path)).toHaveLength(files.length);
    expect(await readdir(data.path)).not.toEqual(files);
  });

  test("is kept while no embeddings service is set, for when it is set again", async () => {
    await (await openReady()).close();
    const sent = standIn.texts().length;
    await (await open(rerank())).close();

    await openReady();

    expect(standIn.texts()).toHaveLength(sent);
  });

  test("has only the texts sent that a changed file changed", async () => {
    folder.write("many", manifestOf(numbered(20)));
    const services = await openReady();
    const sent = new Set(standIn.texts());

    folder.write(
      "many",
      manifestOf(numbered(21), (path) => (path === "/number-3" ? "Changed." : `About ${path.slice(1)} alone.`)),
    );
    services.follow(await entries());
    await services.idle();

    const anew = standIn.texts().filter((text) => !sent.has(text));
    const ofEndpoints = anew.filter((text) => /\nMany\n/.test(text) && !text.startsWith("Many"));
    expect(ofEndpoints).toHaveLength(2);
    expect(standIn.texts()).toHaveLength(new Set(standIn.texts()).size);
    expect(shown(await ask(services, "va-t-il pleuvoir"))).toContain("nimbus/forecast");
  });

  test("is embedded to its end by a service that fails on the way, and nothing is sent twice that was answered", async () => {
    folder.write("many", manifestOf(numbered(150)));
    standIn.embed(
      (call: FakeCall) => embedAnswer(call),
      { status: 400 },
      { status: 500 },
      { status: 500 },
      (call: FakeCall) => embedAnswer(call),
    );

    const services = await open(embeddings());
    services.follow(await entries());
    await services.idle();
    const held = await ask(services, "va-t-il pleuvoir");
    await expect.poll(async () => (await ask(services, "va-t-il pleuvoir")).services[0]?.used).toBe(true);

    expect(held.services).toEqual([
      { name: "embeddings", used: false, reason: expect.stringMatching(/being made: 64 of 155; it answers 500/) },
    ]);
    const answered = standIn.server.calls.slice(0, 1).flatMap(({ json }) => json.input as string[]);
    const later = standIn.server.calls.slice(1).flatMap(({ json }) => json.input as string[]);
    expect(later.filter((text) => answered.includes(text))).toEqual([]);
  });

  test("goes on after a restart in the middle of it", async () => {
    folder.write("many", manifestOf(numbered(150)));
    standIn.embed((call: FakeCall) => embedAnswer(call), { status: 503 });
    const first = await open(embeddings());
    first.follow(await entries());
    await first.idle();
    await first.close();
    const answered = standIn.server.calls.slice(0, 1).flatMap(({ json }) => json.input as string[]);
    const before = standIn.server.calls.length;
    standIn.recover();

    const services = await openReady();

    expect((await ask(services, "va-t-il pleuvoir")).services).toEqual([{ name: "embeddings", used: true }]);
    const later = standIn.server.calls.slice(before).flatMap(({ json }) => json.input as string[]);
    expect(later.filter((text) => answered.includes(text))).toEqual([]);
  });

  test("does without the one text that the service rejects", async () => {
    folder.write(
      "many",
      manifestOf(numbered(30), (path) => (path === "/number-7" ? "Unspeakable." : `About ${path.slice(1)} alone.`)),
    );
    standIn.embed((call: FakeCall) =>
      (call.json.input as string[]).some((text) => text.includes("Unspeakable")) ? { status: 413 } : embedAnswer(call),
    );
    const services = await openReady();
    const [rejected] = (await entries()).filter(({ path }) => path === "/number-7");

    const answer = await ask(services, "va-t-il pleuvoir", rejected === undefined ? [] : [rejected]);

    expect(answer.services).toEqual([{ name: "embeddings", used: true }]);
    expect(shown(answer)).toEqual(expect.arrayContaining(["many/number-7", "nimbus/forecast"]));
  });

  test("of which a model knows nothing stays in the order of words, and what words do not find stays unfound", async () => {
    standIn.embed(({ json }: FakeCall) => ({
      json: { data: (json.input as string[]).map((_, index) => ({ index, embedding: [1, 2, 3] })) },
    }));
    const services = await openReady();

    const { ranked } = await ask(services, "weather", [...(await entries())].slice(0, 2));

    expect(ranked.map(({ score }) => score)).toEqual([1.5, 1.4]);
    expect(shown(await ask(services, "va-t-il pleuvoir"))).toEqual([]);
  });

  test("is put in order by a model that tells little, but not found by it where words find nothing", async () => {
    // Rain or no rain: everything that is off topic is as near to the rest as its own asks are.
    standIn.embed(({ json }: FakeCall) => ({
      json: {
        data: (json.input as string[]).map((text, index) => ({
          index,
          embedding: /rain|pleuv/i.test(text) ? [1, 0.1] : [0.1, 1],
        })),
      },
    }));
    const services = await openReady();
    const tidesAndForecast = [...(await entries())].filter(({ path }) => /tides|forecast/.test(path)).toReversed();
    const close = tidesAndForecast.map((item, place) => ({ item, score: 1.5 - place * 0.01 }));

    const { ranked } = await services.refine({
      q: "rain",
      byWords: close,
      limit: 200,
      floor: FLOOR,
      accept: () => true,
    });

    expect(tidesAndForecast[0]?.path).toBe("/tides");
    expect(ranked[0]?.item.path).not.toBe("/tides");
    expect(shown(await ask(services, "va-t-il pleuvoir"))).toEqual([]);
  });
});

describe("a question whose services fail", () => {
  test.each([
    ["are away", { status: 500 }, /answers 500/],
    ["are slow", { hang: true }, /no answer in time/],
    ["are busy", { status: 429 }, /429/],
    ["refuse the key", { status: 401 }, /refuses the key/],
    ["talk nonsense", { json: { data: [{ index: 0, embedding: [1, 2] }] } }, /2 numbers, those of the catalog 96/],
  ] as const)("because they %s is answered by words, says so, and soon waits no more", async (_, answer, why) => {
    const services = await openReady({ ...embeddings(), ...rerank(), ...("hang" in answer && SOON) });
    const byWords = [...(await entries())].slice(0, 2);
    standIn.embed(answer);
    standIn.rerank("json" in answer ? { json: { results: [{ index: 9, relevance_score: 1 }] } } : answer);

    const startedMs = performance.now();
    const first = await ask(services, "question 1", byWords);
    const tookMs = performance.now() - startedMs;
    for (const q of ["question 2", "question 3"]) await ask(services, q, byWords);
    const asked = standIn.server.calls.length;
    const last = await ask(services, "question 4", byWords);

    expect(first.ranked.map(({ item, score }) => ({ item, score }))).toEqual([
      { item: byWords[0], score: 1.5 },
      { item: byWords[1], score: 1.4 },
    ]);
    expect(first.services.map(({ name, used }) => [name, used])).toEqual([
      ["embeddings", false],
      ["rerank", false],
    ]);
    expect(first.services[0]?.reason).toMatch(why);
    expect(tookMs).toBeLessThan(20_000);
    expect(last.services.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/is not called for a while/),
      expect.stringMatching(/is not called for a while/),
    ]);
    expect(standIn.server.calls).toHaveLength(asked);
    expect(log.join("")).toMatch(/is not called for a while/);
    expect(log.join("")).not.toContain(KEY);
  });

  test("is answered by those that do not", async () => {
    const services = await openReady({ ...embeddings(), ...rerank() });
    standIn.embed({ status: 500 });

    const answer = await ask(services, "umbrella", [...(await entries())]);

    expect(answer.services).toEqual([
      { name: "embeddings", used: false, reason: "it answers 500" },
      { name: "rerank", used: true },
    ]);
  });

  test("is answered before the catalog is embedded, and says how far that is", async () => {
    standIn.embed({ hang: true });
    const services = await open({ ...embeddings(), ...SOON });
    services.follow(await entries());
    await expect.poll(() => standIn.server.calls.length).toBe(1);

    const answer = await ask(services, "weather", [...(await entries())].slice(0, 1));

    expect(answer.ranked).toHaveLength(1);
    expect(answer.services[0]?.reason).toBe("the catalog's vectors are being made: 0 of 5");
  });
});

describe("a reranker", () => {
  const documents = async () => [...(await entries())].filter(({ path }) => ["/tides", "/forecast"].includes(path));

  test("brings what words found into its order; the scores stay", async () => {
    const services = await open(rerank());
    const byWords = await documents();

    const answers = [await ask(services, "umbrella", byWords), await ask(services, "seaside", byWords)];

    expect(answers.map(({ ranked }) => ranked[0]?.item.path)).toEqual(["/forecast", "/tides"]);
    expect(answers.map(({ ranked }) => ranked.map(({ score }) => score))).toEqual([
      [1.5, 1.4],
      [1.5, 1.4],
    ]);
  });

  test("is asked once for the same question and documents, restart or not", async () => {
    const byWords = await documents();
    const first = await open(rerank());
    await ask(first, "umbrella", byWords);
    await first.close();
    const second = await open(rerank());

    const again = await ask(second, "umbrella", byWords);
    await ask(second, "umbrella", byWords.toReversed());

    expect(again.ranked[0]?.byServices).toEqual([{ name: "rerank", score: expect.any(Number) }]);
    expect(standIn.reranked()).toEqual(["umbrella", "umbrella"]);
  });

  test("is not asked where nothing would be shown, or one thing alone", async () => {
    const services = await open(rerank());
    const [one] = await documents();

    const answers = [
      await ask(services, "umbrella", []),
      await ask(services, "umbrella", one === undefined ? [] : [one]),
      await ask(services, "umbrella", await documents(), { floor: 1.9 }),
    ];

    expect(answers.map(({ services: [use] }) => use?.used)).toEqual([false, false, false]);
    expect(standIn.server.calls).toEqual([]);
  });
});
