/** The texts of the folder live. */
export const texts = {
  anotherUser: "another user",
  changedBy: "Changed by {who}",
  createdBy: "Created again by {who}",
  deletedBy: "Deleted by {who}",
  shownNow: "The page shows it.",
  lastVersionShown: "The page still shows the last version.",
  inputStays: "Your input is kept.",
  mergeChanges: "Merge",
  connectionLost: "The server does not answer. What is shown may be old; the connection is tried again.",
} as const;
