import { Alert, Button, Group, Radio, SimpleGrid, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useTexts } from "../i18n/texts";
import { Dialog } from "../shell/Dialog";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ConflictName } from "./ConflictName";
import { rebaseChangeSet, type ChangeSet, type Conflict, type Resolution } from "./queries";
import { keyOf, resolutionsOf } from "./review";
import { Value } from "./values";
import classes from "./ChangeSets.module.css";

interface Props {
  changeSet: ChangeSet;
  conflicts: Conflict[];
  onClose: () => void;
}

/** Brings the base of a change set to what is stored now. Of each value that both changed, one is taken. */
export function RebaseDialog({ changeSet, conflicts, onClose }: Props) {
  const t = useTexts();
  const queries = useQueryClient();
  const [taken, setTaken] = useState<ReadonlyMap<string, Resolution["take"]>>(new Map());
  const resolve = resolutionsOf(conflicts, taken);
  const trial = useQuery({
    queryKey: ["rebase", changeSet.name, changeSet.version, resolve],
    queryFn: () => rebaseChangeSet(changeSet.name, resolve ?? [], true),
    enabled: resolve !== undefined,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const rebase = useMutation({
    mutationFn: () => rebaseChangeSet(changeSet.name, resolve ?? [], false),
    onSuccess: async () => {
      onClose();
      await queries.invalidateQueries();
    },
  });
  const error = rebase.error ?? trial.error;
  const takeAll = (take: Resolution["take"]) => setTaken(new Map(conflicts.map((conflict) => [keyOf(conflict), take])));
  return (
    <Dialog title={t("changesets.rebaseTitle")} size="xl" onClose={onClose}>
      <Stack>
        <Text>{t("changesets.rebaseText")}</Text>
        {conflicts.length > 1 && (
          <Group gap="xs">
            <Button size="compact-sm" variant="default" onClick={() => takeAll("staged")}>
              {t("changesets.takeAllStaged")}
            </Button>
            <Button size="compact-sm" variant="default" onClick={() => takeAll("now")}>
              {t("changesets.takeAllNow")}
            </Button>
          </Group>
        )}
        {conflicts.map((conflict) => (
          <Decide key={keyOf(conflict)} conflict={conflict} take={taken.get(keyOf(conflict))} onTake={(take) => setTaken(new Map(taken).set(keyOf(conflict), take))} />
        ))}
        <Text role="status" size="sm">
          {resolve === undefined ? t("changesets.conflictsLeft", { n: conflicts.length - taken.size }) : trial.isFetching ? t("common.checking") : trial.isSuccess ? t("changesets.canRebase") : ""}
        </Text>
        {(changeSet.reviews ?? []).some(({ decision, current }) => decision === "approve" && current) && <Alert color="yellow">{t("changesets.rebaseVoids")}</Alert>}
        {error && <ProblemAlert error={error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t("common.cancel")}
          </Button>
          <Button loading={rebase.isPending} disabled={!trial.isSuccess || trial.isFetching} onClick={() => rebase.mutate()}>
            {t("changesets.rebase")}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

interface DecideProps {
  conflict: Conflict;
  take?: Resolution["take"];
  onTake: (take: Resolution["take"]) => void;
}

function Decide({ conflict, take, onTake }: DecideProps) {
  const t = useTexts();
  return (
    <section className={classes.document} aria-label={keyOf(conflict)}>
      <div className={classes.documentBody}>
        <ConflictName conflict={conflict} />
        <Text size="sm" mt={4}>
          {t("changesets.atBase")}: <Value value={conflict.base} />
        </Text>
        <Radio.Group aria-label={t("changesets.decide")} value={take ?? null} onChange={(next) => onTake(next as Resolution["take"])}>
          <SimpleGrid cols={{ base: 1, sm: 2 }} mt="xs">
            <Radio.Card value="staged" p="sm" className={classes.option}>
              <Option chosen={take === "staged"} label={t("changesets.takeStaged")} value={conflict.staged} />
            </Radio.Card>
            <Radio.Card value="now" p="sm" className={classes.option}>
              <Option chosen={take === "now"} label={t("changesets.takeNow")} value={conflict.now} />
            </Radio.Card>
          </SimpleGrid>
        </Radio.Group>
      </div>
    </section>
  );
}

function Option({ chosen, label, value }: { chosen: boolean; label: string; value: unknown }) {
  return (
    <Group wrap="nowrap" align="flex-start" gap="sm">
      <Radio.Indicator checked={chosen} />
      <div style={{ minWidth: 0 }}>
        <Text size="sm" fw={600}>
          {label}
        </Text>
        <Value value={value} inControl />
      </div>
    </Group>
  );
}
