import { useLocalStorage } from "@mantine/hooks";
import { createContext, useContext, useEffect, useMemo, type ReactNode } from "react";
import { en, type Texts } from "./en";
import { ru } from "./ru";

/** The languages of the page. */
export const languages = { en: "English", ru: "Русский" } as const;

export type Language = keyof typeof languages;

const texts: Record<Language, Texts> = { en, ru };

interface Chosen {
  language: Language;
  choose: (language: Language) => void;
}

const Context = createContext<Chosen>({ language: "en", choose: () => undefined });

/** Gives all below it the language that the user chose, at first that of the browser. */
export function TextsProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useLocalStorage<Language>({
    key: "dovetail-language",
    defaultValue: navigator.language.startsWith("ru") ? "ru" : "en",
    getInitialValueInEffect: false,
  });
  const known = language in texts ? language : "en";
  useEffect(() => {
    document.documentElement.lang = known;
  }, [known]);
  const chosen = useMemo(() => ({ language: known, choose }), [known, choose]);
  return <Context value={chosen}>{children}</Context>;
}

/** The texts in the language of the user. */
export function useTexts(): Texts {
  return texts[useContext(Context).language];
}

/** The language and how to change it. */
export function useLanguage(): Chosen {
  return useContext(Context);
}
