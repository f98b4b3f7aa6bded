import createClient from "openapi-fetch";
import { noteTime } from "./clock";
import { ApiError, readProblem } from "./problem";
import type { paths } from "./openapi";
import { credentials } from "./session";

/** The endpoints that there are whatever the ref-schema says. An answer that is no success is thrown. */
export const api = createClient<paths>({ baseUrl: "" });

api.use({
  onRequest({ request }) {
    for (const [name, value] of Object.entries(credentials())) request.headers.set(name, value);
  },
  async onResponse({ response }) {
    noteTime(response);
    if (!response.ok) throw new ApiError(await readProblem(response));
    return undefined;
  },
});

/** Takes the body out of an answer of `api`. */
export function bodyOf<T>(answer: { data?: T }): T {
  return answer.data as T;
}

/** A request to a path that the ref-schema gives. An answer that is no success is thrown, as the problem that is read from it. */
export async function send(method: string, path: string, headers: Record<string, string> = {}, body?: string | FormData, read = readProblem, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(path, { method, headers: { ...credentials(), ...headers }, body, signal });
  noteTime(response);
  if (!response.ok) throw new ApiError(await read(response));
  return response;
}

/** The header that says why something is written. The values of headers are bytes: the text goes as UTF-8. */
export function messageHeader(message = ""): Record<string, string> {
  const text = message.trim();
  return text === "" ? {} : { "Dovetail-Message": String.fromCharCode(...new TextEncoder().encode(text)) };
}
