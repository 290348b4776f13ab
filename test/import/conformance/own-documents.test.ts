import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { conform } from "./conform.ts";

const folder = fileURLToPath(new URL("documents/", import.meta.url));

test.each([
  ["path-styles-3.0.yaml", "every style of a path parameter, and parts of segments", 7],
  ["odd-paths-2.0.yaml", "paths with parentheses, queries, fragments and odd characters", 7],
  ["query-styles-3.1.yaml", "every style of a query parameter, and odd names", 5],
  ["collection-formats-2.0.yaml", "every collection format, and forms", 3],
  ["headers-3.0.yaml", "header parameters, and the media type that is asked for", 2],
  ["security-3.0.yaml", "every kind of credentials, one, both or either", 11],
  ["bodies-3.1.yaml", "bodies of every encoding", 11],
  ["servers-3.2.yaml", "servers of the document, of paths and of operations", 4],
])("what is sent for %s is valid and arrives as it was given: %s", async (file, _, endpoints) => {
  const conformance = await conform(`${folder}${file}`);

  expect(conformance).toMatchObject({
    endpoints,
    operations: endpoints,
    called: endpoints,
    complaints: [],
    notCalled: [],
  });
});
