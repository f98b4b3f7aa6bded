/** The texts of the folder yaml. */
export const texts = {
  unchangedLines: "{n} lines are the same",
} as const;
