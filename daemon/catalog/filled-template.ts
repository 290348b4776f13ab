/** A path with its parameters filled in, and the template that it matches. */
export interface FilledTemplate {
  readonly template: string;
  /** By the names of the template's parameters, as they stand in the path. */
  readonly values: Readonly<Record<string, string>>;
}

const parameter = /^\{([^{}/]+)\}$/;

/**
 * Finds the template that a path matches: `/country/PT` is `/country/{code}`. Segments are compared one by one. At
 * least one segment must be equal literally; the template with the most equal segments wins.
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
    // The part before the first slash is empty in both.
    else if (index > 0) shared += 1;
  }
  return values.size === 0 ? undefined : { template, values: Object.fromEntries(values), shared };
}
