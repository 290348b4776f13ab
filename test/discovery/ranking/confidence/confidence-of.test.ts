import { expect, test } from "vitest";
import { confidenceOf, confidenceOfMatch } from "../../../../daemon/discovery/ranking/confidence/confidence-of.ts";
import { CONFIDENCE_THRESHOLDS } from "../../../../daemon/discovery/ranking/weights/confidence-thresholds.ts";

const { strong, possible } = CONFIDENCE_THRESHOLDS;

test("a score at a threshold has its word, and one just below it the next lower word", () => {
  expect([2, strong, strong - 1e-9, possible, possible - 1e-9, 0].map((score) => confidenceOf(score))).toEqual([
    "strong",
    "strong",
    "possible",
    "possible",
    "weak",
    "weak",
  ]);
});

test("the thresholds are scores, and strong is above possible", () => {
  expect(strong).toBeGreaterThan(possible);
  expect(strong).toBeLessThan(2);
  expect(possible).toBeGreaterThan(0);
});

test("of the matches of an answer only the best is strong, by its score before its health lowered it", () => {
  expect(confidenceOfMatch({ score: strong, isBest: true })).toBe("strong");
  expect(confidenceOfMatch({ score: possible, scoreBefore: strong, isBest: true })).toBe("strong");
  expect(confidenceOfMatch({ score: 2 })).toBe("possible");
  expect(confidenceOfMatch({ score: possible - 1e-9, isBest: true })).toBe("weak");
});

test("where a chance is known it decides, and a low score takes the word away", () => {
  const best = { isBest: true };

  expect(confidenceOfMatch({ score: 1.5, chance: 0.93, ...best })).toBe("strong");
  expect(confidenceOfMatch({ score: 1.99, chance: 0.8, ...best })).toBe("possible");
  expect(confidenceOfMatch({ score: 1.99, chance: 0.4, ...best })).toBe("weak");
  expect(confidenceOfMatch({ score: 0.6, chance: 0.93, ...best })).toBe("possible");
  expect(confidenceOfMatch({ score: 0.1, chance: 0.93, ...best })).toBe("weak");
  expect(confidenceOfMatch({ score: 1.5, chance: 0.93 })).toBe("possible");
});
