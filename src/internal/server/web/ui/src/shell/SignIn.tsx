import { Alert, Button, Divider, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { LogIn } from "lucide-react";
import { useState } from "react";
import { rightsQuery } from "../api/access";
import { isUnauthenticated, problemOf } from "../api/problem";
import { setToken, token } from "../api/session";
import { useTexts } from "../i18n/texts";
import type { Login } from "../login/oidc";
import { WindowBlocked, beginLogin, dropLogin, loginFailure, loginInWindow, readLogin } from "../login/session";
import { Dialog } from "./Dialog";
import { forgetInput } from "./kept";
import { usePageTitle } from "./title";

/** Asks who one is where the server wants to know: at its provider, where it has one, or by a token. */
export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTexts();
  usePageTitle(t("shell.signIn"));
  const queries = useQueryClient();
  const [refused] = useState(token() !== "");
  return (
    <Stack maw={420} mx="auto" mt={{ base: "md", sm: 64 }}>
      <Title order={1} size="h2">
        {t("shell.signIn")}
      </Title>
      {loginFailure !== "" && <Alert color="red" role="alert" title={t("shell.signInFailed")}>{loginFailure}</Alert>}
      {refused && <Alert color="red" role="alert">{t("shell.signInRefused")}</Alert>}
      <Ways
        onProvider={beginLogin}
        onToken={(text) => {
          setToken(text);
          onSignedIn();
          void queries.resetQueries();
        }}
      />
    </Stack>
  );
}

/** Asks again, over a page that is in use, when the server no longer knows who one is. The same user goes on where they were; another one starts over. */
export function SignInAgain({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTexts();
  const queries = useQueryClient();
  const [known] = useState(() => queries.getQueryData(rightsQuery.queryKey)?.principal);
  const enter = useMutation({
    mutationFn: async (text?: string) => {
      if (text !== undefined) {
        dropLogin();
        setToken(text);
      }
      return (await queries.fetchQuery({ ...rightsQuery, staleTime: 0 })).principal;
    },
    onSuccess: async (principal) => {
      if (principal !== known) {
        forgetInput();
        location.reload();
        return;
      }
      onSignedIn();
      await queries.invalidateQueries();
    },
  });
  return (
    <Dialog title={t("shell.sessionEnded")} size="md">
      <Stack>
        <Text>
          {t("shell.sessionEndedText")} {t("shell.sessionEndedOther")}
        </Text>
        {enter.isError && <Alert color="red" role="alert">{isUnauthenticated(enter.error) ? t("shell.signInRefused") : problemOf(enter.error).detail}</Alert>}
        <Ways
          over
          entering={enter.isPending}
          onToken={(text) => enter.mutate(text)}
          onProvider={async (login) => {
            await loginInWindow(login);
            enter.mutate(undefined);
          }}
        />
      </Stack>
    </Dialog>
  );
}

interface WaysProps {
  over?: boolean; // the page is in use: the provider has a window of its own
  entering?: boolean;
  onToken: (text: string) => void;
  onProvider: (login: Login) => Promise<void>;
}

/** The ways to sign in. */
function Ways({ over = false, entering = false, onToken, onProvider }: WaysProps) {
  const t = useTexts();
  const [text, setText] = useState("");
  const login = useQuery({ queryKey: ["login"], queryFn: async () => (await readLogin()) ?? null });
  const begin = useMutation({ mutationFn: onProvider });
  const here = useMutation({ mutationFn: beginLogin });
  const provider = login.data ?? undefined;
  const blocked = begin.error instanceof WindowBlocked;
  const failed = blocked ? here.error : begin.error;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onToken(text.trim());
      }}
    >
      <Stack>
        {failed && <Alert color="red" role="alert" title={t("shell.signInFailed")}>{problemOf(failed).detail}</Alert>}
        {provider && (
          <>
            <Text>{over ? t("shell.signInWindowText") : t("shell.signInAtText")}</Text>
            <Button leftSection={<LogIn size={16} aria-hidden />} loading={begin.isPending && !over} onClick={() => begin.mutate(provider)}>
              {t("shell.signInAt", { provider: new URL(provider.issuer).host })}
            </Button>
            {over && begin.isPending && <Text role="status">{t("shell.signInWindowOpen")}</Text>}
            {blocked && (
              <Alert color="yellow" role="alert" title={t("shell.windowBlocked")}>
                <Stack gap="xs" align="flex-start">
                  {t("shell.windowBlockedText")}
                  <Button size="xs" variant="default" loading={here.isPending} onClick={() => here.mutate(provider)}>
                    {t("shell.signInHere")}
                  </Button>
                </Stack>
              </Alert>
            )}
            <Divider label={t("shell.or")} />
          </>
        )}
        <Text>{t("shell.signInText")}</Text>
        <PasswordInput label={t("shell.token")} value={text} onChange={(e) => setText(e.currentTarget.value)} autoComplete="off" />
        <Button type="submit" variant={provider ? "default" : "filled"} loading={entering} disabled={text.trim() === ""}>
          {t("shell.signInWithToken")}
        </Button>
      </Stack>
    </form>
  );
}
