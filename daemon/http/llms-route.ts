import { operations } from "../../shared/contract/index.ts";
import { toLlmsText } from "../../shared/llms-text.ts";
import { reply, type Route, route } from "./route.ts";
import { TextStream } from "./text-stream.ts";

/** What the service is, for language models, made from the same list that the routes are. */
export function llmsRoute(): Route {
  return route(operations.getLlmsText, () =>
    reply(200, new TextStream("text/plain; charset=utf-8", oneTextOf(toLlmsText(operations)))),
  );
}

async function* oneTextOf(text: string): AsyncGenerator<string> {
  yield text;
}
