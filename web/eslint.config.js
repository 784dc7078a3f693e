import js from "@eslint/js";

/** @param {...string} names */
const readonly = (...names) => Object.fromEntries(names.map((name) => [name, "readonly"]));

const browser = readonly(
  "AbortController", "AbortSignal", "Blob", "CustomEvent", "Event", "HTMLElement", "Headers", "Node", "Intl", "ReadableStream", "Response", "TextDecoder", "TextEncoder", "URL",
  "URLSearchParams", "caches", "clearInterval", "clearTimeout", "console", "crypto", "document", "fetch", "getComputedStyle",
  "history", "localStorage", "location", "matchMedia", "navigator", "performance", "queueMicrotask",
  "requestAnimationFrame", "cancelAnimationFrame", "ResizeObserver", "setImmediate", "setInterval", "setTimeout", "window",
);

export default [
  { ignores: ["app/vendor/**", "node_modules/**"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2022, sourceType: "module", globals: browser },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      eqeqeq: "error",
      "no-eval": "error",
      "no-implied-eval": "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-console": "error",
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Text becomes text nodes." },
        { property: "outerHTML", message: "Text becomes text nodes." },
        { property: "insertAdjacentHTML", message: "Text becomes text nodes." },
        { property: "dangerouslySetInnerHTML", message: "Text becomes text nodes." },
        { property: "cssText", message: "The policy refuses inline styles: set one property." },
      ],
    },
  },
  {
    files: ["app/sw.js"],
    languageOptions: { sourceType: "script", globals: readonly("self", "caches", "fetch", "URL", "Response") },
  },
];
