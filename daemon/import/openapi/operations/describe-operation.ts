import { memberOf } from "../../../../shared/member-of.ts";
import type { ApiAnswer, OperationPlace } from "./api-operation.ts";
import { cleanLine, cleanText } from "../../conversion/clean-text.ts";
import { operationId, shownPath, tagsOf } from "./list-operations.ts";
import { listOf, textOf } from "../../conversion/members.ts";
import { webAddress } from "../../conversion/web-address.ts";

const MAX_NAME = 80;
const MAX_DESCRIPTION = 2_000;
const MAX_TAGS = 8;
const MAX_ASKS = 20;
/** Descriptions of answers without any information. */
const EMPTY_WORDS =
  /^(?:ok|okay|success(?:ful)?|done|created|accepted|no content|default(?: response)?|200|2xx|response|(?:a )?success(?:ful)? (?:response|operation|request)|operation (?:was )?success(?:ful)?|request (?:was )?success(?:ful)?|no (?:response|description|summary|content|documentation)(?: (?:was|is))?(?: (?:specified|available|provided|given|returned))?|(?:not |un)?(?:documented|specified|available|implemented)|n\/?a|none|null|undefined|string|to ?do|tbd|description|response (?:body|object|description)|the (?:request|operation) (?:was|has) succe\w+)\.?$/i;

/** The display name of an operation: its summary, otherwise its operationId in words, otherwise method and path. */
export function displayNameOf(place: OperationPlace): string {
  const { operation, item, method, path } = place;
  const own =
    textOf(operation, "x-mkt-name") ?? textOf(operation, "x-cli-name") ?? textOf(operation, "x-kong-mcp-tool-name");
  const summary = memberOf(operation, "summary");
  const name = cleanLine(own, MAX_NAME) || nameIn(summary);
  if (name !== "") return name.replace(/(?<=[^.])\.$/, "");
  const id = spacedWords(operationId(place) ?? "");
  if (id !== "") return id;
  return nameIn(memberOf(item, "summary")) || cleanLine(summary, MAX_NAME) || nameOfPath(method, path);
}

/** A text as a name if it is short enough, otherwise its first sentence if that is; never cut. */
function nameIn(value: unknown): string {
  const text = cleanLine(value, MAX_DESCRIPTION);
  if (EMPTY_WORDS.test(text)) return "";
  if (text.length <= MAX_NAME) return text;
  const first = firstSentences(text, MAX_NAME);
  return first === undefined ? "" : first;
}

/** As many whole sentences as fit; undefined when the first is too long. */
function firstSentences(text: string, most: number): string | undefined {
  if (text.length <= most) return text;
  const end = text.slice(0, most).search(/[.!?](?=\s)(?![\s\S]*[.!?]\s)/);
  return end < 0 ? undefined : text.slice(0, end + 1);
}

const VERBS = {
  GET: "Get",
  HEAD: "Check",
  POST: "Post to",
  PUT: "Replace",
  PATCH: "Update",
  DELETE: "Delete",
} as const;

/** `GET /users/{id}/posts` → `Get users posts by id`, for operations without a name. */
function nameOfPath(method: OperationPlace["method"], path: string): string {
  const segments = shownPath(path).split(/[?#]/, 1)[0]?.split("/") ?? [];
  const fixed = segments.filter((segment) => segment !== "" && !segment.includes("{") && !/^v\d+$/i.test(segment));
  const named = [...shownPath(path).matchAll(/\{([^{}]{1,40})\}/g)].map(([, inside = ""]) => inside);
  const what = spacedWords(fixed.join(" ")).toLowerCase();
  const by = named.length === 0 ? "" : ` by ${spacedWords(named.join(" and ")).toLowerCase()}`;
  return cleanLine(`${VERBS[method]} ${what === "" ? "all" : what}${by}`, MAX_NAME);
}

/** `getPetById` → `Get pet by id`. */
function spacedWords(name: string): string {
  const spaced = cleanLine(name, MAX_NAME * 2)
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .slice(0, MAX_NAME);
  const lowered = spaced.replaceAll(/\b[A-Z][a-z]+/g, (word) => word.toLowerCase());
  return lowered === "" ? "" : `${lowered[0]?.toUpperCase() ?? ""}${lowered.slice(1)}`;
}

/** What an operation does and what its answer contains: people and agents search in this text. */
export function descriptionOf(place: OperationPlace, answer: ApiAnswer | undefined, fields: readonly string[]): string {
  const { operation, item } = place;
  const own = cleanText(memberOf(operation, "x-mkt-description"), MAX_DESCRIPTION);
  if (own !== "") return own;
  const words =
    [memberOf(operation, "description"), memberOf(operation, "summary"), memberOf(item, "description")]
      .map((text) => cleanText(text, MAX_DESCRIPTION - 400))
      .find((text) => text !== "" && !EMPTY_WORDS.test(text)) ?? "";
  const answered = firstSentences(cleanLine(answer?.description, 1_000), 200) ?? "";
  const isTold = answered === "" || EMPTY_WORDS.test(answered) || words.toLowerCase().includes(answered.toLowerCase());
  const parts = [
    ...(words === "" ? [] : [words]),
    ...(isTold ? [] : [`Answer: ${withStop(answered)}`]),
    ...(fields.length === 0 ? [] : [`Fields of the answer: ${fields.join(", ")}.`]),
  ];
  return parts.map((part, index) => (index < parts.length - 1 ? withStop(part) : part)).join(" ");
}

function withStop(text: string): string {
  return /[.!?…:]$/.test(text) ? text : `${text}.`;
}

export function tagsFor(place: OperationPlace): string[] {
  const tags = tagsOf(place).map((tag) => cleanLine(tag, 40));
  return [...new Set(tags)].filter((tag) => tag !== "").slice(0, MAX_TAGS);
}

/** The documentation page, if the document names one that is a web address. */
export function docUrlOf(value: unknown): string | undefined {
  return webAddress(textOf(memberOf(value, "externalDocs"), "url"));
}

/** Questions that an operation answers, as its author wrote them in `x-mkt-asks`; never invented. */
export function asksOf({ operation }: OperationPlace): string[] {
  const asks = listOf(operation, "x-mkt-asks").map((ask) => cleanLine(ask, 200));
  return asks.filter((ask) => ask !== "").slice(0, MAX_ASKS);
}
