/** Where a request says `@@runId:7@@` stands, once it is sent, the seventh run that its sender knows; it counts round again. */
const PLACE = /@@(foreign-)?(\w+):(\d+)@@/g;

/** What stands there while there is none yet: a form that ids have, of nothing. */
const NOBODY = "01JD0000000000000000000000";

/** Remembered of each kind; older ones go first, so that ids of every age are there. */
const MAX_KNOWN = 400;

export function idOf(kind: IdKind, nth: number): string {
  return `@@${kind}:${nth}@@`;
}

export function foreignIdOf(kind: IdKind, nth: number): string {
  return `@@foreign-${kind}:${nth}@@`;
}

export type IdKind =
  | "budgetControlId"
  | `cursor_${string}`
  | "key"
  | "label"
  | "resourceId"
  | "externalId"
  | "runCapControlId"
  | "runId"
  | "userId"
  | "webhookId"
  | "windowStart"
  | "workspaceId";

/** Names of members whose values are remembered, and as what. */
const kinds: Readonly<Record<string, IdKind>> = {
  budgetControlId: "budgetControlId",
  controlId: "budgetControlId",
  runCapControlId: "runCapControlId",
  externalId: "externalId",
  identifier: "externalId",
  key: "key",
  resourceId: "resourceId",
  runId: "runId",
  userId: "userId",
  webhookId: "webhookId",
  windowStart: "windowStart",
  workspaceId: "workspaceId",
};

function kindOf(name: string, operationId: string): IdKind | undefined {
  // A cursor means something to its own list alone; labels are also what prices call their tiers.
  if (name === "cursor") return `cursor_${operationId}`;
  if (name === "label") return /ApiKey/.test(operationId) ? "label" : undefined;
  return Object.hasOwn(kinds, name) ? kinds[name] : undefined;
}

/** Ids out of earlier answers, by the workspace that they were answered to: with them sequences of requests get deep. */
export class KnownIds {
  readonly #byHome = new Map<string, Map<IdKind, string[]>>();
  readonly #spared: ReadonlySet<string>;

  /** `spared` are never named by a request: without them there would be nobody left to ask. */
  constructor(spared: Iterable<string>) {
    this.#spared = new Set(spared);
  }

  /** Takes every id that an answer of the operation holds. */
  learn(home: string, operationId: string, answer: unknown): void {
    if (typeof answer !== "object" || answer === null) return;
    for (const [name, value] of Object.entries(answer)) {
      const kind = Array.isArray(answer) ? undefined : kindOf(name, operationId);
      if (kind !== undefined && typeof value === "string") this.add(home, kind, value);
      else this.learn(home, operationId, value);
    }
  }

  add(home: string, kind: IdKind, value: string): void {
    if (this.#spared.has(value) || value === "") return;
    const known = this.#of(home, kind);
    if (known.includes(value)) return;
    known.push(value);
    if (known.length > MAX_KNOWN) known.splice(Math.floor(known.length / 2), 1);
  }

  /** The text with ids in its places, each written as `spell` has it. */
  fill(home: string, text: string, spell: (id: string) => string = (id) => id): string {
    return text.replaceAll(PLACE, (_all, foreign: string | undefined, kind: IdKind, nth: string) => {
      const known = foreign === undefined ? this.#of(home, kind) : this.#foreign(home, kind);
      return spell(known[Number(nth) % known.length] ?? NOBODY);
    });
  }

  #foreign(home: string, kind: IdKind): string[] {
    return [...this.#byHome.keys()].filter((other) => other !== home).flatMap((other) => this.#of(other, kind));
  }

  #of(home: string, kind: IdKind): string[] {
    const kindsOfHome = this.#byHome.get(home) ?? new Map<IdKind, string[]>();
    this.#byHome.set(home, kindsOfHome);
    const known = kindsOfHome.get(kind) ?? [];
    kindsOfHome.set(kind, known);
    return known;
  }
}
