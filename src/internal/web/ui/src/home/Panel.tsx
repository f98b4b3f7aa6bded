import { Skeleton, Stack, Text, Title } from "@mantine/core";
import { useId, type ReactNode } from "react";
import { useTexts } from "../i18n/texts";
import classes from "./Home.module.css";

interface Props {
  title: string;
  icon: ReactNode;
  aside?: ReactNode;
  children: ReactNode;
}

/** One part of Home, under a heading. */
export function Panel({ title, icon, aside, children }: Props) {
  const id = useId();
  return (
    <section className={classes.panel} aria-labelledby={id}>
      <div className={classes.panelHead}>
        {icon}
        <Title order={2} size="h6" id={id} flex={1}>
          {title}
        </Title>
        {aside}
      </div>
      {children}
    </section>
  );
}

/** Takes the place of what is loaded, so that nothing jumps when it comes. */
export function Waiting({ rows }: { rows: number }) {
  const t = useTexts();
  return (
    <Stack gap={10} className={classes.panelBody} role="status" aria-label={t("common.loading")}>
      {Array.from({ length: rows }, (_, i) => (
        <Skeleton key={i} height={14} width={`${90 - ((i * 17) % 40)}%`} radius="sm" />
      ))}
    </Stack>
  );
}

/** What is said where there is nothing. */
export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" className={classes.panelBody}>
      {children}
    </Text>
  );
}
