import { useLocalStorage } from "@mantine/hooks";
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from "react";
import { IntlProvider, useTranslations } from "use-intl";
import type { Catalog, en } from "./en";

declare module "use-intl" {
  interface AppConfig {
    Messages: typeof en;
  }
}

/** The languages of the page. */
export const languages = { en: "English", ru: "Русский" } as const;

export type Language = keyof typeof languages;

/** The texts as a function: t("feature.name", { n: 2 }). A name that no catalog has, and an argument that is missing, are type errors. */
export type Texts = ReturnType<typeof useTexts>;

const catalogs: Record<Language, () => Promise<Catalog>> = {
  en: async () => (await import("./en")).en,
  ru: async () => (await import("./ru")).ru,
};

/** Names and arguments of texts are checked by the types of the English ones; a test holds those of the others to them. */
const typed = (catalog: Catalog) => catalog as typeof en;

const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

interface Chosen {
  language: Language;
  choose: (language: Language) => void;
}

const Context = createContext<Chosen>({ language: "en", choose: () => undefined });

/** Gives all below it the texts in the language that the user chose, at first that of the browser; nothing is shown before they are loaded. */
export function TextsProvider({ children }: { children: ReactNode }) {
  const [stored, choose] = useLocalStorage<Language>({
    key: "dovetail-language",
    defaultValue: navigator.language.startsWith("ru") ? "ru" : "en",
    getInitialValueInEffect: false,
  });
  const wanted = stored in languages ? stored : "en";
  const [loaded, setLoaded] = useState<{ language: Language; catalog: Catalog }>();
  useEffect(() => {
    let current = true;
    const load = async () => {
      const catalog = await catalogs[wanted]();
      if (current) setLoaded({ language: wanted, catalog });
    };
    void load();
    return () => {
      current = false;
    };
  }, [wanted]);
  const language = loaded?.language;
  useEffect(() => {
    if (language) document.documentElement.lang = language;
  }, [language]);
  const chosen = useMemo(() => ({ language: language ?? "en", choose }), [language, choose]);
  if (!loaded) return null;
  return (
    <Context value={chosen}>
      <IntlProvider locale={loaded.language} messages={typed(loaded.catalog)} timeZone={timeZone}>
        {children}
      </IntlProvider>
    </Context>
  );
}

/** The texts in the language of the user. */
export function useTexts() {
  return useTranslations();
}

/** The language and how to change it. */
export function useLanguage(): Chosen {
  return useContext(Context);
}
