import * as zod from "zod";

/*
 * Stands in for zod in the built daemon. Of its 4,800 schemas a start uses a fifth; to make them all takes a twelfth of it, and
 * 4 MB for as long as it lives. docs/decisions/2026-11-28-schemas-are-made-when-used.md.
 */

type Call = (...args: readonly unknown[]) => unknown;

/** Methods of a schema that give another schema and ask nothing of this one. */
const DERIVING = namesIn(`
  and array catch catchall check default describe exactOptional extend int length loose max maxLength meta min minLength
  multipleOf nonempty nonnegative nullable nullish omit optional or partial pick pipe positive prefault readonly refine
  regex required strict superRefine transform trim`);

/** Functions of zod that make a schema of what they are given. */
const MAKING = namesIn(`
  any array boolean custom discriminatedUnion enum int intersection literal looseObject never null nullable number
  object optional partialRecord preprocess record strictObject string tuple undefined union unknown url`);

/** A schema that zod makes when something of it is asked for. */
class DeferredSchema {
  #make: (() => unknown) | undefined;
  #made: unknown;

  constructor(make: () => unknown) {
    this.#make = make;
  }

  static realOf(value: unknown): unknown {
    return typeof value === "object" && value !== null && #make in value ? value.#real() : value;
  }

  #real(): unknown {
    if (this.#make !== undefined) {
      this.#made = this.#make();
      this.#make = undefined;
    }
    return this.#made;
  }
}

/** With the schemas in it, in lists and plain objects too, as zod made them: it knows their metadata by the object. */
function real(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(real);
  if (typeof value !== "object" || value === null) return value;
  if (Object.getPrototypeOf(value) !== Object.prototype) return DeferredSchema.realOf(value);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, real(member)]));
}

function callReal(owner: unknown, name: string, args: readonly unknown[]): unknown {
  return (owner as Record<string, Call>)[name]?.(...args.map(real));
}

for (const name of DERIVING) {
  Object.defineProperty(DeferredSchema.prototype, name, {
    value(this: DeferredSchema, ...args: readonly unknown[]) {
      // It tells what is known of the schema.
      if (name === "meta" && args.length === 0) return callReal(DeferredSchema.realOf(this), name, args);
      return new DeferredSchema(() => callReal(DeferredSchema.realOf(this), name, args));
    },
  });
}
// Everything else is asked of the schema itself.
Object.setPrototypeOf(
  DeferredSchema.prototype,
  new Proxy(Object.prototype, {
    get: (_, name, asked: DeferredSchema) => (DeferredSchema.realOf(asked) as Record<PropertyKey, unknown>)[name],
  }),
);

/** `source` with those of its functions that make schemas making them later. */
function deferring<Source extends object>(source: Source, names: readonly string[]): Source {
  const deferred = names.map((name) => [
    name,
    (...args: unknown[]) => new DeferredSchema(() => callReal(source, name, args)),
  ]);
  return { ...source, ...Object.fromEntries(deferred) };
}

/** Zod's `z`. */
export const z = {
  ...deferring(zod.z, MAKING),
  iso: deferring(zod.z.iso, ["date", "datetime"]),
  coerce: deferring(zod.z.coerce, ["number"]),
  lazy: (get: () => unknown) => new DeferredSchema(() => zod.z.lazy(() => real(get()) as zod.ZodType)),
  toJSONSchema: (...args: readonly unknown[]) => callReal(zod.z, "toJSONSchema", args),
};

/** Zod's own. */
export const safeParse = (schema: zod.ZodType, value: unknown) => zod.safeParse(real(schema) as zod.ZodType, value);

function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
