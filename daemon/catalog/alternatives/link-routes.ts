import { createHash } from "node:crypto";
import { visibleText } from "../../../shared/hidden-text.ts";
import { didYouMean } from "../../../shared/near-misses.ts";
import { parseDollars } from "../../../shared/micro-dollars.ts";
import { representativeAmount } from "../../billing/public-price.ts";
import type { DocumentPath } from "../../manifest/document-path.ts";
import { INPUT_SECTIONS } from "../../manifest/input-sections.ts";
import { declaredProperties } from "../../manifest/json-schema-walk.ts";
import { Retry } from "../../manifest/manifest.ts";
import { type RouteFile, ROUTES } from "../../manifest/route-file.ts";
import type { AlternativeMember, Alternatives, CatalogEntry, CatalogProvider } from "../entries/catalog-entry.ts";
import { ownDeadlineMs } from "../entries/own-deadline.ts";
import { type CatalogProblem, ProblemList } from "../problems/catalog-problem.ts";
import type { LoadedRoute } from "./check-route-file.ts";

/** The endpoints that a route may name. */
export interface Endpoints {
  /** An enabled endpoint. */
  find(provider: string, path: string): CatalogEntry | undefined;
  /** `provider/path` of all, for near misses. */
  names(): readonly string[];
  /** Why an endpoint that exists is not served. */
  whyDisabled(provider: string, path: string): string | undefined;
}

export interface LinkedRoutes {
  /** Undefined when there is no route that can be served. */
  readonly provider?: CatalogProvider;
  readonly entries: readonly CatalogEntry[];
  readonly problems: readonly CatalogProblem[];
  /** The problems that keep routes out, by their name. */
  readonly notLoaded: ReadonlyMap<string, readonly CatalogProblem[]>;
}

/** Makes an entry of each route, from the endpoints that it names as they are now. */
export function linkRoutes(routes: readonly LoadedRoute[], endpoints: Endpoints): LinkedRoutes {
  if (routes.length === 0) return { entries: [], problems: [], notLoaded: new Map() };
  const provider = providerOf(routes);
  const linked = routes.map((route) => linkRoute(route, provider, endpoints));
  const entries = linked.flatMap(({ entry }) => entry ?? []);
  return {
    ...(entries.length > 0 && { provider }),
    entries,
    problems: linked.flatMap(({ problems }) => problems),
    notLoaded: new Map(
      linked.flatMap(({ entry, problems }, index) =>
        entry === undefined ? [[routes[index]?.route.route ?? "", problems] as const] : [],
      ),
    ),
  };
}

/** What all routes have in common. It asks for nothing: its members have grants and secrets of their own. */
function providerOf(routes: readonly LoadedRoute[]): CatalogProvider {
  const hashes = routes.map(({ source }) => source.hash).sort();
  return {
    provider: ROUTES,
    displayName: "Routes",
    description: "Endpoints of several providers that answer the same: one is tried after the other.",
    manifestHash: createHash("sha256").update(hashes.join("\n")).digest("hex"),
    file: routes[0]?.source.file ?? "",
    trusted: true,
    origin: "",
    secrets: {},
  };
}

/** A member of the file, and the endpoint that it names. */
interface LinkedMember {
  readonly member: AlternativeMember;
  readonly entry: CatalogEntry;
}

function linkRoute(
  loaded: LoadedRoute,
  provider: CatalogProvider,
  endpoints: Endpoints,
): { readonly entry?: CatalogEntry; readonly problems: readonly CatalogProblem[] } {
  const { source, route } = loaded;
  const problems = new ProblemList(source.file, source.lineOf);
  const members: LinkedMember[] = [];
  const unusable: Alternatives["unusable"][number][] = [];
  route.members.forEach((asked, index) => {
    const member = toMember(asked);
    const entry = endpoints.find(member.provider, member.endpoint);
    const place = ["members", index, "endpoint"];
    const why = entry === undefined ? whyMissing(member, endpoints) : whyNoMember(entry);
    if (entry === undefined || why !== undefined) {
      const reason = why ?? "it is not in the catalog";
      problems.report(place, "member", `${asked.endpoint} is passed over: ${reason}`, "nothing");
      unusable.push({ provider: member.provider, endpoint: member.endpoint, reason });
      return;
    }
    const before = problems.list().length;
    checkFields(problems, ["members", index], { member, entry }, loaded);
    if (problems.list().length === before) members.push({ member, entry });
    else unusable.push({ ...nameOf(member), reason: "its map does not fit the endpoint; see mkt catalog check" });
  });
  if (members.length > 0) return { entry: toEntry(loaded, provider, { members, unusable }), problems: problems.list() };
  const message = "none of its members can be used, so the route is not served";
  problems.report(["members"], "member", message, "endpoint");
  return { problems: problems.list() };
}

function toMember({ endpoint: name, input, output }: RouteFile["members"][number]): AlternativeMember {
  const slash = name.indexOf("/");
  return {
    provider: name.slice(0, slash),
    endpoint: name.slice(slash),
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
  };
}

function nameOf({ provider, endpoint }: AlternativeMember): Pick<AlternativeMember, "provider" | "endpoint"> {
  return { provider, endpoint };
}

function whyMissing({ provider, endpoint }: AlternativeMember, endpoints: Endpoints): string {
  const disabled = endpoints.whyDisabled(provider, endpoint);
  return disabled ?? `it is not in the catalog${didYouMean(`${provider}${endpoint}`, endpoints.names())}`;
}

/** A resource belongs to one provider, and nobody could take over. */
function whyNoMember({ resources, notRunnable }: CatalogEntry): string | undefined {
  if (notRunnable !== undefined) return notRunnable;
  return resources === undefined ? undefined : "it makes or uses a resource that remains at its provider";
}

/** Compares the names that a member gets with those that its endpoint takes. Values are checked with each run. */
function checkFields(
  problems: ProblemList,
  place: DocumentPath,
  { member, entry }: LinkedMember,
  { input: ofRoute }: LoadedRoute,
): void {
  for (const section of INPUT_SECTIONS) {
    const schema = entry.input[section];
    const mapped = member.input?.[section];
    const routeSchema = ofRoute[section];
    const given =
      member.input === undefined
        ? [...(routeSchema === undefined ? [] : declaredProperties(routeSchema).keys())]
        : Object.keys(mapped ?? {});
    const at = (name: string) => (mapped === undefined ? [...place, "endpoint"] : [...place, "input", section, name]);
    const taken = schema === undefined ? new Set<string>() : new Set(declaredProperties(schema).keys());
    const isOpen =
      schema !== undefined && (schema["additionalProperties"] ?? schema["unevaluatedProperties"]) !== false;
    for (const name of given.filter((one) => !isOpen && !taken.has(one))) {
      const message = `${entry.provider.provider}${entry.path} takes no ${section}.${name}${didYouMean(name, taken)}`;
      problems.report(at(name), "member-input", message, "nothing");
    }
    const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
    for (const name of required.filter((one) => typeof one === "string" && !given.includes(one))) {
      const message = `${entry.provider.provider}${entry.path} needs ${section}.${String(name)}; give it in the map of its input`;
      problems.report([...place, "endpoint"], "member-input", message, "nothing");
    }
  }
}

/** Never called itself: what is listed, found and inspected. The price is that of the dearest member. */
function toEntry(
  { route, input }: LoadedRoute,
  provider: CatalogProvider,
  { members, unusable }: { readonly members: readonly LinkedMember[]; readonly unusable: Alternatives["unusable"] },
): CatalogEntry {
  const entries = members.map(({ entry }) => entry);
  const dearest = entries.reduce((most, entry) => (amountOf(entry) > amountOf(most) ? entry : most));
  // One deadline for the whole: each member may use up its own time.
  const runMs = Math.min(
    MAX_DEADLINE_MS,
    entries.map(ownDeadlineMs).reduce((sum, ms) => sum + ms),
  );
  const job = entries.find((entry) => entry.async !== undefined)?.async;
  const { order = [], sort, maxPrice, allowFallbacks } = route;
  const maxPriceDollars = typeof maxPrice === "object" ? maxPrice.value : maxPrice;
  return {
    provider,
    path: `/${route.route}`,
    displayName: visibleText(route.displayName ?? route.route),
    description: visibleText(route.description),
    ...(route.docUrl !== undefined && { docUrl: route.docUrl }),
    tags: route.tags.map(visibleText),
    categories: route.categories ?? [...new Set(entries.flatMap(({ categories }) => categories))],
    notes: route.notes.map(visibleText),
    asks: route.asks,
    enabled: true,
    verified: entries.every(({ verified }) => verified),
    idempotent: false,
    overrun: "operator",
    request: { method: "POST" },
    input,
    output: { omit: [], media: "auto", ...(route.output !== undefined && { schema: route.output.schema }) },
    usage: {},
    price: dearest.price,
    priceWithoutMarkup: dearest.priceWithoutMarkup,
    ...(job !== undefined && { async: { ...job, runMs } }),
    errors: [],
    http: { ...NEVER_CALLED, timeoutMs: runMs },
    examples: [],
    alternatives: {
      members: members.map(({ member }) => member),
      unusable,
      order,
      ...(sort !== undefined && { sort }),
      ...(maxPriceDollars !== undefined && { maxPriceMicroDollars: parseDollars(maxPriceDollars) }),
      allowFallbacks,
    },
  };
}

/** As long as a job may take. */
const MAX_DEADLINE_MS = 86_400_000;

function amountOf({ price }: CatalogEntry): number {
  return Number(representativeAmount(price));
}

const NEVER_CALLED: Omit<CatalogEntry["http"], "timeoutMs"> = {
  baseUrl: "",
  headers: {},
  auth: [],
  retry: Retry.parse({}),
  allowHosts: [],
  allowPrivateNetwork: false,
  maxResponseBytes: 0,
  queryArrays: "repeat",
};
