import type { ImportNotes } from "../../conversion/import-notes.ts";
import type { Members } from "../../conversion/members.ts";
import type { ReferenceResolver } from "../document/reference-resolver.ts";

/** What the security of a document is read from. */
export interface SecurityFacts {
  readonly root: Members;
  readonly isSwagger: boolean;
  readonly resolver: ReferenceResolver;
  readonly notes: ImportNotes;
  readonly slug: string;
  /** Base of relative token addresses: the address of the document. */
  readonly ref: string;
}
