import { Button, Group, Text } from "@mantine/core";
import { useLocation, useRouter } from "@tanstack/react-router";
import { useTexts } from "../i18n/texts";
import { useMomentText } from "./moment";
import classes from "./Moment.module.css";

/** The pages that always show what is stored now. */
const pagesOfNow = /^(\/ui)?\/(activity|audit|change-sets|system)?$/;

/** Says on every page that it shows the past, and leads back to now. */
export function MomentBanner({ asOf, height }: { asOf: string; height: number }) {
  const t = useTexts();
  const router = useRouter();
  const text = useMomentText()(asOf);
  const note = pagesOfNow.test(useLocation().pathname) ? t("view.pageOfNow") : t("view.readOnlyNote");
  const leave = () => void router.navigate({ to: ".", search: (before: object) => ({ ...before, asOf: undefined }) });
  return (
    <Group component="section" aria-label={t("view.momentShown")} className={classes.banner} h={height} px="md" gap="sm" wrap="nowrap">
      <Text span size="sm" className={classes.text} title={asOf}>
        <strong>{text}</strong>
        {` · ${note}`}
      </Text>
      <Button variant="white" size="compact-sm" className={classes.button} onClick={leave}>
        {t("view.backToNow")}
      </Button>
    </Group>
  );
}
