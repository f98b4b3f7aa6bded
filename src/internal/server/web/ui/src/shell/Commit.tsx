import { ActionIcon, Anchor, Code } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { Check, Copy } from "lucide-react";
import { addressOf, commitURLQuery } from "../api/commits";
import { useTexts } from "../i18n/texts";

/** A commit of the attached repository, which leads to its page at the Git host; where no such page is known, its hash can be copied. */
export function Commit({ hash }: { hash: string }) {
  const t = useTexts();
  const clipboard = useClipboard();
  const url = useQuery(commitURLQuery);
  const address = addressOf(url.data, hash);
  const short = <Code title={hash}>{hash.slice(0, 10)}</Code>;
  if (address !== undefined) {
    return (
      <Anchor href={address} target="_blank" rel="noopener noreferrer" size="sm" aria-label={t("shell.commitAtHost", { commit: hash.slice(0, 10) })}>
        {short}
      </Anchor>
    );
  }
  return (
    <span style={{ whiteSpace: "nowrap" }}>
      {short}{" "}
      {!url.isPending && (
        <ActionIcon variant="subtle" size="sm" aria-label={clipboard.copied ? t("shell.commitCopied") : t("shell.copyCommit", { commit: hash.slice(0, 10) })} onClick={() => clipboard.copy(hash)}>
          {clipboard.copied ? <Check size={14} aria-hidden /> : <Copy size={14} aria-hidden />}
        </ActionIcon>
      )}
    </span>
  );
}
