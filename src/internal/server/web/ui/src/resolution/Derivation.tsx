import { Badge, Code, Group, Text, Title } from "@mantine/core";
import { useTexts } from "../i18n/texts";
import { lineOf } from "./clash";
import type { Constraint, Unsat } from "./queries";
import classes from "./Resolution.module.css";

/** Why there is no solution, step by step: what each follows from, and what follows. */
export function Derivation({ unsat, constraints }: { unsat: Unsat; constraints: Constraint[] }) {
  const t = useTexts();
  const { derivation = [], facts } = unsat;
  if (derivation.length === 0) return null;
  return (
    <section aria-label={t("resolution.derivation")}>
      <Title order={3} size="h4">{t("resolution.derivation")}</Title>
      <ol className={classes.steps}>
        {derivation.map(({ constraints: of = [], facts: known = [], steps = [], therefore }, i) => (
          <li key={therefore} data-last={i === derivation.length - 1 || undefined}>
            <Group gap={6} align="baseline">
              <Text span size="sm" c="dimmed">{t("resolution.because")}</Text>
              {of.map((index) => <Text span size="sm" key={`constraint ${index}`}>[{index}] <Code>{lineOf(constraints[index])}</Code></Text>)}
              {known.map((index) => <Text span size="sm" key={`fact ${index}`}>{facts[index]?.text}</Text>)}
              {steps.map((step) => <Badge key={`step ${step}`} variant="default" tt="none">{t("resolution.stepNumber", { n: step })}</Badge>)}
            </Group>
            <Text size="sm" fw={600}>→ {therefore}</Text>
          </li>
        ))}
      </ol>
    </section>
  );
}
