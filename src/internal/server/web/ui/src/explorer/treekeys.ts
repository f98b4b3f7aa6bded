type Step = "next" | "previous" | "first" | "last" | "parent";

/** Moves the focus from one item of a tree to another one. */
export function moveFocus(item: HTMLElement, step: Step): void {
  const tree = item.closest('[role="tree"]');
  if (!tree) return;
  const items = [...tree.querySelectorAll<HTMLElement>('[role="treeitem"]')];
  const at = items.indexOf(item);
  const targets: Record<Step, HTMLElement | null | undefined> = {
    next: items[at + 1],
    previous: items[at - 1],
    first: items[0],
    last: items.at(-1),
    parent: item.closest('[role="group"]')?.parentElement?.querySelector<HTMLElement>('[role="treeitem"]'),
  };
  const target = targets[step];
  if (!target) return;
  for (const other of items) other.tabIndex = -1;
  target.tabIndex = 0;
  target.focus();
}
