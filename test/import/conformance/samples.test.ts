import { existsSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { thirdOfSamples } from "../../support/third-of-samples.ts";
import { conform, type Conformance } from "./conform.ts";

/** Real documents that stand beside the project where it is developed; they are data of others and not part of it. */
const samples = "../shared/openapi-samples/";
const areThere = existsSync(samples);

interface Sample {
  readonly file: string;
  /** What it is chosen for. */
  readonly shows: string;
  /** By operationId or `GET /path`; all that an import takes without it. */
  readonly include?: readonly string[];
  /** Inputs that no call can come of, each with the reason. */
  readonly notCalled?: readonly string[];
}

const documents: readonly Sample[] = [
  { file: "readme-parameters-style-3.0.yaml", shows: "every style of paths, queries, headers and forms" },
  {
    file: "autorest-url-2.json",
    shows: "collection formats, odd characters and empty values",
    notCalled: [
      '/paths/string/empty/{stringPath}: pathParams.stringPath goes into the path and must not be empty, "." or ".." (got "")',
      '/paths/byte/empty/{bytePath}: pathParams.bytePath goes into the path and must not be empty, "." or ".." (got "")',
    ],
  },
  { file: "collectionformat-example-2.json", shows: "every collection format" },
  { file: "deepobject-petstore-3.0.yaml", shows: "objects in a path and a query" },
  { file: "openmeteo-forecast-1.yaml", shows: "lists joined by commas" },
  { file: "readme-security-3.0.json", shows: "every kind of credentials" },
  { file: "ebay-charity-1.2.yaml", shows: "client credentials, header parameters" },
  { file: "autorest-formdata-2.json", shows: "files in forms, bytes as a body" },
  { file: "archive-org-wayback-1.yaml", shows: "a body of one of several types" },
  { file: "azure-searchindex-2017.json", shows: "OData parentheses, names with a dollar" },
  { file: "bing-1.json", shows: "queries in paths" },
  { file: "airfranceklm-flight-status-1.json", shows: "several parameters in one segment, OAuth of an application" },
  { file: "frankfurter-1.json", shows: "3.1 with parameters behind references" },
  { file: "openfigi-2.json", shows: "a list as a body" },
  { file: "httpbin-0.9.yaml", shows: "every method, undeclared placeholders" },
  { file: "sportradar-soccer-eu-1.json", shows: "numbers that are texts, a key in the query" },
  { file: "healthcare-gov-1.yaml", shows: "two placeholders side by side" },
  { file: "oas32-features-3.2.json", shows: "3.2" },
  { file: "nswag-no-leading-slash-3.0.json", shows: "a path without its slash" },
  { file: "strava-3.yaml", shows: "an upload, lists without explode" },
  {
    file: "datacite-2.yaml",
    shows: "JSON:API, brackets in names, fields of answers alone",
    include: ["GET /dois", "GET /dois/{id}", "POST /dois", "PUT /dois/{id}", "GET /activities"],
  },
  {
    file: "google-books-1.json",
    shows: "two logins in one demand",
    include: ["books.volumes.list", "books.mylibrary.annotations.insert"],
  },
  {
    file: "twilio-verify-2.json",
    shows: "forms, name and password, names with dots",
    include: ["CreateVerification", "CreateService", "UpdateService", "ListVerificationAttempt", "DeleteService"],
  },
  {
    file: "docker-engine-1.54.yaml",
    shows: "an archive as a body, bodies of several types",
    include: ["ContainerCreate", "PutContainerArchive", "ImageBuild", "ContainerList", "ContainerLogs"],
  },
  {
    file: "openai-2.3.json",
    shows: "multipart bodies, deep schemas, answers as bytes",
    include: [
      "createChatCompletion",
      "createFile",
      "createTranscription",
      "createSpeech",
      "listFiles",
      "create-realtime-call",
    ],
  },
  {
    file: "github-ghes-3.6.json",
    shows: "text and bytes as bodies, four megabytes",
    include: [
      "markdown/render-raw",
      "repos/upload-release-asset",
      "issues/create",
      "repos/list-for-org",
      "repos/delete-file",
    ],
  },
];

const rows: object[] = [];

afterAll(() => {
  if (rows.length > 0) console.table(rows);
});

test.skipIf(!areThere).for(thirdOfSamples(documents))(
  "what a run of $file sends is valid by the document itself: $shows",
  async ({ file, include, notCalled = [] }) => {
    const conformance: Conformance = await conform(`${samples}${file}`, include);
    const { endpoints, called, runs, operations, unjudged } = conformance;
    rows.push({ file, endpoints, called, runs, operations, unjudged });

    expect(conformance).toMatchObject({ complaints: [], notCalled });
    expect(endpoints).toBeGreaterThanOrEqual(include?.length ?? 1);
    expect(called).toBe(endpoints - notCalled.length);
  },
);

test.runIf(!areThere)("real documents were skipped, because ../shared does not stand beside the project", () => {
  expect(areThere).toBe(false);
});
