import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  title: "Сочетания клавиш",
  next: "Следующая строка",
  previous: "Предыдущая строка",
  filter: "Фильтр или поиск на странице",
  palette: "Найти или перейти",
  open: "Открыть строку",
  edit: "Изменить документ",
  history: "История документа",
};
