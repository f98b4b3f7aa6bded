import { Button, Popover, Skeleton } from "@mantine/core";
import { Suspense, lazy, useState } from "react";
import { useTexts } from "../i18n/texts";
import type { ColumnsProps } from "./ColumnChoice";

const ColumnChoice = lazy(() => import("./ColumnChoice"));

/** Chooses the columns of the table: those of the kind, and any field. The address keeps them. */
export function Columns({ kind, rows, known, shown, search, onChange }: ColumnsProps) {
  const t = useTexts();
  const [open, setOpen] = useState(false);
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={320} trapFocus withinPortal={false}>
      <Popover.Target>
        <Button variant="default" size="xs" aria-haspopup="dialog" onClick={() => setOpen(!open)}>
          {t("table.columns")}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t("table.columns")}>
        <Suspense fallback={<Skeleton height={200} />}>
          <ColumnChoice kind={kind} rows={rows} known={known} shown={shown} search={search} onChange={onChange} />
        </Suspense>
      </Popover.Dropdown>
    </Popover>
  );
}
