import { followDocument } from "./follow-document.ts";

followDocument("README.md", {
  shows: ['"endpoint":"/sun"', '"sunrise"', '"status":"COMPLETED"', '"status":"REVOKED"'],
});
