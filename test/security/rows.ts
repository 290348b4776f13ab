/**
 * What is feared, row by row, and the tests that try it. `npm run test:security` runs them and prints a line for each row;
 * the table in docs/security.md has the same rows and files, which `rows.test.ts` holds it to.
 *
 * To add a test to a row: its file here, and in that row of the table.
 */
export interface Row {
  readonly id: `T${number}`;
  /** In a few words, as it is printed and stands in the table. */
  readonly threat: string;
  readonly tests: readonly Tests[];
}

/** All tests of a file, or those below a `describe`, or with a title, that begins with one of `named`. */
export interface Tests {
  readonly file: string;
  readonly named?: readonly string[];
}

const all = (file: string): Tests => ({ file });
const some = (file: string, ...named: readonly string[]): Tests => ({ file, named });

const head = "test/http/request-head.test.ts";
const errors = "test/http/errors.test.ts";
const receivers = "test/webhooks/who-may.test.ts";
const addresses = "test/security/outbound-addresses.test.ts";
const injection = "test/security/outbound-injection.test.ts";
const answers = "test/security/outbound-answers.test.ts";
const providers = "test/providers/http-provider.test.ts";
const ownerKey = "test/daemon/owner-key.test.ts";
const refusals = "test/daemon/refusals.test.ts";
const charge = "test/billing/charge.test.ts";
const rates = "test/security/rate-limits.test.ts";
const descriptions = "test/import/documents/read-description.test.ts";
const browser = "test/security/browser.test.ts";
const fuzz = "test/security/fuzz/fuzz.test.ts";
const timing = "test/security/timing.test.ts";

export const rows: readonly Row[] = [
  {
    id: "T1",
    threat: "a name that is rebound to this machine",
    tests: [
      some(head, "the name that a request is for"),
      some(browser, "a page of another origin whose name was rebound", "a page of another origin gets through"),
      some("test/mcp/http.test.ts", "who may speak to mkt mcp --http"),
      all("test/daemon/probes.test.ts"),
    ],
  },
  {
    id: "T2",
    threat: "forms and scripts of a page in the browser",
    tests: [some(head, "requests that web pages send"), all(browser), some(errors, "what a caller gets wrong")],
  },
  {
    id: "T3",
    threat: "a service open to everybody by mistake",
    tests: [
      some(
        refusals,
        "a daemon refuses to start, with 78, 0.0.0.0",
        "a daemon refuses to start, with 78, every address",
      ),
      some(ownerKey, "the owner's key"),
      some("test/spec/authentication.test.ts", "Authorization: Bearer <API_KEY>"),
    ],
  },
  {
    id: "T4",
    threat: "answers that pages of other origins may read",
    tests: [
      some(head, "requests that web pages send"),
      some(errors, "what a caller gets wrong OPTIONS"),
      some(browser, "a page of another origin"),
    ],
  },
  { id: "T5", threat: "calls to private addresses", tests: [all(addresses), some(receivers, "a private address")] },
  {
    id: "T6",
    threat: "secrets that follow a redirect",
    tests: [some(addresses, "a redirect"), some("test/providers/pages.test.ts", "the address of a next page")],
  },
  {
    id: "T7",
    threat: "parameters that leave their place in a path",
    tests: [
      some(injection, "a path parameter", "lists and objects"),
      some("test/files/binary-outputs.test.ts", "the name that a provider suggests"),
    ],
  },
  {
    id: "T8",
    threat: "input that makes headers",
    tests: [some(injection, "a caller's value in a header", "a card")],
  },
  {
    id: "T9",
    threat: "requests that two readers take for two",
    tests: [some(head, "requests that two readers"), some(errors, "what the parser cannot read")],
  },
  {
    id: "T10",
    threat: "answers that unpack into gigabytes",
    tests: [all(answers), some("test/security/bombs.test.ts", "an answer that is a bomb")],
  },
  {
    id: "T11",
    threat: "answers without an end",
    tests: [
      some(providers, "a deadline"),
      some("test/providers/mcp/mcp.test.ts", "an MCP server that means no good"),
      some("test/security/bombs.test.ts", "an answer that never ends"),
      all("test/providers/rows.test.ts"),
    ],
  },
  {
    id: "T12",
    threat: "patterns and schemas that take minutes",
    tests: [
      all("test/catalog/input/slow-schemas.test.ts"),
      some(
        "test/catalog/input/input-validation.test.ts",
        "a pattern that backtracks",
        "formats whose checks",
        "a long list",
      ),
    ],
  },
  {
    id: "T13",
    threat: "names that reach into every object",
    tests: [some(injection, "names that reach"), some(errors, "what a caller gets wrong members called"), all(fuzz)],
  },
  {
    id: "T14",
    threat: "JSON of thousands of levels",
    tests: [
      some(errors, "what a caller gets wrong 5,000 levels"),
      some(
        answers,
        "an answer that is a bomb ends as no readable answer, with its reason, and is not fetched twice deep",
      ),
      some("test/security/bombs.test.ts", "an answer that is a bomb"),
      some("test/security/costly-json.test.ts", "an answer of three million", "a request"),
      all(fuzz),
    ],
  },
  {
    id: "T15",
    threat: "keys that can be read where they are kept",
    tests: [
      all("test/identity/api-keys.test.ts"),
      some(ownerKey, "a key of one's own"),
      some("test/idempotency/restart.test.ts", "after the daemon was stopped and started again a key's secret"),
    ],
  },
  { id: "T16", threat: "forged access tokens", tests: [all("test/security/jwt.test.ts")] },
  {
    id: "T17",
    threat: "secrets in answers, logs and files",
    tests: [
      all("test/security/outbound-secrets.test.ts"),
      all("test/security/echoed-secrets.test.ts"),
      all("test/redaction/redact.test.ts"),
      some("test/daemon/grants.test.ts", "a secret never gets into"),
      some("test/catalog/grants/stored-secrets.test.ts", "a secret that the operator stores"),
    ],
  },
  {
    id: "T18",
    threat: "folders and files that others can read",
    tests: [
      some(ownerKey, "the owner's key is made at the first start"),
      some(refusals, "a daemon refuses to start, with 78, a data folder that others may read"),
      some("test/catalog/grants/stored-secrets.test.ts", "the file of the secrets"),
      all("test/security/folders.test.ts"),
    ],
  },
  {
    id: "T19",
    threat: "what belongs to another workspace",
    tests: [
      all("test/security/isolation.test.ts"),
      all(fuzz),
      some("test/spec/authentication.test.ts", "Routes of the operator"),
      some("test/identity/named-workspace.test.ts", "who may not act in the workspace"),
      some("test/identity/roles.test.ts", "a member"),
    ],
  },
  {
    id: "T20",
    threat: "answers that tell what exists",
    tests: [all(timing), some("test/identity/authentication.test.ts", "Authentication missing, malformed")],
  },
  {
    id: "T21",
    threat: "guesses at keys, and more than it can serve",
    tests: [
      all(rates),
      all("test/security/public-rate-limit.test.ts"),
      all("test/security/public-searches.test.ts"),
      all("test/http/open-connections.test.ts"),
      all("test/security/unread-answers.test.ts"),
      all("test/security/descriptors.test.ts"),
      all("test/security/overload.test.ts"),
    ],
  },
  {
    id: "T22",
    threat: "spending the same money twice",
    tests: [all("test/faults/exactly-ten.test.ts"), all("test/controls/enforcement.test.ts")],
  },
  {
    id: "T23",
    threat: "amounts below zero, beyond all bounds, or none",
    tests: [
      some(charge, "what cannot be counted", "the three costs"),
      all("test/shared/micro-dollars.test.ts"),
      all("test/shared/rational.test.ts"),
      all("test/billing/charge-oracle.test.ts"),
    ],
  },
  {
    id: "T24",
    threat: "an idempotency key of somebody else",
    tests: [
      all("test/idempotency/runs.test.ts"),
      all("test/faults/one-key.test.ts"),
      some("test/security/isolation.test.ts", "what belongs to another workspace startRun with"),
    ],
  },
  {
    id: "T25",
    threat: "ids that can be guessed from their neighbours",
    tests: [
      some("test/security/isolation.test.ts", "what belongs to another workspace getRun"),
      all("test/security/ids.test.ts"),
      all("test/security/counters.test.ts"),
    ],
  },
  {
    id: "T26",
    threat: "escape sequences on a terminal",
    tests: [
      all("test/cli/sanitize.test.ts"),
      all("test/screens/hostile.test.ts"),
      all("test/shared/hidden-text.test.ts"),
    ],
  },
  {
    id: "T27",
    threat: "documents that grow while they are read",
    tests: [
      all("test/catalog/reading/hostile-files.test.ts"),
      all("test/import/hostile-documents.test.ts"),
      all("test/security/readers.test.ts"),
    ],
  },
  {
    id: "T28",
    threat: "documents that refer to files and inner hosts",
    tests: [
      some(descriptions, "a reference to", "files below its own folder", "a file over 32 MB"),
      some("test/import/import-catalog.test.ts", "a private address is not read", "nothing that a document refers to"),
    ],
  },
  {
    id: "T29",
    threat: "packages of others that turn hostile",
    tests: [all("test/packaging/supply-chain.test.ts")],
  },
  { id: "T30", threat: "provider files that are executed", tests: [all("test/packaging/code-from-text.test.ts")] },
  {
    id: "T31",
    threat: "a stranger's file that helps itself",
    tests: [
      all("test/catalog/grants/grants.test.ts"),
      all("test/daemon/grants.test.ts"),
      some(addresses, "a private host", "a stranger's file"),
    ],
  },
  {
    id: "T32",
    threat: "a tool whose text changes after it was reviewed",
    tests: [all("test/import/changed-tools.test.ts"), all("test/import/print-tools.test.ts")],
  },
  {
    id: "T33",
    threat: "a market that lies, loops or charges too much",
    tests: [
      all("test/market/add-market.test.ts"),
      all("test/market/hostile-market.test.ts"),
      all("test/market/loops.test.ts"),
    ],
  },
  {
    id: "T34",
    threat: "a login that serves somebody else",
    tests: [
      all("test/connections/login.test.ts"),
      all("test/connections/renewal.test.ts"),
      all("test/connections/deployment.test.ts"),
      all("test/connections/addresses.test.ts"),
    ],
  },
  {
    id: "T35",
    threat: "what goes on after its key was revoked",
    tests: [
      some("test/schedules/schedule-driver.test.ts", "the key that it acts as"),
      some("test/schedules/schedules.test.ts", "a revoked key pauses"),
      some(receivers, "a key"),
    ],
  },
  {
    id: "T36",
    threat: "a console that serves somebody else",
    tests: [
      all("test/console/sessions.test.ts"),
      all("test/console/files.test.ts"),
      all("test/console/identity-provider.test.ts"),
      all("test/console/lesser-keys.test.ts"),
      all(browser),
    ],
  },
];

/** Whether a test belongs to these; by its file and its full title, its `describe`s first. */
export function isOf({ file, named }: Tests, test: { readonly file: string; readonly title: string }): boolean {
  return test.file === file && (named === undefined || named.some((beginning) => test.title.startsWith(beginning)));
}
