import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";
import { ListToolsResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { priceWords } from "../../shared/words/price-words.ts";
import { exportTools } from "../../daemon/export/export-tools.ts";
import { startFakeProvider } from "../support/fake-provider.ts";
import { mktHome } from "../support/mkt-home.ts";
import { startTestDaemon } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { bundledCatalog, exportedFrom, workedExamples } from "./exported.ts";

describe("the catalog as MCP tools", () => {
  test.each([
    ["the worked examples", workedExamples],
    ["the bundled catalog", bundledCatalog],
  ])("is a list as the protocol has it, with schemas that can be compiled: %s", async (_, read) => {
    const catalog = await read();
    const list = exportTools(catalog, priceWords);

    expect(ListToolsResultSchema.parse(list).tools).toHaveLength(catalog.entries.length);
    const ajv = new Ajv2020({ strict: false });
    (addFormats as unknown as (ajv: Ajv2020) => void)(ajv);
    for (const { inputSchema, name } of list.tools) {
      expect(inputSchema).toMatchObject({ type: "object" });
      expect(() => ajv.compile(inputSchema), name).not.toThrow();
    }
  });

  test("tells what each does, what it costs, and what it is to the one who runs it", async () => {
    const { tools } = exportTools(await workedExamples(), priceWords);

    expect(tools.find(({ name }) => name === "skywatch_forecast_city")).toEqual({
      name: "skywatch_forecast_city",
      title: "Skywatch: City forecast",
      description: "Hourly forecast for one city, up to 16 days ahead.\nPrice: $0.002/call.",
      inputSchema: {
        type: "object",
        properties: {
          city: { type: "string", minLength: 1, description: "City name, for example Lisbon" },
          days: { type: "integer", minimum: 1, maximum: 16, default: 3 },
          units: { enum: ["metric", "imperial"], default: "metric" },
        },
        required: ["city"],
        additionalProperties: false,
      },
      annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
      _meta: {
        "mkt/provider": "skywatch",
        "mkt/endpoint": "/forecast/{city}",
        "mkt/price": { type: "PER_CALL", amount: { value: 0.002, currency: "USD" } },
      },
    });
  });

  test("is run by what its tools say of themselves", async () => {
    await using vendor = await startFakeProvider();
    vendor.on("GET /now", ({ query }) => ({ json: { city: query.get("city") } }));
    using home = mktHome();
    await using daemon = await startTestDaemon({ home, manifests: { weather: weatherManifest(vendor.url) } });
    const { tools } = exportTools(await exportedFrom(`${home.path}/trusted`), priceWords);
    const told = tools.find(({ name }) => name === "weather_now")?.["_meta"];

    const answer = await daemon.request("POST", "/v1/run", {
      provider: told?.["mkt/provider"],
      endpoint: told?.["mkt/endpoint"],
      input: { city: "Lisbon" },
    });

    expect(answer).toMatchObject({ status: 200, body: { output: { city: "Lisbon" } } });
  });
});
