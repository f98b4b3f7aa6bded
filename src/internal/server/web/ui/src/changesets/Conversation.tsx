import { Badge, Group, Stack, Text, Textarea, Title } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTexts } from "../i18n/texts";
import { useKept } from "../shell/kept";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { When } from "../shell/When";
import { changeSetsKey, review, type ChangeSet, type Decision, type Review } from "./queries";
import { useFrozen } from "./rights";
import classes from "./ChangeSets.module.css";

/** What a change set is for, and what its reviewers say. */
export function Conversation({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const { description, reviews = [], state } = changeSet;
  return (
    <Stack gap="md">
      {description ? <Text className={classes.text}>{description}</Text> : <Text c="dimmed">{t("changesets.noDescription")}</Text>}
      <Stack gap="xs" component="section" aria-label={t("changesets.reviews")}>
        <Title order={2} size="h4">
          {t("changesets.reviews")}
        </Title>
        {reviews.length === 0 && <Text c="dimmed">{t("changesets.noReviews")}</Text>}
        {reviews.length > 0 && (
          <ol className={classes.rows} aria-label={t("changesets.reviews")}>
            {reviews.map((one) => (
              <Row key={`${one.time} ${one.by} ${one.decision} ${one.comment}`} one={one} />
            ))}
          </ol>
        )}
        {state === "open" && <Form changeSet={changeSet} />}
      </Stack>
    </Stack>
  );
}

const looks = { approve: ["green", "✓"], reject: ["red", "✕"], comment: ["gray", "…"] } as const;

function Row({ one }: { one: Review }) {
  const t = useTexts();
  const { decision, by, time, comment, current } = one;
  const [color, sign] = looks[decision];
  return (
    <li className={classes.row}>
      <Badge color={color} variant="outline" tt="none" miw="max-content" c="var(--mantine-color-text)">
        <span aria-hidden>{sign}</span> {{ approve: t("changesets.approved"), reject: t("changesets.rejected"), comment: t("changesets.commented") }[decision]}
      </Badge>
      <Text span size="sm">
        {by || t("common.unknownUser")}, <When time={time} />
      </Text>
      {decision !== "comment" && !current && <Badge variant="default" tt="none">{t("changesets.outdatedReview")}</Badge>}
      {comment && (
        <Text size="sm" w="100%" className={classes.text}>
          {comment}
        </Text>
      )}
    </li>
  );
}

function Form({ changeSet }: { changeSet: ChangeSet }) {
  const t = useTexts();
  const queries = useQueryClient();
  const [kept, setComment] = useKept<string>(`review ${changeSet.name}`); // also while one looks at the changes
  const comment = kept ?? "";
  const reason = useFrozen(changeSet.name).update;
  const send = useMutation({
    mutationFn: (decision: Decision) => review(changeSet.name, decision, comment.trim()),
    onSuccess: async () => {
      setComment(undefined);
      await queries.invalidateQueries({ queryKey: changeSetsKey });
    },
  });
  const button = (decision: Decision) => ({ reason, loading: send.isPending && send.variables === decision, disabled: reason === undefined && ((decision === "comment" && comment.trim() === "") || (send.isPending && send.variables !== decision)), onClick: () => send.mutate(decision) });
  return (
    <Stack gap="xs">
      <Textarea label={t("changesets.reviewComment")} value={comment} autosize minRows={2} maxRows={12} onChange={(event) => setComment(event.currentTarget.value || undefined)} />
      {send.isError && <ProblemAlert error={send.error} />}
      <Group gap="xs">
        <ReasonButton size="xs" variant="default" {...button("comment")}>
          {t("changesets.addComment")}
        </ReasonButton>
        <ReasonButton size="xs" color="teal.9" {...button("approve")}>
          {t("changesets.approve")}
        </ReasonButton>
        <ReasonButton size="xs" variant="outline" color="red" {...button("reject")}>
          {t("changesets.reject")}
        </ReasonButton>
        <Text size="xs" c="dimmed">
          {t("changesets.reviewHint")}
        </Text>
      </Group>
    </Stack>
  );
}
