import { useInfiniteQuery } from "@tanstack/react-query";
import { moment } from "../api/view";
import { every } from "../home/queries";
import { useLanguage, useTexts } from "../i18n/texts";
import { changeSetsQuery } from "./queries";

/** How many change sets are open, as far as they are read; nothing where none is. */
export function OpenCount({ className }: { className?: string }) {
  const t = useTexts();
  const { language } = useLanguage();
  const { data, hasNextPage } = useInfiniteQuery({ ...changeSetsQuery({ state: "open" }), enabled: moment() === "", refetchInterval: every });
  const open = data?.pages.reduce((sum, { items }) => sum + items.length, 0) ?? 0;
  if (open === 0) return null;
  return (
    <span className={className} title={t("common.openChangeSets")}>
      {open.toLocaleString(language)}
      {hasNextPage && "+"}
    </span>
  );
}
