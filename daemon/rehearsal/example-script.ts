import type { RunId } from "../base/ids.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import type { Call, RecordedAnswer, RequestCall } from "../manifest/manifest.ts";
import { renderTemplate, parseTemplate, type TemplateScope } from "../manifest/template.ts";
import { checkArrival, mayBeCall } from "./arrival/check-arrival.ts";
import { type ArrivalFacts, REHEARSED_TOKEN } from "./arrival/expected-parts.ts";
import { checkToolCall, serverAnswer, toolMessageOf, toToolWire } from "./play-tool.ts";
import { type Recording, toWire, type WireFacts } from "./recorded-answers.ts";
import type { RehearsedProvider } from "./rehearsed-provider.ts";
import type { Arrival, WireAnswer } from "./arrival/stand-in.ts";

export interface ScriptFacts {
  readonly entry: CatalogEntry;
  readonly rehearsed: RehearsedProvider;
  /** Absent: only the requests matter. */
  readonly recording: Recording | undefined;
  /** Checked input with defaults. */
  readonly input: TemplateScope["input"];
  readonly runId: RunId;
  /** Real origin of the endpoint's base URL. */
  readonly home: string;
}

/**
 * The stand-in's behaviour in one example: checks each request against the manifest and returns the next recorded
 * answer.
 */
export class ExampleScript {
  /** Problems with requests, in words. */
  readonly complaints: string[] = [];
  readonly #facts: ScriptFacts;
  #asked = 0;
  #job: Pick<TemplateScope, "externalId" | "state"> = {};

  constructor(facts: ScriptFacts) {
    this.#facts = facts;
  }

  /** The values for templates of polls and results from now on. */
  learnJob(job: { readonly externalId: string; readonly state: Readonly<Record<string, string>> }): void {
    this.#job = { externalId: job.externalId, state: job.state };
  }

  /** The number of recorded answers that were not requested. */
  get unasked(): number {
    const { recording } = this.#facts;
    return recording === undefined || recording.repeats ? 0 : Math.max(0, recording.answers.length - this.#asked);
  }

  async answer(arrival: Arrival): Promise<WireAnswer> {
    const token = this.#tokenAnswer(arrival);
    if (token !== undefined) return token;
    if (this.#facts.entry.request.tool !== undefined) return this.#answerAsTool(arrival);
    await this.#check(arrival, this.#callOf(arrival));
    return toWire(this.#next(arrival), this.#wireFacts());
  }

  #answerAsTool(arrival: Arrival): WireAnswer {
    const message = toolMessageOf(arrival);
    const answer = serverAnswer(message);
    if (answer !== undefined) return answer;
    this.#complain(checkToolCall(arrival, message, this.#arrivalFacts(this.#facts.entry.request)));
    return toToolWire(message, this.#next(arrival));
  }

  /** The next recorded answer. */
  #next(arrival: Arrival): RecordedAnswer {
    const { recording } = this.#facts;
    const index = this.#asked++;
    const answers = recording?.answers ?? [NOTHING_RECORDED];
    const given = answers[index] ?? (recording?.repeats === false ? undefined : answers.at(-1));
    if (given === undefined) {
      this.complaints.push(
        `call ${index + 1}, ${arrival.method} ${arrival.url.pathname}, came, and responses has ${answers.length}; record an answer for it`,
      );
    }
    return given ?? NOT_RECORDED;
  }

  #wireFacts(): WireFacts {
    const { entry, rehearsed } = this.#facts;
    const waitHeaders = entry.http.retry.after.map((name) => name.toLowerCase());
    return { media: entry.output.media, waitHeaders, readdress: rehearsed.readdress };
  }

  async #check(arrival: Arrival, call: Call | RequestCall | undefined): Promise<void> {
    if (call === undefined) {
      this.complaints.push(`${arrival.method} ${arrival.url.pathname} came, which is no call of this endpoint`);
      return;
    }
    this.#complain(await checkArrival(arrival, this.#arrivalFacts(call)));
  }

  /** Once, even if the call is repeated. */
  #complain(complaints: readonly string[]): void {
    this.complaints.push(...complaints.filter((complaint) => !this.complaints.includes(complaint)));
  }

  #arrivalFacts(call: Call | RequestCall): ArrivalFacts {
    const { entry, input, runId, home, rehearsed } = this.#facts;
    return {
      entry,
      call,
      home,
      scope: { secrets: rehearsed.secrets, input, runId, ...this.#job },
      ...(call === entry.request && { callerInput: input }),
    };
  }

  /** The start call while no job is known; then a poll, a page of the result, or a stop, whichever matches. */
  #callOf(arrival: Arrival): Call | RequestCall | undefined {
    const { entry } = this.#facts;
    if (entry.async === undefined) return entry.request;
    const { poll, result, stop } = entry.async;
    const calls = [poll, result, stop].filter((call) => call !== undefined);
    const later = calls.find((call) => mayBeCall(arrival, { call, entry }));
    const isStart = this.#job.externalId === undefined && (this.#asked === 0 || later === undefined);
    return isStart ? entry.request : later;
  }

  /** The provider's token endpoint is simulated too; it is not part of a recording. */
  #tokenAnswer(arrival: Arrival): WireAnswer | undefined {
    const { entry, rehearsed, input, runId } = this.#facts;
    const scope: TemplateScope = { secrets: rehearsed.secrets, input, runId };
    for (const auth of entry.http.auth) {
      if (auth.type !== "clientCredentials" || !isAddress(arrival, auth.tokenUrl, rehearsed)) continue;
      const form = new URLSearchParams(arrival.body.toString());
      const [id, secret] = [auth.clientId, auth.clientSecret].map((template) => textOf(template, scope));
      const basic = `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
      const isKnown =
        auth.style === "basic"
          ? arrival.headers["authorization"] === basic
          : form.get("client_id") === id && form.get("client_secret") === secret;
      if (!isKnown || form.get("grant_type") !== "client_credentials") {
        this.complaints.push("the token endpoint got other client credentials than the manifest names");
      }
      const body = { access_token: REHEARSED_TOKEN, token_type: "Bearer", expires_in: 3_600 };
      return toWire({ status: 200, body }, { ...this.#wireFacts(), media: "json" });
    }
    return undefined;
  }
}

const NOTHING_RECORDED = { status: 200, body: {} } as const;
const NOT_RECORDED = { status: 404, body: {} } as const;

/** `address` already points to the stand-in. */
function isAddress(arrival: Arrival, address: string, { readdress }: RehearsedProvider): boolean {
  const url = new URL(address);
  return readdress(arrival.origin) === url.origin && arrival.url.pathname === url.pathname && arrival.method === "POST";
}

function textOf(template: string, scope: TemplateScope): string {
  const parts = parseTemplate(template);
  return parts.ok ? renderTemplate(parts.value, scope) : "";
}
