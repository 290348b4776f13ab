import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { tempDir } from "./temp-dir.ts";

/** Names of the program in the order in which they are looked for; Debian's first, and of those the one without a screen. */
const PROGRAMS = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];

/** What a browser can spare whose pages nobody looks at, and which are open for a second. */
export const UNSEEN = [
  "--disable-gpu",
  // No process that draws without a graphics card, and none that only passes it on.
  "--disable-software-rasterizer",
  "--in-process-gpu",
  // A page is gone before its code has earned what it takes to compile it twice.
  "--js-flags=--no-opt --no-maglev",
];

/** Time to start, to open a page or to answer one command, with room for a machine that is busy. */
const HANG_MS = 60_000;

/**
 * The browser of this machine; undefined where there is none, and a test that needs it is skipped with {@link
 * whyNoBrowser}.
 */
export function findBrowser(): string | undefined {
  const named = process.env["MKT_TEST_BROWSER"];
  if (named !== undefined && named !== "") return named;
  return PROGRAMS.find((name) => spawnSync("sh", ["-c", `command -v ${name}`]).status === 0);
}

/** Why tests with a browser are skipped here; undefined where they run. */
export function whyNoBrowser(): string | undefined {
  return findBrowser() === undefined ? `none of ${PROGRAMS.join(", ")} is installed` : undefined;
}

/** Whether the tests of `what` are skipped here for want of a browser; says so, once a file. */
export function lacksBrowser(what: string): boolean {
  const reason = whyNoBrowser();
  if (reason !== undefined) process.stderr.write(`${what}: skipped, since ${reason}\n`);
  return reason !== undefined;
}

/** A message that the browser sent by itself: an event of the DevTools protocol. */
export interface BrowserEvent {
  readonly method: string;
  // Each event has a shape of its own.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly params: any;
}

/** A tab; disposing of it closes it, with the frames and media that it left loading. */
export interface Page extends AsyncDisposable {
  /**
   * Goes to an address, and resolves once the page has loaded. `instead` is what the browser takes for the answer,
   * without asking anybody: what a name led to before it was rebound.
   */
  goto(url: string, instead?: { readonly html: string }): Promise<void>;
  /** The value of an expression in the page, once it is there if it is a promise; rejects with what the page threw. */
  // oxlint-disable-next-line typescript/no-explicit-any
  evaluate(expression: string): Promise<any>;
  /** A command of the DevTools protocol to this page. */
  // oxlint-disable-next-line typescript/no-explicit-any
  send(method: string, params?: object): Promise<any>;
  /** Every event of this page from now on. */
  on(listener: (event: BrowserEvent) => void): void;
}

export interface Browser extends AsyncDisposable {
  /** A new, empty tab. */
  open(): Promise<Page>;
}

/**
 * Chromium without a screen, with an empty profile, driven over a pipe by the DevTools protocol: no port, and no
 * package. Names beside loopback's lead nowhere, but for `hosts`, which all lead to 127.0.0.1.
 */
export async function startBrowser({ hosts = [] }: { readonly hosts?: readonly string[] } = {}): Promise<Browser> {
  const program = findBrowser();
  if (program === undefined) throw new Error(`no browser: ${whyNoBrowser()}`);
  const profile = tempDir();
  const rules = [
    ...hosts.map((host) => `MAP ${host} 127.0.0.1`),
    "MAP * ~NOTFOUND",
    "EXCLUDE 127.0.0.1",
    "EXCLUDE localhost",
  ];
  const child = spawn(
    program,
    [
      "--headless=new",
      // The pages are the tests' own, and a container has no sandbox to offer.
      "--no-sandbox",
      ...UNSEEN,
      "--disable-dev-shm-usage",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-extensions",
      "--disable-sync",
      "--no-first-run",
      "--no-default-browser-check",
      // Newer versions ask the user before a page may reach this machine. The tests check the servers, not that
      // question.
      "--disable-features=LocalNetworkAccessChecks",
      "--remote-debugging-pipe",
      `--host-resolver-rules=${rules.join(", ")}`,
      `--user-data-dir=${profile.path}`,
    ],
    // A separate process group, so that everything it started ends with it.
    { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true },
  );
  const connection = new Connection(child);
  return {
    async open() {
      const { targetId } = await connection.send("Target.createTarget", { url: "about:blank" });
      const { sessionId } = await connection.send("Target.attachToTarget", { targetId, flatten: true });
      return await openPage(connection, sessionId, targetId);
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        const exited = once(child, "exit");
        try {
          process.kill(-(child.pid ?? 0), "SIGKILL");
        } catch {
          child.kill("SIGKILL");
        }
        await exited;
      }
      profile[Symbol.dispose]();
    },
  };
}

async function openPage(connection: Connection, sessionId: string, targetId: string): Promise<Page> {
  const send = async (method: string, params: object = {}) => await connection.send(method, params, sessionId);
  const on = (listener: (event: BrowserEvent) => void) => connection.on(sessionId, listener);
  await send("Page.enable");
  await send("Runtime.enable");
  let instead: string | undefined;
  on(({ method, params }) => {
    if (method !== "Fetch.requestPaused") return;
    const { requestId } = params;
    const html = instead;
    instead = undefined;
    void (
      html === undefined
        ? send("Fetch.continueRequest", { requestId })
        : send("Fetch.fulfillRequest", {
            requestId,
            responseCode: 200,
            responseHeaders: [{ name: "content-type", value: "text/html" }],
            body: Buffer.from(html).toString("base64"),
          })
    ).catch(() => {});
  });
  return {
    send,
    on,
    async goto(url, answer) {
      if (answer !== undefined) {
        instead = answer.html;
        await send("Fetch.enable", { patterns: [{ urlPattern: url, resourceType: "Document" }] });
      }
      const loaded = new Promise<void>((resolve) => on(({ method }) => method === "Page.loadEventFired" && resolve()));
      const { errorText } = await send("Page.navigate", { url });
      if (errorText !== undefined) throw new Error(`the browser did not get ${url}: ${errorText}`);
      await within(loaded, `${url} to load`);
      if (answer !== undefined) await send("Fetch.disable");
    },
    async evaluate(expression) {
      const { result, exceptionDetails } = await send("Runtime.evaluate", {
        expression,
        awaitPromise: true,
        returnByValue: true,
      });
      if (exceptionDetails === undefined) return result.value;
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    },
    async [Symbol.asyncDispose]() {
      await connection.send("Target.closeTarget", { targetId });
    },
  };
}

/** Commands and events of the DevTools protocol: JSON, each message ended by a zero byte. */
class Connection {
  readonly #commands: Writable;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly #waiting = new Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }>();
  readonly #listeners = new Map<string, ((event: BrowserEvent) => void)[]>();
  #sent = 0;
  #ended: Error | undefined;

  constructor(child: ChildProcess) {
    this.#commands = child.stdio[3] as Writable;
    // Writing to a browser that has exited is reported by its end.
    this.#commands.on("error", () => {});
    let rest = Buffer.alloc(0);
    (child.stdio[4] as Readable).on("data", (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk]);
      for (let end = rest.indexOf(0); end !== -1; end = rest.indexOf(0)) {
        this.#take(JSON.parse(rest.subarray(0, end).toString()));
        rest = rest.subarray(end + 1);
      }
    });
    const end = (error: Error) => {
      this.#ended = error;
      for (const { reject } of this.#waiting.values()) reject(error);
      this.#waiting.clear();
    };
    child.once("error", end);
    child.once("exit", (code, signal) => end(new Error(`the browser ended with ${code ?? signal}`)));
  }

  // oxlint-disable-next-line typescript/no-explicit-any
  async send(method: string, params: object, sessionId?: string): Promise<any> {
    if (this.#ended !== undefined) throw this.#ended;
    const id = ++this.#sent;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#commands.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`);
    return await within(answer, method);
  }

  on(sessionId: string, listener: (event: BrowserEvent) => void): void {
    this.#listeners.set(sessionId, [...(this.#listeners.get(sessionId) ?? []), listener]);
  }

  #take(
    message: { id?: number; sessionId?: string; error?: { message: string }; result?: unknown } & BrowserEvent,
  ): void {
    if (message.id === undefined) {
      for (const listener of this.#listeners.get(message.sessionId ?? "") ?? []) listener(message);
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.error === undefined) waiting?.resolve(message.result);
    else waiting?.reject(new Error(message.error.message));
  }
}

async function within<Value>(promise: Promise<Value>, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain for ${what}`)), HANG_MS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
