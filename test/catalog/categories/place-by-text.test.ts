import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { loadCategoryFiles } from "../../../daemon/catalog/categories/categories-file.ts";
import { CategoryTree } from "../../../daemon/catalog/categories/category-tree.ts";
import { placeByText } from "../../../daemon/catalog/categories/place-by-text.ts";
import { Manifest } from "../../../daemon/manifest/manifest.ts";
import { catalogFolder } from "../catalog-folder.ts";

const bundledTree = async () =>
  new CategoryTree((await loadCategoryFiles([join(import.meta.dirname, "../../../catalog/categories.yaml")])).data);

const manifest = (members: object) =>
  Manifest.parse({
    mkt: 1,
    provider: "acme",
    price: { type: "FREE" },
    endpoints: { "/x": { request: { method: "GET" } } },
    ...members,
  });

describe("a provider whose author gave it no category", () => {
  test.each([
    ["Rainy", "Hourly weather forecasts: temperature, wind and rain.", "environment/weather"],
    ["Canada Holidays", "Public holidays of each province; a holiday and its date.", "time/holidays"],
    ["Ledgerly", "Daily foreign exchange rates of the central bank, converted.", "finance/exchange-rates"],
    ["Paperfinder", "Scholarly works by DOI, with their citations and abstracts.", "knowledge/scholarly-works"],
    ["Clusterman", "Pods, nodes and namespaces of a Kubernetes cluster.", "infrastructure/clusters"],
    ["Coinview", "Bitcoin and Ethereum wallets on the blockchain.", "finance/crypto"],
  ])("%s stands where its words are at home", async (displayName, description, path) => {
    expect(placeByText(manifest({ displayName, description }), await bundledTree())).toEqual([path]);
  });

  test("is placed by the names of its endpoints where nothing else tells", async () => {
    const endpoints = Object.fromEntries(
      ["Earthquakes of today", "Earthquakes by magnitude", "Seismic stations"].map((displayName, index) => [
        `/${index}`,
        { displayName, request: { method: "GET" } },
      ]),
    );

    expect(placeByText(manifest({ endpoints }), await bundledTree())).toEqual(["environment/earthquakes"]);
  });

  test.each([
    ["thirty endpoints with a name and a number", "Zebra", "", (index: number) => `Zebra ${index + 1}`],
    ["one word that a leaf happens to have", "Acme", "Mercury for everybody.", () => "Ozone"],
    ["words that fit anything", "Acme", "The interface of Acme.", () => "List items"],
  ])("stands nowhere where the text says too little: %s", async (_, displayName, description, nameOf) => {
    const endpoints = Object.fromEntries(
      Array.from({ length: 30 }, (_unused, index) => [
        `/${index}`,
        { displayName: nameOf(index), request: { method: "GET" } },
      ]),
    );

    expect(placeByText(manifest({ displayName, description, endpoints }), await bundledTree())).toEqual([]);
  });

  test("stands nowhere when no leaf has its words", async () => {
    const texts = { displayName: "Zorblax", description: "Frobnicates quuxes." };

    expect(placeByText(manifest(texts), await bundledTree())).toEqual([]);
  });
});

test("an author's own categories are not added to", async () => {
  const authored = manifest({ description: "Weather forecasts with rain and wind.", categories: ["places/countries"] });

  expect(placeByText(authored, await bundledTree())).toEqual([]);
});

test("a tree of one's own brings its own words, and endpoints without a category stand there", async () => {
  using folder = catalogFolder();
  folder.write("categories", {
    mkt: 1,
    tops: [{ id: "garden", displayName: "Garden", children: ["roses", "tools"] }],
    leaves: [
      { id: "roses", displayName: "Roses", words: ["floribunda", "grandiflora", "petals"] },
      { id: "tools", displayName: "Tools" },
    ],
  });
  const endpoint = { request: { method: "GET" }, price: { type: "FREE" } };
  folder.write("acme", {
    mkt: 1,
    provider: "acme",
    description: "Floribunda and grandiflora, petals by the dozen.",
    http: { baseUrl: "https://acme.example" },
    endpoints: { "/a": endpoint, "/b": { ...endpoint, categories: ["garden/tools"] } },
  });

  const catalog = await folder.load();

  expect(catalog.problems()).toEqual([]);
  expect(catalog.find("acme", "/a")?.categories).toEqual(["garden/roses"]);
  expect(catalog.find("acme", "/b")?.categories).toEqual(["garden/tools"]);
});
