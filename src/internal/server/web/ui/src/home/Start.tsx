import { Button, Code, CopyButton, SimpleGrid, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { FolderInput, PencilRuler, Sparkles } from "lucide-react";
import { useRef, useState, type ReactNode } from "react";
import { mayQuery } from "../api/access";
import { useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { ButtonLink } from "../shell/links";
import { ProblemAlert } from "../shell/ProblemAlert";
import { ReasonButton } from "../shell/ReasonButton";
import { applySample, fitsSample, sampleId } from "./sample";
import { useReadOnlyNow } from "../view/moment";
import { FolderDialog } from "./FolderDialog";
import { isManifest, type FolderFile } from "./folder";
import classes from "./Home.module.css";

/** What to do first where there is nothing yet. */
export function Start({ model }: { model: Model }) {
  const t = useTexts();
  const queries = useQueryClient();
  const fits = fitsSample(model);
  const may = useQuery({ ...mayQuery("create", sampleId), enabled: fits });
  const apply = useMutation({ mutationFn: () => applySample(t("home.sampleMessage")), onSuccess: () => queries.invalidateQueries() });
  const reason = !fits ? t("home.sampleDoesNotFit") : may.data === false ? t("common.mayNotCreate") : undefined;
  const server = window.location.origin;
  return (
    <section aria-labelledby="start">
      <Title order={2} size="h3" id="start" mb={4}>
        {t("home.startTitle")}
      </Title>
      <Text c="dimmed" mb="md">
        {t("home.startText")}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 3 }}>
        <Card icon={<Sparkles size={20} aria-hidden />} title={t("home.startSample")} text={t("home.startSampleText")}>
          <ReasonButton size="sm" reason={reason} loading={apply.isPending} onClick={() => apply.mutate()}>
            {t("home.loadSample")}
          </ReasonButton>
          {reason && <Text size="xs" c="dimmed">{reason}</Text>}
        </Card>
        <Card icon={<FolderInput size={20} aria-hidden />} title={t("home.startFolder")} text={t("home.startFolderText")}>
          <FolderButton />
          <Code block>{`dovetail apply -f FOLDER \\\n  --server ${server}`}</Code>
          <CopyButton value={`dovetail apply -f FOLDER --server ${server}`}>
            {({ copied, copy }) => (
              <Button variant="default" size="sm" onClick={copy}>
                {copied ? t("home.commandCopied") : t("home.copyCommand")}
              </Button>
            )}
          </CopyButton>
        </Card>
        <Card icon={<PencilRuler size={20} aria-hidden />} title={t("home.startSchema")} text={t("home.startSchemaText")}>
          <Code block>dovetail serve --ref-schemas FOLDER</Code>
          <ButtonLink to="/schema" variant="default" size="sm">
            {t("home.seeSchema")}
          </ButtonLink>
        </Card>
      </SimpleGrid>
      {apply.isError && <ProblemAlert error={apply.error} />}
    </section>
  );
}

/** What makes an input ask for a folder, which the types of React do not know. */
const ofFolders = { webkitdirectory: "" };

/** Reads the files of a folder that one chooses, and shows what they would do. */
function FolderButton() {
  const t = useTexts();
  const [files, setFiles] = useState<FolderFile[]>();
  const past = useReadOnlyNow();
  const input = useRef<HTMLInputElement>(null);
  const read = async (list: File[]) => {
    const chosen = list.map((file) => ({ file, name: file.webkitRelativePath.replace(/^[^/]*\//, "") || file.name })).filter(({ name }) => isManifest(name));
    const texts = await Promise.all(chosen.map(async ({ file, name }) => ({ name, text: await file.text() })));
    setFiles(texts.toSorted((a, b) => (a.name < b.name ? -1 : 1)));
  };
  return (
    <>
      <input ref={input} type="file" {...ofFolders} hidden aria-label={t("home.chooseFolder")}
        onChange={(event) => {
          void read([...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = ""; // the same folder can be chosen again
        }} />
      <ReasonButton size="sm" reason={past} onClick={() => input.current?.click()}>
        {t("home.chooseFolder")}
      </ReasonButton>
      {files && <FolderDialog files={files} onClose={() => setFiles(undefined)} />}
    </>
  );
}

function Card({ icon, title, text, children }: { icon: ReactNode; title: string; text: string; children: ReactNode }) {
  return (
    <div className={classes.panel}>
      <Stack gap="sm" p="md" align="flex-start">
        <ThemeIcon variant="light" size={40} radius="md">
          {icon}
        </ThemeIcon>
        <Title order={3} size="h5">
          {title}
        </Title>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
        {children}
      </Stack>
    </div>
  );
}
