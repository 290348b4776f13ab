import { expect, test } from "vitest";
import { ProblemList } from "../../../daemon/catalog/problems/catalog-problem.ts";
import { checkLiteralsIn } from "../../../daemon/catalog/checks/check-literals.ts";

function complaintsAbout(value: unknown): number {
  const problems = new ProblemList("shop.yaml", () => undefined);
  checkLiteralsIn(problems, [], value);
  return problems.list().length;
}

test.each([
  ["application/vnd.github.v3+json"],
  ["text/html,application/xhtml+xml;q=0.9"],
  ["Mozilla/5.0 (X11; Linux x86_64) mkt/0.1"],
  ["googleAnalyticsReportingV4BatchGetReports"],
  ["/v2/datasets/monthly-temperature-1991-2020/items"],
  ["2026-01-01T00:00:00.000Z/2026-12-31T23:59:59.999Z"],
  ["123e4567-e89b-12d3-a456-426614174000"],
  ["${secret.key}"],
  ["Bearer ${secret.a_very_long_secret_name_1_2_3_4}"],
  ["https://api.shop.example/v1/items?lang=en"],
])("%s is no key", (text) => {
  expect(complaintsAbout({ note: text })).toBe(0);
});

test.each([
  ["sk-proj-aBcD1234eFgH5678iJkL"],
  ["ghp_16C7e42F292c6912E7710c838347Ae178B4a"],
  ["AKIAIOSFODNN7EXAMPLE"],
  ["AIzaSyD4iE2xVSpkLLOXoyqT-RuPwURN3ddScAI"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghij"],
  ["9f86d081884c7d659a2feaa0c55ad015"],
  ["Bearer dGhpcyBpcyBub3Q5MzQ4NzU5MzQ4a3Nk"],
  ["https://me:secret@api.shop.example/"],
])("%s looks like a key", (text) => {
  expect(complaintsAbout({ note: text })).toBe(1);
});
