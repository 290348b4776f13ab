import { expectTypeOf } from "vitest";
import type { Client } from "../../shared/client/client.ts";
import { operations } from "../../shared/contract/index.ts";
import { defineOperation } from "../../shared/contract/operation.ts";
import type { Run, RunAccepted, RunBlocked, RunCompleted } from "../../shared/contract/runs.ts";

/*
 * What types say of the contract. Nothing of this runs: the compiler reads it, in `npm run typecheck` and in
 * declarations.test.ts, and says where something is not so.
 */

export function answersAndInputsAreTypedByTheContract(client: Client): void {
  expectTypeOf(client.getRun).returns.resolves.toEqualTypeOf<Run>();
  expectTypeOf(client.startRun).returns.resolves.toEqualTypeOf<RunCompleted | RunBlocked | RunAccepted>();
  expectTypeOf(client.deleteApiKey).returns.resolves.toEqualTypeOf<undefined>();
  expectTypeOf(client.listRuns).toBeCallableWith();
  expectTypeOf(client.discover).toBeCallableWith({ body: { q: "weather" } });
  // @ts-expect-error an export is no JSON: it is streamed
  expectTypeOf(client.exportRuns).toBeCallableWith({ query: { format: "csv" } });
  // @ts-expect-error a run is asked for by its id
  expectTypeOf(client.getRun).toBeCallableWith();
  // @ts-expect-error there is no such status
  expectTypeOf(client.listRuns).toBeCallableWith({ query: { status: ["DONE"] } });
}

export function anOperationKeepsItsLiteralTypes(): void {
  const operation = defineOperation(operations.listRuns);

  expectTypeOf(operation.path).toEqualTypeOf<"/v1/runs">();
  expectTypeOf(operation.query.parse({}).limit).toEqualTypeOf<number | undefined>();
}
