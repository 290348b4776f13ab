import type { DocumentPath } from "../../manifest/document-path.ts";

/** The whole text, a member of an object, or an item of a list, identified by its offset. */
export interface JsonMember {
  /** Absent for items, and for the whole. */
  readonly name?: string;
  /** The object has a member of this name already. */
  readonly isRepeated: boolean;
  /** In characters; for a member, the offset of its name. */
  readonly offset: number;
  /** Must be called before the next member is requested. */
  path(): DocumentPath;
}

interface Container {
  /** For an object; a list has none. */
  readonly names?: Set<string>;
  part: string | number;
}

/** Every member of a text that `JSON.parse` accepts, in order, with the offsets that `JSON.parse` discards. */
export function* jsonMembers(text: string): Generator<JsonMember> {
  const containers: Container[] = [];
  const path = () => containers.map(({ part }) => part);
  let isNameNext = false;
  let isValueNext = true;
  for (let offset = 0; offset < text.length; offset += 1) {
    const character = text[offset];
    if (character === " " || character === "\n" || character === "\r" || character === "\t") continue;
    if (isValueNext && character !== "]") yield { isRepeated: false, offset, path };
    isValueNext = false;
    const container = containers.at(-1);
    switch (character) {
      case "{":
        containers.push({ names: new Set(), part: "" });
        isNameNext = true;
        break;
      case "[":
        containers.push({ part: 0 });
        isValueNext = true;
        break;
      case "}":
      case "]":
        containers.pop();
        isNameNext = false;
        break;
      case ",":
        isNameNext = container?.names !== undefined;
        isValueNext = !isNameNext;
        if (typeof container?.part === "number") container.part += 1;
        break;
      case '"': {
        const end = endOfText(text, offset);
        if (isNameNext && container?.names !== undefined) {
          const name = JSON.parse(text.slice(offset, end)) as string;
          const isRepeated = container.names.has(name);
          container.names.add(name);
          container.part = name;
          yield { name, isRepeated, offset, path };
          isNameNext = false;
        }
        offset = end - 1;
        break;
      }
      default:
        break;
    }
  }
}

/** The offset after the closing quote of the string that begins at `begin`. */
function endOfText(text: string, begin: number): number {
  let at = begin + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at + 1;
}
