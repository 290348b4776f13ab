import { Webhook as Verifier } from "standardwebhooks";
import type { FakeCall, FakeProvider } from "../support/fake-provider.ts";
import type { Ask } from "../support/request.ts";

/** A message that a receiver took, its signature checked. */
export interface Message {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  // Tests look into data of every event.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

export interface Listening {
  readonly webhookId: string;
  /** Everything that has come so far. Throws for a message that is not signed with the webhook's secret. */
  readonly messages: () => readonly Message[];
}

let listening = 0;

/** A webhook of these events, whose receiver takes everything. */
export async function listen(ask: Ask, receiver: FakeProvider, events: readonly string[]): Promise<Listening> {
  const path = `/hook-${(listening += 1)}`;
  receiver.on(`POST ${path}`, { status: 204 });
  const made = await ask("POST", "/v1/webhooks", { url: `${receiver.url}${path}`, events });
  if (made.status !== 201) throw new Error(made.text);
  const { secret, webhookId } = made.body;
  return {
    webhookId,
    messages: () => receiver.calls.filter((call) => call.path === path).map((call) => read(secret, call)),
  };
}

/** By the library of receivers; the time is the daemon's, which a test may have set. */
function read(secret: string, { text, headers }: FakeCall): Message {
  const [id, at, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    String(headers[name]),
  );
  const signature = new Verifier(secret).sign(id ?? "", new Date(Number(at) * 1_000), text);
  if (signatures?.split(" ").includes(signature) !== true) throw new Error(`the message ${id} is not signed`);
  return { id, ...JSON.parse(text) };
}
