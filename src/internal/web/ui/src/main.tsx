import "@mantine/core/styles.css";
import "./main.css";
import { MantineProvider, createTheme } from "@mantine/core";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ApiError } from "./api/problem";
import { TextsProvider } from "./i18n/texts";
import { router } from "./router";

/** An answer of the server is not asked for again; a connection that broke is, twice. */
const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: (count, error) => !(error instanceof ApiError) && count < 2, refetchOnWindowFocus: false, staleTime: 5_000 },
  },
});

const theme = createTheme({ autoContrast: true, respectReducedMotion: true, primaryShade: 8 });

const root = document.querySelector("#root");
if (root) {
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        <QueryClientProvider client={queries}>
          <TextsProvider>
            <RouterProvider router={router} />
          </TextsProvider>
        </QueryClientProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
