/**
 * The address with the relation `next` in a `Link` header; undefined when there is none. Quoted texts may have commas and
 * semicolons, and a link may have several relations. Source: RFC 8288, 3.
 */
export function nextLink(header: unknown): string | undefined {
  if (typeof header !== "string") return undefined;
  for (const [, address = "", parameters = ""] of header.matchAll(LINK)) {
    for (const [, name = "", quoted, plain] of parameters.matchAll(PARAMETER)) {
      if (name.toLowerCase() !== "rel") continue;
      const relations = (quoted ?? plain ?? "").toLowerCase().split(/\s+/);
      if (relations.includes("next")) return address.trim();
      // Only the first one counts.
      break;
    }
  }
  return undefined;
}

// A quote that is never closed reaches to the end, so that the time stays in proportion to the length.
const QUOTED = String.raw`"(?:[^"\\]|\\.?)*(?:"|$)`;
const LINK = new RegExp(String.raw`<([^<>]*)>((?:[^",<]|${QUOTED})*)`, "g");
const PARAMETER = /;\s*([\w!#$&+.^`|~*'-]+)\s*=\s*(?:"((?:[^"\\]|\\.?)*)(?:"|$)|([^\s;,"]+))/g;
