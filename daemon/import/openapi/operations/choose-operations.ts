import type { ImportChoices, SkippedOperation } from "../../conversion/imported-provider.ts";
import { METHODS, type OperationPlace } from "./api-operation.ts";
import { cleanLine } from "../../conversion/clean-text.ts";
import { operationId, shownPath, tagsOf, whyLeftOut } from "./list-operations.ts";
import { textOf } from "../../conversion/members.ts";

/**
 * Without a filter at most this many operations are imported: one import of 805 tools filled a model's context with
 * their names.
 */
export const MOST_WITHOUT_CHOICE = 50;
const MOST_TAGS_NAMED = 20;

export interface ChosenOperations {
  /** In the document's order. */
  readonly chosen: readonly OperationPlace[];
  readonly skipped: readonly SkippedOperation[];
  readonly notes: readonly string[];
}

/**
 * Selects the operations that become endpoints. Those excluded by their author: never. With a filter: what it names.
 * Without one and without `allOperations`: at most 50, in this order: GET, POST, PUT, PATCH, DELETE, HEAD; within a
 * method those with a description, then those with a summary, then the rest; within these the document's order.
 */
export function chooseOperations(operations: readonly OperationPlace[], choices: ImportChoices): ChosenOperations {
  const skipped: SkippedOperation[] = [];
  const wanted = operations.filter((place) => {
    const why = isNamed(place, choices) ? undefined : (whyLeftOut(place) ?? whyNotChosen(place, choices));
    if (why !== undefined) skipped.push({ operation: `${place.method} ${shownPath(place.path)}`, why });
    return why === undefined;
  });
  const hasFilter = choices.includeTags.length > 0 || choices.includeOperations.length > 0;
  if (choices.allOperations || hasFilter || wanted.length <= MOST_WITHOUT_CHOICE) {
    return { chosen: wanted, skipped, notes: unknownNames(operations, choices) };
  }
  const first = new Set([...wanted].sort((one, other) => rank(one) - rank(other)).slice(0, MOST_WITHOUT_CHOICE));
  for (const place of wanted) {
    if (first.has(place)) continue;
    const why = `only ${MOST_WITHOUT_CHOICE} operations are taken without a choice; use --include-tag, --include or --all-operations`;
    skipped.push({ operation: `${place.method} ${shownPath(place.path)}`, why });
  }
  return { chosen: wanted.filter((place) => first.has(place)), skipped, notes: [explainCap(wanted)] };
}

function isNamed(place: OperationPlace, { includeOperations }: ImportChoices): boolean {
  const id = operationId(place);
  return includeOperations.some((wanted) => wanted === id || isSamePlace(wanted, place));
}

function isSamePlace(wanted: string, { method, path }: OperationPlace): boolean {
  const [word = "", ...rest] = wanted.trim().split(/\s+/);
  return word.toUpperCase() === method && rest.join(" ") === path;
}

function whyNotChosen(place: OperationPlace, { includeTags, includeOperations }: ImportChoices): string | undefined {
  if (includeTags.length === 0) return includeOperations.length === 0 ? undefined : "--include does not name it";
  const wanted = new Set(includeTags.map((tag) => tag.toLowerCase()));
  return tagsOf(place).some((tag) => wanted.has(tag.toLowerCase())) ? undefined : "it has none of the chosen tags";
}

function unknownNames(operations: readonly OperationPlace[], choices: ImportChoices): string[] {
  const tags = new Set(operations.flatMap(tagsOf).map((tag) => tag.toLowerCase()));
  const unknownTags = choices.includeTags.filter((tag) => !tags.has(tag.toLowerCase()));
  const unknownOperations = choices.includeOperations.filter(
    (wanted) => !operations.some((place) => wanted === operationId(place) || isSamePlace(wanted, place)),
  );
  return [
    ...unknownTags.map((tag) => `no operation has the tag ${JSON.stringify(tag)}; ${nameTags(operations)}`),
    ...unknownOperations.map((wanted) => `no operation is ${JSON.stringify(wanted)}`),
  ];
}

function rank(place: OperationPlace): number {
  const isDescribed = (textOf(place.operation, "description") ?? "").trim() !== "";
  const hasSummary = (textOf(place.operation, "summary") ?? "").trim() !== "";
  return METHODS.indexOf(place.method) * 3 + (isDescribed ? 0 : hasSummary ? 1 : 2);
}

function explainCap(wanted: readonly OperationPlace[]): string {
  return (
    `${MOST_WITHOUT_CHOICE} of ${wanted.length} operations were taken, reading ones first; ` +
    `all of them: --all-operations; a part: --include-tag; ${nameTags(wanted)}`
  );
}

function nameTags(operations: readonly OperationPlace[]): string {
  const counts = new Map<string, number>();
  for (const tag of operations.flatMap(tagsOf)) counts.set(tag, (counts.get(tag) ?? 0) + 1);
  if (counts.size === 0) return "the document has no tags";
  const named = [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, MOST_TAGS_NAMED)
    .map(([tag, count]) => `${cleanLine(tag, 40)} (${count})`);
  const more = counts.size > named.length ? `, and ${counts.size - named.length} more` : "";
  return `its tags: ${named.join(", ")}${more}`;
}
