import { type Answer, type Ask, askWith, request } from "../support/request.ts";

/** A ticket for whoever asks. */
export async function ticketOf(ask: Ask): Promise<string> {
  const { status, body } = await ask("POST", "/v1/console/tickets");
  if (status !== 201) throw new Error(`no ticket was made: ${JSON.stringify(body)}`);
  return body.ticket;
}

export async function exchange(url: string, ticket: string): Promise<Answer> {
  return await request(`${url}/v1/console/sessions`, "POST", { body: { ticket } });
}

export interface Session {
  readonly key: string;
  readonly keyId: string;
  readonly label: string;
  readonly expiresAt: string;
  readonly workspaceId: string;
  /** With the session's key. */
  readonly ask: Ask;
}

/** A session of the console, opened as a browser does. */
export async function signIn(url: string, ask: Ask): Promise<Session> {
  const { status, body } = await exchange(url, await ticketOf(ask));
  if (status !== 201) throw new Error(`no session was opened: ${JSON.stringify(body)}`);
  return { ...body, ask: askWith(url, body.key) };
}
