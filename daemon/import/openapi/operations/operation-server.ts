import { memberOf } from "../../../../shared/member-of.ts";
import type { OperationPlace } from "./api-operation.ts";
import { type ChosenServer, chooseServer, givenServer, swaggerServers } from "./choose-server.ts";
import { ImportRefused } from "../../conversion/imported-provider.ts";
import { listOf, type Members } from "../../conversion/members.ts";

export interface ServerFacts {
  readonly root: Members;
  readonly isSwagger: boolean;
  /** File or address of the document. */
  readonly ref: string;
  /** Given by a person; it overrides everything in the document. */
  readonly baseUrl: string | undefined;
}

/** Hosts that only store files and serve no API: addresses relative to them are useless. */
const FILE_HOSTS =
  /^https?:\/\/(?:raw\.githubusercontent\.com|gist\.githubusercontent\.com|github\.com|gitlab\.com|bitbucket\.org|api\.swaggerhub\.com|api\.apis\.guru)\//i;

/**
 * The server of the whole document; undefined when none can be called. Throws ImportRefused for an invalid given one.
 */
export function rootServer({ root, isSwagger, ref, baseUrl }: ServerFacts): ChosenServer | undefined {
  if (baseUrl !== undefined) {
    const own = givenServer(baseUrl);
    if (own !== undefined) return own;
    throw new ImportRefused("base-url", `${JSON.stringify(baseUrl)} is no address to call; write --base-url https://…`);
  }
  const from = FILE_HOSTS.test(ref) ? "" : ref;
  if (isSwagger) return chooseServer(swaggerServers(root), from);
  const servers = listOf(root, "servers");
  // Without servers, the standard says the root of the document's address.
  return chooseServer(servers.length > 0 ? servers : [{ url: "/" }], from);
}

/** The operation's own servers, otherwise its path's, otherwise the document's. */
export function serverOf(
  { operation, item }: Pick<OperationPlace, "operation" | "item">,
  root: ChosenServer | undefined,
  facts: ServerFacts,
): ChosenServer | undefined {
  if (facts.baseUrl !== undefined) return root;
  const from = FILE_HOSTS.test(facts.ref) ? "" : facts.ref;
  for (const owner of [operation, item]) {
    const servers = listOf(owner, "servers");
    const own = servers.length > 0 ? chooseServer(servers, from) : undefined;
    if (own !== undefined) return own;
  }
  const schemes = memberOf(operation, "schemes");
  if (facts.isSwagger && Array.isArray(schemes) && schemes.length > 0) {
    return chooseServer(swaggerServers(facts.root, operation), from) ?? root;
  }
  return root;
}
