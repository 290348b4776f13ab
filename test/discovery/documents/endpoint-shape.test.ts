import { expect, test } from "vitest";
import { shapeOfEntry } from "../../../daemon/discovery/documents/endpoint-shape.ts";
import { loadFolders } from "../../../daemon/catalog/reading/catalog-loader.ts";
import { starterCatalogDir } from "../../support/bundled-catalog.ts";

const { providers } = await loadFolders([{ dir: starterCatalogDir(), bundled: true, trusted: true }]);

function shapeOf(provider: string, path: string) {
  const entry = providers
    .flatMap(({ entries }) => entries)
    .find((each) => each.provider.provider === provider && each.path === path);
  if (entry === undefined) throw new Error(`the starter catalog has no ${provider}${path}`);
  return shapeOfEntry(entry);
}

test("an endpoint for a number of its provider needs an identifier, a search does not", () => {
  expect(shapeOf("open-library", "/works/{id}").needsId).toBe(true);
  expect(shapeOf("open-library", "/search").needsId).toBe(false);
  expect([...shapeOf("open-library", "/search").takes]).toContain("text");
});

test("an identifier that may be a name is none", () => {
  expect(shapeOf("pokeapi", "/pokemon/{id}").needsId).toBe(false);
  expect(shapeOf("wikipedia", "/summary/{title}").needsId).toBe(false);
});

test("what is taken shows in the names of parameters and in what they are described as", () => {
  expect([...shapeOf("ipinfo", "/ips/{ip}").takes]).toEqual(["ip"]);
  expect([...shapeOf("hunter", "/email-verifier").takes]).toEqual(["email"]);
  expect([...shapeOf("internet-archive", "/wayback").takes]).toEqual(["url"]);
  expect([...shapeOf("google-maps", "/geocode").takes]).toContain("address");
});

test("geocoding backwards needs coordinates, and forwards does not", () => {
  expect(shapeOf("nominatim", "/reverse").needsCoordinates).toBe(true);
  expect(shapeOf("nominatim", "/search").needsCoordinates).toBe(false);
});

test("what a file says that it covers is part of the shape", () => {
  expect(shapeOf("canada-holidays", "/holidays").covers.regions).toEqual(["CA"]);
  expect(shapeOf("open-meteo", "/archive").covers).toEqual({
    regions: "world",
    period: { from: "1940", to: "-2 days" },
  });
});

test("what a call does shows in its method, and by POST in the verb that its name begins with", () => {
  expect(shapeOf("twilio", "/messages/send").effect).toBe("creates");
  expect(shapeOf("atlas", "/timers/{id}/stop").effect).toBe("updates");
  expect(shapeOf("tavily", "/search").effect).toBe("reads");
  expect(shapeOf("binance", "/order-book").effect).toBe("reads");
  expect(shapeOf("uk-police", "/stop-and-search").effect).toBe("reads");
});

test("an entry is read once", () => {
  expect(shapeOf("ipinfo", "/ips/{ip}")).toBe(shapeOf("ipinfo", "/ips/{ip}"));
});
