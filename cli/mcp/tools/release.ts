import { z } from "zod";
import { ResourceReleaseAccepted } from "../../../shared/contract/resources.ts";
import { defineTool } from "../tool.ts";

export const releaseTool = defineTool({
  name: "release",
  title: "Release a resource",
  description:
    "Give a resource back to its provider for good, which ends its rent. It cannot be taken back; what is paid for is not " +
    "refunded. Ask the person first unless they said so.",
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: true },
  input: z.object({ resourceId: z.string().min(1).describe("Id of the resource.") }),
  output: ResourceReleaseAccepted,
  async call({ resourceId }, { connect, signal }) {
    const accepted = await (await connect()).releaseResource({ params: { resourceId } }, { signal });
    const lines = [
      `Resource ${resourceId}: ${accepted.state}. ${accepted.message}.`,
      "No rent is charged for it from the end of what is paid for.",
      `Next: resources ${JSON.stringify({ resourceId })}`,
    ];
    return { lines, value: accepted };
  },
});
