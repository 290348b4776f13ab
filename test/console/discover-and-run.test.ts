import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import { askWith } from "../support/request.ts";
import { type ConsoleWorld, startConsoleWorld } from "./console-world.ts";
import { expectGoodScreen, HANG_MS } from "./good-screen.ts";
import { holdAnswers, untilReceived } from "./held-answers.ts";

/* The form of an endpoint: what may be sent, what it may cost, and what comes of it. docs/console.md */

const PATIENCE = { timeout: 15_000 };
const PNG = Buffer.from("89504e470d0a1a0a00ff00fe80", "hex");
const AMOUNT = "It may cost at most";
const WITHOUT = "Run without asking";

describe.skipIf(lacksBrowser("the form of an endpoint"))("the form of an endpoint", { timeout: HANG_MS }, () => {
  let world: ConsoleWorld;
  let shop: FakeProvider;
  let isDone = false;

  beforeAll(async () => {
    shop = await startFakeProvider();
    shop.on("GET /now", ({ query }) => ({ json: { city: query.get("city") } }));
    shop.on("GET /picture", { bytes: PNG, headers: { "content-type": "image/png" } });
    shop.on("POST /order", ({ json }) => ({ json: { took: json } }));
    shop.on("POST /jobs", { json: { id: "j1" } });
    shop.on("GET /jobs/j1", () => ({
      json: { status: isDone ? "done" : "working", progress: 42, result: { ok: true } },
    }));
    world = await startConsoleWorld({ manifests: { shop: shopManifest(shop.url) } });
  }, HANG_MS);
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]();
    await shop?.[Symbol.asyncDispose]();
  });

  const ask: ConsoleWorld["daemon"]["request"] = async (...words) => await world.daemon.request(...words);
  const countRuns = async () => (await ask("GET", "/v1/runs?limit=50")).body.items.length as number;
  const newestRun = async () => {
    const { body } = await ask("GET", "/v1/runs?limit=1");
    return (await ask("GET", `/v1/runs/${body.items[0].runId}?wait=10`)).body;
  };
  const press = async (page: Page, name: string) => await page.getByRole("button", { name, exact: true }).click();
  const output = (page: Page) => page.getByRole("region", { name: "What it gave" });

  test("is a good screen in both themes and at every width", async () => {
    await expectGoodScreen(world, "#/discover/shop/order", "Begin with");
  });

  test.each(["abc", "0,50", "-1"])("runs nothing while the most that it may cost is %j, and says so", async (text) => {
    const before = await countRuns();
    await using tab = await world.open("#/discover/shop/now");
    const { page } = tab;
    await page.getByLabel(AMOUNT).fill(text);
    await press(page, WITHOUT);
    await press(page, "Ask the price");

    const field = page.getByLabel(AMOUNT);
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect(await page.getByText(`“${text}” is no amount. Type dollars, such as 0.50.`).count()).toBe(1);
    expect(await page.getByText("It is written once its limit is an amount.").count()).toBe(1);
    expect(tab.requests.filter((one) => one.startsWith("POST /v1/run") || one.includes("quote"))).toEqual([]);
    expect(await countRuns()).toBe(before);
  });

  test("tells the price first, and then runs at that price at most", async () => {
    await using tab = await world.open("#/discover/shop/now");
    const { page } = tab;
    await press(page, "Ask the price");
    await page.getByText("Would it go through?").waitFor();
    await press(page, "Run for $0.01");
    await output(page).getByText("Lisbon").waitFor();

    expect(await newestRun()).toMatchObject({ status: "COMPLETED", maxCost: { value: 0.01 } });

    await page.getByLabel(AMOUNT).fill("$1");
    expect(await page.getByRole("button", { name: /^Run for/ }).count()).toBe(0);
    await press(page, WITHOUT);
    await expect.poll(async () => (await newestRun()).maxCost, PATIENCE).toMatchObject({ value: 1 });

    const before = await countRuns();
    await press(page, "Ask the price");
    await press(page, "Run for $0.01");
    await expect.poll(countRuns, PATIENCE).toBe(before + 1);

    expect(await newestRun()).toMatchObject({ maxCost: { value: 0.01 } });
  });

  test("shows a price for the input that it was asked for alone", async () => {
    await using tab = await world.open("#/discover/shop/now");
    const { page } = tab;
    const release = await holdAnswers(page, "**/v1/quote");
    await press(page, "Ask the price");
    await page.getByLabel("city").fill("Porto");
    release();
    await untilReceived(page, "/v1/quote");
    await page
      .getByRole("button", { name: "Ask the price", exact: true })
      .and(page.locator("[aria-busy=false]"))
      .waitFor();

    expect(await page.getByText("Would it go through?").count()).toBe(0);

    await page.getByLabel("city").fill("Lisbon");
    await press(page, "Ask the price");
    await page.getByText("Would it go through?").waitFor();
  });

  test("makes no second run when its answer is lost and the price is asked for then, and says why", async () => {
    const before = await countRuns();
    await using tab = await world.open("#/discover/shop/now");
    const { page } = tab;
    await page.route(
      "**/v1/run",
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await press(page, WITHOUT);
    await page.getByRole("alert").waitFor();
    await press(page, "Ask the price");
    await press(page, "Run for $0.01");
    await page.getByText("it may have run. Look under Runs first").waitFor();

    expect(await countRuns()).toBe(before + 1);

    await press(page, "Run for $0.01");
    await output(page).getByText("Lisbon").waitFor();
    expect(await countRuns()).toBe(before + 2);
  });

  test("says that the run that is to be repeated cannot be read", async () => {
    await using tab = await world.open("#/discover/shop/now?from=01ARZ3NDEKTSV4RRFFQ69G5FAV");

    const said = await tab.page.getByRole("alert").innerText();
    expect(said).toContain("The input of run 01ARZ3NDEKTSV4RRFFQ69G5FAV cannot be read");
  });

  test("a run under way is asked for its progress only when its screen is read", async () => {
    const { body } = await ask("POST", "/v1/run", { provider: "shop", endpoint: "/slow", input: {}, wait: 0 });
    const { runId } = body;
    await using tab = await world.open("#/home");
    const { page } = tab;
    const release = await holdAnswers(page, "**/v1/runs/*/controls");
    await tab.goto(`#/runs/${runId}`);
    await page.getByRole("img", { name: "Progress: 42%" }).waitFor();

    expect(tab.requests.length, tab.requests.join(", ")).toBeLessThanOrEqual(4);

    release();
    const asks = () => tab.requests.filter((one) => one === `GET /v1/runs/${runId}`).length;
    await expect.poll(asks, PATIENCE).toBeGreaterThan(1);
    await ask("POST", `/v1/runs/${runId}/stop`, {});
  });

  test("makes one run when its answer is lost and the button is pressed again, and another one after that", async () => {
    const before = await countRuns();
    await using tab = await world.open("#/discover/shop/now");
    const { page } = tab;
    let isLost = false;
    await page.route("**/v1/run", async (route) => {
      if (isLost) return await route.continue();
      isLost = true;
      await route.fetch();
      await route.abort();
    });
    await press(page, WITHOUT);
    await page.getByRole("alert").waitFor();
    await press(page, WITHOUT);
    await output(page).getByText("Lisbon").waitFor();

    expect(await countRuns()).toBe(before + 1);

    await press(page, WITHOUT);
    await expect.poll(countRuns, PATIENCE).toBe(before + 2);
  });

  test("says what would refuse the run, and does not offer it then", async () => {
    await using tab = await world.open("#/discover/shop/now");
    const { page } = tab;
    await page.getByLabel(AMOUNT).fill("0.001");
    await press(page, "Ask the price");
    await page.getByText("No: your own limit").waitFor();

    expect(await page.getByRole("button", { name: "Run for $0.01" }).isDisabled()).toBe(true);
  });

  test("takes amounts and numbers as they are written in the reader's place", async () => {
    await using tab = await world.open("#/discover/shop/order", { locale: "de-DE", timezoneId: "Asia/Tokyo" });
    const { page } = tab;
    await page.getByLabel("weight").fill("1,5");
    await page.getByLabel(AMOUNT).fill("0,50");
    await press(page, WITHOUT);
    await output(page).getByText("Completed").waitFor();

    expect(await newestRun()).toMatchObject({ maxCost: { value: 0.5 }, input: { body: { weight: 1.5 } } });
    expect(await output(page).locator(".money").first().innerText()).toMatch(/^0,02\s\$$/);

    await page.getByRole("link", { name: "Its whole story" }).click();
    await page.getByText("Provider answered 200").waitFor();
    const hour = new Date((await newestRun()).createdAt).toLocaleTimeString("de-DE", { timeZone: "Asia/Tokyo" });
    expect(await page.getByRole("region", { name: "Story" }).innerText()).toContain(hour);
    expect(tab.errors).toEqual([]);
  });

  test("checks lengths, patterns and limits before anything is sent, each with words at its field", async () => {
    await using tab = await world.open("#/discover/shop/order");
    const { page } = tab;
    await page.getByLabel("Begin with").selectOption({ label: "the large one" });
    expect(await page.getByLabel("code").inputValue()).toBe("ZZ");
    await page.getByLabel("code").fill("zz");
    await page.getByLabel("weight").fill("1000");
    await page.getByLabel("Further members of the body").fill("[1]");
    await press(page, "Ask the price");

    for (const words of ["It must look like ^[A-Z]{2}$", "It must be 100 at most.", /It must be an object/]) {
      expect(await page.getByText(words).count(), `${words}`).toBe(1);
    }
    expect(tab.requests.filter((one) => one.startsWith("POST /v1/quote") || one === "POST /v1/run")).toEqual([]);

    await page.getByLabel("code").fill("DE");
    await page.getByLabel("weight").fill("");
    await page.getByLabel("Further members of the body").fill('{"gift": true}');
    await press(page, WITHOUT);
    await output(page).getByText("Completed").waitFor();

    expect((await newestRun()).input).toEqual({ body: { code: "DE", note: null, gift: true } });
  });

  test("says that a run waits for approval and where it is decided, and goes on by itself", async () => {
    const limitAmount = { value: 0, unit: "DOLLAR", currency: "USD" };
    const rule = await ask("POST", "/v1/controls/approval-rules", { limitAmount });
    const asker = await ask("POST", "/v1/api-keys", { label: "asker", scopes: ["*"] });
    await using tab = await world.open("#/discover/shop/now", { ask: askWith(world.daemon.url, asker.body.key) });
    const { page } = tab;
    await press(page, "Ask the price");
    await page.getByText("After an approval").waitFor();
    await press(page, "Run for $0.01");
    await output(page).getByText("It waits for approval until").waitFor();
    const link = output(page).getByRole("link", { name: "Decide it in Controls" });
    expect(await link.getAttribute("href")).toBe("#/controls/approvals");

    const { runId } = (await ask("GET", "/v1/approvals")).body.items[0];
    const decided = await ask("POST", `/v1/approvals/${runId}/approve`, {});
    expect(decided.status, JSON.stringify(decided.body)).toBe(200);
    await output(page).getByText("Lisbon").waitFor();
    await ask("DELETE", `/v1/controls/approval-rules/${rule.body.ruleId}`);
  });

  test("shows how far a run is while it goes on, and then what it gave", async () => {
    await using tab = await world.open("#/discover/shop/slow");
    const { page } = tab;
    await press(page, WITHOUT);
    await page.getByRole("img", { name: "Progress: 42%" }).waitFor();
    expect(await output(page).getByText("Running").count()).toBe(1);
    isDone = true;
    await output(page).getByText("Completed").waitFor();
    expect(tab.errors).toEqual([]);
  });

  test("saves bytes as the file that they are, and data as JSON", async () => {
    await using tab = await world.open("#/discover/shop/picture");
    const { page } = tab;
    await press(page, WITHOUT);
    await output(page).getByText("image/png, 13 bytes").waitFor();
    const picture = page.waitForEvent("download");
    await page.getByRole("button", { name: /^Download run-/ }).click();
    const file = await picture;

    expect(file.suggestedFilename()).toMatch(/^run-\w+\.png$/);
    expect(readFileSync(await file.path()).equals(PNG)).toBe(true);

    await tab.goto("#/discover/shop/now");
    await press(page, WITHOUT);
    const data = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download", exact: true }).click();

    expect(JSON.parse(readFileSync(await (await data).path(), "utf8"))).toEqual({ city: "Lisbon" });
  });
});

function shopManifest(baseUrl: string): object {
  const price = { type: "PER_CALL", amount: 0.01 };
  return {
    displayName: "Shop",
    http: { baseUrl, allowPrivateNetwork: true, retry: { attempts: 1 } },
    async: {
      start: { id: "$.id" },
      poll: {
        method: "GET",
        path: "/jobs/${run.externalId}",
        everyMs: 20,
        status: "$.status",
        states: { running: ["working"], done: ["done"] },
        progress: "$.progress",
        progressUnit: "percent",
      },
      runMs: 60_000,
    },
    endpoints: {
      "/now": {
        description: "The weather in a city right now.",
        request: { method: "GET", path: "/now" },
        input: { queryParams: { required: ["city"], properties: { city: { type: "string" } } } },
        price,
        examples: [{ name: "Lisbon", input: { city: "Lisbon" } }],
      },
      "/picture": { description: "A picture.", request: { method: "GET", path: "/picture" }, price },
      "/slow": { description: "A long report.", request: { method: "POST", path: "/jobs" }, price, async: {} },
      "/order": {
        description: "Orders something to a country, and says what it took.",
        request: { method: "POST", path: "/order" },
        input: {
          body: {
            type: "object",
            required: ["code", "note"],
            properties: {
              code: { type: "string", pattern: "^[A-Z]{2}$", description: "Two letters of a country" },
              note: { type: ["string", "null"], maxLength: 20 },
              weight: { type: "number", exclusiveMinimum: 0, maximum: 100 },
              tags: { type: "array", items: { type: "string" }, maxItems: 3 },
            },
            additionalProperties: true,
          },
        },
        price: { type: "PER_CALL", amount: 0.02 },
        examples: [
          { name: "the small one", input: { body: { code: "PT", note: null, weight: 1 } } },
          { name: "the large one", input: { body: { code: "ZZ", note: null, weight: 99, gift: false } } },
        ],
      },
    },
  };
}
