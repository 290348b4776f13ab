import { followDocument } from "./follow-document.ts";

// For reading, with commands here and there.
for (const name of [
  "README",
  "command-line",
  "import",
  "starter-catalog",
  "discovery",
  "health",
  "storage",
  "architecture",
])
  followDocument(`docs/${name}.md`);
