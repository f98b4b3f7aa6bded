import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  anotherUser: "другой пользователь",
  changedBy: "Изменил(а) {who}",
  createdBy: "Снова создал(а) {who}",
  deletedBy: "Удалил(а) {who}",
  shownNow: "Страница это показывает.",
  lastVersionShown: "Страница ещё показывает последнюю версию.",
  inputStays: "Ваши правки сохранены на странице.",
  mergeChanges: "Слить",
  connectionLost: "Сервер не отвечает. Показанное может быть устаревшим; попытки соединиться продолжаются.",
};
