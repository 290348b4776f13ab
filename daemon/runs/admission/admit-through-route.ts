import { isDeepStrictEqual } from "node:util";
import type { RunRequest } from "../../../shared/contract/runs.ts";
import { ApiError, type ErrorKind } from "../../../shared/errors.ts";
import { formatDollars, type MicroDollars, NO_MONEY } from "../../../shared/micro-dollars.ts";
import { unavailable } from "../../catalog/availability.ts";
import { mapInput } from "../../catalog/alternatives/map-input.ts";
import { byRefusal, standingOf } from "../../catalog/alternatives/member-standing.ts";
import { orderMembers, type RankedMember } from "../../catalog/alternatives/order-members.ts";
import type { AlternativeMember, Alternatives, CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { mostPages } from "../../catalog/entries/most-pages.ts";
import { memberDeadlineMs } from "../../catalog/entries/own-deadline.ts";
import { normalizeInput, validateInput } from "../../catalog/input/input-validation.ts";
import { isoNow } from "../../base/clock.ts";
import type { FinishedRun } from "../../discovery/health/judge-run.ts";
import type { WorkspaceCaller } from "../../http/callers/caller.ts";
import type { RunRecord } from "../../ledger/records/run-record.ts";
import type { CandidateRecord, RunRoute } from "../../ledger/records/run-route.ts";
import {
  type AdmissionFacts,
  type AdmissionParts,
  type AdmittedRun,
  admitEndpoint,
  deadlineIsWithinEndpoint,
} from "./admission.ts";
import { QuotePatience } from "../market/quote-patience.ts";

interface Route {
  readonly entry: CatalogEntry;
  readonly alternatives: Alternatives;
}

interface Candidate extends RankedMember {
  readonly member: AlternativeMember;
  readonly admitted: AdmittedRun;
}

type PassedOver = RunRoute["passedOver"][number] & {
  /** What kind of refusal it would be, if all members were passed over for it. */
  readonly kind: ErrorKind;
  readonly isOut?: true;
  /** The refusal itself, where there was one. */
  readonly error?: ApiError;
};

/**
 * Sends a run through the gates of every member of a route. Returns the run as that of the first member that may be tried,
 * with the others behind it; its maximum is that of the dearest, so that one hold covers whichever answers. Throws when
 * all are passed over, and names the reason of each. docs/routes.md, "Which one is tried first".
 */
export async function admitThroughRoute(
  parts: AdmissionParts,
  caller: WorkspaceCaller,
  request: RunRequest,
  route: Route & AdmissionFacts,
): Promise<AdmittedRun> {
  const { entry, alternatives, hops, signal } = route;
  const input = validateInput(entry, normalizeInput(entry, request.input));
  const deadlineMs = deadlineIsWithinEndpoint(entry, request);
  const passedOver: PassedOver[] = alternatives.unusable.map((one) => ({ ...one, kind: "unavailable" }));
  const candidates: Candidate[] = [];
  let tellFirst: (member: AlternativeMember | undefined) => void = () => {};
  const triedFirst = new Promise<AlternativeMember | undefined>((resolve) => {
    tellFirst = resolve;
  });
  const facts = { alternatives, input, deadlineMs, signal, triedFirst, ...(hops !== undefined && { hops }) };
  for (const one of await admitMembers(parts, caller, request, facts)) {
    if ("reason" in one) passedOver.push(one);
    else candidates.push(one);
  }
  const { usable, refused } = await byRefusal(parts.knownRefusals, candidates, ({ admitted }) => admitted.entry);
  for (const { member: one, reason } of refused) {
    passedOver.push({ ...nameOf(one.member), kind: "unavailable", reason });
  }
  const ordered = orderMembers(usable, alternatives);
  const tried = alternatives.allowFallbacks ? ordered : ordered.slice(0, 1);
  const [first, ...others] = tried;
  tellFirst(first?.member);
  if (first === undefined) throw allPassedOver(entry, passedOver);
  for (const { member } of ordered.slice(tried.length)) {
    passedOver.push({ ...nameOf(member), kind: "unavailable", reason: "the route allows no fallbacks" });
  }
  const { isUnpriced: _, ...ofFirst } = first.admitted;
  // What is the same is written once.
  const isMapped = tried.some(({ member }) => member.input !== undefined);
  const ownInput = isMapped && !isDeepStrictEqual(input, ofFirst.input) ? { input } : {};
  const given = ownInput.input ?? ofFirst.input;
  return {
    ...ofFirst,
    ...(tried.every(({ admitted }) => admitted.isUnpriced === true) && { isUnpriced: true }),
    ...((request.maxAge ?? 0) > 0 && { notes: [TAKES_NO_EARLIER_ANSWER] }),
    maximumMicroDollars: tried.reduce<MicroDollars>(
      (most, { admitted: { maximumMicroDollars: next } }) => (next > most ? next : most),
      NO_MONEY,
    ),
    route: {
      entry,
      entries: tried.map(({ admitted }) => admitted.entry),
      record: {
        provider: entry.provider.provider,
        endpoint: entry.path,
        ...ownInput,
        first: { ...nameOf(first.member), price: first.admitted.entry.price },
        maximumMicroDollars: first.admitted.maximumMicroDollars,
        ...(first.member.output !== undefined && { output: { ...first.member.output } }),
        next: others.map((other) => toCandidateRecord(other, given)),
        left: [],
        passedOver: passedOver.map(told),
        ...(request.allowUncertainRepeats === true && { allowsUncertain: true as const }),
      },
    },
  };
}

/** An outage ends with a run that succeeds, and the next one of a route may be that. */
const OUTAGE_RETRY_SECONDS = 30;

const TAKES_NO_EARLIER_ANSWER = "A route takes no answers of earlier runs, so maxAge had no effect";

interface RouteFacts extends AdmissionFacts {
  readonly alternatives: Alternatives;
  readonly input: RunRecord["input"];
  readonly deadlineMs: number;
  /** Never resolves when no member is tried. */
  readonly triedFirst: Promise<AlternativeMember | undefined>;
}

/** At the same time, in the order of the file: a market that is down takes ten seconds to give no price. */
async function admitMembers(
  parts: AdmissionParts,
  caller: WorkspaceCaller,
  request: RunRequest,
  facts: RouteFacts,
): Promise<readonly (Candidate | PassedOver)[]> {
  const { members } = facts.alternatives;
  const inOrder = orderMembers(
    members.map((member) => ({ member, ...rankWithoutQuote(parts, caller, member) })),
    facts.alternatives,
  );
  const patience = new QuotePatience(members.length);
  const asked = members.map(async (member) => {
    const place = inOrder.findIndex((ranked) => ranked.member === member);
    const one = await admitMember(parts, caller, request, { ...facts, member, patience: patience.signalOf(place) });
    if ("admitted" in one) patience.admitted(place);
    return one;
  });
  return await Promise.all(asked).finally(() => patience.close());
}

/** A market whose price is not known comes behind all that have one. */
function rankWithoutQuote(parts: AdmissionParts, caller: WorkspaceCaller, member: AlternativeMember): RankedMember {
  const isAtMarket = parts.catalog.find(member.provider, member.endpoint)?.request.run !== undefined;
  const name = `${member.provider}${member.endpoint}`;
  return { name, ...(!isAtMarket && { price: NO_MONEY }), ...figuresOf(parts, caller, member) };
}

async function admitMember(
  parts: AdmissionParts,
  caller: WorkspaceCaller,
  request: RunRequest,
  facts: RouteFacts & { readonly member: AlternativeMember; readonly patience: AbortSignal | undefined },
): Promise<Candidate | PassedOver> {
  const { member, alternatives, input, deadlineMs, hops, signal, patience, triedFirst } = facts;
  const passOver = (reason: string, kind: ErrorKind): PassedOver => ({ ...nameOf(member), reason, kind });
  const standing = standingOf(parts, caller, member);
  if ("reason" in standing) {
    const { cause, reason } = standing;
    const availability = cause === "other" ? parts.catalog.availability(member.provider, member.endpoint) : undefined;
    return {
      ...passOver(reason, cause === "key" ? "forbidden" : "unavailable"),
      ...(cause === "outage" && { isOut: true }),
      ...(availability?.available === false && { error: unavailable(availability) }),
    };
  }
  try {
    const { entry } = standing;
    const { maxPages, maxAge: _maxAge, ...rest } = request;
    const asked: RunRequest = {
      ...rest,
      ...nameOf(member),
      input: mapInput(member, input),
      ...(maxPages !== undefined && { maxPages: Math.min(maxPages, mostPages(entry)) }),
    };
    const ownMs = memberDeadlineMs(entry, deadlineMs);
    const since = isoNow(parts.clock);
    const onUnreachable = () => {
      const completedAt = isoNow(parts.clock);
      // A run that is tried there first tells itself what became of it.
      void triedFirst.then((first) => {
        if (first === member) return;
        parts.onUnreachable?.(unanswered(member, { workspaceId: caller.workspaceId, createdAt: since, completedAt }));
      });
    };
    const ofEntry = await admitEndpoint(parts, caller, asked, {
      entry,
      deadlineMs: ownMs,
      signal,
      asMember: { patience, onUnreachable },
      ...(hops && { hops }),
    });
    const admitted = { ...ofEntry, deadlineMs };
    const { maximumMicroDollars: most, maxCostMicroDollars: maxCost, estimateMicroDollars: price } = admitted;
    const { maxPriceMicroDollars: maxPrice } = alternatives;
    const costs = `a run may cost up to ${formatDollars(most)}`;
    if (maxPrice !== undefined && most > maxPrice) {
      return passOver(`${costs}, above the route's maxPrice of ${formatDollars(maxPrice)}`, "unavailable");
    }
    if (maxCost !== undefined && most > maxCost) {
      return passOver(`${costs}, above the maxCost of ${formatDollars(maxCost)}`, "insufficientFunds");
    }
    return {
      member,
      admitted,
      name: `${member.provider}${member.endpoint}`,
      ...(admitted.isUnpriced !== true && { price }),
      ...figuresOf(parts, caller, member),
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { ...passOver(error.message, error.kind), error };
  }
}

/** As evidence of health, like a call that could not be made. */
function unanswered(
  member: AlternativeMember,
  when: Pick<FinishedRun, "workspaceId" | "createdAt"> & { readonly completedAt: string },
): FinishedRun {
  const error = { source: "network", message: "Its market gave no answer about its price" };
  return { ...nameOf(member), ...when, startedAt: when.createdAt, status: "FAILED", error };
}

function figuresOf({ figures }: AdmissionParts, { workspaceId }: WorkspaceCaller, member: AlternativeMember) {
  const { provider, endpoint } = member;
  return {
    latency: figures?.metrics(provider, endpoint, workspaceId)?.runTimeMs?.p50,
    success: figures?.successShare(provider, endpoint, workspaceId),
  };
}

function nameOf({ provider, endpoint }: AlternativeMember): Pick<AlternativeMember, "provider" | "endpoint"> {
  return { provider, endpoint };
}

function toCandidateRecord({ member, admitted }: Candidate, given: RunRecord["input"]): CandidateRecord {
  const { entry, input, maximumMicroDollars, maxPages, market } = admitted;
  return {
    ...nameOf(member),
    providerName: entry.provider.displayName,
    manifestHash: entry.provider.manifestHash,
    ...(!isDeepStrictEqual(input, given) && { input }),
    price: entry.price,
    priceWithoutMarkup: entry.priceWithoutMarkup,
    maximumMicroDollars,
    ...(maxPages !== undefined && { maxPages }),
    ...(market !== undefined && { market }),
    repeatable: entry.idempotent || entry.request.idempotency !== undefined,
    ...(member.output !== undefined && { output: { ...member.output } }),
  };
}

function told({ provider, endpoint, reason }: PassedOver): RunRoute["passedOver"][number] {
  return { provider, endpoint, reason };
}

/** One kind where all members have the same; else the service cannot do it now. */
function allPassedOver({ provider, path }: CatalogEntry, passedOver: readonly PassedOver[]): ApiError {
  const kinds = new Set(passedOver.map(({ kind }) => kind));
  const [only] = kinds;
  const kind = kinds.size === 1 && only !== undefined ? only : "unavailable";
  const reasons = passedOver.map(({ provider: slug, endpoint, reason }) => `${slug}${endpoint}: ${reason}`);
  const message = `No member of ${provider.provider}${path} can be tried, so nothing was called or held. ${reasons.join("; ")}`;
  const extra = { passedOver: passedOver.map(told) };
  // An outage passes; everything else waits for somebody who sets it up.
  const passes = kind === "rateLimited" || (kind === "unavailable" && passedOver.some(({ isOut }) => isOut === true));
  if (passes) {
    return new ApiError(kind, message, { retryAfterSeconds: OUTAGE_RETRY_SECONDS, extra });
  }
  const shared = sharedCode(passedOver);
  const errorCode = shared ?? (kind === "unavailable" ? "NOT_CONFIGURED" : undefined);
  const next = passedOver.map(({ error }) => error?.extra["next"]).find((command) => command !== undefined);
  return new ApiError(kind, message, {
    ...(errorCode !== undefined && { errorCode }),
    extra: { ...extra, ...(next !== undefined && { next }) },
  });
}

/** What all members have in common. */
function sharedCode(passedOver: readonly PassedOver[]): ApiError["errorCode"] {
  const codes = new Set(passedOver.map(({ error }) => error?.errorCode));
  const [only] = codes;
  return codes.size === 1 ? only : undefined;
}
