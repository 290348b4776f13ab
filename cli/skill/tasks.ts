/** A thing to do, in the words of the skill. */
export interface SkillTask {
  readonly title: string;
  readonly words: string;
  /** Lines of a shell that do it on a fresh installation; they are run one after the other by a test. */
  readonly lines: readonly string[];
}

/** What an agent does with the market, in the order in which it comes to it. */
export const tasks: readonly SkillTask[] = [
  {
    title: "Find an endpoint",
    words:
      "Describe the data in plain words, best match first, and always give `--also` three to six times: the same need in " +
      "other words. Say the kind of data (exchange rate), the kind of the thing named (Jolteon: a Pokémon), what you have in " +
      "hand (a city name, coordinates), in words that APIs use, and in English too; all are asked at once, and right answers " +
      "come first far more often. Each line is one endpoint with price, health and `confidence`: strong, possible or weak. " +
      "If all are weak, nothing fits: ask in other words before you give up. Matches that lack a key are reported on stderr, " +
      "with the command that sets it. `inspect` shows input, price and inputs that work.",
    lines: [
      'mkt discover when does the sun rise --also "sunrise and sunset times" --also "daylight by coordinates" --also "sun position of a day" --limit 3 --fields provider,endpoint,price.amount,confidence',
      "mkt inspect atlas/sun --fields input,examples,price",
      "mkt categories --fields id,endpointCount",
    ],
  },
  {
    title: "Know the price first",
    words:
      "A quote checks the input and the limits, calls nobody and costs nothing. `--max-cost` refuses a run before any call.",
    lines: [
      "mkt quote atlas/sun latitude=38.7 longitude=-9.1 --fields estimate,maximum,wouldBlock",
      "mkt run atlas/sun latitude=38.7 longitude=-9.1 --max-cost 0.01 --fields output.sunrise,cost",
      "mkt wallet --fields balance",
    ],
  },
  {
    title: "Run it",
    words:
      "`key=value` is read by the input schema, `key:=json` is taken as JSON, `-i` takes the whole input (JSON, `@file`, `-` " +
      "for stdin). `run` waits for the data; the answer has `output`, `status`, `providerResponse.httpStatus`, `cost`.",
    lines: [
      "mkt run atlas/countries search=Portugal --jq .output",
      `echo '{"latitude": 38.7, "longitude": -9.1}' | mkt run atlas/moon -i - --jq '.output | keys'`,
      "mkt run atlas/languages -o languages.json --quiet",
    ],
  },
  {
    title: "Run something that takes long",
    words:
      "With `--no-wait` the id comes at once. Exit code 6 says that the waiting ended and the run goes on: wait again, do not " +
      "run again. A run that you may have lost is in `mkt runs`; the same `--idempotency-key` never makes a second run.",
    lines: [
      "run=$(mkt run atlas/reports/time-zones country=PT --no-wait --idempotency-key my-report-1 --jq .runId)",
      'mkt get-run "$run" --wait --wait-seconds 60 --fields status,cost,resultCount',
      "mkt runs --limit 3 --fields runId,provider,endpoint,status,cost",
    ],
  },
  {
    title: "Run it for many rows",
    words:
      "`batch` takes a `.csv` or `.jsonl` file, shows the price of all rows first and charges each row once. If it is interrupted, " +
      "type the same command with `--resume`, never without. Exit code 13: some rows have an `error` in the results.",
    lines: [
      "printf 'id,country\\n1,Portugal\\n2,Spain\\n' > countries.csv",
      "mkt batch atlas/countries countries.csv --map country=search --dry-run --fields rows,maximum",
      "mkt batch atlas/countries countries.csv --map country=search --max-total 0.1 -o found.jsonl",
    ],
  },
  {
    title: "Keep outputs small",
    words:
      "`--fields` takes members (dots go deeper, lists are gone through), `--jq` any jq expression, `--limit` fewer items, " +
      "`-o` puts a run's output into a file and leaves a note.",
    lines: [
      "mkt endpoints --provider atlas --limit 5 --fields endpoint,price.type",
      `mkt run atlas/countries limit=200 --jq '.output | length'`,
    ],
  },
  {
    title: "Look after what lasts",
    words:
      "Some runs make resources that cost rent until they are released. The answer's `hints` and `mkt resources` say which.",
    lines: [
      `timer=$(mkt run atlas/timers name=tea --jq '.resources[0].resourceId')`,
      "mkt resources --fields resourceId,state,renewal.price.amount",
      'mkt release "$timer" --yes',
    ],
  },
];
