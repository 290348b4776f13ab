import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { lacksBrowser } from "../support/browser.ts";
import { askWith } from "../support/request.ts";
import { type ConsoleWorld, type OpenPage, startConsoleWorld } from "./console-world.ts";
import { HANG_MS } from "./good-screen.ts";
import { ticketOf } from "./sign-in.ts";

/* Who may less sees less, and what others wrote or built does nothing. docs/console.md; docs/security.md, T36 */

const HOSTILE = `<img src=x onerror="document.title='owned'">\u202egnp`;
const ODD_PATH = "/odd/<b>";

describe.skipIf(lacksBrowser("what the console shows to whom"))("the console", { timeout: HANG_MS }, () => {
  let world: ConsoleWorld;
  let runId = "";

  beforeAll(async () => {
    world = await startConsoleWorld({
      manifests: {
        hostile: {
          displayName: HOSTILE,
          description: HOSTILE,
          http: { baseUrl: "http://127.0.0.1:9", allowPrivateNetwork: true },
          endpoints: {
            [ODD_PATH]: {
              displayName: `Tides ${HOSTILE}`,
              description: `Tide tables of harbours ${HOSTILE}`,
              input: { body: { properties: { "<u>\u202e": { type: "string", description: HOSTILE } } } },
              request: { method: "POST", path: "/odd" },
              price: { type: "FREE" },
            },
          },
        },
      },
    });
    const { daemon, vendor } = world;
    vendor.on("GET /now", { json: { city: "Lisbon" } });
    const input = { city: "Lisbon" };
    const tags = { [HOSTILE.slice(0, 60)]: HOSTILE };
    runId = (await daemon.request("POST", "/v1/run", { provider: "meteo", endpoint: "/now", input, tags })).body.runId;
    await daemon.request("POST", "/v1/api-keys", { label: "<script>document.title='owned'</script>" });
  }, HANG_MS);
  afterAll(async () => await world?.[Symbol.asyncDispose]());

  const newKey = async (body: object) => {
    const made = await world.daemon.request("POST", "/v1/api-keys", body);
    expect(made.status, JSON.stringify(made.body)).toBe(201);
    return askWith(world.daemon.url, made.body.key);
  };

  /** The addresses of the screens that the navigation offers. */
  const screensOf = async (tab: OpenPage): Promise<string[]> =>
    await tab.page.evaluate(`[...document.querySelectorAll("nav[aria-label=Screens] a")].map(({ hash }) => hash)`);

  test("shows names, tags and texts of others as text, on every screen", async () => {
    await using tab = await world.open("#/");
    const drawn = [
      { at: "#/discover?q=tide%20tables%20of%20harbours", shows: "Tide tables of harbours <img" },
      { at: `#/discover/hostile${encodeURI(ODD_PATH)}`, shows: "Tide tables of harbours <img" },
      { at: `#/runs/${runId}`, shows: "<img src=x" },
      { at: "#/keys", shows: "<script>document.title='owned'</script>" },
    ];
    const others = (await screensOf(tab)).map((at) => ({ at, shows: "" }));
    expect(others.length).toBeGreaterThan(6);
    for (const { at, shows } of [...drawn, ...others]) {
      await tab.goto(at);
      await tab.page.locator("main").getByText(shows).first().waitFor();
      const shown = await tab.page.locator("body").innerText();

      expect(await tab.page.locator("h1").innerText(), at).not.toBe("Nothing here");
      if (at.startsWith("#/runs/")) expect(shown, at).toContain("⟨U+202E⟩");
      expect(await tab.page.title(), at).not.toBe("owned");
      expect(await tab.page.locator("main img, main script, main b, main u").count(), at).toBe(0);
      expect(shown, at).not.toContain("\u202e");
    }
    expect(tab.errors).toEqual([]);
  });

  test("of a key that may only read runs has those screens alone, with nothing to press", async () => {
    const limitAmount = { value: 0, unit: "DOLLAR", currency: "USD" };
    const asker = await newKey({ label: "asker", role: "member" });
    const rule = { limitAmount, keyLabel: "asker" };
    expect((await world.daemon.request("POST", "/v1/controls/approval-rules", rule)).status).toBe(201);
    const call = { provider: "meteo", endpoint: "/now", input: { city: "Lisbon" } };
    const waiting = await asker("POST", "/v1/run", call);
    const places = [
      { at: `#/runs/${runId}`, shows: "Provider answered 200" },
      { at: `#/runs/${waiting.body.runId}`, shows: "It waits for approval" },
      { at: "#/discover/meteo/now", shows: "The weather in a city right now" },
    ];
    /** What changes something, on each of the places. */
    const offered = async ({ page, goto }: OpenPage) => {
      const found: string[][] = [];
      for (const { at, shows } of places) {
        await goto(at);
        await page.locator("main").getByText(shows).first().waitFor();
        const acts = page.locator("main button, main a").filter({ hasText: /^(Run|Ask the price|Stop|Decide)/ });
        found.push(await acts.allInnerTexts());
      }
      return found;
    };
    await using own = await world.open("#/runs");
    expect(await offered(own)).toEqual([
      ["Run again"],
      expect.arrayContaining(["Stop", "Decide it in Controls"]),
      ["Ask the price", "Run without asking"],
    ]);
    await using tab = await world.open("#/runs", { ask: await newKey({ label: "reader", scopes: ["runs:read"] }) });
    const names = await tab.page.locator("nav[aria-label=Screens] a").allInnerTexts();
    const pressed = await offered(tab);
    await tab.goto("#/wallet");

    expect(names).not.toContain("Wallet");
    expect(names).not.toContain("Keys and people");
    expect(names).toContain("Runs");
    expect(pressed).toEqual([[], [], []]);
    expect(await tab.page.locator("h1").innerText()).toBe("Nothing here");
    expect(tab.errors).toEqual([]);
  });

  test("of a key that may only run shows no runs of others, no money and no keys", async () => {
    await using tab = await world.open("#/discover", {
      ask: await newKey({ label: "runner", scopes: ["runs:create"] }),
    });
    const names = await tab.page.locator("nav[aria-label=Screens] a").allInnerTexts();
    await tab.goto(`#/runs/${runId}`);

    expect(names).not.toContain("Wallet");
    expect(names).not.toContain("Keys and people");
    expect(await tab.page.locator("body").innerText()).not.toContain("Lisbon");
    expect(tab.errors).toEqual([]);
  });

  test("of another workspace shows nothing of this one", async () => {
    const { request, url } = world.daemon;
    const { body } = await request("POST", "/v1/admin/workspaces", { name: "There" });
    const { workspaceId } = body.workspace ?? body;
    const key = await request("POST", `/v1/admin/workspaces/${workspaceId}/api-keys`, {
      label: "there",
      scopes: ["*"],
    });
    await using tab = await world.open("#/", { ask: askWith(url, key.body.key) });
    const own = await request("GET", "/v1/auth/whoami");
    const screens = await screensOf(tab);
    expect(screens.length).toBeGreaterThan(6);
    for (const at of [...screens, `#/runs/${runId}`]) {
      await tab.goto(at);
      expect(await tab.page.locator("h1").innerText(), at).not.toBe("Nothing here");
      const shown = await tab.page.locator("body").innerText();

      expect(shown, at).not.toContain("Lisbon");
      expect(shown, at).not.toContain(own.body.workspace.workspaceId);
      if (at.startsWith("#/runs")) expect(shown, at).not.toContain("meteo/now");
    }
    expect(tab.errors).toEqual([]);
  });

  test("takes no ticket from a link of another page, whichever way it is opened", async () => {
    const ways = {
      link: (to: string) => `<a id="go" href="${to}">go</a>`,
      newTab: (to: string) => `<a id="go" target="_blank" rel="opener" href="${to}">go</a>`,
      form: (to: string) => `<form action="${to}"><button id="go">go</button></form>`,
      script: (to: string) => `<button id="go" onclick="window.open('${to}')">go</button>`,
      refresh: (to: string) => `<meta http-equiv="refresh" content="0;url=${to}">`,
    };
    const evil = createServer((asked, answer) => {
      const way = new URL(asked.url ?? "/", "http://evil").searchParams;
      const to = way.get("to") ?? "";
      if (way.has("redirect")) return void answer.writeHead(302, { location: to }).end();
      const make = ways[(way.get("way") ?? "link") as keyof typeof ways];
      answer.writeHead(200, { "content-type": "text/html" }).end(`<!doctype html>${make(to)}`);
    });
    await new Promise<void>((resolve) => evil.listen(0, "127.0.0.1", resolve));
    const base = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`;
    try {
      for (const way of [...Object.keys(ways), "redirect"]) {
        const context = await world.browser.newContext();
        const page = await context.newPage();
        const ticket = await ticketOf(world.daemon.request);
        const to = encodeURIComponent(`${world.daemon.url}/console/#ticket=${ticket}`);
        const redirected = encodeURIComponent(`${base}/?redirect=1&to=${to}`);
        await page.goto(`${base}/?way=${way === "redirect" ? "link" : way}&to=${way === "redirect" ? redirected : to}`);
        const opened = ["newTab", "script"].includes(way) ? context.waitForEvent("page") : Promise.resolve(page);
        if (way !== "refresh") await page.locator("#go").click();
        const victim = await opened;
        await victim.getByRole("heading", { name: "Sign in to the console" }).waitFor();

        expect(await victim.evaluate("sessionStorage.length"), way).toBe(0);
        expect(victim.url(), way).not.toContain("tkt_");
        await context.close();
      }
    } finally {
      evil.closeAllConnections();
      await new Promise((resolve) => evil.close(resolve));
    }
  });

  test("asks before it takes a ticket that came over plain http from another machine", async () => {
    const ticket = await ticketOf(world.daemon.request);
    const context = await world.browser.newContext();
    const page = await context.newPage();
    // What the daemon answers to a browser that does not say who sent it.
    await page.route("**/console/", async (route) => {
      const answer = await route.fetch({ headers: { host: new URL(world.daemon.url).host } });
      await route.fulfill({ response: answer });
    });
    await page.goto(`${world.daemon.url}/console/#ticket=${ticket}`);
    const question = page.getByRole("dialog");
    await question.getByRole("button", { name: "Cancel" }).click();
    await page.getByRole("heading", { name: "Sign in to the console" }).waitFor();
    const refused = await page.evaluate("sessionStorage.length");
    await page.goto("about:blank");
    await page.goto(`${world.daemon.url}/console/#ticket=${ticket}`);
    await question.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("navigation", { name: "Screens" }).waitFor();

    expect(refused).toBe(0);
    expect(page.url()).not.toContain("tkt_");
    await context.close();
  });
});
