import { createReadingAnswers } from "../daemon/catalog/reading/serve-readings.ts";
import { serveQuestions } from "../daemon/processes/serve-questions.ts";

// A process of its own: `reading-processes.ts` starts and ends it.
serveQuestions(createReadingAnswers());
