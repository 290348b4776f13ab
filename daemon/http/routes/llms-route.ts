import { operations } from "../../../shared/contract/index.ts";
import { toLlmsText } from "../../../shared/llms-text.ts";
import { FixedDocument } from "../answers/fixed-document.ts";
import { reply, type Route, route } from "./route.ts";

/** Describes the service for language models, from the same list as the routes. Built at the first request. */
export function llmsRoute(): Route {
  let document: FixedDocument<string> | undefined;
  return route(operations.getLlmsText, () => {
    document ??= new FixedDocument("text/plain; charset=utf-8", toLlmsText(operations));
    return reply(200, document);
  });
}
