import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { Answer } from "../../support/request.ts";
import { endpointsOf, type Endpoint, type OpenApiDocument } from "./document.ts";
import { NEIGHBOURS_MARK } from "./fuzz-market.ts";
import type { FuzzRequest } from "./requests.ts";

/** What the listener answers before a request belongs to an operation; the path may then lead to none. */
const offRoute = [400, 401, 404, 405];

export interface Judge {
  /** What is wrong with an answer, as one sentence each; nothing for a good one. */
  faultsOf(request: FuzzRequest, answer: Answer): string[];
}

/** Holds answers against the document that the service itself gives out. */
export function judgeBy(document: OpenApiDocument, secrets: readonly string[]): Judge {
  const ajv = new Ajv2020({ strict: false, allErrors: false, validateFormats: true });
  addFormats.default(ajv);
  ajv.addSchema(withExtendedEnums(document) as OpenApiDocument, "doc");
  const endpoints = new Map(endpointsOf(document).map((endpoint) => [endpoint.operationId, endpoint]));
  const compiled = new Map<string, ValidateFunction>();
  const validatorOf = ({ operationId, method, path }: Endpoint, status: string) => {
    const name = `${operationId} ${status}`;
    const found = compiled.get(name);
    if (found !== undefined) return found;
    const place = ["paths", path, method.toLowerCase(), "responses", status, "content", "application/json", "schema"];
    const made = ajv.compile({ $ref: `doc#/${place.map(inPointer).join("/")}` });
    compiled.set(name, made);
    return made;
  };

  function faultsOf(request: FuzzRequest, answer: Answer): string[] {
    const endpoint = endpoints.get(request.operationId)!;
    return [
      ...faultsOfStatus(endpoint, request, answer),
      ...faultsOfBody(endpoint, answer),
      ...faultsOfHeaders(answer),
      ...leaksIn(request, answer),
    ];
  }

  function faultsOfStatus({ responses }: Endpoint, request: FuzzRequest, answer: Answer): string[] {
    const { status } = answer;
    if (isMirrored(answer)) return [];
    if (status === 500 || status === 501 || status === 504) return [`${status}`];
    if (String(status) in responses) return [];
    const strays = request.rawParam !== undefined || Object.values(request.params).some((value) => value === "");
    if (strays && offRoute.includes(status)) return [];
    return [`the status ${status} is not declared`];
  }

  function faultsOfBody(endpoint: Endpoint, answer: Answer): string[] {
    const { status, headers, text, body } = answer;
    const declared = endpoint.responses[String(status)];
    const type = (headers.get("content-type") ?? "").split(";")[0] ?? "";
    if (status >= 400) {
      if (body?.code !== status && !isMirrored(answer)) return [`code is ${body?.code}, not ${status}`];
      if (typeof body?.message !== "string" || body.message === "") return ["no message"];
    }
    if (declared === undefined) return [];
    if (declared.content === undefined) return text === "" ? [] : ["a body where none is declared"];
    if (!(type in declared.content)) return [`the type ${type || "(none)"} is not declared`];
    if (type !== "application/json") return [];
    const validate = validatorOf(endpoint, String(status));
    if (validate(body)) return [];
    const [error] = validate.errors ?? [];
    return [`the body is against its schema for ${status}: ${error?.instancePath} ${error?.message}`];
  }

  function faultsOfHeaders(answer: Answer): string[] {
    const { status, headers } = answer;
    const isLimited = status === 429 && !isMirrored(answer);
    const wanted = ["x-request-id", "x-mkt-version", ...(isLimited ? ["retry-after"] : [])];
    return wanted.filter((name) => !headers.has(name)).map((name) => `no ${name} beside ${status}`);
  }

  function leaksIn(request: FuzzRequest, { status, headers, text }: Answer): string[] {
    const all = `${text}\n${[...headers].map((header) => header.join(": ")).join("\n")}`;
    const faults = secrets.filter((secret) => holds(all, secret)).map(() => "a secret is told");
    if (request.as !== "neighbour" && all.includes(NEIGHBOURS_MARK)) faults.push("what is the neighbour's is told");
    // Once, to who made it.
    const mayTellKey = status === 201 && !headers.has("idempotent-replayed");
    if (!mayTellKey && /mkt_live_[A-Za-z0-9]{30,}/.test(all)) faults.push("a whole key is told");
    return faults;
  }

  return { faultsOf };
}

/** With the operator's setting for it, a run is answered with its provider's status: no fault of the service. */
export function isMirrored({ status, body }: Answer): boolean {
  const said = body?.providerResponse?.httpStatus;
  if (typeof body?.runId !== "string" || typeof said !== "number") return false;
  return said === status || (said === 402 && status === 502) || (said === 408 && status === 504);
}

/** Readers let values pass that an enum has not yet; those that we answer stand beside it, and no others are let pass here. */
function withExtendedEnums(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(withExtendedEnums);
  const { "x-enum-extended": more, enum: values, ...rest } = value as Record<string, unknown>;
  const members = Object.entries(rest).map(([name, member]) => [name, withExtendedEnums(member)]);
  const all = Array.isArray(values) && Array.isArray(more) ? [...values, ...more] : values;
  return { ...Object.fromEntries(members), ...(all !== undefined && { enum: all }) };
}

function holds(text: string, secret: string): boolean {
  const forms = [secret, Buffer.from(secret).toString("base64").replace(/=+$/, "")];
  return forms.some((form) => text.includes(form)) || text.toLowerCase().includes(secret.toLowerCase());
}

function inPointer(step: string): string {
  return encodeURIComponent(step.replaceAll("~", "~0").replaceAll("/", "~1"));
}
