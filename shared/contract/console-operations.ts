import { ConsoleSession, ConsoleSignIn, ConsoleTicket, OpenConsoleSessionRequest } from "./console.ts";
import { defineOperation } from "./operation.ts";
import { operationPaths } from "./operation-paths.ts";

const console = { tier: "mkt", tag: "Console" } as const;

/** Signing in to the console in a browser. docs/console.md, "Signing in". */
export const consoleOperations = {
  createConsoleTicket: defineOperation({
    ...operationPaths.createConsoleTicket,
    ...console,
    summary: "Open the console in a browser",
    description:
      "A ticket that is exchanged once, within 60 seconds, for a session that may do what these credentials may. A session cannot ask for one.",
    auth: "workspace",
    responses: { 201: ConsoleTicket },
    errors: [404],
  }),
  openConsoleSession: defineOperation({
    ...operationPaths.openConsoleSession,
    ...console,
    summary: "Exchange a ticket for a session",
    description:
      "The session acts as the key that asked for the ticket, with its limits. It ends with that key, when it is revoked, and after 12 hours at most.",
    auth: "none",
    body: OpenConsoleSessionRequest,
    responses: { 201: ConsoleSession },
    errors: [401, 404],
  }),
  closeConsoleSession: defineOperation({
    ...operationPaths.closeConsoleSession,
    ...console,
    summary: "Sign out: end the session that asks",
    auth: "workspace",
    responses: { 204: null },
    errors: [404, 409],
  }),
  getConsoleSignIn: defineOperation({
    ...operationPaths.getConsoleSignIn,
    ...console,
    summary: "How to sign in to the console",
    auth: "none",
    responses: { 200: ConsoleSignIn },
    errors: [404],
  }),
};
