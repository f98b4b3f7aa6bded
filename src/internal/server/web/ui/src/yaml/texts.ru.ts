import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  unchangedLines: "строк без изменений: {n}",
};
