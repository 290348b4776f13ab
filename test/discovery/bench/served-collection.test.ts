import { describe, expect, test } from "vitest";
import type { CollectedEndpoint } from "../../../bench/discovery/collections.ts";
import {
  placeEndpoints,
  serveCollection,
  slugOf,
  toIndexedDocument,
  toManifests,
} from "../../../bench/discovery/served-collection.ts";
import { catalogFolder } from "../../catalog/catalog-folder.ts";

describe("a collection that is served", () => {
  test.each([
    ["10000+ Anime Quotes With Pagination", "10000-anime-quotes-with-pagination"],
    ["  1Forge  ", "1forge"],
    ["A Bíblia Digital", "a-b-blia-digital"],
    ["x".repeat(59) + " y", "x".repeat(59)],
    ["", "unnamed"],
    ["東京", "unnamed"],
  ])("has the provider %j as %s", (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test("has endpoints by their paths, numbered where two are the same", () => {
    const served = placeEndpoints([
      collected({ endpoint: "GET /albums/{id}" }),
      collected({ endpoint: "DELETE /albums/{id}" }),
      collected({ endpoint: "findAlbums" }),
      collected({ endpoint: "GET /albums/{id}", provider: "Other" }),
      collected({ endpoint: "PUT /albums/{id}" }),
    ]);

    expect(served.map(({ provider, path }) => `${provider}${path}`)).toEqual([
      "records/albums/{id}",
      "records/albums/{id}-2",
      "records/findAlbums",
      "other/albums/{id}",
      "records/albums/{id}-3",
    ]);
  });

  test("is to the index what the same manifests are in a daemon's catalog", async () => {
    const endpoints = [
      collected({
        displayName: "Get an album",
        tags: ["Albums", "Library"],
        description: "One album of a user's library.",
      }),
      collected({ endpoint: "DELETE /albums/{id}" }),
      collected({ endpoint: "findAlbums", provider: "", params: [{ name: "year", description: "" }] }),
      collected({ endpoint: "GET /z", provider: "Zebra", params: [{ name: "q", description: "What to look for." }] }),
    ];
    using folder = catalogFolder();
    for (const [slug, manifest] of toManifests(placeEndpoints(endpoints))) folder.write(slug, manifest);

    const catalog = await folder.load({ trusted: true });

    expect(catalog.problems()).toEqual([]);
    expect([...serveCollection({ endpoints }).documents()]).toEqual(catalog.entries().map(toIndexedDocument));
  });
});

function collected(changes: Partial<CollectedEndpoint>): CollectedEndpoint {
  return {
    id: "",
    provider: "Records",
    endpoint: "GET /albums/{id}",
    displayName: "",
    description: "",
    tags: [],
    params: [],
    ...changes,
  };
}
