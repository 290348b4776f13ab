import { isRecord } from "../../shared/is-record.ts";
import type { EndpointInputSchemas } from "../catalog/entries/catalog-entry.ts";
import type { InputSections } from "../manifest/input-sections.ts";
import { declaredProperties } from "../manifest/json-schema-walk.ts";
import type { NextPage } from "./next-page.ts";

/** A page that a field of the call asks for. */
export type PageField = Extract<NextPage, { kind: "field" }>;

/** The input with the field that asks for another page. */
export function withPageField(input: InputSections, page: PageField, schemas: EndpointInputSchemas): InputSections {
  const section = sectionOf(page);
  return { ...input, [section]: withMember(input[section], pathOf(page, schemas), page.value) };
}

/** Whether callers may give the field that asks for another page. */
export function isDeclared(page: PageField, schemas: EndpointInputSchemas): boolean {
  let schema: unknown = schemas[sectionOf(page)];
  for (const name of pathOf(page, schemas)) {
    if (!isRecord(schema)) return false;
    const declared = declaredProperties(schema);
    if (!declared.has(name)) return false;
    schema = declared.get(name);
  }
  return true;
}

function sectionOf(page: PageField): "body" | "queryParams" {
  return page.in === "body" ? "body" : "queryParams";
}

/**
 * In a body, `page.cursor` is the member `cursor` of `page`, unless the input declares a member of the whole name, which
 * also extractors read first.
 */
function pathOf(page: PageField, schemas: EndpointInputSchemas): readonly string[] {
  if (page.in === "query") return [page.name];
  const isOneName = schemas.body !== undefined && declaredProperties(schemas.body).has(page.name);
  return isOneName ? [page.name] : page.name.split(".");
}

function withMember(value: unknown, [name, ...rest]: readonly string[], member: unknown): unknown {
  if (name === undefined) return member;
  const members = isRecord(value) ? value : {};
  return { ...members, [name]: withMember(members[name], rest, member) };
}
