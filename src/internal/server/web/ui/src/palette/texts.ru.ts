import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  inDocuments: "В документах",
  searchValues: "Параметры и значения с «{text}»",
  savedView: "Сохранённый вид: {kind}",
  palette: "Найти или перейти",
  paletteHint: "Документ, вид, страница или действие",
  paletteKeys: "↑ ↓ выбор · Enter открыть · Esc закрыть",
  palettePartial: "В хранилище больше документов, чем здесь просматривается.",
  recentDocuments: "Недавние документы",
  paletteNow: "Имена — из хранимого сейчас; документ откроется таким, каким был в показанный момент.",
  pages: "Страницы",
  switchTo: "Перейти в набор изменений: {name}",
  leaveView: "Выйти из набора изменений",
};
