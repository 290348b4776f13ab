import { expect, test } from "vitest";
import { operations } from "../../shared/contract/index.ts";
import type { Operation } from "../../shared/contract/operation.ts";
import { toOpenApiDocument } from "../../shared/openapi.ts";

const all: readonly Operation[] = Object.values(operations);
const idempotent = all.filter((operation) => operation.idempotent === true);

test("every operation that makes something takes an Idempotency-Key", () => {
  const creating = all.filter((operation) => operation.operationId === "startRun" || 201 in operation.responses);
  const withoutKey = creating.filter((operation) => !idempotent.includes(operation));

  // Sent again, a grant takes its own place, and a backup and an import find that theirs is there already. A login that was begun
  // twice expires, and its address, which is a secret for minutes, must not be kept with an
  // answer; so it is with a ticket of the console. A ticket is used once, by itself.
  expect(withoutKey.map(({ operationId }) => operationId).sort()).toEqual([
    "beginConnection",
    "createBackup",
    "createConsoleTicket",
    "createGrant",
    "importDocument",
    "openConsoleSession",
  ]);
  expect(idempotent.every(({ method }) => method === "POST")).toBe(true);
});

test("the service's document says so", () => {
  const { paths, components } = JSON.parse(
    JSON.stringify(toOpenApiDocument(operations, { version: "0.1.0", servers: [] })),
  );

  const said = idempotent.map(({ path }) => {
    const { parameters, responses } = paths[path].post;
    const refs = parameters.map((parameter: { $ref?: string }) => parameter.$ref);
    return {
      key: refs.includes("#/components/parameters/IdempotencyKey"),
      409: "409" in responses,
      422: "422" in responses,
    };
  });

  expect(components.parameters.IdempotencyKey).toMatchObject({
    name: "Idempotency-Key",
    in: "header",
    required: false,
  });
  expect(said).toEqual(idempotent.map(() => ({ key: true, 409: true, 422: true })));
});
