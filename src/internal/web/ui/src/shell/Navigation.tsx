import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { servicesQuery } from "../api/services";
import { useTexts } from "../i18n/texts";
import { pagesOf } from "./pages";
import classes from "./Shell.module.css";

/** The pages that there are. Those of services have their place from the start, and go when the services do not run. */
export function Navigation() {
  const t = useTexts();
  const services = useQuery(servicesQuery);
  return (
    <Group component="nav" aria-label={t.mainNavigation} gap={4} wrap="nowrap" className={classes.entries}>
      {pagesOf(t, services.data).map(({ to, label, service }) => (
        <Link key={to} to={to} className={classes.entry} data-unknown={(service !== undefined && services.isPending) || undefined} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
    </Group>
  );
}
