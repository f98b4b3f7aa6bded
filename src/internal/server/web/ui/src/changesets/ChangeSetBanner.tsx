import { Box, Button, Group, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { isNotFound, problemOf } from "../api/problem";
import { useTexts } from "../i18n/texts";
import { ButtonLink } from "../shell/links";
import { useChangeSetChanges } from "./live";
import { useView } from "./view";
import { changeSetQuery } from "./queries";
import { titleOf } from "./review";
import classes from "./ChangeSets.module.css";

/** The pages that show what is stored also where one works in a change set. */
const pagesOfStored = /^(\/ui)?\/(activity|audit|schema)?$/;

/** Says on every page that one works in a change set, and leads out of it. */
export function ChangeSetBanner({ name, height }: { name: string; height: number }) {
  const t = useTexts();
  const enter = useView();
  const queries = useQueryClient();
  useChangeSetChanges(name, () => void queries.invalidateQueries());
  const { pathname } = useLocation();
  const { data, error } = useQuery(changeSetQuery(name));
  const outside = pagesOfStored.test(pathname);
  const note = outside ? t("changesets.pageOutsideChangeSet") : data && data.state !== "open" ? t("changesets.changeSetReadOnly") : data ? t("changesets.changesOf", { n: data.total }) : "";
  return (
    <Group component="section" aria-label={t("changesets.workingInChangeSet")} className={classes.banner} h={height} px="md" gap="sm" wrap="nowrap">
      <Text span size="sm" className={classes.bannerText} title={data ? titleOf(data) : name}>
        <Box component="span" visibleFrom="sm">
          {t("changesets.workingInChangeSet")}{" "}
        </Box>
        <strong>{data ? titleOf(data) : name}</strong>
        {error ? ` · ${isNotFound(error) ? t("changesets.noChangeSet") : problemOf(error).detail}` : note && ` · ${note}`}
      </Text>
      {!error && (
        <ButtonLink variant="white" size="compact-sm" className={classes.bannerButton} to="/change-sets" search={{ name }}>
          {t("changesets.reviewChangeSet")}
        </ButtonLink>
      )}
      <Button variant="white" size="compact-sm" className={classes.bannerButton} onClick={() => enter(undefined)}>
        {t("changesets.leaveChangeSet")}
      </Button>
    </Group>
  );
}
