import "@mantine/core/styles.css";
import "./main.css";
import { MantineProvider, createTheme } from "@mantine/core";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { TextsProvider } from "./i18n/texts";
import { router } from "./router";

const theme = createTheme({ autoContrast: true, respectReducedMotion: true, primaryShade: 8 });

const root = document.querySelector("#root");
if (root) {
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
