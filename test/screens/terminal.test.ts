import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { palette } from "../../cli/screen/palette.ts";
import { mktHome } from "../support/mkt-home.ts";
import { runMkt } from "../support/run-cli.ts";
import { spawnMkt } from "../support/spawn-mkt.ts";
import { thirdOfSamples } from "../support/third-of-samples.ts";
import { maskFrame } from "./mask.ts";
import { type MainScreen, type Stage, startStage } from "./ten-screens.ts";
import { type Frame, hasTmux, openTerminals, type PaneOptions, type Terminals } from "./tmux.ts";

/* oxlint-disable no-control-regex -- escape sequences are what this is about */

const sizes = {
  "80x24": { columns: 80, rows: 24 },
  "120x40": { columns: 120, rows: 40 },
} as const;

type Size = keyof typeof sizes;

describe.skipIf(!hasTmux)("the ten main screens, in a terminal (needs tmux)", () => {
  let terminals: Terminals;
  beforeAll(() => void (terminals = openTerminals()));
  afterAll(() => terminals[Symbol.asyncDispose]());

  test.each<[Size, string, string]>([
    ["80x24", "dark", "15;0"],
    ["80x24", "light", "0;15"],
    ["120x40", "dark", "15;0"],
  ])(
    "look as they should on %s, %s, in colours that show on both",
    async (size, background, COLORFGBG) => {
      await using stage = await startStage();
      const surroundings = { COLORFGBG };
      // The dark one has the same frames, all of them.
      const screens = background === "light" ? someOf(stage) : stage.screens;

      for await (const screen of screens) {
        const frame = await look(screen, { ...sizes[size], environment: { ...environmentOf(stage), ...surroundings } });
        await expect(maskFrame(frame.text)).toMatchFileSnapshot(`frames/${size}/${screen.name}.txt`);
        expect(foreignColors(frame.colored), screen.name).toEqual([]);
      }
    },
    120_000,
  );

  test("say the same without colours", async () => {
    await using stage = await startStage();

    for await (const screen of someOf(stage)) {
      const frame = await look(screen, { ...sizes["80x24"], environment: { ...environmentOf(stage), NO_COLOR: "1" } });
      await expect(maskFrame(frame.text)).toMatchFileSnapshot(`frames/80x24/${screen.name}.txt`);
      expect(frame.colored, screen.name).not.toContain("\u001b");
    }
  }, 120_000);

  test("can be read in 20 columns, in ASCII where the locale knows no more", async () => {
    await using stage = await startStage();
    const narrow = { columns: 20, rows: 200, environment: { ...environmentOf(stage), LC_ALL: "POSIX" } };

    for (const screen of stage.screens) {
      const { text, unbroken } = await look(screen, narrow);
      expect(text, screen.name).toMatch(/^[\n -~]*$/);
      await expect(maskFrame(unbroken.trimEnd())).toMatchFileSnapshot(`frames/20-columns-ascii/${screen.name}.txt`);
    }
  }, 120_000);

  test("are read aloud in their order, each value behind its name", async () => {
    await using stage = await startStage();
    const spoken = { columns: 80, rows: 200, environment: { ...environmentOf(stage), INK_SCREEN_READER: "true" } };

    for (const { name, words } of stage.screens) {
      // Nothing is redrawn, so the dashboard is one picture as well.
      const { text } = await terminals.show(words, spoken);
      await expect(maskFrame(text.trimEnd())).toMatchFileSnapshot(`frames/spoken/${name}.txt`);
      expect(text, name).not.toMatch(/[\u2500-\u259f]/);
    }
  }, 120_000);

  async function look({ words, until }: MainScreen, options: PaneOptions): Promise<Frame> {
    if (until === undefined) return await terminals.show(words, options);
    const pane = await terminals.start(words, options);
    const frame = await pane.until(until);
    await pane.press("q");
    expect(await pane.ended()).toBe(0);
    return frame;
  }
});

describe("the ten main screens, in a pipe", () => {
  test("have no escape sequence in them", async () => {
    using home = mktHome();
    await using stage = await startStage();

    for await (const { name, words } of someOf(stage)) {
      const { stdout, stderr } = await spawnMkt(words, { home, environment: environmentOf(stage) });
      expect(stdout, name).not.toBe("");
      expect(stdout + stderr, name).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    }
  }, 120_000);
});

/** A third of the screens; what the others run is run, because later screens tell of it. */
async function* someOf(stage: Stage): AsyncGenerator<MainScreen> {
  const some = thirdOfSamples(stage.screens);
  for (const screen of stage.screens) {
    if (some.includes(screen)) yield screen;
    else if (screen.until === undefined) await runMkt(screen.words, { env: environmentOf(stage) });
  }
}

function environmentOf({ url, key }: { readonly url: string; readonly key: string }): Record<string, string> {
  return { MKT_API_URL: url, MKT_API_KEY: key, LANG: "C.UTF-8", MKT_NO_AUTOSTART: "1", HOME: "/nonexistent" };
}

/** Back to normal, bold, faint, and the terminal's own colours. */
const plain = ["", "0", "1", "2", "22", "39", "49"];

/** Colours in a frame that are not of the palette. */
function foreignColors(colored: string): string[] {
  const ours: readonly string[] = Object.values(palette).map((color) => /\((\d+)\)/.exec(color)?.[1] ?? "");
  const used = [...colored.matchAll(/\u001b\[([0-9;]*)m/g)].flatMap(
    ([, codes = ""]) => codes.match(/38;5;\d+|\d+/g) ?? [],
  );
  return [...new Set(used)].filter((code) => !plain.includes(code) && !ours.includes(code.replace("38;5;", "")));
}
