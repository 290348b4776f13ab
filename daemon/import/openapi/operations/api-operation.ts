import type { Members } from "../../conversion/members.ts";
import type { Located } from "../document/reference-resolver.ts";

/** One parameter in the words of OpenAPI 3, whichever version it came from. */
export interface ApiParameter {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required: boolean;
  readonly description: string;
  readonly schema: Located | undefined;
  /** `tabs` for what only 2.0 has. */
  readonly style: string;
  readonly explode: boolean;
  /** Sent as JSON text, because it is described by `content`. */
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

/** The answer when all went well. */
export interface ApiAnswer {
  readonly status: number;
  readonly description: string;
  readonly media: readonly ApiMedia[];
}

/** One operation of a document in the words of OpenAPI 3, references to its parts followed. */
export interface ApiOperation {
  readonly place: OperationPlace;
  readonly parameters: readonly ApiParameter[];
  readonly body: ApiBody | undefined;
  readonly answer: ApiAnswer | undefined;
}

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] as const;
export type Method = (typeof METHODS)[number];

/** Where an operation stands, and what it says without any reference followed. */
export interface OperationPlace {
  readonly method: Method;
  /** As the document writes it. */
  readonly path: string;
  readonly operation: Members;
  readonly item: Members;
  /** The file in which the operation stands; parameters of the path stand there too. */
  readonly file: string;
}

export function spellOperation({ method, path }: Pick<OperationPlace, "method" | "path">): string {
  return `${method} ${path}`;
}
