import { operations } from "../../shared/contract/index.ts";
import { ApiError } from "../../shared/errors.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import type { ConsoleSessions } from "./console-sessions.ts";
import type { SignInWay } from "./sign-in-way.ts";

export interface ConsoleRouteParts {
  readonly sessions: ConsoleSessions;
  readonly way: Pick<SignInWay, "read">;
  /** Whether this daemon serves the console. */
  readonly isOn: boolean;
}

/** How browsers sign in to the console. */
export function consoleRoutes({ sessions, way, isOn }: ConsoleRouteParts): Route[] {
  const checkOn = () => {
    if (!isOn) throw consoleOff();
  };
  return [
    route(operations.createConsoleTicket, async ({ caller }) => {
      checkOn();
      const { ticket, expiresAt } = await sessions.makeTicket(caller);
      return reply(201, { ticket, expiresAt, path: `console/#ticket=${ticket}` });
    }),
    route(operations.openConsoleSession, async ({ body }) => {
      checkOn();
      const { key, record } = await sessions.open(body.ticket);
      const { keyId, label, expiresAt, workspaceId } = record;
      return reply(201, { key, keyId, label, expiresAt, workspaceId });
    }),
    route(operations.closeConsoleSession, async ({ caller }) => {
      await sessions.close(caller);
      return reply(204, undefined);
    }),
    route(operations.getConsoleSignIn, async () => {
      checkOn();
      return reply(200, await way.read());
    }),
  ];
}

export function consoleOff(): ApiError {
  return new ApiError("notFound", "This service does not serve the console: its operator set MKT_CONSOLE=off");
}
