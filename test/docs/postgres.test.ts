import { followDocument } from "./follow-document.ts";

followDocument("docs/postgres.md");
