import { parentPort } from "node:worker_threads";
import { serveReadings } from "../daemon/catalog/serve-readings.ts";

if (parentPort !== null) serveReadings(parentPort);
