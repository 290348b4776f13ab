import type { Members } from "../../conversion/members.ts";
import type { Located } from "../document/reference-resolver.ts";

/** One parameter in terms of OpenAPI 3, whatever the version of the document. */
export interface ApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Located | undefined;
  /** `tabs` exists only in 2.0. */
  readonly style: string;
  readonly explode: boolean;
  /** Sent as JSON text, because `content` describes it. */
  readonly isJson: boolean;
  readonly example: unknown;
}

/** One media type of a body or an answer. */
export interface ApiMedia {
  /** In lower case, without parameters. */
  readonly type: string;
  readonly schema: Located | undefined;
  /** By field, of forms: `contentType`, `style`, `explode`. */
  readonly encoding: Members;
  readonly example: unknown;
}

export interface ApiBody {
  readonly required: boolean;
  readonly description: string;
  readonly media: readonly ApiMedia[];
}

/** The answer of a successful call. */
export interface ApiAnswer {
  readonly status: number;
  readonly description: string;
  readonly media: readonly ApiMedia[];
}

/** One operation of a document in terms of OpenAPI 3, with references to its parts resolved. */
export interface ApiOperation {
  readonly place: OperationPlace;
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | undefined;
  readonly answer: ApiAnswer | undefined;
}

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;
export type Method = (typeof METHODS)[number];

/** The location of an operation, and its content with no reference resolved. */
export interface OperationPlace {
  readonly method: Method;
  /** As the document writes it. */
  readonly path: string;
  readonly operation: Members;
  readonly item: Members;
  /** The file of the operation and of the parameters of its path. */
  readonly file: string;
}

export function spellOperation({ method, path }: Pick<OperationPlace, "method" | "path">): string {
  return `${method} ${path}`;
}
