import type { texts as en } from "./texts.en";

export const texts: Record<keyof typeof en, string> = {
  auditAction: "Действие",
  auditAnyAction: "любое",
  auditRead: "чтение",
  auditReveal: "секреты показаны",
  auditLogin: "вход",
  auditRefused: "отказано",
  auditDryRun: "пробный запуск",
  auditTime: "Когда",
  auditRecords: "Записи аудита",
  auditRefresh: "Обновить",
  auditLastDay: "Без начала показаны записи за последние 24 часа.",
  auditNone: "Записей нет. Они есть только у сервера, запущенного с --audit keep.",
  auditMore: "За это время больше {n, number} записей, показаны самые старые {n, number}: выберите более короткое время.",
  auditCount: "{n, plural, one {# запись} few {# записи} many {# записей} other {# записей}}",
  auditLogins: "{n, plural, one {# попытка} few {# попытки} many {# попыток} other {# попыток}}",
  auditRevisions: "ревизия {versions}",
};
