import { Text } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import classes from "./ChangeSets.module.css";
import { textOf } from "./text";

/** How many lines of a value are shown at once. */
const mostLines = 10;

/** A value as YAML; undefined is absent. A long one is scrolled, but not where it is part of a control. */
export function Value({ value, inControl = false }: { value: unknown; inControl?: boolean }) {
  const t = useTexts();
  if (value === undefined) return <Text span size="sm" c="dimmed" fs="italic">{t("common.absent")}</Text>;
  const text = textOf(value);
  const scrolled = !inControl && text.split("\n").length > mostLines;
  return (
    <code className={classes.value} data-scrolled={scrolled || undefined} {...(scrolled ? { tabIndex: 0, role: "group", "aria-label": t("common.value") } : {})}>
      {text}
    </code>
  );
}
