import { expect, test } from "vitest";
import { oncePer } from "../../daemon/base/once-per.ts";

test("what is made of an object is made once, and of its equal anew", () => {
  let made = 0;
  const numbered = oncePer(({ name }: { readonly name: string }) => ({ name, number: ++made }));
  const [one, equal] = [{ name: "a" }, { name: "a" }];

  expect([numbered(one), numbered(one), numbered(equal), numbered(one)]).toEqual([
    { name: "a", number: 1 },
    { name: "a", number: 1 },
    { name: "a", number: 2 },
    { name: "a", number: 1 },
  ]);
});

test("what could not be made is tried again", () => {
  let tries = 0;
  const second = oncePer((source: object) => {
    tries += 1;
    if (tries === 1) throw new Error("not yet");
    return { source, tries };
  });
  const source = {};

  expect(() => second(source)).toThrow("not yet");
  expect(second(source)).toEqual({ source, tries: 2 });
});
