import type { RequestHandlerExtra } from "@modelcontextprotocol/sdk/shared/protocol.js";
import type { ServerNotification, ServerRequest } from "@modelcontextprotocol/sdk/types.js";

/** What the SDK hands on beside a request: its signal, its session, and the way back to the one who asked. */
export type CallExtra = RequestHandlerExtra<ServerRequest, ServerNotification>;
