import assert from "node:assert/strict";
import { test } from "node:test";
import { en } from "../app/i18n/en.js";
import { es } from "../app/i18n/es.js";
import { fr } from "../app/i18n/fr.js";
import { pickLanguage } from "../app/i18n/index.js";
import { tr } from "../app/i18n/tr.js";

/**
 * The shape of a dictionary: its keys, with a function's number of parts.
 * @param {object} words
 * @returns {unknown}
 */
const shape = (words) => Object.fromEntries(Object.entries(words).map(([key, value]) => [
  key, typeof value === "object" ? shape(value) : typeof value === "function" ? value.length : typeof value,
]));

for (const [tag, words] of Object.entries({ fr, es, tr })) {
  test(`${tag} has every word of English, and no other`, () => {
    assert.deepEqual(shape(words), shape(en));
  });
}

test("the first language that the app has is picked, else English", () => {
  assert.equal(pickLanguage("system", ["de-DE", "fr-CA", "es"]), "fr");
  assert.equal(pickLanguage("system", ["de"]), "en");
  assert.equal(pickLanguage("tr", ["fr"]), "tr");
  assert.equal(pickLanguage("xx", ["fr"]), "en");
});
