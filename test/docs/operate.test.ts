import { followDocument } from "./follow-document.ts";

followDocument("docs/operate.md", { shows: ["The daemon has stopped", '"label":"night-job"', "the new owner key"] });
