/** The texts of the folder keyboard. */
export const texts = {
  title: "Keyboard shortcuts",
  next: "Next row",
  previous: "Previous row",
  filter: "Filter or search this page",
  palette: "Search or jump to",
  open: "Open the row",
  edit: "Edit the document",
  history: "History of the document",
} as const;
