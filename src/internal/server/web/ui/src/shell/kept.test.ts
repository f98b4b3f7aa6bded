import { afterEach, expect, test, vi } from "vitest";
import { forgetInput } from "./kept";

afterEach(() => vi.unstubAllGlobals());

test("input is forgotten, and nothing else", () => {
  const stored: Record<string, string> = { "dovetail-input a": "1", "dovetail-token": "t", "dovetail-input b": "2" };
  vi.stubGlobal("sessionStorage", Object.assign(Object.create({ removeItem: (key: string) => delete stored[key] }), stored));
  forgetInput();
  expect(stored).toEqual({ "dovetail-token": "t" });
});
