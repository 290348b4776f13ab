import type { Operation } from "../../shared/contract/operation.ts";
import type { RequestOptions } from "../support/request.ts";

/** Values that make a path of `nimbus`, the market's provider of weather, or of something that nobody has. */
const params: Readonly<Record<string, string>> = {
  provider: "nimbus",
  endpoint: "now",
  kind: "phone-number",
  name: "EXAMPLE_SECRET",
};

const document = JSON.stringify({
  openapi: "3.0.0",
  info: { title: "Acme", version: "1" },
  servers: [{ url: "https://api.example.com" }],
  paths: { "/x": { get: { responses: { 200: { description: "ok" } } } } },
});

const bodies: Readonly<Record<string, object>> = {
  beginConnection: { provider: "nimbus" },
  completeConnection: { code: "2345-6789" },
  startRun: { provider: "nimbus", endpoint: "/now", input: { city: "Lisbon" } },
  inspectEndpoint: { provider: "nimbus", endpoint: "/now" },
  createApiKey: { label: "example" },
  updateApiKey: { label: "another" },
  createAdminWorkspace: { name: "Example" },
  createAdminUser: { username: "someone", workspaceId: "default" },
  createAdminApiKey: { label: "example" },
  creditWallet: { amount: { value: 1, currency: "USD" }, reason: "example" },
  debitWallet: { amount: { value: 1, currency: "USD" }, reason: "example" },
  updateAdminSettings: { discoverFloor: 0.2 },
  putSecret: { value: "example" },
  openConsoleSession: { ticket: "example" },
  createBackup: { directory: "relative" },
  previewImport: { document },
  importDocument: { document, provider: "example-acme" },
  createGrant: { provider: "nimbus" },
  putPrice: { provider: "nimbus", price: { type: "PER_CALL", amount: { value: 0.01, currency: "USD" } } },
  createBudget: { period: "DAY", limitAmount: { value: 5, unit: "DOLLAR", currency: "USD" } },
  updateBudget: { status: "PAUSED" },
  createRunCap: { limitAmount: { value: 5, unit: "DOLLAR", currency: "USD" } },
  createSchedule: { cron: "0 7 1 1 *", provider: "nimbus", endpoint: "/now", input: { city: "Lisbon" } },
  updateRunCap: { status: "PAUSED" },
  createApprovalRule: { limitAmount: { value: 500, unit: "DOLLAR", currency: "USD" } },
  updateApprovalRule: { status: "PAUSED" },
  denyRun: {},
  createWebhook: { url: "https://hooks.invalid/x", events: ["schedule.paused"] },
  updateWebhook: { name: "another" },
  updateSchedule: { overlap: true },
  rotateWebhookSecret: { overlapHours: 1 },
  resendWebhookDeliveries: { since: "2026-11-21T10:00:00.000Z" },
  quoteRun: { provider: "nimbus", endpoint: "/now", input: { city: "Lisbon" } },
};

/** The operation's path with something in each place; `id` names the run, key, resource or workspace that is asked for. */
export function examplePath({ path, query }: Operation, id = "01JD0000000000000000000000"): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => params[name] ?? id);
  const needsQuery = query !== undefined && !query.safeParse({}).success;
  return needsQuery ? `${filled}?q=weather` : filled;
}

/** Whether the example path names a run, key, resource or control that nobody has. */
export function namesNothing({ path }: Operation): boolean {
  return /\{(?!provider|endpoint|kind)\w+\}/.test(path);
}

/** A body that the operation takes, if it takes one. */
export function exampleRequest({ operationId, body }: Operation): RequestOptions {
  return body === undefined ? {} : { body: bodies[operationId] ?? { q: "weather" } };
}
