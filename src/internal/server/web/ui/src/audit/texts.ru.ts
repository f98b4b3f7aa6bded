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
  auditNone: "Записей нет. Они есть только у сервера, запущенного с --audit keep.",
  auditNewest: "{n, plural, one {# новейшая запись} few {# новейшие записи} many {# новейших записей} other {# новейших записей}}",
  auditCount: "{n, plural, one {# запись} few {# записи} many {# записей} other {# записей}}",
  auditLogins: "{n, plural, one {# попытка} few {# попытки} many {# попыток} other {# попыток}}",
  auditRevisions: "ревизия {versions}",
};
