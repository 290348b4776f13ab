import { createReadingAnswers } from "../daemon/catalog/reading/serve-readings.ts";
import { serveQuestions } from "../daemon/processes/serve-questions.ts";

// A separate process: `reading-processes.ts` starts and ends it.
void serveQuestions(createReadingAnswers());
