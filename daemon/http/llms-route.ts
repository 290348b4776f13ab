import { operations } from "../../shared/contract/index.ts";
import { toLlmsText } from "../../shared/llms-text.ts";
import { FixedDocument } from "./fixed-document.ts";
import { reply, type Route, route } from "./route.ts";

/** What the service is, for language models, made from the same list that the routes are; built when first asked for. */
export function llmsRoute(): Route {
  let document: FixedDocument<string> | undefined;
  return route(operations.getLlmsText, () => {
    document ??= new FixedDocument("text/plain; charset=utf-8", toLlmsText(operations));
    return reply(200, document);
  });
}
