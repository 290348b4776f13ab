import type { DocumentPath } from "../../manifest/document-path.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";

/** Prefixes that well-known services use for their keys. */
const KEY_PREFIXES =
  /(?:^|[^A-Za-z0-9])(?:sk[-_](?:live|test|proj|ant|or)?[-_]?[A-Za-z0-9]{12,}|[pr]k_(?:live|test)_[A-Za-z0-9]{8,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|xox[abeprs]-[\w-]{10,}|A(?:KIA|SIA)[A-Z0-9]{16}|AIza[\w-]{30,}|ya29\.[\w-]{20,}|eyJ[\w-]{10,}\.[\w-]{4,}|glpat-[\w-]{16,}|hf_[A-Za-z0-9]{20,}|npm_[A-Za-z0-9]{30,}|SG\.[\w-]{16,}|key-[a-f0-9]{24,}|(?:mkt|monid)_[a-z]+_[A-Za-z0-9]{20,})/;
const LONG_WORD = /[A-Za-z0-9_\-+/=.~]{24,}/g;
/** Headers, parameters and fields that contain only a key. */
const KEY_NAMES =
  /^(?:authorization|proxy-authorization|cookie|(?:x-)?(?:api|app|auth|access|secret|subscription|ocp-apim-subscription)[-_]?(?:key|token|secret|id)|token|password|passwd|secret|client[-_]?secret|apikey|appid)$/i;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LEAST_KEY_LENGTH = 12;

const MENDING =
  'keys never stand in a file: declare it under secrets with the environment variable that holds it, and write "${secret.<name>}"';

/**
 * Refuses a literal that looks like a key. `isKeyPlace`: only a key belongs here. docs/manifest.md, "No keys in files".
 */
export function checkLiteral(problems: ProblemList, path: DocumentPath, text: string, isKeyPlace = false): void {
  const literal = text.replaceAll(/\$\{[^}]*\}/g, " ");
  const nothingElse = isKeyPlace && literal.trim() === text.trim();
  if (looksLikeKey(literal) || (nothingElse && literal.trim().length >= LEAST_KEY_LENGTH)) {
    problems.report(path, "literal-secret", `this looks like a key; ${MENDING}`);
  }
}

/** The same for every text inside a value; the name of a member says whether it is meant for keys. */
export function checkLiteralsIn(problems: ProblemList, path: DocumentPath, value: unknown): void {
  if (typeof value === "string") {
    const name = path.at(-1);
    checkLiteral(problems, path, value, typeof name === "string" && KEY_NAMES.test(name));
  } else if (Array.isArray(value)) {
    value.forEach((item, index) => checkLiteralsIn(problems, [...path, index], item));
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) checkLiteralsIn(problems, [...path, name], member);
  }
}

function looksLikeKey(text: string): boolean {
  if (KEY_PREFIXES.test(text)) return true;
  if (/:\/\/[^/@\s]+:[^/@\s]+@/.test(text)) return true;
  return (text.match(LONG_WORD) ?? []).some(isRandomLooking);
}

/** Letters and digits mixed as in no word, path, date or identifier. A UUID is usually an identifier and not a key. */
function isRandomLooking(word: string): boolean {
  if (UUID.test(word)) return false;
  const core = word.replaceAll(/[^A-Za-z0-9]/g, "");
  if (core.length < 24) return false;
  if (/^(?=.*[0-9])(?=.*[a-f])[0-9a-f]{32,}$/i.test(core)) return true;
  const changes = core.match(/[0-9](?=[A-Za-z])|[A-Za-z](?=[0-9])/g)?.length ?? 0;
  return changes >= 4 && changes / core.length > 0.13;
}
