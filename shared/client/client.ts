import { type Client, type ClientOptions, clientOver } from "./client-over.ts";
import { nodeTransport } from "./node-transport.ts";

export type { CallableOperation, CallOptions, Client, ClientKind, ClientOptions } from "./client-over.ts";

export function createClient(options: ClientOptions): Client {
  return clientOver({ ...options, transport: options.transport ?? nodeTransport() });
}
