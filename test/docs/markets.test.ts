import { followDocument } from "./follow-document.ts";

followDocument("docs/markets.md", { shows: ["team-atlas", "via 127.0.0.1"] });
