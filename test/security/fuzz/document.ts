/** An OpenAPI 3.1 document as it came over the wire, as far as fuzzing reads it. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
  };
}

export interface OperationObject {
  readonly operationId: string;
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly security: readonly unknown[];
}

export interface ResponseObject {
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly content?: Content;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required: boolean;
  readonly schema: Schema;
}

interface Reference {
  readonly $ref: string;
}

/** The part of JSON Schema that the document uses. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
}

/** One operation with its place in the document. */
export interface Endpoint {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** Asks for no credentials. */
  readonly open: boolean;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly responses: OperationObject["responses"];
}

/** Every operation of the document, so that a new route is fuzzed as soon as it is declared. */
export function endpointsOf(document: OpenApiDocument): Endpoint[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path,
      open: operation.security.length === 0,
      parameters: (operation.parameters ?? []).map((parameter) =>
        "$ref" in parameter ? document.components.parameters[nameIn(parameter.$ref)]! : parameter,
      ),
      body: operation.requestBody?.content["application/json"]?.schema,
      responses: operation.responses,
    })),
  );
}

export function nameIn(reference: string): string {
  return reference.slice(reference.lastIndexOf("/") + 1);
}
