import { memberOf } from "../../../shared/member-of.ts";
import { isDeepStrictEqual } from "node:util";
import type { Call } from "../../manifest/manifest.ts";
import { checkFields } from "./check-fields.ts";
import {
  type ArrivalFacts,
  credentialParts,
  type ExpectedPart,
  fixedParts,
  mergedBody,
  partsOf,
} from "./expected-parts.ts";
import { isRecord } from "../../../shared/is-record.ts";
import { jsonOf } from "./plain-json.ts";
import type { Arrival } from "./stand-in.ts";

/**
 * Checks that a body has its declared encoding, and the values of the caller and the manifest. Returns what is wrong,
 * in words.
 */
export async function checkArrivedBody({ body, headers }: Arrival, facts: ArrivalFacts): Promise<string[]> {
  const { call, scope, callerInput } = facts;
  const encoding = call.encoding ?? "json";
  const whole = "bodyField" in call ? call.bodyField : undefined;
  if (whole !== undefined) return checkWholeBody(body, memberOf(callerInput?.body, whole), encoding);
  const expected = [
    ...fixedParts(call.body, scope, callerInput?.body),
    ...partsOf(callerInput?.body),
    ...credentialParts(facts, "body"),
  ];
  if (body.length === 0) return expected.map(({ name }) => `${name} of the body is missing: no body came`);
  switch (encoding) {
    case "json":
      return checkJsonBody(body.toString(), facts);
    case "form":
      return checkFields([...new URLSearchParams(body.toString())], expected, { place: "body" });
    case "multipart":
      return await checkMultipart(body, headers["content-type"] ?? "", expected);
    default:
      return [`a body came; the manifest says encoding: ${encoding} and no bodyField`];
  }
}

function checkWholeBody(body: Buffer, value: unknown, encoding: NonNullable<Call["encoding"]>): string[] {
  if (value === undefined) return [];
  return isDeepStrictEqual(wholeValue(body, encoding), value) ? [] : ["the body is not what the input says it is"];
}

function wholeValue(body: Buffer, encoding: NonNullable<Call["encoding"]>): unknown {
  if (encoding === "bytes") return body.toString("base64");
  return encoding === "text" ? body.toString() : jsonOf(body.toString());
}

function checkJsonBody(text: string, facts: ArrivalFacts): string[] {
  const came = jsonOf(text);
  if (!isRecord(came)) return ["the body is no JSON object"];
  const { call, scope, callerInput } = facts;
  const wanted = new Map(Object.entries(mergedBody(callerInput?.body, call.body ?? {}, scope)));
  for (const { name, value } of credentialParts(facts, "body")) wanted.set(name, value);
  const names = new Set([...wanted.keys(), ...Object.keys(came)]);
  return [...names].flatMap((name) => {
    const [is, should] = [memberOf(came, name), wanted.get(name)];
    if (isDeepStrictEqual(is, should)) return [];
    if (should === undefined) return [`${name} of the body came, and is neither the caller's nor a fixed part`];
    return [is === undefined ? `${name} of the body is missing` : `${name} of the body came with another value`];
  });
}

async function checkMultipart(body: Buffer, type: string, expected: readonly ExpectedPart[]): Promise<string[]> {
  const form = await new Response(body, { headers: { "content-type": type } }).formData().catch(() => undefined);
  if (form === undefined) return ["the body is no multipart form"];
  const fields = await Promise.all(
    [...form].map(async ([name, value]) => [name, typeof value === "string" ? value : await textOf(value)] as const),
  );
  return checkFields(fields, expected.map(asFile), { place: "body" });
}

/** A JSON part as its text, other files as base64. */
async function textOf(file: Blob): Promise<string> {
  const bytes = Buffer.from(await file.arrayBuffer());
  return /json/.test(file.type) ? bytes.toString() : bytes.toString("base64");
}

/** `{base64, filename?, contentType?}` arrives as a file of those bytes. */
function asFile({ name, value }: ExpectedPart): ExpectedPart {
  return { name, value: memberOf(value, "base64") ?? value };
}
