import { SegmentedControl, Stack } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { Suspense, lazy } from "react";
import { useTexts } from "../i18n/texts";
import { HistoryPanel } from "./HistoryPanel";

const route = getRouteApi("/explorer");
const BlamePanel = lazy(async () => ({ default: (await import("./BlamePanel")).BlamePanel }));

interface Props {
  id: string;
  path: string;
  at?: string;
  before?: string;
  view?: string; // "blame": the lines with their versions, otherwise the versions
}

/** The history of a document: version by version, or line by line. */
export function HistoryTab({ id, path, at, before, view }: Props) {
  const t = useTexts();
  const navigate = route.useNavigate();
  const blame = view === "blame";
  return (
    <Stack gap="sm" align="stretch">
      <SegmentedControl size="xs" aria-label={t("common.view")} style={{ alignSelf: "flex-start" }} value={blame ? "blame" : ""} data={[{ value: "", label: t("history.byVersions") }, { value: "blame", label: t("history.byLines") }]}
        onChange={(next) => void navigate({ search: (now) => ({ ...now, view: next || undefined, at: undefined, before: undefined }) })} />
      {blame ? (
        <Suspense>
          <BlamePanel id={id} path={path} />
        </Suspense>
      ) : (
        <HistoryPanel id={id} path={path} at={at} before={before} />
      )}
    </Stack>
  );
}
