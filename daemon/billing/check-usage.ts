import { parseExtractor } from "../manifest/extract.ts";
import { readInputFacts } from "./input-facts.ts";
import type { ManifestPrice, ManifestRule } from "../manifest/manifest-price.ts";
import type { ExtractorText, PriceProblem, PriceSurroundings, QuantityText } from "./price-problem.ts";

/**
 * docs/manifest.md, "Known maximum": the quantity of a price must be measured after the call (`usage.count`,
 * `usage.units`), and its maximum must be known before the call (`usage.estimate.max`).
 */
export function checkUsage(price: ManifestPrice, { usage, overrun, input }: PriceSurroundings): PriceProblem[] {
  const problems: PriceProblem[] = [];
  const counted = countedByUsage(price);
  if (counted.has("count") && usage?.count === undefined) {
    problems.push(missing("count", "PER_RESULT charges by the result", "$.items"));
  }
  if (counted.has("units") && usage?.units === undefined) {
    problems.push(missing("units", "PER_UNIT charges by the unit", "$.usage.tokens"));
  }
  if (counted.size === 0) return problems;

  const max = usage?.estimate?.max;
  if (max === undefined) {
    problems.push({
      path: ["usage", "estimate", "max"],
      rule: "price-maximum",
      message:
        "the price depends on a count, so the maximum cost of a run must be known before it starts: set usage.estimate.max " +
        'to an input that has a maximum (input:body.limit), a number, or a list that is multiplied (docs/manifest.md, "Known maximum")',
    });
    return problems;
  }
  problems.push(...checkLimited(max, { name: "usage.estimate.max", path: ["usage", "estimate", "max"], input }));
  if (overrun === undefined || overrun === "operator") return problems;
  const bound = overrun.caller;
  problems.push(...checkLimited(bound, { name: "overrun.caller", path: ["overrun", "caller"], input }));
  if (typeof bound === "number" && typeof max === "number" && bound < max) {
    problems.push({
      path: ["overrun", "caller"],
      rule: "price-maximum",
      message: `the caller's bound (${bound}) is below usage.estimate.max (${max}), which a run may reach without an overrun: set at least that`,
    });
  }
  return problems;
}

/** Whether a quantity that a hold is priced with is known before the call, and has a limit. */
function checkLimited(
  quantity: QuantityText,
  { name, path, input }: { name: string; path: PriceProblem["path"]; input: PriceSurroundings["input"] },
): PriceProblem[] {
  return toList(quantity).flatMap((factor, index): PriceProblem[] => {
    const why = whyUnlimited(name, factor, input);
    const at = Array.isArray(quantity) ? [index] : [];
    return why === undefined
      ? []
      : [{ path: [...path, ...at], rule: "price-maximum", message: `${why} (docs/manifest.md, "Known maximum")` }];
  });
}

/** Which measured quantities a price needs, `answer` for a tier that counts something in the answer itself. */
function countedByUsage(price: ManifestPrice): ReadonlySet<"count" | "units" | "answer"> {
  const counted = new Set<"count" | "units" | "answer">();
  const add = (rule: ManifestRule) => {
    if (rule.type === "PER_RESULT") counted.add("count");
    if (rule.type === "PER_UNIT") counted.add("units");
  };
  switch (price.type) {
    case "BY_PERIOD":
      break;
    case "PER_UNIT_MATRIX":
      if (price.default !== undefined) add(price.default);
      for (const variant of price.variants) add(variant.price);
      break;
    case "TIERED":
      add(price.default);
      for (const { selector, price: rule } of price.tiers) {
        if (selector === undefined) add(rule);
        else if (selector.in === "output") counted.add("answer");
      }
      break;
    default:
      add(price);
  }
  return counted;
}

/** Why the maximum of an extractor is not known before the call; undefined if it is known. */
function whyUnlimited(name: string, text: ExtractorText, input: PriceSurroundings["input"]): string | undefined {
  const extractor = parseExtractor(text);
  // The catalog reports extractors that do not parse.
  if (!extractor.ok) return undefined;
  if (extractor.value.kind === "number") {
    return extractor.value.value >= 0 ? undefined : `${name} cannot be negative`;
  }
  if (extractor.value.kind !== "input") {
    return `${name} is needed before the call, when ${text} is not known: use an input or a number`;
  }
  const { section, path } = extractor.value;
  const facts = readInputFacts(input[section], path);
  if (!facts.mayExist) return `${name} reads ${section}.${path.join(".")}, which the input does not have`;
  if (facts.limited) return undefined;
  return (
    `${name} reads ${section}.${path.join(".")}, which has no upper limit: ` +
    "give it a maximum (maxItems for a list, maxLength for a text)"
  );
}

function missing(measure: "count" | "units", why: string, example: string): PriceProblem {
  return {
    path: ["usage", measure],
    rule: "price-maximum",
    message: `${why}, so usage.${measure} must say where the response has their number, such as ${example} (docs/manifest.md, "Known maximum")`,
  };
}

function toList(value: QuantityText): readonly ExtractorText[] {
  return typeof value === "string" || typeof value === "number" ? [value] : value;
}
