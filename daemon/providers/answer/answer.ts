import type { CatalogEntry } from "../../catalog/entries/catalog-entry.ts";
import { toldMessage, type Verdict } from "./error-rules.ts";
import type { ExtractScope } from "../../manifest/extract.ts";
import { countsUnitsOf } from "../../billing/rule-quantity.ts";
import { measure, measureEmpty } from "./measure.ts";
import type { Attempt, Measured, ProviderAnswer } from "../protocol/provider.ts";
import { readProvisioned } from "./read-resource.ts";
import type { Redactor } from "../../redaction/redact.ts";
import type { Exchange } from "../sending/send.ts";
import { shapeOutput } from "../../catalog/entries/shape-output.ts";

export interface AnswerFacts {
  readonly entry: CatalogEntry;
  readonly exchange: Exchange;
  readonly verdict: Verdict;
  /** The facts that extractors may read beside the answer itself. */
  readonly facts: ExtractScope;
  readonly redactor: Redactor;
  readonly attempts: readonly Attempt[];
  readonly notes?: readonly string[];
  /** What was measured on the pages of a list, of which `exchange` is the whole; absent: `exchange` is measured. */
  readonly measured?: Measured;
}

/** What counts on one page of a list. */
export function measurePage(entry: CatalogEntry, { empty }: Pick<Verdict, "empty">, scope: ExtractScope): Measured {
  if (empty) return measureEmpty(entry.usage, scope);
  return measure(entry.usage, scope, { byCharacter: countsUnitsOf(entry.price, "character") });
}

/** A provider's own error text is stored with the run up to this size; the message is always stored. */
const MAX_ERROR_BODY_CHARACTERS = 65_536;

/**
 * Converts an exchange to a run's answer: judged, measured, shaped, and with every secret removed. Pure except for the
 * redactor.
 */
export function toAnswer({
  entry,
  exchange,
  verdict,
  facts,
  redactor,
  attempts,
  notes: ownNotes = [],
  measured: measuredBefore,
}: AnswerFacts): ProviderAnswer {
  const notes = [...ownNotes, ...(exchange.notes ?? [])].map((note) => redactor.text(note));
  const scope: ExtractScope = { ...facts, ...exchange };
  const body = redactor.json(exchange.body);
  if (!verdict.success) {
    const message = toldMessage(verdict.message ?? `The provider answered ${verdict.httpStatus}`, redactor);
    const error = { status: verdict.httpStatus, message, ...(isSmall(body) && { body }) };
    const measured = readableOnly(measurePage(entry, { empty: false }, scope));
    return {
      kind: "answer",
      httpStatus: verdict.httpStatus,
      success: false,
      output: null,
      body,
      error,
      measured,
      notes,
      attempts,
    };
  }
  const shaped = shapeOutput(entry.output, body);
  const provisioned = readProvisioned(entry, scope, redactor);
  const isCut = shaped === undefined && !verdict.empty;
  return {
    kind: "answer",
    httpStatus: verdict.httpStatus,
    success: true,
    output: shaped ?? (verdict.empty ? [] : null),
    body,
    measured: measuredBefore ?? measurePage(entry, verdict, scope),
    notes: isCut ? [...notes, `The answer has no ${entry.output.select ?? "$"}, so there is no output`] : notes,
    attempts,
    ...(provisioned !== undefined && { provisioned }),
  };
}

/** An error answer usually has nothing to count; what it lacks is treated as absent, not as unreadable. */
function readableOnly(measured: Measured): Measured {
  return Object.fromEntries(Object.entries(measured).filter(([, value]) => !Number.isNaN(value)));
}

function isSmall(body: unknown): boolean {
  if (body === null || body === undefined) return false;
  return (JSON.stringify(body)?.length ?? 0) <= MAX_ERROR_BODY_CHARACTERS;
}
