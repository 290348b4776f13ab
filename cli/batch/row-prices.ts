import { type MicroDollars, microDollars, NO_MONEY } from "../../shared/micro-dollars.ts";

/** Rows that follow each other and cost the same: how many, and the micro-dollars that each of them may cost. */
export type PriceStretch = readonly [rows: number, maximum: number];

/** What each row of a batch may cost at most, as the service quoted it at one time. */
export class RowPrices {
  /** As it is kept with the batch: where all rows cost the same, it is one stretch. */
  readonly stretches: readonly PriceStretch[];
  readonly total: MicroDollars;
  /** By row; a price that all rows have needs no list. */
  readonly #maxima: Float64Array | undefined;

  constructor(stretches: readonly PriceStretch[]) {
    this.stretches = stretches;
    this.total = microDollars(stretches.reduce((total, [rows, maximum]) => total + rows * maximum, 0));
    if (stretches.length > 1) this.#maxima = maximaIn(stretches);
  }

  /** Of the micro-dollars of every row. */
  static of(maxima: Float64Array): RowPrices {
    const stretches: [number, number][] = [];
    for (const maximum of maxima) {
      const last = stretches.at(-1);
      if (last?.[1] === maximum) last[0] += 1;
      else stretches.push([1, maximum]);
    }
    return new RowPrices(stretches);
  }

  /** What each row may cost, where all cost the same. */
  get ofEach(): MicroDollars | undefined {
    const [first, ...others] = this.stretches;
    return first === undefined || others.length > 0 ? undefined : microDollars(first[1]);
  }

  of(index: number): MicroDollars {
    return this.ofEach ?? microDollars(this.#maxima?.[index] ?? NO_MONEY);
  }

  equals({ stretches }: RowPrices): boolean {
    return JSON.stringify(stretches) === JSON.stringify(this.stretches);
  }
}

function maximaIn(stretches: readonly PriceStretch[]): Float64Array {
  const maxima = new Float64Array(stretches.reduce((count, [rows]) => count + rows, 0));
  let from = 0;
  for (const [rows, maximum] of stretches) {
    maxima.fill(maximum, from, from + rows);
    from += rows;
  }
  return maxima;
}
