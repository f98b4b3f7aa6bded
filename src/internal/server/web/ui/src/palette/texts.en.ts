/** The texts of the folder palette. */
export const texts = {
  inDocuments: "In documents",
  searchValues: "Parameters and values with “{text}”",
  savedView: "Saved view of {kind}",
  palette: "Search or jump to",
  paletteHint: "A document, a kind, a page or an action",
  paletteKeys: "↑ ↓ choose · Enter opens · Esc closes",
  palettePartial: "The store has more documents than are searched here.",
  recentDocuments: "Recent documents",
  paletteNow: "Names are those of what is stored now; the document opens as it was at the moment that is shown.",
  pages: "Pages",
  switchTo: "Switch to change set: {name}",
  leaveView: "Leave the change set",
} as const;
