#!/usr/bin/env node
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path/posix";
import { fileURLToPath } from "node:url";

/*
 * Enforces the directions of imports; `npm run lint` calls it. floors.json lists the floors on which the rooms of a
 * folder stand, the ground first. A file imports from its own room and from lower floors, types included. Files that
 * lie beside the rooms are the front door: they import from all floors, and no room imports them. A folder without a
 * list has no floors and only has to be free of circles.
 */

const LISTS = "bin/house/floors.json";
const SOURCE = /\.(ts|tsx|mjs)$/;
const IMPORT = /\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

function checkFloors(root) {
  const lists = JSON.parse(readFileSync(join(root, LISTS), "utf8"));
  const files = lists["."].flat().flatMap((folder) => sourceFiles(root, folder));
  const known = new Set(files);
  const imports = files.flatMap((file) => importsOf(root, file)).filter(({ to }) => known.has(to));
  const folders = [...new Set(files.flatMap(foldersAbove))];
  return [
    ...Object.entries(lists).flatMap(([folder, floors]) => checkFolder(folder, floors, { files, imports })),
    ...folders.filter((folder) => lists[folder] === undefined).flatMap((folder) => findCircles(folder, imports)),
  ];
}

function sourceFiles(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return sourceFiles(root, path);
    return SOURCE.test(entry.name) ? [path] : [];
  });
}

function importsOf(root, file) {
  const text = readFileSync(join(root, file), "utf8");
  return [...text.matchAll(IMPORT)].map(([, path]) => ({ from: file, to: join(dirname(file), path) }));
}

function foldersAbove(file) {
  const folder = dirname(file);
  return folder === "." ? [] : [folder, ...foldersAbove(folder)];
}

function checkFolder(folder, floors, { files, imports }) {
  const floorOf = new Map(floors.flatMap((rooms, index) => rooms.map((room) => [room, index + 1])));
  const there = files.map((file) => placeIn(folder, file)).filter((place) => place?.isRoom === true);
  const rooms = new Set(there.map(({ name }) => name));
  return [
    ...[...rooms].filter((room) => !floorOf.has(room)).map((room) => `${join(folder, room)}/ has no floor in ${LISTS}`),
    ...[...floorOf.keys()]
      .filter((room) => !rooms.has(room))
      .map((room) => `${join(folder, room)}/ of ${LISTS} is gone`),
    ...imports.map((one) => whyUp(folder, floorOf, one)).filter((why) => why !== undefined),
  ];
}

/** Why an import does not go down; undefined where it does, or stays in its room. */
function whyUp(folder, floorOf, { from, to }) {
  const [here, there] = [placeIn(folder, from), placeIn(folder, to)];
  if (!here?.isRoom || there === undefined || here.name === there.name) return undefined;
  if (!there.isRoom) return `${from} imports ${to}, which is above all rooms of ${folder}/`;
  const [floor, other] = [floorOf.get(here.name), floorOf.get(there.name)];
  if (!(other >= floor)) return undefined;
  const where =
    other === floor ? "is on the same floor" : `is on floor ${other}, above floor ${floor} of ${here.name}/`;
  return `${from} imports ${to}: ${there.name}/ ${where}`;
}

/**
 * The room of a folder that a file is in, or the file itself where it lies beside the rooms; undefined outside the
 * folder.
 */
function placeIn(folder, file) {
  const beginning = folder === "." ? "" : `${folder}/`;
  if (!file.startsWith(beginning)) return undefined;
  const [name, ...rest] = file.slice(beginning.length).split("/");
  return { name, isRoom: rest.length > 0 };
}

/** Imports between the rooms of a folder, and the files beside them, that are part of a circle. */
function findCircles(folder, imports) {
  const known = new Map();
  for (const { from, to } of imports) {
    const [here, there] = [placeIn(folder, from)?.name, placeIn(folder, to)?.name];
    if (here === undefined || there === undefined || here === there) continue;
    if (!known.has(here)) known.set(here, new Map());
    known.get(here).set(there, `${from} imports ${to}`);
  }
  return [...known].flatMap(([here, others]) =>
    [...others]
      .filter(([there]) => reachedFrom(there, known).has(here))
      .map(([there, how]) => `${folder}/: ${here} and ${there} know each other; ${how}`),
  );
}

function reachedFrom(start, known) {
  const reached = new Set();
  const follow = (name) => {
    for (const next of known.get(name)?.keys() ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      follow(next);
    }
  };
  follow(start);
  return reached;
}

const [root = fileURLToPath(new URL("../..", import.meta.url))] = process.argv.slice(2);
const problems = checkFloors(root);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
