import type { ScreenProps } from "../shell/screen-entry.ts";
import { Asking } from "./Asking.tsx";
import { Endpoint } from "./Endpoint.tsx";

/** `#/discover?q=…`, and `#/discover/<provider>/<path…>` for one endpoint. */
export function DiscoverScreen({ route: { path, query } }: ScreenProps) {
  const [, provider, ...rest] = path;
  if (provider === undefined) return <Asking query={query} />;
  const endpoint = `/${rest.flatMap((part) => part.split("/")).join("/")}`;
  return <Endpoint key={`${provider}${endpoint}`} provider={provider} endpoint={endpoint} from={query.get("from")} />;
}
