import "@mantine/core/styles.css";
import "./main.css";
import { MantineProvider, createTheme } from "@mantine/core";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { TextsProvider } from "./i18n/texts";
import { resumeLogin } from "./login/session";
import { router } from "./router";

const theme = createTheme({
  autoContrast: true,
  respectReducedMotion: true,
  primaryColor: "brand",
  primaryShade: 8,
  defaultRadius: "md",
  headings: { fontWeight: "650" },
  colors: {
    brand: ["#e7f3f7", "#d0e5ec", "#a3cbd8", "#7cb9cc", "#5aa9c0", "#3d94ad", "#22819c", "#0f6f8a", "#0a5f78", "#084c60"],
    dark: ["#d7dde8", "#b6bfce", "#929daf", "#66728a", "#323d54", "#273147", "#1a2233", "#111827", "#0c121e", "#080c15"],
  },
});

/** Waits until a style sheet is there, or will not be. */
async function arrival(link: HTMLLinkElement): Promise<void> {
  if (link.sheet) return;
  await new Promise((resolve) => {
    for (const end of ["load", "error"]) link.addEventListener(end, resolve);
  });
}

/** Puts the style sheets in force that index.html only loads, once they are there. */
async function applyStyles(): Promise<void> {
  const links = [...document.querySelectorAll<HTMLLinkElement>('link[rel="stylesheet"][media="not all"]')];
  await Promise.all(links.map(arrival));
  for (const link of links) link.media = "all";
}

/** Signs in before anything is shown, where one was signed in. */
const [leaves] = await Promise.all([resumeLogin(), applyStyles()]);
const root = document.querySelector("#root");
if (root && !leaves) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <TextsProvider>
          <RouterProvider router={router} />
        </TextsProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
