import { operations } from "../../shared/contract/index.ts";
import { ApiError } from "../../shared/errors.ts";
import { reply, type Route, route } from "../http/routes/route.ts";
import { BackupRefused, type BackupStore } from "./backup-store.ts";

/** The operator's route for a copy of the data folder while the service runs. docs/contract.md, "Admin routes". */
export function backupRoutes({ backups }: { readonly backups: BackupStore }): Route[] {
  return [
    route(operations.createBackup, async ({ body }) => {
      try {
        return reply(201, await backups.backup(body.directory));
      } catch (error) {
        if (error instanceof BackupRefused) throw new ApiError("invalidInput", error.message, { cause: error });
        throw error;
      }
    }),
  ];
}
