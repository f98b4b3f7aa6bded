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
  graphPathTo: "Путь к",
  graphPathHint: "имя или его начало",
  graphPath: "Путь",
  graphNoPath: "Между ними нет пути до шести шагов.",
  graphMark: "Выделить",
  graphNoMark: "Ничего",
  graphDeleted: "Удалится вместе",
  graphDependent: "Зависит от него",
  graphDeletedMore: "Каскадное удаление удалит вместе с ним ещё: {n, number}.",
  graphDependents: "Зависят от него: {n, number}.",
  graphNoneMarked: "Ничего: документ можно удалить отдельно.",
  graphFailed: "Не удалось построить схему",
};
