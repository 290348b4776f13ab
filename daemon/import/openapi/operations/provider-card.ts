import { memberOf } from "../../../../shared/member-of.ts";
import { cleanLine, cleanText } from "../../conversion/clean-text.ts";
import { webAddress } from "../../conversion/web-address.ts";
import { docUrlOf } from "./describe-operation.ts";
import { given, type Members, textOf } from "../../conversion/members.ts";
import { words } from "./name-endpoints.ts";
import { NO_ADDRESS } from "./choose-server.ts";

const MAX_SLUG = 60;
/** Words of titles that do not identify the API. */
const GENERIC =
  /^(?:the|rest|restful|http|openapi|swagger|api|apis|specification|spec|documentation|docs|reference|definition|v?\d+(?:-\d+)*)$/;

/** The slug of a provider: the chosen one, otherwise the title without generic words, otherwise the host. */
export function slugFor(chosen: string | undefined, root: Members, baseUrl: string): string {
  if (chosen !== undefined) return chosen;
  const title = words(
    cleanLine(memberOf(memberOf(root, "info"), "title"), 200)
      .normalize("NFKD")
      .replaceAll(/\p{M}/gu, ""),
  );
  const meaningful = title
    .split("-")
    .filter((word) => !GENERIC.test(word))
    .join("-");
  const slug = (meaningful.length >= 3 ? meaningful : fromHost(baseUrl) || meaningful || title)
    .slice(0, MAX_SLUG)
    .replace(/-+$/, "");
  return slug === "" ? "imported" : slug;
}

function fromHost(baseUrl: string): string {
  if (baseUrl === NO_ADDRESS) return "";
  const labels = new URL(baseUrl).hostname.split(".");
  const named = labels
    .slice(0, -1)
    .filter((label) => !/^(?:www\d*|api|apis|rest|sandbox|co|com|dev|developer|\d+)$/.test(label));
  return words(named.at(-1) ?? labels[0] ?? "");
}

/** What the document says of the provider itself. */
export function providerCard(root: Members, slug: string): Readonly<Record<string, unknown>> {
  const info = memberOf(root, "info");
  const title = cleanLine(memberOf(info, "title"), 80);
  const description = cleanText(memberOf(info, "description") ?? memberOf(info, "summary"), 2_000);
  const url = webAddress(textOf(memberOf(info, "contact"), "url"));
  const docUrl = docUrlOf(root) ?? webAddress(textOf(memberOf(info, "x-origin"), "url"));
  return given({
    provider: slug,
    displayName: title === "" ? undefined : title,
    description: description === "" ? undefined : description,
    url,
    docUrl,
  });
}
