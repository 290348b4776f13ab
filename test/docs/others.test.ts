import { followDocument } from "./follow-document.ts";

// For reading, with commands here and there. The README is followed by test/newcomer, with the installed package.
for (const name of [
  "command-line",
  "import",
  "starter-catalog",
  "discovery",
  "health",
  "schedules",
  "storage",
  "metrics",
  "scale",
  "architecture",
  "console",
])
  followDocument(`docs/${name}.md`);
