import { followDocument } from "./follow-document.ts";

// For reading, with commands here and there.
for (const name of [
  "README",
  "command-line",
  "import",
  "starter-catalog",
  "discovery",
  "health",
  "schedules",
  "storage",
  "metrics",
  "architecture",
])
  followDocument(`docs/${name}.md`);
