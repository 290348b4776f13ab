import type { ApiOperation, OperationPlace } from "./operations/api-operation.ts";
import { convertBody, type ConvertedBody } from "./requests/convert-body.ts";
import { type ConvertedParameters, convertParameters, type ParameterTools } from "./requests/convert-parameters.ts";
import type { ManifestSchema } from "./schemas/manifest-schema.ts";
import type { OperationSecurity, SecurityReader } from "./security/convert-security.ts";
import { findResults, type FoundResults } from "./requests/find-results.ts";
import { type OperationReader, readOperation } from "./operations/read-operation.ts";
import type { ConversionMeter } from "../conversion/conversion-meter.ts";
import { entriesOf, textOf } from "../conversion/members.ts";
import type { WirePath } from "./operations/wire-path.ts";

/**
 * One converted operation, without what is decided for all of them together: shared schemas, the provider's auth and
 * address.
 */
export interface OperationDraft {
  readonly place: OperationPlace;
  readonly operation: ApiOperation;
  readonly publicPath: string;
  readonly wire: WirePath;
  readonly parameters: ConvertedParameters;
  readonly body: ConvertedBody | undefined;
  readonly security: OperationSecurity;
  readonly results: FoundResults;
  /** By section, in the order of the manifest. */
  readonly sections: ReadonlyMap<"pathParams" | "queryParams" | "body", ManifestSchema>;
}

export interface OperationTools extends ParameterTools {
  readonly reader: OperationReader;
  readonly security: SecurityReader;
  readonly meter: ConversionMeter;
}

/** Throws UnusableReference and CannotConvert, which exclude only this operation. */
export function convertOperation(
  { place, publicPath, wire }: Pick<OperationDraft, "place" | "publicPath" | "wire">,
  tools: OperationTools,
): OperationDraft {
  const operation = readOperation(place, tools.reader);
  const written = operation.body === undefined ? undefined : convertBody(operation.body, place.method, tools);
  const found = tools.security.read(operation);
  const security = written === undefined ? found : withKeysInBody(found, written, place.path, tools);
  const parameters = convertParameters(operation, wire, security, tools);
  const body = written && withoutFields(written, security.inBody ?? new Set());
  const results = findResults(operation.answer, { resolver: tools.reader.resolver, meter: tools.meter });
  const sections = new Map<"pathParams" | "queryParams" | "body", ManifestSchema>();
  if (parameters.pathParams.size > 0) {
    sections.set("pathParams", sectionWith(parameters.pathParams, [...parameters.pathParams.keys()]));
  }
  if (parameters.queryParams.size > 0) {
    sections.set("queryParams", sectionWith(parameters.queryParams, parameters.requiredQuery));
  }
  if (body !== undefined) sections.set("body", body.section);
  return { place, operation, publicPath, wire, parameters, body, security, results, sections };
}

function sectionWith(fields: ReadonlyMap<string, ManifestSchema>, required: readonly string[]): ManifestSchema {
  return { ...(required.length > 0 && { required: [...required] }), properties: Object.fromEntries(fields) };
}

function withKeysInBody(
  found: OperationSecurity,
  { section: { properties, required }, bodyField, encoding }: ConvertedBody,
  path: string,
  { security }: OperationTools,
): OperationSecurity {
  if (bodyField !== undefined || found.unusable !== undefined) return found;
  const needed = new Set<unknown>(Array.isArray(required) ? (required as unknown[]) : []);
  const fields = entriesOf(properties).map(([name, field]) => ({
    name,
    description: textOf(field, "description") ?? "",
    required: needed.has(name),
  }));
  return security.readBody(found, { fields, path, isForm: encoding === "form" || encoding === "multipart" });
}

function withoutFields(body: ConvertedBody, names: ReadonlySet<string>): ConvertedBody {
  if (names.size === 0) return body;
  const { required, properties, ...rest } = body.section;
  const left = entriesOf(properties).filter(([name]) => !names.has(name));
  const needed = Array.isArray(required) ? (required as unknown[]).filter((name) => !names.has(String(name))) : [];
  const section = { ...(needed.length > 0 && { required: needed }), properties: Object.fromEntries(left), ...rest };
  const styles = Object.fromEntries(Object.entries(body.styles).filter(([name]) => !names.has(name)));
  return { ...body, section, styles };
}
