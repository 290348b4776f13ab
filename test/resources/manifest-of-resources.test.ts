import { describe, expect, test } from "vitest";
import { catalogFolder, endpoint, manifest } from "../catalog/catalog-folder.ts";

const ITEMS = "endpoints./items/{id}";
const rent = { type: "BY_PERIOD", amount: 2, period: { unit: "MONTH", count: 1 } };
const lock = { displayName: "Lock", type: "machine" };

interface Parts {
  readonly resources?: object;
  readonly endpoint?: Record<string, unknown>;
  readonly more?: Record<string, unknown>;
}

const file = ({ resources = { lock }, endpoint: changes = {}, more = {} }: Parts) =>
  manifest({ resources, endpoints: { "/items/{id}": endpoint(changes) }, ...more });

describe("a file that says something about resources that cannot be", () => {
  test.each([
    [
      "a resource whose name is no type says which it is nearest to",
      file({ resources: { lock: { displayName: "Lock" } } }),
      "resources.lock",
      /add type, the nearest of phone_number/,
    ],
    [
      "the data of a resource is read from an answer",
      file({ resources: { lock: { ...lock, data: { code: "input:body.code" } } } }),
      "resources.lock.data.code",
      /read from the response of its verify call/,
    ],
    [
      "a rent is by the period",
      file({ resources: { lock: { ...lock, price: { type: "PER_CALL", amount: 1 } } } }),
      "resources.lock.price.type",
      /a resource is priced by the period/,
    ],
    [
      "a rent is said once",
      file({
        resources: { lock: { ...lock, price: rent } },
        endpoint: { price: rent, resources: { provisions: { resource: "lock", id: "$.id" } } },
      }),
      `${ITEMS}.price`,
      /lock has a price by the period too/,
    ],
    [
      "the id of what is made is an extractor",
      file({ endpoint: { resources: { provisions: { resource: "lock", id: "id" } } } }),
      `${ITEMS}.resources.provisions.id`,
      /unknown extractor "id"/,
    ],
    [
      "what is used is named by the caller",
      file({ endpoint: { resources: { uses: [{ resource: "lock", id: "$.id" }] } } }),
      `${ITEMS}.resources.uses[0].id`,
      /a resource is named by the caller: write input:<section>\.<field>/,
    ],
    [
      "what names it is declared",
      file({ endpoint: { resources: { releases: [{ resource: "lock", id: "input:pathParams.idd" }] } } }),
      `${ITEMS}.resources.releases[0].id`,
      /did you mean "id"/,
    ],
    [
      "a markup that makes a rent too large is found at load",
      file({
        resources: { lock: { ...lock, price: { ...rent, amount: 900_000 } } },
        more: { markup: { percent: 50 } },
      }),
      "resources.lock.price",
      /above the maximum of 1000000/,
    ],
  ])("%s", async (_title, content, path, message) => {
    using folder = catalogFolder();
    folder.write("shop", content);

    const catalog = await folder.load();

    expect(catalog.problems()).toEqual([expect.objectContaining({ path, message: expect.stringMatching(message) })]);
    expect(catalog.entries()).toEqual([]);
  });
});

test("callers pay a rent with its markup, and the operator bears it without", async () => {
  using folder = catalogFolder();
  folder.write(
    "shop",
    file({
      resources: { "phone-number": { displayName: "", price: { ...rent, amount: 0.0000011 } } },
      endpoint: { resources: { provisions: { resource: "phone-number", id: "$.id" } } },
      more: { markup: { percent: 100, fixed: 0.01 } },
    }),
  );

  const catalog = await folder.load({ trusted: true, environment: { SHOP_KEY: "k" } });
  const entry = catalog.get("shop", "/items/{id}");

  expect(catalog.problems()).toEqual([]);
  expect(entry.resources?.provisions).toMatchObject({
    type: "phone_number",
    displayName: "phone-number",
    rent: { amountMicroDollars: 3, costMicroDollars: 2, period: rent.period },
  });
  expect(entry.effects).toEqual(["creates"]);
  expect(entry).not.toHaveProperty("notRunnable");
  expect(catalog.findResource("shop", "phone-number")).toMatchObject({ slug: "phone-number" });
});
