import { execFileSync } from "node:child_process";
import { type Browser, chromium, type Page } from "playwright-core";
import { findBrowser, UNSEEN } from "../support/browser.ts";
import { type FakeProvider, startFakeProvider } from "../support/fake-provider.ts";
import type { Ask } from "../support/request.ts";
import { startTestDaemon, type TestDaemon, type TestDaemonOptions } from "../support/start-daemon.ts";
import { weatherManifest } from "../support/weather-manifest.ts";
import { consoleDir } from "./console-dir.ts";
import { type Session, signIn } from "./sign-in.ts";

/** A real daemon that serves the console, a provider behind it, and a browser. One of each for a file. */
export interface ConsoleWorld extends AsyncDisposable {
  readonly daemon: TestDaemon;
  readonly vendor: FakeProvider;
  readonly browser: Browser;
  /** A tab with a session of its own, which shows this address of the page. */
  open(fragment: string, options?: OpenOptions): Promise<OpenPage>;
}

export interface OpenOptions {
  readonly width?: number;
  readonly theme?: "light" | "dark";
  /** With the key of whom it signs in; the owner's unless another is given. */
  readonly ask?: Ask;
  /** Of a proxy before the daemon. */
  readonly through?: string;
  /** Of the reader's place; English of the USA, and UTC. */
  readonly locale?: string;
  readonly timezoneId?: string;
}

export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  /** `GET /v1/runs` of each request of the service since the page was opened last. */
  readonly requests: readonly string[];
  /** Errors of the page and of its policy. */
  readonly errors: readonly string[];
  goto(fragment: string): Promise<void>;
}

const HEIGHTS: Readonly<Record<number, number>> = { 320: 720, 768: 1024 };

export async function startConsoleWorld({ manifests, ...more }: TestDaemonOptions = {}): Promise<ConsoleWorld> {
  const vendor = await startFakeProvider();
  const daemon = await startTestDaemon({
    ...more,
    manifests: { meteo: weatherManifest(vendor.url), ...manifests },
    config: { consoleDir, ...more.config },
  });
  const browser: Browser = await chromium.launch({
    executablePath: pathOf(findBrowser()),
    args: ["--no-sandbox", ...UNSEEN],
  });
  return {
    daemon,
    vendor,
    browser,
    async open(fragment, options = {}) {
      const { width = 1440, theme = "light", ask = daemon.request, through = daemon.url } = options;
      const { locale = "en-US", timezoneId = "UTC" } = options;
      const context = await browser.newContext({
        viewport: { width, height: HEIGHTS[width] ?? 900 },
        colorScheme: theme,
        reducedMotion: "reduce",
        locale,
        timezoneId,
      });
      const page = await context.newPage();
      const requests: string[] = [];
      const errors: string[] = [];
      page.on("request", (request) => {
        const { pathname } = new URL(request.url());
        if (/^\/(?:v1|public)\//.test(pathname)) requests.push(`${request.method()} ${pathname}`);
      });
      page.on("pageerror", (error) => errors.push(error.message));
      page.on("console", (message) => {
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource")) {
          errors.push(message.text());
        }
      });
      await beginSession(page, through, await signIn(daemon.url, ask));
      const goto = async (to: string) => {
        // From elsewhere: a fragment alone would load nothing, and the first visit is what is counted.
        await page.goto("about:blank");
        requests.length = 0;
        await page.goto(`${through}/console/${to}`);
        await page.locator("h1").waitFor();
        // Not by waitForFunction: where it has to wait, it evaluates in the page, whose policy refuses that.
        await page.locator(".waiting, [aria-busy=true]").first().waitFor({ state: "detached" });
      };
      await goto(fragment);
      return { page, requests, errors, goto, [Symbol.asyncDispose]: async () => await context.close() };
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await daemon[Symbol.asyncDispose]();
      await vendor[Symbol.asyncDispose]();
    },
  };
}

/**
 * As the page keeps a session, and on a page without any scripts: to load the console once more, only to sign in, is a third of
 * what a test here takes. Signing in itself is in screens.test.ts and lesser-keys.test.ts.
 */
async function beginSession(page: Page, url: string, { key, expiresAt }: Session): Promise<void> {
  await page.goto(`${url}/health`);
  await page.evaluate(`sessionStorage.setItem("mkt.session", ${JSON.stringify(JSON.stringify({ key, expiresAt }))})`);
}

function pathOf(program = ""): string {
  return program.includes("/")
    ? program
    : execFileSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).trim();
}
