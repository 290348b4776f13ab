import { STATUS_CODES, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { ApiError } from "../../../shared/errors.ts";
import type { ErrorResponse } from "./error-response.ts";

/** Headers of every answer, errors included. docs/contract.md, "Requests and answers". */
function commonHeaders(requestId: string, version: string): Record<string, string> {
  return {
    "x-request-id": requestId,
    "x-mkt-version": version,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

/** Puts the common headers on an answer that is not begun. */
export function setCommonHeaders(response: ServerResponse, requestId: string, version: string): void {
  const headers = commonHeaders(requestId, version);
  for (const name in headers) response.setHeader(name, headers[name] ?? "");
}

/** Whether it may serve as the id of its request. docs/contract.md, "Requests and answers". */
export function isRequestId(incoming: string | string[] | undefined): incoming is string {
  return typeof incoming === "string" && /^[A-Za-z0-9._-]{1,128}$/.test(incoming);
}

/** Answers an error before routing; common headers are on the response already. */
export function sendError(response: ServerResponse, error: ErrorResponse): void {
  const body = JSON.stringify(error.body);
  response.writeHead(error.status, {
    ...error.headers,
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** Answers a probe with the status alone, and does not say which version it is. */
export function sendStatus(response: ServerResponse, status: string): void {
  const body = JSON.stringify({ status });
  response.removeHeader("x-mkt-version");
  response.writeHead(200, {
    connection: "close",
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** The error for what the HTTP parser could not read. docs/contract.md, "Statuses". */
export function toParserError(cause: Error & { code?: string }): ApiError {
  switch (cause.code) {
    case "HPE_HEADER_OVERFLOW":
      return new ApiError("headTooLarge", "The head of the request is larger than this service accepts", { cause });
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return new ApiError("tooLarge", "The chunk extensions of the body are larger than this service accepts", {
        cause,
      });
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return new ApiError("timedOut", "The request did not arrive in time", { cause });
    default:
      return new ApiError("invalidInput", `The request is not valid HTTP/1.1 (${cause.code ?? "parse error"})`, {
        cause,
      });
  }
}

/** Writes a whole answer to a socket that has no request on it, and ends it. */
export function writeRawError(
  socket: Socket,
  error: ApiError,
  { requestId, version }: { readonly requestId: string; readonly version: string },
): void {
  const body = JSON.stringify(error.toBody());
  const headers = {
    ...commonHeaders(requestId, version),
    ...error.headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}
