import { followDocument } from "./follow-document.ts";

followDocument("docs/client.md", {
  shows: ["atlas/sun ", "COMPLETED {", "COMPLETED 4", "one run", '"status":"REVOKED"'],
});
