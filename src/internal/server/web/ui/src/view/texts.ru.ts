import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  show: "Показать",
  moment: "Момент времени…",
  momentTitle: "Показать момент времени",
  momentText: "Все страницы покажут документы такими, какими они были, и ничего не изменят. Насколько далеко можно заглянуть, определяет история.",
  momentShown: "Показан момент времени",
  hourAgo: "Час назад",
  dayAgo: "Вчера в это время",
  weekAgo: "Неделю назад",
  time: "Время",
  noTime: "Укажите дату и время.",
  future: "Выберите время, которое уже прошло.",
  timeIs: "На {time, date, ::yMMMdjmm}",
  positionIs: "На позиции {position}",
  readOnly: "Прошлое изменить нельзя. Сначала вернитесь к настоящему.",
  readOnlyNow: "Эта страница показывает хранимое сейчас, остальные — момент прошлого. Сначала вернитесь к настоящему.",
  readOnlyNote: "только чтение",
  pageOfNow: "эта страница показывает то, что хранится сейчас",
  backToNow: "К настоящему",
  storedState: "Хранимое",
  viewIs: "Что показано: {name}",
};
