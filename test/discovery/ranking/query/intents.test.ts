import { describe, expect, test } from "vitest";
import { joinIntents, readIntents } from "../../../../daemon/discovery/ranking/query/intents.ts";
import { regionsIn } from "../../../../daemon/discovery/ranking/query/regions.ts";
import { topicStems } from "../../../../daemon/discovery/ranking/query/topic.ts";

const TODAY = 20_779;

describe("what a query brings", () => {
  test.each([
    ["where is 203.0.113.9", ["ip"]],
    ["who owns 2001:db8:0:0:8:800:200c:417a", ["ip"]],
    ["is ana@example.com a real mailbox", ["email"]],
    ["how did example.com look", ["url"]],
    ["what is at 48.8584, 2.2945", ["coordinates"]],
    ["sugar in 3017620422003", ["code"]],
    ["who wrote 10.1371/journal.pone.0033693", ["code"]],
    ["coordinates of 10 Downing Street", ["address"]],
    ["Node 18.2.0 and 3.5 metres", []],
    ["cheap hotels in Rome", []],
    ["I owe 350 Swiss francs, how many rand is that", ["currencies"]],
    ["EUR to PLN in May", ["currencies"]],
    ["lunch for 20 euros or 25 euros", []],
  ])("%s: %j", (q, kinds) => {
    expect([...readIntents(q, TODAY).brings].sort()).toEqual(kinds);
  });

  test("may be an identifier when it has letters and digits, or many digits", () => {
    const ids = ["status of GHSA-35jh-r3h4", "the work W2741809807", "comment 8863111"];
    const none = ["papers of 2019", "top 10 songs", "the 3rd of May", "papers about graphene", "in 20km"];

    expect(ids.filter((q) => !readIntents(q, TODAY).bringsId)).toEqual([]);
    expect(none.filter((q) => readIntents(q, TODAY).bringsId)).toEqual([]);
  });
});

test("coordinates are asked for by a query that names them and has none", () => {
  expect(readIntents("latitude and longitude of the Louvre", TODAY).wantsCoordinates).toBe(true);
  expect(readIntents("what is at latitude 48.85, longitude 2.29", TODAY).wantsCoordinates).toBe(false);
  expect(readIntents("address of the Louvre", TODAY).wantsCoordinates).toBe(false);
});

test("one of the first words says what is to happen", () => {
  const effects = ["delete the key", "show albums", "please rename this playlist", "add a track", "weather in Rome"];

  expect(effects.map((q) => readIntents(q, TODAY).effect)).toEqual([
    "deletes",
    "reads",
    "updates",
    "creates",
    undefined,
  ]);
});

test("a noun, a question and an order for a view are no wish to change anything", () => {
  const none = [
    "change of the clocks",
    "update on the strike",
    "post codes of Leeds",
    "create a chart of rainfall",
    "add 5 and 7",
  ];
  const orders = ["could you please send a message", "I want to delete my key", "cancel the order", "upload this file"];

  expect(none.map((q) => readIntents(q, TODAY).effect)).toEqual(none.map(() => undefined));
  expect(orders.map((q) => readIntents(q, TODAY).effect)).toEqual(["creates", "deletes", "deletes", "creates"]);
  expect(readIntents("show me how to delete a key", TODAY).effect).toBeUndefined();
});

test.each([
  "how do I send an SMS",
  "how can I cancel my order",
  "which call deletes nothing but lets me delete a key",
  "find a way to send an email",
  "list my keys and delete them",
  "tell Anna by SMS that I am late",
  "give me a 5 minute timer",
  "send me the weather",
  "update me on the strike",
  "change dollars into euros",
  "Post Malone songs",
  "set theory papers",
  "cancel culture articles",
  "edit distance of two words",
  "drop shipping suppliers",
])("no wish to see, to change or to delete something is plain in: %s", (q) => {
  expect(readIntents(q, TODAY).effect).toBeUndefined();
});

test.each(["which albums do I have", "what is the weather in Rome", "find papers about graphene"])(
  "something is to be seen: %s",
  (q) => {
    expect(readIntents(q, TODAY).effect).toBe("reads");
  },
);

test.each([
  ["how many kilometres are 26 miles", true],
  ["98 fahrenheit in celsius", true],
  ["17 percent of 2340", true],
  ["square root of 1764", true],
  ["2 + 3", true],
  ["hotels within 5 miles of Rome", false],
  ["games of 2020/21", false],
  ["24/7 support", false],
  ["weather in 3 days", false],
])("%s is a calculation or a conversion: %s", (q, is) => {
  expect(readIntents(q, TODAY).brings.has("expression")).toBe(is);
});

test("the language of an answer is that which it is to be in, not one to translate into", () => {
  expect([...readIntents("news in Spanish about lithium", TODAY).languages]).toEqual(["es"]);
  expect([...readIntents("translate this into German", TODAY).languages]).toEqual([]);
  expect([...readIntents("articles in Science", TODAY).languages]).toEqual([]);
});

test("regions are those of countries, of their people, and of well-known places", () => {
  const named = (q: string) => [...regionsIn(q)].sort();

  expect(named("holidays in Brazil")).toEqual(["BR"]);
  expect(named("weather in berlin and New York City")).toEqual(["DE", "US"]);
  expect(named("British crime")).toEqual(["GB"]);
  expect(named("drivers in the US")).toEqual(["US"]);
  expect(named("the oldest town of Georgia")).toEqual(["GE", "US"]);
  expect(named("São Paulo’s districts")).toEqual(["BR"]);
  expect(named("do the Greeks work more than Germans")).toEqual(["DE", "GR"]);
  expect(named("rain in twelve Scandinavian towns")).toEqual(["DK", "NO", "SE"]);
  expect(named("European towns")).toContain("PT");
  expect(named("European towns")).not.toContain("US");
  expect(named("tell us of a nice turkey recipe, and polish it")).toEqual([]);
});

test("the topic of a query is what it says that it is about", () => {
  expect([...topicStems("news about lithium mining")]).toEqual(["lithium", "mine"]);
  expect([...topicStems("lithium mining news")]).toEqual([]);
});

test("a wording takes the place, the time and the language of the others, and nothing else", () => {
  const others = ["delete the rain at 203.0.113.9", "rain in Spanish for Lisbon tomorrow"].map((q) =>
    readIntents(q, TODAY),
  );
  const joined = joinIntents(readIntents("rain in Rome", TODAY), others);

  expect([...joined.regions].sort()).toEqual(["ES", "IT", "PT"]);
  expect(joined.days).toEqual(readIntents("tomorrow", TODAY).days);
  expect([...joined.languages]).toEqual(["es"]);
  expect([joined.effect, joined.brings.size]).toEqual([undefined, 0]);
});
