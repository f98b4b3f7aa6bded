import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { kindsQuery } from "../api/access";
import { servicesQuery } from "../api/services";
import { mayAuditQuery } from "../audit/queries";
import { OpenCount } from "../changesets/OpenCount";
import { useTexts } from "../i18n/texts";
import { pagesOf } from "./pages";
import classes from "./Navigation.module.css";

/** The pages that there are. Those of services have their place from the start, and go when the services do not run, or one may read nothing of theirs. */
export function Navigation({ onGo }: { onGo: () => void }) {
  const t = useTexts();
  const services = useQuery(servicesQuery);
  const kinds = useQuery(kindsQuery);
  const audit = useQuery(mayAuditQuery);
  const unknown = services.isPending || kinds.isPending;
  return (
    <nav aria-label={t("shell.mainNavigation")} className={classes.entries}>
      {pagesOf(t, services.data, kinds.data?.read, audit.data).map(({ to, label, service, icon: Icon }) => (
        <Link key={to} to={to} className={classes.entry} data-unknown={(service !== undefined && unknown) || undefined} activeOptions={{ includeSearch: false, exact: to === "/" }} onClick={onGo}>
          <Icon size={16} strokeWidth={1.75} aria-hidden />
          <span className={classes.label}>{label}</span>
          {service === "changeset" && !unknown && <OpenCount className={classes.count} />}
        </Link>
      ))}
    </nav>
  );
}
