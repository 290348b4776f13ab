import { spellOperation } from "./operations/api-operation.ts";
import type { SkippedOperation } from "../conversion/imported-provider.ts";
import type { OperationDraft } from "./convert-operation.ts";
import type { ManifestSchema } from "./schemas/convert-schema.ts";
import { settleSchemas, type SharedSchemasTools } from "./schemas/shared-schemas.ts";

export interface SettledDrafts {
  /** Input schemas by section; without the operations whose input is too large for any check. */
  readonly sections: ReadonlyMap<OperationDraft, Readonly<Record<string, ManifestSchema>>>;
  readonly shared: ReadonlyMap<string, ManifestSchema>;
}

/** Settles the schemas of all operations together, so that what several of them need is written once. */
export function settleDrafts(
  drafts: readonly OperationDraft[],
  skipped: SkippedOperation[],
  tools: SharedSchemasTools,
): SettledDrafts {
  const all = drafts.flatMap((draft) => [...draft.sections].map(([name, schema]) => ({ draft, name, schema })));
  const settled = settleSchemas(
    all.map(({ schema }) => schema),
    tools,
  );
  const sections = new Map<OperationDraft, Record<string, ManifestSchema>>(drafts.map((draft) => [draft, {}]));
  all.forEach(({ draft, name }, index) => {
    const schema = settled.sections[index];
    const own = sections.get(draft);
    if (schema !== undefined && own !== undefined) {
      own[name] = schema;
    } else if (sections.delete(draft)) {
      const why = `there are more fields in its ${name} than can be checked in bounded time`;
      skipped.push({ operation: spellOperation(draft.place), why });
    }
  });
  return { sections, shared: settled.shared };
}
