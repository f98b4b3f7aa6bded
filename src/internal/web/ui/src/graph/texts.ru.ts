import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  graphDepth: "Шагов",
  graphOf: "Окрестность {id}",
  graphCut: "Показаны только ближайшие документы: {n, number}. У которых есть ещё, те отмечены.",
  graphAsList: "То же списком",
  graphFold: "Свернуть однородные",
  graphMap: "Карта схемы",
  graphMore: "есть ещё",
  graphKeys: "Нажмите Enter, чтобы открыть.",
};
