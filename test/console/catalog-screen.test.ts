import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { type MktHome, mktHome } from "../support/mkt-home.ts";
import { askWith } from "../support/request.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { expectGoodScreen, HANG_MS } from "./good-screen.ts";
import { holdAnswers, untilReceived } from "./held-answers.ts";

/* The catalog in a real browser, against a real daemon. docs/console.md */

const HOSTILE = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>\u202egnp`;

const petstore = (title: string) =>
  JSON.stringify({
    openapi: "3.0.3",
    info: { title, version: "1", description: HOSTILE },
    servers: [{ url: "https://pets.example/v1" }],
    paths: {
      "/pets": { get: { summary: `List pets ${HOSTILE}`, responses: { 200: { description: "Pets" } } } },
      "/pets/{id}": {
        get: {
          summary: "One pet",
          parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
          responses: { 200: { description: "A pet" } },
        },
      },
      "/loop": { trace: { responses: { 200: { description: "What was sent" } } } },
      "/<script>\u202e": { get: { summary: HOSTILE, responses: { 200: { description: "x" } } } },
    },
  });

const HOUR = 3_600_000;
const RUNS = 12;

describe.skipIf(lacksBrowser("the console's catalog"))("the catalog", { timeout: HANG_MS }, () => {
  let home: MktHome;
  let world: ConsoleWorld;
  /** The daemon's clock: the runs are spread over most of a week. */
  let behindMs = (RUNS - 1) * 13 * HOUR;

  beforeAll(async () => {
    home = mktHome();
    const named = home.writeCatalog("named", {
      acme: {
        displayName: "Acme data",
        description: "Companies, their people and their numbers.",
        url: "https://acme.example",
        http: { baseUrl: "https://api.acme.example", auth: { type: "bearer", token: "${secret.key}" } },
        secrets: { key: { env: "ACME_API_KEY", description: "From the settings of your account" } },
        endpoints: {
          "/companies": {
            description: "A company by its name.",
            request: { method: "GET" },
            price: { type: "PER_CALL", amount: 0.02 },
          },
        },
      },
    });
    const broken = ["mkt: 1", "provider: broken", "displayName: Broken", "endpoints:", "  /x:", "    prise: 3", ""];
    writeFileSync(join(named, "broken.yaml"), broken.join("\n"));
    world = await startConsoleWorld({
      home,
      clock: { now: () => Date.now() - behindMs },
      bundled: true,
      config: { catalogDirs: [named] },
      manifests: {
        odd: {
          displayName: HOSTILE,
          description: HOSTILE,
          http: { baseUrl: "http://127.0.0.1:9", allowPrivateNetwork: true },
          endpoints: {
            "/odd": {
              displayName: HOSTILE,
              description: HOSTILE,
              request: { method: "GET" },
              price: { type: "FREE" },
            },
          },
        },
      },
    });
    const { vendor, daemon } = world;
    let calls = 0;
    vendor.on("GET /now", () => {
      calls += 1;
      return calls % 6 === 0 ? { status: 500, json: {} } : { json: { city: "Lisbon" }, delayMs: (calls % 5) * 4 };
    });
    for (let count = 0; count < RUNS; count += 1) {
      behindMs = (RUNS - 1 - count) * 13 * HOUR;
      const input = { queryParams: { city: "Lisbon" } };
      await daemon.request("POST", "/v1/run", { provider: "meteo", endpoint: "/now", input });
    }
  }, HANG_MS);
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    home?.[Symbol.dispose]();
  });

  const newKey = async (body: object) => {
    const made = await world.daemon.request("POST", "/v1/api-keys", body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return askWith(world.daemon.url, made.body.key);
  };
  const tab = async (page: Page, name: string) => await page.getByRole("tab", { name }).click();
  const confirm = async (page: Page, name: string) =>
    await page.getByRole("dialog").getByRole("button", { name }).click();

  test.each([
    { name: "providers", at: "#/catalog/providers", shows: "Acme data" },
    { name: "a provider that cannot be run", at: "#/catalog/providers/acme", shows: "It cannot be run yet." },
    { name: "what lacks something", at: "#/catalog/setup", shows: "Not granted" },
    { name: "problems", at: "#/catalog/problems", shows: "Line 6" },
    { name: "import", at: "#/catalog/import", shows: "Look at it" },
  ])(
    "$name: four requests at most, no wider than a phone, and no fault for axe in both themes",
    async ({ at, shows }) => {
      await expectGoodScreen(world, at, shows);
    },
  );

  test("what does badly is found by a press, and leads to its endpoints, its chart and the numbers behind it", async () => {
    await using opened = await world.open("#/catalog");
    const { page } = opened;
    await page.getByRole("button", { name: "Used this week" }).click();
    await page.getByRole("link", { name: "Weather" }).click();
    await page.getByRole("heading", { name: "Weather", level: 1 }).waitFor();
    await page.locator(".chart canvas").waitFor();
    const label = await page.getByRole("img", { name: /^Run times of seven days/ }).getAttribute("aria-label");
    const bars = await page.getByRole("img", { name: /^Runs of seven days/ }).getAttribute("aria-label");
    await page.getByText("As a table").click();
    const cells = await page.getByRole("region", { name: "Three hours at a time, the newest first" }).innerText();
    await page.getByLabel("Of", { exact: true }).selectOption("/report");
    await page.getByText("Nothing was run here for seven days.").waitFor();
    await page.getByRole("link", { name: "Run /now" }).click();
    await page.getByRole("heading", { name: "meteo/now", level: 1 }).waitFor();

    expect(bars).toContain("12 runs, 2 errors");
    expect(label).toContain("The table below has the numbers.");
    expect(cells.split("\n").filter((line) => /\d ms|\d s/.test(line)).length).toBeGreaterThan(5);
    expect(opened.errors).toEqual([]);
  });

  test("a grant is given after its question, and then the page says which secret is missing and how it is set", async () => {
    await using opened = await world.open("#/catalog/setup");
    const { page } = opened;
    await page.getByRole("button", { name: "Grant Acme data what it asks for" }).click();
    const question = await page.getByRole("dialog").innerText();
    await confirm(page, "Grant");
    await page.getByText("mkt secrets set ACME_API_KEY").waitFor();
    await page.getByRole("link", { name: "Acme data" }).click();
    await page.getByText("Needs a secret: ACME_API_KEY").first().waitFor();
    await page.getByRole("button", { name: "Withdraw" }).click();
    await confirm(page, "Withdraw");
    await page.getByText("Needs a grant").first().waitFor();
    const { body } = await world.daemon.request("GET", "/v1/admin/grants");

    expect(question).toContain("ACME_API_KEY");
    expect(question).toContain("https://api.acme.example");
    expect(body.items).toEqual([]);
    expect(opened.errors).toEqual([]);
  });

  test("a problem in a file has its line, what is wrong, and the command that checks it", async () => {
    await using opened = await world.open("#/catalog/problems");
    const card = opened.page.locator(".card").filter({ hasText: "broken.yaml" });
    const shown = await card.innerText();

    expect(shown).toContain("Line 6");
    expect(shown).toContain("prise");
    expect(shown).toContain("mkt catalog check");
  });

  test("a document is looked at before it is added: what is taken, what is left out, the file; then it is served", async () => {
    await using opened = await world.open("#/catalog/import");
    const { page } = opened;
    const form = page.getByRole("form", { name: "Import an OpenAPI document" });
    await form.getByRole("button", { name: "Look at it" }).click();
    await page.getByText("Choose a file, or paste the document first.").waitFor();
    await page
      .getByLabel("File")
      .setInputFiles({ name: "pets.json", mimeType: "application/json", buffer: Buffer.from(petstore("Pet store")) });
    await page.getByLabel("Price of a call").fill("0.03");
    await form.getByRole("button", { name: "Look at it" }).click();
    await page.getByRole("heading", { name: "Pet store: what it gives" }).waitFor();
    const shown = await page.locator("main").innerText();
    const file = join(home.configDir, "catalog", "pet-store.yaml");
    const before = existsSync(file);
    await page.getByRole("button", { name: "Add to the catalog" }).click();
    await confirm(page, "Write the file");
    await page.getByRole("heading", { name: "Pet store was added" }).waitFor();
    const added = readFileSync(file, "utf8");
    await expect
      .poll(async () => (await world.daemon.request("GET", "/v1/catalog/providers/pet-store")).status, {
        timeout: 15_000,
      })
      .toBe(200);
    await page.getByRole("link", { name: "Open it" }).click();
    await page.getByRole("heading", { name: "Pet store", level: 1 }).waitFor();

    expect(shown).toContain("pet-store/pets");
    expect(shown).toContain("2 operations");
    expect(shown).toContain("its path has characters that no path has");
    expect(shown).not.toContain("\u202e");
    expect(before).toBe(false);
    expect(added).toContain("0.03");
    expect(opened.errors).toEqual([]);
  });

  test.each(["0,05", "abc", "-1"])("a price of %j is refused at its field, and nothing is read", async (price) => {
    await using opened = await world.open("#/catalog/import");
    const { page } = opened;
    await page.getByLabel("The document").fill(petstore("Refused"));
    await page.getByLabel("Price of a call").fill(price);
    await page.getByRole("button", { name: "Look at it" }).click();
    await page.getByText(`“${price}” is no amount.`).waitFor();

    expect(opened.requests.filter((one) => one.startsWith("POST"))).toEqual([]);
  });

  test("what a document gives is not shown once another one is typed", async () => {
    await using opened = await world.open("#/catalog/import");
    const { page } = opened;
    const release = await holdAnswers(page, "**/v1/admin/catalog/import/preview");
    const look = page.getByRole("button", { name: "Look at it" });
    await page.getByLabel("The document").fill(petstore("First"));
    await look.click();
    await page.getByLabel("The document").fill(petstore("Second"));
    release();
    await untilReceived(page, "/v1/admin/catalog/import/preview");
    await page.evaluate("new Promise((painted) => requestAnimationFrame(() => requestAnimationFrame(painted)))");
    const stale = await page.getByRole("heading", { name: "First: what it gives" }).count();
    await page.getByLabel("Price of a call").fill("$0.05");
    await look.click();
    await page.getByRole("heading", { name: "Second: what it gives" }).waitFor();

    expect(stale).toBe(0);
    expect(await page.getByLabel("The provider file", { exact: true }).innerText()).toContain("0.05");
  });

  test("what is no description is refused in words, and the name of another provider is too", async () => {
    await using opened = await world.open("#/catalog/import");
    const { page } = opened;
    const look = page.getByRole("button", { name: "Look at it" });
    await page.getByLabel("The document").fill('{"hello": "world"}');
    await look.click();
    const refused = await page.getByRole("alert").innerText();
    await page.getByLabel("The document").fill(petstore("Weather"));
    await page.getByLabel("Name in calls").fill("atlas");
    await look.click();
    await page.getByRole("alert").filter({ hasText: "taken" }).waitFor();

    expect(refused).not.toBe("");
    expect(opened.errors).toEqual([]);
  });

  test("names of others are text on every part of it", async () => {
    await using opened = await world.open("#/catalog");
    const { page } = opened;
    for (const at of ["#/catalog", "#/catalog/providers/odd", "#/catalog/setup?show=all", "#/catalog/problems"]) {
      await opened.goto(at);

      expect(await page.title(), at).not.toBe("owned");
      expect(await page.locator("main img:not([role]), main script").count(), at).toBe(0);
      expect(await page.locator("body").innerText(), at).not.toContain("\u202e");
    }
    await opened.goto("#/catalog/providers/odd");
    expect(await page.locator("main").innerText()).toContain("<script>document.title='owned'</script>");
    expect(opened.errors).toEqual([]);
  });

  test("a key without the operator's grant sees providers, and nothing about files, secrets, grants and imports", async () => {
    const ask = await newKey({ label: "reader", scopes: ["runs:read"] });
    await using opened = await world.open("#/catalog", { ask });
    const { page } = opened;
    await page.getByRole("link", { name: "Acme data" }).waitFor();
    const tabs = await page.getByRole("tab").count();
    await opened.goto("#/catalog/import");
    const forms = await page.getByRole("form", { name: "Import an OpenAPI document" }).count();
    await opened.goto("#/catalog/providers/acme");
    await page.getByText("Ask the operator of this service.").waitFor();
    const shown = await page.locator("main").innerText();

    expect([tabs, forms]).toEqual([0, 0]);
    expect(shown).not.toMatch(/mkt catalog grant|ACME_API_KEY|acme\.json/);
    expect(await page.getByRole("button", { name: /^(Grant|Withdraw|Test|Add)/ }).count()).toBe(0);
    expect(await page.getByRole("link", { name: /^Run / }).count()).toBe(0);
    expect(opened.requests.some((one) => one.includes("/admin/"))).toBe(false);
    expect(opened.errors).toEqual([]);
  });

  test("a member's key gets no history, since what is kept knows no keys", async () => {
    const ask = await newKey({ label: "member", role: "member" });
    await using opened = await world.open("#/catalog/providers/meteo", { ask });
    await opened.page.getByRole("link", { name: "Run /now" }).waitFor();

    expect(await opened.page.getByRole("heading", { name: "The last seven days" }).count()).toBe(0);
    expect(opened.errors).toEqual([]);
  });

  test("where nothing fits an ask, the way to the catalog is there", async () => {
    await using opened = await world.open("#/discover?q=xyzzyplugh");
    const { page } = opened;
    await page.getByRole("link", { name: "look through the catalog" }).click();
    await page.getByRole("heading", { name: "Catalog", level: 1 }).waitFor();
    await tab(page, "Problems in files");
    await page.getByText("broken.yaml").first().waitFor();

    expect(opened.errors).toEqual([]);
  });
});
