import { z } from "zod";
import { ResourcePage, ResourceState, type Resource } from "../../../shared/contract/resources.ts";
import { priceWords } from "../../../shared/words/price-words.ts";
import { moreWords } from "../more-words.ts";
import { pageInput } from "../tool-input.ts";
import { defineTool, readsOnly } from "../tool.ts";

export const resourcesTool = defineTool({
  name: "resources",
  title: "List resources",
  description:
    "Lasting things that runs have made at providers (phone numbers, mailboxes, timers …), some of which cost rent until " +
    "they are released. With resourceId only that one. Free.",
  annotations: readsOnly,
  input: z.object({
    resourceId: z.string().min(1).optional().describe("Only this one."),
    provider: z.string().min(1).optional().describe("Only those at this provider."),
    state: ResourceState.optional().describe("Only those in this state."),
    ...pageInput,
  }),
  output: ResourcePage,
  async call({ resourceId, ...query }, { connect, signal }) {
    const client = await connect();
    const page =
      resourceId === undefined
        ? await client.listResources({ query }, { signal })
        : { items: [await client.getResource({ params: { resourceId } }, { signal })] };
    const releasable = page.items.find((resource) => resource.releasable);
    const lines = [
      ...(page.items.length === 0 ? ["No resources."] : page.items.map(resourceWords)),
      ...moreWords("resources", page.cursor),
      ...(releasable === undefined
        ? []
        : [`To give one back: release ${JSON.stringify({ resourceId: releasable.resourceId })}`]),
    ];
    return { lines, value: page };
  },
});

function resourceWords(resource: Resource): string {
  const { renewal } = resource;
  const rent =
    renewal === undefined ? "no rent" : `rent ${priceWords(renewal.price, resource)}, next ${renewal.renewAttemptAt}`;
  return `${resource.resourceId} · ${resource.resourceType} ${resource.identifier} at ${resource.provider} · ${resource.state} · ${rent}`;
}
