import { z } from "zod";
import type { RunId, UserId, WorkspaceId } from "../../base/ids.ts";

/** Ids as lines carry them: texts on the disk, and ids of their kind for everybody who reads them. */
export const RecordedRunId: z.ZodType<RunId, string> = z.string();
export const RecordedWorkspaceId: z.ZodType<WorkspaceId, string> = z.string();
export const RecordedUserId: z.ZodType<UserId, string> = z.string();
