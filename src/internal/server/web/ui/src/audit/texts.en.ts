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
  auditNone: "No records. Only a server that runs with --audit keep has any.",
  auditNewest: "{n, plural, one {The newest record} other {The newest # records}}",
  auditCount: "{n, plural, one {1 record} other {# records}}",
  auditLogins: "{n, number} attempts",
  auditRevisions: "revision {versions}",
} as const;
