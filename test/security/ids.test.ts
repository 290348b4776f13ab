import { expect, test } from "vitest";
import { createIdSource } from "../../daemon/base/new-id.ts";
import { serveOneEndpoint } from "../support/one-endpoint.ts";
import { tried } from "./tried.ts";

/** An id is no secret, and none is worked out from another. docs/security.md, T25; foreign ids: isolation.test.ts. */

const DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** Of 10,000 random parts of 80 bits no two are likely to be nearer than 2^50. */
const NEAR = 2n ** 32n;

test("ids that are made at once are no neighbours of one another", async (context) => {
  const newId = createIdSource();
  const ids = await Promise.all(Array.from({ length: 10_000 }, async () => newId()));

  expect(nearest(ids)).toBeGreaterThan(NEAR);
  tried(context, ids.length, "ids made at once");
});

test("runs that begin at once have ids that are no neighbours of one another", async (context) => {
  await using market = await serveOneEndpoint({});

  const answers = await Promise.all(Array.from({ length: 200 }, () => market.run()));
  const ids = answers.map(({ body }) => body.runId as string);

  expect(new Set(ids).size).toBe(200);
  expect(nearest(ids)).toBeGreaterThan(NEAR);
  tried(context, ids.length, "runs at once");
});

/** How far the two nearest of the ids are apart in their random parts, the last 16 digits. */
function nearest(ids: readonly string[]): bigint {
  const values = ids
    .map((id) =>
      id
        .slice(10)
        .split("")
        .reduce((value, digit) => value * 32n + BigInt(DIGITS.indexOf(digit)), 0n),
    )
    .sort((one, other) => (one < other ? -1 : 1));
  return values.slice(1).reduce((least, value, index) => {
    const distance = value - (values[index] ?? 0n);
    return distance < least ? distance : least;
  }, 2n ** 80n);
}
