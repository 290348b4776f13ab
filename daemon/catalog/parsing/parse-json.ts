import { errorText } from "../../../shared/error-text.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import {
  CATALOG_LIMITS,
  type CatalogText,
  checkKey,
  checkNumber,
  isForbiddenKey,
  type TextLimits,
  TextRefused,
  tooDeep,
} from "./catalog-text.ts";
import { jsonMembers } from "./json-members.ts";

/** Larger files are not read a second time for their line numbers. */
const MAX_CHARACTERS_WITH_LINES = 1024 * 1024;

/** JSON → plain data. Throws TextRefused. */
export function parseJson(text: string, limits = CATALOG_LIMITS): CatalogText {
  const value = parse(text);
  checkData(value, limits);
  for (const { name, isRepeated, offset, path } of jsonMembers(text)) {
    if (name === undefined) continue;
    if (limits.leaveOut !== undefined && isForbiddenKey(name)) limits.leaveOut(name, path());
    else if (isRepeated || isForbiddenKey(name)) checkKey(name, isRepeated, { offset, path: path() });
  }
  if (text.length > MAX_CHARACTERS_WITH_LINES) return { value, lineOf: () => undefined };
  let lines: ReadonlyMap<string, number> | undefined;
  return { value, lineOf: (path) => findLine((lines ??= linesOf(text)), path) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const reason = errorText(error);
    const position = /position (\d+)/.exec(reason)?.[1];
    throw new TextRefused("syntax", `This is not JSON: ${reason}.`, {
      ...(position !== undefined && { offset: Number(position) }),
    });
  }
}

/** Iterative, because the data may be deep. */
function checkData(root: unknown, limits: TextLimits): void {
  let nodes = 0;
  const open: { value: unknown; depth: number }[] = [{ value: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    nodes += 1;
    if (nodes > limits.maxNodes) {
      throw new TextRefused("size", `The file has more than ${limits.maxNodes} parts. Split it.`);
    }
    if (next.depth > limits.maxDepth) throw tooDeep(limits);
    checkNumber(next.value, {});
    if (typeof next.value !== "object" || next.value === null) continue;
    for (const [name, value] of Object.entries(next.value)) {
      if (limits.leaveOut !== undefined && isForbiddenKey(name)) Reflect.deleteProperty(next.value, name);
      else open.push({ value, depth: next.depth + 1 });
    }
  }
}

function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>();
  let line = 1;
  let counted = 0;
  for (const { offset, path } of jsonMembers(text)) {
    for (; counted < offset; counted += 1) if (text[counted] === "\n") line += 1;
    lines.set(keyOf(path()), line);
  }
  return lines;
}

function findLine(lines: ReadonlyMap<string, number>, path: DocumentPath): number | undefined {
  for (let length = path.length; length >= 0; length -= 1) {
    const line = lines.get(keyOf(path.slice(0, length)));
    if (line !== undefined) return line;
  }
  return undefined;
}

function keyOf(path: DocumentPath): string {
  return JSON.stringify(path.map(String));
}
