import type { Manifest } from "../../manifest/manifest.ts";
import type { ProblemList } from "../problems/catalog-problem.ts";
import { checkCall } from "./check-call.ts";

const PLACE = ["verify"];

/** The call that proves the secrets: it must read only, cost nothing, use a secret and need no caller. */
export function checkVerify(problems: ProblemList, manifest: Manifest): void {
  const { verify, secrets, http } = manifest;
  if (verify === undefined) return;
  const report = (message: string, more: readonly string[] = []) =>
    problems.report([...PLACE, ...more], "verify", message);
  const { none, method, refusedIf: _refusedIf, ...call } = verify;
  if (Object.keys(secrets).length === 0)
    report("there are no secrets to prove; take verify out, or declare the secrets");
  if (none !== undefined) {
    if (method !== undefined || Object.keys(call).length > 0)
      report("says a call and none; keep one of them", ["none"]);
    return;
  }
  if (method !== "GET" && method !== "HEAD") {
    report(
      `it must only read, so that it may be repeated: write method: GET${method === undefined ? "" : ` (got ${method})`}`,
      ["method"],
    );
    return;
  }
  const scope = {
    secrets: new Set(Object.keys(secrets)),
    input: { refusedBecause: "a secret is verified without any caller" },
  };
  checkCall(problems, PLACE, { ...call, method }, { scope, baseUrl: http?.baseUrl });
  if (http?.baseUrl === undefined) report("there is no base URL for it; add http.baseUrl to the provider");
  if (!JSON.stringify([http?.auth ?? [], http?.headers ?? {}, call]).includes("${secret.")) {
    report("it sends no secret, so it proves none; put the secret into http.auth or into its headers");
  }
  const paid = Object.entries(manifest.endpoints).find(
    ([path, { request, price = manifest.price }]) =>
      (request.path ?? path) === call.path &&
      request.method === method &&
      price !== undefined &&
      (price.type !== "FREE" || price.billedByVendor === true),
  );
  if (paid !== undefined) report(`it must be free, and the endpoint ${paid[0]} with the same call is not`, ["path"]);
}
