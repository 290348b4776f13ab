import { describe, expect, test } from "vitest";
import { ConfigRefused } from "../../../daemon/config/config-refused.ts";
import { parseDaemonConfig } from "../../../daemon/config/daemon-config.ts";
import { bundledCatalogDir } from "../../support/bundled-catalog.ts";

const embeddings = { MKT_EMBEDDINGS_URL: "https://models.example/v1", MKT_EMBEDDINGS_MODEL: "small" };
const rerank = { MKT_RERANK_URL: "https://models.example/v2/rerank", MKT_RERANK_MODEL: "judge", MKT_RERANK_KEY: "k-1" };

function servicesOf(environment: Readonly<Record<string, string>>) {
  return parseDaemonConfig({}, { environment, bundledCatalogDir, version: "0.1.0" }).searchServices;
}

describe("the services of discovery", () => {
  test("are none unless they are set", () => {
    expect(servicesOf({})).toBeUndefined();
    expect(servicesOf({ MKT_EMBEDDINGS_URL: "", MKT_DISCOVER_WAIT_MS: "200" })).toBeUndefined();
  });

  test("may be one or both, with a key or without; a question waits a second for them unless it is told otherwise", () => {
    expect(servicesOf(embeddings)).toEqual({
      embeddings: { url: "https://models.example/v1", model: "small" },
      waitMs: 1_000,
    });
    expect(servicesOf({ ...embeddings, ...rerank, MKT_DISCOVER_WAIT_MS: "250" })).toEqual({
      embeddings: { url: "https://models.example/v1", model: "small" },
      rerank: { url: "https://models.example/v2/rerank", model: "judge", key: "k-1" },
      waitMs: 250,
    });
  });

  test("a model that rephrases may be set alone; a question waits five seconds for it unless it is told otherwise", () => {
    const model = { MKT_REPHRASE_URL: "http://127.0.0.1:11434", MKT_REPHRASE_MODEL: "small" };
    const rephrase = { url: "http://127.0.0.1:11434/", model: "small" };

    expect(servicesOf(model)?.rephrase).toEqual({ ...rephrase, waitMs: 5_000 });
    expect(servicesOf({ ...model, MKT_REPHRASE_WAIT_MS: "800" })?.rephrase).toEqual({ ...rephrase, waitMs: 800 });
  });

  test.each([
    ["without a model", { MKT_EMBEDDINGS_URL: "https://models.example/v1" }, /MKT_EMBEDDINGS_MODEL/],
    ["without an address", { MKT_RERANK_MODEL: "judge" }, /MKT_RERANK_URL/],
    ["with a key alone", { MKT_RERANK_KEY: "k-1" }, /MKT_RERANK_URL/],
    ["at what is no address", { ...embeddings, MKT_EMBEDDINGS_URL: "models.example" }, /MKT_EMBEDDINGS_URL takes/],
    [
      "with a password in the address",
      { ...rerank, MKT_RERANK_URL: "https://u:pass@models.example" },
      /MKT_RERANK_KEY/,
    ],
    ["with a key that others could read on its way", { ...rerank, MKT_RERANK_URL: "http://models.example" }, /https/],
    ["that are waited for too long", { ...rerank, MKT_DISCOVER_WAIT_MS: "60000" }, /MKT_DISCOVER_WAIT_MS/],
  ])("are refused %s, and no secret is repeated", (_, environment: Record<string, string>, why) => {
    expect(() => servicesOf(environment)).toThrow(ConfigRefused);
    expect(() => servicesOf(environment)).toThrow(why);
    expect(() => servicesOf(environment)).not.toThrow(/k-1|u:pass/);
  });

  test("may be reached without TLS on this machine, and elsewhere where no key is sent", () => {
    const urls = [
      servicesOf({ ...rerank, MKT_RERANK_URL: "http://127.0.0.1:8080/rerank" })?.rerank?.url,
      servicesOf({ ...embeddings, MKT_EMBEDDINGS_URL: "http://models.internal:8080" })?.embeddings?.url,
    ];

    expect(urls).toEqual(["http://127.0.0.1:8080/rerank", "http://models.internal:8080/"]);
  });
});
