import { Text, Title } from "@mantine/core";
import { useId, type ReactNode } from "react";
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

/** What is said where there is nothing. */
export function Nothing({ children }: { children: ReactNode }) {
  return (
    <Text size="sm" c="dimmed" className={classes.panelBody}>
      {children}
    </Text>
  );
}
