import { Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { servicesQuery, type ServiceName } from "../api/services";
import { useTexts } from "../i18n/texts";
import classes from "./Shell.module.css";

/** The pages that there are. Those of services have their place from the start, and go when the services do not run. */
export function Navigation() {
  const t = useTexts();
  const services = useQuery(servicesQuery);
  const runs = (service?: ServiceName) => service === undefined || services.data === undefined || services.data.has(service);
  const entries: { to: string; label: string; service?: ServiceName }[] = [
    { to: "/explorer", label: t.explorer },
    { to: "/overrides", label: t.overrides, service: "override" },
    { to: "/descriptors", label: t.descriptors, service: "descriptor" },
    { to: "/layering", label: t.layering, service: "layering" },
    { to: "/resolutions", label: t.resolutions, service: "resolution" },
    { to: "/change-sets", label: t.changeSets, service: "changeset" },
    { to: "/activity", label: t.activity },
    { to: "/schema", label: t.schema },
  ];
  return (
    <Group component="nav" aria-label={t.mainNavigation} gap={4} wrap="nowrap" className={classes.entries}>
      {entries.filter(({ service }) => runs(service)).map(({ to, label, service }) => (
        <Link key={to} to={to} className={classes.entry} data-unknown={(service !== undefined && services.isPending) || undefined} activeOptions={{ includeSearch: false }}>
          {label}
        </Link>
      ))}
    </Group>
  );
}
