import { memberOf } from "../../../../shared/member-of.ts";
import { posix } from "node:path";
import { removeControls } from "../../conversion/clean-text.ts";
import type { Description } from "../../documents/description.ts";
import { childrenOf } from "./document-walk.ts";
import type { ConversionMeter } from "../../conversion/conversion-meter.ts";
import { isRecord } from "../../../../shared/is-record.ts";
import { textOf } from "../../conversion/members.ts";

/** A part of a document, and its file: relative references start there. `""`: the document itself. */
export interface Located {
  readonly value: unknown;
  readonly file: string;
}

/** A reference without a readable target: the reference, and why. */
export class UnusableReference extends Error {
  override readonly name = "UnusableReference";
}

const MAX_HOPS = 50;

/**
 * Follows references within one document and the files that were read with it. Has no access to the network or the
 * disk: a reference to anything else is unusable.
 */
export class ReferenceResolver {
  readonly #description: Description;
  readonly #meter: ConversionMeter;
  readonly #named = new Map<string, ReadonlyMap<string, unknown>>();

  constructor(description: Description, meter: ConversionMeter) {
    this.#description = description;
    this.#meter = meter;
  }

  /** The part itself, or the final target of its `$ref`. Throws UnusableReference. */
  follow(located: Located): Located {
    let here = located;
    for (let hops = 0; ; hops += 1) {
      const ref = textOf(here.value, "$ref");
      if (ref === undefined) return here;
      if (hops === MAX_HOPS) throw new UnusableReference(`${show(ref)} leads back to itself`);
      here = this.target(ref, here.file);
    }
  }

  /** As `follow`, with the members beside the reference overriding those of its target. */
  followWithSiblings(located: Located): Located {
    const target = this.follow(located);
    if (target.value === located.value || !isRecord(target.value) || !isRecord(located.value)) return target;
    const { $ref: _, ...siblings } = located.value;
    return { value: { ...target.value, ...siblings }, file: target.file };
  }

  /** The direct target of a reference. Throws UnusableReference. */
  target(ref: string, from: string): Located {
    this.#meter.spend(1);
    const refused = this.#description.refused.get(ref);
    if (refused !== undefined) throw new UnusableReference(`${show(ref)} is not followed: ${refused}`);
    const hash = ref.indexOf("#");
    const address = hash < 0 ? ref : ref.slice(0, hash);
    const fragment = hash < 0 ? "" : ref.slice(hash + 1);
    const file = this.#fileOf(address, from, ref);
    if (typeof file !== "string") return file;
    const root = file === "" ? this.#description.value : this.#description.siblings.get(file);
    if (fragment === "") return { value: root, file };
    const value = fragment.startsWith("/")
      ? readPointer(root, fragment)
      : this.#namesIn(file, root).get(`#${fragment}`);
    if (value === undefined) throw new UnusableReference(`there is nothing at ${show(ref)}`);
    return { value, file };
  }

  /** The target of a `$dynamicRef` or `$recursiveRef` when nothing outside overrides it. */
  dynamicTarget(ref: string, from: string): Located {
    return this.target(ref, from);
  }

  /** The file of an address, or the part of this document that has the address as its id. */
  #fileOf(address: string, from: string, ref: string): string | Located {
    if (address === "") return from;
    const { value, ref: own } = this.#description;
    if (address === own || address === textOf(value, "$self") || address === textOf(value, "$id")) return "";
    const named = this.#namesIn("", value).get(address);
    if (named !== undefined) return { value: named, file: "" };
    const refused = this.#description.refused.get(address);
    if (refused !== undefined) throw new UnusableReference(`${show(ref)} is not followed: ${refused}`);
    if (/^[a-z][a-z0-9+.-]*:/i.test(address)) {
      throw new UnusableReference(`${show(ref)} is an address, and addresses in documents are never fetched`);
    }
    const file = posix.normalize(posix.join(posix.dirname(from), decode(address)));
    if (this.#description.siblings.has(file)) return file;
    if (file === lastSegment(own)) return "";
    throw new UnusableReference(`${show(ref)} is a file that was not read`);
  }

  /** Anchors (`#name`) and ids of one file; collected at the first reference by name. */
  #namesIn(file: string, root: unknown): ReadonlyMap<string, unknown> {
    const before = this.#named.get(file);
    if (before !== undefined) return before;
    const named = new Map<string, unknown>();
    const open: unknown[] = [root];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      this.#meter.spend(1);
      for (const [word, prefix] of [
        ["$anchor", "#"],
        ["$dynamicAnchor", "#"],
        ["$id", ""],
      ] as const) {
        const name = textOf(next, word);
        if (name !== undefined && next !== root && !named.has(prefix + name)) named.set(prefix + name, next);
      }
      for (const child of childrenOf(next)) open.push(child);
    }
    this.#named.set(file, named);
    return named;
  }
}

/** The value at a JSON pointer (RFC 6901, as a fragment); undefined when there is none. */
function readPointer(root: unknown, pointer: string): unknown {
  let value = root;
  for (const part of pointer.slice(1).split("/")) {
    const name = decode(part).replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d{0,8})$/.test(name) ? value[Number(name)] : undefined;
    else value = memberOf(value, name);
    if (value === undefined) return undefined;
  }
  return value;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function lastSegment(address: string): string {
  return address.slice(address.lastIndexOf("/") + 1);
}

function show(ref: string): string {
  const line = removeControls(ref);
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 120)}…` : line);
}
