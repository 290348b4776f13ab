import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { type Atlas, startAtlas } from "../../daemon/atlas/atlas-server.ts";
import { Manifest } from "../../daemon/manifest/manifest.ts";
import type { Provider, ProviderAnswer, ProviderJob } from "../../daemon/providers/protocol/provider.ts";
import { bundledCatalogDir } from "../support/bundled-catalog.ts";
import { openHttpProvider } from "../support/open-http-provider.ts";
import { entryOf } from "../support/provider-entry.ts";

const runId = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
const anyTime = { signal: new AbortController().signal };
const file = await readFile(`${bundledCatalogDir}/atlas.yaml`, "utf8");
const endpoints = Object.entries(Manifest.parse(parse(file)).endpoints);
const examples = endpoints.flatMap(([path, endpoint]) =>
  endpoint.examples.map((example) => ({ path, isJob: endpoint.async !== undefined, ...example })),
);

/** Fields of an example in composite form; a flat one goes where its endpoint declares it. */
function toInput(path: string, flat: Readonly<Record<string, unknown>>): Record<string, Record<string, unknown>> {
  const { input } = entryOf(file, path);
  const sections = ["pathParams", "queryParams", "body"] as const;
  if (Object.keys(flat).every((key) => (sections as readonly string[]).includes(key))) {
    return flat as Record<string, Record<string, unknown>>;
  }
  const declares = (section: (typeof sections)[number], name: string) =>
    Object.hasOwn((input[section]?.["properties"] as object | undefined) ?? {}, name);
  return Object.fromEntries(
    sections.map((section) => [
      section,
      Object.fromEntries(Object.entries(flat).filter(([name]) => declares(section, name))),
    ]),
  );
}

describe("the bundled provider, called as its file says", () => {
  let atlas: Atlas;
  let provider: Provider;

  beforeAll(async () => {
    atlas = await startAtlas({ token: "atlas-test-token" });
    provider = openHttpProvider([], {
      builtinOrigin: () => Promise.resolve({ url: atlas.url, token: "atlas-test-token" }),
    });
  });
  afterAll(async () => {
    await provider.close();
    await atlas.close();
  });

  test.each(examples.filter(({ isJob }) => !isJob))(
    "$path answers its example: $name",
    async ({ path, input, expect: told }) => {
      const entry = entryOf(file, path);

      const answer = (await provider.start({ runId, entry, input: toInput(path, input) }, anyTime)) as ProviderAnswer;

      const httpStatus = told?.httpStatus ?? 200;
      expect(answer).toMatchObject({ kind: "answer", httpStatus, success: httpStatus < 300, notes: [] });
      for (const quantity of Object.values(answer.success ? answer.measured : {})) expect(quantity).not.toBeNaN();
      if (told?.count !== undefined && answer.success) expect(answer.measured.count).toBe(told.count);
    },
  );

  test.each(endpoints.filter(([, { async }]) => async !== undefined).map(([path]) => path))(
    "%s becomes a job that tells its progress and can be asked about",
    async (path) => {
      const entry = entryOf(file, path);
      const example = examples.find((candidate) => candidate.path === path);
      const request = { runId, entry, input: toInput(path, example?.input ?? {}) };

      const job = (await provider.start(request, anyTime)) as ProviderJob;
      const news = await provider.poll(request, job, anyTime);
      const outcome = news.kind === "job" ? await provider.stop(request, news, anyTime) : undefined;

      expect(job).toMatchObject({ kind: "job", externalId: expect.any(String) });
      expect(news).toMatchObject(news.kind === "job" ? { progress: expect.anything() } : { success: true });
      if (outcome !== undefined) expect(outcome.outcome).not.toBe("refused");
    },
  );
});
