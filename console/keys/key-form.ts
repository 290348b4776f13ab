import type { CreateApiKeyRequest } from "../../shared/contract/api-keys.ts";
import type { ControlPeriod } from "../../shared/contract/controls.ts";
import type { KeyRole } from "../../shared/contract/roles.ts";
import type { Scope } from "../../shared/contract/scopes.ts";
import { toMoney } from "../../shared/micro-dollars.ts";
import { shellLine } from "../../shared/words/shell-line.ts";
import { typedMicros } from "../words/typed-amount.ts";

/** What is typed for a new key. */
export interface KeyForm {
  readonly label: string;
  /** `chosen`: the scopes that are ticked. */
  readonly rights: KeyRole | "chosen";
  readonly scopes: readonly Scope[];
  /** Dollars; empty for no limit of its own. */
  readonly limit: string;
  readonly period: ControlPeriod;
  /** As the browser writes a local time; empty for the end of who makes it. */
  readonly expires: string;
  /** With spaces or commas between. */
  readonly providers: string;
  readonly endpoints: string;
}

export type KeyFormProblems = Readonly<Partial<Record<keyof KeyForm, string>>>;

/** The request of a form, or what is wrong with it. `mustEnd`: when its maker ends, ISO 8601. */
export function readKeyForm(
  form: KeyForm,
  now: number,
  mustEnd: string | undefined,
): { readonly request: CreateApiKeyRequest; readonly problems: KeyFormProblems } {
  const limit = form.limit.trim() === "" ? undefined : typedMicros(form.limit);
  const end = form.expires === "" ? undefined : Date.parse(form.expires);
  const providers = listOf(form.providers);
  const endpoints = listOf(form.endpoints);
  const problems: KeyFormProblems = {
    ...(form.label.trim() === "" && { label: "Give it a name, such as ci." }),
    ...(form.rights === "chosen" && form.scopes.length === 0 && { scopes: "Tick at least one." }),
    ...(form.limit.trim() !== "" && limit === undefined && { limit: "Type an amount in dollars, such as 5." }),
    ...whyNoEnd(end, now, mustEnd),
    ...(endpoints.some((name) => !name.includes("/")) && {
      endpoints: "Write them as provider/path, such as atlas/sun.",
    }),
  };
  return {
    problems,
    request: {
      label: form.label.trim(),
      ...(form.rights === "chosen" ? { scopes: [...form.scopes] } : { role: form.rights }),
      ...(limit !== undefined && { spendLimit: { amount: toMoney(limit), period: form.period } }),
      ...(end !== undefined && !Number.isNaN(end) && { expiresAt: new Date(end).toISOString() }),
      ...(providers.length > 0 && { providers }),
      ...(endpoints.length > 0 && { endpoints }),
    },
  };
}

function whyNoEnd(end: number | undefined, now: number, mustEnd: string | undefined): KeyFormProblems {
  if (end === undefined) return {};
  if (Number.isNaN(end) || end <= now) return { expires: "Choose a time that is yet to come." };
  if (mustEnd === undefined || end <= Date.parse(mustEnd)) return {};
  return { expires: "That is after your session ends. For a key that is to last, type the command below." };
}

function listOf(text: string): string[] {
  return text.split(/[\s,]+/).filter((name) => name !== "");
}

/** Whether the request has the limit and the end that were typed: without them its key could do more than was meant. */
export function hasLimits({ limit, expires }: KeyForm, { spendLimit, expiresAt }: CreateApiKeyRequest): boolean {
  return (limit.trim() === "" || spendLimit !== undefined) && (expires === "" || expiresAt !== undefined);
}

/** The same key made at the command line, where it does not end with the session. */
export function keyCommand({ label, role, scopes = [], spendLimit, expiresAt, ...only }: CreateApiKeyRequest): string {
  return shellLine(
    "mkt",
    "keys",
    "create",
    "--label",
    label === "" ? "ci" : label,
    ...(role === undefined ? [] : ["--role", role]),
    ...scopes.flatMap((scope) => ["--scope", scope]),
    ...(only.providers ?? []).flatMap((name) => ["--provider", name]),
    ...(only.endpoints ?? []).flatMap((name) => ["--endpoint", name]),
    ...(spendLimit === undefined
      ? []
      : ["--spend-limit", `${spendLimit.amount.value}/${spendLimit.period.toLowerCase()}`]),
    ...(expiresAt === undefined ? [] : ["--expires", expiresAt]),
  );
}
