import type { Attention } from "../../shared/contract/overview.ts";
import { href } from "../page/address.ts";
import { may, type Right } from "../service/rights.ts";
import type { Tone } from "../words/statuses.ts";

interface AttentionWords {
  readonly name: string;
  readonly tone: Tone;
  /** The screen that mends it, or shows more of it. */
  readonly place?: {
    readonly words: string;
    /** Without the right it can only be looked at. */
    readonly needs?: { readonly right: Right; readonly else: string };
    readonly at: (subject: string) => string;
  };
}

const tab = (id: string) => () => href(["controls", id]);
const secrets = { words: "See secrets", at: () => href(["catalog", "setup"]) };

const WORDS: Readonly<Record<string, AttentionWords>> = {
  approvalWaiting: {
    name: "Waits for approval",
    tone: "warn",
    place: {
      words: "Decide it",
      needs: { right: "approveRun", else: "See what waits" },
      at: tab("approvals"),
    },
  },
  budgetNearlySpent: {
    name: "Budget nearly spent",
    tone: "warn",
    place: { words: "See budgets", at: tab("budgets") },
  },
  catalogProblem: {
    name: "Problem in a file",
    tone: "bad",
    place: { words: "See problems in files", at: () => href(["catalog", "problems"]) },
  },
  connectionFailing: {
    name: "Account fails",
    tone: "bad",
    place: { words: "See the provider", at: (provider) => href(["catalog", "providers", provider]) },
  },
  providerFailing: {
    name: "Provider fails",
    tone: "bad",
    place: {
      words: "See its runs",
      // Of every status: a run whose provider answered with an error is complete.
      at: (provider) => href(["runs"], { provider }),
    },
  },
  schedulePaused: {
    name: "Schedule paused",
    tone: "warn",
    place: { words: "See schedules", at: tab("schedules") },
  },
  secretFailing: {
    name: "Secret fails",
    tone: "bad",
    place: secrets,
  },
  secretMissing: {
    name: "Secret missing",
    tone: "warn",
    place: secrets,
  },
  webhookDisabled: {
    name: "Webhook disabled",
    tone: "bad",
    place: { words: "See webhooks", at: tab("webhooks") },
  },
  webhookFailing: {
    name: "Deliveries given up",
    tone: "bad",
    place: { words: "See webhooks", at: tab("webhooks") },
  },
};

/** How a kind is called; one that a newer service sends has its own name. */
export function attentionWords(kind: string): AttentionWords {
  return WORDS[kind] ?? { name: kind, tone: "warn" };
}

export interface AttentionLink {
  readonly words: string;
  readonly address: string;
}

/** The link of a card; none to a screen that the key may not open. */
export function attentionLink(
  { kind, subject }: Pick<Attention, "kind" | "subject">,
  open: ReadonlySet<string>,
): AttentionLink | undefined {
  const { place } = attentionWords(kind);
  if (place === undefined) return undefined;
  const address = place.at(subject);
  const screen = /^#\/([^/?]*)/.exec(address)?.[1] ?? "";
  if (!open.has(screen)) return undefined;
  return { words: place.needs === undefined || may(place.needs.right) ? place.words : place.needs.else, address };
}
