import { createBuiltinProviders } from "../providers/builtin-providers.ts";
import type { CatalogEntry } from "../catalog/entries/catalog-entry.ts";
import { loadFoldersApart } from "../catalog/reading/catalog-loader.ts";
import { askedFolders, type ForeignPaths } from "../catalog/reading/named-paths.ts";
import type { LoadedProvider } from "../catalog/reading/provider-file.ts";
import { readManifestFile } from "../catalog/parsing/read-manifest-file.ts";
import { systemClock } from "../base/clock.ts";
import type { Example } from "../manifest/manifest.ts";
import { createIdSource } from "../base/new-id.ts";
import { createHttpProvider } from "../providers/http-provider.ts";
import { createRedactor } from "../redaction/redact.ts";
import type { AdmittedRun } from "../runs/admission/admission.ts";
import { isChosen, noSuchEndpoint } from "./chosen-endpoints.ts";
import { REHEARSED_TOKEN } from "./arrival/expected-parts.ts";
import { ExampleScript } from "./example-script.ts";
import { recordingOf } from "./recorded-answers.ts";
import type { ExampleReport, RehearsalReport } from "./rehearsal-report.ts";
import { admitExample, compareRun, type Mismatch, refusalOf, runExample } from "./examples/rehearse-example.ts";
import { originsOf, type RehearsedProvider, toRehearsed } from "./rehearsed-provider.ts";
import { type Arrival, startStandIn, type WireAnswer } from "./arrival/stand-in.ts";

export interface RehearsalRequest extends ForeignPaths {
  /** Only this endpoint: a public path, with or without its provider in front. */
  readonly endpoint?: string;
  /** Called after each provider. */
  readonly onProgress?: (done: number, total: number) => void;
}

/** Ten times the duration of the slowest example. */
const EXAMPLE_TIMEOUT_MS = 20_000;
/** A built-in provider does real jobs; it is polled more often than callers would. */
const MAX_BUILTIN_POLL_MS = 50;

/**
 * `mkt catalog test`: runs every example through the real provider code, price and life cycle of a run. A stand-in on
 * loopback replaces the provider, checks requests against the manifest and returns the recorded answers. Calls no
 * provider; reads no secret. Throws notFound for a path or an endpoint that does not exist.
 */
export async function rehearseCatalog(request: RehearsalRequest): Promise<RehearsalReport> {
  const { folders, isAsked } = await askedFolders(request);
  const loaded = await loadFoldersApart(folders, request.readerScript);
  const asked = loaded.providers.filter(({ provider }) => isAsked(provider.file));
  const problems = loaded.problems.filter(({ file, takesDown }) => isAsked(file) && takesDown !== "nothing");
  const chosen = asked
    .map((one) => ({ ...one, entries: chosenOf(one, request.endpoint) }))
    .filter(({ entries }) => entries.length > 0);

  if (request.endpoint !== undefined && chosen.length === 0 && problems.length === 0) {
    throw noSuchEndpoint(request.endpoint);
  }
  const examples: ExampleReport[] = [];
  const builtins = createBuiltinProviders();
  try {
    for (const [index, one] of chosen.entries()) {
      examples.push(...(await withLines(one, await rehearseProvider(one, builtins))));
      request.onProgress?.(index + 1, chosen.length);
    }
  } finally {
    await builtins.close();
  }
  const entries = chosen.flatMap((one) => one.entries);
  const isGood = problems.length === 0 && examples.every(({ outcome }) => outcome !== "failed");
  return {
    files: chosen.map(({ provider }) => provider.file),
    endpoints: entries.length,
    withoutExamples: entries
      .filter((entry) => entry.examples.length === 0)
      .map((entry) => `${entry.provider.provider}${entry.path}`),
    examples,
    problems,
    exitCode: isGood ? 0 : 1,
  };
}

/** The requested enabled endpoints of a provider. */
function chosenOf({ entries }: LoadedProvider, endpoint: string | undefined): CatalogEntry[] {
  return entries.filter((entry) => entry.enabled && (endpoint === undefined || isChosen(entry, endpoint)));
}

type Builtins = ReturnType<typeof createBuiltinProviders>;

async function rehearseProvider(loaded: LoadedProvider, builtins: Builtins): Promise<ExampleReport[]> {
  let script: ExampleScript | undefined;
  const answer = async (arrival: Arrival): Promise<WireAnswer> => {
    if (script === undefined) throw new Error("nothing is being rehearsed");
    return await script.answer(arrival);
  };
  await using standIn = await startStandIn(originsOf(loaded), answer);
  const rehearsed = toRehearsed(loaded, standIn.places);
  const redactor = createRedactor(() => Object.values(rehearsed.secrets));
  const provider = createHttpProvider({
    secretsOf: () => rehearsed.secrets,
    builtinOrigin: (name) => builtins.origin(name),
    allowPrivateHosts: new Set([...standIn.places.values()].map((place) => new URL(place).host)),
    privateHostsGranted: () => [],
    accounts: { get: async () => REHEARSED_TOKEN, refuse: () => false, worked: () => {} },
    redactor,
  });
  try {
    const reports: ExampleReport[] = [];
    for (const entry of rehearsed.entries) {
      const home = homeOf(loaded, entry);
      for (const example of entry.examples) {
        const play = { entry, example, rehearsed, provider, home, onScript: (next: ExampleScript) => (script = next) };
        reports.push(await rehearse(play));
      }
    }
    return reports;
  } finally {
    await provider.close();
  }
}

interface Play {
  readonly entry: CatalogEntry;
  readonly example: Example;
  readonly rehearsed: RehearsedProvider;
  readonly provider: ReturnType<typeof createHttpProvider>;
  /** Real origin of the base URL. */
  readonly home: string;
  readonly onScript: (script: ExampleScript) => void;
}

async function rehearse(play: Play): Promise<ExampleReport> {
  const { entry, example } = play;
  const about = {
    file: entry.provider.file,
    provider: entry.provider.provider,
    endpoint: entry.path,
    example: example.name,
  };
  let admitted: AdmittedRun;
  try {
    admitted = await admitExample(entry, example, systemClock);
  } catch (error) {
    return { ...about, outcome: "failed", findings: [refusalOf(error)] };
  }
  const isBuiltin = entry.http.baseUrl.startsWith("builtin:");
  const { findings, isAnswered } = isBuiltin ? await playBuiltin(play, admitted) : await playStandIn(play, admitted);
  const outcome = findings.length > 0 ? "failed" : isAnswered ? "passed" : "unanswered";
  return { ...about, outcome, findings };
}

interface Played {
  readonly findings: readonly Mismatch[];
  readonly isAnswered: boolean;
}

async function playStandIn(
  { entry, example, rehearsed, provider, home, onScript }: Play,
  admitted: AdmittedRun,
): Promise<Played> {
  const recording = recordingOf(entry, example);
  const runId = createIdSource()();
  const script = new ExampleScript({ entry, rehearsed, recording, input: admitted.input, runId, home });
  onScript(script);
  const played = await runExample(admitted, {
    provider,
    clock: systemClock,
    runId,
    onJob: (job) => script.learnJob(job),
    pollAfterMs: () => 0,
    signal: AbortSignal.timeout(EXAMPLE_TIMEOUT_MS),
  });
  const complaints = script.complaints.map((what) => ({ what: `request: ${what}` }));
  if (recording === undefined) return { findings: complaints, isAnswered: false };
  const unasked =
    script.unasked === 0 ? [] : [{ what: `the last ${script.unasked} of responses: nobody asked for them` }];
  return { findings: [...complaints, ...compareRun(played, entry, example), ...unasked], isAnswered: true };
}

/** The real service that comes with the program: nothing has to be recorded. */
async function playBuiltin({ entry, example, provider }: Play, admitted: AdmittedRun): Promise<Played> {
  const played = await runExample(admitted, {
    provider,
    clock: systemClock,
    runId: createIdSource()(),
    pollAfterMs: (pollAfterMs) => Math.min(pollAfterMs, MAX_BUILTIN_POLL_MS),
    signal: AbortSignal.timeout(EXAMPLE_TIMEOUT_MS),
  });
  return { findings: compareRun(played, entry, example), isAnswered: true };
}

function homeOf(loaded: LoadedProvider, { path }: CatalogEntry): string {
  const baseUrl = loaded.entries.find((entry) => entry.path === path)?.http.baseUrl ?? "";
  return /^https?:/.test(baseUrl) ? new URL(baseUrl).origin : "";
}

/** Lines are looked up in the file only for failures. */
async function withLines({ provider }: LoadedProvider, reports: readonly ExampleReport[]): Promise<ExampleReport[]> {
  if (reports.every(({ outcome }) => outcome !== "failed")) return [...reports];
  const read = await readManifestFile(provider.file);
  if ("problems" in read) return [...reports];
  const seen = new Map<string, number>();
  return reports.map((report) => {
    const index = seen.get(report.endpoint) ?? 0;
    seen.set(report.endpoint, index + 1);
    if (report.outcome !== "failed") return report;
    const line = read.source.lineOf(["endpoints", report.endpoint, "examples", index]);
    return { ...report, ...(line !== undefined && { line }) };
  });
}
