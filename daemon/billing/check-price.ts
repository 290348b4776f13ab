import { checkUsage } from "./check-usage.ts";
import { readInputFacts, type InputFacts } from "./input-facts.ts";
import type { ManifestPrice } from "../manifest/manifest-price.ts";
import { applyMarkup, type Markup } from "./markup.ts";
import { PriceError } from "./price-error.ts";
import type { PriceProblem, PriceSurroundings } from "./price-problem.ts";
import { tierSelectors } from "./price-selection.ts";
import { equalsAsText, selectorName } from "./selected-value.ts";

type MatrixPrice = Extract<ManifestPrice, { type: "PER_UNIT_MATRIX" }>;
type TieredPrice = Extract<ManifestPrice, { type: "TIERED" }>;
type ManifestSelector = MatrixPrice["selectors"][number];
type When = MatrixPrice["variants"][number]["when"];

/**
 * What must hold at load so that every run can be priced: a matrix covers its selectors' values or has a default
 * (docs/manifest.md, "Price coverage"), what is counted is measured and limited ("Known maximum"), selectors read what the input
 * has, and the markup goes with the price. Empty when all is well.
 */
export function checkPrice(price: ManifestPrice, surroundings: PriceSurroundings): PriceProblem[] {
  const problems = [...checkUsage(price, surroundings), ...checkMarkup(price, surroundings.markup)];
  if (price.type === "PER_UNIT_MATRIX") problems.push(...checkMatrix(price, surroundings));
  if (price.type === "TIERED") problems.push(...checkTiers(price, surroundings));
  return problems;
}

/** That the markup goes with the price. Empty when it does. */
export function checkMarkup(price: ManifestPrice, markup: Markup | undefined): PriceProblem[] {
  try {
    applyMarkup(price, markup);
    return [];
  } catch (error) {
    if (!(error instanceof PriceError)) throw error;
    return [{ path: ["price"], rule: "markup", message: error.message }];
  }
}

function checkMatrix(price: MatrixPrice, surroundings: PriceSurroundings): PriceProblem[] {
  const path = ["price", "variants"] as const;
  const problems = checkSelectors(price.selectors, surroundings);
  price.variants.forEach(({ when }, index) => {
    problems.push(...checkWhen(when, price.selectors, surroundings, [...path, index, "when"]));
    const earlier = price.variants.slice(0, index).findIndex((other) => includes(when, other.when));
    if (earlier >= 0) {
      problems.push({
        path: [...path, index, "when"],
        rule: "price",
        message: `variant ${index + 1} can never be chosen: variant ${earlier + 1} matches first whenever it does; put the narrower one first, or remove it`,
      });
    }
  });
  return problems.length === 0 ? checkCoverage(price, surroundings) : problems;
}

/** A matrix with more combinations than this must have a default. */
const MAX_COMBINATIONS = 10_000;

function checkCoverage(price: MatrixPrice, surroundings: PriceSurroundings): PriceProblem[] {
  if (price.default !== undefined) return [];
  let combinations: (readonly [key: string, value: unknown])[][] = [[]];
  for (const selector of price.selectors) {
    const { values } = factsOf(selector, surroundings);
    if (values === undefined) return uncovered(`the values of ${selectorName(selector)} are not listed anywhere`);
    combinations = combinations.flatMap((row) => values.map((value) => [...row, [selector.key, value] as const]));
    if (combinations.length > MAX_COMBINATIONS) return uncovered("the selectors have too many combinations to check");
  }
  const missed = combinations.find((row) => {
    const selected = new Map(row);
    return !price.variants.some(({ when }) =>
      Object.entries(when).every(([key, wanted]) => equalsAsText(selected.get(key), wanted)),
    );
  });
  if (missed === undefined) return [];
  return uncovered(`no variant has a price for ${missed.map(([key, value]) => `${key} = ${show(value)}`).join(", ")}`);
}

function uncovered(why: string): PriceProblem[] {
  const message = `${why}: give the matrix a default, or a variant for every value (docs/manifest.md, "Price coverage")`;
  return [{ path: ["price"], rule: "price-coverage", message }];
}

function checkTiers(price: TieredPrice, surroundings: PriceSurroundings): PriceProblem[] {
  const problems = checkSelectors(price.selectors ?? [], surroundings);
  price.tiers.forEach(({ when, selector, price: rule }, index) => {
    const path = ["price", "tiers", index];
    problems.push(...checkWhen(when ?? {}, tierSelectors(price, { selector }), surroundings, [...path, "when"]));
    if (selector === undefined) return;
    problems.push(...checkSelector(selector, surroundings, [...path, "selector"]));
    if (rule.type !== "PER_UNIT" && rule.type !== "PER_RESULT") {
      problems.push({
        path: [...path, "price"],
        rule: "price-selector",
        message: `the tier counts ${selectorName(selector)}, but ${rule.type} counts nothing: use PER_UNIT or PER_RESULT, or leave the selector out`,
      });
    }
  });
  return problems;
}

function checkSelectors(selectors: readonly ManifestSelector[], surroundings: PriceSurroundings): PriceProblem[] {
  return selectors.flatMap((selector, index) => {
    const path = ["price", "selectors", index];
    const twice = selectors.findIndex(({ key }) => key === selector.key) < index;
    return [
      ...checkSelector(selector, surroundings, path),
      ...(twice
        ? [
            {
              path,
              rule: "price-selector" as const,
              message: `two selectors have the key ${selector.key}, so "when" could mean either: keep one`,
            },
          ]
        : []),
    ];
  });
}

function checkSelector(
  selector: ManifestSelector,
  surroundings: PriceSurroundings,
  path: PriceProblem["path"],
): PriceProblem[] {
  if (factsOf(selector, surroundings).mayExist) return [];
  return [
    {
      path: [...path, "key"],
      rule: "price-selector",
      message: `the price reads ${selectorName(selector)}, which the endpoint's input does not have: declare it under input, or correct key or in`,
    },
  ];
}

function checkWhen(
  when: When,
  selectors: readonly ManifestSelector[],
  surroundings: PriceSurroundings,
  path: PriceProblem["path"],
): PriceProblem[] {
  return Object.entries(when).flatMap(([key, wanted]): PriceProblem[] => {
    const selector = selectors.find((candidate) => candidate.key === key);
    if (selector === undefined) {
      const message = `"when" names ${key}, which no selector reads: add it to price.selectors`;
      return [{ path: [...path, key], rule: "price-selector", message }];
    }
    const { values } = factsOf(selector, surroundings);
    if (values === undefined || values.some((value) => equalsAsText(value, wanted))) return [];
    const allowed = values.slice(0, 20).map(show).join(", ");
    const message = `${selectorName(selector)} is never ${show(wanted)}; its schema allows ${allowed}`;
    return [{ path: [...path, key], rule: "price-selector", message }];
  });
}

/** True when `narrow` demands everything that `wide` demands. */
function includes(narrow: When, wide: When): boolean {
  return Object.entries(wide).every(([key, value]) => Object.hasOwn(narrow, key) && equalsAsText(narrow[key], value));
}

function factsOf(selector: ManifestSelector, { input }: PriceSurroundings): InputFacts {
  if (selector.in === "output") return { mayExist: true, limited: false };
  const section = ({ body: "body", queryParam: "queryParams", pathParam: "pathParams" } as const)[selector.in];
  const exact = readInputFacts(input[section], [selector.key]);
  return exact.mayExist ? exact : readInputFacts(input[section], selector.key.split("."));
}

function show(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}
