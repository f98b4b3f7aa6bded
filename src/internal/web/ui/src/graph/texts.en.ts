/** The texts of the folder graph. */
export const texts = {
  graphDepth: "Steps",
  graphOf: "Neighbourhood of {id}",
  graphCut: "Only the nearest {n, number} documents are shown; what has more says so.",
  graphAsList: "The same as a list",
  graphFold: "Fold siblings again",
  graphMap: "Map of the picture",
  graphMore: "has more",
  graphKeys: "Press Enter to open it.",
} as const;
