import { setImmediate as nextTurn } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { buildShard } from "../../../../daemon/discovery/index/shard/build-shard.ts";
import { createIndexView, type IndexView, viewOf } from "../../../../daemon/discovery/index/index-view.ts";
import type { Shard } from "../../../../daemon/discovery/index/shard/shard.ts";
import { USUAL_CALIBRATION } from "../../../../daemon/discovery/ranking/confidence/calibration.ts";
import { keepCalibrated } from "../../../../daemon/discovery/ranking/confidence/keep-calibrated.ts";
import { createRanker, type Ranker } from "../../../../daemon/discovery/ranking/scoring/rank.ts";
import type { SearchDocument } from "../../../../daemon/discovery/documents/search-document.ts";
import { loadWordVectors } from "../../../../daemon/discovery/vectors/load-word-vectors.ts";
import type { WordVectors } from "../../../../daemon/discovery/vectors/word-vectors.ts";

let vectors: WordVectors;

beforeAll(async () => {
  vectors = await loadWordVectors();
});

const NAMES = ["Weather forecast", "Exchange rates", "Company profile", "Book search", "Earthquakes", "Song lyrics"];

test("before anything was asked of a catalog, it is supposed to be an ordinary one", () => {
  expect(keepCalibrated(rankerOf).of(viewOf(catalogOf(5)))).toBe(USUAL_CALIBRATION);
});

test("the first question waits until its catalog is calibrated", async () => {
  const view = viewOf(catalogOf(60));
  const kept = keepCalibrated(rankerOf);

  await kept.ready(view);

  expect(kept.of(view)).not.toEqual(USUAL_CALIBRATION);
});

test("no question waits for a later one: the last stands until the next is ready", async () => {
  const [before, after] = [viewOf(catalogOf(60)), viewOf(catalogOf(6))];
  const kept = keepCalibrated(rankerOf);
  await kept.ready(before);
  const last = kept.of(before);

  await kept.ready(after);
  const meanwhile = kept.of(after);
  await kept.prepare(after);

  expect(meanwhile).toBe(last);
  expect(kept.of(after)).not.toEqual(last);
});

test("other work goes on while a catalog is calibrated", async () => {
  const kept = keepCalibrated(rankerOf);
  const view = viewOf(catalogOf(2_000));
  let turns = 0;

  const preparing = kept.prepare(view);
  while (kept.of(view) === USUAL_CALIBRATION) {
    turns += 1;
    await nextTurn();
  }
  await preparing;

  expect(turns).toBeGreaterThan(1);
});

test("what stands beside the rest of a catalog needs no calibration of its own", async () => {
  const base = catalogOf(60);
  const kept = keepCalibrated(rankerOf);
  await kept.ready(viewOf(base));
  const last = kept.of(viewOf(base));

  const scattered = createIndexView([{ shard: base }, { shard: catalogOf(2, "later") }]);
  await kept.prepare(scattered);

  expect(kept.of(scattered)).toBe(last);
});

test("a catalog that has lost all but what stood beside it keeps the last until it is calibrated itself", async () => {
  const beside = catalogOf(2, "later");
  const kept = keepCalibrated(rankerOf);
  const whole = createIndexView([{ shard: catalogOf(60) }, { shard: beside }]);
  await kept.ready(whole);

  const left = viewOf(beside);

  expect(kept.of(left)).toBe(kept.of(whole));
  await kept.prepare(left);
  expect(kept.of(left)).not.toBe(kept.of(whole));
});

test("an empty catalog has nothing to wait for", async () => {
  const kept = keepCalibrated(rankerOf);

  await kept.ready(createIndexView([]));

  expect(kept.of(createIndexView([]))).toBe(USUAL_CALIBRATION);
});

test("changes that come one after the other are caught up with, the newest last", async () => {
  const views = [60, 6, 30].map((size) => viewOf(catalogOf(size)));
  const kept = keepCalibrated(rankerOf);

  await Promise.all(views.map((view) => kept.prepare(view)));

  const [newest] = views.slice(-1) as [IndexView];
  const alone = keepCalibrated(rankerOf);
  await alone.ready(newest);
  expect(kept.of(newest)).toEqual(alone.of(newest));
});

test("a calibration that failed is told, keeps no question waiting, and is tried again", async () => {
  const view = viewOf(catalogOf(60));
  let failures = 2;
  const kept = keepCalibrated((each) => {
    failures -= 1;
    if (failures >= 0) throw new RangeError("no memory left");
    return rankerOf(each);
  });

  await expect(kept.prepare(view)).rejects.toThrow("no memory left");
  await kept.ready(view);
  expect(kept.of(view)).toBe(USUAL_CALIBRATION);
  await kept.prepare(view);

  expect(kept.of(view)).not.toBe(USUAL_CALIBRATION);
});

test("what is under way ends when it is closed", async () => {
  const view = viewOf(catalogOf(400));
  const kept = keepCalibrated(rankerOf);
  const preparing = kept.prepare(view);

  await kept.close();
  await preparing;

  expect(kept.of(view)).toBe(USUAL_CALIBRATION);
});

function rankerOf(view: IndexView): Ranker {
  return createRanker(view, { vectors });
}

function catalogOf(size: number, provider = "shop"): Shard {
  const documents = Array.from({ length: size }, (_, number) => ({
    provider,
    path: `/${String(number).padStart(4, "0")}`,
    fields: documentOf(`${NAMES[number % NAMES.length] ?? ""} ${number}`),
  }));
  return buildShard(documents, { vectorOf: (stems) => vectors.documentVector(stems) });
}

function documentOf(name: string): SearchDocument {
  return { name, asks: "", path: "find", tags: "", categories: "", description: "", provider: "", parameters: "" };
}
