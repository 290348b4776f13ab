import type { OracleCase, OracleMoney, OraclePrice, OracleRule, OracleSelector, OracleTier } from "./oracle.ts";

/** Draws numbers from a seed (mulberry32), so that a failing case can be drawn again. */
export class Dice {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A whole number from 0 to `below` - 1. */
  roll(below: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  }

  chance(percent: number): boolean {
    return this.roll(100) < percent;
  }

  pick<T>(from: readonly T[]): T {
    return from[this.roll(from.length)] as T;
  }
}

/** A price of any type that runs charge, with an input, an answer and measurements, some of them hostile. */
export function drawCase(dice: Dice): OracleCase {
  const price = drawPrice(dice);
  const once = price.type === "FREE" || price.type === "PER_CALL" || price.type === "PER_RESULT";
  return {
    price,
    markup: {
      percent: dice.pick([0, 0, 10, 12.5, 7.25, 33.333, 100, 0.001, dice.roll(10_000) / 1_000]),
      ...(once && dice.chance(30) && { fixed: drawMoney(dice) }),
    },
    input: {
      ...(dice.chance(90) && { body: drawFields(dice) }),
      ...(dice.chance(50) && { queryParams: drawFields(dice) }),
      ...(dice.chance(30) && { pathParams: drawFields(dice) }),
    },
    ...(dice.chance(80) && { output: dice.chance(90) ? drawFields(dice) : dice.pick<unknown>([null, "text", 7, []]) }),
    measured: {
      ...(dice.chance(90) && { count: drawQuantity(dice) }),
      ...(dice.chance(90) && { units: drawQuantity(dice) }),
      elapsedMs: dice.chance(95) ? dice.roll(1_000_000) : dice.pick([0, -1, Number.NaN, 1.5]),
    },
  };
}

function drawPrice(dice: Dice): OraclePrice {
  const kind = dice.roll(10);
  if (kind < 4) return drawRule(dice);
  const selectors = drawSelectors(dice);
  if (kind < 7) {
    return {
      type: "PER_UNIT_MATRIX",
      selectors,
      variants: Array.from({ length: 1 + dice.roll(5) }, () => ({
        when: drawWhen(dice, selectors),
        price: drawRule(dice),
      })),
      ...(dice.chance(70) && { default: drawRule(dice) }),
    };
  }
  return {
    type: "TIERED",
    default: drawRule(dice),
    tiers: Array.from({ length: dice.roll(5) }, (_, index) => drawTier(dice, selectors, index)),
    ...(dice.chance(80) && { selectors }),
  };
}

function drawTier(dice: Dice, selectors: OracleSelector[], index: number): OracleTier {
  const selected = dice.chance(50);
  return {
    label: `tier ${index}`,
    ...(dice.chance(60) && { when: drawWhen(dice, selectors) }),
    ...(selected && {
      selector: {
        ...drawSelector(dice, dice.pick(["pages", "deep.pages", "list"])),
        ...(dice.chance(60) && { offset: dice.pick([0, 1, 3, 2.5, 1_000]) }),
      },
    }),
    // A manifest whose tier selects a quantity that its price does not count is refused at load.
    price: selected ? drawCountingRule(dice) : drawRule(dice),
  };
}

function drawRule(dice: Dice): OracleRule {
  switch (dice.roll(5)) {
    case 0:
      return { type: "FREE" };
    case 1:
      return { type: "PER_CALL", amount: drawMoney(dice) };
    case 2:
      return {
        type: "METERED",
        amount: drawMoney(dice),
        per: { unit: dice.pick(["MINUTE", "DAY", "MONTH"]), count: 1 + dice.roll(12) },
      };
    default:
      return drawCountingRule(dice);
  }
}

function drawCountingRule(dice: Dice): OracleRule {
  if (dice.chance(50)) {
    return { type: "PER_RESULT", amount: drawMoney(dice), ...(dice.chance(50) && { flatFee: drawMoney(dice) }) };
  }
  return {
    type: "PER_UNIT",
    amount: drawMoney(dice),
    per: dice.pick([1, 3, 7, 1_000, 1_000_000, 0.5, 2.75]),
    unit: dice.pick(["token", "character", "second", "image"]),
  };
}

/** Up to 12 digits after the point; small amounts far more often than large ones. */
function drawMoney(dice: Dice): OracleMoney {
  const digits = dice.roll(13);
  const value = dice.roll(10 ** dice.roll(10)) / 10 ** digits;
  const amount = Math.min(value, 1_000);
  return dice.chance(80) ? amount : { value: amount, currency: "USD" };
}

const KEYS = ["depth", "deep.level", "size", "exact.name"] as const;
const VALUES = ["basic", "email", 1, "1", 2, true, "true", false] as const;

function drawSelectors(dice: Dice): OracleSelector[] {
  const first = dice.roll(KEYS.length);
  const count = 1 + dice.roll(2);
  return Array.from({ length: count }, (_, index) =>
    drawSelector(dice, KEYS[(first + index) % KEYS.length] ?? "depth"),
  );
}

function drawSelector(dice: Dice, key: string): OracleSelector {
  return { label: key, key, in: dice.pick(["body", "body", "queryParam", "pathParam", "output"]) };
}

function drawWhen(dice: Dice, selectors: OracleSelector[]): Record<string, string | number | boolean> {
  const named = selectors.filter(() => dice.chance(80));
  return Object.fromEntries(named.map(({ key }) => [key, dice.pick(VALUES)]));
}

function drawFields(dice: Dice): Record<string, unknown> {
  const value = () => (dice.chance(95) ? dice.pick(VALUES) : dice.pick<unknown>([null, [], { a: 1 }, "", 1.5]));
  return {
    ...(dice.chance(85) && { depth: value() }),
    ...(dice.chance(60) && { size: value() }),
    ...(dice.chance(60) && { "exact.name": value() }),
    ...(dice.chance(80) && { deep: { ...(dice.chance(80) && { level: value() }), pages: drawQuantity(dice) } }),
    ...(dice.chance(80) && { pages: drawQuantity(dice) }),
    ...(dice.chance(50) && { list: Array.from({ length: dice.roll(6) }, () => 0) }),
  };
}

/** Mostly small whole numbers; now and then what a broken or hostile provider tells. */
function drawQuantity(dice: Dice): number {
  if (dice.chance(80)) return dice.roll(10 ** (1 + dice.roll(6)));
  if (dice.chance(50)) return dice.roll(1_000_000) / 10 ** dice.roll(7);
  const hostile = [-1, -0, Number.NaN, Infinity, -Infinity, 2 ** 53, 1.005, 0.1 + 0.2, 1e-9, "1", null, true];
  return dice.pick(hostile) as number;
}
