import type { ImportedManifest, ImportedProvider } from "../../daemon/import/conversion/imported-provider.ts";

type Json = Readonly<Record<string, unknown>>;

/** An endpoint as an importer makes it; members given replace those of the same name. */
export function importedEndpoint(changes: Json = {}): Json {
  return {
    displayName: "City forecast",
    description:
      "Hourly forecast for one city, up to 16 days ahead, in metric or imperial units, as the document says it.",
    tags: ["weather"],
    idempotent: true,
    request: { method: "GET", path: "/v3/forecast/{city}" },
    input: {
      pathParams: { required: ["city"], properties: { city: { type: "string", description: "City name" } } },
      queryParams: { properties: { days: { type: "integer", minimum: 1, maximum: 16, default: 3 } } },
    },
    output: { select: "$.list" },
    usage: { count: "$.list" },
    examples: [
      { name: "two days", input: { city: "Lisbon", days: 2 }, source: "https://skywatch.example/openapi.json" },
    ],
    ...changes,
  };
}

export function importedManifest(changes: Json = {}): ImportedManifest {
  return {
    mkt: 1,
    provider: "skywatch",
    displayName: "Skywatch",
    description: "Weather by city.",
    secrets: { key: { env: "SKYWATCH_KEY", description: "API key" } },
    http: {
      baseUrl: "https://api.skywatch.example",
      auth: { type: "apiKey", in: "query", name: "appid", value: "${secret.key}" },
    },
    price: { type: "FREE" },
    source: { kind: "openapi", ref: "https://skywatch.example/openapi.json", sha256: "a".repeat(64) },
    endpoints: {
      "/forecast/{city}": importedEndpoint(),
      "/alerts/{city}": importedEndpoint({ displayName: "Alerts" }),
    },
    ...changes,
  };
}

export function importedProvider(changes: Partial<ImportedProvider> = {}): ImportedProvider {
  const manifest = changes.manifest ?? importedManifest();
  return {
    manifest,
    comments: [{ path: ["endpoints", "/forecast/{city}", "usage"], text: "check me" }],
    skipped: [],
    notes: [],
    pricesToSet: Object.keys(manifest.endpoints),
    ...changes,
  };
}
