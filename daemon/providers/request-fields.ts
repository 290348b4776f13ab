/** How lists are spelled in a query or a form: `a=1&a=2`, `a=1,2` or `a[]=1&a[]=2`. */
export type ArrayStyle = "repeat" | "comma" | "brackets";
export type Field = readonly [name: string, value: string];

/** Named values as flat fields. Objects become `a[b]=c`; null and undefined are left out. */
export function toFields(values: Readonly<Record<string, unknown>>, arrays: ArrayStyle): readonly Field[] {
  return Object.entries(values).flatMap(([name, value]) => fieldsOf(name, value, arrays));
}

function fieldsOf(name: string, value: unknown, arrays: ArrayStyle): readonly Field[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return listFields(name, value, arrays);
  if (typeof value === "object") {
    return Object.entries(value).flatMap(([key, inner]) => fieldsOf(`${name}[${key}]`, inner, arrays));
  }
  return [[name, String(value)]];
}

function listFields(name: string, list: readonly unknown[], arrays: ArrayStyle): readonly Field[] {
  const items = list.filter((item) => item !== undefined && item !== null);
  if (items.some((item) => typeof item === "object")) {
    return items.flatMap((item, index) => fieldsOf(`${name}[${index}]`, item, arrays));
  }
  if (arrays === "comma") return items.length === 0 ? [] : [[name, items.join(",")]];
  const spelled = arrays === "brackets" ? `${name}[]` : name;
  return items.map((item) => [spelled, String(item)] as const);
}

/** A query without the question mark; a blank is `%20`, which every server reads alike. */
export function toQueryString(fields: readonly Field[]): string {
  return fields.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

function encode(text: string): string {
  const wellFormed = text.replace(/\p{Surrogate}/gu, "\ufffd");
  return encodeURIComponent(wellFormed).replaceAll("%5B", "[").replaceAll("%5D", "]");
}
