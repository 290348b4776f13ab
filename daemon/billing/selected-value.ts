import type { Selector } from "../../shared/contract/price.ts";
import { valueAtDottedName } from "../../shared/value-at.ts";

/** Where selectors read: the input in composite form, and the provider's answer once there is one. */
export interface PricedValues {
  readonly input: {
    readonly body?: unknown;
    readonly queryParams?: unknown;
    readonly pathParams?: unknown;
  };
  /** The provider's whole decoded answer; absent before the call. */
  readonly output?: unknown;
}

/**
 * The value that a selector names; undefined when it is not there. A field that is spelled exactly like the key wins over
 * a dotted path, as query parameters such as `filter.name` exist. docs/contract.md, "Price selection".
 */
export function selectValue(selector: Selector, values: PricedValues): unknown {
  return valueAtDottedName(placeOf(selector, values), selector.key.split("."));
}

/** `body.depth`, as people write it in messages. */
export function selectorName(selector: Selector): string {
  const place = { body: "body", queryParam: "queryParams", pathParam: "pathParams", output: "output" }[selector.in];
  return `${place}.${selector.key}`;
}

/** Values are compared as text, so that 1 and "1" are the same; lists, objects and null equal nothing. */
export function equalsAsText(selected: unknown, wanted: string | number | boolean): boolean {
  return (
    (typeof selected === "string" || typeof selected === "number" || typeof selected === "boolean") &&
    String(selected) === String(wanted)
  );
}

function placeOf(selector: Selector, values: PricedValues): unknown {
  switch (selector.in) {
    case "body":
      return values.input.body;
    case "queryParam":
      return values.input.queryParams;
    case "pathParam":
      return values.input.pathParams;
    case "output":
      return values.output;
  }
}
