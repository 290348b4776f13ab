import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import {
  type Answer,
  bareType,
  follow,
  type Json,
  type MediaType,
  type Operation,
  readApiDocument,
} from "./api-document.ts";
import { Complaint } from "./decode-values.ts";
import { DocumentSchemas } from "./document-schemas.ts";
import { isOfType, judgeBody, toComparable } from "./judge-body.ts";
import { type DecodedParameters, judgeParameters, judgeUndeclaredHeaders } from "./judge-parameters.ts";
import { complainOfTokenRequest, judgeSecurity, keyPlaces } from "./judge-security.ts";
import { makeValue } from "./make-value.ts";
import { matchOperations, type PathMatch } from "./path-template.ts";
import { headerOf, type UpstreamRequest } from "./upstream-request.ts";

/** One request as the document reads it. */
export interface UpstreamCall {
  /** Such as `GET /users/{id}`; undefined when nothing in the document is meant. */
  readonly operation: string | undefined;
  /** As it came, with its query. */
  readonly url: string;
  readonly parameters: DecodedParameters;
  /** Bytes as base64. */
  readonly body: unknown;
  readonly complaints: readonly string[];
}

export interface OpenApiUpstream extends AsyncDisposable {
  /** `http://127.0.0.1:port`, without a path. */
  readonly origin: string;
  /** Gives tokens for client credentials. */
  readonly tokenUrl: string;
  /** In the order of arrival. */
  readonly calls: readonly UpstreamCall[];
  /** All that was wrong with the requests so far, each with what it is about. */
  readonly complaints: readonly string[];
  /** Schemas of the document that no validator takes: what they describe was not judged. */
  readonly unusableSchemas: ReadonlySet<string>;
}

export interface UpstreamOptions {
  /** Keys, tokens, names and passwords that callers may prove themselves by. */
  readonly credentials?: readonly string[];
}

const TOKEN_PATH = "/stand-in/token";
/** Opens every operation that asks for a token. */
export const ISSUED_TOKEN = "token-that-the-stand-in-issued";

/**
 * A real HTTP server on a free port of loopback that stands in for the API that an OpenAPI document of any version
 * describes. It judges every request by the document alone, and answers a valid one with the document's example, or with
 * a value made of the answer's schema; any other with 400 and what is wrong with it.
 */
export async function startOpenApiUpstream(
  root: Json,
  { credentials = [] }: UpstreamOptions = {},
): Promise<OpenApiUpstream> {
  const document = readApiDocument(root);
  const schemas = new DocumentSchemas(document);
  const known = new Set([...credentials, ISSUED_TOKEN]);
  const calls: UpstreamCall[] = [];
  const complaints: string[] = [];
  const server = createServer((incoming, response) => {
    void readRequest(incoming).then((request) => {
      if (request.path === TOKEN_PATH) {
        giveToken(complainOfTokenRequest(request, known), complaints, response);
        return;
      }
      const { call, match } = judge(document.operations, request, schemas, known);
      calls.push(call);
      for (const complaint of call.complaints) complaints.push(`${request.method} ${call.url}: ${complaint}`);
      give(match?.operation, call, { request, schemas, root }, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    tokenUrl: `${origin}${TOKEN_PATH}`,
    calls,
    complaints,
    unusableSchemas: schemas.unusable,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function readRequest(incoming: IncomingMessage): Promise<UpstreamRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const { method = "", url = "", headers } = incoming;
  const at = url.indexOf("?");
  const [path, query] = at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
  return { method, path, query, headers, bytes: Buffer.concat(chunks) };
}

interface Judged {
  readonly call: UpstreamCall;
  readonly match?: PathMatch;
}

/** Of several operations that a path may mean alike, the one that finds least wrong. */
function judge(
  operations: readonly Operation[],
  request: UpstreamRequest,
  schemas: DocumentSchemas,
  credentials: ReadonlySet<string>,
): Judged {
  const matches = matchOperations(operations, request.method, request.path);
  const judged = matches.map((match) => ({ match, call: judgeAs(match, request, schemas, credentials) }));
  const [best] = judged.sort((one, other) => one.call.complaints.length - other.call.complaints.length);
  if (best !== undefined) return best;
  const parameters = { path: {}, query: {}, header: {}, cookie: {} };
  const complaint = "the document has no such method and path";
  return { call: { operation: undefined, url: urlOf(request), parameters, body: undefined, complaints: [complaint] } };
}

function urlOf({ path, query }: UpstreamRequest): string {
  return query === "" ? path : `${path}?${query}`;
}

function judgeAs(
  match: PathMatch,
  request: UpstreamRequest,
  schemas: DocumentSchemas,
  credentials: ReadonlySet<string>,
): UpstreamCall {
  const { operation } = match;
  const places = keyPlaces(operation);
  const complaints: string[] = [];
  const judging = { request, match, schemas, keysInQuery: places.query, complaints };
  const parameters = judgeParameters(judging);
  judgeUndeclaredHeaders(judging, places);
  complaints.push(...judgeSecurity(operation, request, credentials), ...complainOfAccept(operation.answer, request));
  let body: unknown;
  try {
    body = toComparable(judgeBody(operation.body, request, schemas));
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    complaints.push(error.message);
  }
  return { operation: `${operation.method} ${operation.path}`, url: urlOf(request), parameters, body, complaints };
}

function complainOfAccept({ media }: Answer, request: UpstreamRequest): readonly string[] {
  if (media.length === 0 || acceptedMedia(media, request) !== undefined) return [];
  return [
    `it accepts ${headerOf(request, "accept") ?? "nothing"}, and the answer is ${media.map(({ type }) => type).join(", ")}`,
  ];
}

/** The first that the request asks for, in the order in which it does. */
function acceptedMedia(media: readonly MediaType[], request: UpstreamRequest): MediaType | undefined {
  const ranges = (headerOf(request, "accept") ?? "*/*").split(",").map(bareType);
  for (const range of ranges) {
    const found = media.find(({ type }) => isOfType(type, range) || isOfType(range, type));
    if (found !== undefined) return found;
  }
  return undefined;
}

function giveToken(complaint: string | undefined, complaints: string[], response: ServerResponse): void {
  if (complaint !== undefined) complaints.push(complaint);
  const body =
    complaint === undefined
      ? { access_token: ISSUED_TOKEN, token_type: "Bearer", expires_in: 3600 }
      : { error: complaint };
  response.writeHead(complaint === undefined ? 200 : 401, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

interface Answering {
  readonly request: UpstreamRequest;
  readonly schemas: DocumentSchemas;
  readonly root: Json;
}

function give(
  operation: Operation | undefined,
  call: UpstreamCall,
  answering: Answering,
  response: ServerResponse,
): void {
  if (operation === undefined || call.complaints.length > 0) {
    response.writeHead(400, { "content-type": "application/json" });
    response.end(JSON.stringify({ complaints: call.complaints }));
    return;
  }
  const { status, media } = operation.answer;
  const chosen = acceptedMedia(media, answering.request);
  if (chosen === undefined) {
    response.writeHead(status).end();
    return;
  }
  const type = chosen.type.includes("*") || chosen.type === "" ? "application/json" : chosen.type;
  response.writeHead(status, { "content-type": type });
  response.end(status === 204 || status === 205 ? undefined : bodyOf(type, chosen, answering));
}

function bodyOf(type: string, { schema, example }: MediaType, { root, schemas }: Answering): string | Buffer {
  const follows = { follow: (value: unknown) => follow(root, value), isFull: true };
  if (/[/+]json$/.test(type)) return JSON.stringify(example ?? makeValue(schema ?? {}, follows) ?? null);
  if (typeof example === "string") return example;
  return schemas.isFile(schema) ? Buffer.from([0x89, 0x50, 0x4e, 0x47, 0]) : "an answer as text";
}
