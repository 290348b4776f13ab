import { setTimeout as sleep } from "node:timers/promises";
import { isRecord } from "../../../shared/is-record.ts";
import { memberOf } from "../../../shared/member-of.ts";
import { readWaitMs } from "../../providers/pace/retry.ts";
import { joinPath } from "../../providers/request/request-path.ts";
import { type Exchange, send, type SendOptions } from "../../providers/sending/send.ts";
import { cleanLine } from "../conversion/clean-text.ts";
import { ImportRefused } from "../conversion/imported-provider.ts";

const PAGE = "100";
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;
/** Of all answers together. */
const MAX_ALL_BYTES = 128 * 1024 * 1024;
const TRIES = 5;
const LONGEST_WAIT_MS = 60_000;
/** Our own service says its version in every answer. */
const VERSION_HEADER = "x-mkt-version";

export interface MarketReaderParts {
  readonly token?: string;
  readonly options: Pick<SendOptions, "dispatcher" | "guard" | "signal">;
}

/** The questions that an import asks a market. Throws ImportRefused, and ExchangeError where there was no answer. */
export class MarketReader {
  readonly #base: URL;
  readonly #parts: MarketReaderParts;
  #bytes = 0;
  #isOfOurKind = false;

  constructor(base: URL, parts: MarketReaderParts) {
    this.#base = base;
    this.#parts = parts;
  }

  /** Whether it knows what this service has beside the compatible interface; known after the first answer. */
  get isOfOurKind(): boolean {
    return this.#isOfOurKind;
  }

  /** A page of endpoints that change no resources. */
  async page(provider: string | undefined, cursor: string | undefined): Promise<unknown> {
    const query = { readonly: "true", limit: PAGE, ...(cursor !== undefined && { cursor }) };
    if (provider === undefined) return await this.#get("/v1/endpoints", query);
    return await this.#get("/public/v1/endpoints", { ...query, provider });
  }

  /** How many endpoints make, change or release resources; 0 where the market does not count. */
  async countChanging(): Promise<number> {
    const total = memberOf(await this.#get("/v1/endpoints", { readonly: "false", limit: "1" }), "total");
    return typeof total === "number" && Number.isSafeInteger(total) && total > 0 ? total : 0;
  }

  /** Undefined for an endpoint that is gone since the list was read. */
  async inspect({ provider, endpoint }: { readonly provider: string; readonly endpoint: string }) {
    const body = JSON.stringify({ provider, endpoint });
    const answer = await this.#ask("POST", "/v1/inspect", { body });
    if (answer.status === 404) return undefined;
    refuseUnlessOk(answer, "/v1/inspect");
    return isRecord(answer.body) ? answer.body : undefined;
  }

  async #get(path: string, query: Readonly<Record<string, string>>): Promise<unknown> {
    const answer = await this.#ask("GET", path, { query });
    refuseUnlessOk(answer, path);
    return answer.body;
  }

  async #ask(
    method: "GET" | "POST",
    path: string,
    { query = {}, body }: { readonly query?: Readonly<Record<string, string>>; readonly body?: string },
  ): Promise<Exchange> {
    const url = joinPath(this.#base.href.replace(/\/$/, ""), path);
    url.search = new URLSearchParams(query).toString();
    const { token, options } = this.#parts;
    const headers = {
      "user-agent": "mkt",
      "accept-encoding": "identity",
      ...(body !== undefined && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    };
    for (let attempt = 1; ; attempt += 1) {
      const request = { method, url, headers, ...(body !== undefined && { body }) };
      const answer = await send(request, { ...options, maxResponseBytes: MAX_ANSWER_BYTES, media: "json" });
      this.#count(answer);
      if ((answer.status !== 429 && answer.status !== 503) || attempt >= TRIES) return answer;
      const toldMs = readWaitMs(answer, ["retry-after"], Date.now()) ?? 1_000 * attempt;
      await sleep(Math.min(LONGEST_WAIT_MS, toldMs), undefined, { signal: options.signal });
    }
  }

  #count(answer: Exchange): void {
    this.#bytes += answer.bytes;
    this.#isOfOurKind ||= answer.headers[VERSION_HEADER] !== undefined;
    if (this.#bytes <= MAX_ALL_BYTES) return;
    throw new ImportRefused("size", "The market's answers are too large all together: name providers with --provider.");
  }
}

function refuseUnlessOk({ status, body }: Exchange, path: string): void {
  if (status === 200) return;
  const message = cleanLine(memberOf(body, "message"), 300);
  const told = message === "" ? "" : ` (${message})`;
  const why: Readonly<Record<number, string>> = {
    401: "its key is not valid there; check the variable of --key-env",
    403: "its key may not read the catalog there",
    404: "it has no such route, so it is no market of this contract, or its address has another path",
  };
  throw new ImportRefused(
    "market",
    `The market answered ${path} with ${status}: ${why[status] ?? "it cannot be read now"}${told}.`,
  );
}
