// Runs secretlint's recommended rules over the texts of a file, for main.go.
import { readFileSync } from "node:fs";
import { lintSource } from "@secretlint/core";
import { creator } from "@secretlint/secretlint-rule-preset-recommend";

const { secrets, texts } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const config = { rules: [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: creator, options: {} }] };

/** @param {string} content */
async function messages(content) {
  const source = { content, filePath: "/text.txt", ext: ".txt", contentType: "text" };
  return (await lintSource({ source, options: { config } })).messages;
}

const found = [];
for (const { text, from, to } of secrets) {
  // Offsets are of bytes there and of characters here; the secrets are ASCII.
  found.push((await messages(text)).some((m) => m.range[0] < to && m.range[1] > from));
}
const lines = {};
let seconds = 0;
for (const { root, texts: all } of texts) {
  lines[root] = 0;
  for (const text of all) {
    const began = performance.now();
    const reported = await messages(text);
    seconds += (performance.now() - began) / 1000;
    const on = new Set();
    for (const m of reported) for (let n = m.loc.start.line; n <= m.loc.end.line; n++) on.add(n);
    lines[root] += on.size;
  }
}
process.stdout.write(JSON.stringify({ found, lines, seconds }));
