/** A path that somebody filled in, and the template it was made from. */
export interface FilledTemplate {
  readonly template: string;
  /** By the names of the template's parameters, as they stand in the path. */
  readonly values: Readonly<Record<string, string>>;
}

const parameter = /^\{([^{}/]+)\}$/;

/**
 * The template that a path fills in: `/country/PT` is `/country/{code}`. Segments are compared one by one; the template
 * must share at least one with the path as it stands, and the one that shares most wins.
 */
export function findFilledTemplate(path: string, templates: Iterable<string>): FilledTemplate | undefined {
  const segments = path.split("/");
  let best: (FilledTemplate & { readonly shared: number }) | undefined;
  for (const template of templates) {
    const found = fill(template, segments);
    if (found !== undefined && found.shared > (best?.shared ?? 0)) best = found;
  }
  return best && { template: best.template, values: best.values };
}

function fill(template: string, segments: readonly string[]): (FilledTemplate & { shared: number }) | undefined {
  const parts = template.split("/");
  if (parts.length !== segments.length) return undefined;
  const values = new Map<string, string>();
  let shared = 0;
  for (const [index, part] of parts.entries()) {
    const segment = segments[index] ?? "";
    const name = parameter.exec(part)?.[1];
    if (name !== undefined && segment !== "") values.set(name, segment);
    else if (part !== segment) return undefined;
    // What stands before the first slash is empty in both.
    else if (index > 0) shared += 1;
  }
  return values.size === 0 ? undefined : { template, values: Object.fromEntries(values), shared };
}
