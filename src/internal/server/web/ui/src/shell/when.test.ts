import { expect, test } from "vitest";
import { ago } from "./When";

const now = Date.parse("2026-05-20T12:00:00Z");

test.each([
  { name: "now", time: "2026-05-20T12:00:00Z", en: "0 sec. ago", ru: "0 сек. назад" },
  { name: "a clock that is ahead", time: "2026-05-20T12:01:00Z", en: "0 sec. ago", ru: "0 сек. назад" },
  { name: "minutes", time: "2026-05-20T11:57:30Z", en: "2 min. ago", ru: "2 мин. назад" },
  { name: "a day", time: "2026-05-19T11:00:00Z", en: "1 day ago", ru: "1 дн. назад" },
  { name: "long ago", time: "2026-01-02T11:00:00Z", en: "1/2/2026", ru: "02.01.2026" },
])("$name", ({ time, en, ru }) => {
  expect([ago(time, now, "en"), ago(time, now, "ru")]).toEqual([en, ru]);
});
