import { Box, Button } from "@mantine/core";
import { SlidersHorizontal } from "lucide-react";
import { useId, useRef, useState, type ReactNode } from "react";
import { useTexts } from "../i18n/texts";
import classes from "./Filters.module.css";

interface Props {
  active: number; // how many of them have a value
  children: ReactNode;
}

/** The filters of a list. A phone has no room for them beside the list: there they are behind a button, which says how many are active. */
export function Filters({ active, children }: Props) {
  const t = useTexts();
  const panel = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const fold = () => {
    setOpen(false); // a form that is submitted has its results below
    button.current?.focus();
  };
  return (
    <Box onSubmit={fold}>
      <Button ref={button} data-filters hiddenFrom="sm" variant="default" size="xs" leftSection={<SlidersHorizontal size={15} aria-hidden />} aria-expanded={open} aria-controls={panel} onClick={() => setOpen(!open)}>
        {t("shell.filters", { n: active })}
      </Button>
      <div id={panel} className={classes.panel} data-open={open || undefined}>
        {children}
      </div>
    </Box>
  );
}
