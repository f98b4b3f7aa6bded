import { Alert, Button, PasswordInput, Stack, Text, Title } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { setToken, token } from "../api/session";
import { useTexts } from "../i18n/texts";
import { usePageTitle } from "./title";

/** Asks for a token where the server wants one. */
export function SignIn({ onSignedIn }: { onSignedIn: () => void }) {
  const t = useTexts();
  usePageTitle(t.signIn);
  const queries = useQueryClient();
  const [text, setText] = useState("");
  const [refused] = useState(token() !== "");
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setToken(text.trim());
        onSignedIn();
        void queries.resetQueries();
      }}
    >
      <Stack maw={420}>
        <Title order={1} size="h2">
          {t.signIn}
        </Title>
        <Text>{t.signInText}</Text>
        {refused && <Alert color="red" role="alert">{t.signInRefused}</Alert>}
        <PasswordInput label={t.token} value={text} onChange={(e) => setText(e.currentTarget.value)} autoComplete="off" />
        <Button type="submit" disabled={text.trim() === ""}>
          {t.signIn}
        </Button>
      </Stack>
    </form>
  );
}
