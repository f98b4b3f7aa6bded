import { useMemo, type ReactNode } from "react";
import type { Source } from "../api/documents";
import { useTexts } from "../i18n/texts";
import type { Kind, Model } from "../model/kinds";
import { Secrets, type Reveal } from "../shell/Secrets";
import { maskSecrets } from "../yaml/mask";

export interface MaskedProps {
  source: Source;
  kind: Kind;
  model: Model;
  reveal: Reveal;
  always?: boolean; // hides what the source does not have, too, such as secrets of the past
  children: ReactNode;
}

/** What has the secrets of a document, or in its place its text without them. */
export function Masked({ source, kind, model, reveal, always = false, children }: MaskedProps) {
  const t = useTexts();
  const masked = useMemo(() => maskSecrets(source.yaml, kind.sensitive), [source.yaml, kind.sensitive]);
  return (
    <Secrets masked={reveal.revealed || (masked === source.yaml && !always) ? undefined : masked} label={t("common.yamlOf", { name: model.titleOf(source.envelope.id) })} reveal={reveal}>
      {children}
    </Secrets>
  );
}
