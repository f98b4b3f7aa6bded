import { ActionIcon, Badge, Group } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ChevronDown, ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { OverridesSearch } from "../addresses";
import { useTexts } from "../i18n/texts";
import { PageLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { outlineQuery, type Counts, type OutlinedNamespace } from "./outline";
import { contexts, type Choice } from "./place";
import classes from "./Workbench.module.css";

/** How many namespaces are all open at first. */
const fewNamespaces = 4;

/** The environment, its namespaces and applications, with how much is overridden where. */
export function OverrideTree({ choice }: { choice: Choice }) {
  const t = useTexts();
  const outline = useQuery(outlineQuery(choice.cluster, choice.environment));
  if (outline.isError) return <ProblemAlert error={outline.error} />;
  const { overridden = {}, namespaces = [] } = outline.data ?? {};
  return (
    <nav aria-label={t("override.tree")} className={classes.tree}>
      <ul>
        <li>
          <Node search={{ level: undefined }} chosen={choice.level === "environment"} counts={overridden}>{choice.environment}</Node>
          <ul>{namespaces.map((namespace) => <Namespace key={namespace.name} namespace={namespace} choice={choice} open={namespaces.length <= fewNamespaces} />)}</ul>
        </li>
      </ul>
    </nav>
  );
}

function Namespace({ namespace, choice, open }: { namespace: OutlinedNamespace; choice: Choice; open: boolean }) {
  const t = useTexts();
  const { name, overridden, applications } = namespace;
  const here = choice.namespace === name;
  const [opened, setOpened] = useState<boolean>();
  const isOpen = opened ?? (open || here || applications.some((application) => Object.keys(application.overridden).length > 0));
  const shown = choice.context === "pipeline" ? [] : applications;
  return (
    <li>
      <Group gap={2} wrap="nowrap">
        {shown.length > 0 && (
          <ActionIcon size="xs" variant="subtle" color="gray" aria-expanded={isOpen} aria-label={t("override.applicationsOf", { name })} onClick={() => setOpened(!isOpen)}>
            {isOpen ? <ChevronDown size={14} aria-hidden /> : <ChevronRight size={14} aria-hidden />}
          </ActionIcon>
        )}
        <Node search={{ level: "namespace", namespace: name, application: undefined }} chosen={choice.level === "namespace" && here} counts={overridden}>{name}</Node>
      </Group>
      {isOpen && shown.length > 0 && (
        <ul>
          {shown.map((application) => (
            <li key={application.name}>
              <Node search={{ level: "application", namespace: name, application: application.name }} chosen={choice.level === "application" && here && choice.application === application.name} counts={application.overridden}>{application.name}</Node>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

interface NodeProps {
  search: OverridesSearch;
  chosen: boolean;
  counts: Counts;
  children: ReactNode;
}

/** A place where there may be an override, with what there is of each context. */
function Node({ search, chosen, counts, children }: NodeProps) {
  const t = useTexts();
  const names = { deploy: t("override.contextDeploy"), runtime: t("override.contextRuntime"), pipeline: t("override.contextPipeline") };
  return (
    <Group gap={4} wrap="nowrap" className={classes.node} data-chosen={chosen || undefined}>
      <PageLink to="/overrides" activeOptions={{ exact: true }} search={(before) => ({ ...before, ...search, path: undefined, side: undefined })} size="sm" c="inherit" fw={chosen ? 700 : undefined} aria-current={chosen || undefined} className={classes.name}>
        {children}
      </PageLink>
      {contexts.map((context) => {
        const n = counts[context];
        return n !== undefined && (
          <Badge key={context} size="sm" tt="none" variant="default" title={t("override.overriddenIn", { n, context: names[context] })}>
            {names[context].slice(0, 1)} {n}
          </Badge>
        );
      })}
    </Group>
  );
}
