import { followDocument } from "./follow-document.ts";

followDocument("docs/connections.md", {
  shows: ['"state":"connected"', '"name":"Ada"', "calendar", "The provider has revoked it."],
});
