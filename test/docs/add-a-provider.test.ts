import { expect, test } from "vitest";
import { followDocument } from "./follow-document.ts";

followDocument("docs/add-a-provider.md", {
  shows: [
    "no problems",
    "1 passed, 0 failed",
    "0.002",
    "12:25",
    "06:12",
    "porto",
    "faro",
    "bytes to chart.pdf",
    '"received":14',
  ],
  further: (typed) => {
    test("comes from a curl line to a priced endpoint in eight steps, the file among them", () => {
      const second = typed().findIndex(({ block }) => block.text.includes("mkt catalog import"));

      // The curl line is what the reader came with.
      expect(typed().slice(1, second).length + 1).toBeLessThanOrEqual(8);
    });
  },
});
