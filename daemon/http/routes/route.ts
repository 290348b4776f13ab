import type { z } from "zod";
import type { Operation } from "../../../shared/contract/operation.ts";
import type { Caller, WorkspaceCaller } from "../callers/caller.ts";
import type { ClientKind } from "../../../shared/hints/client-kind.ts";
import type { FixedDocument } from "../answers/fixed-document.ts";
import type { RequestStamp } from "./request-stamp.ts";
import type { TextStream } from "../answers/text-stream.ts";

type Parsed<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;
type Sent<Schema> = Schema extends z.ZodType ? z.input<Schema> : undefined;
type Streamed<Op> = Op extends { readonly streams: readonly string[] } ? TextStream : never;
type Member<Op, Name extends string> = Op extends { readonly [K in Name]: infer Schema } ? Parsed<Schema> : undefined;

type CallerOf<Op extends Operation> = Op["auth"] extends "none"
  ? undefined
  : Op["auth"] extends "user"
    ? Caller
    : WorkspaceCaller;

/** What a handler gets: everything is checked against the operation, and typed by it. */
export interface HandlerRequest<Op extends Operation> {
  readonly params: Member<Op, "params">;
  readonly query: Member<Op, "query">;
  readonly body: Member<Op, "body">;
  readonly headers: Member<Op, "headers">;
  readonly caller: CallerOf<Op>;
  /** Undefined for an unknown kind, whose answers carry no hints. */
  readonly client: ClientKind | undefined;
  readonly requestId: string;
  /** Present for a request with an Idempotency-Key: store it with what the request makes. */
  readonly idempotency: RequestStamp | undefined;
  /** Aborts when the caller hangs up before the answer is sent, or when draining has run out of time. */
  readonly signal: AbortSignal;
  /** Leaves the thread to other requests; for work that takes it for many milliseconds. */
  readonly pause: () => Promise<void>;
}

export interface Reply<Status extends number = number, Body = unknown> {
  readonly status: Status;
  readonly body: Body;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The replies that an operation allows: each declared status with its own body, fixed or not, or with a stream where it has some. */
export type ReplyOf<Op extends Operation> = {
  [Status in keyof Op["responses"] & number]: Reply<
    Status,
    Sent<Op["responses"][Status]> | FixedDocument<Sent<Op["responses"][Status]>> | Streamed<Op>
  >;
}[keyof Op["responses"] & number];

/** One operation with the code that answers it, types erased: what the server mounts. */
export interface Route {
  readonly operation: Operation;
  readonly handle: (request: HandlerRequest<Operation>) => Promise<Reply>;
}

/** An answer; a status without a body takes `undefined`. */
export function reply<const Status extends number, Body>(
  status: Status,
  body: Body,
  headers?: Readonly<Record<string, string>>,
): Reply<Status, Body> {
  return headers === undefined ? { status, body } : { status, body, headers };
}

/** Binds a handler to an operation. A handler is unpack, one service call, reply; whatever it throws becomes an error. */
export function route<const Op extends Operation>(
  operation: Op,
  handler: (request: HandlerRequest<Op>) => Promise<ReplyOf<Op>> | ReplyOf<Op>,
): Route {
  return {
    operation,
    // The server has already parsed the request with this operation.
    handle: async (request) => await handler(request as unknown as HandlerRequest<Op>),
  };
}
