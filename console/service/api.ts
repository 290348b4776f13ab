import { type Client, clientOver } from "../../shared/client/client-over.ts";
import { fetchTransport } from "./fetch-transport.ts";
import { endSession, session } from "./session.ts";

/** Where the service is: the page lies in its folder `console/`, whatever stands before that. */
export const baseUrl = new URL("..", location.origin + location.pathname).href.replace(/\/$/, "");

let made: { readonly key: string | undefined; readonly client: Client } | undefined;

/** The typed client with the key of the session. An answer 401 ends the session. */
export function api(): Client {
  const key = session.value?.key;
  if (made === undefined || made.key !== key) {
    const client = clientOver({
      baseUrl,
      key,
      clientKind: "web",
      transport: async (request) => {
        const answer = await fetchTransport(request);
        if (answer.status === 401 && key !== undefined && session.value?.key === key) {
          endSession("Your session has ended. Sign in again.");
        }
        return answer;
      },
    });
    made = { key, client };
  }
  return made.client;
}

export function isAborted(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}
