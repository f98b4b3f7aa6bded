/** The texts of the folder audit. */
export const texts = {
  auditAction: "Action",
  auditAnyAction: "any",
  auditRead: "read",
  auditReveal: "secrets revealed",
  auditLogin: "sign-in",
  auditRefused: "refused",
  auditDryRun: "dry run",
  auditTime: "When",
  auditRecords: "Audit records",
  auditRefresh: "Refresh",
  auditLastDay: "Without From, the records of the last 24 hours are shown.",
  auditNone: "No records. Only a server that runs with --audit keep has any.",
  auditMore: "There are more than {n, number} records in this time, and the oldest {n, number} are shown: choose a shorter time.",
  auditCount: "{n, plural, one {1 record} other {# records}}",
  auditLogins: "{n, number} attempts",
  auditRevisions: "revision {versions}",
} as const;
