import { UnstyledButton } from "@mantine/core";
import { useLocalStorage } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Link, useSearch } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { modelQuery } from "../api/queries";
import { moment } from "../api/view";
import { countsQuery } from "../home/queries";
import { useLanguage, useTexts } from "../i18n/texts";
import { KindIcon } from "./KindIcon";
import { KindName } from "./KindName";
import { kindGroups, serviceTitle, system, type KindGroup } from "./kindgroups";
import classes from "./Navigation.module.css";

/** The kinds that have documents, by service, with how many there are: each leads to the table of its documents. */
export function KindList({ onGo }: { onGo: () => void }) {
  const t = useTexts();
  const model = useQuery(modelQuery).data;
  const counts = useQuery(countsQuery).data?.kinds;
  const [closed, setClosed] = useLocalStorage<string[]>({ key: "dovetail-closed-groups", defaultValue: [system], getInitialValueInEffect: false });
  if (!model || !counts) return null;
  const groups = kindGroups(model)
    .map(({ service, kinds }) => ({ service, kinds: kinds.filter(({ name }) => (counts[name] ?? 0) > 0) }))
    .filter(({ kinds }) => kinds.length > 0);
  if (groups.length === 0) return null;
  const toggle = (service: string) => setClosed((before) => (before.includes(service) ? before.filter((other) => other !== service) : [...before, service]));
  return (
    <nav aria-label={t("common.kinds")}>
      {groups.map((group) => (
        <Group key={group.service} group={group} counts={counts} open={!closed.includes(group.service)} onToggle={() => toggle(group.service)} title={serviceTitle(t, group.service)} onGo={onGo} />
      ))}
    </nav>
  );
}

interface GroupProps {
  group: KindGroup;
  title: string;
  counts: Record<string, number>;
  open: boolean;
  onToggle: () => void;
  onGo: () => void;
}

function Group({ group, title, counts, open, onToggle, onGo }: GroupProps) {
  const { language } = useLanguage();
  const { kind, id } = useSearch({ strict: false }) as { kind?: string; id?: string };
  return (
    <>
      <UnstyledButton className={classes.group} aria-expanded={open} onClick={onToggle}>
        <ChevronRight size={12} aria-hidden />
        {title}
      </UnstyledButton>
      {open &&
        group.kinds.map(({ name }) => (
          <Link key={name} to="/explorer" search={{ kind: name }} className={classes.entry} data-status={kind === name && id === undefined ? "active" : "other"} title={name} onClick={onGo}>
            <KindIcon kind={name} />
            <span className={classes.label}>
              <KindName kind={name} />
            </span>
            {moment() === "" && <span className={classes.count}>{(counts[name] ?? 0).toLocaleString(language)}</span>}
          </Link>
        ))}
    </>
  );
}
