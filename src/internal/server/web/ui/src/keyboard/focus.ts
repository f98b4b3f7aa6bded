/** Whether keys that are pressed at an element are text, or belong to it. */
export function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target.isContentEditable || target.closest('[role="dialog"], [role="menu"], [role="listbox"]')) return true;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button", "submit", "reset", "file"].includes(target.type);
  return target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}

/** Moves the focus among the rows of the list that has it, or of the first one of the page: by one, forwards or back. */
export function moveBy(step: 1 | -1): void {
  const inTree = document.activeElement?.closest('[role="tree"]');
  const listed = inTree ? [] : visible("#content [data-move]");
  const rows = listed.length > 0 ? listed : visible('#content [role="treeitem"]');
  const at = rows.findIndex((row) => row === document.activeElement || row.closest("tr, li")?.contains(document.activeElement));
  const next = rows[at === -1 ? 0 : at + step];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

/** Gives the focus to the filter of the page, if it has one; filters that are folded are opened. */
export function focusFilter(): void {
  const [folded] = visible('#content [data-filters][aria-expanded="false"]');
  if (folded) {
    folded.click();
    focusSoon("#content [data-filter]");
    return;
  }
  const [filter] = [...visible("#content [data-filter]"), ...visible('#content input[type="search"]')];
  filter?.focus();
  if (filter instanceof HTMLInputElement) filter.select();
}

/** Gives the focus to the first element that fits, as soon as it is there; after some seconds it is not waited for any longer. */
export function focusSoon(selector: string, frames = 300): void {
  const [element] = visible(selector);
  if (element) element.focus();
  else if (frames > 0) requestAnimationFrame(() => focusSoon(selector, frames - 1));
}

function visible(selector: string): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>(selector)].filter((element) => element.getClientRects().length > 0);
}
