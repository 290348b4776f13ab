/** An event as it is told. */
export interface Message {
  readonly type: string;
  /** When it happened. */
  readonly at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const MAX_CHARACTERS = 1_000;

/** One line for a channel. https://api.slack.com/reference/surfaces/formatting, "Escaping text" */
export function slackText(message: Message): string {
  const text = wordsFor(message);
  const cut = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text;
  return cut.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

function wordsFor({ type, data }: Message): string {
  const of = (name: string) => wordOf(data[name]);
  switch (type) {
    case "budget.reached":
      return `The ${of("period").toLowerCase()} budget has reached ${of("percent")} percent: $${of("spentAmount")} of $${of("limitAmount")} are spent.`;
    case "endpoint.outage_began":
      return `${of("provider")}${of("endpoint")} is in an outage: its latest runs all failed.`;
    case "endpoint.outage_ended":
      return `${of("provider")}${of("endpoint")} is no longer in an outage.`;
    case "approval.requested":
      return `Run ${of("runId")} of ${of("provider")}${of("endpoint")} waits for approval until ${of("expiresAt")}: it may cost up to $${moneyOf(data["maximum"])}.`;
    case "secret.failing":
      return `The provider ${of("provider")} refuses its secret.`;
    case "connection.failing":
      return `The account of workspace ${of("workspaceId")} at ${of("provider")}: ${of("why")}`;
    case "schedule.paused":
      return `The schedule ${of("name") || of("scheduleId")} of ${of("provider")}${of("endpoint")} is paused. ${of("message")}`;
    case "webhook.test":
      return "This is a test message of mkt.";
    default:
      return type.startsWith("run.") ? runWords(data) : `${type}: ${factsOf(data)}`;
  }
}

function runWords(data: Message["data"]): string {
  const error = data["error"] as { readonly message?: unknown } | undefined;
  const why = wordOf(error?.message ?? data["reason"]);
  return (
    `Run ${wordOf(data["runId"])} of ${wordOf(data["provider"])}${wordOf(data["endpoint"])}: ${wordOf(data["status"])}` +
    `${data["cost"] === undefined ? "" : `, $${moneyOf(data["cost"])}`}${why === "" ? "" : `. ${why}`}`
  );
}

function factsOf(data: Message["data"]): string {
  return Object.entries(data)
    .filter(([, value]) => typeof value !== "object")
    .map(([name, value]) => `${name} ${wordOf(value)}`)
    .join(", ");
}

function moneyOf(amount: unknown): string {
  return wordOf((amount as { readonly value?: unknown } | undefined)?.value);
}

function wordOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}
