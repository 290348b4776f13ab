import type { Tone } from "../words/statuses.ts";

interface AttentionWords {
  readonly name: string;
  readonly tone: Tone;
}

const WORDS: Readonly<Record<string, AttentionWords>> = {
  approvalWaiting: { name: "Waits for approval", tone: "warn" },
  budgetNearlySpent: { name: "Budget nearly spent", tone: "warn" },
  catalogProblem: { name: "Problem in a file", tone: "bad" },
  connectionFailing: { name: "Account fails", tone: "bad" },
  providerFailing: { name: "Provider fails", tone: "bad" },
  schedulePaused: { name: "Schedule paused", tone: "warn" },
  secretFailing: { name: "Secret fails", tone: "bad" },
  secretMissing: { name: "Secret missing", tone: "warn" },
  webhookDisabled: { name: "Webhook disabled", tone: "bad" },
};

/** How a kind is called; one that a newer service sends has its own name. */
export function attentionWords(kind: string): AttentionWords {
  return WORDS[kind] ?? { name: kind, tone: "warn" };
}
