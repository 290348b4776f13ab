import { expect, test } from "vitest";
import { DocumentGrantStore, type GrantsDocument } from "../../../daemon/catalog/grants/grants.ts";
import { MemoryGrantStore } from "../../support/memory-grant-store.ts";
import { catalogFolder, manifest } from "../catalog-folder.ts";

const environment = { SHOP_KEY: "canary-1", ADMIN_KEY: "canary-2" };
const granted = {
  provider: "shop",
  origin: "https://api.shop.example",
  variables: ["SHOP_KEY"],
  privateHosts: [],
  grantedAt: "2026-01-01T00:00:00.000Z",
};

async function grantsOf(...list: (typeof granted)[]): Promise<MemoryGrantStore> {
  const grants = new MemoryGrantStore();
  for (const grant of list) await grants.put(grant);
  return grants;
}

test("a stranger's file reads no variable before the operator said yes", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest());

  const catalog = await folder.load({ environment });

  expect(catalog.availability("shop")).toEqual({
    available: false,
    reason: "needs grant",
    missing: [],
    message: 'provider "shop" needs a grant: mkt catalog grant shop',
    next: "mkt catalog grant shop",
  });
  expect(catalog.resolveSecrets(catalog.entriesOf("shop")[0]!.provider)).toEqual({});
  expect(catalog.allSecretValues()).toEqual([]);
});

test("a granted file reads its variables, and no others", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest());

  const catalog = await folder.load({ environment, grants: await grantsOf(granted) });

  expect(catalog.availability("shop")).toEqual({ available: true });
  expect(catalog.resolveSecrets(catalog.entriesOf("shop")[0]!.provider)).toEqual({ key: "canary-1" });
  expect(catalog.allSecretValues()).toEqual(["canary-1"]);
});

test("the values to redact follow every grant, and are looked up once between two", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest());
  let lookups = 0;
  const counted = new Proxy(environment, {
    get(target, name) {
      lookups += 1;
      return Reflect.get(target, name);
    },
  });
  const grants = new MemoryGrantStore();
  const catalog = await folder.load({ environment: counted, grants });

  const none = catalog.allSecretValues();
  await grants.put(granted);
  const [first, before] = [catalog.allSecretValues(), lookups];
  const again = catalog.allSecretValues();
  const after = lookups;
  await grants.remove("shop");

  expect([none, first, again, catalog.allSecretValues()]).toEqual([[], ["canary-1"], ["canary-1"], ["canary-1"]]);
  expect(after).toBe(before);
});

test("a grant counts at once, and is gone at once", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest());
  const grants = new MemoryGrantStore();
  const catalog = await folder.load({ environment, grants });

  await grants.put(granted);
  const after = catalog.availability("shop");
  await grants.remove("shop");

  expect(after).toEqual({ available: true });
  expect(catalog.availability("shop").available).toBe(false);
});

test.each([
  [
    "the origin changes",
    { http: { baseUrl: "https://evil.example", auth: { type: "bearer", token: "${secret.key}" } } },
  ],
  ["another variable is named", { secrets: { key: { env: "SHOP_KEY" }, more: { env: "ADMIN_KEY" } } }],
  [
    "credentials would go to a token server elsewhere",
    {
      http: {
        baseUrl: "https://api.shop.example",
        auth: {
          type: "clientCredentials",
          tokenUrl: "https://evil.example/token",
          clientId: "me",
          clientSecret: "${secret.key}",
        },
      },
    },
  ],
  [
    "a private host is wanted",
    { http: { baseUrl: "https://api.shop.example", allowPrivateNetwork: true, auth: { type: "none" } } },
  ],
])("a grant lapses when %s", async (_title, changes) => {
  using folder = catalogFolder();
  folder.write("shop", manifest(changes));

  const catalog = await folder.load({ environment, grants: await grantsOf(granted) });

  expect(catalog.problems()).toEqual([]);
  expect(catalog.availability("shop")).toMatchObject({ available: false, reason: "needs grant" });
  expect(catalog.resolveSecrets(catalog.entriesOf("shop")[0]!.provider)).toEqual({});
});

test("a grant stays when the file asks for less", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest());
  const grants = await grantsOf({ ...granted, variables: ["SHOP_KEY", "ADMIN_KEY"] });

  const catalog = await folder.load({ environment, grants });

  expect(catalog.availability("shop")).toEqual({ available: true });
});

test("a file without secrets and private hosts needs no grant", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest({ secrets: {}, http: { baseUrl: "https://api.shop.example" } }));

  const catalog = await folder.load();

  expect(catalog.availability("shop")).toEqual({ available: true });
});

test.each([["127.0.0.1"], ["127.0.0.1:8080"]])(
  "a private host named by the operator (%s) needs no grant",
  async (host) => {
    using folder = catalogFolder();
    const http = { baseUrl: "http://127.0.0.1:8080", allowPrivateNetwork: true };
    folder.write("shop", manifest({ secrets: {}, http }));

    const allowed = await folder.load({ allowPrivateHosts: [host] });
    const refused = await folder.load({ allowPrivateHosts: ["127.0.0.1:80"] });

    expect(allowed.availability("shop")).toEqual({ available: true });
    expect(refused.availability("shop")).toMatchObject({ reason: "needs grant" });
    expect(refused.grantedPrivateHosts(refused.get("shop", "/items/{id}").provider)).toEqual([]);
  },
);

test("files of a trusted folder carry their grants", async () => {
  using folder = catalogFolder();
  const http = { baseUrl: "http://127.0.0.1:8080", allowPrivateNetwork: true };
  folder.write("shop", manifest({ http }));

  const catalog = await folder.load({ trusted: true, environment });

  expect(catalog.availability("shop")).toEqual({ available: true });
  expect(catalog.grantedPrivateHosts(catalog.get("shop", "/items/{id}").provider)).toEqual(["127.0.0.1:8080"]);
});

test("a missing secret names the variable to set; an optional one may be missing", async () => {
  using folder = catalogFolder();
  const secrets = { key: { env: "SHOP_KEY" }, extra: { env: "SHOP_EXTRA", optional: true } };
  folder.write("shop", manifest({ secrets }));

  const catalog = await folder.load({ trusted: true });

  expect(catalog.availability("shop")).toEqual({
    available: false,
    reason: "missing secret",
    missing: ["SHOP_KEY"],
    message:
      'provider "shop" is not configured: set SHOP_KEY, with mkt secrets set SHOP_KEY or in the daemon\'s environment before it starts',
    next: "mkt secrets set SHOP_KEY",
  });
});

test("a secret that does not look as its file says is not used", async () => {
  using folder = catalogFolder();
  folder.write("shop", manifest({ secrets: { key: { env: "SHOP_KEY", pattern: "^sh_" } } }));

  const catalog = await folder.load({ trusted: true, environment });

  expect(catalog.availability("shop")).toMatchObject({ available: false, missing: ["SHOP_KEY"] });
});

test("grants in a document: one for each provider, gone when removed", async () => {
  const document = {
    data: { grants: [] } as GrantsDocument,
    async update(change: (data: GrantsDocument) => void) {
      change(this.data);
    },
  };
  const store = new DocumentGrantStore(document);

  await store.put(granted);
  await store.put({ ...granted, variables: ["OTHER"] });
  const kept = store.list();
  const removed = [await store.remove("shop"), await store.remove("shop")];

  expect(kept.map(({ variables }) => variables)).toEqual([["OTHER"]]);
  expect(removed).toEqual([true, false]);
  expect(store.list()).toEqual([]);
});
