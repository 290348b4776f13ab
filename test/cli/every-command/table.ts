/** What can happen to a command, beside the two kinds of stdout. The issue's own list. */
export const situations = [
  "ok",
  "not found",
  "bad input",
  "no daemon",
  "wrong key",
  "provider error",
  "BLOCKED",
  "timeout",
] as const;
export type Situation = (typeof situations)[number];

/** What a command prints where no terminal is. */
export type Printed = "json" | "jsonl" | "text" | "nothing";

/**
 * One command: what it prints when all is well and, for each situation, the words that bring it about and the exit code.
 * `{name}` in the words is made real by the scene. Without a cell the situation cannot arise: a command that names nothing
 * finds everything, and only what asks a provider can be answered an error by one. "no daemon" (9) and "wrong key" (4)
 * take the words of "ok", unless `local` says that no daemon is asked, or a cell says otherwise.
 */
export interface Row {
  readonly command: string;
  readonly prints: Printed;
  readonly cells: Partial<Record<Situation, readonly [words: string, exitCode: number]>>;
  /** Asks no daemon. */
  readonly local?: true;
}

type Cells = Row["cells"];

function row(command: string, prints: Printed, ok: string, cells: Cells = {}): Row {
  return { command, prints, cells: { ok: [ok, 0], ...cells } };
}

function localRow(command: string, prints: Printed, ok: string, cells: Cells = {}): Row {
  return { ...row(command, prints, ok, cells), local: true };
}

/** The registry is public: a wrong key is not looked at. */
function publicRow(command: string, cells: Cells): Row {
  return row(command, "jsonl", command, { "wrong key": [command, 0], ...cells });
}

/** The routes of operators are not told from unknown ones to anybody else. docs/contract.md, "Operator". */
function operatorRow(command: string, prints: Printed, ok: string, cells: Cells = {}): Row {
  return row(command, prints, ok, { "wrong key": [ok, 8], ...cells });
}

/** A list of things, by pages. */
function pages(command: string, words = command): Row {
  return row(command, "jsonl", `${words} --limit 2`, { "bad input": [`${words} --limit none`, 2] });
}

/** Every command of `mkt`; a test holds this list complete. */
export const table: readonly Row[] = [
  row("discover", "jsonl", "discover sunrise and sunset", {
    "not found": ["discover zxqv --min-score 2", 0],
    "bad input": ["discover sunrise --limit none", 2],
  }),
  row("discover forget", "json", "discover forget", { "bad input": ["discover forget it", 2] }),
  row("inspect", "json", "inspect atlas/sun", {
    "not found": ["inspect atlas/sunn", 8],
    "bad input": ["inspect", 2],
  }),
  row("run", "json", "run shop/good", {
    "not found": ["run shop/goood", 8],
    "bad input": ["run shop/good count=many", 5],
    "provider error": ["run shop/broken", 3],
    BLOCKED: ["run shop/dear", 7],
    timeout: ["run shop/slow --wait-seconds 1", 6],
  }),
  row("batch", "jsonl", "batch shop/good {rows} --format jsonl --yes", {
    "not found": ["batch shop/goood {rows}", 8],
    "bad input": ["batch shop/good {rows} --map none=count", 5],
    "provider error": ["batch shop/broken {rows} --yes", 3],
    BLOCKED: ["batch shop/dear {rows} --yes", 7],
    timeout: ["batch shop/slow {rows} --wait-seconds 1 --yes", 6],
  }),
  row("quote", "json", "quote shop/good", {
    "not found": ["quote shop/goood", 8],
    "bad input": ["quote shop/good count=many", 5],
    BLOCKED: ["quote shop/dear", 7],
  }),
  row("api", "json", "api GET /v1/wallet/balance", {
    "not found": ["api GET /v1/nothing", 8],
    "bad input": ["api FETCH /v1/runs", 2],
  }),
  row("get-run", "json", "get-run {done}", {
    "not found": ["get-run 01NONE", 8],
    "bad input": ["get-run {done} --wait-seconds none", 2],
    "provider error": ["get-run {broken}", 3],
    BLOCKED: ["get-run {blocked}", 7],
    timeout: ["get-run {going} --wait --wait-seconds 1", 6],
  }),
  row("runs list", "jsonl", "runs list --limit 2", { "bad input": ["runs list --status LOST", 5] }),
  row("runs wait", "json", "runs wait {done}", {
    "not found": ["runs wait 01NONE", 8],
    "bad input": ["runs wait", 2],
    "provider error": ["runs wait {broken}", 3],
    BLOCKED: ["runs wait {blocked}", 7],
    timeout: ["runs wait {going} --wait-seconds 1", 6],
  }),
  row("runs controls", "jsonl", "runs controls {blocked}", {
    "not found": ["runs controls 01NONE", 8],
    "bad input": ["runs controls", 2],
  }),
  row("runs export", "text", "runs export --format csv", { "bad input": ["runs export --format xml", 2] }),
  row("runs stop", "json", "runs stop {going}", {
    "not found": ["runs stop 01NONE", 8],
    "bad input": ["runs stop", 2],
  }),
  row("stop", "json", "stop {going}", { "not found": ["stop 01NONE", 8], "bad input": ["stop", 2] }),
  pages("resources list"),
  row("resources get", "json", "resources get {resource}", {
    "not found": ["resources get 01NONE", 8],
    "bad input": ["resources get", 2],
  }),
  row("resources events", "jsonl", "resources events {resource}", {
    "not found": ["resources events 01NONE", 8],
    "bad input": ["resources events {resource} --limit none", 2],
  }),
  row("connections list", "jsonl", "connections list", { "bad input": ["connections list --limt 3", 2] }),
  row("connections show", "json", "connections show {account}", {
    "not found": ["connections show nobody", 8],
    "bad input": ["connections show", 2],
  }),
  row("connections remove", "nothing", "connections remove {account} --yes", {
    "not found": ["connections remove nobody --yes", 8],
    "bad input": ["connections remove", 2],
  }),
  row("resources release", "json", "resources release {resource} --yes", {
    "not found": ["resources release 01NONE --yes", 8],
    "bad input": ["resources release", 2],
  }),
  row("release", "json", "release {resource} --yes", {
    "not found": ["release 01NONE --yes", 8],
    "bad input": ["release", 2],
  }),
  publicRow("categories", { "bad input": ["categories --limt 3", 2] }),
  publicRow("providers", { "bad input": ["providers --limit none", 2] }),
  publicRow("endpoints", { "bad input": ["endpoints --limit none", 2] }),
  row("whoami", "json", "whoami", { "bad input": ["whoami now", 2] }),
  row("workspaces list", "jsonl", "workspaces list", { "bad input": ["workspaces list --limt 3", 2] }),
  operatorRow("workspaces create", "json", "workspaces create {new}", { "bad input": ["workspaces create", 2] }),
  row("wallet show", "json", "wallet show", { "bad input": ["wallet show --limt 3", 2] }),
  pages("wallet activities"),
  row("wallet topup", "json", "wallet topup", { "bad input": ["wallet topup --limt 3", 2] }),
  row("wallet credit", "json", "wallet credit 5 --reason test", { "bad input": ["wallet credit much", 2] }),
  row("wallet debit", "json", "wallet debit 1 --reason test", { "bad input": ["wallet debit much", 2] }),
  row("usage", "jsonl", "usage --by provider", { "bad input": ["usage --by moon", 5] }),
  row("top", "json", "top", { "bad input": ["top --limt 3", 2] }),
  row("console", "json", "console --print", { "bad input": ["console --limt 3", 2] }),
  pages("keys list"),
  row("keys create", "json", "keys create --label {new}", { "bad input": ["keys create --label {key}", 5] }),
  row("keys revoke", "json", "keys revoke {key} --yes", {
    "not found": ["keys revoke nobody --yes", 8],
    "bad input": ["keys revoke", 2],
  }),
  row("keys get", "json", "keys get {key}", { "not found": ["keys get nobody", 8], "bad input": ["keys get", 2] }),
  row("keys rename", "json", "keys rename {key} {new}", {
    "not found": ["keys rename nobody {new}", 8],
    "bad input": ["keys rename {key}", 2],
  }),
  row("keys scopes", "jsonl", "keys scopes", { "bad input": ["keys scopes --limt 3", 2] }),
  ...controlRows("budgets", "{budget}", "budgets create --period month --limit 300"),
  ...controlRows("caps", "{cap}", "caps create --limit 300"),
  pages("approvals list"),
  ...approvalRows(),
  ...scheduleRows(),
  ...webhookRows(),
  row("users add", "json", "users add {new}", { "bad input": ["users add", 2] }),
  operatorRow("catalog list", "jsonl", "catalog list", { "bad input": ["catalog list --limt 3", 2] }),
  operatorRow("catalog price", "json", "catalog price shop 0.001", {
    "not found": ["catalog price nobody 0.001", 8],
    "bad input": ["catalog price shop dear", 2],
  }),
  operatorRow("catalog prices", "jsonl", "catalog prices", { "bad input": ["catalog prices --limt 3", 2] }),
  operatorRow("catalog grants", "jsonl", "catalog grants", { "bad input": ["catalog grants --limt 3", 2] }),
  operatorRow("catalog grant", "json", "catalog grant shop --yes", { "not found": ["catalog grant nobody --yes", 8] }),
  operatorRow("catalog revoke", "nothing", "catalog revoke shop --yes", {
    "not found": ["catalog revoke nobody --yes", 0],
  }),
  localRow("catalog check", "text", "catalog check {mine}", {
    "not found": ["catalog check /nowhere", 8],
    "bad input": ["catalog check --limt 3", 2],
  }),
  localRow("catalog schema", "text", "catalog schema", { "bad input": ["catalog schema --limt 3", 2] }),
  localRow("catalog export", "text", "catalog export {mine}", {
    "bad input": ["catalog export {mine} --format xml", 2],
  }),
  localRow("catalog test", "text", "catalog test {mine}", { "not found": ["catalog test /nowhere", 8] }),
  localRow("catalog diff", "text", "catalog diff {mine} {mine}", { "bad input": ["catalog diff {mine}", 2] }),
  localRow("catalog drift", "text", "catalog drift --dir {folder}", { "bad input": ["catalog drift --limt 3", 2] }),
  operatorRow("settings show", "json", "settings show", { "bad input": ["settings show --limt 3", 2] }),
  operatorRow("settings set", "json", "settings set health.freshMinutes=30", {
    "bad input": ["settings set health.freshMinutes=never", 5],
  }),
  localRow("completion", "text", "completion bash", { "bad input": ["completion tcsh", 2] }),
  operatorRow("secrets list", "jsonl", "secrets list", { "bad input": ["secrets list --limt 3", 2] }),
  operatorRow("secrets set", "json", "secrets set {SECRET}", { "bad input": ["secrets set", 2] }),
  operatorRow("secrets verdicts", "jsonl", "secrets verdicts", { "bad input": ["secrets verdicts --limt 3", 2] }),
  operatorRow("secrets test", "json", "secrets test", { "bad input": ["secrets test --limt 3", 2] }),
  operatorRow("secrets remove", "nothing", "secrets remove {secret} --yes", {
    "not found": ["secrets remove NOBODY --yes", 8],
    "bad input": ["secrets remove", 2],
  }),
];

function approvalRows(): Row[] {
  const one = (verb: string, ok: string, badInput = `approvals ${verb}`, prints: Printed = "json") =>
    row(`approvals ${verb}`, prints, ok, {
      "not found": [ok.replace(/\{\w+\}/, "01NONE"), 8],
      "bad input": [badInput, 2],
    });
  return [
    one("show", "approvals show {waiting}"),
    one("approve", "approvals approve {waiting} --yes"),
    one("deny", "approvals deny {waiting}"),
    pages("approvals rules list"),
    one("rules get", "approvals rules get {rule}"),
    one("rules update", "approvals rules update {rule} --above 350"),
    one("rules pause", "approvals rules pause {rule}"),
    one("rules resume", "approvals rules resume {rule}"),
    one("rules delete", "approvals rules delete {newrule} --yes", "approvals rules delete", "nothing"),
    row("approvals rules create", "json", "approvals rules create --above 300", {
      "bad input": ["approvals rules create --above much", 2],
    }),
  ];
}

function scheduleRows(): Row[] {
  const one = (verb: string, ok: string, prints: Printed = "json") =>
    row(`schedules ${verb}`, prints, ok, {
      "not found": [ok.replace(/\{\w+\}/, "01NONE"), 8],
      "bad input": [`schedules ${verb}`, 2],
    });
  return [
    pages("schedules list"),
    row(
      "schedules create",
      "json",
      "schedules create --cron {cron} --tz Europe/Lisbon atlas/time/now zone=Europe/Lisbon",
      {
        "not found": ["schedules create --cron {cron} --tz Europe/Lisbon atlas/nothing", 8],
        "bad input": ["schedules create --cron daily --tz Europe/Lisbon atlas/time/now zone=Europe/Lisbon", 5],
      },
    ),
    one("show", "schedules show {schedule}"),
    one("update", "schedules update {schedule} --budget 5/month"),
    one("pause", "schedules pause {schedule}"),
    one("resume", "schedules resume {schedule}"),
    one("run-now", "schedules run-now {schedule}"),
    one("history", "schedules history {schedule}", "jsonl"),
    one("delete", "schedules delete {schedule} --yes", "nothing"),
  ];
}

function controlRows(group: "budgets" | "caps", made: string, create: string): Row[] {
  const one = (verb: string, ok: string, prints: Printed = "json") =>
    row(`${group} ${verb}`, prints, ok, {
      "not found": [ok.replace(/\{\w+\}/, "01NONE"), 8],
      "bad input": [`${group} ${verb}`, 2],
    });
  return [
    pages(`${group} list`),
    one("get", `${group} get ${made}`),
    one("update", `${group} update ${made} --limit 350`),
    one("pause", `${group} pause ${made}`),
    one("resume", `${group} resume ${made}`),
    one("delete", `${group} delete ${made.replace("{", "{new")} --yes`, "nothing"),
    one("runs", `${group} runs ${made}`, "jsonl"),
    row(`${group} create`, "json", create, { "bad input": [`${group} create --limit much`, 2] }),
  ];
}

function webhookRows(): Row[] {
  const one = (verb: string, words = "", prints: Printed = "json") => {
    // One is deleted once, and its secret is replaced once a day.
    const made = verb === "delete" || verb === "rotate" ? "{newwebhook}" : "{webhook}";
    const ok = `webhooks ${verb} ${made}${words}`;
    return row(`webhooks ${verb}`, prints, ok, {
      "not found": [ok.replace(/\{\w+\}/, "01NONE"), 8],
      "bad input": [`webhooks ${verb}`, 2],
    });
  };
  return [
    row("webhooks list", "jsonl", "webhooks list", { "bad input": ["webhooks list --limt 3", 2] }),
    row("webhooks create", "json", "webhooks create https://hooks.example.com/x", {
      "bad input": ["webhooks create https://10.0.0.1/x", 5],
    }),
    one("show"),
    one("update", " --event run.*"),
    one("test"),
    one("rotate"),
    one("disable"),
    one("enable"),
    one("delete", " --yes", "nothing"),
    one("deliveries", "", "jsonl"),
    one("resend", " --since 1h"),
  ];
}

/** Groups of commands that this table leaves to tests of their own, and why. */
export const elsewhere: Readonly<Record<string, string>> = {
  "catalog add-market": "reads another market: test/market/add-market.test.ts",
  "catalog import": "reads in a thread of the built program: test/import",
  connect: "waits for a person in a browser: test/connections",
  "daemon start": "starts a process: test/cli/start-local-daemon.test.ts",
  "daemon stop": "would end this one: test/cli/start-local-daemon.test.ts",
  "daemon status": "9 is its answer and no error: test/cli/start-local-daemon.test.ts",
  "daemon logs": "test/cli/daemon-logs.test.ts",
  doctor: "looks at this machine: test/doctor",
  login: "asks a person: test/profiles",
  "profile add": "works on profiles of its own: test/profiles",
  "profile list": "test/profiles",
  "profile remove": "test/profiles",
  "profile show": "test/profiles",
  "profile use": "test/profiles",
  "daemon run": "is the daemon itself: test/daemon",
  "daemon reset-owner-key": "works on a folder or a database: test/identity, test/daemon",
  "daemon backup": "test/storage",
  "daemon migrate": "works on a stopped daemon's data: test/offline/migrate-command.test.ts",
  "mcp install": "writes the configuration of other programs: test/mcp/install",
  skill: "asks nobody anything: test/skill",
};
