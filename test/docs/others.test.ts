import { followDocument } from "./follow-document.ts";

followDocument("docs/command-line.md", {
  shows: [
    "exit code 13",
    "1 of 2 rows delivered",
    "2 of 2 rows delivered",
    '"offset":0,"count":100,',
    '"offset":100,"count":100,',
  ],
});

// For reading, with commands here and there. The README is followed by test/newcomer, with the installed package.
for (const name of [
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
