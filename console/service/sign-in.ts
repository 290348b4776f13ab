import { type Client, clientOver } from "../../shared/client/client-over.ts";
import { ServiceError } from "../../shared/client/service-error.ts";
import type { ConsoleSignIn } from "../../shared/contract/console.ts";
import { fetchTransport } from "./fetch-transport.ts";
import { api, baseUrl } from "./api.ts";
import { finishLogin } from "./provider-login.ts";
import { beginSession, endSession } from "./session.ts";

/** What the address brought along. */
export type Credential =
  | { readonly kind: "ticket"; readonly ticket: string; readonly from: "here" | "elsewhere" | "unknown" }
  | { readonly kind: "answer"; readonly query: URLSearchParams };

/** What only the reader can say. */
export interface Reader {
  /** Whether it was they who opened the address. */
  confirm(): Promise<boolean>;
  choose(workspaces: readonly Workspace[]): Promise<Workspace>;
}

export interface Workspace {
  readonly workspaceId: string;
  readonly slug: string | null;
}

/**
 * What the address brings along: a ticket in the fragment, or the answer of the identity provider in the query. It is
 * taken out of the address, and so out of the history, before anything else happens. Only when the page is opened: a
 * fragment that changes later may come from anywhere.
 */
export function takeCredential(): Credential | undefined {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  const query = new URLSearchParams(location.search);
  const isAnswer = query.has("state") && (query.has("code") || query.has("error"));
  if (ticket === null && !isAnswer) return undefined;
  history.replaceState(null, "", `${location.pathname}#/`);
  if (ticket === null) return { kind: "answer", query };
  const { from } = document.documentElement.dataset;
  return { kind: "ticket", ticket, from: from === "elsewhere" || from === "unknown" ? from : "here" };
}

/** Signs in with it; resolves with where the reader wanted to be, if that is known. */
export async function signInWith(credential: Credential, reader: Reader): Promise<string | undefined> {
  if (credential.kind === "answer") return await signInWithAnswer(credential.query, reader);
  // A link of another site must not sign anybody in as whoever made it. docs/console.md, "Signing in"
  if (credential.from === "elsewhere") {
    throw new Error("A link of another page cannot sign you in. Type mkt console, or paste its address here yourself.");
  }
  if (credential.from === "unknown" && !(await reader.confirm())) return undefined;
  await exchange(credential.ticket);
  return undefined;
}

/** The access token is used for this alone, and kept nowhere: the page goes on with a session that can be revoked. */
async function signInWithAnswer(query: URLSearchParams, reader: Reader): Promise<string> {
  const { token, place } = await finishLogin(query);
  const workspaceId = await workspaceOf(clientWith(token), reader);
  const { ticket } = await clientWith(token, workspaceId).createConsoleTicket();
  await exchange(ticket);
  return place;
}

/** That of the token's organisation, or the person's only one, or the one that they choose. */
async function workspaceOf(client: Client, reader: Reader): Promise<string> {
  const { workspace } = await client.whoami().catch((error: unknown) => {
    throw error instanceof ServiceError && error.status === 401 ? notAccepted(error) : error;
  });
  if (workspace !== undefined) return workspace.workspaceId;
  const { workspaces } = await client.listWorkspaces();
  const [only] = workspaces;
  if (only === undefined) {
    throw new Error("You are in no workspace of this service yet. Ask its operator to add you to one.");
  }
  return workspaces.length === 1 ? only.workspaceId : (await reader.choose(workspaces)).workspaceId;
}

function notAccepted(cause: ServiceError): Error {
  return new Error(
    "This service does not accept the access token of the identity provider: it may be for another service. Its operator compares MKT_JWT_AUDIENCE with what the provider puts into aud.",
    { cause },
  );
}

function clientWith(key?: string, workspaceId?: string): Client {
  return clientOver({ baseUrl, key, workspaceId, clientKind: "web", transport: fetchTransport });
}

async function exchange(ticket: string): Promise<void> {
  const { key, expiresAt } = await clientWith().openConsoleSession({ body: { ticket } });
  beginSession({ key, expiresAt });
}

/** How people sign in here; a service that does not say takes tickets. */
export async function readWay(): Promise<ConsoleSignIn> {
  return await clientWith()
    .getConsoleSignIn()
    .catch(() => ({ kind: "ticket" }));
}

/** Revokes the key of the session; one that has ended already is just forgotten. */
export async function signOut(): Promise<void> {
  const revoked = api().closeConsoleSession();
  endSession();
  await revoked.catch(() => {});
}
