import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  yamlBroken: "YAML не читается, поэтому формы нет. Сначала исправьте его.",
  addField: "Добавить поле",
  fieldName: "Имя поля",
  addItem: "Добавить элемент",
  item: "Элемент {n, number, ::group-off}",
  invalidName: "Имя, которого ещё нет",
  immutableHint: "Нельзя изменить после создания.",
  defaultHint: "По умолчанию: {value}",
  refersToKind: "Ссылается на: {kinds}",
  chooseReference: "Выберите документ",
  createReferenced: "Создать {kind}",
  createReferencedAs: "Создать {kind}: {name}",
  showBeyond: "Показать и те, что вне {scope}",
  offersCut: "Показаны не все. Введите начало пути с косой чертой или имя целиком.",
  addName: "Добавить {kinds}",
  takenBy: "Уже занято документом",
  notUnique: "Значение должно быть уникальным. Оно есть у документа",
  stillMissing: "Обязательно и ещё не заполнено:",
  atLeast: "не меньше {n, number}",
};
