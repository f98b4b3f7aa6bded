import { Alert, Button, Divider, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { useState } from "react";
import { problemOf } from "../api/problem";
import { setToken, token } from "../api/session";
import { useTexts } from "../i18n/texts";
import { beginLogin, loginFailure, readLogin } from "../login/session";
import { usePageTitle } from "./title";

/** Asks who one is where the server wants to know: at its provider, where it has one, or by a token. */
export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTexts();
  usePageTitle(t("shell.signIn"));
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [refused] = useState(token() !== "");
  const login = useQuery({ queryKey: ["login"], queryFn: async () => (await readLogin()) ?? null });
  const begin = useMutation({ mutationFn: beginLogin });
  const failure = begin.isError ? problemOf(begin.error).detail : loginFailure;
  const provider = login.data ?? undefined;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setToken(text.trim());
        onSignedIn();
        void queries.resetQueries();
      }}
    >
      <Stack maw={420} mx="auto" mt={{ base: "md", sm: 64 }}>
        <Title order={1} size="h2">
          {t("shell.signIn")}
        </Title>
        {failure !== "" && <Alert color="red" role="alert" title={t("shell.signInFailed")}>{failure}</Alert>}
        {refused && <Alert color="red" role="alert">{t("shell.signInRefused")}</Alert>}
        {provider && (
          <>
            <Text>{t("shell.signInAtText")}</Text>
            <Button leftSection={<LogIn size={16} aria-hidden />} loading={begin.isPending} onClick={() => begin.mutate(provider)}>
              {t("shell.signInAt", { provider: new URL(provider.issuer).host })}
            </Button>
            <Divider label={t("shell.or")} />
          </>
        )}
        <Text>{t("shell.signInText")}</Text>
        <PasswordInput label={t("shell.token")} value={text} onChange={(e) => setText(e.currentTarget.value)} autoComplete="off" />
        <Button type="submit" variant={provider ? "default" : "filled"} disabled={text.trim() === ""}>
          {t("shell.signInWithToken")}
        </Button>
      </Stack>
    </form>
  );
}
