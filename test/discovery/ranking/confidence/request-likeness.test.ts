import { expect, test } from "vitest";
import { createRequestLikeness } from "../../../../daemon/discovery/ranking/confidence/request-likeness.ts";
import requestWords from "../../../../daemon/discovery/ranking/confidence/request-words.json" with { type: "json" };

const likenessOf = createRequestLikeness(requestWords);

test.each(["show me the weather in Paris", "how many people live in Japan", "currency rates"])(
  "%j reads as a request",
  (q) => {
    expect(likenessOf(q)).toBeGreaterThan(0);
  },
);

test.each(["you are so sweet to me", "why do people lie to each other", "wash the dishes before you leave"])(
  "%j does not",
  (q) => {
    expect(likenessOf(q)).toBeLessThan(0);
  },
);

test.each(["", "😀", "Wechselkurse gestern", "погода завтра", "明日の天気", "xkcdq zzyx"])(
  "nothing is said for or against %j, of which no word is known",
  (q) => {
    expect(likenessOf(q)).toBe(0);
  },
);

test("the less of a query is known, the less is said of it", () => {
  const [whole, half] = [likenessOf("show me rates"), likenessOf("show me rates blorf snirkl quonk")];

  expect(half).toBeGreaterThan(0);
  expect(half).toBeLessThan(whole);
});
