import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Has the style sheets loaded without keeping the static frame of the page from being drawn; main.tsx puts them in force. They stay first, as later ones override them. */
const stylesLater: Plugin = {
  name: "styles-later",
  transformIndexHtml: { order: "post", handler: (html) => html.replaceAll('<link rel="stylesheet"', '$& media="not all"') },
};

export default defineConfig({
  base: "/ui/",
  plugins: [react(), stylesLater],
  build: {
    outDir: "../dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
  },
  // `npm run dev` against a server on its default address.
  server: { proxy: { "/v2": "http://127.0.0.1:8080", "/api": "http://127.0.0.1:8080" } },
  test: {
    tags: [{ name: "journey", description: "One of the ten that are run before each change lands." }],
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts"], environment: "node", testTimeout: 120_000 } },
      {
        extends: true,
        test: { name: "e2e", include: ["e2e/**/*.test.ts"], environment: "node", testTimeout: 900_000, hookTimeout: 900_000, fileParallelism: false, expect: { poll: { timeout: 300_000 } } },
      },
      { extends: true, test: { name: "screenshots", include: ["e2e/screenshots.ts"], environment: "node", testTimeout: 900_000 } },
      { extends: true, test: { name: "measure", include: ["e2e/measure.ts"], environment: "node", testTimeout: 600_000 } },
    ],
  },
});
