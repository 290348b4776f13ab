import type { CollectedEndpoint } from "./collections.ts";

/** Chance of a word of a copy to be taken from somewhere else. */
const ALTERED = 0.4;

/**
 * So many of the endpoints, or more: drawn at random where there are enough, else all of them and copies of some. A copy
 * has a provider and a path of its own, and four of ten words of its texts are those of another endpoint, so that it is
 * found by other queries and costs what an endpoint costs. The same in every run.
 */
export function scaleTo(size: number, endpoints: readonly CollectedEndpoint[]): CollectedEndpoint[] {
  const next = numbers(size);
  if (size <= endpoints.length) return draw(size, endpoints, next);
  const copies = Array.from({ length: size - endpoints.length }, (_, place) => {
    const copied = pick(endpoints, next);
    return alter(copied, pick(endpoints, next), 1 + Math.floor(place / 100), next);
  });
  return [...endpoints, ...copies];
}

type Numbers = () => number;

function draw(size: number, endpoints: readonly CollectedEndpoint[], next: Numbers): CollectedEndpoint[] {
  const shuffled = [...endpoints];
  for (let place = 0; place < size; place += 1) {
    const other = place + Math.floor(next() * (shuffled.length - place));
    const [one, two] = [shuffled[place], shuffled[other]];
    if (one === undefined || two === undefined) break;
    shuffled[place] = two;
    shuffled[other] = one;
  }
  return shuffled.slice(0, size);
}

function alter(copied: CollectedEndpoint, other: CollectedEndpoint, number: number, next: Numbers): CollectedEndpoint {
  const words = `${other.displayName} ${other.description}`.split(/\s+/).filter((word) => word !== "");
  const mix = (text: string) =>
    text.replaceAll(/[^\s/]+/g, (word) => (words.length > 0 && next() < ALTERED ? pick(words, next) : word));
  return {
    id: `${copied.id} ${number}`,
    provider: `${copied.provider} ${number}`,
    endpoint: `${copied.endpoint}/${number}`,
    displayName: mix(copied.displayName),
    description: mix(copied.description),
    tags: next() < ALTERED ? other.tags : copied.tags,
    params: copied.params.map(({ name, description }) => ({ name, description: mix(description) })),
  };
}

function pick<Item>(items: readonly Item[], next: Numbers): Item {
  const item = items[Math.floor(next() * items.length)];
  if (item === undefined) throw new Error("there is nothing to pick from");
  return item;
}

/** Numbers from 0 to below 1, the same in every run (mulberry32). */
function numbers(seed: number): Numbers {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
