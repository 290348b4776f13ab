import type { Outcome } from "./measure-asks.ts";

/** The asks whose first results docs/discovery-figures.md shows: everyday ones of all kinds, and four that nothing serves. */
export const FORTY_ASKS: readonly string[] = [
  "how many people live in Lisbon",
  "is it going to rain tomorrow in Porto",
  "who owns this company",
  "convert 100 dollars to yen",
  "whats the wether in bangkok",
  "is the air in Delhi safe to breathe today",
  "any tornado warnings in Oklahoma at the moment?",
  "when does the sun go down in Lisbon today",
  "if it's 9am in New York what time is that in Mumbai",
  "bank holidays in Ireland next year",
  "latitude and longitude of 10 Downing Street",
  "my gps says 52.52,13.40, what street is that",
  "find a good ramen place near Shibuya station that is open now",
  "how long to drive from Lyon to Milan",
  "capital of Burkina Faso",
  "where is the ip 8.8.8.8",
  "next train from Zurich to Geneva",
  "which planes are flying over my house",
  "how much is one bitcoin",
  "tesla share price",
  "how much profit did Microsoft make last quarter",
  "who is the ceo of Adidas",
  "does this email adress exist or will it bounce",
  "search the internet for reviews of the Framework laptop",
  "download all pages of our docs site as markdown",
  "what happened in Sudan this week",
  "who was Ada Lovelace",
  `what does "petrichor" mean`,
  "how do i say thank you in japanese",
  "papers about microplastics in human blood",
  "does django 3.2 have known security holes",
  "when does node 18 reach end of life",
  "has anyone seen wolves in Bavaria lately",
  "how much would solar panels on my roof in Phoenix produce",
  "songs by Radiohead",
  "is my neighbourhood in Manchester safe",
  "book me a dentist appointment for thursday",
  "pay my electricity bill",
  "tell me a joke",
  "fjdksla; ghty",
];

/** A Markdown table of the forty: the first three results above the floor, right ones bold, those behind a key with a dagger. */
export function fortyAsksTable(outcomes: readonly Outcome[], providersWithKey: ReadonlySet<string>): string {
  const rows = FORTY_ASKS.flatMap((q) => outcomes.find(({ ask }) => ask.q === q) ?? []).map(
    (outcome) => `| ${outcome.ask.q} | ${shownResults(outcome, providersWithKey)} |`,
  );
  return ["| Ask | First three results |", "| --- | --- |", ...rows].join("\n");
}

function shownResults({ ask, total, first }: Outcome, providersWithKey: ReadonlySet<string>): string {
  const right = "right" in ask ? ask.right : [];
  const shown = first.slice(0, Math.min(3, total)).map((name) => {
    const isRight = right.some(({ provider, endpoint }) => provider + endpoint === name);
    const dagger = providersWithKey.has(name.slice(0, name.indexOf("/"))) ? " †" : "";
    return isRight ? `**\`${name}\`**${dagger}` : `\`${name}\`${dagger}`;
  });
  return shown.length === 0 ? "nothing" : shown.join(", ");
}
