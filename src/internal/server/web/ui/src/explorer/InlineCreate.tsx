import { Button, Stack, Text } from "@mantine/core";
import { useState, type ReactNode } from "react";
import { CreateInPlace, type Creation } from "../form/create";
import { useTexts } from "../i18n/texts";
import type { Model } from "../model/kinds";
import { Dialog } from "../shell/Dialog";
import { DocumentLink } from "../shell/links";
import { NewDocument } from "./NewDocument";

/** Lets the references of a form be given documents that are created for them, in a dialog over what is edited. */
export function InlineCreate({ model, children }: { model: Model; children: ReactNode }) {
  const t = useTexts();
  const [creation, setCreation] = useState<Creation>();
  const collection = creation && model.collectionPath(creation.kind, creation.under);
  const close = () => setCreation(undefined);
  return (
    <CreateInPlace value={setCreation}>
      {children}
      {creation && collection && (
        <Dialog title={t("common.newOf", { kind: creation.kind.name })} size="xl" onClose={close}>
          <Stack>
            {creation.under !== "" && (
              <Text>
                {t("explorer.newIn", { parent: "" })} <DocumentLink id={creation.under} aside />
              </Text>
            )}
            <InlineCreate model={model}>
              <NewDocument model={model} kind={creation.kind} under={creation.under} collection={collection} name={creation.name} inPlace
                cancel={
                  <Button variant="default" onClick={close}>
                    {t("common.cancel")}
                  </Button>
                }
                onCreated={async (id) => {
                  creation.onCreated(id);
                  close();
                }} />
            </InlineCreate>
          </Stack>
        </Dialog>
      )}
    </CreateInPlace>
  );
}
