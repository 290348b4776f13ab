import { z } from "zod";
import type { SecretVerdict } from "../../shared/contract/secret-verdicts.ts";
import { ApiError } from "../../shared/errors.ts";
import { type Clock, isoNow } from "../base/clock.ts";
import type { WorkspaceId } from "../base/ids.ts";
import type { Logger } from "../base/logger.ts";
import { unavailable } from "../catalog/availability.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { CatalogProvider } from "../catalog/entries/catalog-entry.ts";
import { recordCondition } from "../ledger/transaction/record-condition.ts";
import { findLogin } from "../manifest/login-auth.ts";
import type { RunRecord } from "../ledger/records/run-record.ts";
import type { Committer } from "../ledger/transaction/transaction.ts";
import type { IdentityStore } from "../ledger/stores/identity-store.ts";
import type { ProviderCallOptions } from "../providers/protocol/provider.ts";
import type { SecretCheck } from "../catalog/entries/catalog-entry.ts";
import { proofOf, type SecretProof } from "../providers/verify-secrets.ts";

const Verdict = z.strictObject({
  provider: z.string(),
  verdict: z.enum(["works", "failing"]),
  /** When it was last seen so. */
  at: z.string(),
  /** Since when it fails. */
  since: z.string(),
  /** Print of the values that it is about: others are unknown again. */
  print: z.string(),
  /** The endpoint whose run showed that it fails; absent: the free call showed it. */
  shownBy: z.string().exactOptional(),
  /** The refusal is about any call: that of the free one, or 401. A 403 may be about what one caller asked for. */
  ofAnyCall: z.literal(true).exactOptional(),
  /** Endpoints that refuse values which work elsewhere, such as those of a dearer plan. */
  refusing: z.array(z.string()).exactOptional(),
});
type Verdict = z.infer<typeof Verdict>;

/** What is known of providers' secrets; never a value. */
export const SecretVerdictsDocument = z.strictObject({ verdicts: z.array(Verdict) });
export type SecretVerdictsDocument = z.infer<typeof SecretVerdictsDocument>;

export interface SecretVerdictsParts {
  readonly document: {
    readonly data: SecretVerdictsDocument;
    update(change: (data: SecretVerdictsDocument) => void): Promise<void>;
  };
  readonly catalog: Pick<Catalog, "providers" | "availability" | "resolveSecrets" | "find">;
  readonly verifier: {
    verifySecrets(
      check: SecretCheck,
      options: ProviderCallOptions,
    ): Promise<{ readonly proof: SecretProof; readonly httpStatus?: number }>;
  };
  /** When one of these stored values was changed last, as `clock` has it; undefined: not since the start. */
  readonly changedAtMs: (names: readonly string[]) => number | undefined;
  /** Tells values apart without showing them; undefined when it cannot. */
  readonly printOf: (values: Readonly<Record<string, string>>) => Promise<string | undefined>;
  readonly store: Committer & Pick<IdentityStore, "listWorkspaces">;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Of the statuses by which a provider refuses a key, those that say so of any call: a 400 may be a caller's mistake. */
const REFUSED_AT_RUN: readonly number[] = [401, 403];
/** At a market 403 may be about the scope of a key, or one endpoint. */
const REFUSED_AT_MARKET = 401;
/** "Lacks valid authentication credentials", RFC 9110, 15.5.2. */
const UNAUTHORIZED = 401;
const MS_A_REFRESH = 3_600_000;

/** What a run says of the secrets that it was made with. */
export type ObservedRun = Pick<
  RunRecord,
  "provider" | "endpoint" | "providerResponse" | "manifestHash" | "createdAt" | "startedAt" | "answeredFrom" | "market"
> &
  Partial<Pick<RunRecord, "pages" | "attempts">>;

/** What one call showed. */
interface Evidence {
  readonly proof: SecretProof;
  readonly print: string | undefined;
  /** When the call began, in milliseconds. */
  readonly begunAtMs: number;
  /** Of the run; absent: the free call. */
  readonly endpoint?: string;
  readonly httpStatus?: number | undefined;
}

/**
 * Whether the secrets of providers work: by the call that a provider's file names (`verify`), and by what runs are answered. A
 * verdict is about the values of that time; 429, 5xx and no answer change none. docs/contract.md, "Verdicts on secrets".
 */
export class SecretVerdicts {
  readonly #parts: SecretVerdictsParts;
  #tail: Promise<void> = Promise.resolve();

  constructor(parts: SecretVerdictsParts) {
    this.#parts = parts;
  }

  /** The verdict on the present values of a provider's secrets; undefined for a provider without any that is set. */
  async of(provider: CatalogProvider): Promise<SecretVerdict | undefined> {
    const values = this.#parts.catalog.resolveSecrets(provider);
    if (Object.keys(values).length === 0) return undefined;
    const known = this.#known(provider.provider, await this.#parts.printOf(values));
    if (known === undefined)
      return { provider: provider.provider, verdict: "unknown", canBeTested: canBeTested(provider) };
    const { verdict, at, since } = known;
    const facts = { provider: provider.provider, verdict, at, canBeTested: canBeTested(provider) };
    return verdict === "failing" ? { ...facts, since } : facts;
  }

  /** Whether the present values are known to be refused, whatever is asked for: a route then asks its other members. */
  async areRefused(provider: CatalogProvider): Promise<boolean> {
    const { document, catalog, printOf } = this.#parts;
    // Most have no such verdict, and need no print of their values.
    const isFailing = document.data.verdicts.some(
      (one) => one.provider === provider.provider && one.ofAnyCall === true,
    );
    if (!isFailing) return false;
    return this.#known(provider.provider, await printOf(catalog.resolveSecrets(provider)))?.ofAnyCall === true;
  }

  /** Makes the call of the provider's file. Throws notFound, and conflict when the file names none or a secret is missing. */
  async test(slug: string, options: ProviderCallOptions): Promise<SecretVerdict> {
    const { catalog, verifier, printOf, clock } = this.#parts;
    const provider = catalog.providers().find((one) => one.provider === slug);
    if (provider === undefined)
      throw new ApiError("notFound", `Provider ${slug} not found; mkt catalog list shows all`);
    const { verify } = provider;
    if (verify === undefined || "none" in verify) {
      const why = verify === undefined ? "its file says no call for it (verify)" : verify.none;
      throw new ApiError("conflict", `The secrets of ${slug} cannot be tested: ${why}`);
    }
    const availability = catalog.availability(slug);
    const values = catalog.resolveSecrets(provider);
    if (!availability.available && availability.reason !== "not supported") throw unavailable(availability);
    if (Object.keys(values).length === 0) {
      throw new ApiError("unavailable", `No secret of ${slug} is set`, { errorCode: "MISSING_SECRET" });
    }
    const begunAtMs = clock.now();
    const print = await printOf(values);
    const { proof, httpStatus } = await verifier.verifySecrets({ ...verify, provider }, options);
    await this.#inTurn(async () => await this.#judge(provider, { proof, print, begunAtMs }));
    const verdict = await this.of(provider);
    const told = httpStatus === undefined ? {} : { httpStatus };
    return { ...(verdict ?? { provider: slug, verdict: "unknown" as const, canBeTested: true }), ...told };
  }

  /** What a run was answered. Never rejects. */
  observe(run: ObservedRun): void {
    const entry = this.#parts.catalog.find(run.provider, run.endpoint);
    if (entry === undefined || entry.provider.manifestHash !== run.manifestHash) return;
    const { provider } = entry;
    // Without auth, a refusal says nothing of a secret.
    if (Object.keys(provider.secrets).length === 0 || entry.http.auth.every(({ type }) => type === "none")) return;
    // With a login, what is refused is the account of a workspace.
    if (findLogin(entry.http.auth) !== undefined) return;
    const proof = proofOfRun(run, provider);
    if (proof === "unknown") return;
    const begunAtMs = Date.parse(run.startedAt ?? run.createdAt);
    this.#inTurn(async () => {
      const values = this.#parts.catalog.resolveSecrets(provider);
      if (Object.keys(values).length === 0) return;
      const print = await this.#parts.printOf(values);
      const httpStatus = lastStatus(run) ?? run.providerResponse?.httpStatus;
      await this.#judge(provider, { proof, print, begunAtMs, endpoint: run.endpoint, httpStatus });
    }).catch((error: unknown) => {
      const message = "what became of a provider's secret was not recorded";
      this.#parts.logger.warn({ err: error, provider: provider.provider }, message);
    });
  }

  /** Resolves when everything observed so far is recorded. */
  async settled(): Promise<void> {
    await this.#tail;
  }

  /** One after the other, as each builds on the verdict before it. */
  async #inTurn(judge: () => Promise<void>): Promise<void> {
    const judged = this.#tail.then(judge);
    this.#tail = judged.catch(() => undefined);
    await judged;
  }

  async #judge(provider: CatalogProvider, evidence: Evidence): Promise<void> {
    const { proof, print, endpoint, begunAtMs } = evidence;
    if (proof === "unknown" || print === undefined) return;
    const { document, clock, logger, changedAtMs } = this.#parts;
    // A call that began with the values of before says nothing of the present ones.
    const changed = changedAtMs(Object.values(provider.secrets).map(({ env }) => env));
    if (changed !== undefined && begunAtMs < changed) return;
    const slug = provider.provider;
    const before = this.#known(slug, print);
    if (before !== undefined && saysNothingNew(before, evidence)) return;
    const at = isoNow(clock);
    const verdict = proof === "works" ? "works" : "failing";
    const isNew = before?.verdict !== verdict;
    const refusing = refusingAfter(before, evidence);
    const ofAnyCall = verdict === "failing" && ((!isNew && before.ofAnyCall === true) || isOfAnyCall(evidence));
    const isSame =
      !isNew && refusing.length === (before?.refusing?.length ?? 0) && ofAnyCall === (before?.ofAnyCall ?? false);
    // A working key is seen with every run: its time is written once an hour.
    if (isSame && Math.abs(Date.parse(at) - Date.parse(before?.at ?? at)) < MS_A_REFRESH) return;
    const shownBy = isNew ? endpoint : before?.shownBy;
    const kept: Verdict = {
      provider: slug,
      verdict,
      at,
      since: isNew ? at : (before?.since ?? at),
      print,
      ...(verdict === "failing" && shownBy !== undefined && { shownBy }),
      ...(ofAnyCall && { ofAnyCall }),
      ...(refusing.length > 0 && { refusing: [...refusing] }),
    };
    // Told first: after a crash in between it is told again, under the same id, and not never.
    if (isNew) await this.#tell(slug, kept, before);
    await document.update((data) => {
      data.verdicts = [...data.verdicts.filter((one) => one.provider !== slug), kept];
    });
    if (isNew && verdict === "failing") logger.warn({ provider: slug }, "a provider refuses its secret");
  }

  /** The operator's own workspace is told, once until the verdict or the secret changes. */
  async #tell(slug: string, { verdict, at, print }: Verdict, before: Verdict | undefined): Promise<void> {
    const { store } = this.#parts;
    const [own] = await store.listWorkspaces();
    if (own === undefined) return;
    const change = { workspaceId: own.workspaceId as WorkspaceId, condition: `secret.failing ${slug}`, at };
    // Another secret's failing ends with that secret.
    if (verdict === "works" || before === undefined) await recordCondition(store, { ...change, holds: false });
    if (verdict === "works") return;
    const key = JSON.stringify([slug, print, before?.at ?? ""]);
    await recordCondition(store, {
      ...change,
      holds: true,
      event: { type: "secret.failing", key, data: { provider: slug, since: at } },
    });
  }

  #known(slug: string, print: string | undefined): Verdict | undefined {
    const known = this.#parts.document.data.verdicts.find(({ provider }) => provider === slug);
    return print !== undefined && known?.print === print ? known : undefined;
  }
}

/** What the end of a run says of the secret that it was made with. */
function proofOfRun(run: ObservedRun, { verify }: CatalogProvider): SecretProof {
  const { providerResponse, market, answeredFrom } = run;
  // The answer of an earlier run was given to the secret of that time.
  if (providerResponse === undefined || answeredFrom !== undefined) return "unknown";
  const httpStatus = lastStatus(run) ?? providerResponse.httpStatus;
  if (market === undefined) {
    const refusedIf = verify === undefined ? REFUSED_AT_RUN : verify.refusedIf;
    return proofOf(
      httpStatus,
      refusedIf.filter((status) => REFUSED_AT_RUN.includes(status)),
    );
  }
  // The market took the key: what it then answered is about its own budgets, or its provider's secret.
  if (market.run !== undefined) return "works";
  return httpStatus === REFUSED_AT_MARKET ? "refused" : "unknown";
}

/** Of the page at which the reading of a list ended; undefined where it ended otherwise. */
function lastStatus({ pages, attempts = [] }: ObservedRun): number | undefined {
  return pages?.stoppedBy === "failure" ? attempts.at(-1)?.httpStatus : undefined;
}

/**
 * An endpoint that refuses values which work elsewhere is not told of again; and what began before values were refused
 * does not show that they work again.
 */
function saysNothingNew(before: Verdict, { proof, endpoint, begunAtMs }: Evidence): boolean {
  if (proof === "works") return before.verdict === "failing" && begunAtMs < Date.parse(before.since);
  return before.verdict === "works" && endpoint !== undefined && before.refusing?.includes(endpoint) === true;
}

function isOfAnyCall({ endpoint, httpStatus }: Evidence): boolean {
  return endpoint === undefined || httpStatus === UNAUTHORIZED;
}

/** Which endpoints alone refuse the values, after this. */
function refusingAfter(before: Verdict | undefined, { proof, endpoint }: Evidence): readonly string[] {
  const refusing = before?.refusing ?? [];
  if (proof !== "works") return refusing;
  const { shownBy } = before ?? {};
  const more = shownBy === undefined || refusing.includes(shownBy) ? [] : [shownBy];
  return [...refusing, ...more].filter((one) => one !== endpoint);
}

function canBeTested({ verify }: CatalogProvider): boolean {
  return verify !== undefined && !("none" in verify);
}
