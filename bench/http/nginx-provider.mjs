import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { request } from "undici";
import { freePort } from "../load/free-port.mjs";
import { startScript } from "../load/market.mjs";

/** The sizes of answers, in bytes, that a provider of this benchmark serves, by the last part of their path. */
export const ANSWERS = { small: 1_000, large: 100_000 };

/** The JSON of an answer: a list of readings, as many as come to about `bytes`. */
export function answerOf(bytes) {
  const readings = [];
  for (let length = 30; length < bytes; length += 50) {
    readings.push({ station: `S-${String(readings.length).padStart(6, "0")}`, degrees: 20.5, wind: 3 });
  }
  return JSON.stringify({ status: "done", id: "job-1", readings });
}

/** Whether this machine has the program. */
export function hasProgram(name) {
  return spawnSync(name, ["-v"], { stdio: "ignore" }).error === undefined;
}

/**
 * A provider that answers at once, in a process of its own: nginx, or a Node server where there is no nginx. `/small` and
 * `/large` answer any method; `/jobs` too, with the id of a job that is done.
 */
export async function startProvider(folder) {
  return hasProgram("nginx") ? await startNginx(folder) : await startNode();
}

async function startNginx(folder) {
  const root = join(folder, "nginx");
  mkdirSync(join(root, "answers"), { recursive: true });
  for (const [name, bytes] of Object.entries(ANSWERS)) writeFileSync(join(root, "answers", name), answerOf(bytes));
  writeFileSync(join(root, "answers", "jobs"), JSON.stringify({ status: "working", id: "job-1" }));
  const port = await freePort();
  writeFileSync(join(root, "nginx.conf"), configuration(root, port));
  const child = spawn("nginx", ["-p", root, "-c", join(root, "nginx.conf"), "-e", join(root, "error.log")], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  const ended = once(child, "exit");
  process.once("exit", () => child.kill("SIGTERM"));
  const baseUrl = `http://127.0.0.1:${port}`;
  await untilAnswered(`${baseUrl}/small`);
  return {
    name: "nginx",
    baseUrl,
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

function configuration(root, port) {
  // Its workers would else run as somebody who may not read this folder.
  const user = process.getuid?.() === 0 ? "user root;\n" : "";
  return `${user}daemon off;
worker_processes 1;
pid ${root}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  client_body_temp_path ${root}/body;
  proxy_temp_path ${root}/proxy;
  fastcgi_temp_path ${root}/fastcgi;
  uwsgi_temp_path ${root}/uwsgi;
  scgi_temp_path ${root}/scgi;
  keepalive_requests 1000000000;
  open_file_cache max=16;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    root ${root}/answers;
    default_type application/json;
    # A file answers a POST too.
    error_page 405 =200 $uri;
    location / { }
  }
}
`;
}

async function startNode() {
  const script = startScript("../http/node-provider.mjs");
  const [baseUrl] = await once(script.lines, "line");
  return { name: "a Node server (nginx is not installed)", baseUrl, stop: script.stop };
}

async function untilAnswered(url) {
  for (let tries = 0; tries < 200; tries += 1) {
    try {
      await (await request(url)).body.text();
      return;
    } catch {
      await delay(25);
    }
  }
  throw new Error(`nothing answers at ${url}`);
}
